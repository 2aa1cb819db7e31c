//! Declarations of a table with `source: staged`: the columns read from raw files, and the SELECT over each row.
//!
//! The position of a column in files is declared by formats, not by the table.

use super::market::Market;

/// Conversion of raw rows to rows of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StagedTable {
    /// Columns of the table `staged`, which the SELECT reads; formats declare their position in files.
    pub columns: Vec<StagedColumn>,
    /// The SELECT over the rows of one file. Its column `refused` has the reason why a row is refused; its `ORDER BY` identifies a row if
    /// rows are stored as often as in one file.
    pub sql: String,
    /// Rule for rows that several files have.
    pub duplicates: Duplicates,
    /// Columns whose missing values a row takes from other rows of its key.
    pub completed: CompletionRule<String>,
    /// Only market in which it is staged, if a reader of the table's name makes another market's rows.
    pub market: Option<Market>,
    /// True if the table exists, without rows, even if there is no file for it.
    pub always: bool,
}

/// A column read from raw files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedColumn {
    /// Its name in the SELECT, and in the declarations of formats.
    pub name: String,
    /// Kind of its cells.
    pub kind: CellKind,
    /// True if files may lack it.
    pub optional: bool,
    /// Column whose cell it reads again; formats do not declare it.
    pub of: Option<String>,
}

crate::word_enum! {
    /// Kind of a cell. A cell that is not of this kind is null, and the SELECT decides if its row is refused.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CellKind {
        /// The trimmed text; null only if the file lacks the column.
        Text = "text",
        /// The trimmed text; null if it is empty or a dash.
        Words = "words",
        /// A date.
        Date = "date",
        /// A number.
        Number = "number",
        /// A number that may have currency signs and digit groups.
        Money = "money",
        /// A symbol in the market's spelling; null if it is empty.
        Symbol = "symbol",
        /// A CIK, as an integer.
        Cik = "cik",
        /// An SEC accession number, with its dashes.
        Accession = "accession",
        /// The accession number in a path.
        AccessionInPath = "accession_in_path",
        /// True if a date may have its day or its month first.
        Ambiguous = "ambiguous",
    }
    const ALL "All kinds.";
    fn word "Returns its word in declarations.";
}

/// Rule for rows with the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Duplicates {
    /// The row of the newest file applies, and in it the last one.
    #[default]
    Newest,
    /// Rows are stored as often as in the file that has most of them, numbered by the last column of the key.
    AsOftenAsInOneFile,
}

/// Columns that an incomplete row takes from another row of its key; columns are names or indices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompletionRule<C> {
    /// Columns to take.
    pub columns: Vec<C>,
    /// Columns of which at least one must have a value in the other row; the newest such row is used.
    pub having: Vec<C>,
    /// Figures that must agree within a tenth in both rows.
    pub agreeing: Vec<C>,
}

impl<C> CompletionRule<C> {
    /// Maps the columns of each list.
    pub fn map<D>(&self, list: impl Fn(&[C]) -> Vec<D>) -> CompletionRule<D> {
        let [columns, having, agreeing] =
            [&self.columns, &self.having, &self.agreeing].map(|names| list(names));
        CompletionRule { columns, having, agreeing }
    }
}

impl StagedTable {
    /// Keys of a table's header that are parsed here.
    pub(super) const KEYS: [&'static str; 4] = ["staged", "duplicates", "completed", "always"];

    /// Returns the column of files that each column reads.
    pub fn source_columns(&self) -> impl Iterator<Item = &str> {
        // A column that reads a cell once more has the position of that cell.
        self.columns.iter().map(|column| column.of.as_deref().unwrap_or(&column.name))
    }

    /// Parses one fact of the header.
    pub(super) fn fact(&mut self, key: &str, value: &str) -> Result<(), String> {
        match (key, value) {
            ("staged", columns) => {
                self.columns = columns.split(',').map(StagedColumn::parse).collect::<Result<_, _>>()?;
            }
            ("duplicates", "newest") => self.duplicates = Duplicates::Newest,
            ("duplicates", "as often as in one file") => self.duplicates = Duplicates::AsOftenAsInOneFile,
            ("completed", rule) => {
                let parts = rule.split_once(" from rows with ");
                let parts = parts.and_then(|(columns, rest)| Some((columns, rest.split_once(" if equal ")?)));
                let (columns, (having, agreeing)) = parts.ok_or(
                    "`completed:` is written `columns from rows with columns if equal columns`, with commas between columns",
                )?;
                let [columns, having, agreeing] = [columns, having, agreeing].map(split_names);
                self.completed = CompletionRule { columns, having, agreeing };
            }
            ("always", "yes") => self.always = true,
            ("always", _) => return Err("`always:` is yes or left out".to_owned()),
            (_, other) => {
                return Err(format!(
                    "`{other}` is not a rule for duplicates; the rules are newest, as often as in one file"
                ));
            }
        }
        Ok(())
    }
}

impl StagedColumn {
    /// Parses `name kind[?] [of column]`.
    fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split_whitespace().collect();
        let (name, kind, of) = match parts.as_slice() {
            [name, kind] => (name, kind, None),
            [name, kind, "of", of] => (name, kind, Some((*of).to_owned())),
            _ => return Err(format!("`{}` is not `name kind` or `name kind of column`", text.trim())),
        };
        let optional = kind.strip_suffix('?');
        Ok(Self {
            name: (*name).to_owned(),
            kind: CellKind::parse(optional.unwrap_or(kind))?,
            optional: optional.is_some(),
            of,
        })
    }
}

impl CellKind {
    fn parse(word: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
            let known = Self::ALL.map(Self::word).join(", ");
            format!("`{word}` is not how a cell is read; cells are {known}")
        })
    }
}

/// Splits names at commas.
pub(super) fn split_names(value: &str) -> Vec<String> {
    value.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use crate::operation::Table;

    #[test]
    fn mistakes_of_a_header_are_told_with_what_is_allowed() {
        let error_of = |facts: &str, sql: &str| {
            let head = "-- Gifts.\n\n-- key: symbol\n-- column: symbol text \"S.\"\n";
            let table = Table::parse("tables/gifts.sql", &format!("{head}{facts}\n\n{sql}\n"));
            table.map(drop).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        for (facts, sql, expected) in [
            (
                "-- source: staged",
                "SELECT 1",
                "`source: staged` and `staged:`, the columns that are read, belong together",
            ),
            ("-- source: gifts\n-- staged: symbol text", "", "belong together"),
            ("-- source: staged\n-- staged: symbol text", "", "a table has either `source:` or SQL"),
            ("-- source: staged mars\n-- staged: symbol text", "SELECT 1", "mars"),
            (
                "-- staged: symbol word",
                "",
                "5: `word` is not how a cell is read; cells are text, words, date, number, money, symbol",
            ),
            ("-- staged: symbol", "", "5: `symbol` is not `name kind` or `name kind of column`"),
            (
                "-- duplicates: oldest",
                "",
                "5: `oldest` is not a rule for duplicates; the rules are newest, as often as in one file",
            ),
            (
                "-- completed: worth",
                "",
                "5: `completed:` is written `columns from rows with columns if equal columns`",
            ),
        ] {
            let message = error_of(facts, sql);
            assert!(message.contains(expected), "{message}");
        }
    }
}
