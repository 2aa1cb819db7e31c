//! Declarations of a table with `source: staged`: the columns that are read from raw files, and the SELECT over their rows.
//!
//! Formats of raw files declare the position of each column in a file.

use super::market::Market;

/// Conversion of raw rows to rows of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StagedTable {
    /// Columns of the table `staged`, which the SELECT reads.
    pub columns: Vec<StagedColumn>,
    /// The SELECT over the rows of one file. Its column `refused` has the reason why a row is refused. With
    /// [`Duplicates::AsOftenAsInOneFile`], rows with equal values in the `ORDER BY` are the same row.
    pub sql: String,
    /// Rule for rows with the same key.
    pub duplicates: Duplicates,
    /// Columns whose missing values a row takes from other rows with its key.
    pub completed: CompletionRule<String>,
    /// The only market in which raw rows are converted by the SELECT; `None` for both. In the other market, a reader in Rust makes the
    /// rows.
    pub market: Option<Market>,
    /// True if the table exists even without a raw file; it then has no rows.
    pub always: bool,
}

/// A column read from raw files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedColumn {
    /// Its name in the SELECT, and in the declarations of formats.
    pub name: String,
    /// Conversion of its cells.
    pub kind: CellKind,
    /// True if files may lack it.
    pub optional: bool,
    /// Column whose cell it also reads, so that no format declares its position; `None` for a column of files.
    pub source_column: Option<String>,
}

crate::word_enum! {
    /// Conversion of a cell to a value. A cell that cannot be converted is null, and the SELECT decides whether the row is refused.
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
        /// A CIK (company number of the SEC), as an integer.
        Cik = "cik",
        /// An SEC accession number, with its dashes.
        Accession = "accession",
        /// The SEC accession number in a path.
        AccessionInPath = "accession_in_path",
        /// A boolean: true if the cell is a date of which either of the first two numbers may be the day.
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

/// The rule by which an incomplete row takes values from another row with its key. Columns are names or indices (`C`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompletionRule<C> {
    /// Columns whose missing values are taken from the other row.
    pub columns: Vec<C>,
    /// Columns of which the other row must have at least one value. The newest such row is used.
    pub having: Vec<C>,
    /// Figures that may differ by at most a tenth between the rows.
    pub agreeing: Vec<C>,
}

impl<C> CompletionRule<C> {
    /// Converts the columns of each list.
    pub fn map<D>(&self, list: impl Fn(&[C]) -> Vec<D>) -> CompletionRule<D> {
        let [columns, having, agreeing] =
            [&self.columns, &self.having, &self.agreeing].map(|names| list(names));
        CompletionRule { columns, having, agreeing }
    }
}

impl StagedTable {
    /// Keys of a table's header that are parsed here.
    pub(super) const KEYS: [&'static str; 4] = ["staged", "duplicates", "completed", "always"];

    /// Returns the name of the column of files that each column reads.
    pub fn source_columns(&self) -> impl Iterator<Item = &str> {
        // A column that reads the cell of another column has the position of that column.
        self.columns.iter().map(|column| column.source_column.as_deref().unwrap_or(&column.name))
    }

    /// Parses one fact of the header.
    pub(super) fn read_fact(&mut self, key: &str, value: &str) -> Result<(), String> {
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
        let (name, kind, source_column) = match parts.as_slice() {
            [name, kind] => (name, kind, None),
            [name, kind, "of", of] => (name, kind, Some((*of).to_owned())),
            _ => return Err(format!("`{}` is not `name kind` or `name kind of column`", text.trim())),
        };
        let optional = kind.strip_suffix('?');
        Ok(Self {
            name: (*name).to_owned(),
            kind: CellKind::parse(optional.unwrap_or(kind))?,
            optional: optional.is_some(),
            source_column,
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
