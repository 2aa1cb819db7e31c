//! The corporate actions in force: those in lists, without duplicates, those that the exchange announces, and those inferred from restated
//! prices. Also lists all actions as events.
//!
//! If two files disagree on a factor, the newer wins; a list of actions has precedence over the exchange's words. An action after the last
//! session is not in force: prices do not reflect it yet. No action adjusts prices twice, and one that several rows name happened once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;

use crate::accounts::row_accounts::RowAccounts;
use crate::domain::action::{Action, ActionKind, ActionOrigin};
use crate::domain::event_kind::EventKind;
use crate::domain::provenance::Provenance;
use crate::domain::reason::Reason;
use crate::domain::session::Session;
use crate::error::RawError;
use crate::files::source::RawSource;
use crate::formats::events::Event;
use crate::purposes::PurposeWords;
use crate::records::duplicates::Duplicate;
use crate::records::positioned_row::PositionedRow;
use crate::records::raw_format::Layout;
use crate::reference_data::WrittenAction;
use crate::report::{Tally, examples};
use crate::steps::action_dates::date_by_prices;
use crate::steps::merge::MergedSymbol;
use crate::steps::one_date::{ConfirmingPrices, NamedAction, select_rows_in_use};
use crate::steps::overlap;
use parquote_catalogue::digits::counted;

/// Maximum difference of two factors of one action: lists truncate decimals, files round prices.
const SAME_FACTOR: f64 = 0.01;

/// Returns the actions by symbol and ex-date, and the events by symbol, ex-date and kind.
pub(crate) fn actions_in_force(
    list_rows: Vec<PositionedRow<WrittenAction>>,
    announced: Vec<Event>,
    merged: &[MergedSymbol],
    sessions: &[Session],
    words: &PurposeWords,
    sources: &[RawSource],
    accounts: &mut RowAccounts<'_>,
) -> Result<(Vec<Action>, Vec<Event>), RawError> {
    let last = sessions.last().map_or(NaiveDate::MIN, |session| session.date);
    let mut inferred = inferred_actions(merged);
    let prices = ConfirmingPrices::new(merged, sessions);
    let announced = deduplicate_events(announced, &prices, accounts)?;
    let mut list_actions = Vec::with_capacity(list_rows.len());
    let mut list_sources = Vec::with_capacity(list_rows.len());
    let mut in_force = Vec::with_capacity(list_rows.len());
    let list_rows = drop_repeated_rows(list_rows, words, sources, accounts);
    let mut list_rows = drop_repeated_actions(list_rows, words, &prices, sources, accounts)?;
    accounts.report.exceptions.extend(date_by_prices(&mut list_rows, &prices)?);
    for placed in list_rows {
        let Some(source) = sources.get(placed.file as usize) else { continue };
        let WrittenAction { symbol, ex_date, words: purpose, factor, is_moved, source: provenance } =
            placed.row;
        if ex_date > last {
            let text = format!("{symbol},{ex_date},{purpose},{factor}");
            accounts.refuse_used(source, placed.line, Reason::AfterLastSession, &text)?;
            continue;
        }
        let kind = kind_of(&purpose, words);
        let origin = if is_moved { ActionOrigin::Moved } else { ActionOrigin::Given };
        let action = Action { kind, symbol, ex_date, action: purpose, factor, origin };
        list_actions.push(action.clone());
        list_sources.push(provenance);
        let is_bar = matches!(source.layout, Layout::Prices(_));
        if inferred.mark_restated(&action) {
            // The row of a price file already counts as a bar.
            let restated = u64::from(!is_bar);
            accounts.book_repetitions(source, &Tally { restated, ..Tally::default() });
        } else {
            in_force.push(action);
        }
    }
    let official = official_actions(&announced, &list_actions, sessions, &prices, accounts);
    in_force.extend(official.into_iter().filter(|action| !inferred.mark_restated(action)));
    in_force.extend(inferred.actions);
    in_force.sort_by(|a, b| (&a.symbol, a.ex_date, a.origin).cmp(&(&b.symbol, b.ex_date, b.origin)));
    Ok((in_force, events(announced, &list_actions, &list_sources, sessions, words)))
}

/// Actions that restated prices imply, with a flag for those that a stated action explains.
struct InferredActions {
    actions: Vec<Action>,
    explained: Vec<bool>,
}

fn inferred_actions(merged: &[MergedSymbol]) -> InferredActions {
    let of = |symbol: &MergedSymbol| {
        let name = symbol.symbol.clone();
        let action = move |&(ex_date, factor): &(NaiveDate, f64)| Action {
            symbol: name.clone(),
            ex_date,
            action: "inferred: a newer file restates the prices before it".to_owned(),
            // A spin-off is restated too, but does not change share counts.
            kind: overlap::simple_split(factor).map_or(ActionKind::Other, |_| ActionKind::Split),
            factor,
            origin: ActionOrigin::Inferred,
        };
        symbol.restated.iter().map(action).collect::<Vec<_>>()
    };
    let actions: Vec<Action> = merged.iter().flat_map(of).collect();
    InferredActions { explained: vec![false; actions.len()], actions }
}

