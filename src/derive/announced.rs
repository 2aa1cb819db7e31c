//! What companies and exchanges announce, as Arrow batches of the declared columns: bands, deals, disclosures, holdings, events.
//!
//! Numbers within a day make the keys of rows that may be equal; they follow the order of the rows, which is one of content.

use std::sync::Arc;

use chrono::NaiveDate;
use datafusion::arrow::array::{ArrayRef, Date32Array, Float64Array, Int64Array, StringViewArray};

use super::raw::{Band, Deal, Event, Holding, InsiderTrade};
use crate::engine::arrow_types::days;

/// Rupees of a crore.
const CRORE: f64 = 1e7;

pub(super) fn bands(of: &[Band]) -> Vec<ArrayRef> {
    vec![
        texts(of, |band| Some(&band.symbol)),
        dates(of, |band| Some(band.date)),
        figures(of, |band| band.band_pct),
        texts(of, |band| band.remarks.as_deref()),
    ]
}

pub(super) fn deals(of: &[Deal]) -> Vec<ArrayRef> {
    vec![
        texts(of, |deal| Some(&deal.symbol)),
        dates(of, |deal| Some(deal.date)),
        sequence(of, |deal| (&deal.symbol, deal.date)),
        texts(of, |deal| Some(deal.kind.word())),
        texts(of, |deal| deal.security.as_deref()),
        texts(of, |deal| Some(&deal.client)),
        texts(of, |deal| Some(deal.side.word())),
        Arc::new(of.iter().map(|deal| Some(deal.quantity)).collect::<Int64Array>()),
        figures(of, |deal| Some(deal.price)),
        figures(of, |deal| Some(deal.quantity as f64 * deal.price / CRORE)),
        texts(of, |deal| deal.remarks.as_deref()),
        texts(of, |deal| deal.source.words()),
    ]
}

pub(super) fn insider_trades(of: &[InsiderTrade]) -> Vec<ArrayRef> {
    let shares = |column: fn(&InsiderTrade) -> Option<f64>| whole_numbers(of, column);
    vec![
        texts(of, |trade| Some(&trade.symbol)),
        dates(of, |trade| Some(trade.filed_on)),
        sequence(of, |trade| (&trade.symbol, trade.filed_on)),
        texts(of, |trade| trade.company.as_deref()),
        dates(of, |trade| trade.traded_from),
        dates(of, |trade| trade.traded_to),
        texts(of, |trade| trade.person.as_deref()),
        texts(of, |trade| trade.category.as_deref()),
        texts(of, |trade| trade.security.as_deref()),
        texts(of, |trade| Some(trade.side.word())),
        texts(of, |trade| trade.transaction.as_deref()),
        texts(of, |trade| trade.mode.as_deref()),
        shares(|trade| trade.shares),
        figures(of, |trade| trade.value.map(|value| value / CRORE)),
        shares(|trade| trade.held_before),
        figures(of, |trade| trade.held_before_pct),
        shares(|trade| trade.held_after),
        figures(of, |trade| trade.held_after_pct),
        texts(of, |trade| trade.exchange.as_deref()),
        texts(of, |trade| trade.document.as_deref()),
        texts(of, |trade| trade.source.words()),
    ]
}

pub(super) fn holdings(of: &[Holding]) -> Vec<ArrayRef> {
    vec![
        texts(of, |holding| Some(&holding.symbol)),
        dates(of, |holding| Some(holding.period_end)),
        figures(of, |holding| Some(holding.promoter)),
        figures(of, |holding| Some(holding.public)),
        figures(of, |holding| holding.foreign),
        figures(of, |holding| holding.domestic),
        figures(of, |holding| holding.mutual_funds),
        figures(of, |holding| holding.insurers),
        figures(of, |holding| holding.government),
        figures(of, |holding| holding.others),
        figures(of, |holding| holding.trusts),
        dates(of, |holding| holding.filed_on),
        texts(of, |holding| holding.source.words()),
    ]
}

pub(super) fn events(of: &[Event]) -> Vec<ArrayRef> {
    vec![
        texts(of, |event| Some(&event.symbol)),
        dates(of, |event| Some(event.ex_date)),
        sequence(of, |event| (&event.symbol, event.ex_date)),
        dates(of, |event| event.record_date),
        texts(of, |event| Some(event.kind.word())),
        texts(of, |event| Some(&event.purpose)),
        figures(of, |event| event.factor),
        texts(of, |event| event.source.words()),
    ]
}

pub(super) fn texts<T>(of: &[T], column: impl Fn(&T) -> Option<&str>) -> ArrayRef {
    Arc::new(of.iter().map(column).collect::<StringViewArray>())
}

pub(super) fn dates<T>(of: &[T], column: impl Fn(&T) -> Option<NaiveDate>) -> ArrayRef {
    Arc::new(of.iter().map(|row| column(row).map(days)).collect::<Date32Array>())
}

pub(super) fn figures<T>(of: &[T], column: impl Fn(&T) -> Option<f64>) -> ArrayRef {
    Arc::new(of.iter().map(|row| column(row).filter(|it| it.is_finite())).collect::<Float64Array>())
}

/// Figures that count something, rounded to whole ones.
pub(super) fn whole_numbers<T>(of: &[T], column: impl Fn(&T) -> Option<f64>) -> ArrayRef {
    Arc::new(of.iter().map(|row| column(row).map(|it| it.round() as i64)).collect::<Int64Array>())
}

/// Numbers rows from 1 among the neighbours that `of_one` calls the same.
pub(super) fn sequence<T>(of: &[T], of_one: impl Fn(&T) -> (&String, NaiveDate)) -> ArrayRef {
    let runs = of.chunk_by(|a, b| of_one(a) == of_one(b));
    let numbers = runs.flat_map(|run| (1..).zip(run).map(|(number, _): (i64, _)| Some(number)));
    Arc::new(numbers.collect::<Int64Array>())
}
