//! `queries/checks/<name>.sql`: one rule within or between tables, as a SELECT of the rows that break it.
//!
//! A check never changes data, and passes if it returns no rows. Its severity depends on the cause: tables that contradict each other are
//! an error, rows that contradict themselves are an error if there are many, and contradictory filings are a note.

use std::fmt;

use super::header::{DeclarationError, QueryFile};
use super::market::Market;

/// Severity of a broken rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Tables contradict themselves or each other, so answers from them are wrong.
    Error,
    /// A row contradicts itself. Few such rows are faults of these rows; many are a fault of their file.
    Row,
    /// Figures that a company reported contradict each other, or are unusual.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Row => "row",
            Self::Note => "note",
        })
    }
}

/// A rule on tables, with the SELECT of the rows that break it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Path below `queries/`.
    pub file: String,
    /// Name of the file without its extension.
    pub name: String,
    /// The rule, in one line.
    pub title: String,
    /// Details such as tolerances and known exceptions; may be empty.
    pub prose: String,
    /// Its market; `None` for both.
    pub market: Option<Market>,
    /// Severity if it returns rows.
    pub severity: Severity,
    /// True if the report of every derivation has the number of rows that break the rule.
    pub is_identity: bool,
    /// The SELECT of the rows that break the rule.
    pub sql: String,
}

impl Check {
    /// Returns true if the rule applies to a market.
    pub fn is_in(&self, market: Market) -> bool {
        self.market.is_none_or(|only| only == market)
    }

    /// Parses a check file; `file` is its path below `queries/`.
    ///
    /// # Errors
    /// All errors of the file.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<DeclarationError>> {
        let source = QueryFile::parse(file, text).map_err(|error| vec![error])?;
        let mut errors = Vec::new();
        let (mut market, mut severity, mut is_identity) = (None, None, false);
        let block = source.blocks.first().cloned();
        for fact in block.iter().flat_map(|block| &block.facts) {
            let problem = match fact.key.as_str() {
                "market" if market.is_none() => {
                    fact.value.parse().map(|only: Market| market = Some(only)).err()
                }
                "severity" if severity.is_none() => match fact.value.as_str() {
                    "error" => severity.replace(Severity::Error).map(|_| String::new()),
                    "row" => severity.replace(Severity::Row).map(|_| String::new()),
                    "note" => severity.replace(Severity::Note).map(|_| String::new()),
                    other => Some(format!("`{other}` is not a severity; there are error, row and note")),
                },
                "identity" if fact.value == "yes" && !is_identity => {
                    is_identity = true;
                    None
                }
                "identity" => Some("`identity:` is yes or left out".to_owned()),
                other => Some(format!(
                    "`{other}` is not a key of a check, or is given twice; it takes market, severity and identity"
                )),
            };
            errors.extend(problem.map(|message| source.error(fact.line, message)));
        }
        if severity.is_none() {
            errors.push(source.error(1, "`severity:` is missing: error, row or note"));
        }
        let sql = block.map(|block| block.sql).unwrap_or_default();
        if sql.is_empty() || source.blocks.len() > 1 {
            errors.push(source.error(1, "a check has one SELECT, of the rows that break its rule"));
        }
        let name = file.trim_start_matches("checks/").trim_end_matches(".sql").to_owned();
        match severity {
            Some(severity) if errors.is_empty() => Ok(Self {
                file: file.to_owned(),
                name,
                title: source.title,
                prose: source.prose,
                market,
                severity,
                is_identity,
                sql,
            }),
            _ => Err(errors),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str =
        "-- A rule.\n--\n-- More.\n--\n-- market: india\n-- severity: note\nSELECT 1 AS one\n";

    #[test]
    fn a_check_says_its_rule_its_market_and_its_severity() {
        let check = Check::parse("checks/a_rule.sql", SOUND).unwrap();
        assert_eq!((check.name.as_str(), check.title.as_str()), ("a_rule", "A rule"));
        assert_eq!((check.market, check.severity), (Some(Market::India), Severity::Note));
        assert!(check.sql.starts_with("SELECT 1"));
        assert!(check.is_in(Market::India) && !check.is_in(Market::Us));
    }

    #[test]
    fn what_is_wrong_is_said_at_its_line() {
        let mistake = |text: &str| {
            let errors = Check::parse("checks/a.sql", text).unwrap_err();
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        assert!(
            mistake(&SOUND.replace("note", "fatal")).contains("checks/a.sql:6: `fatal` is not a severity")
        );
        assert!(
            mistake(&SOUND.replace("market", "tier"))
                .contains("checks/a.sql:5: `tier` is not a key of a check")
        );
        assert!(mistake(&SOUND.replace("-- severity: note\n", "")).contains("`severity:` is missing"));
        assert!(mistake(&SOUND.replace("SELECT 1 AS one\n", "")).contains("a check has one SELECT"));
    }
}
