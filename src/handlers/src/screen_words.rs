//! The explorer's screen: a sentence and limits as one list of conditions, the stocks that meet all of them, the number that meets all but
//! one, and the number of each sector, industry, stage and size.
//!
//! Each row is tested against each condition once. Everything else follows from the counts of failed conditions.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

use super::handler::{FilteredRows, Handler, HandlerCall};
use super::screen_by_words::{first_of_each, order_of, rows_asked_for, why_unlisted};
use super::screen_limits::{SIZES, ScreenLimit, limits, of_stage, size};
use super::screened::{ScreenedSet, ScreenedSets};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_engine::Extent;
use parquote_language::{Direction, Fields, Filter, Grammar, QueryError, Screen, UnreadWords, words};

/// Up to this many matches count as few: then the effect of each condition is reported.
const FEW: usize = 20;

/// `explore/screen-words` and its US variant.
#[derive(Default)]
pub(super) struct ScreenWords(ScreenedSets);

struct ScreenCondition {
    filter: Filter,
    /// Position in the sentence, from 1.
    place: Option<usize>,
    /// Parameter of a limit.
    limited_by: Option<String>,
    is_left_out: bool,
}

/// For each row, the number of failed conditions and the index of the last one.
struct Failures(Vec<(u32, usize)>);

#[async_trait]
impl Handler for ScreenWords {
    async fn answer(&self, _: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        Err(ClientError::new(ErrorKind::Internal, "this operation answers with rows"))
    }

