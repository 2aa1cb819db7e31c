//! The screener of the explorer combines a sentence and limits into one list of conditions. It returns the stocks that meet all conditions,
//! the number of stocks that meet all but one of them, and the number of stocks in each sector, industry, stage and size.
//!
//! Each condition is evaluated once for each row. All counts follow from the number of failed conditions of each row.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

use super::handler::{FilteredRows, Handler, HandlerCall};
use super::screen_by_words::{
    count_after_conditions, first_of_each, order_of, requested_row_count, why_unlisted,
};
use super::screen_formula::{FORMULAS, add_values, with_formulas};
use super::screen_histograms::histogram;
use super::screen_limits::{SIZES, ScreenLimit, limits_of_call, size_filter, stage_filter};
use super::screen_table::ScreenTable;
use super::screened::{ScreenedSet, ScreenedSets};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_engine::Extent;
use parquote_language::{Direction, Fields, Filter, Grammar, QueryError, Screen, UnreadWords, filter_words};

/// Maximum number of matches for which the answer has the number of matches without each condition.
const FEW_MATCHES: usize = 20;

/// The operation `explore/screen-words` and its US variant.
#[derive(Clone, Default)]
pub(super) struct ScreenWords(Arc<ScreenedSets>);

/// The result of a screen.
struct ScreenMatches {
    screened: Arc<ScreenedSet>,
    /// The stocks with the values of the caller's formulas; `None` without formulas.
    with_formulas: Option<ScreenTable>,
    /// The parsed sentence; `None` without one.
    screen: Option<Screen>,
    conditions: Vec<ScreenCondition>,
    failures: Failures,
    /// Indices of the matching rows; empty if a word of the sentence was not understood.
    rows: Vec<u32>,
    order: (String, Direction),
}

struct ScreenCondition {
    filter: Filter,
    /// Position in the sentence, from 1; `None` for a limit.
    position: Option<usize>,
    /// Name of the parameter of a limit; `None` for a condition of the sentence.
    limited_by: Option<String>,
    is_left_out: bool,
}

impl ScreenCondition {
    /// Returns true if a caller can replace its figure. The figures of a size or a stage are those of a word.
    fn has_own_figure(&self) -> bool {
        let is_range = |name: &String| name.starts_with("min_") || name.starts_with("max_");
        self.limited_by.as_ref().is_none_or(is_range)
    }
}

/// For each row, the number of failed conditions, and the index of the last one.
struct Failures(Vec<(u32, usize)>);

#[async_trait]
impl Handler for ScreenWords {
    async fn answer(&self, _: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        Err(ClientError::new(ErrorKind::Internal, "this operation answers with rows"))
    }

