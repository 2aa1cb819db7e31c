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
    /// A reader's name for the word that the caller asked for.
    Label(String, Vec<(String, String)>),
    /// How many rows the answer has.
    Count,
    /// The name of a table.
    TableName(String),
    /// When the table is refreshed in the market, as its file says.
    TableSchedule(String),
    /// The time zone of the market: that of its schedules.
    TimeZone,
    /// How many hours old the table may be, as its file says.
    TableStaleAfterHours(String),
    /// When the data of the table was last updated.
    TableUpdated(String),
    /// Whether the table's data is older than it may be, by the clock of the reply; null where there is no data.
    Stale(String),
    /// The snapshot's session of the market.
    AsOf,
    /// The Rust function of the operation makes it; a `column:` of the same name says what it is.
    Made,
}

impl WrapField {
    /// Reads `name = source`.
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
                let labels = labels.and_then(|(_, rest)| labels_of(rest)).ok_or_else(wrong)?;
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

    /// The table it speaks of, if it does.
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

    /// The table of whose schedule it speaks, if it does.
    pub(super) fn scheduled_table(&self) -> Option<&str> {
        match &self.source {
            WrapSource::TableSchedule(table)
            | WrapSource::TableStaleAfterHours(table)
            | WrapSource::Stale(table) => Some(table),
            _ => None,
        }
    }

    /// A reader's name for a word of a param, if it has one.
    pub(super) fn label(&self, name: &str, word: &str) -> Option<&str> {
        match &self.source {
            WrapSource::Label(param, labels) if param == name => {
                labels.iter().find(|(known, _)| known == word).map(|(_, label)| label.as_str())
            }
            _ => None,
        }
    }

    /// The param it speaks of, if it does.
    pub(super) fn param(&self) -> Option<&str> {
        match &self.source {
            WrapSource::Param(param) | WrapSource::Label(param, _) => Some(param),
            _ => None,
        }
    }
}

/// Reads `word "Label", word "Label")`.
fn labels_of(text: &str) -> Option<Vec<(String, String)>> {
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
