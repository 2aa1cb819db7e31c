//! The whole answer of a call: its parts within the requested length, and the omitted rows with cursors to get them.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::table::PartRows;
use parquote_call::OwnerTerms;
use parquote_catalogue::operation::Market;

/// Characters reserved per part for the note about omitted rows.
const NOTE_CHARS_PER_PART: usize = 60;

#[derive(Debug)]
pub(super) struct AnsweredPart {
    pub name: String,
    /// Name of the part in cursors.
    pub part: String,
    /// Market of the rows; `None` if the answer has only one market.
    pub market: Option<Market>,
    pub rows: PartRows,
    /// Text in place of rows if there are none; `None` for the usual text.
    pub empty: Option<String>,
}

#[derive(Debug)]
pub(super) struct RefusedPart {
    pub name: String,
    pub message: String,
}

/// Builds the answer around the head, and omits rows until it has at most `chars` characters.
pub(super) fn whole_answer(
    head: &Map<String, Json>,
    mut parts: Vec<AnsweredPart>,
    refused: &[RefusedPart],
    chars: usize,
) -> Json {
    let excess_of = |parts: &[AnsweredPart]| {
        let length = Json::Object(assemble(head, parts, refused)).to_string().len();
        (length + parts.len() * NOTE_CHARS_PER_PART).saturating_sub(chars)
    };
    let is_cut = excess_of(&parts) > 0;
    // Omitting rows can change which values are common to all rows and are written once, so the length is measured again.
    loop {
        let excess = excess_of(&parts);
        if excess == 0 || !omit_rows(&mut parts, excess) {
            break;
        }
    }
    let mut answer = assemble(head, &parts, refused);
    if is_cut && let Some(text) = cut_texts(&mut answer, chars) {
        answer.insert("cut".into(), text.into());
    }
    Json::Object(answer)
}

/// Omits rows at the end of the longest part, one after another, until `excess` characters are omitted. Returns true if a row was omitted.
fn omit_rows(parts: &mut [AnsweredPart], mut excess: usize) -> bool {
    let mut is_omitted = false;
    let mut lengths: Vec<Vec<usize>> = parts.iter().map(|part| part.rows.lengths()).collect();
    while excess > 0 {
        // One row stays, so that paging always advances.
        let longest = lengths.iter_mut().zip(&mut *parts).filter(|(rows, _)| rows.len() > 1);
        let Some((rows, part)) = longest.max_by_key(|(rows, _)| rows.iter().sum::<usize>()) else { break };
        excess = excess.saturating_sub(rows.pop().unwrap_or_default());
        part.rows.drop_last();
        part.rows.more = true;
        is_omitted = true;
    }
    is_omitted
}

fn assemble(head: &Map<String, Json>, parts: &[AnsweredPart], refused: &[RefusedPart]) -> Map<String, Json> {
    let mut answer = head.clone();
    let (mut left_out, mut without_rows, mut with_old_rows) = (Vec::new(), Map::new(), Map::new());
    for part in parts {
        let name = part.market.map_or_else(|| part.name.clone(), |market| format!("{market}.{}", part.name));
        if part.rows.is_empty() {
            let words = part.empty.as_deref().unwrap_or("no rows");
            let age = part.rows.age.as_ref().map_or_else(String::new, |age| format!(". {age}"));
            without_rows.insert(name, format!("{words}{age}").into());
            continue;
        }
        let ages = if part.rows.count() == 0 { &mut without_rows } else { &mut with_old_rows };
        ages.extend(part.rows.age.as_ref().map(|age| (name.clone(), age.as_str().into())));
        if part.rows.more {
            let end = part.rows.offset + part.rows.count();
            let mut entry = Map::new();
            entry.insert("part".into(), name.as_str().into());
            entry.insert("shown".into(), format!("{} to {end}", part.rows.offset + 1).into());
            if part.rows.has_cursor {
                entry.insert("cursor".into(), format!("{}:{end}", part.part).into());
            } else {
                entry.insert("more".into(), "with a larger max_chars".into());
            }
            entry.extend(part.rows.total.map(|total| ("of".to_owned(), total.into())));
            left_out.push(Json::Object(entry));
        }
        answer.insert(name, part.rows.json());
    }
    if !without_rows.is_empty() {
        answer.insert("nothing".into(), without_rows.into());
    }
    if !with_old_rows.is_empty() {
        answer.insert("old".into(), with_old_rows.into());
    }
    let notes: BTreeSet<&str> = parts.iter().flat_map(|part| &part.rows.notes).map(String::as_str).collect();
    if !notes.is_empty() {
        answer.insert("notes".into(), notes.into_iter().collect());
    }
    let terms: BTreeSet<&OwnerTerms> = parts.iter().flat_map(|part| &part.rows.terms).collect();
    if !terms.is_empty() {
        let terms: Vec<String> = terms.into_iter().map(ToString::to_string).collect();
        answer.insert("source_terms".into(), terms.join(", ").into());
    }
    add_refused(&mut answer, refused);
    if !left_out.is_empty() {
        answer.insert("left_out".into(), left_out.into());
    }
    answer
}

