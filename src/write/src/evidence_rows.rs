//! Rows of the table `text_evidence`: for each sentence of a written row, the paragraphs that support it.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use parquote_catalogue::operation::ColumnType;
use serde_json::{Map, Value as Json, json};

use crate::claim::Claim;
use crate::job::WriteJob;
use crate::row;

/// Name of the table of evidence.
pub(crate) const TABLE: &str = "text_evidence";

/// Returns a row for each paragraph of each claim of the written rows. `day` is the day from which the written rows are known.
pub(crate) fn evidence_rows(
    job: &WriteJob<'_>,
    written: &[Map<String, Json>],
    supported: &[Claim],
    day: NaiveDate,
) -> Vec<Json> {
    let document = job.document;
    let period = job.period();
    let row = |cells: &Map<String, Json>, number: usize, claim: &Claim, paragraph: usize| {
        json!({
            "symbol": document.symbol,
            "text_table": job.prompt.table,
            "text_date": period.unwrap_or(document.published_on).to_string(),
            "row_source": cells.get("source"),
            "row_title": cells.get("title").filter(|_| period.is_none()),
            "document_hash": document.hash,
            "published_on": document.published_on.to_string(),
            "text_column": claim.column,
            "claim": number,
            "sentence": sentence(job, claim),
            "paragraph": paragraph,
            "generated_on": day.max(document.published_on).to_string(),
        })
    };
    let mut rows = Vec::new();
    for (claim, number) in supported.iter().zip(1..) {
        let Some(cells) = written_row(job, written, claim) else { continue };
        let paragraphs: BTreeSet<usize> = claim.paragraphs.iter().copied().collect();
        rows.extend(paragraphs.into_iter().map(|paragraph| row(cells, number, claim, paragraph)));
    }
    rows
}

/// Returns the row of a claim: the only row of the document, or in a table with several rows of a document the row of its column.
fn written_row<'a>(
    job: &WriteJob<'_>,
    written: &'a [Map<String, Json>],
    claim: &Claim,
) -> Option<&'a Map<String, Json>> {
    let Some(columns) = &job.prompt.rows else { return written.first() };
    written.iter().find(|cells| cells.get(&columns.name).is_some_and(|name| *name == claim.column))
}

/// Returns the text of a claim, or for a number column the number that was read from the text.
fn sentence(job: &WriteJob<'_>, claim: &Claim) -> String {
    match job.declared_column(&claim.column) {
        Some(column) if matches!(column.ty, ColumnType::Int | ColumnType::Number) => {
            row::number(job, column, claim).to_string()
        }
        _ => claim.text.clone(),
    }
}
