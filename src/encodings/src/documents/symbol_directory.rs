//! Nasdaq's symbol directories: `nasdaqlisted.txt`, `otherlisted.txt` and `nasdaqtraded.txt`.
//!
//! Cells are separated by `|`. The last line has the creation time; a file without that line is truncated. `nasdaqlisted.txt` has no column
//! of exchanges: its symbols are listed at NASDAQ.

use std::io::{self, Read};

use crate::documents::put_rows::DocumentRows;
use crate::documents::separated_lines::SeparatedLines;

pub(super) const COLUMNS: [&str; 6] =
    ["SYMBOL", "SECURITY NAME", "LISTING EXCHANGE", "TEST ISSUE", "ETF", "NEXTSHARES"];

/// Names of these columns in the files; `|` separates the names of one column.
const NAMES: [&str; 6] =
    ["Symbol|ACT Symbol", "Security Name", "Listing Exchange|Exchange", "Test Issue", "ETF", "NextShares"];

const LINES: SeparatedLines = SeparatedLines { separator: '|', trailer: Some("File Creation Time") };

/// Returns true if a text starts like one of these files.
pub(super) fn detect(head: &str) -> bool {
    let first = head.lines().next().unwrap_or_default();
    let has = |name: &str| first.split('|').any(|cell| cell == name);
    first.contains('|') && ["Security Name", "Test Issue", "ETF"].into_iter().all(has)
}

pub(super) fn rows(reader: &mut dyn Read, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    LINES.push_rows(reader, &NAMES, rows)
}

#[cfg(test)]
mod tests {
    use crate::documents::document::RawDocument;
    use crate::documents::document::tests::read;

    const LISTED: &str = "Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares\r\n\
                          ALFA|Alfa, Inc. - Common Stock|Q|N|N|100|N|N\r\nFile Creation Time: 1120202621:00|||||||\r\n";

    #[test]
    fn columns_are_found_by_their_names() {
        assert_eq!(
            read(LISTED),
            (RawDocument::SymbolDirectory, vec!["ALFA,Alfa, Inc. - Common Stock,,N,N,N".to_owned()])
        );
        let other = "ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol\n\
                     BET.A|Beta Class A|N|BET.A|N|100|Y|BET=A\nFile Creation Time: 1120202621:00\n";
        assert_eq!(read(other).1, ["BET.A,Beta Class A,N,Y,N,"]);
        let traded = "Nasdaq Traded|Symbol|Security Name|Listing Exchange|Market Category|ETF|Round Lot Size|Test Issue|Financial Status|CQS Symbol|NASDAQ Symbol|NextShares\n\
                      Y|GAMA|Gama ETF|P| |Y|100|N||GAMA|GAMA|N\nFile Creation Time: 1120202621:00|||||||||||\n";
        assert_eq!(read(traded).1, ["GAMA,Gama ETF,P,N,Y,N"]);
    }

    #[test]
    fn a_file_without_its_last_line_is_cut() {
        let short = LISTED.split("File").next().unwrap();
        for (text, words) in [(short, "lacks the line"), (short.trim_end_matches("|N\r\n"), "7 of 8 cells")] {
            let mut rows = 0;
            let read = RawDocument::SymbolDirectory.records(&mut text.as_bytes(), &mut |_| {
                rows += 1;
                true
            });
            let error = read.unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
            assert_eq!((error.kind(), rows), (std::io::ErrorKind::UnexpectedEof, usize::from(text == short)));
        }
    }
}
