//! An answer in the form for models: the data of REST under `data`, with only as many rows as fit. Text and structured content are the
//! same, because a client shows its model only one of the two.

use serde_json::{Map, Value as Json};

use super::shortened_data::{AnswerLength, NOTE_BYTES, ShortenedList, omit_rows};
use parquote_engine::Extent;

/// JSON text between the head and the data.
const DATA_FIELD: &str = r#","data":"#;

/// The answer is longer than any client accepts, and has no rows to omit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer has {bytes} characters, more than the {most} that can be sent here; ask for less")]
pub(super) struct TooLongAnswer {
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
    /// Sentences about the answer, such as that a symbol has another name now.
    pub notes: Vec<String>,
    /// Terms of the possible sources, in one line; empty if there are none.
    pub source_terms: String,
}

/// Builds the structured answer around the data, and its text; an error if it is too long even without the rows that can be omitted.
pub(super) fn structured_answer(
    source: AnsweredData,
    mut data: Json,
    measure: AnswerLength<'_>,
) -> Result<(Json, String), TooLongAnswer> {
    let mut answer = source.head();
    let around = Json::Object(answer.clone()).to_string().len() + DATA_FIELD.len();
    let bytes = measure.bytes.saturating_sub(around);
    // An answer that ends before the last matching row has a note, which needs space.
    let reserved = if measure.extent.is_some_and(|extent| extent.more) { NOTE_BYTES } else { 0 };
    let cut = omit_rows(&mut data, bytes.saturating_sub(reserved), measure);
    answer.insert("data".into(), data);
    if let Some(PartialAnswerNote { more, total, next }) =
        PartialAnswerNote::from_extent(measure.extent, &cut)
    {
        answer.insert("truncated".into(), more.into());
        if let Some(total) = total {
            answer.insert("total".into(), total.into());
        }
        answer.insert("next".into(), next.into());
    }
    let answer = Json::Object(answer);
    let text = answer.to_string();
    if text.len() > measure.most {
        return Err(TooLongAnswer { bytes: text.len(), most: measure.most });
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
        if !self.notes.is_empty() {
            head.insert("notes".into(), self.notes.into());
        }
        if !self.source_terms.is_empty() {
            head.insert("source_terms".into(), self.source_terms.into());
        }
        head
    }
}

/// Note on an answer that contains only some of the matching rows.
struct PartialAnswerNote {
    /// True if more rows follow.
    more: bool,
    /// Number of matching rows; `None` if they were not counted.
    total: Option<usize>,
    /// Range of the rows in the answer, and how to get the others, in words.
    next: String,
}

impl PartialAnswerNote {
    fn from_extent(extent: Option<Extent>, cut: &[ShortenedList]) -> Option<Self> {
        match (extent, cut) {
            (Some(extent), cut) => Self::for_rows(extent, cut.first()),
            (None, []) => None,
            (None, cut) => Some(Self::for_lists(cut)),
        }
    }

    fn for_lists(cut: &[ShortenedList]) -> Self {
        let lists: Vec<String> = cut.iter().map(ShortenedList::words).collect();
        let symbols: Vec<&str> =
            cut.iter().flat_map(|list| &list.symbols_left_out).map(String::as_str).collect();
        let then = if symbols.is_empty() {
            "Ask for less with narrower arguments.".to_owned()
        } else {
            format!("Left out are {}: ask for these in another call.", symbols.join(", "))
        };
        let total = cut.iter().map(|list| list.total).max();
        Self {
            more: true,
            total,
            next: format!("These are the first {}; more do not fit. {then}", lists.join(" and ")),
        }
    }

