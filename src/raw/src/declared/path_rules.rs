//! Facts in the path of a file: a word, such as the index of a list, or a date.

use std::sync::Arc;

use chrono::NaiveDate;
use serde::Deserialize;

use crate::declared::plain_row::FileFacts;
use parquote_encodings::text::accession;
use parquote_encodings::text::dates::{self, NamedDate};
use parquote_encodings::text::file_head::FileHead;
use parquote_encodings::text::file_name;

/// Facts that a format takes from paths.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PathRules {
    /// The date that is passed to the record.
    date: Option<PathDate>,
    /// True if rows are known from the day that the path names.
    pub(super) dates_rows: bool,
    /// The table's column that is filled with the date in the path.
    pub(super) dates_column: Option<String>,
    /// Form that the whole name of the file must have.
    name: Option<NameForm>,
    /// Texts that a name may contain, each with the word that it means; the first match counts.
    words: Vec<(String, String)>,
    /// Characters of the name that are ignored when texts are searched.
    ignoring: String,
    /// True if a file without a word is not of the format.
    needed: bool,
}

/// Selects a date of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PathDate {
    /// The date nearest to the file.
    Written,
    /// The day in the name of a file of one day.
    Day,
    /// The day after the one nearest to the file. If the path has only a month, there is no date, and the
    /// word of the file is `month`.
    DayAfter,
    /// The day on which a file of results was made.
    Filed,
}

/// Form of a file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum NameForm {
    /// A list of an index's members.
    IndexList,
    Symbol,
    /// `CIK` and the number of a company at the SEC.
    Cik,
    /// An SEC accession number, in the name of the file or of a folder.
    Accession,
}

impl PathRules {
    /// Returns the facts in a path; `None` if a required word is missing.
    pub(super) fn facts(&self, head: &FileHead<'_>) -> Option<FileFacts> {
        let word = self.word(head);
        if self.needed && word.is_none() {
            return None;
        }
        let date = self.date.and_then(|date| date.find_date(head));
        let is_month = self.date == Some(PathDate::DayAfter)
            && matches!(dates::named_in_path(head.path), Some(NamedDate::Month(_)));
        let word = if is_month { Some("month".into()) } else { word };
        Some(FileFacts { market: head.market, word, date })
    }

    fn word(&self, head: &FileHead<'_>) -> Option<Arc<str>> {
        let name = head.name();
        match self.name {
            Some(NameForm::IndexList) => Some(file_name::index_name(name).into()),
            Some(NameForm::Symbol) => file_name::symbol_name(name).map(Into::into),
            Some(NameForm::Cik) => name.strip_prefix("CIK")?.get(..10).map(Into::into),
            Some(NameForm::Accession) => accession::in_path(head.path).map(Into::into),
            None => {
                let plain = name.to_lowercase().replace(|c| self.ignoring.contains(c), "");
                let found = self.words.iter().find(|(text, _)| plain.contains(text.as_str()));
                found.map(|(_, word)| word.as_str().into())
            }
        }
    }
}

impl PathDate {
    fn find_date(self, head: &FileHead<'_>) -> Option<NaiveDate> {
        match self {
            Self::Written => dates::in_path(head.path),
            Self::Day => dates::only_day_in_name(head.name()),
            Self::DayAfter => match dates::named_in_path(head.path)? {
                NamedDate::Day(day) => day.succ_opt(),
                NamedDate::Month(_) => None,
            },
            Self::Filed => dates::filed_by_name(head.name()),
        }
    }
}