    async fn rows(&self, asked: &HandlerCall<'_>) -> Result<Option<FilteredRows>, ClientError> {
        let screened = self.0.get_or_load(asked).await?;
        let fields = screened.grammar.fields();
        let screen = asked.text("query").map(|sentence| read(&screened.grammar, sentence)).transpose()?;
        let conditions = conditions(asked, screen.as_ref(), fields)?;
        let failures = Failures::count(&screened, &conditions, asked.list_sent("list"))?;
        let unread: Vec<&str> =
            screen.iter().flat_map(|screen| &screen.not_understood).map(|it| &*it.words).collect();
        // Nothing is listed if a condition was not understood: without it, the list would answer another request.
        let found = if unread.is_empty() { failures.rows(|_, count| count == 0) } else { Vec::new() };
        let most = rows_asked_for(screen.as_ref());
        let (field, direction) = order(asked, screen.as_ref(), fields);
        let found = first_of_each(&screened.table, found, screen.as_ref(), &field, direction)?;
        let limit = asked.int("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        let (total, end) = (found.len().min(most), asked.offset.saturating_add(limit));
        let first = screened.table.first(&found, &field, direction, total.min(end))?;
        let shown = first.get(asked.offset..).unwrap_or_default();
        let extent = Extent {
            offset: asked.offset,
            rows: shown.len(),
            total: Some(total),
            more: asked.offset + shown.len() < total,
        };
        let Some(rows) = screened.table.rows().taken(shown)? else { return Ok(None) };
        let unlisted = (!unread.is_empty()).then(|| why_unlisted(&unread, fields));
        let notes: Vec<&String> = screen.iter().flat_map(|screen| &screen.notes).chain(&unlisted).collect();
        let is_few = unread.is_empty() && found.len() <= FEW;
        let asked_of: Vec<Filter> =
            conditions.iter().filter(|it| !it.is_left_out).map(|it| it.filter.clone()).collect();
        let facets = if unread.is_empty() { facets(&screened, &conditions, &failures)? } else { Vec::new() };
        let around = json!({
            "words": words(&Filter::All(asked_of), fields),
            "sorted_by": format!("{field} {}", if direction == Direction::Asc { "asc" } else { "desc" }),
            "not_understood": unread,
            "notes": notes,
            "conditions": conditions_json(&conditions, is_few.then_some(&failures), fields),
            "facets": facets,
        });
        let around = match around {
            Json::Object(around) => around,
            _ => Map::new(),
        };
        Ok(Some(FilteredRows { rows, around, extent }))
    }
}

/// Reads the sentence. If nothing in it is understood, all of it is returned as not understood.
fn read(grammar: &Grammar, sentence: &str) -> Result<Screen, ClientError> {
    match grammar.read(sentence) {
        Err(nothing @ QueryError::NothingUnderstood(_)) => Ok(Screen {
            filter: Filter::everything(),
            sort: None,
            limit: None,
            per: None,
            not_understood: vec![UnreadWords { words: sentence.trim().to_owned(), at: 0 }],
            notes: vec![nothing.to_string()],
        }),
        read => read.map_err(|error| ClientError::new(ErrorKind::BadRequest, format!("`query`: {error}"))),
    }
}

/// Returns the conditions of the sentence, then the limits.
fn conditions(
    asked: &HandlerCall<'_>,
    screen: Option<&Screen>,
    fields: &Fields,
) -> Result<Vec<ScreenCondition>, ClientError> {
    let of_sentence: &[Filter] = screen.map_or(&[], |screen| screen.filter.conditions());
    let left_out = left_out(asked.list("without"), of_sentence.len())?;
    let of_sentence = of_sentence.iter().zip(1..).map(|(filter, place)| ScreenCondition {
        filter: filter.clone(),
        place: Some(place),
        limited_by: None,
        is_left_out: left_out.contains(&place),
    });
    let limited = limits(asked, fields).into_iter().map(|(name, filter): ScreenLimit| ScreenCondition {
        filter,
        place: None,
        limited_by: Some(name),
        is_left_out: false,
    });
    Ok(of_sentence.chain(limited).collect())
}

/// Returns the positions that `without` names.
fn left_out(named: &[String], conditions: usize) -> Result<Vec<usize>, ClientError> {
    let place = |text: &String| text.parse::<usize>().ok().filter(|place| (1..=conditions).contains(place));
    let wrong = |text: &String| {
        let message = match conditions {
            0 => {
                format!("`without`: there is no condition `{text}`, as `query` has none; leave `without` out")
            }
            _ => {
                format!("`without`: `{text}` is no condition of `query`; it has those from 1 to {conditions}")
            }
        };
        ClientError::new(ErrorKind::BadRequest, message)
    };
    named.iter().map(|text| place(text).ok_or_else(|| wrong(text))).collect()
}

/// Returns the requested order: by a parameter, by the sentence (by strength if it has none), else by size.
fn order(asked: &HandlerCall<'_>, screen: Option<&Screen>, fields: &Fields) -> (String, Direction) {
    let is_rising = asked.text("sort_dir") == Some("asc");
    let direction = if is_rising { Direction::Asc } else { Direction::Desc };
    match (asked.text("sort_by"), screen) {
        (Some("market_cap"), _) | (None, None) => (fields.market_cap().to_owned(), direction),
        (Some(field), _) => (field.to_owned(), direction),
        (None, Some(screen)) => {
            let (field, direction) = order_of(screen, fields);
            (field.to_owned(), direction)
        }
    }
}

impl Failures {
    /// Tests the rows of a universe, or all. A row outside fails two, so that it never meets all but one.
    fn count(
        screened: &ScreenedSet,
        conditions: &[ScreenCondition],
        universe: Option<&[String]>,
    ) -> Result<Self, ClientError> {
        const OUTSIDE: u32 = 2;
        let ScreenedSet { table, grammar } = screened;
        let mut failures = vec![(0, 0); table.rows().len()];
        if let Some(symbols) = universe {
            for (symbol, failed) in table.rows().texts("symbol").iter().zip(&mut failures) {
                if symbol.as_ref().is_none_or(|symbol| !symbols.contains(symbol)) {
                    failed.0 = OUTSIDE;
                }
            }
        }
        for (place, condition) in
            conditions.iter().enumerate().filter(|(_, condition)| !condition.is_left_out)
        {
            let mut meets = table.matching(&condition.filter, grammar.fields())?.into_iter().peekable();
            for (row, failed) in (0_u32..).zip(&mut failures) {
                if meets.next_if_eq(&row).is_none() {
                    *failed = (failed.0 + 1, place);
                }
            }
        }
        Ok(Self(failures))
    }

