//! Workbooks of statements that investors export: the sheet `Data Sheet`, ten years and ten quarters of one company.
//!
//! A row whose first cell is `Report Date` has the ends of the periods; the rows below it are figures in crores of rupees, up to the next
//! such row or a gap. The heading above says if they are quarters. The company is identified only by its name, and figures are consolidated
//! if the company has a group, as in the default of such exports.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};

use calamine::{Data, DataType, Reader, Xlsx, XlsxError};
use chrono::{Days, NaiveDate};

use crate::documents::put_rows::DocumentRows;
use crate::documents::statement_columns::{FIGURE_OF_WORKBOOK, columns};
use crate::unpack_bounds::{self, DOCUMENT, refusal};

pub(super) const COLUMNS: [&str; 12] = columns(FIGURE_OF_WORKBOOK);

/// Value of the column `VERSION`, which has the taxonomy of a label.
const TAXONOMY: &str = "data-sheet";

const SHEET: &str = "Data Sheet";

/// Maximum bytes of all unpacked members of a workbook; such exports have some hundred thousand.
const MOST_UNPACKED: u64 = 64 << 20;

/// Maximum number of cells of the sheet; it has about a thousand.
const MOST_CELLS: usize = 1_000_000;

/// Returns true if a workbook has the sheet; other documents in the same package format do not.
///
/// # Errors
/// A truncated workbook, without the list of members at the end of the archive, or one that unpacks to more than `MOST_UNPACKED`.
pub(super) fn has_sheet(workbook: &[u8]) -> io::Result<bool> {
    check_unpacked_size(workbook)?;
    let workbook = Xlsx::new(Cursor::new(workbook));
    Ok(workbook.is_ok_and(|workbook| workbook.sheet_names().iter().any(|name| name == SHEET)))
}

/// Unpacks the members of a workbook to check their true size before they are read into memory.
fn check_unpacked_size(workbook: &[u8]) -> io::Result<()> {
    let mut archive = zip::ZipArchive::new(Cursor::new(workbook))?;
    let mut left = MOST_UNPACKED;
    for position in 0..archive.len() {
        // A member that cannot be unpacked is left to the workbook's reader.
        let Ok(member) = archive.by_index(position) else { continue };
        let unpacked = io::copy(&mut member.take(left + 1), &mut io::sink()).unwrap_or_default();
        left = left
            .checked_sub(unpacked)
            .ok_or_else(|| refusal(format!("the workbook unpacks to more than {MOST_UNPACKED} bytes")))?;
    }
    Ok(())
}

/// Non-empty cells by row and column, both from 0.
#[derive(Default)]
struct SheetCells {
    rows: BTreeMap<u32, BTreeMap<u32, Data>>,
    cells: usize,
}

impl SheetCells {
    fn insert_cell(&mut self, (row, column): (u32, u32), cell: Data) -> io::Result<()> {
        if cell != Data::Empty {
            self.cells += 1;
            self.rows.entry(row).or_default().insert(column, cell);
        }
        let words = || refusal(format!("the sheet `{SHEET}` has more than {MOST_CELLS} cells"));
        if self.cells > MOST_CELLS { Err(words()) } else { Ok(()) }
    }

    /// Returns the first non-empty column, from 0; 0 for an empty sheet.
    fn first_column(&self) -> u32 {
        self.rows.values().filter_map(|cells| cells.keys().next()).min().copied().unwrap_or_default()
    }
}

pub(super) fn rows(reader: &mut dyn Read, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    let bytes = unpack_bounds::read_whole(reader, DOCUMENT)?;
    check_unpacked_size(&bytes)?;
    let mut workbook = Xlsx::new(Cursor::new(bytes)).map_err(io::Error::other)?;
    // The sheet is read cell by cell, because as a rectangle it would be as large as its two farthest cells.
    let mut cells = match workbook.worksheet_cells_reader(SHEET) {
        // A chart of that name has no cells.
        Err(XlsxError::NotAWorksheet(_)) => return Ok(()),
        cells => cells.map_err(io::Error::other)?,
    };
    let mut sheet = SheetCells::default();
    while let Some(cell) = cells.next_cell().map_err(io::Error::other)? {
        sheet.insert_cell(cell.get_position(), cell.get_value().clone().into())?;
    }
    push_figures(&sheet, rows);
    Ok(())
}

