//! The cells of a row: cells from supported claims, cells from the document, and cells that the program computes.

use chrono::NaiveDate;
use parquote_catalogue::operation::{Column, ColumnType, ValueLimits};
use serde_json::{Map, Value as Json};

use crate::claim::Claim;
use crate::job::WriteJob;
use crate::prompt::POSITION;
use crate::value::value;

/// Maximum number of paragraphs that `source` names.
const MOST_PARAGRAPHS: usize = 12;

/// Author and day of a row, with the number of claims that were struck from it.
pub(crate) struct Authorship<'a> {
    pub(crate) written_by: &'a str,
    pub(crate) day: NaiveDate,
    pub(crate) struck: usize,
}

/// Returns the rows of the supported claims: one row, or one for each column of the prompt if its table has several rows of a document.
///
/// # Errors
/// The name of the first required column without a value.
pub(crate) fn rows(
    job: &WriteJob<'_>,
    supported: &[Claim],
    by: &Authorship<'_>,
) -> Result<Vec<Map<String, Json>>, String> {
    let Some(columns) = &job.prompt.rows else {
        return Ok(vec![RowClaims { job, name: None, supported, by }.cells()?]);
    };
    let of_rows = job.prompt.columns.keys().filter_map(|name| {
        let of_row = supported.iter().filter(|claim| claim.column == *name).cloned();
        let supported: Vec<Claim> = of_row.collect();
        let row = || RowClaims { job, name: Some(name), supported: &supported, by }.cells();
        (!supported.is_empty()).then(row)
    });
    let rows = of_rows.collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() { Err(columns.value.clone()) } else { Ok(rows) }
}

/// The claims of a row.
struct RowClaims<'a> {
    job: &'a WriteJob<'a>,
    /// The column of the prompt whose row it is, in a table that has several rows of a document; else `None`.
    name: Option<&'a str>,
    supported: &'a [Claim],
    by: &'a Authorship<'a>,
}

impl RowClaims<'_> {
    /// Returns the cells in the order of the table.
    fn cells(&self) -> Result<Map<String, Json>, String> {
        let mut cells = Map::new();
        for column in self.job.table.columns_in(self.job.market) {
            let cell = self.named_cell(column).unwrap_or_else(|| self.cell(column));
            if cell.is_null() && !column.nullable {
                return Err(column.name.clone());
            }
            cells.insert(column.name.clone(), cell);
        }
        if self.supported.is_empty() {
            return Err("any column that the model writes".to_owned());
        }
        Ok(cells)
    }

    /// Returns the cell of a column that depends on the row, in a table with several rows of a document; `None` for other columns.
    fn named_cell(&self, column: &Column) -> Option<Json> {
        let (name, rows) = (self.name?, self.job.prompt.rows.as_ref()?);
        let described = &self.job.prompt.columns;
        match column.name.as_str() {
            column_name if column_name == rows.name => Some(name.into()),
            column_name if column_name == rows.value && column.ty == ColumnType::Text => {
                let texts: Vec<&str> = self.supported.iter().map(|claim| claim.text.as_str()).collect();
                Some(texts.join("\n").into())
            }
            column_name if column_name == rows.value => {
                Some(number(self.job, column, self.supported.first()?))
            }
            POSITION => {
                let names = self.job.table.columns_in(self.job.market).find(|one| one.name == rows.name)?;
                let index = match &names.limits {
                    ValueLimits::Words(words) => words.iter().position(|word| word == name),
                    _ => described.keys().position(|word| word == name),
                };
                Some((index? + 1).into())
            }
            column_name => described.get(name)?.cells.get(column_name).map(|cell| cell.clone().into()),
        }
    }

    fn cell(&self, column: &Column) -> Json {
        let Self { job, supported, by, .. } = self;
        let document = job.document;
        let day = |day: Option<NaiveDate>| day.map_or(Json::Null, |day| Json::from(day.to_string()));
        let prompt_column = job.prompt.columns.get(&column.name);
        match column.name.as_str() {
            _ if prompt_column.is_some() => claimed_cell(job, column, supported),
            name if job.prompt.score.as_deref() == Some(name) => score(supported),
            "symbol" => document.symbol.clone().into(),
            "period_end" => day(document.period_end),
            "call_date" | "filed_on" => day(Some(document.published_on)),
            "title" => job.title.clone().into(),
            "source" => source(job, supported, by).into(),
            "written_by" => by.written_by.into(),
            // A row is not known before its document, even if the clock is wrong.
            "generated_on" => day(Some(by.day.max(document.published_on))),
            "confidence" => confidence(supported.len(), by.struck).into(),
            _ => Json::Null,
        }
    }
}

/// Returns the cell of a column that the model writes.
fn claimed_cell(job: &WriteJob<'_>, column: &Column, supported: &[Claim]) -> Json {
    let mut claims = supported.iter().filter(|claim| claim.column == column.name);
    match column.ty {
        ColumnType::Texts => claims.map(|claim| Json::from(claim.text.clone())).collect(),
        ColumnType::Text => claims.next().map_or(Json::Null, |claim| claim.text.clone().into()),
        _ => claims.next().map_or(Json::Null, |claim| number(job, column, claim)),
    }
}

/// Returns the number that a claim states, for a column.
pub(crate) fn number(job: &WriteJob<'_>, column: &Column, claim: &Claim) -> Json {
    let rule = job.prompt.columns.get(&claim.column);
    match rule.and_then(|rule| value(job, rule, claim)) {
        Some(number) if column.ty == ColumnType::Int => Json::from(number as i64),
        Some(number) => Json::from(number),
        None => Json::Null,
    }
}

/// Returns the score from 0 to 100 of positive and negative claims: 50 + 50 x (positive - negative) / (positive + negative + 2); null
/// without such a claim.
fn score(supported: &[Claim]) -> Json {
    let count = |sign: &str| supported.iter().filter(|claim| claim.column == sign).count() as f64;
    let (positive, negative) = (count("positive"), count("negative"));
    if positive + negative == 0.0 {
        return Json::Null;
    }
    let score = 50.0 + 50.0 * (positive - negative) / (positive + negative + 2.0);
    Json::from(score.round() as i64)
}

/// Returns the confidence in a row, by the share of its claims that were supported.
fn confidence(supported: usize, struck: usize) -> &'static str {
    let share = supported as f64 / (supported + struck).max(1) as f64;
    if share >= 0.9 && supported >= 2 {
        "high"
    } else if share >= 0.6 {
        "medium"
    } else {
        "low"
    }
}

/// Returns the address of the document with the paragraphs of all claims, and the author if the table has no column for it.
fn source(job: &WriteJob<'_>, supported: &[Claim], by: &Authorship<'_>) -> String {
    let mut paragraphs: Vec<usize> =
        supported.iter().flat_map(|claim| claim.paragraphs.iter().copied()).collect();
    paragraphs.sort_unstable();
    paragraphs.dedup();
    paragraphs.truncate(MOST_PARAGRAPHS);
    let address = job.document.address(&paragraphs);
    let has_author = job.table.columns_in(job.market).any(|column| column.name == "written_by");
    if has_author { address } else { format!("{}, {address}", by.written_by) }
}
