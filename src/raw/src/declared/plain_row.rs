//! A row of a file of a declared format: a cell for each column of its record.
//!
//! Columns are located once a file; rows only use their positions.

use std::sync::Arc;

use chrono::NaiveDate;

use crate::declared::cell_form::CellForm;
use parquote_catalogue::operation::Market;
use parquote_encodings::text::cells::{self, CellRecord};
use parquote_encodings::text::cik;
use parquote_encodings::text::dates::{self, DayOrder};
use parquote_encodings::text::symbols::clean;

/// Facts on a file beyond its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFacts {
    pub(crate) market: Market,
    /// The index, exchange or symbol that its name denotes.
    pub(crate) word: Option<Arc<str>>,
    /// The date in its path.
    pub(crate) date: Option<NaiveDate>,
}

/// A file of a declared format, with its columns located in the header.
#[derive(Debug)]
pub(crate) struct DeclaredFile {
    /// Number of columns in the header.
    pub(crate) fields: usize,
    /// In the order of the record's columns.
    pub(crate) columns: Vec<PlainColumn>,
    pub(crate) facts: FileFacts,
    /// True if a newer file may restate prices for a split.
    pub(crate) restates: bool,
}

/// Position of a column in a file, and the notation of its cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PlainColumn {
    /// `None` if the file lacks the column.
    pub(crate) position: Option<usize>,
    pub(crate) form: CellForm,
    /// Factor that converts the column's figures to ones.
    pub(crate) times: f64,
}

impl PlainColumn {
    /// Returns a column at a position, with the usual notation and unit.
    pub(crate) const fn at(position: Option<usize>) -> Self {
        Self { position, form: CellForm::Usual, times: 1.0 }
    }
}

/// A cell of a row; empty if the file lacks the column.
#[derive(Clone, Copy)]
pub(crate) struct PlainCell<'a> {
    row: &'a CellRecord,
    column: &'a PlainColumn,
}

impl<'a> PlainCell<'a> {
    pub(crate) const fn new(row: &'a CellRecord, column: &'a PlainColumn) -> Self {
        Self { row, column }
    }

    /// Returns true if the file has the column.
    pub(crate) const fn is_in_file(&self) -> bool {
        self.column.position.is_some()
    }

    /// Returns the cell as written, without surrounding blanks.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.column.position.map_or(&b""[..], |position| self.row.cell(position))
    }

    /// Returns the cell as text, if there is one.
    pub(crate) fn text(&self) -> Option<&'a str> {
        self.column.position.and_then(|position| self.row.text(position))
    }

    /// Returns the symbol in capitals.
    pub(crate) fn symbol(&self) -> Option<String> {
        self.text().map(|text| clean(text).to_uppercase()).filter(|it| !it.is_empty())
    }

    /// Returns a date in the declared form.
    pub(crate) fn date(&self) -> Option<NaiveDate> {
        match self.column.form {
            CellForm::DayFirst => dates::in_day_first_cell(self.bytes()),
            CellForm::MonthFirst => dates::in_cell(self.bytes())
                .or_else(|| dates::parse_numbered(self.bytes()).and_then(|date| date.month_first)),
            CellForm::MonthFirstDashes => {
                let text = self.text()?;
                let date = NaiveDate::parse_from_str(text, "%m-%d-%Y").ok();
                date.or_else(|| dates::in_cell(self.bytes()))
            }
            CellForm::Zoned => {
                let cell = self.bytes();
                let is_zoned = matches!(cell.get(10), Some(b'-' | b'+' | b'Z'));
                dates::in_cell(if is_zoned { cell.get(..10)? } else { cell })
            }
            _ => dates::in_cell(self.bytes()),
        }
    }

    /// Returns true if the cell is a date such as `12/10/2025` in a column with the day first, so that the month might be first.
    pub(crate) fn may_be_month_first(&self) -> bool {
        self.column.form == CellForm::DayFirst
            && dates::parse_numbered(self.bytes()).is_some_and(|date| date.order == DayOrder::Either)
    }

    /// Returns a figure written without currency signs and digit groups.
    pub(crate) fn number(&self) -> Option<f64> {
        cells::number(self.bytes()).map(|figure| figure * self.column.times)
    }

    /// Returns a figure that may have currency signs and digit groups.
    pub(crate) fn money(&self) -> Option<f64> {
        cells::money(self.bytes()).map(|figure| figure * self.column.times)
    }

    pub(crate) fn cik(&self) -> Option<u64> {
        cik::number(self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_form_of_their_column() {
        let read = |form, text: &str| {
            let mut row = CellRecord::new();
            row.push(text);
            PlainCell::new(&row, &PlainColumn { form, ..PlainColumn::at(Some(0)) }).date()
        };
        let day = NaiveDate::from_ymd_opt(2026, 9, 30);
        for text in ["09-30-2026", "2026-09-30", "20260930", "30-SEP-2026"] {
            assert_eq!(read(CellForm::MonthFirstDashes, text), day, "{text}");
        }
        assert_eq!(read(CellForm::MonthFirstDashes, "30-09-2026"), None);
        for text in ["2026-09-30-04:00", "2026-09-30Z", "30-SEP-2026"] {
            assert_eq!(read(CellForm::Zoned, text), day, "{text}");
        }
        assert_eq!(read(CellForm::Usual, "09-30-2026"), None);
    }
}
