//! Converts a raw market to Arrow batches with the declared columns of source tables.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringViewArray,
    StringViewBuilder,
};
use datafusion::error::{DataFusionError, Result};

use super::{row_fingerprint, sessions, statements, user_supplied};
use parquote_catalogue::operation::{Catalogue, Market, Table, TableOrigin, USER_SUPPLIED};
use parquote_functions::arrow_types::table_schema;
use parquote_raw::{
    ActionKind, ActionOrigin, NamedColumns, RawMarket, SectorSource, Session, SpooledValue, Statements,
    StockSpan, SymbolBars, map_in_order,
};

/// The source of the bars of stocks.
pub(super) const BARS: &str = "daily_prices";
/// The source of the digests of each stock's bars up to the end of each year.
pub(super) const DIGESTS: &str = "bar_digests";
/// The source of sessions.
pub(super) const SESSIONS: &str = "sessions";
/// The source of companies.
pub(super) const COMPANIES: &str = "companies";
/// The source of figures of statements.
const STATEMENTS: &str = "statement_lines";

/// Returns the table that a source fills.
pub(super) fn table<'a>(catalogue: &'a Catalogue, market: Market, source: &str) -> Option<&'a Table> {
    let is_filled = |table: &&Table| matches!(&table.origin, TableOrigin::Source(name) if name == source);
    catalogue.tables_in(market).find(is_filled)
}

/// Returns the rows of a short source table; `None` if there was no raw file for the source.
pub(super) fn short_source_rows(source: &str, table: &Table, raw: &RawMarket) -> Option<Result<RecordBatch>> {
    if source == USER_SUPPLIED || table.staging_in(raw.market).is_some() {
        return user_supplied::rows_from_files(table, raw);
    }
    let columns = match source {
        COMPANIES => Ok(company_columns(raw)),
        "bar_spans" => bar_spans(raw),
        DIGESTS => bar_digests(raw),
        SESSIONS => Ok(calendar_columns(raw)),
        "index_members" => Ok(NamedColumns::for_rows(&raw.members)
            .text("index_name", |member| Some(&member.index))
            .date("list_date", |member| Some(member.list_date))
            .text("symbol", |member| Some(&member.symbol))
            .finish()),
        "corporate_actions" => Ok(action_columns(raw)),
        "price_jumps" => Ok(jump_columns(raw)),
        "index_prices" => index_prices(raw),
        // Other sources are tables of records.
        _ => Ok(raw.tables.columns(source)?),
    };
    Some(columns.and_then(|columns| full_table(table, raw.market, &columns)))
}

/// Returns the figures of a long source table; `None` for other tables.
fn long_figures<'a>(source: &str, raw: &'a RawMarket) -> Option<&'a Statements> {
    raw.statements.as_ref().filter(|_| source == STATEMENTS)
}

/// Returns a fingerprint of the rows of a long source table, which takes less time than building its columns; `None` for other tables.
pub(super) fn fingerprint(source: &str, raw: &RawMarket) -> Option<String> {
    long_figures(source, raw).map(statements::fingerprint)
}

/// Returns the rows of a long source table batch by batch, as its columns take several times the memory of its records.
pub(super) fn long_batches<'a>(
    source: &str,
    table: &'a Table,
    raw: &'a RawMarket,
) -> impl Iterator<Item = Result<RecordBatch>> + use<'a> {
    /// Number of rows of a batch. The written file does not depend on it.
    const BATCH_ROWS: usize = 64 * 1024;
    let figures = long_figures(source, raw);
    let pieces = figures.into_iter().flat_map(|all| all.rows.chunks(BATCH_ROWS).map(move |rows| (all, rows)));
    pieces.map(|(all, rows)| full_table(table, raw.market, &statements::figure_columns(all, rows)))
}

