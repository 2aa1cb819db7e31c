//! What a table with `source: staged` says beside its columns: what is read from raw files, and what its SELECT makes of each row.
//!
//! Which file has which column is no matter of the table: the declarations of formats say it.

use super::market::Market;

/// How the rows of raw files become rows of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StagedTable {
    /// The columns of the table `staged`, from which the SELECT reads; formats say where files have them.
    pub columns: Vec<StagedColumn>,
    /// The SELECT over the rows of one file. Its column `refused` says why a row is no row of the table; its `ORDER BY` names all
    /// that tells one row from another, where rows are kept as often as in one file.
    pub sql: String,
    /// What is done with rows that several files have.
    pub duplicates: Duplicates,
    /// What rows take from others of their key.
    pub completed: Completed<String>,
    /// The only market in which it is staged, where another market's rows are those of a reader of the table's name.
    pub market: Option<Market>,
    /// Whether the table is there, without rows, where no file of it is.
    pub always: bool,
}

/// A column that is read from raw files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedColumn {
    /// Its name in the SELECT, and in the declarations of formats.
    pub name: String,
    /// How its cells are read.
    pub kind: CellKind,
    /// Whether files may lack it.
    pub optional: bool,
    /// The column whose cell it reads another time; formats do not declare it.
    pub of: Option<String>,
}

/// How a cell is read. A cell that is none of its kind is null; whether the row is refused then, the SELECT says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// As it is written, without the blanks around it; null only where the file lacks the column.
    Text,
    /// The same, but null where it is empty or a dash.
    Words,
    /// A date.
    Date,
    /// A figure.
    Number,
    /// A figure that may have signs of currency and groups of digits.
    Money,
}

/// What is done with rows of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Duplicates {
    /// The row of the newest file stands, there the last.
    #[default]
    Newest,
    /// They are there as often as in the file that has them most often, and the last column of the key numbers them.
    AsOftenAsInOneFile,
}

/// What a row that lacks columns takes from another row of its key; columns are names or places.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Completed<C> {
    /// The columns that are taken.
    pub columns: Vec<C>,
    /// The columns of which the other row has one; it is the newest such row.
    pub having: Vec<C>,
    /// The figures in which both rows have to agree within a tenth.
    pub agreeing: Vec<C>,
}

impl<C> Completed<C> {
    /// The same with other columns in each of the lists.
    pub fn map<D>(&self, list: impl Fn(&[C]) -> Vec<D>) -> Completed<D> {
        let [columns, having, agreeing] =
            [&self.columns, &self.having, &self.agreeing].map(|names| list(names));
        Completed { columns, having, agreeing }
    }
}

impl StagedTable {
    /// The keys of a table's header that are read here.
    pub(super) const KEYS: [&'static str; 4] = ["staged", "duplicates", "completed", "always"];

    /// Reads one fact of the header.
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
                let [columns, having, agreeing] = [columns, having, agreeing].map(names);
                self.completed = Completed { columns, having, agreeing };
            }
            ("always", "yes") => self.always = true,
            ("always", _) => return Err("`always:` is yes or left out".to_owned()),
            (_, other) => {
                return Err(format!(
                    "`{other}` is no rule for duplicates; the rules are newest, as often as in one file"
                ));
            }
        }
        Ok(())
    }
}

impl StagedColumn {
    /// Reads `name kind[?] [of column]`.
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
            kind: CellKind::of(optional.unwrap_or(kind))?,
            optional: optional.is_some(),
            of,
        })
    }
}

impl CellKind {
    const ALL: [(&'static str, Self); 5] = [
        ("text", Self::Text),
        ("words", Self::Words),
        ("date", Self::Date),
        ("number", Self::Number),
        ("money", Self::Money),
    ];

    fn of(word: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|(known, _)| *known == word).map(|(_, kind)| kind).ok_or_else(|| {
            let known = Self::ALL.map(|(word, _)| word).join(", ");
            format!("`{word}` is not how a cell is read; cells are {known}")
        })
    }

    /// The word for it in declarations.
    pub fn word(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }
}

/// Names with commas between them.
pub(super) fn names(value: &str) -> Vec<String> {
    value.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use crate::operation::Table;

    #[test]
    fn mistakes_of_a_header_are_told_with_what_is_allowed() {
        let told = |facts: &str, sql: &str| {
            let head = "-- Gifts.\n\n-- key: symbol\n-- column: symbol text \"S.\"\n";
            let table = Table::parse("tables/gifts.sql", &format!("{head}{facts}\n\n{sql}\n"));
            table.map(drop).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        for (facts, sql, said) in [
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
                "5: `word` is not how a cell is read; cells are text, words, date, number, money",
            ),
            ("-- staged: symbol", "", "5: `symbol` is not `name kind` or `name kind of column`"),
            (
                "-- duplicates: oldest",
                "",
                "5: `oldest` is no rule for duplicates; the rules are newest, as often as in one file",
            ),
            (
                "-- completed: worth",
                "",
                "5: `completed:` is written `columns from rows with columns if equal columns`",
            ),
        ] {
            let message = told(facts, sql);
            assert!(message.contains(said), "{message}");
        }
    }
}
