//! The declaration of a format as written in its file, and the target that it names.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::declared::column::DeclaredColumn;
use crate::declared::header_rules::HeaderRules;
use crate::declared::path_rules::PathRules;

/// Target of the rows of a format, with its name and the line that declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FormatTarget {
    /// A record of the program; `label` names its files in reports.
    Record { record: String, label: String, line: usize },
    /// A user-supplied table, or a staged one, whose files have a label.
    Table { table: String, label: Option<String>, line: usize },
}

/// A declaration as written in TOML.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenFormat {
    label: Option<String>,
    record: Option<Spanned<String>>,
    table: Option<Spanned<String>>,
    #[serde(default)]
    pub restates: bool,
    #[serde(default)]
    pub late: bool,
    #[serde(default)]
    pub header: HeaderRules,
    #[serde(default)]
    pub path: PathRules,
    pub columns: BTreeMap<Spanned<String>, DeclaredColumn>,
}

impl WrittenFormat {
    /// Returns the target of the rows; `line` converts a position in the file to its line.
    pub(super) fn fills(&self, line: impl Fn(usize) -> usize) -> Result<FormatTarget, &'static str> {
        let of_records = self.restates || self.late;
        match (&self.record, &self.table, self.label.clone()) {
            (Some(_), None, Some(_)) if self.path.dates_column.is_some() => {
                Err("`dates_column` is of formats that fill a table")
            }
            (None, Some(_), _) if of_records => {
                Err("`restates` and `late` are of formats that fill a record")
            }
            (Some(record), None, Some(label)) => {
                let line = line(record.span().start);
                Ok(FormatTarget::Record { record: record.get_ref().clone(), label, line })
            }
            (None, Some(table), label) => {
                let line = line(table.span().start);
                Ok(FormatTarget::Table { table: table.get_ref().clone(), label, line })
            }
            _ => Err("a format has either `record` and `label`, or `table`"),
        }
    }
}
