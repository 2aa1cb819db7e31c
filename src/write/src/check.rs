//! Checks the claims of a reply against the paragraphs that they name, and makes rows of the supported claims.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use parquote_evidence::PassageEvidence;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::claim::{self, Claim, comparison_form};
use crate::evidence_rows::evidence_rows;
use crate::job::WriteJob;
use crate::prompt::{NumberReading, WriteColumn};
use crate::request::{WriteRequest, written_columns};
use crate::row;
use crate::value::value;
use crate::verbatim::{is_sentence, is_verbatim, mentions, states};

/// Maximum number of paragraphs that a claim may name.
const MOST_PARAGRAPHS: usize = 5;
/// Maximum number of characters of the text of a claim.
const MOST_CHARACTERS: usize = 600;
/// Minimum number of words in quotation marks that must be verbatim; fewer words may be a term.
const QUOTED_WORDS: usize = 3;
/// Minimum number of words of a verbatim text that must be a whole sentence; a shorter text may be a name.
const SENTENCE_WORDS: usize = 6;

/// The rows of a reply, with its supported and its struck claims.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedReply {
    /// The rows, each with its cells by column in the order of the table. Empty if a required column has no value.
    pub rows: Vec<Map<String, Json>>,
    /// Rows of `text_evidence` for these rows; empty without rows.
    pub evidence: Vec<Json>,
    /// Claims that their paragraphs support.
    pub supported: Vec<Claim>,
    /// Claims that their paragraphs do not support.
    pub struck: Vec<StruckClaim>,
    /// The first required column without a value; `None` if there are rows.
    pub lacking: Option<String>,
}

/// A claim that was left out, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StruckClaim {
    /// The claim that was left out.
    pub claim: Claim,
    /// The reason why it was left out, in words.
    pub reason: String,
}

/// The reason why a reply has no claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnusableReply {
    /// The reply was cut at its maximum length.
    #[error(
        "the reply was cut at its maximum length; raise `output_tokens` in the prompt file, or name another model"
    )]
    Cut,
    /// The reply is not JSON, or has no list of claims.
    #[error("the reply has no JSON with a list `claims`; name another model")]
    Shape,
}

/// Checks a reply. `written_by` names the model and prompt, `day` is the day of the reply.
///
/// # Errors
/// The reply has no claims.
pub fn check_reply(
    job: &WriteJob<'_>,
    reply: &str,
    written_by: &str,
    day: NaiveDate,
) -> Result<CheckedReply, UnusableReply> {
    let request = WriteRequest::new(job);
    let claims = claim::claims(reply, &request.schema).ok_or(UnusableReply::Shape)?;
    let (mut supported, mut struck): (Vec<Claim>, Vec<StruckClaim>) = (Vec::new(), Vec::new());
    let mut texts = BTreeSet::new();
    for claim in claims {
        let count = supported.iter().filter(|other| other.column == claim.column).count();
        let most = job.prompt.columns.get(&claim.column).map_or(0, |column| column.most);
        let reason = fault(job, &claim).or_else(|| {
            if count >= most {
                return Some(format!("the column has {most} claims already"));
            }
            let is_new = texts.insert((claim.column.clone(), comparison_form(&claim.text)));
            (!is_new).then(|| "it repeats another claim".to_owned())
        });
        match reason {
            None => supported.push(claim),
            Some(reason) => struck.push(StruckClaim { claim, reason }),
        }
    }
    let result = row::rows(job, &supported, &row::Authorship { written_by, day, struck: struck.len() });
    let (rows, lacking) = match result {
        Ok(rows) => (rows, None),
        Err(lacking) => (Vec::new(), Some(lacking)),
    };
    let evidence = evidence_rows(job, &rows, &supported, day);
    Ok(CheckedReply { rows, evidence, supported, struck, lacking })
}

