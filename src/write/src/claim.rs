//! Claims of a reply: a text for a column, the paragraphs that support it, and a quotation.

use parquote_evidence::{fit_to_schema, is_invisible, objects_in_order};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// A text of a reply for a column, with the paragraphs that support it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Name of the column.
    pub column: String,
    /// The text for the column.
    pub text: String,
    /// Numbers of the paragraphs that support it, from 1.
    #[serde(default)]
    pub paragraphs: Vec<usize>,
    /// A part of one of these paragraphs; may be empty.
    #[serde(default)]
    pub quote: String,
}

/// Returns the claims of the last object of a reply that has a list of claims; `None` without such an object. A part of a claim that is
/// missing or of another type is empty, so that the claim is struck; an entry that is not an object is left out.
pub(crate) fn claims(reply: &str, schema: &Json) -> Option<Vec<Claim>> {
    let objects = objects_in_order(reply).into_iter().rev();
    let mut lists = objects.filter_map(|object| {
        let fitted = fit_to_schema(object, schema);
        fitted.get("claims")?.as_array().cloned()
    });
    let list = lists.next()?;
    Some(list.iter().filter(|entry| entry.is_object()).map(Claim::from_json).collect())
}

/// Returns the number of a paragraph, which models write as `2`, `2.0`, `"2"`, `"p2"` or `"[2]"`. Returns 0, the number of no paragraph,
/// for anything else.
fn paragraph_number(written: &Json) -> usize {
    let number_in_text =
        written.as_str().map(|text| text.trim().trim_matches(['[', ']', 'p', '#']).parse().ok());
    let whole_number = written.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0);
    number_in_text.flatten().or_else(|| whole_number.map(|number| number as usize)).unwrap_or_default()
}

impl Claim {
    /// Reads a claim from JSON; each of its texts becomes a single line without invisible characters.
    fn from_json(value: &Json) -> Self {
        let text = |name: &str| one_line(value.get(name).and_then(Json::as_str).unwrap_or_default());
        let numbers = value.get("paragraphs").and_then(Json::as_array).into_iter().flatten();
        Self {
            column: text("column"),
            text: text("text"),
            paragraphs: numbers.map(paragraph_number).collect(),
            quote: text("quote"),
        }
    }
}

/// Returns a text with single blanks and without invisible characters.
pub(crate) fn one_line(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text in the form in which quotations are compared: in lower case, with ASCII quotation marks, hyphens and single blanks.
pub(crate) fn comparison_form(text: &str) -> String {
    let folded = text.chars().map(|c| match c {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201C}' | '\u{201D}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' => ' ',
        other => other,
    });
    one_line(&folded.collect::<String>()).to_lowercase()
}
