//! Workbooks of statements that investors export: the sheet `Data Sheet`, ten years and ten quarters of one company.
//!
//! A row whose first cell is `Report Date` says the ends of the periods; the rows below it are figures in crores of rupees, up
//! to the next such row or a gap. What is above it says whether they are quarters. The company is known by its name alone, and
//! the figures are the group's where it has one, as such exports are made by default.

use std::io::{self, Cursor, Read};

use calamine::{Data, DataType, Range, Reader, Xlsx};
use chrono::{Days, NaiveDate};

use super::super::statements::{OF_WORKBOOK, columns};
use super::Rows;

pub(super) const COLUMNS: [&str; 12] = columns(OF_WORKBOOK);

/// The name of the set of labels in rows.
const TAXONOMY: &str = "data-sheet";

const SHEET: &str = "Data Sheet";

/// Whether bytes start as a workbook does: an archive whose first members are a workbook's.
pub(super) fn is_here(head: &[u8]) -> bool {
    let has = |name: &[u8]| head.windows(name.len()).any(|part| part == name);
    head.starts_with(b"PK\x03\x04") && (has(b"[Content_Types].xml") || has(b"xl/"))
}

/// Whether a workbook has the sheet. A document of another kind that is packed the same way has none.
///
/// # Errors
/// The list of members at the end of the archive is not there: the workbook is cut.
pub(super) fn has_sheet(workbook: &[u8]) -> io::Result<bool> {
    zip::ZipArchive::new(Cursor::new(workbook))?;
    let workbook = Xlsx::new(Cursor::new(workbook));
    Ok(workbook.is_ok_and(|workbook| workbook.sheet_names().iter().any(|name| name == SHEET)))
}

pub(super) fn rows(reader: &mut dyn Read, rows: &mut Rows<'_>) -> io::Result<()> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let mut workbook = Xlsx::new(Cursor::new(bytes)).map_err(io::Error::other)?;
    let sheet = workbook.worksheet_range(SHEET).map_err(io::Error::other)?;
    figures(&sheet, rows);
    Ok(())
}

/// The part of the sheet in which a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Years of flows.
    Years,
    /// Quarters.
    Quarters,
    /// Ends of years.
    Balance,
    /// Prices and what the workbook works out itself.
    Other,
}

impl Part {
    /// The part that a heading begins.
    fn headed(label: &str) -> Option<Self> {
        Some(match label.to_uppercase().trim_end_matches(':') {
            "PROFIT & LOSS" | "CASH FLOW" => Self::Years,
            "QUARTERS" => Self::Quarters,
            "BALANCE SHEET" => Self::Balance,
            "META" | "PRICE" | "DERIVED" => Self::Other,
            _ => return None,
        })
    }

    const fn quarters(self) -> &'static str {
        match self {
            Self::Years => "4",
            Self::Quarters => "1",
            Self::Balance | Self::Other => "0",
        }
    }
}

fn figures(sheet: &Range<Data>, rows: &mut Rows<'_>) {
    let (mut company, mut part, mut ends) = (String::new(), Part::Other, Vec::new());
    let first_row = sheet.start().map_or(0, |(row, _)| u64::from(row));
    for (row, cells) in (first_row + 1..).zip(sheet.rows()) {
        let label = cells.first().and_then(DataType::as_string).unwrap_or_default();
        let label = label.trim();
        if label.eq_ignore_ascii_case("company name") {
            company = cells.get(1).and_then(DataType::as_string).unwrap_or_default();
        } else if let Some(headed) = Part::headed(label) {
            (part, ends) = (headed, Vec::new());
        } else if label.eq_ignore_ascii_case("report date") {
            ends = cells.iter().skip(1).map(day).collect();
        } else if part != Part::Other && !label.is_empty() {
            let unit =
                if label.starts_with("No. of") || label.contains("Shares") { "shares" } else { "INR crore" };
            for (end, cell) in ends.iter().zip(cells.iter().skip(1)) {
                let (Some(end), Some(value)) = (end, cell.get_float().or_else(|| cell.as_f64())) else {
                    continue;
                };
                let (end, value) = (end.to_string(), value.to_string());
                let of_period =
                    ["", "", &company, "", "", TAXONOMY, label, &end, part.quarters(), "", unit, &value];
                if !rows.put_at(row, &of_period) {
                    return;
                }
            }
        }
    }
}

/// The date in a cell, be it formatted as one or a number of days.
fn day(cell: &Data) -> Option<NaiveDate> {
    let days = match cell {
        Data::DateTime(date) => date.as_f64(),
        Data::DateTimeIso(text) => return text.get(..10)?.parse().ok(),
        other => other.as_f64()?,
    };
    // From 1954 to 2119; what is beside that is no date.
    let days = (20_000.0..80_000.0).contains(&days).then_some(days as u64)?;
    NaiveDate::from_ymd_opt(1899, 12, 30)?.checked_add_days(Days::new(days))
}

#[cfg(test)]
mod tests {
    use csv::ByteRecord;

    use super::super::super::cells::Record;
    use super::*;

    #[test]
    fn parts_of_the_sheet_have_their_own_dates() {
        let mut sheet = Range::new((0, 0), (20, 2));
        let mut row = 0;
        let mut put = |cells: [Data; 3]| {
            for (column, cell) in (0..).zip(cells) {
                sheet.set_value((row, column), cell);
            }
            row += 1;
        };
        let text = |text: &str| Data::String(text.to_owned());
        let label = |name: &str| [text(name), Data::Empty, Data::Empty];
        put([text("COMPANY NAME"), text("AROHI LTD"), Data::Empty]);
        put([text("Face Value"), Data::Float(5.0), Data::Empty]);
        put(label("PROFIT & LOSS"));
        // 45,016 days after 30 December 1899 is 31 March 2023.
        put([text("Report Date"), Data::Float(45_016.0), Data::Float(45_382.0)]);
        put([text("Sales"), Data::Float(100.5), Data::Empty]);
        put(label(""));
        put(label("Quarters"));
        put([text("Report Date"), Data::Float(45_382.0), Data::Empty]);
        put([text("Sales"), Data::Int(30), Data::Float(7.0)]);
        put(label("BALANCE SHEET"));
        put([text("Report Date"), Data::Float(45_016.0), Data::Empty]);
        put([text("No. of Equity Shares"), Data::Float(5e6), Data::Empty]);
        put(label("DERIVED:"));
        put([text("Adjusted Equity Shares in Cr"), Data::Float(4.0), Data::Empty]);
        let mut found = Vec::new();
        let mut each = |record: &Record| {
            found.push((record.line(), record.source_text()));
            true
        };
        figures(&sheet, &mut Rows { record: Record::new(), line: 0, each: &mut each });
        assert_eq!(
            found,
            [
                (5, ",,AROHI LTD,,,data-sheet,Sales,2023-03-31,4,,INR crore,100.5".to_owned()),
                (9, ",,AROHI LTD,,,data-sheet,Sales,2024-03-31,1,,INR crore,30".to_owned()),
                (12, ",,AROHI LTD,,,data-sheet,No. of Equity Shares,2023-03-31,0,,shares,5000000".to_owned()),
            ]
        );
        assert_eq!(ByteRecord::from(&COLUMNS[..]).len(), 12);
    }
}
