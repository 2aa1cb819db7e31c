//! The tables that are read, not derived by SQL: a raw market as Arrow batches of the declared columns.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringViewArray, StringViewBuilder,
};
use datafusion::error::Result;

use super::raw::{
    ActionKind, Origin, RawMarket, SectorSource, Session, Statements, SymbolBars, map_in_order,
};
use super::{announced, filed, given, stamps, statements};
use crate::engine::arrow_types::{days, table_schema};
use crate::operation::{GIVEN, Market, Table};

/// The bars of stocks, in the columns of `daily_prices`.
pub(super) const BARS: &str = "daily_prices";

/// The rows of a small source table; `None` where nothing reads a source of that name, or no file of its kind was given.
pub(super) fn batch(source: &str, table: &Table, raw: &RawMarket) -> Option<Result<RecordBatch>> {
    if source == GIVEN {
        return given::batch(table, raw);
    }
    let columns: Vec<ArrayRef> = match source {
        "companies" => companies(raw),
        "bar_spans" => bar_spans(raw),
        "bar_digests" => bar_digests(raw),
        "sessions" => vec![
            Arc::new(raw.sessions.iter().map(|session| Some(days(session.date))).collect::<Date32Array>()),
            Arc::new(
                raw.sessions.iter().map(|session| Some(i64::from(session.stocks))).collect::<Int64Array>(),
            ),
        ],
        "index_members" => vec![
            texts(raw.members.iter().map(|member| Some(member.index.as_str()))),
            Arc::new(raw.members.iter().map(|member| Some(days(member.list_date))).collect::<Date32Array>()),
            texts(raw.members.iter().map(|member| Some(member.symbol.as_str()))),
        ],
        "corporate_actions" => actions(raw),
        "price_jumps" => jumps(raw),
        "index_prices" => index_prices(raw),
        "price_bands" => announced::bands(&raw.bands),
        "deals" => announced::deals(raw.deals.as_ref()?),
        "insider_trades" => match raw.market {
            Market::India => announced::insider_trades(raw.trades.as_ref()?),
            Market::Us => filed::insider_forms(raw.filed.forms.as_ref()?),
        },
        "sec_filings" => filed::filings(raw.filed.filings.as_ref()?),
        "investors" => filed::investors(raw.filed.investors.as_ref()?),
        "investor_positions" => filed::positions(raw.filed.positions.as_ref()?),
        "shareholding" => announced::holdings(raw.holdings.as_ref()?),
        "statement_lines" => {
            let of = raw.statements.as_ref()?;
            statements::columns(of, &of.rows)
        }
        "statement_digests" => statements::digests(raw)?,
        "corporate_events" => announced::events(&raw.events),
        _ => return None,
    };
    Some(whole(table, raw.market, columns))
}

/// A stamp of what is in a source table, where it is long: where finding that it is as it was costs less than writing it.
pub(super) fn stamp(source: &str, raw: &RawMarket) -> Option<String> {
    match source {
        "statement_lines" => raw.statements.as_ref().map(statements::stamp),
        _ => None,
    }
}

/// The lines of the statements of some companies, in the columns of `statement_lines`.
pub(super) fn lines_of(
    table: &Table,
    of: &Statements,
    companies: &BTreeSet<String>,
    market: Market,
) -> Result<RecordBatch> {
    whole(table, market, statements::columns_of(of, companies))
}