/// Part of the sheet that a row belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SheetPart {
    /// Flows of a year, such as sales.
    Years,
    /// Flows of a quarter.
    Quarters,
    /// Balances at the end of a year.
    Balance,
    /// Prices and figures that the workbook computes; not read.
    Other,
}

impl SheetPart {
    /// Returns the part below a heading; `None` if a label is not a heading.
    fn from_heading(label: &str) -> Option<Self> {
        Some(match label.to_uppercase().trim_end_matches(':') {
            "PROFIT & LOSS" | "CASH FLOW" => Self::Years,
            "QUARTERS" => Self::Quarters,
            "BALANCE SHEET" => Self::Balance,
            "META" | "PRICE" | "DERIVED" => Self::Other,
            _ => return None,
        })
    }

    /// Returns the cell of the column `QTRS`.
    const fn quarters(self) -> &'static str {
        match self {
            Self::Years => "4",
            Self::Quarters => "1",
            Self::Balance | Self::Other => "0",
        }
    }
}

fn push_figures(sheet: &SheetCells, rows: &mut DocumentRows<'_>) {
    let (mut company, mut part, mut ends) = (String::new(), SheetPart::Other, Vec::new());
    let first = sheet.first_column();
    for (row, cells) in &sheet.rows {
        let word = |column: u32| cells.get(&column).and_then(DataType::as_string).unwrap_or_default();
        let label = word(first);
        let label = label.trim();
        if label.eq_ignore_ascii_case("company name") {
            company = word(first + 1);
        } else if let Some(new_part) = SheetPart::from_heading(label) {
            (part, ends) = (new_part, Vec::new());
        } else if label.eq_ignore_ascii_case("report date") {
            ends = cells
                .range(first + 1..)
                .filter_map(|(column, cell)| Some((*column, date_in_cell(cell)?)))
                .collect();
        } else if part != SheetPart::Other && !label.is_empty() {
            let unit =
                if label.starts_with("No. of") || label.contains("Shares") { "shares" } else { "INR crore" };
            for (column, end) in &ends {
                let cell = cells.get(column);
                let Some(value) = cell.and_then(|cell| cell.get_float().or_else(|| cell.as_f64())) else {
                    continue;
                };
                let (end, value) = (end.to_string(), value.to_string());
                let figure_cells =
                    ["", "", &company, "", "", TAXONOMY, label, &end, part.quarters(), "", unit, &value];
                if !rows.push_row_at(u64::from(*row) + 1, &figure_cells) {
                    return;
                }
            }
        }
    }
}

/// Returns the date in a cell, formatted as a date or as a number of days.
fn date_in_cell(cell: &Data) -> Option<NaiveDate> {
    let days = match cell {
        Data::DateTime(date) => date.as_f64(),
        Data::DateTimeIso(text) => return text.get(..10)?.parse().ok(),
        other => other.as_f64()?,
    };
    // From 1954 to 2119; other numbers are not dates.
    let days = (20_000.0..80_000.0).contains(&days).then_some(days as u64)?;
    NaiveDate::from_ymd_opt(1899, 12, 30)?.checked_add_days(Days::new(days))
}

#[cfg(test)]
mod tests {
    use csv::ByteRecord;

    use super::*;
    use crate::text::cells::CellRecord;

    #[test]
    fn parts_of_the_sheet_have_their_own_dates() {
        let mut sheet = SheetCells::default();
        let mut row = 0;
        let mut put = |cells: [Data; 3]| {
            for (column, cell) in (0..).zip(cells) {
                sheet.insert_cell((row, column), cell).unwrap();
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
        let mut each = |record: &CellRecord| {
            found.push((record.line(), record.source_text()));
            true
        };
        push_figures(&sheet, &mut DocumentRows { record: CellRecord::new(), line: 0, each: &mut each });
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
