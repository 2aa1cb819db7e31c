//! An answer as a model reads it: the data of REST under `data`, and of its rows no more than fit. The text says the very
//! same, because some clients show their model the one and some the other.

use serde_json::{Map, Value as Json};

use crate::engine::Extent;

/// What stands around the data.
const AROUND: &str = r#"{"as_of":"","sessions_behind":,"data":}"#;
/// Room for the number of sessions.
const DIGITS: usize = 6;

/// Room for the words about rows that are left out.
const ROOM_FOR_WORDS: usize = 320;

/// An answer that is longer than any client takes, and has no rows that could be left out.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer has {bytes} characters, more than the {most} that can be sent here; ask for less")]
pub(super) struct TooLong {
    bytes: usize,
    most: usize,
}

/// How much of an answer is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerLength {
    /// Which of the rows that match the answer holds, where it is a list of them.
    pub extent: Option<Extent>,
    /// The longest answer with rows left out.
    pub bytes: usize,
    /// The longest answer at all.
    pub most: usize,
}

/// The structured answer around the data, and its text. `as_of` is the last session and how many of the exchange's lie after it.
///
/// # Errors
/// An answer that cannot be cut to what can be sent.
pub(super) fn shaped(
    as_of: Option<(String, u64)>,
    mut data: Json,
    measure: AnswerLength,
) -> Result<(Json, String), TooLong> {
    let around = as_of.as_ref().map_or(0, |(date, _)| date.len() + DIGITS) + AROUND.len();
    let bytes = measure.bytes.saturating_sub(around);
    // An answer that ends before the last row that matches says so, and the words take room.
    let room = if measure.extent.is_some_and(|extent| extent.more) { ROOM_FOR_WORDS } else { 0 };
    let cut = cut(&mut data, bytes.saturating_sub(room));
    let mut answer = Map::new();
    if let Some((as_of, behind)) = as_of {
        answer.insert("as_of".into(), as_of.into());
        answer.insert("sessions_behind".into(), behind.into());
    }
    answer.insert("data".into(), data);
    if let Some(PartOfAnswer { total, next }) = PartOfAnswer::of(measure.extent, cut) {
        answer.insert("truncated".into(), true.into());
        if let Some(total) = total {
            answer.insert("total".into(), total.into());
        }
        answer.insert("next".into(), next.into());
    }
    let answer = Json::Object(answer);
    let text = answer.to_string();
    if text.len() > measure.most {
        return Err(TooLong { bytes: text.len(), most: measure.most });
    }
    Ok((answer, text))
}

/// What is said of an answer that is a part of what matches.
struct PartOfAnswer {
    /// The rows that match, where they were counted.
    total: Option<usize>,
    /// Which rows these are and how to get others.
    next: String,
}

impl PartOfAnswer {
    fn of(extent: Option<Extent>, cut: Option<ShortenedRows>) -> Option<Self> {
        match (extent, cut) {
            (Some(extent), cut) => Self::of_rows(extent, cut),
            (None, Some(ShortenedRows { kept, of })) => Some(Self {
                total: Some(of),
                next: format!(
                    "These are the first {kept} of {of} rows; more do not fit. Ask for less with narrower arguments."
                ),
            }),
            (None, None) => None,
        }
    }

    fn of_rows(extent: Extent, cut: Option<ShortenedRows>) -> Option<Self> {
        let kept = cut.map_or(extent.rows, |cut| cut.kept);
        let more = extent.more || kept < extent.rows;
        if !more && extent.offset == 0 {
            return None;
        }
        let behind = extent.offset + kept;
        let of = extent.total.map_or_else(String::new, |total| format!(" of {total}"));
        let next = if more {
            format!(
                "These are the rows {} to {behind}{of}. The rest: the same call with `offset` {behind}. Fewer: a smaller \
                 `limit`, or narrower arguments.",
                extent.offset + 1
            )
        } else if kept == 0 {
            format!("There are no rows behind the first {}.", extent.total.unwrap_or(extent.offset))
        } else {
            format!("These are the last rows, {} to {behind}.", extent.offset + 1)
        };
        Some(Self { total: extent.total, next })
    }
}

/// How many rows are left of an answer that was too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ShortenedRows {
    kept: usize,
    of: usize,
}

/// Leaves out the last rows, so that the rest fits.
fn cut(data: &mut Json, bytes: usize) -> Option<ShortenedRows> {
    let mut length = data.to_string().len();
    if length <= bytes {
        return None;
    }
    let rows = rows_of(data)?;
    let of = rows.len();
    let lengths: Vec<usize> = rows.iter().map(|row| row.to_string().len() + 1).collect();
    let mut kept = of;
    // At least one row is sent: a caller who goes on from the last one must not stand still.
    for row in lengths.iter().skip(1).rev() {
        if length + ROOM_FOR_WORDS <= bytes {
            break;
        }
        length -= row;
        kept -= 1;
    }
    rows.truncate(kept);
    (kept < of).then_some(ShortenedRows { kept, of })
}

/// The rows of an answer: the data itself, `rows` or `stocks` in it, or else its longest list.
fn rows_of(data: &mut Json) -> Option<&mut Vec<Json>> {
    let place = match &*data {
        Json::Array(_) => return data.as_array_mut(),
        Json::Object(fields) => place_of_rows(fields)?,
        _ => return None,
    };
    rows_of(data.get_mut(&place)?)
}