/// The bars of some stocks as rows of `daily_prices`.
pub(super) fn bars(
    table: &Table,
    market: Market,
    stocks: &[&SymbolBars],
    sessions: &[Session],
) -> Result<RecordBatch> {
    let rows: usize = stocks.iter().map(|stock| stock.len()).sum();
    let mut symbol = StringViewBuilder::with_capacity(rows);
    let mut series = StringViewBuilder::with_capacity(rows);
    let mut session = Vec::with_capacity(rows);
    for stock in stocks {
        for (number, word) in stock.session.iter().zip(&stock.series) {
            symbol.append_value(&stock.symbol);
            series.append_option(Some(word.word()).filter(|word| !word.is_empty()));
            session.push(day(sessions, *number));
        }
    }
    let floats = |column: fn(&SymbolBars) -> &Vec<f64>| -> ArrayRef {
        Arc::new(
            stocks.iter().flat_map(|stock| column(stock).iter().copied()).map(Some).collect::<Float64Array>(),
        )
    };
    let turnover = stocks.iter().flat_map(|stock| {
        stock.close.iter().zip(&stock.volume).map(|(close, volume)| Some(close * *volume as f64))
    });
    let delivered =
        || stocks.iter().flat_map(|stock| stock.delivered.iter().copied().zip(stock.volume.iter().copied()));
    let delivery_pct = delivered().map(|(delivered, volume)| {
        (delivered >= 0 && volume > 0).then(|| 100.0 * delivered as f64 / volume as f64)
    });
    let market_cap = stocks.iter().flat_map(|stock| {
        stock
            .close
            .iter()
            .zip(&stock.shares)
            .map(|(close, shares)| Some(close * shares).filter(|cap| cap.is_finite()))
    });
    let columns: Vec<ArrayRef> = vec![
        Arc::new(symbol.finish()),
        Arc::new(Date32Array::from(session)),
        Arc::new(series.finish()),
        Arc::new(
            stocks
                .iter()
                .flat_map(|stock| stock.history.iter().map(|h| Some(i64::from(*h))))
                .collect::<Int64Array>(),
        ),
        floats(|stock| &stock.open),
        floats(|stock| &stock.high),
        floats(|stock| &stock.low),
        floats(|stock| &stock.close),
        Arc::new(
            stocks.iter().flat_map(|stock| stock.volume.iter().copied()).map(Some).collect::<Int64Array>(),
        ),
        Arc::new(turnover.collect::<Float64Array>()),
        Arc::new(
            delivered().map(|(delivered, _)| Some(delivered).filter(|d| *d >= 0)).collect::<Int64Array>(),
        ),
        Arc::new(delivery_pct.collect::<Float64Array>()),
        floats(|stock| &stock.shares_of_one),
        Arc::new(stocks.iter().copied().flat_map(changes).collect::<Float64Array>()),
        Arc::new(market_cap.collect::<Float64Array>()),
    ];
    whole(table, market, columns)
}

/// The change of each adjusted close against the bar before in the same history, in percent.
fn changes(stock: &SymbolBars) -> impl Iterator<Item = Option<f64>> + '_ {
    /// Two adjusted closes nearer than this differ only by the arithmetic of splits.
    const SAME: f64 = 1e-12;
    let mut before: Option<(f64, u32)> = None;
    stock.close.iter().zip(&stock.shares_of_one).zip(&stock.history).map(move |((close, shares), history)| {
        let close = close * shares;
        let last = before.replace((close, *history));
        let (last, _) = last.filter(|(last, h)| h == history && *last > 0.0)?;
        let change = close / last - 1.0;
        Some(if change.abs() < SAME { 0.0 } else { 100.0 * change })
    })
}

fn companies(raw: &RawMarket) -> Vec<ArrayRef> {
    let of = &raw.companies;
    vec![
        texts(of.iter().map(|company| Some(company.symbol.as_str()))),
        texts(of.iter().map(|company| company.name.as_deref())),
        texts(of.iter().map(|company| company.sector.as_deref())),
        texts(of.iter().map(|company| company.sector_source.map(SectorSource::word))),
        texts(of.iter().map(|company| company.industry.as_deref())),
        texts(of.iter().map(|company| company.exchange.as_deref())),
        texts(of.iter().map(|company| company.isin.as_deref())),
        Arc::new(of.iter().map(|company| company.listed_on.map(days)).collect::<Date32Array>()),
        texts(of.iter().map(|company| company.cap_counted_in.as_deref())),
    ]
}