    async fn rows(&self, handler_call: &HandlerCall<'_>) -> Result<Option<FilteredRows>, ClientError> {
        let ScreenMatches {
            screened,
            with_formulas,
            screen,
            conditions,
            failures,
            rows: found,
            order: (field, direction),
        } = self.matches(handler_call).await?;
        let table = with_formulas.as_ref().unwrap_or(&screened.table);
        let fields = screened.grammar.fields();
        let unread: Vec<&str> =
            screen.iter().flat_map(|screen| &screen.not_understood).map(|it| &*it.words).collect();
        let most = requested_row_count(screen.as_ref());
        let limit =
            handler_call.int("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        let (total, end) = (found.len().min(most), handler_call.offset.saturating_add(limit));
        let first = table.first_rows(&found, &field, direction, total.min(end))?;
        let shown = first.get(handler_call.offset..).unwrap_or_default();
        let extent = Extent {
            offset: handler_call.offset,
            rows: shown.len(),
            total: Some(total),
            more: handler_call.offset + shown.len() < total,
        };
        let Some(rows) = table.rows().take_rows(shown)? else { return Ok(None) };
        let rows = add_values(table, shown, rows)?;
        let unlisted = (!unread.is_empty()).then(|| why_unlisted(&unread, fields));
        let notes: Vec<&String> = screen.iter().flat_map(|screen| &screen.notes).chain(&unlisted).collect();
        let is_few = unread.is_empty() && found.len() <= FEW_MATCHES;
        let conditions_of_screen: Vec<Filter> =
            conditions.iter().filter(|it| !it.is_left_out).map(|it| it.filter.clone()).collect();
        let is_none = unread.is_empty() && found.is_empty();
        let funnel = if is_none {
            let within = rows_within(&screened.table, handler_call.list_sent("list"));
            let is_within = |row: u32| within.get(row as usize).is_some_and(|is_within| *is_within);
            count_after_conditions(&screened.table, &conditions_of_screen, fields, is_within)?
        } else {
            Vec::new()
        };
        let facets =
            if unread.is_empty() { count_facets(&screened, &conditions, &failures)? } else { Vec::new() };
        let has_histograms = unread.is_empty() && handler_call.is_set("histograms");
        let histograms =
            if has_histograms { histograms(&screened, &conditions, &failures) } else { Vec::new() };
        let around = json!({
            "words": filter_words(&Filter::All(conditions_of_screen), fields),
            "sorted_by": format!("{field} {}", if direction == Direction::Asc { "asc" } else { "desc" }),
            "not_understood": unread,
            "notes": notes,
            "conditions": conditions_json(&conditions, is_few.then_some(&failures), fields),
            "facets": facets,
            "funnel": funnel,
            "histograms": histograms,
        });
        let around = match around {
            Json::Object(around) => around,
            _ => Map::new(),
        };
        Ok(Some(FilteredRows { rows, around, extent }))
    }
}

/// The first stocks of a screen.
pub(super) struct ListedStocks {
    /// Symbols of the first stocks, in the order of the screen.
    pub symbols: Vec<String>,
    /// The last close of each of them.
    pub closes: Vec<Option<f64>>,
    /// Number of all stocks that it lists.
    pub total: usize,
    /// The reason why no stock is listed, if words of the sentence were not understood.
    pub unread: Option<String>,
}

impl ScreenWords {
    /// Returns the first `most` stocks of a screen, in its order.
    pub(super) async fn listed(
        &self,
        handler_call: &HandlerCall<'_>,
        most: usize,
    ) -> Result<ListedStocks, ClientError> {
        let ScreenMatches { screened, with_formulas, screen, rows, order: (field, direction), .. } =
            self.matches(handler_call).await?;
        let table = with_formulas.as_ref().unwrap_or(&screened.table);
        let total = rows.len().min(requested_row_count(screen.as_ref()));
        let first = table.first_rows(&rows, &field, direction, total.min(most))?;
        let (symbols, closes) = (table.rows().texts("symbol"), table.rows().numbers("price_cmp"));
        let stock = |row: &u32| {
            let at = *row as usize;
            Some((symbols.get(at)?.clone()?, closes.get(at).copied().flatten()))
        };
        let (symbols, closes) = first.iter().filter_map(stock).unzip();
        let unread = screen.filter(|screen| !screen.not_understood.is_empty()).map(|screen| {
            let words: Vec<&str> = screen.not_understood.iter().map(|it| &*it.words).collect();
            let why = why_unlisted(&words, screened.grammar.fields());
            screen.notes.iter().cloned().chain([why]).collect::<Vec<_>>().join("; ")
        });
        Ok(ListedStocks { symbols, closes, total, unread })
    }

