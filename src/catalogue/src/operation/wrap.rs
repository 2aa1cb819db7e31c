//! `wrap:` - the fields around the rows of an answer, and their sources.

/// A field around the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrapField {
    /// Its name in the answer.
    pub name: String,
    /// Source of its value.
    pub source: WrapSource,
}

/// Source of the value of a field around the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrapSource {
    /// A fixed text.
    Text(String),
    /// The argument for the parameter of this name.
    Param(String),
    /// The display name of the argument for the parameter of this name, from pairs of (word, display name).
    Label(String, Vec<(String, String)>),
    /// Number of rows of the answer.
    Count,
    /// The name of a table.
    TableName(String),
    /// The refresh schedule of the table of this name in the market of the call.
    TableSchedule(String),
    /// Time zone of the market's schedules.
    TimeZone,
    /// The declared number of hours after which the table of this name is stale.
    TableStaleAfterHours(String),
    /// The time of the last update of the data of the table of this name.
    TableUpdated(String),
    /// True if the data of the table of this name is stale at the time of the reply; null if there is no data.
    Stale(String),
    /// The last session of the market in the snapshot.
    AsOf,
    /// A value that the operation's Rust function computes. A `column:` of the same name describes it.
    Made,
}

impl WrapField {
    /// Parses `name = source`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        const SOURCES: &str = "'text', $param, label $param (word \"Label\", ...), count, as_of, made, zone, table T, schedule T, stale_after_hours T, updated T or stale T";
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
            ["made"] => WrapSource::Made,
            ["zone"] => WrapSource::TimeZone,
            ["table", table] => WrapSource::TableName((*table).to_owned()),
            ["schedule", table] => WrapSource::TableSchedule((*table).to_owned()),
            ["stale_after_hours", table] => WrapSource::TableStaleAfterHours((*table).to_owned()),
            ["updated", table] => WrapSource::TableUpdated((*table).to_owned()),
            ["stale", table] => WrapSource::Stale((*table).to_owned()),
            ["label", param, ..] if param.starts_with('$') => {
                let labels =
                    source.split_once(char::is_whitespace).and_then(|(_, rest)| rest.split_once('('));
                let labels = labels.and_then(|(_, rest)| parse_labels(rest)).ok_or_else(wrong)?;
                WrapSource::Label(param.trim_start_matches('$').to_owned(), labels)
            }
            [param] if param.starts_with('$') => WrapSource::Param(param.trim_start_matches('$').to_owned()),
            _ => match source.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
                Some(text) => WrapSource::Text(text.to_owned()),
                None => return Err(wrong()),
            },
        };
        Ok(Self { name: name.trim().to_owned(), source })
    }

    /// Returns the name of the table that it describes, if it describes one.
    pub fn table(&self) -> Option<&str> {
        match &self.source {
            WrapSource::TableName(table)
            | WrapSource::TableSchedule(table)
            | WrapSource::TableStaleAfterHours(table)
            | WrapSource::TableUpdated(table)
            | WrapSource::Stale(table) => Some(table),
            WrapSource::Text(_)
            | WrapSource::Param(_)
            | WrapSource::Label(..)
            | WrapSource::Count
            | WrapSource::TimeZone
            | WrapSource::Made
            | WrapSource::AsOf => None,
        }
    }

    /// Returns the name of the table whose schedule it needs, if it needs one.
    pub(super) fn scheduled_table(&self) -> Option<&str> {
        match &self.source {
            WrapSource::TableSchedule(table)
            | WrapSource::TableStaleAfterHours(table)
            | WrapSource::Stale(table) => Some(table),
            _ => None,
        }
    }

    /// Returns the display name of a word of the parameter `name`, if this field declares one.
    pub(super) fn label(&self, name: &str, word: &str) -> Option<&str> {
        match &self.source {
            WrapSource::Label(param, labels) if param == name => {
                labels.iter().find(|(known, _)| known == word).map(|(_, label)| label.as_str())
            }
            _ => None,
        }
    }

    /// Returns the name of the parameter whose argument it has, if it has one.
    pub(super) fn param(&self) -> Option<&str> {
        match &self.source {
            WrapSource::Param(param) | WrapSource::Label(param, _) => Some(param),
            _ => None,
        }
    }
}

/// Parses `word "Label", word "Label")`.
fn parse_labels(text: &str) -> Option<Vec<(String, String)>> {
    let pairs = text.trim().strip_suffix(')')?.trim().strip_suffix('"')?.split("\",");
    pairs
        .map(|pair| {
            let (word, label) = pair.split_once('"')?;
            let (word, label) = (word.trim(), label.trim());
            (!word.is_empty() && !label.is_empty()).then(|| (word.to_owned(), label.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_word_by_word() {
        let field =
            WrapField::parse(r#"scan_label = label $scan (allThree "All three, at once", ipo "IPO")"#);
        let labels =
            [("allThree", "All three, at once"), ("ipo", "IPO")].map(|(w, l)| (w.to_owned(), l.to_owned()));
        let source = WrapSource::Label("scan".to_owned(), labels.to_vec());
        assert_eq!(field, Ok(WrapField { name: "scan_label".to_owned(), source }));
    }

    #[test]
    fn what_is_no_source_is_said() {
        for text in ["a", "a = b", "a = label $x", "a = label $x ()", r#"a = label $x (b "c""#, "a = stale"] {
            assert!(WrapField::parse(text).unwrap_err().contains("write `name = source`"), "{text}");
        }
        let stale = WrapField::parse("is_stale = stale scans").unwrap();
        assert_eq!(
            (stale.source.clone(), stale.table()),
            (WrapSource::Stale("scans".to_owned()), Some("scans"))
        );
    }
}