fn place_of_rows(fields: &Map<String, Json>) -> Option<String> {
    const ROWS: [&str; 2] = ["rows", "stocks"];
    let named = ROWS
        .into_iter()
        .find(|name| fields.get(*name).is_some_and(|rows| rows.is_array() || rows.is_object()));
    let longest = || {
        let lists = fields.iter().filter_map(|(name, value)| Some((name, value.as_array()?.len())));
        lists.max_by_key(|(_, length)| *length).map(|(name, _)| name.clone())
    };
    named.map(str::to_owned).or_else(longest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The part of an answer of that many rows, from an offset on, as the engine gives it.
    fn part(all: &[Json], offset: usize, most: usize) -> (Vec<Json>, AnswerLength) {
        let rows: Vec<Json> = all.iter().skip(offset).take(most).cloned().collect();
        let more = offset + rows.len() < all.len();
        let extent = Extent { offset, rows: rows.len(), total: Some(all.len()), more };
        (rows, AnswerLength { extent: Some(extent), bytes: 2_000, most: 100_000 })
    }

    fn rows(count: usize) -> Vec<Json> {
        (0..count).map(|n| json!({"n": n, "words": "a word or two about the row"})).collect()
    }

    #[test]
    fn what_is_whole_and_fits_is_sent_as_it_is() {
        let (few, measure) = part(&rows(3), 0, 100);
        let data = json!({"stocks": few, "count": 3});
        let (answer, text) = shaped(Some(("2026-10-30".into(), 2)), data.clone(), measure).unwrap();
        assert_eq!(answer, json!({"as_of": "2026-10-30", "sessions_behind": 2, "data": data}));
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), answer);
    }

    #[test]
    fn the_parts_of_a_cut_answer_are_the_whole() {
        let list = |rows: Vec<Json>| Json::from(rows);
        let stocks = |rows: Vec<Json>| json!({"stocks": rows, "count": 100});
        let columns = |rows: Vec<Json>| json!({"columns": ["n"], "rows": rows});
        let of_stocks = |rows: Vec<Json>| json!({"stocks": {"columns": ["n"], "rows": rows}, "count": 100});
        let all = rows(100);
        // Cut by its length alone, by a limit alone, and by both.
        for most in [100, 7, 60] {
            for whole in [list, stocks, columns, of_stocks] {
                let (mut seen, mut calls) = (Vec::new(), 0);
                loop {
                    let (rows, measure) = part(&all, seen.len(), most);
                    let (mut part, text) = shaped(None, whole(rows), measure).unwrap();
                    assert!(text.len() <= 2_000, "{}", text.len());
                    assert_eq!((&part["truncated"], &part["total"]), (&json!(true), &json!(100)));
                    seen.append(rows_of(&mut part["data"]).unwrap());
                    calls += 1;
                    if !part["next"].as_str().unwrap().contains("The rest") {
                        break;
                    }
                }
                assert_eq!(seen, all);
                assert!(calls > 2);
            }
        }
    }

    #[test]
    fn rows_that_were_not_counted_are_not_told() {
        let extent = Extent { offset: 0, rows: 2, total: None, more: true };
        let measure = AnswerLength { extent: Some(extent), bytes: 40_000, most: 100_000 };
        let (answer, _) = shaped(None, json!([1, 2]), measure).unwrap();
        assert_eq!((answer.get("total"), &answer["truncated"]), (None, &json!(true)));
        assert!(answer["next"].as_str().unwrap().starts_with("These are the rows 1 to 2. The rest"));
    }

    #[test]
    fn a_row_that_is_too_long_is_sent_all_the_same() {
        let long = [json!({"words": "x".repeat(5_000)}), json!({"words": "y".repeat(5_000)})];
        let (rows, measure) = part(&long, 0, 100);
        let (answer, _) = shaped(None, rows.into(), measure).unwrap();
        assert_eq!(answer["data"], json!([long[0]]));
        assert!(answer["next"].as_str().unwrap().contains("`offset` 1"));
        let (rows, measure) = part(&long, 7, 100);
        let beyond = shaped(None, rows.into(), measure).unwrap().0;
        assert_eq!((&beyond["data"], &beyond["total"]), (&json!([]), &json!(2)));
        assert_eq!(beyond["next"], "There are no rows behind the first 2.");
    }

    #[test]
    fn an_object_that_is_too_long_loses_rows_of_its_longest_list() {
        let measure = AnswerLength { extent: None, bytes: 2_000, most: 100_000 };
        let (answer, _) = shaped(None, json!({"symbol": "X", "risks": rows(100)}), measure).unwrap();
        let kept = answer["data"]["risks"].as_array().unwrap().len();
        assert!((1..100).contains(&kept));
        assert!(
            answer["next"].as_str().unwrap().starts_with(&format!("These are the first {kept} of 100 rows;"))
        );
    }

    #[test]
    fn what_no_client_takes_is_refused() {
        let data = json!({"words": "x".repeat(200_000)});
        let measure = AnswerLength { extent: None, bytes: 40_000, most: 100_000 };
        assert_eq!(shaped(None, data, measure).unwrap_err().most, 100_000);
    }
}