pub(super) fn add_refused(answer: &mut Map<String, Json>, refused: &[RefusedPart]) {
    if !refused.is_empty() {
        let messages = refused.iter().map(|part| (part.name.clone(), part.message.clone().into()));
        answer.insert("not_answered".into(), Json::Object(messages.collect()));
    }
}

/// Shortens the longest texts of an answer that is still too long; returns a note about it.
fn cut_texts(answer: &mut Map<String, Json>, chars: usize) -> Option<String> {
    const SHORTEST_TEXT: usize = 160;
    let mut most = chars - chars / 5;
    let mut is_cut = false;
    while Json::Object(answer.clone()).to_string().len() > chars && most >= SHORTEST_TEXT {
        for value in answer.values_mut() {
            is_cut |= shorten(value, most);
        }
        most /= 2;
    }
    is_cut.then(|| {
        "Long texts end with an ellipsis; the same call with a larger max_chars has them whole.".to_owned()
    })
}

fn shorten(value: &mut Json, most: usize) -> bool {
    match value {
        Json::String(text) if text.chars().count() > most => {
            *text = text.chars().take(most).chain(['…']).collect();
            true
        }
        Json::Array(items) => items.iter_mut().fold(false, |cut, item| cut | shorten(item, most)),
        Json::Object(fields) => fields.values_mut().fold(false, |cut, item| cut | shorten(item, most)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn part(name: &str, rows: usize) -> AnsweredPart {
        let rows = (0..rows).map(|n| vec![json!(n), json!(format!("row {n}"))]).collect();
        let mut rows = PartRows::built_in(&["n", "text"], rows);
        rows.has_cursor = true;
        AnsweredPart { name: name.to_owned(), part: name.to_owned(), market: None, rows, empty: None }
    }

    #[test]
    fn the_longest_part_loses_rows_and_says_how_to_go_on() {
        let answer =
            whole_answer(&Map::new(), vec![part("long", 200), part("short", 3), part("none", 0)], &[], 1_500);
        assert!(answer.to_string().len() <= 1_500, "{answer}");
        assert_eq!(answer["short"]["rows"].as_array().unwrap().len(), 3);
        let rows_left = answer["long"]["rows"].as_array().unwrap().len();
        assert!(rows_left > 20 && rows_left < 200);
        assert_eq!(
            answer["left_out"],
            json!([{"part": "long", "shown": format!("1 to {rows_left}"), "cursor": format!("long:{rows_left}")}])
        );
        assert_eq!(answer["nothing"], json!({"none": "no rows"}));
        // A note of several parts is written once.
        let noted = |name: &str| {
            let mut part = part(name, 1);
            part.rows.notes = vec!["OLD is now NEW.".into()];
            part
        };
        let answer = whole_answer(&Map::new(), vec![noted("one"), noted("two")], &[], 1_500);
        assert_eq!(answer["notes"], json!(["OLD is now NEW."]));
        // A part without continuation has no cursor.
        let mut once = part("once", 200);
        once.rows.has_cursor = false;
        let cut = whole_answer(&Map::new(), vec![once], &[], 1_500)["left_out"][0].clone();
        assert!(cut["cursor"].is_null() && cut["more"] == "with a larger max_chars", "{cut}");
    }

    #[test]
    fn long_texts_are_cut_where_no_row_can_be_left_out() {
        let fields = Map::from_iter([("report".to_owned(), "x".repeat(9_000).into())]);
        let part = AnsweredPart {
            name: "report".to_owned(),
            part: "report".to_owned(),
            market: None,
            rows: PartRows::fields(fields),
            empty: None,
        };
        let answer = whole_answer(&Map::new(), vec![part], &[], 2_000);
        assert!(answer.to_string().len() <= 2_000 && answer["cut"].as_str().unwrap().contains("max_chars"));
    }
}