/// Converts the bars of some stocks to rows of their table.
pub(super) fn bar_rows(
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
            session.push(sessions::day_of(sessions, *number)?);
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
    let market_cap_assumed = stocks.iter().flat_map(|stock| {
        stock
            .shares
            .iter()
            .zip(&stock.shares_assumed)
            .map(|(shares, assumed)| shares.is_finite().then_some(*assumed))
    });
    let price_segments =
        stocks.iter().flat_map(|stock| stock.price_segment.iter().map(|h| Some(i64::from(*h))));
    let volumes = stocks.iter().flat_map(|stock| stock.volume.iter().copied()).map(Some);
    let delivered_volumes = delivered().map(|(delivered, _)| Some(delivered).filter(|d| *d >= 0));
    let columns = NamedColumns::default()
        .with("symbol", Arc::new(symbol.finish()))
        .with("session", Arc::new(Date32Array::from(session)))
        .with("series", Arc::new(series.finish()))
        .with("price_segment", Arc::new(price_segments.collect::<Int64Array>()))
        .with("open", floats(|stock| &stock.open))
        .with("high", floats(|stock| &stock.high))
        .with("low", floats(|stock| &stock.low))
        .with("close", floats(|stock| &stock.close))
        .with("volume", Arc::new(volumes.collect::<Int64Array>()))
        .with("turnover", Arc::new(turnover.collect::<Float64Array>()))
        .with("delivered", Arc::new(delivered_volumes.collect::<Int64Array>()))
        .with("delivery_pct", Arc::new(delivery_pct.collect::<Float64Array>()))
        .with("cumulative_split_factor", floats(|stock| &stock.cumulative_split_factor))
        .with(
            "change_pct",
            Arc::new(stocks.iter().copied().flat_map(daily_changes).collect::<Float64Array>()),
        )
        .with("market_cap", Arc::new(market_cap.collect::<Float64Array>()))
        .with("market_cap_assumed", Arc::new(market_cap_assumed.collect::<BooleanArray>()));
    full_table(table, market, &columns)
}

/// Returns the change of each close from the previous session's close, in percent; `None` if that close is unknown.
fn daily_changes(stock: &SymbolBars) -> impl Iterator<Item = Option<f64>> + '_ {
    /// Relative changes below this are rounding errors of split adjustment.
    const ROUNDING_ERROR: f64 = 1e-12;
    stock.close.iter().zip(&stock.previous_close).map(|(close, before)| {
        let change = Some(close / before - 1.0).filter(|change| change.is_finite())?;
        Some(if change.abs() < ROUNDING_ERROR { 0.0 } else { 100.0 * change })
    })
}

fn calendar_columns(raw: &RawMarket) -> NamedColumns {
    let missing = |session: &Session| {
        let at = raw.missing.binary_search_by_key(&session.date, |missing| missing.before).ok()?;
        Some(raw.missing.get(at)?.days_in_words())
    };
    let missing: Vec<Option<String>> = raw.sessions.iter().map(missing).collect();
    NamedColumns::for_rows(&raw.sessions)
        .date("session", |session| Some(session.date))
        .int("stocks_traded", |session| Some(i64::from(session.stocks)))
        .finish()
        .with("missing_before", Arc::new(missing.iter().map(Option::as_deref).collect::<StringViewArray>()))
}

fn company_columns(raw: &RawMarket) -> NamedColumns {
    NamedColumns::for_rows(&raw.companies)
        .text("symbol", |company| Some(&company.symbol))
        .text("company_name", |company| company.name.as_deref())
        .text("sector", |company| company.sector.as_deref())
        .text("sector_source", |company| company.sector_source.map(SectorSource::word))
        .text("industry", |company| company.industry.as_deref())
        .text("exchange", |company| company.exchange.as_deref())
        .text("isin", |company| company.isin.as_deref())
        .date("listed_on", |company| company.listed_on)
        .text("cap_counted_in", |company| company.cap_counted_in_symbol.as_deref())
        .finish()
}

fn bar_spans(raw: &RawMarket) -> Result<NamedColumns> {
    let stocks = &raw.stocks;
    let end = |end: fn(&StockSpan) -> u32| -> Result<ArrayRef> {
        let day = |stock: &StockSpan| sessions::day_of(&raw.sessions, end(stock)).map(Some);
        Ok(Arc::new(stocks.iter().map(day).collect::<Result<Date32Array>>()?))
    };
    let assumed = stocks.iter().map(|stock| stock.shares_now.0.is_finite().then_some(stock.shares_now.1));
    Ok(NamedColumns::for_rows(stocks)
        .text("symbol", |stock| Some(&stock.symbol))
        .int("bar_count", |stock| Some(stock.bars as i64))
        .number("cumulative_split_factor_now", |stock| Some(stock.cumulative_split_factor_now))
        .number("shares_now", |stock| Some(stock.shares_now.0).filter(|shares| shares.is_finite()))
        .finish()
        .with("shares_now_assumed", Arc::new(assumed.collect::<BooleanArray>()))
        .with("first_bar", end(|stock| stock.sessions.0)?)
        .with("last_bar", end(|stock| stock.sessions.1)?))
}