/// Returns the reason to strike a claim; `None` if its paragraphs support it.
fn fault(job: &WriteJob<'_>, claim: &Claim) -> Option<String> {
    let Some(column) = written_columns(job).find(|name| *name == claim.column) else {
        return Some("the request has no such column".to_owned());
    };
    let column = job.prompt.columns.get(column)?;
    let passages: Option<Vec<&str>> =
        claim.paragraphs.iter().map(|number| job.document.paragraph(*number)).collect();
    let Some(passages) = passages.filter(|all| (1..=MOST_PARAGRAPHS).contains(&all.len())) else {
        return Some(format!(
            "it names no paragraph, more than {MOST_PARAGRAPHS}, or one that the document lacks"
        ));
    };
    let has_letters = claim.text.chars().any(char::is_alphanumeric);
    if !has_letters || claim.text.chars().count() > MOST_CHARACTERS {
        return Some(format!("its text is empty, or longer than {MOST_CHARACTERS} characters"));
    }
    let is_verbatim = |text: &str| is_verbatim(text, &passages);
    if !claim.quote.is_empty() && !is_verbatim(&claim.quote) {
        return Some("its quotation is not in its paragraphs".to_owned());
    }
    if !column.choices.is_empty() {
        return choice_fault(column, claim);
    }
    if column.verbatim {
        let is_name = claim.text.split_whitespace().count() < SENTENCE_WORDS;
        let is_there = is_verbatim(&claim.text) && (is_name || is_sentence(&claim.text, &passages));
        return (!is_there).then(|| "it is not a sentence or name of its paragraphs".to_owned());
    }
    text_fault(job, claim, &passages).or_else(|| value_fault(job, column, claim))
}

/// Returns the reason to strike a chosen word: the word is not allowed, or the quotation lacks the words that this choice or the subject of
/// the column requires.
fn choice_fault(column: &WriteColumn, claim: &Claim) -> Option<String> {
    let Some(words) = column.choices.get(&claim.text) else {
        return Some("it is none of the words that the column may have".to_owned());
    };
    if words.is_empty() {
        return None;
    }
    let none_of = |words: &[String]| format!("its quotation has none of: {}", words.join(", "));
    if !words.iter().any(|word| states(&claim.quote, word)) {
        return Some(none_of(words));
    }
    let is_about = column.about.is_empty() || column.about.iter().any(|word| mentions(&claim.quote, word));
    (!is_about).then(|| none_of(&column.about))
}

/// Returns the reason to strike a sentence: markup, a false quotation, or parts that its paragraphs do not state.
fn text_fault(job: &WriteJob<'_>, claim: &Claim, passages: &[&str]) -> Option<String> {
    let text = &claim.text;
    if ["<", ">", "`", "://", "](", "{", "}", "www."].iter().any(|mark| text.contains(mark)) {
        return Some("it has markup or a link".to_owned());
    }
    let straight = text.replace(['\u{201C}', '\u{201D}'], "\"");
    let quotations = straight.split('"').skip(1).step_by(2);
    let mut long_quotations = quotations.filter(|part| part.split_whitespace().count() >= QUOTED_WORDS);
    if straight.matches('"').count() % 2 == 1 || long_quotations.any(|part| !is_verbatim(part, passages)) {
        return Some("words in quotation marks are not in its paragraphs".to_owned());
    }
    let evidence = PassageEvidence::from_texts(passages.iter().copied());
    let measure = job.prompt.columns.get(&claim.column).and_then(|column| column.measure.as_deref());
    if let Some(measure) = measure.filter(|measure| !evidence.has_level(text, measure)) {
        return Some(format!("its paragraphs do not state it as {measure}"));
    }
    let document = job.document;
    let evidence = evidence.with_names(&document.heading()).with_company(&document.company());
    let missing = evidence.missing(text);
    (!missing.is_empty()).then(|| format!("its paragraphs do not state: {}", missing.join(", ")))
}

/// Returns the reason to strike the text of a number that cannot be read as such a number.
fn value_fault(job: &WriteJob<'_>, column: &WriteColumn, claim: &Claim) -> Option<String> {
    column.read?;
    value(job, column, claim).is_none().then(|| match column.read {
        Some(NumberReading::Months) => "it is not one length of time in months or years".to_owned(),
        Some(NumberReading::Percent) => "it is not one percentage".to_owned(),
        Some(NumberReading::Count) => "it is not one count with its unit".to_owned(),
        _ => "it is not one amount of money of the market's currency".to_owned(),
    })
}
