//! A row of a file of a declared format: a cell for each column of its record.
//!
//! Columns are located once a file; rows only use their positions.

use std::sync::Arc;

use chrono::NaiveDate;

use crate::declared::cell_form::CellForm;
use crate::domain::reason::Reason;
use parquote_catalogue::operation::Market;
use parquote_encodings::text::cells::{self, CellRecord};
use parquote_encodings::text::dates::{self, DayOrder};
use parquote_encodings::text::symbols::clean;
use parquote_encodings::text::{accession, cik};

/// Facts on a file beyond its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFacts {
    pub(crate) market: Market,
    /// The word that its name means: an index, an exchange, a symbol.
    pub(crate) word: Option<Arc<str>>,
    /// The date in its path.
    pub(crate) date: Option<NaiveDate>,
}

impl FileFacts {
    /// Returns an owned copy of the word.
    pub(crate) fn owned_word(&self) -> Option<String> {
        self.word.as_deref().map(str::to_owned)
    }
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
    /// `None` if the file lacks it.
    pub(crate) place: Option<usize>,
    pub(crate) form: CellForm,
    /// Factor that converts its figures to ones.
    pub(crate) times: f64,
}

impl PlainColumn {
    /// Returns a column at a position, with the usual notation and unit.
    pub(crate) const fn at(place: Option<usize>) -> Self {
        Self { place, form: CellForm::Usual, times: 1.0 }
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
    pub(crate) const fn is_there(&self) -> bool {
        self.column.place.is_some()
    }

    /// Returns the cell as written, without surrounding blanks.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.column.place.map_or(&b""[..], |place| self.row.cell(place))
    }

    /// Returns the cell as text, if there is one.
    pub(crate) fn text(&self) -> Option<&'a str> {
        self.column.place.and_then(|place| self.row.text(place))
    }

    /// Returns an owned copy of the text.
    pub(crate) fn owned(&self) -> Option<String> {
        self.text().map(str::to_owned)
    }

    /// Returns the cell as owned text; `None` for a dash.
    pub(crate) fn words(&self) -> Option<String> {
        self.column.place.and_then(|place| self.row.words(place))
    }

    /// Returns the symbol in capitals.
    pub(crate) fn symbol(&self) -> Result<String, Reason> {
        self.text().map(|text| clean(text).to_uppercase()).filter(|it| !it.is_empty()).ok_or(Reason::NoSymbol)
    }

    /// Returns a date in the declared form.
    pub(crate) fn date(&self) -> Option<NaiveDate> {
        match self.column.form {
            CellForm::DayFirst => dates::in_day_first_cell(self.bytes()),
            CellForm::MonthFirst => dates::in_cell(self.bytes())
                .or_else(|| dates::numbered(self.bytes()).and_then(|date| date.month_first)),
            _ => dates::in_cell(self.bytes()),
        }
    }

    /// Returns true if it is a date such as `12/10/2025` of a column with the day first, which may have its month first.
    pub(crate) fn may_be_month_first(&self) -> bool {
        self.column.form == CellForm::DayFirst
            && dates::numbered(self.bytes()).is_some_and(|date| date.order == DayOrder::Either)
    }

    /// Returns a figure written without currency signs and digit groups.
    pub(crate) fn number(&self) -> Option<f64> {
        cells::number(self.bytes()).map(|figure| figure * self.column.times)
    }

    /// Returns a figure that may have currency signs and digit groups.
    pub(crate) fn money(&self) -> Option<f64> {
        cells::money(self.bytes()).map(|figure| figure * self.column.times)
    }

    /// Returns the CIK.
    pub(crate) fn cik(&self) -> Option<u64> {
        cik::number(self.bytes())
    }

    /// Returns an SEC accession number, with its dashes.
    pub(crate) fn accession(&self) -> Option<String> {
        self.text().and_then(accession::in_cell)
    }
}