impl InferredActions {
    /// Returns true if an inferred action, dated on or before the ex-date of `stated`, already adjusts older prices for it, so that
    /// `stated` must not adjust them again. Marks that inferred action as explained.
    fn mark_restated(&mut self, stated: &Action) -> bool {
        let same = |inferred: &Action| {
            inferred.symbol == stated.symbol
                && inferred.ex_date <= stated.ex_date
                && is_near(inferred.factor, stated.factor)
        };
        let mut steps = self.actions.iter().zip(&mut self.explained);
        let step = steps.find(|(inferred, explained)| !**explained && same(inferred));
        step.is_some_and(|(_, explained)| {
            *explained = true;
            true
        })
    }
}

fn is_near(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < SAME_FACTOR
}

/// Returns splits and bonuses that the exchange announces and no list of actions has.
fn official_actions(
    announced: &[Event],
    list_actions: &[Action],
    sessions: &[Session],
    prices: &ConfirmingPrices<'_>,
    accounts: &mut RowAccounts<'_>,
) -> Vec<Action> {
    let is_moved = |event: &Event, factor: f64| {
        let mut of_symbol = list_actions
            .iter()
            .filter(|action| action.symbol == event.symbol && action.kind != ActionKind::Other);
        of_symbol
            .any(|action| is_near(action.factor, factor) && prices.are_near(action.ex_date, event.ex_date))
    };
    let mut of_lists: BTreeMap<(&str, NaiveDate), f64> = BTreeMap::new();
    for action in list_actions.iter().filter(|action| action.kind != ActionKind::Other) {
        if let Some(session) = effective_session(action.ex_date, sessions) {
            *of_lists.entry((&action.symbol, session)).or_insert(1.0) *= action.factor;
        }
    }
    let mut actions = Vec::new();
    let mut contradicted = Vec::new();
    for event in announced {
        let (Some(factor), Some(session)) = (event.factor, effective_session(event.ex_date, sessions)) else {
            continue;
        };
        match of_lists.get(&(event.symbol.as_str(), session)) {
            Some(of_list) if is_near(*of_list, factor) => {}
            Some(_) => contradicted.push(format!("{} on {}", event.symbol, event.ex_date)),
            // The list has it on another date.
            None if is_moved(event, factor) => {}
            None => actions.push(Action {
                symbol: event.symbol.clone(),
                ex_date: event.ex_date,
                action: event.purpose.clone(),
                kind: if event.kind == EventKind::Split { ActionKind::Split } else { ActionKind::Bonus },
                factor,
                origin: ActionOrigin::Given,
            }),
        }
    }
    if !contradicted.is_empty() {
        accounts.report.exceptions.push(format!(
            "a list of actions has another factor than the exchange announces, and takes precedence: {}",
            contradicted.join(", ")
        ));
    }
    actions
}

/// Returns the first session on which an action of this date takes effect; `None` after the last.
fn effective_session(date: NaiveDate, sessions: &[Session]) -> Option<NaiveDate> {
    sessions.get(sessions.partition_point(|session| session.date < date)).map(|session| session.date)
}

/// Returns all announced events, and those that only lists of actions have.
fn events(
    announced: Vec<Event>,
    list_actions: &[Action],
    sources: &[Provenance],
    sessions: &[Session],
    words: &PurposeWords,
) -> Vec<Event> {
    let kind = |action: &Action| match action.kind {
        ActionKind::Split => EventKind::Split,
        ActionKind::Bonus => EventKind::Bonus,
        ActionKind::Other => words.read(&action.action).kind(),
    };
    let mut by_symbol: HashMap<&str, Vec<&Event>> = HashMap::new();
    for event in &announced {
        by_symbol.entry(&event.symbol).or_default().push(event);
    }
    let is_announced = |action: &Action| {
        let session = effective_session(action.ex_date, sessions);
        by_symbol.get(action.symbol.as_str()).into_iter().flatten().any(|event| {
            (event.kind == kind(action) || event.factor.is_some_and(|it| is_near(it, action.factor)))
                && effective_session(event.ex_date, sessions) == session
        })
    };
    // A factor of 1 marks a real move: there was no event.
    let is_event = |action: &&Action| (action.factor - 1.0).abs() > f64::EPSILON && !is_announced(action);
    let of_lists: Vec<Event> = list_actions
        .iter()
        .zip(sources)
        .filter(|(action, _)| is_event(action))
        .map(|(action, source)| Event {
            symbol: action.symbol.clone(),
            ex_date: action.ex_date,
            kind: kind(action),
            purpose: action.action.clone(),
            factor: Some(action.factor),
            source: source.clone(),
            ..Event::default()
        })
        .collect();
    let mut events = announced;
    events.extend(of_lists);
    events.sort_by(|a, b| {
        (&a.symbol, a.ex_date, a.kind, &a.purpose).cmp(&(&b.symbol, b.ex_date, b.kind, &b.purpose))
    });
    events
}

