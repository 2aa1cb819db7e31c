//! Tests of the crate: documents and replies that were written by hand, with the rows that they must give.

mod checking;
mod corrected;
mod folders;
mod mutations;
mod prompts;

use std::sync::LazyLock;

use chrono::NaiveDate;
use parquote_catalogue::operation::{Catalogue, Market};
use serde_json::{Value as Json, json};

use crate::{CheckedReply, Prompt, SourceDocument, UnusableReply, WriteJob, check_reply, select};

pub(super) static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::with_overlay(&[]).unwrap());

/// The shipped prompt of a table.
pub(super) fn prompt(table: &str) -> Prompt {
    let file = format!("write/{table}.toml");
    let (path, text) = CATALOGUE.declarations(&file).next().unwrap();
    Prompt::parse(path, text, CATALOGUE.tables()).unwrap()
}

pub(super) fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// A document of the company ALFA, published on the fifth of August.
pub(super) fn document(kind: &str, paragraphs: &[&str]) -> SourceDocument {
    SourceDocument {
        symbol: "ALFA".to_owned(),
        kind: kind.to_owned(),
        published_on: day("2026-08-05"),
        period_end: Some(day("2026-06-30")),
        title: Some("Alfa Limited, results".to_owned()),
        url: None,
        hash: blake3::hash(paragraphs.join("\n").as_bytes()).to_hex().chars().take(16).collect(),
        paragraphs: paragraphs.iter().map(|text| (*text).to_owned()).collect(),
    }
}

/// A press release.
pub(super) fn release() -> SourceDocument {
    document(
        "press_release",
        &[
            "Alfa Limited reports its results for the quarter ended June 30, 2026",
            "Revenue from operations was Rs. 2,345.6 crore in Q1 FY27, a growth of 15.2% YoY. EBITDA margin expanded to 21.4%.",
            "Finance costs rose to Rs 88 crore. Raw material prices remain a risk to margins.",
            "\"We expect revenue growth of 12% to 14% in FY27,\" said the Chief Executive. We maintain our guidance for the year.",
        ],
    )
}

pub(super) fn claim(column: &str, text: &str, paragraphs: &[usize], quote: &str) -> Json {
    json!({"column": column, "text": text, "paragraphs": paragraphs, "quote": quote})
}

/// A right reply to the press release.
pub(super) fn right_reply() -> Json {
    json!({"claims": [
        claim("headline_verdict", "Revenue from operations grew 15.2% YoY to Rs 2,345.6 crore in Q1 FY27.", &[2], "a growth of 15.2% YoY"),
        claim("key_positives", "EBITDA margin expanded to 21.4%.", &[2], ""),
        claim("key_risks", "Finance costs rose to Rs 88 crore.", &[3], "Finance costs rose"),
        claim("key_risks", "Raw material prices remain a risk.", &[3], ""),
        claim("management_outlook", "Management expects revenue growth of 12% to 14% in FY27.", &[4], "12% to 14% in FY27"),
    ]})
}

/// Checks a reply to a document for a table of a market.
pub(super) fn check(
    table: &str,
    market: Market,
    document: &SourceDocument,
    reply: &str,
) -> Result<CheckedReply, UnusableReply> {
    let prompt = prompt(table);
    let declared = CATALOGUE.table(market, table).unwrap();
    let documents = [document.clone()];
    let selected = select(&prompt, declared, market, &documents);
    let job: &WriteJob<'_> = selected.jobs.first().unwrap();
    check_reply(job, reply, "openai qwen3, prompt 1", day("2026-08-06"))
}
