//! An answer in the form for models: the data of REST under `data`, with only as many rows as fit. Text and structured content are the
//! same, because clients show their model either one.

use std::cmp::Reverse;

use serde_json::{Map, Value as Json};

use parquote_engine::Extent;

/// Text around the data, in addition to the head.
const AROUND: &str = r#","data":"#;

/// Bytes reserved for the note about omitted rows.
const ROOM_FOR_WORDS: usize = 320;

/// The answer is longer than any client accepts, and has no rows to omit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer has {bytes} characters, more than the {most} that can be sent here; ask for less")]
pub(super) struct TooLong {
    bytes: usize,
    most: usize,
}

/// Provenance of an answer's data. It is part of the answer, so that a model can query the same data again.
#[derive(Debug, Clone, Default)]
pub(super) struct AnsweredData {
    /// Last session of the market's data, and the number of the exchange's sessions after it.
    pub as_of: Option<(String, u64)>,
    /// Id of the market's set, as `snapshot` takes it; empty if there is none.
    pub snapshot: String,
}

/// Limits on the length of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerLength<'a> {
    /// Range of the matching rows that the answer contains, if it is a list of them.
    pub extent: Option<Extent>,
    /// Symbols that the caller named: their rows are omitted last.
    pub own: &'a [String],
    /// Longest answer with rows, in bytes; more rows are omitted.
    pub bytes: usize,
    /// Longest answer at all, in bytes.
    pub most: usize,
}

/// Builds the structured answer around the data, and its text.
///
/// # Errors
/// The answer cannot be cut to the longest answer.
pub(super) fn shaped(
    source: AnsweredData,
    mut data: Json,
    measure: AnswerLength<'_>,
) -> Result<(Json, String), TooLong> {
    let mut answer = source.head();
    let around = Json::Object(answer.clone()).to_string().len() + AROUND.len();
    let bytes = measure.bytes.saturating_sub(around);
    // An answer that ends before the last matching row has a note, which needs space.
    let room = if measure.extent.is_some_and(|extent| extent.more) { ROOM_FOR_WORDS } else { 0 };
    let cut = cut(&mut data, bytes.saturating_sub(room), measure);
    answer.insert("data".into(), data);
    if let Some(PartOfAnswer { more, total, next }) = PartOfAnswer::from_extent(measure.extent, &cut) {
        answer.insert("truncated".into(), more.into());
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

impl AnsweredData {
    fn head(self) -> Map<String, Json> {
        let mut head = Map::new();
        if let Some((as_of, behind)) = self.as_of {
            head.insert("as_of".into(), as_of.into());
            head.insert("sessions_behind".into(), behind.into());
        }
        if !self.snapshot.is_empty() {
            head.insert("snapshot".into(), self.snapshot.into());
        }
        head
    }
}

/// Note on an answer that contains only some of the matching rows.
struct PartOfAnswer {
    /// True if more rows follow.
    more: bool,
    /// Number of matching rows, if counted.
    total: Option<usize>,
    /// The range of these rows, and how to get others.
    next: String,
}

impl PartOfAnswer {
    fn from_extent(extent: Option<Extent>, cut: &[ShortenedList]) -> Option<Self> {
        match (extent, cut) {
            (Some(extent), cut) => Self::of_rows(extent, cut.first()),
            (None, []) => None,
            (None, cut) => Some(Self::of_lists(cut)),
        }
    }

    fn of_lists(cut: &[ShortenedList]) -> Self {
        let lists: Vec<String> = cut.iter().map(ShortenedList::words).collect();
        let symbols: Vec<&str> =
            cut.iter().flat_map(|list| &list.symbols_left_out).map(String::as_str).collect();
        let then = if symbols.is_empty() {
            "Ask for less with narrower arguments.".to_owned()
        } else {
            format!("Left out are {}: ask for these in another call.", symbols.join(", "))
        };
        let total = cut.iter().map(|list| list.of).max();
        Self {
            more: true,
            total,
            next: format!("These are the first {}; more do not fit. {then}", lists.join(" and ")),
        }
    }

    fn of_rows(extent: Extent, cut: Option<&ShortenedList>) -> Option<Self> {
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
        Some(Self { more, total: extent.total, next })
    }
}

/// Number of rows left of a list in an answer that was too long.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShortenedList {
    /// Field name of the list in the data; empty if the list is the data.
    name: String,
    kept: usize,
    of: usize,
    /// Named symbols whose rows were omitted.
    symbols_left_out: Vec<String>,
}

impl ShortenedList {
    fn words(&self) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!(" of `{}`", self.name) };
        format!("{} of {} rows{name}", self.kept, self.of)
    }
}

