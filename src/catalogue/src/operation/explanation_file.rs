//! `queries/audit/<name>.sql`: one reason why a figure of a past day may differ from the figure derived on that day, as a SELECT of the
//! affected rows.
//!
//! The SELECT reads the tables of two derivations: `past.<table>`, from the data of that day, and `whole.<table>`, from all data. It
//! explains the rows that have the same values in the columns of the same names. Its column `factor` is not compared; it is the ratio by
//! which the figures must differ.

use super::header::{DeclarationError, QueryFile};

/// The kind of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExplanationKind {
    /// A later split or bonus rescales the figure.
    Split,
    /// A later filing revised figures from which this figure is computed.
    Restated,
    /// The tables mark the figure as based on an assumption.
    Assumed,
}

/// A reason why figures of two derivations differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Path below `queries/`.
    pub file: String,
    /// The reason, in one line.
    pub title: String,
    /// Kind of the reason.
    pub kind: ExplanationKind,
    /// Names of the tables whose figures it explains.
    pub tables: Vec<String>,
    /// Names of the columns that it explains; empty for all.
    pub columns: Vec<String>,
    /// The SELECT of the rows that it explains.
    pub sql: String,
    /// First line of the SELECT in the file, from 1.
    pub line: usize,
}

impl Explanation {
    /// Returns true if it may explain a column of a table.
    pub fn is_about(&self, table: &str, column: &str) -> bool {
        self.tables.iter().any(|it| it == table)
            && (self.columns.is_empty() || self.columns.iter().any(|it| it == column))
    }

    /// Parses a file; `file` is its path below `queries/`.
    ///
    /// # Errors
    /// All errors of the file.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<DeclarationError>> {
        let source = QueryFile::parse(file, text).map_err(|error| vec![error])?;
        let mut errors = Vec::new();
        let (mut kind, mut tables, mut columns) = (None, Vec::new(), Vec::new());
        let block = source.blocks.first().cloned();
        for fact in block.iter().flat_map(|block| &block.facts) {
            let names = || fact.value.split(',').map(|name| name.trim().to_owned()).collect();
            let problem = match (fact.key.as_str(), fact.value.as_str()) {
                ("kind", "split") => {
                    kind.replace(ExplanationKind::Split).map(|_| repeated_key_message("kind"))
                }
                ("kind", "restated") => {
                    kind.replace(ExplanationKind::Restated).map(|_| repeated_key_message("kind"))
                }
                ("kind", "assumed") => {
                    kind.replace(ExplanationKind::Assumed).map(|_| repeated_key_message("kind"))
                }
                ("kind", other) => {
                    Some(format!("`{other}` is not a kind of reason; there are split, restated and assumed"))
                }
                ("tables", _) if tables.is_empty() => {
                    tables = names();
                    None
                }
                ("columns", _) if columns.is_empty() => {
                    columns = names();
                    None
                }
                (other, _) => Some(format!(
                    "`{other}` is not a key of a reason, or is given twice; it takes kind, tables and columns"
                )),
            };
            errors.extend(problem.map(|message| source.error(fact.line, message)));
        }
        if tables.is_empty() {
            errors.push(source.error(1, "`tables:` is missing: the tables whose figures it explains"));
        }
        let (sql, line) = block.map(|block| (block.sql, block.line)).unwrap_or_default();
        if sql.is_empty() || source.blocks.len() > 1 {
            errors.push(source.error(1, "a reason has one SELECT, of the rows that it explains"));
        }
        match kind {
            Some(kind) if errors.is_empty() => {
                Ok(Self { file: file.to_owned(), title: source.title, kind, tables, columns, sql, line })
            }
            None => {
                errors.push(source.error(1, "`kind:` is missing: split, restated or assumed"));
                Err(errors)
            }
            Some(_) => Err(errors),
        }
    }
}

fn repeated_key_message(key: &str) -> String {
    format!("`{key}` is given twice")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str =
        "-- A reason.\n--\n-- kind: split\n-- tables: a, b\n-- columns: c\nSELECT 1 AS symbol\n";

    #[test]
    fn a_reason_says_what_it_explains() {
        let reason = Explanation::parse("audit/a.sql", SOUND).unwrap();
        assert_eq!((reason.kind, reason.title.as_str()), (ExplanationKind::Split, "A reason"));
        assert!(reason.is_about("b", "c") && !reason.is_about("b", "d") && !reason.is_about("c", "c"));
    }

    #[test]
    fn what_is_wrong_is_said_at_its_line() {
        let mistake = |text: &str| {
            let errors = Explanation::parse("audit/a.sql", text).unwrap_err();
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        assert!(
            mistake(&SOUND.replace("split", "luck"))
                .contains("audit/a.sql:3: `luck` is not a kind of reason")
        );
        assert!(mistake(&SOUND.replace("tables", "table")).contains("`tables:` is missing"));
        assert!(mistake(&SOUND.replace("SELECT 1 AS symbol\n", "")).contains("has one SELECT"));
    }
}
