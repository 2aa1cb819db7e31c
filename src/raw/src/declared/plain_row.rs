//! A row of a file of a declared format: a cell for each column of the record that it makes.
//!
//! Columns are looked for once a file; a row only has their places.

use std::sync::Arc;

use chrono::NaiveDate;

use crate::declared::cell_form::CellForm;
use crate::domain::reason::Reason;
use parquote_catalogue::operation::Market;
use parquote_encodings::text::cells::{self, CellRecord};
use parquote_encodings::text::dates::{self, DayOrder};
use parquote_encodings::text::symbols::clean;
use parquote_encodings::text::{accession, cik};

/// What a file says beside its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFacts {
    pub(crate) market: Market,
    /// The word that its name means: an index, an exchange, a symbol.
    pub(crate) word: Option<Arc<str>>,
    /// The date that its path says.
    pub(crate) date: Option<NaiveDate>,
}

impl FileFacts {
    /// The word, to be kept.
    pub(crate) fn owned_word(&self) -> Option<String> {
        self.word.as_deref().map(str::to_owned)
    }
}

/// A file of a declared format, as its header has its columns.
#[derive(Debug)]
pub(crate) struct DeclaredFile {
    /// How many columns the header names.
    pub(crate) fields: usize,
    /// In the order of the record's columns.
    pub(crate) columns: Vec<PlainColumn>,
    pub(crate) facts: FileFacts,
    /// Whether a newer file may restate prices for a split.
    pub(crate) restates: bool,
}

/// Where a column stands in a file, and how its cells are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PlainColumn {
    /// None where the file lacks it.
    pub(crate) place: Option<usize>,
    pub(crate) form: CellForm,
    /// What brings its figures into ones.
    pub(crate) times: f64,
}

impl PlainColumn {
    /// A column in its place, with cells and figures as they mostly are.
    pub(crate) const fn at(place: Option<usize>) -> Self {
        Self { place, form: CellForm::Usual, times: 1.0 }
    }
}

/// A cell of a row. A column that the file lacks has an empty one.
#[derive(Clone, Copy)]
pub(crate) struct PlainCell<'a> {
    row: &'a CellRecord,
    column: &'a PlainColumn,
}

impl<'a> PlainCell<'a> {
    pub(crate) const fn new(row: &'a CellRecord, column: &'a PlainColumn) -> Self {
        Self { row, column }
    }

    /// Whether the file has the column.
    pub(crate) const fn is_there(&self) -> bool {
        self.column.place.is_some()
    }

    /// The cell as it is written, without the blanks around it.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.column.place.map_or(&b""[..], |place| self.row.cell(place))
    }

    /// The cell as text, if there is one.
    pub(crate) fn text(&self) -> Option<&'a str> {
        self.column.place.and_then(|place| self.row.text(place))
    }

    /// The same, to be kept.
    pub(crate) fn owned(&self) -> Option<String> {
        self.text().map(str::to_owned)
    }

    /// The cell as text of its own; a dash stands for none.
    pub(crate) fn words(&self) -> Option<String> {
        self.column.place.and_then(|place| self.row.words(place))
    }

    /// A symbol in capitals.
    pub(crate) fn symbol(&self) -> Result<String, Reason> {
        self.text().map(|text| clean(text).to_uppercase()).filter(|it| !it.is_empty()).ok_or(Reason::NoSymbol)
    }

    /// A date, in the form that the declaration says.
    pub(crate) fn date(&self) -> Option<NaiveDate> {
        match self.column.form {
            CellForm::DayFirst => dates::in_day_first_cell(self.bytes()),
            CellForm::MonthFirst => dates::in_cell(self.bytes())
                .or_else(|| dates::numbered(self.bytes()).and_then(|date| date.month_first)),
            _ => dates::in_cell(self.bytes()),
        }
    }

    /// Whether it is a date such as `12/10/2025`, of which nothing says that the day comes first.
    pub(crate) fn may_be_month_first(&self) -> bool {
        self.column.form == CellForm::DayFirst
            && dates::numbered(self.bytes()).is_some_and(|date| date.order == DayOrder::Either)
    }

    /// A figure without signs of currency and groups of digits.
    pub(crate) fn number(&self) -> Option<f64> {
        cells::number(self.bytes()).map(|figure| figure * self.column.times)
    }

    /// A figure that may have them.
    pub(crate) fn money(&self) -> Option<f64> {
        cells::money(self.bytes()).map(|figure| figure * self.column.times)
    }

    /// The number under which a company files with the SEC.
    pub(crate) fn cik(&self) -> Option<u64> {
        cik::number(self.bytes())
    }

    /// The number of a submission to the SEC, with its dashes.
    pub(crate) fn accession(&self) -> Option<String> {
        self.text().and_then(accession::in_cell)
    }
}
