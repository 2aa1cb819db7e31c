//! The SEC's financial-statement data sets: `num.txt`, the figures, and `sub.txt`, their filings.
//!
//! They are tab-separated text without quotes.

use std::io::{self, Read};

use crate::documents::put_rows::DocumentRows;
use crate::documents::separated_lines::SeparatedLines;
use crate::documents::statement_columns::{FIGURE_OF_DATA_SET, SUBMISSION_COLUMNS};

/// The header of rows of `num.txt`.
pub(super) const FIGURES: [&str; 9] =
    ["ADSH", "VERSION", "TAG", "DDATE", "QTRS", "UOM", "SEGMENTS", "COREG", FIGURE_OF_DATA_SET];
/// The header of rows of `sub.txt`.
pub(super) const FILINGS: [&str; 5] = SUBMISSION_COLUMNS;

/// Names in the files of the columns of `FIGURES` and `FILINGS`, in the same order.
const FIGURE_COLUMNS: [&str; 9] =
    ["adsh", "version", "tag", "ddate", "qtrs", "uom", "segments", "coreg", "value"];
const FILING_COLUMNS: [&str; 5] = ["adsh", "cik", "filed", "form", "sic"];

const LINES: SeparatedLines = SeparatedLines { separator: '\t', trailer: None };

/// Returns true if a text starts like `num.txt`.
pub(super) fn has_figures(head: &str) -> bool {
    has_header(head, &["tag", "version", "ddate", "qtrs", "uom", "value"])
}

/// Returns true if a text starts like `sub.txt`.
pub(super) fn has_filings(head: &str) -> bool {
    has_header(head, &["cik", "name", "form", "period", "filed"])
}

fn has_header(head: &str, names: &[&str]) -> bool {
    let first = head.lines().next().unwrap_or_default();
    first.starts_with("adsh\t") && names.iter().all(|name| first.split('\t').any(|cell| cell == *name))
}

pub(super) fn push_figures(reader: &mut dyn Read, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    LINES.push_rows(reader, &FIGURE_COLUMNS, rows)
}

pub(super) fn push_filings(reader: &mut dyn Read, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    LINES.push_rows(reader, &FILING_COLUMNS, rows)
}

#[cfg(test)]
mod tests {
    use crate::documents::document::RawDocument;
    use crate::documents::document::tests::read;

    #[test]
    fn columns_are_found_by_their_names() {
        let old = "adsh\ttag\tversion\tcoreg\tddate\tqtrs\tuom\tvalue\tfootnote\n\
                   0000000077-25-000001\tAssets\tus-gaap/2024\t\t20241231\t0\tUSD\t5.0000\tsays \"no\n";
        let (kind, rows) = read(old);
        assert_eq!(kind, RawDocument::DataSetFigures);
        assert_eq!(rows, ["0000000077-25-000001,us-gaap/2024,Assets,20241231,0,USD,,,5.0000"]);
        let new = "adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue\tfootnote\n\
                   0000000077-25-000001\tAssets\tus-gaap/2024\t20241231\t0\tUSD\tEquityComponents=A;\tB\t5\t\n";
        assert_eq!(
            read(new).1,
            ["0000000077-25-000001,us-gaap/2024,Assets,20241231,0,USD,EquityComponents=A;,B,5"]
        );
        let filings = "adsh\tcik\tname\tsic\tform\tperiod\tfiled\n0000000077-25-000001\t77\tAROHI INC\t6798\t10-K\t20241231\t20250220\n";
        let (kind, rows) = read(filings);
        assert_eq!(
            (kind, rows),
            (RawDocument::DataSetFilings, vec!["0000000077-25-000001,77,20250220,10-K,6798".to_owned()])
        );
    }
}
