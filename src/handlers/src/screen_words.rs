//! The screen of the explorer: a sentence and limits as one list of conditions, the stocks that meet them all, how many meet all others
//! but one, and how many of each sector, industry, stage and size there are.
//!
//! A row is held against each condition once. What it fails is counted; everything else follows from these counts.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

use super::handler::{Handler, HandlerCall, KeptRows};
use super::screen_by_words::{first_of_each, order_of, rows_asked_for, why_unlisted};
use super::screen_limits::{SIZES, ScreenLimit, limits, of_stage, size};
use super::screened::{Screened, ScreenedSets};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_engine::Extent;
use parquote_language::{Direction, Fields, Filter, Grammar, QueryError, Screen, UnreadWords, words};

/// So many matches are few: what each condition costs is told.
const FEW: usize = 20;

/// `explore/screen-words` and its US twin.
#[derive(Default)]
pub(super) struct ScreenWords(ScreenedSets);

/// A condition of the screen.
struct ScreenCondition {
    filter: Filter,
    /// Its place in the sentence, from 1.
    place: Option<usize>,
    /// The parameter of a limit.
    limited_by: Option<String>,
    is_left_out: bool,
}

/// How many conditions each row fails, and one that it fails.
struct Failures(Vec<(u32, usize)>);

#[async_trait]
impl Handler for ScreenWords {
    async fn answer(&self, _: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        Err(ClientError::new(ErrorKind::Internal, "this operation answers with rows"))
    }

    async fn rows(&self, asked: &HandlerCall<'_>) -> Result<Option<KeptRows>, ClientError> {
        let screened = self.0.of(asked).await?;
        let fields = screened.grammar.fields();
        let screen = asked.text("query").map(|sentence| read(&screened.grammar, sentence)).transpose()?;
        let conditions = conditions(asked, screen.as_ref(), fields)?;
        let failures = Failures::of(&screened, &conditions, asked.list_sent("list"))?;
        let unread: Vec<&str> =
            screen.iter().flat_map(|screen| &screen.not_understood).map(|it| &*it.words).collect();
        // A condition that is not understood is not left out: a list without it would answer another question.
        let found = if unread.is_empty() { failures.rows(|_, count| count == 0) } else { Vec::new() };
        let most = rows_asked_for(screen.as_ref());
        let (field, direction) = order(asked, screen.as_ref(), fields);
        let found = first_of_each(&screened.table, found, screen.as_ref(), (&field, direction))?;
        let limit = asked.int("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        let (total, end) = (found.len().min(most), asked.offset.saturating_add(limit));
        let first = screened.table.first(&found, (&field, direction), total.min(end))?;
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
            "conditions": told(&conditions, is_few.then_some(&failures), fields),
            "facets": facets,
        });
        let around = match around {
            Json::Object(around) => around,
            _ => Map::new(),
        };
        Ok(Some(KeptRows { rows, around, extent }))
    }
}

/// What the sentence asks. One of which nothing was understood asks nothing that can be answered.
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

/// The conditions of the sentence, then the limits.
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

/// The places that `without` names.
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

/// The order that is asked for: by a parameter, by the sentence, or else by size; of a sentence without an order, by strength.
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
    /// Of the rows of a universe, or of all. A row outside is far from meeting all but one.
    fn of(
        screened: &Screened,
        conditions: &[ScreenCondition],
        universe: Option<&[String]>,
    ) -> Result<Self, ClientError> {
        const OUTSIDE: u32 = 2;
        let Screened { table, grammar } = screened;
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

    /// The rows of which this holds: one condition that a row fails, and how many it fails.
    fn rows(&self, is_kept: impl Fn(usize, u32) -> bool) -> Vec<u32> {
        let kept = (0_u32..).zip(&self.0).filter(|(_, (count, place))| is_kept(*place, *count));
        kept.map(|(row, _)| row).collect()
    }

    /// Whether a row meets all conditions but perhaps one.
    fn meets_without(&self, row: usize, condition: Option<usize>) -> bool {
        let met = |(count, place)| count == 0 || (count == 1 && Some(place) == condition);
        self.0.get(row).copied().is_some_and(met)
    }

    /// How many rows do.
    fn count_without(&self, condition: Option<usize>) -> usize {
        (0..self.0.len()).filter(|row| self.meets_without(*row, condition)).count()
    }
}

/// The conditions as callers read them; `failures` where it is told how many stocks match without each.
fn told(conditions: &[ScreenCondition], failures: Option<&Failures>, fields: &Fields) -> Vec<Json> {
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

/// How many stocks of each sector, industry, stage and size meet all conditions but the limit of the same name.
fn facets(
    screened: &Arc<Screened>,
    conditions: &[ScreenCondition],
    failures: &Failures,
) -> Result<Vec<Json>, ClientError> {
    let Screened { table, grammar } = &**screened;
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
