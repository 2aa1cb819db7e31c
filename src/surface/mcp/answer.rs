//! An answer as a model reads it: the data of REST under `data`, and of its rows no more than fit. The text says the very
//! same, because some clients show their model the one and some the other.

use serde_json::{Map, Value as Json};

use super::arguments::OFFSET;

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
pub(super) struct Measure {
    /// Rows to pass over.
    pub offset: usize,
    /// The longest answer with rows left out.
    pub bytes: usize,
    /// The longest answer at all.
    pub most: usize,
}

/// The structured answer around the data, and its text.
///
/// # Errors
/// An answer that cannot be cut to what can be sent.
pub(super) fn shaped(
    as_of: Option<String>,
    mut data: Json,
    measure: Measure,
) -> Result<(Json, String), TooLong> {
    let around = as_of.as_ref().map_or(0, String::len) + r#"{"as_of":"","data":}"#.len();
    let cut = cut(&mut data, measure.offset, measure.bytes.saturating_sub(around));
    let mut answer = Map::new();
    if let Some(as_of) = as_of {
        answer.insert("as_of".into(), as_of.into());
    }
    answer.insert("data".into(), data);
    if let Some(Cut { first, behind, total }) = cut {
        answer.insert("truncated".into(), true.into());
        answer.insert("total".into(), total.into());
        let next = if behind < total {
            format!(
                "These are the rows {} to {behind} of {total}. The rest: the same call with `{OFFSET}` {behind}. Fewer: a \
                 smaller `limit`, or narrower arguments.",
                first + 1
            )
        } else {
            format!("These are the last rows, {} to {total}.", (first + 1).min(total))
        };
        answer.insert("next".into(), next.into());
    }
    let answer = Json::Object(answer);
    let text = answer.to_string();
    if text.len() > measure.most {
        return Err(TooLong { bytes: text.len(), most: measure.most });
    }
    Ok((answer, text))
}

/// Which rows are left.
#[derive(Debug, PartialEq, Eq)]
struct Cut {
    /// The first, counted from 0.
    first: usize,
    /// The one behind the last.
    behind: usize,
    total: usize,
}

/// Leaves out rows before the first that is asked for, and those that do not fit.
fn cut(data: &mut Json, offset: usize, bytes: usize) -> Option<Cut> {
    let whole = data.to_string().len();
    if offset == 0 && whole <= bytes {
        return None;
    }
    let rows = rows_of(data)?;
    let total = rows.len();
    rows.drain(..offset.min(total));
    let lengths: Vec<usize> = rows.iter().map(|row| row.to_string().len() + 1).collect();
    let mut length = data.to_string().len();
    let mut kept = lengths.len();
    // At least one row is sent: a caller who goes on from the last one must not stand still.
    for row in lengths.iter().skip(1).rev() {
        if length + ROOM_FOR_WORDS <= bytes {
            break;
        }
        length -= row;
        kept -= 1;
    }
    rows_of(data)?.truncate(kept);
    Some(Cut { first: offset, behind: offset.saturating_add(kept).min(total), total })
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

    fn measure(offset: usize, bytes: usize) -> Measure {
        Measure { offset, bytes, most: 100_000 }
    }

    fn rows(count: usize) -> Vec<Json> {
        (0..count).map(|n| json!({"n": n, "words": "a word or two about the row"})).collect()
    }

    #[test]
    fn what_fits_is_sent_as_it_is() {
        let data = json!({"stocks": rows(3), "count": 3});
        let (answer, text) = shaped(Some("2026-10-30".into()), data.clone(), measure(0, 40_000)).unwrap();
        assert_eq!(answer, json!({"as_of": "2026-10-30", "data": data}));
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), answer);
    }

    #[test]
    fn the_parts_of_a_cut_answer_are_the_whole() {
        let list = |rows: Vec<Json>| Json::from(rows);
        let stocks = |rows: Vec<Json>| json!({"stocks": rows, "count": 100});
        let columns = |rows: Vec<Json>| json!({"columns": ["n"], "rows": rows});
        let of_stocks = |rows: Vec<Json>| json!({"stocks": {"columns": ["n"], "rows": rows}, "count": 100});
        for whole in [list(rows(100)), stocks(rows(100)), columns(rows(100)), of_stocks(rows(100))] {
            let (mut seen, mut calls) = (Vec::new(), 0);
            loop {
                let (mut part, text) = shaped(None, whole.clone(), measure(seen.len(), 2_000)).unwrap();
                assert!(text.len() <= 2_000, "{}", text.len());
                assert_eq!((&part["truncated"], &part["total"]), (&json!(true), &json!(100)));
                seen.append(rows_of(&mut part["data"]).unwrap());
                calls += 1;
                if !part["next"].as_str().unwrap().contains("The rest") {
                    break;
                }
            }
            assert_eq!(seen, rows(100));
            assert!(calls > 2);
        }
    }

    #[test]
    fn a_row_that_is_too_long_is_sent_all_the_same() {
        let data = json!([{"words": "x".repeat(5_000)}, {"words": "y".repeat(5_000)}]);
        let (answer, _) = shaped(None, data.clone(), measure(0, 1_000)).unwrap();
        assert_eq!(answer["data"], json!([data[0]]));
        assert!(answer["next"].as_str().unwrap().contains("`offset` 1"));
        let beyond = shaped(None, data, measure(7, 40_000)).unwrap().0;
        assert_eq!((&beyond["data"], &beyond["total"]), (&json!([]), &json!(2)));
    }

    #[test]
    fn what_no_client_takes_is_refused() {
        let data = json!({"words": "x".repeat(200_000)});
        let refused = shaped(None, data, measure(0, 40_000)).unwrap_err();
        assert_eq!(refused.most, 100_000);
    }
}