    fn for_rows(extent: Extent, cut: Option<&ShortenedList>) -> Option<Self> {
        let rows_left = cut.map_or(extent.rows, |cut| cut.rows_left);
        let more = extent.more || rows_left < extent.rows;
        if !more && extent.offset == 0 {
            return None;
        }
        let end = extent.offset + rows_left;
        let of_total = extent.total.map_or_else(String::new, |total| format!(" of {total}"));
        let next = if more {
            format!(
                "These are the rows {} to {end}{of_total}. The rest: the same call with `offset` {end}. Fewer: a smaller \
                 `limit`, or narrower arguments.",
                extent.offset + 1
            )
        } else if rows_left == 0 {
            format!("There are no rows after the first {}.", extent.total.unwrap_or(extent.offset))
        } else {
            format!("These are the last rows, {} to {end}.", extent.offset + 1)
        };
        Some(Self { more, total: extent.total, next })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::shortened_data::rows_of;
    use super::*;

    /// Returns the part of an answer of that many rows, from an offset on, as the engine does.
    fn part(all: &[Json], offset: usize, most: usize) -> (Vec<Json>, AnswerLength<'static>) {
        let rows: Vec<Json> = all.iter().skip(offset).take(most).cloned().collect();
        let more = offset + rows.len() < all.len();
        let extent = Extent { offset, rows: rows.len(), total: Some(all.len()), more };
        (rows, AnswerLength { extent: Some(extent), named_symbols: &[], bytes: 2_000, most: 100_000 })
    }

    fn rows(count: usize) -> Vec<Json> {
        (0..count).map(|n| json!({"n": n, "words": "a word or two about the row"})).collect()
    }

    #[test]
    fn what_is_whole_and_fits_is_sent_as_it_is() {
        let (few, measure) = part(&rows(3), 0, 100);
        let data = json!({"stocks": few, "count": 3});
        let source = AnsweredData {
            as_of: Some(("2026-10-30".into(), 2)),
            snapshot: "ab12".into(),
            notes: vec!["OLD is now NEW.".into()],
            source_terms: "Owner <page>".into(),
        };
        let (answer, text) = structured_answer(source, data.clone(), measure).unwrap();
        assert_eq!(
            answer,
            json!({"as_of": "2026-10-30", "sessions_behind": 2, "snapshot": "ab12", "notes": ["OLD is now NEW."],
                "source_terms": "Owner <page>", "data": data})
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
                    let (mut part, text) =
                        structured_answer(AnsweredData::default(), whole(rows), measure).unwrap();
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
        let measure = AnswerLength { extent: Some(extent), named_symbols: &[], bytes: 40_000, most: 100_000 };
        let (answer, _) = structured_answer(AnsweredData::default(), json!([1, 2]), measure).unwrap();
        assert_eq!((answer.get("total"), &answer["truncated"]), (None, &json!(true)));
        assert!(answer["next"].as_str().unwrap().starts_with("These are the rows 1 to 2. The rest"));
    }

    #[test]
    fn a_row_that_is_too_long_is_sent_all_the_same() {
        let long = [json!({"words": "x".repeat(5_000)}), json!({"words": "y".repeat(5_000)})];
        let (rows, measure) = part(&long, 0, 100);
        let (answer, _) = structured_answer(AnsweredData::default(), rows.into(), measure).unwrap();
        assert_eq!(answer["data"], json!([long[0]]));
        assert!(answer["next"].as_str().unwrap().contains("`offset` 1"));
        let (rows, measure) = part(&long, 7, 100);
        let beyond = structured_answer(AnsweredData::default(), rows.into(), measure).unwrap().0;
        assert_eq!((&beyond["data"], &beyond["total"]), (&json!([]), &json!(2)));
        assert_eq!(beyond["truncated"], false);
        assert_eq!(beyond["next"], "There are no rows after the first 2.");
    }

    #[test]
    fn an_object_that_is_too_long_loses_rows_of_its_longest_list() {
        let measure = AnswerLength { extent: None, named_symbols: &[], bytes: 2_000, most: 100_000 };
        let (answer, _) =
            structured_answer(AnsweredData::default(), json!({"symbol": "X", "risks": rows(100)}), measure)
                .unwrap();
        let rows_left = answer["data"]["risks"].as_array().unwrap().len();
        assert!((1..100).contains(&rows_left));
        assert!(
            answer["next"]
                .as_str()
                .unwrap()
                .starts_with(&format!("These are the first {rows_left} of 100 rows of `risks`;"))
        );
    }

    #[test]
    fn the_largest_list_is_cut_first_and_the_callers_own_stocks_last() {
        let symbols: Vec<String> = (0..20).map(|n| format!("STOCK{n}")).collect();
        let stocks: Vec<Json> = symbols.iter().map(|symbol| json!({"symbol": symbol})).collect();
        let data = json!({"stocks": stocks, "pairs": rows(100), "warnings": ["one"]});
        let cut_to = |bytes| {
            let measure = AnswerLength { extent: None, named_symbols: &symbols, bytes, most: 100_000 };
            let (answer, text) = structured_answer(AnsweredData::default(), data.clone(), measure).unwrap();
            assert!(text.len() <= bytes, "{} of {bytes}", text.len());
            answer
        };
        let answer = cut_to(2_500);
        assert_eq!(answer["data"]["stocks"], json!(stocks));
        let rows_left = answer["data"]["pairs"].as_array().unwrap().len();
        let next = answer["next"].as_str().unwrap();
        assert!(next.contains(&format!("first {rows_left} of 100 rows of `pairs`;")), "{next}");
        let answer = cut_to(900);
        let rows_left = answer["data"]["stocks"].as_array().unwrap().len();
        let next = answer["next"].as_str().unwrap();
        assert!((1..20).contains(&rows_left) && next.contains("1 of 100 rows of `pairs`"), "{next}");
        let left_out = symbols[rows_left..].join(", ");
        assert!(
            next.ends_with(&format!("Left out are {left_out}: ask for these in another call.")),
            "{next}"
        );
    }

    #[test]
    fn what_no_client_takes_is_refused() {
        let data = json!({"words": "x".repeat(200_000)});
        let measure = AnswerLength { extent: None, named_symbols: &[], bytes: 40_000, most: 100_000 };
        assert_eq!(structured_answer(AnsweredData::default(), data, measure).unwrap_err().most, 100_000);
    }
}