fn bar_digests(raw: &RawMarket) -> Result<NamedColumns> {
    let digests = |bars: &SpooledValue<SymbolBars>| {
        let bars = bars.get().map_err(|error| DataFusionError::External(Box::new(error)))?;
        row_fingerprint::digests(&bars, &raw.sessions)
    };
    let of_stocks = map_in_order(raw.bars.iter().collect(), digests);
    let of_stocks = of_stocks.into_iter().collect::<Result<Vec<_>>>()?;
    let symbols = raw.stocks.iter().map(|stock| stock.symbol.as_str()).zip(&of_stocks);
    let rows: Vec<(&str, i32, usize, i64)> = symbols
        .flat_map(|(symbol, digests)| {
            digests.iter().map(move |(year, bars, digest)| (symbol, *year, *bars, *digest))
        })
        .collect();
    Ok(NamedColumns::for_rows(&rows)
        .text("symbol", |(symbol, ..)| Some(symbol))
        .int("year", |(_, year, ..)| Some(i64::from(*year)))
        .int("year_bars", |(_, _, bars, _)| Some(*bars as i64))
        .int("digest", |(.., digest)| Some(*digest))
        .finish())
}

fn action_columns(raw: &RawMarket) -> NamedColumns {
    let kind = |kind: ActionKind| match kind {
        ActionKind::Split => "split",
        ActionKind::Bonus => "bonus",
        ActionKind::Other => "other",
    };
    let origin = |origin: ActionOrigin| match origin {
        ActionOrigin::Given => "given",
        ActionOrigin::Moved => "moved",
        ActionOrigin::Inferred => "inferred",
    };
    NamedColumns::for_rows(&raw.actions)
        .text("symbol", |action| Some(&action.symbol))
        .date("ex_date", |action| Some(action.ex_date))
        .text("action", |action| Some(&action.action))
        .text("action_type", |action| Some(kind(action.kind)))
        .number("factor", |action| Some(action.factor))
        .text("origin", |action| Some(origin(action.origin)))
        .finish()
}

fn jump_columns(raw: &RawMarket) -> NamedColumns {
    NamedColumns::for_rows(&raw.jumps)
        .text("symbol", |jump| Some(&jump.symbol))
        .date("session", |jump| Some(jump.date))
        .number("open", |jump| Some(jump.open))
        .number("previous_close", |jump| Some(jump.previous_close))
        .number("jump_ratio", |jump| Some(jump.ratio))
        .int("sessions_apart", |jump| Some(i64::from(jump.sessions_apart)))
        .finish()
}

fn index_prices(raw: &RawMarket) -> Result<NamedColumns> {
    let indices = &raw.indices;
    let floats = |column: fn(&SymbolBars) -> &Vec<f64>| -> ArrayRef {
        Arc::new(
            indices
                .iter()
                .flat_map(|index| column(index).iter().copied())
                .map(Some)
                .collect::<Float64Array>(),
        )
    };
    let names =
        indices.iter().flat_map(|index| std::iter::repeat_n(Some(index.symbol.as_str()), index.len()));
    let numbers = indices.iter().flat_map(|index| &index.session);
    let dates = numbers.map(|number| sessions::day_of(&raw.sessions, *number).map(Some));
    Ok(NamedColumns::default()
        .with("index_name", Arc::new(names.collect::<StringViewArray>()))
        .with("session", Arc::new(dates.collect::<Result<Date32Array>>()?))
        .with("open", floats(|index| &index.open))
        .with("high", floats(|index| &index.high))
        .with("low", floats(|index| &index.low))
        .with("close", floats(|index| &index.close))
        .with(
            "factor",
            Arc::new(indices.iter().flat_map(SymbolBars::factors).map(Some).collect::<Float64Array>()),
        ))
}

fn full_table(table: &Table, market: Market, columns: &NamedColumns) -> Result<RecordBatch> {
    columns.batch(&table_schema(table, market))
}
