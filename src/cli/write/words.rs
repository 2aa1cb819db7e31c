//! Results in words, which the command prints and the reports of runs have.

use crate::digits::counted;
use crate::operation::Market;
use parquote_write::{JobResult, RowState, SelectedJobs, SourceDocument, Totals, WriteJob};

/// Returns the documents and paragraphs that are left out, each with the reason.
pub(super) fn left_out(selected: &[SelectedJobs<'_>]) -> Vec<String> {
    let line = |document: &SourceDocument, reason: &str| {
        format!("{} {} of {}: {reason}", document.symbol, document.kind, document.published_on)
    };
    let mut lines: Vec<String> = Vec::new();
    for selected in selected {
        lines.extend(selected.left_out.iter().map(|(document, reason)| line(document, reason)));
        for job in &selected.jobs {
            let excluded: Vec<String> =
                job.document.model_directed_paragraphs().map(|number| format!("p{number}")).collect();
            let reason = format!("{} only, as if addressed to a language model", excluded.join(","));
            lines.extend((!excluded.is_empty()).then(|| line(job.document, &reason)));
        }
    }
    lines.sort();
    lines.dedup();
    lines
}

/// Returns the result of a job with its table and document; `None` if its file was done before.
pub(super) fn result_line(job: &WriteJob<'_>, result: &JobResult) -> Option<String> {
    let words = match result {
        JobResult::Skipped(RowState::Edited) => "left alone: you edited the file".to_owned(),
        JobResult::Skipped(RowState::Deleted) => "left alone: you deleted the file".to_owned(),
        JobResult::Skipped(RowState::Foreign) => "left alone: the file is yours".to_owned(),
        JobResult::Skipped(_) => return None,
        JobResult::Written(row) => {
            let supported = counted(row.supported.len(), "claim", "claims");
            format!("{supported} supported, {} struck", row.struck.len())
        }
        JobResult::NoRow(row) => {
            let lacking = row.lacking.as_deref().unwrap_or_default();
            // Without a file there is no note with the reasons, so the first one is named here.
            let reason = row.struck.first().map(|one| format!(", the first because {}", one.reason));
            let reason = reason.unwrap_or_default();
            format!("no row: `{lacking}` has no supported claim; {} struck{reason}", row.struck.len())
        }
        JobResult::Unusable(fault) => format!("no row: {fault}"),
        JobResult::Refused(reason) => format!("no row: {reason}"),
    };
    let document = job.document;
    let (table, symbol) = (&job.prompt.table, &document.symbol);
    Some(format!("{table} {symbol} {} of {}: {words}", document.kind, document.published_on))
}

/// Returns the counts of rows, and those of claims and replies; `cost_usd` is `None` if the price is not known.
pub(super) fn totals_words(totals: &Totals, cost_usd: Option<f64>) -> [String; 2] {
    let Totals { written, skipped, without_row, supported, struck, paid_replies, .. } = totals;
    let (rows, without) = (counted(*written, "row", "rows"), counted(*without_row, "document", "documents"));
    let cost = match cost_usd {
        Some(usd) => format!("for {usd:.4} US dollars"),
        None => "at a price that is not known".to_owned(),
    };
    let (claims, replies) =
        (counted(*supported, "claim", "claims"), counted(*paid_replies, "reply", "replies"));
    [
        format!("{rows} written, {skipped} done before or yours, {without} without a row"),
        format!("{claims} supported, {struck} struck; {replies} {cost}"),
    ]
}

/// Returns the places of rows and notes below the folder of raw files.
pub(super) fn row_places(raw: &str, market: Market) -> String {
    format!("rows are in {raw}/{market}/written, notes with every claim in {raw}/.written/{market}")
}
