//! One finding of a check: location, message, number of rows, and remedy.

use std::fmt;

use serde::{Deserialize, Serialize};

use parquote_catalogue::operation::Market;
use parquote_engine::Problem;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The data is refused.
    #[default]
    Error,
    /// The data is served, but an operator should check it.
    Warning,
}

/// A fault or warning about the data of a market.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The severity: an error refuses the data, a warning does not.
    pub level: Level,
    /// The market of the data.
    pub market: Market,
    /// The table, if one is at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The column, if one is at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The file, if one is at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The fault and the expectation.
    pub message: String,
    /// Number of affected rows; 0 if the finding is not about rows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows: u64,
    /// The first affected rows, symbols or sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offenders: Vec<String>,
    /// Names of the operations that would fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<String>,
    /// The advice to the operator.
    pub remedy: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(rows: &u64) -> bool {
    *rows == 0
}

impl Finding {
    /// Creates a finding of a market.
    pub fn new(level: Level, market: Market, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { level, market, message: message.into(), remedy: remedy.into(), ..Self::default() }
    }

    /// Adds the table at fault.
    #[must_use]
    pub fn of_table(self, table: &str) -> Self {
        Self { table: Some(table.to_owned()), ..self }
    }

    /// Adds the number of affected rows, and the first of them.
    #[must_use]
    pub fn of_rows(self, rows: u64, offenders: Vec<String>) -> Self {
        Self { rows, offenders, ..self }
    }

    /// Converts a violation of a table's declaration.
    pub fn of_problem(problem: Problem, operations: Vec<String>) -> Self {
        let remedy = problem.remedy.unwrap_or_else(|| {
            let remedy = match &problem.file {
                Some(_) => {
                    "write the file again, whole and with the declared columns, and put it in the place of this one"
                }
                None => "write the files of the table again with the declared columns",
            };
            remedy.to_owned()
        });
        Self {
            level: Level::Error,
            market: problem.market,
            table: Some(problem.table),
            column: problem.column,
            file: problem.file,
            message: problem.message,
            rows: problem.rows,
            offenders: problem.offenders,
            operations,
            remedy,
        }
    }

    /// Formats findings, grouped by remedy; each remedy is printed once, after its group.
    pub fn describe<'a>(findings: impl IntoIterator<Item = &'a Self>) -> Vec<String> {
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        for finding in findings {
            let words = FindingText(finding).to_string();
            match groups.iter_mut().find(|(remedy, _)| *remedy == finding.remedy) {
                Some((_, group)) => group.push(words),
                None => groups.push((&finding.remedy, vec![words])),
            }
        }
        let text = |(remedy, group): (&str, Vec<String>)| match group.len() {
            1 => format!("{}\n    do: {remedy}", group.concat()),
            several => format!("{}\n    do, for these {several}: {remedy}", group.join("\n  ")),
        };
        groups.into_iter().map(text).collect()
    }

    /// Returns true if one of the findings refuses the data.
    pub fn any_error(findings: &[Self]) -> bool {
        findings.iter().any(|finding| finding.level == Level::Error)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n    do: {}", FindingText(self), self.remedy)
    }
}

/// Display of a finding without its remedy.
struct FindingText<'a>(&'a Finding);

impl fmt::Display for FindingText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Maximum number of operations that are listed; the others are counted.
        const MOST_NAMED: usize = 4;
        let Self(finding) = self;
        let level = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        write!(f, "{level}: {}", finding.market)?;
        if let Some(table) = &finding.table {
            write!(f, ".{table}")?;
        }
        write!(f, ": {}", finding.message)?;
        if let Some(file) = &finding.file {
            write!(f, "\n    file: {file}")?;
        }
        for (index, offender) in finding.offenders.iter().enumerate() {
            write!(f, "{}{offender}", if index == 0 { "\n    first: " } else { "; " })?;
        }
        if !finding.operations.is_empty() {
            let listed: Vec<&str> = finding.operations.iter().take(MOST_NAMED).map(String::as_str).collect();
            write!(f, "\n    breaks: {}", listed.join(", "))?;
            if finding.operations.len() > MOST_NAMED {
                write!(f, " and {} more", finding.operations.len() - MOST_NAMED)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_is_printed_once_for_all_findings_that_share_it() {
        let finding =
            |message: &str, remedy: &str| Finding::new(Level::Error, Market::India, message, remedy);
        let described =
            Finding::describe(&[finding("one", "this"), finding("two", "that"), finding("three", "this")]);
        assert_eq!(
            described,
            [
                "error: india: one\n  error: india: three\n    do, for these 2: this",
                "error: india: two\n    do: that"
            ]
        );
        assert_eq!(finding("one", "this").to_string(), "error: india: one\n    do: this");
    }
}
