//! `queries/audit/<name>.sql`: one reason for which a figure of the past may differ from what was known then, as a SELECT of the rows
//! for which it holds.
//!
//! The SELECT reads the tables of both derivations, `past.<table>` and `whole.<table>`. Its columns name the rows: a row is explained
//! where it has the same values in columns of these names. A column `factor` is no name: it is what the figures must differ by.

use super::header::{DeclarationError, QueryFile};

/// What kind of reason it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExplanationKind {
    /// A split or bonus after the day rescales the figure.
    Split,
    /// A later filing revised what the figure is made of.
    Restated,
    /// The tables say that the figure rests on an assumption.
    Assumed,
}

/// A reason for which figures differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Path below `queries/`.
    pub file: String,
    /// The reason, in one line.
    pub title: String,
    /// What kind of reason it is.
    pub kind: ExplanationKind,
    /// The tables whose figures it explains.
    pub tables: Vec<String>,
    /// The columns that it explains; empty means all.
    pub columns: Vec<String>,
    /// The SELECT of the rows that it explains.
    pub sql: String,
    /// The line on which the SELECT starts.
    pub line: usize,
}

impl Explanation {
    /// Whether it speaks of a column of a table.
    pub fn is_about(&self, table: &str, column: &str) -> bool {
        self.tables.iter().any(|it| it == table)
            && (self.columns.is_empty() || self.columns.iter().any(|it| it == column))
    }

    /// Reads a file; `file` is its path below `queries/`.
    ///
    /// # Errors
    /// Everything wrong with it.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<DeclarationError>> {
        let source = QueryFile::parse(file, text).map_err(|error| vec![error])?;
        let mut errors = Vec::new();
        let (mut kind, mut tables, mut columns) = (None, Vec::new(), Vec::new());
        let block = source.blocks.first().cloned();
        for fact in block.iter().flat_map(|block| &block.facts) {
            let names = || fact.value.split(',').map(|name| name.trim().to_owned()).collect();
            let problem = match (fact.key.as_str(), fact.value.as_str()) {
                ("kind", "split") => kind.replace(ExplanationKind::Split).map(|_| twice("kind")),
                ("kind", "restated") => kind.replace(ExplanationKind::Restated).map(|_| twice("kind")),
                ("kind", "assumed") => kind.replace(ExplanationKind::Assumed).map(|_| twice("kind")),
                ("kind", other) => {
                    Some(format!("`{other}` is no kind of reason; there are split, restated and assumed"))
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
                    "`{other}` is no key of a reason, or is given twice; it takes kind, tables and columns"
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

fn twice(key: &str) -> String {
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
        let said = |text: &str| {
            let errors = Explanation::parse("audit/a.sql", text).unwrap_err();
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        assert!(said(&SOUND.replace("split", "luck")).contains("audit/a.sql:3: `luck` is no kind of reason"));
        assert!(said(&SOUND.replace("tables", "table")).contains("`tables:` is missing"));
        assert!(said(&SOUND.replace("SELECT 1 AS symbol\n", "")).contains("has one SELECT"));
    }
}
