//! Worked examples of guides: text with gaps that answers fill, so that its figures come from the demo market. It makes no calls: the
//! program that writes the guides provides the answers.
//!
//! An example is between two comments. The first comment names calls, separated by `;`, and contains the text with its gaps. The text
//! between the comments is the same with the gaps filled:
//!
//! ```text
//! <!-- example: market/ecs?limit=1; company/ecs?symbol={a.symbol}
//! {b.company_name} scored {b.ecs_score}, weight {b.coverage|0}.
//! -->
//! Beqora Organics scored 92.6, weight 90.
//! <!-- end of example -->
//! ```
//!
//! `{b.ecs_score}` is a field of the second call's answer, and `{a.2.symbol}` a field of the third row of the first call's answer; without
//! a number, a field of a list is that of its first row. `{b.sue|0}` is 0 if the field is null. `{a.#pe}` is the number of rows in which
//! `pe` is not null. A call without a query has the example arguments that its operation declares.

use serde_json::Value as Json;
use thiserror::Error;

const START: &str = "<!-- example: ";
const END: &str = "<!-- end of example -->";

/// A piece of a guide's text.
#[derive(Debug)]
pub enum GuidePiece<'a> {
    /// Text that stays unchanged.
    Plain(&'a str),
    /// An example to be filled.
    Example(WorkedExample<'a>),
}

/// An example: its calls, and the text with its gaps.
#[derive(Debug)]
pub struct WorkedExample<'a> {
    /// Calls in order.
    pub calls: Vec<ExampleCall<'a>>,
    /// Complete opening comment.
    comment: &'a str,
    template: &'a str,
}

/// A call of an example.
#[derive(Debug)]
pub struct ExampleCall<'a> {
    /// Name of the operation.
    pub operation: &'a str,
    query: Option<&'a str>,
}

/// Reason for which an example cannot be filled.
#[derive(Debug, Error)]
pub enum ExampleError {
    /// A comment or a gap does not end.
    #[error("an example has no end: {0}")]
    Open(String),
    /// The answers have no such field.
    #[error("the answers have no value for `{{{0}}}`")]
    Gap(String),
}

/// Splits a guide into pieces, in order.
///
/// # Errors
/// A comment that does not end.
pub fn pieces(guide: &str) -> Result<Vec<GuidePiece<'_>>, ExampleError> {
    let mut pieces = Vec::new();
    let mut rest = guide;
    while let Some(start) = rest.find(START) {
        let (plain, example) = rest.split_at(start);
        let open = || ExampleError::Open(example.lines().next().unwrap_or_default().to_owned());
        let (inside, _) = example.split_once("\n-->\n").ok_or_else(open)?;
        let (comment, filled) = example.split_at(inside.len() + "\n-->\n".len());
        let (_, after) = filled.split_once(END).ok_or_else(open)?;
        let (calls, template) = inside.trim_start_matches(START).split_once('\n').ok_or_else(open)?;
        pieces.push(GuidePiece::Plain(plain));
        pieces.push(GuidePiece::Example(WorkedExample {
            calls: calls.split(';').map(ExampleCall::parse).collect(),
            comment,
            template,
        }));
        rest = after;
    }
    pieces.push(GuidePiece::Plain(rest));
    Ok(pieces)
}

impl<'a> ExampleCall<'a> {
    fn parse(text: &'a str) -> Self {
        match text.trim().split_once('?') {
            Some((operation, query)) => Self { operation, query: Some(query) },
            None => Self { operation: text.trim(), query: None },
        }
    }

    /// Returns the arguments of the call, with gaps filled from the previous answers; `None` for the example arguments that the operation
    /// declares.
    ///
    /// # Errors
    /// A gap without a value.
    pub fn arguments(&self, answers: &[Json]) -> Result<Option<Vec<(&'a str, String)>>, ExampleError> {
        let Some(query) = self.query else { return Ok(None) };
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| Ok((name, fill_gaps(value, answers)?))).collect::<Result<_, _>>().map(Some)
    }
}