/// Returns the events with each split and bonus once. If several rows name one, it stays in the row that prices confirm; the other rows
/// lose it, and are removed if nothing is left in them.
fn deduplicate_events(
    mut announced: Vec<Event>,
    prices: &ConfirmingPrices<'_>,
    accounts: &mut RowAccounts<'_>,
) -> Result<Vec<Event>, RawError> {
    let named = |event: &Event| {
        let (symbol, date) = (event.symbol.clone(), event.ex_date);
        event
            .parts
            .iter()
            .map(move |(kind, factor)| NamedAction {
                symbol: symbol.clone(),
                date,
                kind: *kind,
                factor: *factor,
            })
            .collect::<Vec<_>>()
    };
    let rows: Vec<NamedAction> = announced.iter().flat_map(named).collect();
    let selection = select_rows_in_use(&rows, prices)?;
    accounts.report.exceptions.extend(note_on_several_rows(&selection.notes));
    let mut is_used = selection.is_used.into_iter();
    announced.retain_mut(|event| {
        let parts_before = event.parts.len();
        event.parts.retain(|_| is_used.next().unwrap_or(true));
        if event.parts.len() < parts_before {
            event.factor =
                (!event.parts.is_empty()).then(|| event.parts.iter().map(|(_, factor)| factor).product());
        }
        parts_before == 0 || !event.parts.is_empty() || event.dividend.is_some()
    });
    Ok(announced)
}

/// Removes from lists the splits and bonuses that cannot all be true: the row that prices confirm remains.
fn drop_repeated_actions(
    list_rows: Vec<PositionedRow<WrittenAction>>,
    words: &PurposeWords,
    prices: &ConfirmingPrices<'_>,
    sources: &[RawSource],
    accounts: &mut RowAccounts<'_>,
) -> Result<Vec<PositionedRow<WrittenAction>>, RawError> {
    let named = |placed: &PositionedRow<WrittenAction>| {
        let WrittenAction { symbol, ex_date, words: purpose, factor, .. } = &placed.row;
        let kind = words.read(purpose).kind();
        matches!(kind, EventKind::Split | EventKind::Bonus).then(|| NamedAction {
            symbol: symbol.clone(),
            date: *ex_date,
            kind,
            factor: *factor,
        })
    };
    let named_actions: Vec<Option<NamedAction>> = list_rows.iter().map(named).collect();
    let rows: Vec<NamedAction> = named_actions.iter().flatten().cloned().collect();
    let selection = select_rows_in_use(&rows, prices)?;
    accounts.report.exceptions.extend(note_on_several_rows(&selection.notes));
    let mut is_used = selection.is_used.into_iter();
    let mut unique = Vec::with_capacity(list_rows.len());
    for (placed, name) in list_rows.into_iter().zip(named_actions) {
        if name.is_none() || is_used.next().unwrap_or(true) {
            unique.push(placed);
        } else {
            accounts.book_duplicates(&[Duplicate { file: placed.file, is_same: false }], sources);
        }
    }
    Ok(unique)
}

fn note_on_several_rows(notes: &[String]) -> Option<String> {
    (!notes.is_empty()).then(|| {
        let actions = counted(notes.len(), "split or bonus has", "splits and bonuses have");
        format!(
            "{actions} several rows that cannot all be; the one that prices confirm is used: {}",
            examples(notes, "; ")
        )
    })
}

/// Removes rows of lists that repeat another row.
fn drop_repeated_rows(
    mut list_rows: Vec<PositionedRow<WrittenAction>>,
    words: &PurposeWords,
    sources: &[RawSource],
    accounts: &mut RowAccounts<'_>,
) -> Vec<PositionedRow<WrittenAction>> {
    list_rows.sort_by(|a, b| {
        let key = |it: &PositionedRow<WrittenAction>| {
            (it.row.ex_date, kind_of(&it.row.words, words), Reverse(it.file))
        };
        (&a.row.symbol, key(a), Reverse(a.line)).cmp(&(&b.row.symbol, key(b), Reverse(b.line)))
    });
    let mut unique: Vec<PositionedRow<WrittenAction>> = Vec::with_capacity(list_rows.len());
    for placed in list_rows {
        let action = &placed.row;
        let same = unique.last().map(|unique| &unique.row).filter(|unique| {
            let (kind, kind_of_unique) = (kind_of(&action.words, words), kind_of(&unique.words, words));
            unique.symbol == action.symbol
                && unique.ex_date == action.ex_date
                && kind == kind_of_unique
                && (kind != ActionKind::Other || unique.words == action.words)
        });
        match same {
            Some(same) => {
                let is_same = (same.factor - action.factor).abs() < 1e-9;
                accounts.book_duplicates(&[Duplicate { file: placed.file, is_same }], sources);
            }
            None => unique.push(placed),
        }
    }
    unique
}

fn kind_of(purpose: &str, words: &PurposeWords) -> ActionKind {
    match words.read(purpose).kind() {
        EventKind::Split => ActionKind::Split,
        EventKind::Bonus => ActionKind::Bonus,
        _ => ActionKind::Other,
    }
}
