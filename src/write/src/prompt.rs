//! A prompt file: the instructions and columns with which a model writes rows of a table.

use std::collections::BTreeMap;

use parquote_catalogue::operation::{Column, ColumnType, DeclarationError, Table, ValueLimits, read_toml};
use parquote_evidence::PassageEvidence;
use serde::Deserialize;

/// The column with the position of a row, in a table that has several rows of a document.
pub(crate) const POSITION: &str = "position";
/// Columns that come from the document or the program.
const FILLED_COLUMNS: &str = "symbol period_end call_date filed_on title source written_by generated_on \
    confidence";

/// Default of the most tokens of a reply.
const USUAL_OUTPUT_TOKENS: u32 = 2_500;
/// Default of the most characters of a document: about 30,000 tokens.
const USUAL_CHARACTERS: usize = 120_000;

/// A prompt file, `queries/write/<table>.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// The table, named like the file.
    pub table: String,
    /// Its version, which `written_by` names.
    pub version: u32,
    /// Kinds of documents, the best one first.
    pub documents: Vec<String>,
    /// Instructions to the model.
    pub instructions: String,
    /// Most tokens of a reply.
    pub output_tokens: u32,
    /// Most characters of a document; a longer one is left out.
    pub characters: usize,
    /// Columns that the model writes, by name.
    pub columns: BTreeMap<String, WriteColumn>,
    /// The column that is computed from the claims of `positive` and `negative`.
    pub score: Option<String>,
    /// Columns of a table that has a row for each described column, such as a section of a profile; `None` if it has one row.
    pub rows: Option<RowColumns>,
}

/// Columns of a table that has a row for each described column of a prompt.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowColumns {
    /// Column with the name of the described column.
    pub name: String,
    /// Column with its text or number; a text has all claims in their order, a line each.
    pub value: String,
}

/// A column that the model writes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteColumn {
    /// Description for the model.
    pub words: String,
    /// Most claims for it.
    #[serde(default = "one")]
    pub most: usize,
    /// True if each claim is a sentence of the document.
    #[serde(default)]
    pub verbatim: bool,
    /// The kind of number to read from a claim; `None` for a text.
    pub read: Option<NumberReading>,
    /// The measure of which the paragraphs must state a number, such as `order book`.
    pub measure: Option<String>,
    /// Word after a count, such as tonnes.
    pub unit: Option<String>,
    /// Other cells of its row, in a table that has several rows of a document.
    #[serde(default)]
    pub cells: BTreeMap<String, String>,
    /// The allowed words of the column. Each has a list of words, of which the quoted sentence must contain one; an empty list needs none.
    #[serde(default)]
    pub choices: BTreeMap<String, Vec<String>>,
    /// Words of the subject of the choices; one of them must be in the quoted sentence too.
    #[serde(default)]
    pub about: Vec<String>,
}

/// Reading of the text of a claim as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberReading {
    /// An amount of the market's currency, in crores of rupees or millions of dollars.
    Money,
    /// A length of time in months.
    Months,
    /// A percentage.
    Percent,
    /// A number of things.
    Count,
}

const fn one() -> usize {
    1
}

/// A prompt file, as deserialized.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WritePromptFile {
    version: u32,
    documents: Vec<String>,
    instructions: String,
    output_tokens: Option<u32>,
    characters: Option<usize>,
    score: Option<String>,
    rows: Option<RowColumns>,
    columns: BTreeMap<String, WriteColumn>,
}

impl Prompt {
    /// Parses a file, given by its path below `queries/`, for one of these tables.
    ///
    /// # Errors
    /// The first mistake of the file.
    pub fn parse(file: &str, text: &str, tables: &[Table]) -> Result<Self, DeclarationError> {
        let mistake = |line, message| DeclarationError { file: file.to_owned(), line, message };
        let name = file.rsplit('/').next().and_then(|name| name.strip_suffix(".toml")).unwrap_or(file);
        let read: WritePromptFile = read_toml(text).map_err(|(line, message)| mistake(line, message))?;
        let prompt = Self {
            table: name.to_owned(),
            version: read.version,
            documents: read.documents,
            instructions: read.instructions,
            output_tokens: read.output_tokens.unwrap_or(USUAL_OUTPUT_TOKENS),
            characters: read.characters.unwrap_or(USUAL_CHARACTERS),
            columns: read.columns,
            score: read.score,
            rows: read.rows,
        };
        let table = tables.iter().find(|table| table.name == name && table.is_given());
        let table = table.ok_or_else(|| {
            mistake(1, format!("`{name}`, the name of the file, is not a table that files of the user fill"))
        })?;
        let fault = prompt.bounds_fault(tables).or_else(|| prompt.fault(table));
        fault.map_or(Ok(prompt), |message| Err(mistake(1, message)))
    }