impl WorkedExample<'_> {
    /// Returns the example between its two comments, with the gaps filled from `answers`.
    ///
    /// # Errors
    /// The answers have no value for a gap.
    pub fn fill(&self, answers: &[Json]) -> Result<String, ExampleError> {
        Ok(format!("{}{}\n{END}", self.comment, fill_gaps(self.template, answers)?))
    }
}

fn fill_gaps(template: &str, answers: &[Json]) -> Result<String, ExampleError> {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, gap)) = rest.split_once('{') {
        let (name, after) = gap.split_once('}').ok_or_else(|| ExampleError::Open(gap.to_owned()))?;
        text.push_str(before);
        text.push_str(&gap_text(name, answers).ok_or_else(|| ExampleError::Gap(name.to_owned()))?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

/// Returns the text that fills a gap; `None` if the answers have no such value.
fn gap_text(name: &str, answers: &[Json]) -> Option<String> {
    let (path, fallback) =
        name.split_once('|').map_or((name, None), |(path, fallback)| (path, Some(fallback)));
    let mut steps = path.split('.');
    let index = match steps.next()?.as_bytes() {
        [letter @ b'a'..=b'z'] => usize::from(letter - b'a'),
        _ => return None,
    };
    let mut value = answers.get(index)?;
    for step in steps {
        if let Some(field) = step.strip_prefix('#') {
            let non_null = value.as_array()?.iter().filter(|row| !row[field].is_null());
            return Some(non_null.count().to_string());
        }
        value = match (value, step.parse::<usize>()) {
            (Json::Array(rows), Ok(row)) => rows.get(row)?,
            (Json::Array(rows), Err(_)) => rows.first()?.get(step)?,
            (value, _) => value.get(step)?,
        };
    }
    Some(match (value, fallback) {
        (Json::Null, Some(fallback)) => fallback.to_owned(),
        (Json::String(text), _) => text.clone(),
        (value, _) => value.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GUIDE: &str = "# A\n\n<!-- example: list?limit=2; one?symbol={a.symbol}&n=3; example\n\
        {b.name} has {b.pe|0} of {a.#pe}, {a.1.pe}, {b.deep.x}.\n-->\nold\n<!-- end of example -->\n\nEnd.\n";

    #[test]
    fn gaps_are_filled_and_the_rest_stays() {
        let pieces = pieces(GUIDE).unwrap();
        let [GuidePiece::Plain("# A\n\n"), GuidePiece::Example(example), GuidePiece::Plain("\n\nEnd.\n")] =
            pieces.as_slice()
        else {
            panic!("{pieces:?}");
        };
        let list = json!([{"symbol": "X", "pe": null}, {"symbol": "Y", "pe": 2.5}]);
        let names: Vec<&str> = example.calls.iter().map(|call| call.operation).collect();
        assert_eq!(names, ["list", "one", "example"]);
        let [first, second, third] = example.calls.as_slice() else { panic!("{example:?}") };
        assert_eq!(first.arguments(&[]).unwrap(), Some(vec![("limit", "2".to_owned())]));
        let pairs = second.arguments(std::slice::from_ref(&list)).unwrap();
        assert_eq!(pairs, Some(vec![("symbol", "X".to_owned()), ("n", "3".to_owned())]));
        assert_eq!(third.arguments(&[]).unwrap(), None);
        let answers = [list, json!({"name": "Ex", "pe": null, "deep": {"x": true}})];
        let written = example.fill(&answers).unwrap();
        assert!(written.starts_with("<!-- example: list?limit=2; one?"), "{written}");
        assert!(written.ends_with("-->\nEx has 0 of 1, 2.5, true.\n<!-- end of example -->"), "{written}");
    }

    #[test]
    fn what_cannot_be_filled_is_named() {
        let gap = |guide: &str, answers: &[Json]| match pieces(guide).unwrap().remove(1) {
            GuidePiece::Example(example) => example.fill(answers).unwrap_err().to_string(),
            GuidePiece::Plain(text) => panic!("{text}"),
        };
        let guide = "<!-- example: one\n{a.nothing}\n-->\n<!-- end of example -->";
        assert_eq!(gap(guide, &[json!({})]), "the answers have no value for `{a.nothing}`");
        assert!(pieces("<!-- example: one\n{a}\n-->\n").unwrap_err().to_string().contains("example: one"));
    }
}
