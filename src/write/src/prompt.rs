//! A prompt file: the instructions and columns with which a model writes rows of a table.

use std::collections::BTreeMap;

use parquote_catalogue::operation::{Column, ColumnType, DeclarationError, Table, ValueLimits, read_toml};
use parquote_evidence::PassageEvidence;
use serde::Deserialize;

/// Name of the column with the position of a row, in a table that has several rows of a document.
pub(crate) const POSITION: &str = "position";
/// Columns that the program fills, from the document or its own data.
const AUTOMATIC_COLUMNS: &str = "symbol period_end call_date filed_on title source written_by generated_on \
    confidence";

/// Default maximum number of tokens of a reply.
const DEFAULT_OUTPUT_TOKENS: u32 = 2_500;
/// Default maximum number of characters of a document: about 30,000 tokens.
const DEFAULT_CHARACTERS: usize = 120_000;

/// A prompt file, `queries/write/<table>.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// The table, named like the file.
    pub table: String,
    /// Version of the prompt, which `written_by` names.
    pub version: u32,
    /// Kinds of documents to read, the best kind first.
    pub documents: Vec<String>,
    /// Instructions to the model.
    pub instructions: String,
    /// Maximum number of tokens of a reply.
    pub output_tokens: u32,
    /// Maximum number of characters of a document; a longer document is left out.
    pub characters: usize,
    /// Columns that the model writes, by name.
    pub columns: BTreeMap<String, WriteColumn>,
    /// Name of the column that is computed from the claims `positive` and `negative`; `None` if there is none.
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
    /// Maximum number of claims for it.
    #[serde(default = "default_claims")]
    pub most: usize,
    /// True if each claim is a sentence of the document.
    #[serde(default)]
    pub verbatim: bool,
    /// The kind of number to read from a claim; `None` for a text.
    pub read: Option<NumberReading>,
    /// The measure of which the paragraphs must state the number, such as `order book`; `None` for any.
    pub measure: Option<String>,
    /// The word after a count, such as `tonnes`; `None` if it is no count.
    pub unit: Option<String>,
    /// Fixed cells of its row by column, in a table that has several rows of a document.
    #[serde(default)]
    pub cells: BTreeMap<String, String>,
    /// The allowed values of the column, each with a list of words of which the quoted sentence must contain one. An empty list requires no
    /// word.
    #[serde(default)]
    pub choices: BTreeMap<String, Vec<String>>,
    /// Words of the subject of the choices; one of them must be in the quoted sentence too.
    #[serde(default)]
    pub about: Vec<String>,
}

/// Kind of number that is read from the text of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberReading {
    /// An amount of the market's currency, in crores of rupees or millions of dollars.
    Money,
    /// A length of time in months.
    Months,
    /// A percentage.
    Percent,
    /// A count of the things that `unit` names.
    Count,
}

const fn default_claims() -> usize {
    1
}

/// The keys of a prompt file.
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
    /// Parses the text of a file for one of these tables; `file` is its path below `queries/`.
    ///
    /// # Errors
    /// The first mistake of the file.
    pub fn parse(file: &str, text: &str, tables: &[Table]) -> Result<Self, DeclarationError> {
        let mistake = |line, message| DeclarationError { file: file.to_owned(), line, message };
        let name = file.rsplit('/').next().and_then(|name| name.strip_suffix(".toml")).unwrap_or(file);
        let parsed: WritePromptFile = read_toml(text).map_err(|(line, message)| mistake(line, message))?;
        let prompt = Self {
            table: name.to_owned(),
            version: parsed.version,
            documents: parsed.documents,
            instructions: parsed.instructions,
            output_tokens: parsed.output_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS),
            characters: parsed.characters.unwrap_or(DEFAULT_CHARACTERS),
            columns: parsed.columns,
            score: parsed.score,
            rows: parsed.rows,
        };
        let table = tables.iter().find(|table| table.name == name && table.is_user_supplied());
        let table = table.ok_or_else(|| {
            mistake(1, format!("`{name}`, the name of the file, is not a table that files of the user fill"))
        })?;
        let fault = prompt.bounds_fault(tables).or_else(|| prompt.fault(table));
        fault.map_or(Ok(prompt), |message| Err(mistake(1, message)))
    }

    /// Returns the reason why its documents or maxima cannot be used; `None` if they can.
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

    /// Returns the first conflict between the prompt and its table; `None` if they agree.
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
            let is_named = |rows: &RowColumns| [&rows.name, &rows.value].iter().any(|column| *column == name);
            let is_cell = self.columns.values().all(|column| column.cells.contains_key(name));
            self.rows.as_ref().is_some_and(|rows| is_named(rows) || name == POSITION || is_cell)
        };
        let is_filled = |name: &str| {
            AUTOMATIC_COLUMNS.split(' ').any(|filled| filled == name)
                || self.columns.contains_key(name)
                || self.score.as_deref() == Some(name)
                || is_of_rows(name)
        };
        let unfilled = table.columns_anywhere().find(|column| !column.nullable && !is_filled(&column.name));
        unfilled
            .map(|column| format!("the column `{}` of the table must have a value: describe it", column.name))
    }
}

/// Returns true for the names of the columns whose claims decide the score.
fn is_sign(name: &str) -> bool {
    matches!(name, "positive" | "negative")
}

impl RowColumns {
    /// Returns the reason why a column of the prompt cannot be a row of the table; `None` if it can.
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
    /// Returns the reason why its number of claims does not fit the column of the table; `None` if it does.
    fn count_fault(&self, column: &Column) -> Option<String> {
        let has_one = column.ty != ColumnType::Texts;
        (has_one && self.most != 1).then(|| "has one value: leave `most` out".to_owned())
    }

    /// Returns the reason why it does not fit the column of the table; `None` if it does.
    fn fault(&self, column: &Column) -> Option<String> {
        let mistake = match (column.ty, self.read) {
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
        if !mistake.is_empty() {
            return Some(mistake.to_owned());
        }
        let allowed = match &column.limits {
            ValueLimits::Words(words) => words.as_slice(),
            _ => &[],
        };
        let choices: Vec<&String> = self.choices.keys().collect();
        let is_same = choices.len() == allowed.len() && allowed.iter().all(|word| choices.contains(&word));
        (!is_same).then(|| format!("has the choices {}: describe each of them", allowed.join(", ")))
    }
}