    /// Computes the result of the screen of a call.
    async fn matches(&self, handler_call: &HandlerCall<'_>) -> Result<ScreenMatches, ClientError> {
        let screened = self.0.get_or_load(handler_call).await?;
        let fields = screened.grammar.fields();
        let screen =
            handler_call.text("query").map(|sentence| read(&screened.grammar, sentence)).transpose()?;
        let conditions = conditions(handler_call, screen.as_ref(), fields)?;
        let failures = Failures::count(&screened, &conditions, handler_call.list_sent("list"))?;
        // No stock is listed if a condition was not understood, as a list without the condition would answer another request.
        let is_understood = screen.as_ref().is_none_or(|screen| screen.not_understood.is_empty());
        let rows = if is_understood { failures.rows(|_, count| count == 0) } else { Vec::new() };
        let (field, direction) = order(handler_call, screen.as_ref(), fields);
        let with_formulas = with_formulas(handler_call, &screened.table)?;
        let table = with_formulas.as_ref().unwrap_or(&screened.table);
        let rows = first_of_each(table, rows, screen.as_ref(), &field, direction)?;
        let order = (field, direction);
        Ok(ScreenMatches { screened, with_formulas, screen, conditions, failures, rows, order })
    }
}

/// Parses the sentence. If nothing in it is understood, the result has the whole sentence as not understood.
fn read(grammar: &Grammar, sentence: &str) -> Result<Screen, ClientError> {
    match grammar.read(sentence) {
        Err(nothing @ QueryError::NothingUnderstood(..)) => Ok(Screen {
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

/// Returns the conditions of the sentence, then those of the limits.
fn conditions(
    handler_call: &HandlerCall<'_>,
    screen: Option<&Screen>,
    fields: &Fields,
) -> Result<Vec<ScreenCondition>, ClientError> {
    let of_sentence: &[Filter] = screen.map_or(&[], |screen| screen.filter.conditions());
    let left_out = conditions_left_out(handler_call.list("without"), of_sentence.len())?;
    let replaced = replaced_figures(handler_call.list("figures"), of_sentence)?;
    let of_sentence = of_sentence.iter().zip(1..).map(|(filter, position)| ScreenCondition {
        filter: replaced.get(&position).unwrap_or(filter).clone(),
        position: Some(position),
        limited_by: None,
        is_left_out: left_out.contains(&position),
    });
    let limited = limits_of_call(handler_call, fields).into_iter().map(|(name, filter): ScreenLimit| {
        ScreenCondition { filter, position: None, limited_by: Some(name), is_left_out: false }
    });
    Ok(of_sentence.chain(limited).collect())
}

/// Returns the positions of conditions that `without` names.
fn conditions_left_out(named: &[String], conditions: usize) -> Result<Vec<usize>, ClientError> {
    let position =
        |text: &String| text.parse::<usize>().ok().filter(|position| (1..=conditions).contains(position));
    let wrong = |text: &String| {
        let message = match conditions {
            0 => {
                format!("`without`: there is no condition `{text}`, as `query` has none; leave `without` out")
            }
            _ => {
                format!(
                    "`without`: `{text}` is not a condition of `query`; it has those from 1 to {conditions}"
                )
            }
        };
        ClientError::new(ErrorKind::BadRequest, message)
    };
    named.iter().map(|text| position(text).ok_or_else(|| wrong(text))).collect()
}

/// Returns the conditions with the figures that `figures` replaces, by their positions.
fn replaced_figures(named: &[String], conditions: &[Filter]) -> Result<HashMap<usize, Filter>, ClientError> {
    let replaced = |text: &String| {
        let (position, figure) = text.split_once(':')?;
        let position = position.trim().parse::<usize>().ok()?;
        let figure = figure.trim().parse::<f64>().ok().filter(|figure| figure.is_finite())?;
        Some((position, conditions.get(position.checked_sub(1)?)?.with_figure(figure)?))
    };
    let wrong = |text: &String| {
        let positions = conditions.iter().zip(1..).filter(|(filter, _)| filter.figure().is_some());
        let positions: Vec<String> =
            positions.map(|(_, position): (_, usize)| position.to_string()).collect();
        let allowed = match positions.first() {
            None => "no condition of `query` has one figure; leave `figures` out".to_owned(),
            Some(first) => format!(
                "write the place of a condition with one figure ({}), a colon and a number, as in `{first}:20`",
                positions.join(", ")
            ),
        };
        ClientError::new(ErrorKind::BadRequest, format!("`figures`: `{text}` replaces nothing; {allowed}"))
    };
    named.iter().map(|text| replaced(text).ok_or_else(|| wrong(text))).collect()
}

/// Returns the field and direction to sort by: those of a parameter, else those of the sentence, else the market capitalisation. A formula
/// that the call does not have is ignored.
fn order(handler_call: &HandlerCall<'_>, screen: Option<&Screen>, fields: &Fields) -> (String, Direction) {
    let is_rising = handler_call.text("sort_dir") == Some("asc");
    let direction = if is_rising { Direction::Asc } else { Direction::Desc };
    let is_available = |by: &&str| !FORMULAS.contains(by) || handler_call.text(by).is_some();
    match (handler_call.text("sort_by").filter(is_available), screen) {
        (Some("market_cap"), _) | (None, None) => (fields.market_cap().to_owned(), direction),
        (Some(field), _) => (field.to_owned(), direction),
        (None, Some(screen)) => {
            let (field, direction) = order_of(screen, fields);
            (field.to_owned(), direction)
        }
    }
}

/// Returns true for each row whose symbol is in a universe; without a universe, for all rows.
fn rows_within(table: &ScreenTable, universe: Option<&[String]>) -> Vec<bool> {
    let Some(names) = universe else { return vec![true; table.rows().len()] };
    let symbols = table.rows().texts("symbol");
    symbols.iter().map(|symbol| symbol.as_ref().is_some_and(|symbol| names.contains(symbol))).collect()
}

impl Failures {
    /// Counts the failed conditions of all rows. A row outside of the universe has at least two failures, so that it never counts as
    /// failing only one condition.
    fn count(
        screened: &ScreenedSet,
        conditions: &[ScreenCondition],
        universe: Option<&[String]>,
    ) -> Result<Self, ClientError> {
        const OUTSIDE_FAILURES: u32 = 2;
        let ScreenedSet { table, grammar } = screened;
        let mut failures = vec![(0, 0); table.rows().len()];
        for (is_within, failed) in rows_within(table, universe).into_iter().zip(&mut failures) {
            if !is_within {
                failed.0 = OUTSIDE_FAILURES;
            }
        }
        for (position, condition) in
            conditions.iter().enumerate().filter(|(_, condition)| !condition.is_left_out)
        {
            let mut meets = table.matching_rows(&condition.filter, grammar.fields())?.into_iter().peekable();
            for (row, failed) in (0_u32..).zip(&mut failures) {
                if meets.next_if_eq(&row).is_none() {
                    *failed = (failed.0 + 1, position);
                }
            }
        }
        Ok(Self(failures))
    }

    /// Returns the indices of the rows for which `is_retained` returns true, called with the index of the last failed condition and the
    /// number of failed conditions.
    fn rows(&self, is_retained: impl Fn(usize, u32) -> bool) -> Vec<u32> {
        let retained = (0_u32..).zip(&self.0).filter(|(_, (count, position))| is_retained(*position, *count));
        retained.map(|(row, _)| row).collect()
    }

    /// Returns true if a row meets all conditions except possibly one.
    fn meets_without(&self, row: usize, condition: Option<usize>) -> bool {
        let is_satisfied = |(count, position)| count == 0 || (count == 1 && Some(position) == condition);
        self.0.get(row).copied().is_some_and(is_satisfied)
    }

    /// Counts the rows that meet all conditions except possibly one.
    fn count_without(&self, condition: Option<usize>) -> usize {
        (0..self.0.len()).filter(|row| self.meets_without(*row, condition)).count()
    }
}

/// Converts the conditions to JSON. With `failures`, each has the number of matches without it.
fn conditions_json(
    conditions: &[ScreenCondition],
    failures: Option<&Failures>,
    fields: &Fields,
) -> Vec<Json> {
    let described = conditions.iter().enumerate().map(|(at, condition)| {
        let counted = failures.filter(|_| !condition.is_left_out);
        json!({
            "condition": filter_words(&condition.filter, fields),
            "place": condition.position,
            "limited_by": condition.limited_by,
            "figure": condition.filter.figure().filter(|_| condition.has_own_figure()),
            "fields": condition.filter.fields(),
            "is_left_out": condition.is_left_out,
            "without_it": counted.map(|failures| failures.count_without(Some(at))),
        })
    });
    described.collect()
}

/// Returns the histogram of each condition on a number, over the stocks that meet all other conditions.
fn histograms(screened: &ScreenedSet, conditions: &[ScreenCondition], failures: &Failures) -> Vec<Json> {
    let of_condition = |(at, condition): (usize, &ScreenCondition)| {
        let is_counted = |row| failures.meets_without(row, Some(at).filter(|_| !condition.is_left_out));
        histogram(&screened.table, at + 1, &condition.filter, is_counted)
    };
    conditions.iter().enumerate().flat_map(of_condition).collect()
}

/// Counts the stocks in each sector, industry, stage and size. They must meet all conditions except a limit on the counted property.
fn count_facets(
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
        let described = |(value, count)| json!({"facet": facet, "facet_value": value, "stock_count": count});
        counted.extend(values.into_iter().map(described));
    };
    let of_filters = |facet: &str, filters: Vec<(String, Filter)>| {
        let is_counted = is_counted(facet);
        let count = |(value, filter): (String, Filter)| {
            let meets = table.matching_rows(&filter, fields)?;
            Ok((value, meets.iter().filter(|row| is_counted(**row as usize)).count()))
        };
        filters.into_iter().map(count).collect::<Result<Vec<_>, ClientError>>()
    };
    let sizes = SIZES.iter().filter_map(|(word, _)| Some(((*word).to_owned(), size_filter(word, fields)?)));
    add("cap", of_filters("cap", sizes.collect())?, false);
    let stages = (1..=4).map(|stage| (stage.to_string(), stage_filter(f64::from(stage))));
    add("stage", of_filters("stage", stages.collect())?, false);
    for facet in ["sector", "industry"] {
        add(facet, table.count_by_text(facet, is_counted(facet)), true);
    }
    Ok(counted)
}