fn bar_spans(raw: &RawMarket) -> Vec<ArrayRef> {
    let of = &raw.stocks;
    let end = |end: fn(&[u32]) -> Option<&u32>| -> ArrayRef {
        let days = of.iter().map(|stock| end(&stock.session).map(|number| day(&raw.sessions, *number)));
        Arc::new(days.collect::<Date32Array>())
    };
    vec![
        texts(of.iter().map(|stock| Some(stock.symbol.as_str()))),
        end(<[u32]>::first),
        end(<[u32]>::last),
        Arc::new(of.iter().map(|stock| Some(stock.len() as i64)).collect::<Int64Array>()),
        Arc::new(of.iter().map(|stock| Some(stock.shares_of_one_now)).collect::<Float64Array>()),
    ]
}

fn bar_digests(raw: &RawMarket) -> Vec<ArrayRef> {
    let of_stocks = map_in_order(raw.stocks.iter().collect(), |stock| stamps::digests(stock, &raw.sessions));
    let of = || {
        let symbols = raw.stocks.iter().map(|stock| stock.symbol.as_str()).zip(&of_stocks);
        symbols
            .flat_map(|(symbol, digests)| digests.iter().map(move |(year, digest)| (symbol, *year, *digest)))
    };
    vec![
        texts(of().map(|(symbol, ..)| Some(symbol))),
        Arc::new(of().map(|(_, year, _)| Some(i64::from(year))).collect::<Int64Array>()),
        Arc::new(of().map(|(.., digest)| Some(digest)).collect::<Int64Array>()),
    ]
}

fn actions(raw: &RawMarket) -> Vec<ArrayRef> {
    let of = &raw.actions;
    let kind = |kind: ActionKind| match kind {
        ActionKind::Split => "split",
        ActionKind::Bonus => "bonus",
        ActionKind::Other => "other",
    };
    let origin = |origin: Origin| match origin {
        Origin::Given => "given",
        Origin::Inferred => "inferred",
    };
    vec![
        texts(of.iter().map(|action| Some(action.symbol.as_str()))),
        Arc::new(of.iter().map(|action| Some(days(action.ex_date))).collect::<Date32Array>()),
        texts(of.iter().map(|action| Some(action.action.as_str()))),
        texts(of.iter().map(|action| Some(kind(action.kind)))),
        Arc::new(of.iter().map(|action| Some(action.factor)).collect::<Float64Array>()),
        texts(of.iter().map(|action| Some(origin(action.origin)))),
    ]
}

fn jumps(raw: &RawMarket) -> Vec<ArrayRef> {
    let of = &raw.jumps;
    let floats = |column: fn(&super::raw::Jump) -> f64| -> ArrayRef {
        Arc::new(of.iter().map(|jump| Some(column(jump))).collect::<Float64Array>())
    };
    vec![
        texts(of.iter().map(|jump| Some(jump.symbol.as_str()))),
        Arc::new(of.iter().map(|jump| Some(days(jump.date))).collect::<Date32Array>()),
        floats(|jump| jump.open),
        floats(|jump| jump.previous_close),
        floats(|jump| jump.ratio),
    ]
}

fn index_prices(raw: &RawMarket) -> Vec<ArrayRef> {
    let of = &raw.indices;
    let floats = |column: fn(&SymbolBars) -> &Vec<f64>| -> ArrayRef {
        Arc::new(
            of.iter().flat_map(|index| column(index).iter().copied()).map(Some).collect::<Float64Array>(),
        )
    };
    let names = of.iter().flat_map(|index| std::iter::repeat_n(Some(index.symbol.as_str()), index.len()));
    let dates =
        of.iter().flat_map(|index| index.session.iter().map(|number| Some(day(&raw.sessions, *number))));
    vec![
        texts(names),
        Arc::new(dates.collect::<Date32Array>()),
        floats(|index| &index.open),
        floats(|index| &index.high),
        floats(|index| &index.low),
        floats(|index| &index.close),
        Arc::new(of.iter().flat_map(SymbolBars::factors).map(Some).collect::<Float64Array>()),
    ]
}

fn day(sessions: &[Session], number: u32) -> i32 {
    sessions.get(number as usize).map(|session| days(session.date)).unwrap_or_default()
}

fn texts<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(values.collect::<StringViewArray>())
}

fn whole(table: &Table, market: Market, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    Ok(RecordBatch::try_new(table_schema(table, market), columns)?)
}