    /// Returns the rows for which `is_kept` is true, given the index of a failed condition and the number of failed ones.
    fn rows(&self, is_kept: impl Fn(usize, u32) -> bool) -> Vec<u32> {
        let kept = (0_u32..).zip(&self.0).filter(|(_, (count, place))| is_kept(*place, *count));
        kept.map(|(row, _)| row).collect()
    }

    /// Returns true if a row meets all conditions except possibly one.
    fn meets_without(&self, row: usize, condition: Option<usize>) -> bool {
        let met = |(count, place)| count == 0 || (count == 1 && Some(place) == condition);
        self.0.get(row).copied().is_some_and(met)
    }

    /// Counts the rows that meet all conditions except possibly one.
    fn count_without(&self, condition: Option<usize>) -> usize {
        (0..self.0.len()).filter(|row| self.meets_without(*row, condition)).count()
    }
}

/// Describes the conditions for callers; with `failures`, also the number of matches without each.
fn conditions_json(
    conditions: &[ScreenCondition],
    failures: Option<&Failures>,
    fields: &Fields,
) -> Vec<Json> {
    let told = conditions.iter().enumerate().map(|(at, condition)| {
        let counted = failures.filter(|_| !condition.is_left_out);
        json!({
            "condition": words(&condition.filter, fields),
            "place": condition.place,
            "limited_by": condition.limited_by,
            "fields": condition.filter.fields(),
            "is_left_out": condition.is_left_out,
            "without_it": counted.map(|failures| failures.count_without(Some(at))),
        })
    });
    told.collect()
}

/// Counts the stocks of each sector, industry, stage and size that meet all conditions except the limit of the same name.
fn facets(
    screened: &Arc<ScreenedSet>,
    conditions: &[ScreenCondition],
    failures: &Failures,
) -> Result<Vec<Json>, ClientError> {
    let ScreenedSet { table, grammar } = &**screened;
    let fields = grammar.fields();
    let is_counted = |facet: &str| {
        let limit = conditions.iter().position(|condition| condition.limited_by.as_deref() == Some(facet));
        move |row| failures.meets_without(row, limit)
    };
    let mut counted = Vec::new();
    let mut add = |facet: &str, mut values: Vec<(String, usize)>, by_count: bool| {
        values.retain(|(_, count)| *count > 0);
        if by_count {
            values.sort_by(|(a, more), (b, fewer)| fewer.cmp(more).then_with(|| a.cmp(b)));
        }
        let told = |(value, count)| json!({"facet": facet, "facet_value": value, "stock_count": count});
        counted.extend(values.into_iter().map(told));
    };
    let of_filters = |facet: &str, filters: Vec<(String, Filter)>| {
        let is_counted = is_counted(facet);
        let count = |(value, filter): (String, Filter)| {
            let meets = table.matching(&filter, fields)?;
            Ok((value, meets.iter().filter(|row| is_counted(**row as usize)).count()))
        };
        filters.into_iter().map(count).collect::<Result<Vec<_>, ClientError>>()
    };
    let sizes = SIZES.iter().filter_map(|(word, _)| Some(((*word).to_owned(), size(word, fields)?)));
    add("cap", of_filters("cap", sizes.collect())?, false);
    let stages = (1..=4).map(|stage| (stage.to_string(), of_stage(f64::from(stage))));
    add("stage", of_filters("stage", stages.collect())?, false);
    for facet in ["sector", "industry"] {
        add(facet, table.counts(facet, is_counted(facet)), true);
    }
    Ok(counted)
}
