//! `wrap:` - the fields around the rows of an answer and where each comes from.

/// A field beside the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrapField {
    /// Its name in the answer.
    pub name: String,
    /// Where its value comes from.
    pub source: WrapSource,
}

/// Where the value of a field beside the rows comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrapSource {
    /// A fixed text.
    Text(String),
    /// What the caller asked for.
    Param(String),
    /// How many rows the answer has.
    Count,
    /// The name of a table.
    TableName(String),
    /// When the table is refreshed, as its file says.
    TableSchedule(String),
    /// How many hours old the table may be, as its file says.
    TableStaleAfterHours(String),
    /// When the data of the table was last updated.
    TableUpdated(String),
    /// The snapshot's session of the market.
    AsOf,
}

impl WrapField {
    /// Reads `name = source`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        const SOURCES: &str =
            "'text', $param, count, as_of, table T, schedule T, stale_after_hours T or updated T";
        let wrong = || {
            format!(
                "`{text}` is not a field around the rows; write `name = source`, a source being {SOURCES}"
            )
        };
        let (name, source) = text.split_once('=').ok_or_else(wrong)?;
        let source = source.trim();
        let words: Vec<&str> = source.split_whitespace().collect();
        let source = match words.as_slice() {
            ["count"] => WrapSource::Count,
            ["as_of"] => WrapSource::AsOf,
            ["table", table] => WrapSource::TableName((*table).to_owned()),
            ["schedule", table] => WrapSource::TableSchedule((*table).to_owned()),
            ["stale_after_hours", table] => WrapSource::TableStaleAfterHours((*table).to_owned()),
            ["updated", table] => WrapSource::TableUpdated((*table).to_owned()),
            [param] if param.starts_with('$') => WrapSource::Param(param.trim_start_matches('$').to_owned()),
            _ => match source.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
                Some(text) => WrapSource::Text(text.to_owned()),
                None => return Err(wrong()),
            },
        };
        Ok(Self { name: name.trim().to_owned(), source })
    }

    /// The table it speaks of, if it does.
    pub fn table(&self) -> Option<&str> {
        match &self.source {
            WrapSource::TableName(table)
            | WrapSource::TableSchedule(table)
            | WrapSource::TableStaleAfterHours(table)
            | WrapSource::TableUpdated(table) => Some(table),
            WrapSource::Text(_) | WrapSource::Param(_) | WrapSource::Count | WrapSource::AsOf => None,
        }
    }
}