    /// Returns the reason why its documents or bounds cannot be used, if there is one.
    fn bounds_fault(&self, tables: &[Table]) -> Option<String> {
        let documents = tables.iter().find(|table| table.name == "documents")?;
        let column = documents.columns_anywhere().find(|column| column.name == "document_kind")?;
        let ValueLimits::Words(kinds) = &column.limits else { return None };
        if self.documents.is_empty() || self.documents.iter().any(|kind| !kinds.contains(kind)) {
            return Some(format!("`documents` lists kinds of documents, of {}", kinds.join(", ")));
        }
        let is_empty = self.output_tokens == 0 || self.columns.values().any(|column| column.most == 0);
        is_empty.then(|| "`output_tokens` and `most` are at least 1".to_owned())
    }

    /// Returns the disagreement between the prompt and its table, if there is one.
    fn fault(&self, table: &Table) -> Option<String> {
        let declared = |name: &str| table.columns_anywhere().find(|column| column.name == name);
        for (name, column) in &self.columns {
            let fault = match (&self.rows, declared(name)) {
                (Some(rows), _) => rows.fault(name, column, table),
                (None, Some(declared)) => column.fault(declared).or_else(|| column.count_fault(declared)),
                (None, None) if self.score.is_some() && is_sign(name) => None,
                (None, None) => return Some(format!("the table `{}` has no column `{name}`", table.name)),
            };
            if let Some(fault) = fault {
                return Some(format!("the column `{name}` {fault}"));
            }
        }
        let is_of_rows = |name: &str| {
            let is_named = |rows: &RowColumns| [&rows.name, &rows.value].iter().any(|known| *known == name);
            let is_cell = self.columns.values().all(|column| column.cells.contains_key(name));
            self.rows.as_ref().is_some_and(|rows| is_named(rows) || name == POSITION || is_cell)
        };
        let is_filled = |name: &str| {
            FILLED_COLUMNS.split(' ').any(|filled| filled == name)
                || self.columns.contains_key(name)
                || self.score.as_deref() == Some(name)
                || is_of_rows(name)
        };
        let open = table.columns_anywhere().find(|column| !column.nullable && !is_filled(&column.name));
        open.map(|column| format!("the column `{}` of the table must have a value: describe it", column.name))
    }
}

/// Returns true for the names of the columns whose claims decide the score.
fn is_sign(name: &str) -> bool {
    matches!(name, "positive" | "negative")
}

impl RowColumns {
    /// Returns the reason why a described column is no row of the table, if there is one.
    fn fault(&self, name: &str, column: &WriteColumn, table: &Table) -> Option<String> {
        let declared = |name: &str| table.columns_anywhere().find(|column| column.name == name);
        let (Some(names), Some(value)) = (declared(&self.name), declared(&self.value)) else {
            return Some(format!("needs columns `{}` and `{}` of the table", self.name, self.value));
        };
        if let ValueLimits::Words(words) = &names.limits
            && !words.iter().any(|word| word == name)
        {
            return Some(format!("is none of {}", words.join(", ")));
        }
        let is_text = |cell: &&String| declared(cell).is_some_and(|column| column.ty == ColumnType::Text);
        if let Some(cell) = column.cells.keys().find(|cell| !is_text(cell)) {
            return Some(format!("has a cell `{cell}`, which is no text column of the table"));
        }
        let count_fault = || column.count_fault(value).filter(|_| value.ty != ColumnType::Text);
        column.fault(value).or_else(count_fault)
    }
}

impl WriteColumn {
    /// Returns the reason why its number of claims does not fit the column of the table, if there is one.
    fn count_fault(&self, column: &Column) -> Option<String> {
        let has_one = column.ty != ColumnType::Texts;
        (has_one && self.most != 1).then(|| "has one value: leave `most` out".to_owned())
    }

    /// Returns the reason why it does not fit the column of the table, if there is one.
    fn fault(&self, column: &Column) -> Option<String> {
        let wrong = match (column.ty, self.read) {
            _ if !self.about.is_empty() && self.choices.is_empty() => "has `about`, which only choices have",
            (ColumnType::Int | ColumnType::Number, None) => {
                "is a number: say `read = \"money\"`, `\"months\"`, `\"percent\"` or `\"count\"`"
            }
            (ColumnType::Text | ColumnType::Texts, Some(_)) => "is a text, and has no `read`",
            (_, Some(NumberReading::Count)) if self.unit.is_none() => "is a count: say its `unit`",
            (ColumnType::Bool | ColumnType::Date | ColumnType::Row | ColumnType::Rows, _) => {
                "is of a type that no model writes"
            }
            _ if self.measure.as_deref().is_some_and(|name| !PassageEvidence::has_measure(name)) => {
                "has a `measure` that is not in queries/tone/measures.toml"
            }
            _ => "",
        };
        if !wrong.is_empty() {
            return Some(wrong.to_owned());
        }
        let allowed = match &column.limits {
            ValueLimits::Words(words) => words.as_slice(),
            _ => &[],
        };
        let chosen: Vec<&String> = self.choices.keys().collect();
        let same = chosen.len() == allowed.len() && allowed.iter().all(|word| chosen.contains(&word));
        (!same).then(|| format!("has the choices {}: describe each of them", allowed.join(", ")))
    }
}