/// Omits last rows until the rest fits: those of the matching list, or else of the largest list first; a list of the stocks that the caller
/// named is cut last.
fn cut(data: &mut Json, bytes: usize, measure: AnswerLength<'_>) -> Vec<ShortenedList> {
    let mut length = data.to_string().len();
    if length <= bytes {
        return Vec::new();
    }
    let symbols: usize = measure.own.iter().map(|symbol| symbol.len() + 2).sum();
    let bytes = bytes.saturating_sub(ROOM_FOR_WORDS + symbols);
    let lists = match &mut *data {
        Json::Object(fields) if measure.extent.is_none() => lists_of(fields, measure.own),
        data => return rows_of(data).map(|rows| shorten(rows, "", &mut length, bytes)).into_iter().collect(),
    };
    let mut cut = Vec::new();
    for list in lists {
        if length <= bytes {
            break;
        }
        let Some(rows) = data.get_mut(&list.name).and_then(rows_of) else { continue };
        let symbols = if list.is_own { symbols_of(rows) } else { Vec::new() };
        let mut shortened = shorten(rows, &list.name, &mut length, bytes);
        shortened.symbols_left_out = symbols.into_iter().skip(shortened.kept).collect();
        cut.push(shortened);
    }
    cut.retain(|list| list.kept < list.of);
    cut
}

/// Omits rows of a list until the whole answer is short enough. At least one row stays, so that paging always advances.
fn shorten(rows: &mut Vec<Json>, name: &str, length: &mut usize, bytes: usize) -> ShortenedList {
    let of = rows.len();
    while rows.len() > 1 && *length > bytes {
        let row = rows.pop().map_or(0, |row| row.to_string().len() + 1);
        *length -= row;
    }
    ShortenedList { name: name.to_owned(), kept: rows.len(), of, symbols_left_out: Vec::new() }
}

/// A list in an answer.
struct ListInAnswer {
    name: String,
    /// True if its rows are the stocks that the caller named.
    is_own: bool,
}

/// Returns the lists of an answer in the order in which they are cut.
fn lists_of(fields: &mut Map<String, Json>, own: &[String]) -> Vec<ListInAnswer> {
    let mut lists: Vec<(usize, ListInAnswer)> = Vec::new();
    for (name, value) in fields {
        let size = value.to_string().len();
        let Some(rows) = rows_of(value) else { continue };
        let symbols = symbols_of(rows);
        let is_own = symbols.len() == rows.len() && symbols.iter().all(|symbol| own.contains(symbol));
        lists.push((size, ListInAnswer { name: name.clone(), is_own }));
    }
    lists.sort_by_key(|(size, list)| (list.is_own, Reverse(*size)));
    lists.into_iter().map(|(_, list)| list).collect()
}

fn symbols_of(rows: &[Json]) -> Vec<String> {
    rows.iter().filter_map(|row| Some(row.get("symbol")?.as_str()?.to_owned())).collect()
}

