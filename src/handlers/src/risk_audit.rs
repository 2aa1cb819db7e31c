//! The operations for the risk audit and the allocation. Closes of symbols come from the snapshot; [`parquote_risk`] computes the figures.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::NaiveDate;
use serde_json::{Value as Json, json};

use super::handler::{Handler, HandlerCall};
use super::handler::{field, set_field};
use super::rounding::round_fractions;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Arguments;
use parquote_risk::{AlignedPrices, Method, RiskError, align, allocate, audit};

/// The operation `compute_committee_risk`.
pub(super) struct RiskAudit;

/// The operation `allocate_committee_risk`.
pub(super) struct RiskAllocation;

/// The input of both operations.
struct PortfolioCloses {
    /// Closes of each symbol, ascending by session.
    symbols: Vec<(String, Vec<(NaiveDate, f64)>)>,
    /// Sessions of the market, ascending.
    sessions: Vec<NaiveDate>,
    benchmark: Vec<(NaiveDate, f64)>,
    benchmark_name: Option<String>,
}

#[async_trait]
impl Handler for RiskAudit {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let (closes, prices) = PortfolioCloses::read(call).await?;
        let weights = weights_of_call(call)?;
        let figures = audit(&prices, closes.benchmark(), &weights).map_err(|error| risk_refusal(&error))?;
        let answer = round_fractions(&figures).map_err(serialization_error)?;
        let mut fields = common_fields(call, &closes, &answer);
        for (name, within) in [
            ("portfolio", "portfolio"),
            ("stocks", "holdings"),
            ("correlations", "correlations"),
            ("warnings", "warnings"),
        ] {
            set_field(&mut fields, name, field(&answer, within));
        }
        Ok(call.ordered(fields))
    }
}

#[async_trait]
impl Handler for RiskAllocation {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let (closes, prices) = PortfolioCloses::read(call).await?;
        let method = parse_method(call)?;
        let figures = allocate(&prices, method, call.number("max_weight"), closes.benchmark())
            .map_err(|error| risk_refusal(&error))?;
        let answer = round_fractions(&figures).map_err(serialization_error)?;
        let mut fields = common_fields(call, &closes, &answer);
        for name in ["method", "weights", "portfolio", "covariance", "capped", "order", "warnings"] {
            set_field(&mut fields, name, field(&answer, name));
        }
        Ok(call.ordered(fields))
    }
}

impl PortfolioCloses {
    /// Reads the closes and aligns them on common sessions. Only the newest sessions are read, unless they have too few common sessions.
    async fn read(call: &HandlerCall<'_>) -> Result<(Self, AlignedPrices), ClientError> {
        let newest = Self::select(call, call.arguments).await?;
        if let Ok(prices) = newest.align_prices(call)
            && prices.sessions().len() > prices.lookback()
            && newest.benchmark().is_some()
        {
            return Ok((newest, prices));
        }
        let all = Self::select(call, &call.arguments.without(call.operation, "lookback")).await?;
        let prices = all.align_prices(call)?;
        Ok((all, prices))
    }

    async fn select(call: &HandlerCall<'_>, arguments: &Arguments) -> Result<Self, ClientError> {
        let rows = call.rows(arguments).await?;
        let sessions = rows.dates("session");
        let (positions, closes) = (rows.positions_in("symbol", call.list("symbols")), rows.numbers("close"));
        let bars = sessions.iter().zip(closes).zip(positions).zip(rows.numbers("price_segment"));
        let mut symbols: Vec<_> = call.list("symbols").iter().map(|symbol| (symbol, Vec::new())).collect();
        for (((session, close), position), segment) in bars {
            if let (Some(session), Some(close), Some(position), Some(segment)) =
                (*session, close, position, segment)
                && let Some((_, series)) = symbols.get_mut(position)
            {
                series.push((session, close, segment));
            }
        }
        let of_last_segment = |(symbol, series): (&String, Vec<(NaiveDate, f64, f64)>)| {
            // No figure spans an unexplained price jump.
            let last = series.iter().fold(f64::NEG_INFINITY, |last, (.., segment)| last.max(*segment));
            let retained = series.into_iter().filter(|(.., segment)| *segment >= last);
            (symbol.clone(), retained.map(|(session, close, _)| (session, close)).collect())
        };
        // A session has a row for each symbol that traded, each with the close of the benchmark.
        let benchmark_rows = sessions.iter().zip(rows.numbers("benchmark_close"));
        let mut benchmark: Vec<_> =
            benchmark_rows.filter_map(|(session, close)| Some(((*session)?, close?))).collect();
        benchmark.dedup_by_key(|(session, _)| *session);
        let mut sessions: Vec<NaiveDate> = sessions.into_iter().flatten().collect();
        sessions.dedup();
        Ok(Self {
            symbols: symbols.into_iter().map(of_last_segment).collect(),
            sessions,
            benchmark,
            benchmark_name: rows.last_text("benchmark"),
        })
    }

    fn align_prices(&self, call: &HandlerCall<'_>) -> Result<AlignedPrices, ClientError> {
        let lookback = call.int("lookback").and_then(|lookback| usize::try_from(lookback).ok());
        align(&self.symbols, &self.sessions, lookback.unwrap_or(parquote_risk::DEFAULT_LOOKBACK))
            .map_err(|error| risk_refusal(&error))
    }

    fn benchmark(&self) -> Option<&[(NaiveDate, f64)]> {
        (!self.benchmark.is_empty()).then_some(self.benchmark.as_slice())
    }
}

/// Builds the first fields of the answer of either operation.
fn common_fields(call: &HandlerCall<'_>, closes: &PortfolioCloses, answer: &Json) -> Json {
    let sessions = field(answer, "sessions");
    json!({
        "market": call.market.word(),
        "as_of": field(answer, "as_of"),
        "from": field(&sessions, "from"),
        "sessions": sessions.get("count").and_then(Json::as_u64).unwrap_or_default().saturating_sub(1),
        "benchmark": closes.benchmark_name,
    })
}

/// Returns the weights of the call; equal weights if it has none.
fn weights_of_call(call: &HandlerCall<'_>) -> Result<Vec<f64>, ClientError> {
    let texts = call.list("weights");
    let symbols = call.list("symbols").len();
    if texts.is_empty() {
        return Ok(vec![1.0 / symbols as f64; symbols]);
    }
    if texts.len() != symbols {
        let message = format!(
            "`weights`: {} are given for {symbols} symbols; give one for each, in the order of `symbols` (one that is named twice \
             counts once)",
            texts.len()
        );
        return Err(ClientError::new(ErrorKind::BadRequest, message));
    }
    let number = |text: &String| {
        text.parse::<f64>().map_err(|_| {
            ClientError::new(ErrorKind::BadRequest, format!("`weights`: `{text}` is not a number"))
        })
    };
    texts.iter().map(number).collect()
}

fn parse_method(call: &HandlerCall<'_>) -> Result<Method, ClientError> {
    let word = call.text("method").unwrap_or_default();
    serde_json::from_value(json!(word)).map_err(|_| {
        ClientError::new(ErrorKind::BadRequest, format!("`method`: `{word}` is not a method of allocation"))
    })
}

fn risk_refusal(error: &RiskError) -> ClientError {
    ClientError::new(ErrorKind::BadRequest, error.to_string())
}

fn serialization_error(error: serde_json::Error) -> ClientError {
    ClientError::from_cause(ErrorKind::Internal, "the server failed to write the answer", error)
}
