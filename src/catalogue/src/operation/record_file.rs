//! Parses record files (`queries/records/*.sql`). A record is a row of a raw file that Rust code stores. Like the file of a staged table,
//! its file declares the columns of raw files, and has the SELECT that checks the rows. The columns of the SELECT have the names of the
//! fields in Rust.

use super::header::{DeclarationError, QueryFile};
use super::staged_table::StagedTable;

/// The declaration of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordDeclaration {
    /// The columns that are read from raw files, and the SELECT.
    pub staging: StagedTable,
    /// The table that exists if there is a raw file of the record; `None` if no table depends on it.
    pub fills: Option<String>,
    /// The column of the SELECT with the date on which a row became known, if it has one.
    pub known: Option<String>,
    /// True if that date may be in the future, as for announcements.
    pub is_announced: bool,
}

impl RecordDeclaration {
    /// The folder of record files below `queries/`.
    pub const FOLDER: &'static str = "records/";

    /// Parses a file; `file` is its path below `queries/`.
    ///
    /// # Errors
    /// The first error of the file.
    pub fn parse(file: &str, text: &str) -> Result<Self, DeclarationError> {
        let source = QueryFile::parse(file, text)?;
        let mut record =
            Self { staging: StagedTable::default(), fills: None, known: None, is_announced: false };
        let [block] = source.blocks.as_slice() else {
            return Err(source.error(1, "a record has one SELECT"));
        };
        for fact in &block.facts {
            let value = fact.value.as_str();
            match fact.key.as_str() {
                "staged" => {
                    record.staging.read_fact("staged", value).map_err(|why| source.error(fact.line, why))?;
                }
                "fills" => record.fills = Some(value.to_owned()),
                key @ ("known" | "announced") => {
                    record.known = Some(value.to_owned());
                    record.is_announced = key == "announced";
                }
                key => {
                    let why = format!(
                        "`{key}` is not a key of a record; the keys are staged, known, announced, fills"
                    );
                    return Err(source.error(fact.line, why));
                }
            }
        }
        if record.staging.columns.is_empty() || block.sql.is_empty() {
            return Err(source.error(1, "a record has `staged:`, the columns that are read, and a SELECT"));
        }
        record.staging.sql.clone_from(&block.sql);
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_columns_and_one_select() {
        let parse =
            |facts: &str| RecordDeclaration::parse("records/gift.sql", &format!("-- Gift.\n\n{facts}\n"));
        let gift =
            parse("-- staged: symbol symbol, day date\n-- announced: day\n\nSELECT symbol, day FROM staged");
        let gift = gift.unwrap();
        assert_eq!((gift.known.as_deref(), gift.is_announced, gift.fills), (Some("day"), true, None));
        assert_eq!((gift.staging.columns.len(), &*gift.staging.sql), (2, "SELECT symbol, day FROM staged"));
        for (facts, expected) in [
            ("-- staged: symbol symbol", "records/gift.sql:1: a record has `staged:`"),
            ("-- key: symbol\n\nSELECT 1", "records/gift.sql:3: `key` is not a key of a record"),
            (
                "-- staged: symbol ticker\n\nSELECT 1",
                "records/gift.sql:3: `ticker` is not how a cell is read",
            ),
        ] {
            let mistake = parse(facts).unwrap_err().to_string();
            assert!(mistake.starts_with(expected), "{mistake}");
        }
    }
}