/// Returns the rows of an answer: the data itself, `rows` or `stocks` in it, or else its longest list.
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

    /// Returns the part of an answer of that many rows, from an offset on, as the engine does.
    fn part(all: &[Json], offset: usize, most: usize) -> (Vec<Json>, AnswerLength<'static>) {
        let rows: Vec<Json> = all.iter().skip(offset).take(most).cloned().collect();
        let more = offset + rows.len() < all.len();
        let extent = Extent { offset, rows: rows.len(), total: Some(all.len()), more };
        (rows, AnswerLength { extent: Some(extent), own: &[], bytes: 2_000, most: 100_000 })
    }

    fn rows(count: usize) -> Vec<Json> {
        (0..count).map(|n| json!({"n": n, "words": "a word or two about the row"})).collect()
    }

    #[test]
    fn what_is_whole_and_fits_is_sent_as_it_is() {
        let (few, measure) = part(&rows(3), 0, 100);
        let data = json!({"stocks": few, "count": 3});
        let source = AnsweredData { as_of: Some(("2026-10-30".into(), 2)), snapshot: "ab12".into() };
        let (answer, text) = shaped(source, data.clone(), measure).unwrap();
        assert_eq!(
            answer,
            json!({"as_of": "2026-10-30", "sessions_behind": 2, "snapshot": "ab12", "data": data})
        );
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), answer);
    }

    #[test]
    fn the_parts_of_a_cut_answer_are_the_whole() {
        let list = |rows: Vec<Json>| Json::from(rows);
        let stocks = |rows: Vec<Json>| json!({"stocks": rows, "count": 100});
        let columns = |rows: Vec<Json>| json!({"columns": ["n"], "rows": rows});
        let of_stocks = |rows: Vec<Json>| json!({"stocks": {"columns": ["n"], "rows": rows}, "count": 100});
        let all = rows(100);
        // Cut by length only, by a limit only, and by both.
        for most in [100, 7, 60] {
            for whole in [list, stocks, columns, of_stocks] {
                let (mut seen, mut calls) = (Vec::new(), 0);
                loop {
                    let (rows, measure) = part(&all, seen.len(), most);
                    let (mut part, text) = shaped(AnsweredData::default(), whole(rows), measure).unwrap();
                    assert!(text.len() <= 2_000, "{}", text.len());
                    assert_eq!(part["total"], json!(100));
                    seen.append(rows_of(&mut part["data"]).unwrap());
                    calls += 1;
                    assert_eq!(part["truncated"], part["next"].as_str().unwrap().contains("The rest"));
                    if part["truncated"] == false {
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
        let measure = AnswerLength { extent: Some(extent), own: &[], bytes: 40_000, most: 100_000 };
        let (answer, _) = shaped(AnsweredData::default(), json!([1, 2]), measure).unwrap();
        assert_eq!((answer.get("total"), &answer["truncated"]), (None, &json!(true)));
        assert!(answer["next"].as_str().unwrap().starts_with("These are the rows 1 to 2. The rest"));
    }

    #[test]
    fn a_row_that_is_too_long_is_sent_all_the_same() {
        let long = [json!({"words": "x".repeat(5_000)}), json!({"words": "y".repeat(5_000)})];
        let (rows, measure) = part(&long, 0, 100);
        let (answer, _) = shaped(AnsweredData::default(), rows.into(), measure).unwrap();
        assert_eq!(answer["data"], json!([long[0]]));
        assert!(answer["next"].as_str().unwrap().contains("`offset` 1"));
        let (rows, measure) = part(&long, 7, 100);
        let beyond = shaped(AnsweredData::default(), rows.into(), measure).unwrap().0;
        assert_eq!((&beyond["data"], &beyond["total"]), (&json!([]), &json!(2)));
        assert_eq!(beyond["truncated"], false);
        assert_eq!(beyond["next"], "There are no rows behind the first 2.");
    }

    #[test]
    fn an_object_that_is_too_long_loses_rows_of_its_longest_list() {
        let measure = AnswerLength { extent: None, own: &[], bytes: 2_000, most: 100_000 };
        let (answer, _) =
            shaped(AnsweredData::default(), json!({"symbol": "X", "risks": rows(100)}), measure).unwrap();
        let kept = answer["data"]["risks"].as_array().unwrap().len();
        assert!((1..100).contains(&kept));
        assert!(
            answer["next"]
                .as_str()
                .unwrap()
                .starts_with(&format!("These are the first {kept} of 100 rows of `risks`;"))
        );
    }

    #[test]
    fn the_largest_list_is_cut_first_and_the_callers_own_stocks_last() {
        let symbols: Vec<String> = (0..20).map(|n| format!("STOCK{n}")).collect();
        let stocks: Vec<Json> = symbols.iter().map(|symbol| json!({"symbol": symbol})).collect();
        let data = json!({"stocks": stocks, "pairs": rows(100), "warnings": ["one"]});
        let cut_to = |bytes| {
            let measure = AnswerLength { extent: None, own: &symbols, bytes, most: 100_000 };
            let (answer, text) = shaped(AnsweredData::default(), data.clone(), measure).unwrap();
            assert!(text.len() <= bytes, "{} of {bytes}", text.len());
            answer
        };
        let answer = cut_to(2_500);
        assert_eq!(answer["data"]["stocks"], json!(stocks));
        let kept = answer["data"]["pairs"].as_array().unwrap().len();
        let next = answer["next"].as_str().unwrap();
        assert!(next.contains(&format!("first {kept} of 100 rows of `pairs`;")), "{next}");
        let answer = cut_to(900);
        let kept = answer["data"]["stocks"].as_array().unwrap().len();
        let next = answer["next"].as_str().unwrap();
        assert!((1..20).contains(&kept) && next.contains("1 of 100 rows of `pairs`"), "{next}");
        let left_out = symbols[kept..].join(", ");
        assert!(
            next.ends_with(&format!("Left out are {left_out}: ask for these in another call.")),
            "{next}"
        );
    }

    #[test]
    fn what_no_client_takes_is_refused() {
        let data = json!({"words": "x".repeat(200_000)});
        let measure = AnswerLength { extent: None, own: &[], bytes: 40_000, most: 100_000 };
        assert_eq!(shaped(AnsweredData::default(), data, measure).unwrap_err().most, 100_000);
    }
}
