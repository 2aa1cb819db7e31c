//! The operation `screens/ledger`: the ledgers of an owner's screens and committees, and what followed their picks.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use chrono::NaiveDate;
use serde_json::{Value as Json, json};

use super::handler::{Handler, HandlerCall, set_field};
use super::rounding::round_fractions;
use super::screen_ledger::{LedgerName, damaged, is_of_model};
use super::screen_members::SavedScreen;
use super::screen_score::{BaseReturns, PickReturn, PickScore};
use super::watchlists::{SavedItemStore, unknown_item};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Arguments, Market, Value, close_of};
use parquote_engine::AnswerRows;
use parquote_set::{Ledger, LedgerEntry};
use parquote_state::{SavedItemKind, SavedItemRow};

/// Maximum number of different stocks that are scored at once, which bounds memory.
const MOST_SYMBOLS: usize = 1_000;

/// Maximum value of `sessions`: the sessions for which the returns of all stocks are cached.
const MOST_SESSIONS: i64 = 504;

/// Number of stocks whose bars are read at once for the returns of all stocks, which bounds memory.
const STOCKS_AT_ONCE: usize = 800;

/// The ledgers of all owners.
pub(super) struct ScreenLedgers {
    lists: SavedItemStore,
    bases: Mutex<VecDeque<(String, Arc<Bases>)>>,
}

/// Returns of all stocks, by horizon and session.
type Bases = BTreeMap<i64, BTreeMap<NaiveDate, BaseReturns>>;

/// Returns of picked stocks, by symbol, session and horizon.
type Returns = BTreeMap<(String, NaiveDate, i64), f64>;

/// Sums over stocks that traded on a session.
#[derive(Debug, Clone, Copy, Default)]
struct ReturnSum {
    session_number: i64,
    count: f64,
    rising: f64,
    return_pct: f64,
}

/// A ledger under its name.
struct NamedLedger {
    row: SavedItemRow,
    /// Its lines; none if it is damaged.
    ledger: Ledger,
    is_damaged: bool,
}

/// A pick that counts.
struct RecordedPick {
    symbol: String,
    session: NaiveDate,
}

impl ScreenLedgers {
    pub(super) fn new(lists: SavedItemStore) -> Self {
        Self { lists, bases: Mutex::default() }
    }

    /// Reads and verifies the ledgers that a call asks for.
    async fn ledgers(&self, call: &HandlerCall<'_>) -> Result<Vec<NamedLedger>, ClientError> {
        let owner = &*call.owner.name;
        let mut rows = self.lists.all(owner, SavedItemKind::Ledger, call.market).await?;
        if let Some(name) = call.text("name") {
            let is_named = |row: &SavedItemRow| row.name.eq_ignore_ascii_case(name.trim());
            if !rows.iter().any(is_named) {
                return Err(unknown_item(name, &format!("ledger of {}", call.market), &rows));
            }
            rows.retain(is_named);
        }
        let read = |row: SavedItemRow| -> Result<NamedLedger, ClientError> {
            let ledger_of = |text: &str| {
                let screen = LedgerName { owner, market: call.market, name: &row.name };
                screen.ledger(text).map_err(|error| damaged(&row.name, error))
            };
            match ledger_of(&row.content) {
                Ok(ledger) => Ok(NamedLedger { row, ledger, is_damaged: false }),
                // Among others it does not keep them from the caller.
                Err(error) if call.text("name").is_none() => {
                    tracing::error!(market = %call.market, owner, ledger = row.name, %error, "a ledger is damaged");
                    let ledger = ledger_of("")?;
                    Ok(NamedLedger { row, ledger, is_damaged: true })
                }
                Err(error) => Err(error),
            }
        };
        rows.into_iter().map(read).collect()
    }

    /// Returns the returns of all stocks, which are the same for all callers of a set.
    async fn bases(&self, call: &HandlerCall<'_>) -> Result<Arc<Bases>, ClientError> {
        /// Both markets, each before and after a refresh.
        const MOST_SETS: usize = 4;
        let set = call.snapshot.market(call.market).map(|market| Arc::clone(&market.name().id));
        let name = format!("{} {}", call.market, set.unwrap_or_default());
        let cache = || self.bases.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bases)) = cache().iter().find(|(known, _)| *known == name) {
            return Ok(Arc::clone(bases));
        }
        let arguments = call.arguments.without(call.operation, "symbols").without(call.operation, "name");
        let arguments = with(call, arguments, "sessions", Value::Int(MOST_SESSIONS));
        let stocks: Vec<String> =
            call.rows(&arguments).await?.texts("symbol").into_iter().flatten().collect();
        let mut sums = BTreeMap::new();
        for stocks in stocks.chunks(STOCKS_AT_ONCE) {
            let of_stocks = with(call, arguments.clone(), "symbols", Value::List(stocks.to_vec()));
            add_returns(&mut sums, &call.rows(&of_stocks).await?);
        }
        let mut bases = Bases::new();
        for ((after, session), sum) in sums {
            bases.entry(after).or_default().insert(session, sum.base());
        }
        let bases = Arc::new(bases);
        let mut cached = cache();
        cached.push_front((name, Arc::clone(&bases)));
        cached.truncate(MOST_SETS);
        Ok(bases)
    }

    /// Scores the picks of each ledger by page or verdict.
    async fn figures(
        &self,
        call: &HandlerCall<'_>,
        ledgers: &[NamedLedger],
        sessions: &[NaiveDate],
    ) -> Result<Vec<Json>, ClientError> {
        let length = call.int("sessions").and_then(|sessions| usize::try_from(sessions).ok());
        let first = sessions.len().saturating_sub(length.unwrap_or(sessions.len()));
        let Some(first) = sessions.get(first) else { return Ok(Vec::new()) };
        let mut picks = Vec::with_capacity(ledgers.len());
        for ledger in ledgers {
            picks.push(recorded_picks(call, &ledger.ledger, sessions, *first));
        }
        let symbols = picks.iter().flat_map(|of| of.values().flatten()).map(|pick| pick.symbol.clone());
        let symbols: BTreeSet<String> = symbols.collect();
        if symbols.is_empty() {
            return Ok(Vec::new());
        }
        if symbols.len() > MOST_SYMBOLS {
            let message = format!(
                "{} different stocks were picked, and at most {MOST_SYMBOLS} are scored at once; give `name`, or fewer `sessions`",
                symbols.len()
            );
            return Err(ClientError::new(ErrorKind::BadRequest, message));
        }
        let (bases, returns) = (self.bases(call).await?, returns_of(call, symbols).await?);
        let mut figures = Vec::new();
        for (ledger, picks) in ledgers.iter().zip(&picks) {
            for (picked_by, picks) in picks {
                for (horizon, bases) in &*bases {
                    let Some(score) =
                        PickScore::new(&with_returns(picks, &returns, *horizon), bases, *horizon)
                    else {
                        continue;
                    };
                    let mut fields = round_fractions(&score).map_err(|error| {
                        ClientError::from_cause(ErrorKind::Internal, "a score cannot be written", error)
                    })?;
                    set_field(&mut fields, "name", json!(ledger.row.name));
                    set_field(&mut fields, "picked_by", json!(picked_by));
                    figures.push(fields);
                }
            }
        }
        Ok(figures)
    }
}

#[async_trait]
impl Handler for ScreenLedgers {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let ledgers = self.ledgers(call).await?;
        let screens = self.lists.all(&call.owner.name, SavedItemKind::Screen, call.market).await?;
        let is_recorded = |name: &str| {
            let screen = screens.iter().find(|row| row.name.eq_ignore_ascii_case(name));
            let is_marked = |row: &SavedItemRow| SavedScreen::parse(&row.content).recorded_by.is_some();
            is_of_model(name) || screen.is_some_and(is_marked)
        };
        let sessions = call.snapshot.market(call.market).map(|market| market.sessions()).unwrap_or_default();
        let ledger_json = |NamedLedger { row, ledger, is_damaged }: &NamedLedger| {
            let lines = ledger.lines();
            let model = lines.last().and_then(|(line, _)| line.model.as_ref());
            let is_late = |(line, _): &&(LedgerEntry, String)| is_late(call.market, &sessions, line);
            json!({
                "name": row.name,
                "is_recorded": is_recorded(&row.name),
                "is_damaged": is_damaged,
                "line_count": lines.len(),
                "late_count": lines.iter().filter(is_late).count(),
                "trained_until": model.and_then(|model| model.trained_until).map(|day| day.to_string()),
                "unscored_count": lines.iter().filter(|(line, _)| !line.is_scored()).count(),
                "first_session": lines.first().map(|(line, _)| line.session.to_string()),
                "last_session": lines.last().map(|(line, _)| line.session.to_string()),
                "ledger_head": ledger.head(),
                "lines": call.is_set("lines").then(|| row.content.lines().collect::<Vec<_>>()),
            })
        };
        let shown: Vec<Json> = ledgers.iter().map(ledger_json).collect();
        let figures = self.figures(call, &ledgers, &sessions).await?;
        Ok(call.ordered(json!({"count": shown.len(), "ledgers": shown, "figures": figures})))
    }
}

/// Returns true if a line was written after the close of the session after its own.
fn is_late(market: Market, sessions: &[NaiveDate], line: &LedgerEntry) -> bool {
    let next = sessions.get(sessions.partition_point(|session| *session <= line.session));
    next.is_some_and(|next| line.at > close_of(market, *next))
}

/// Returns the picks of a ledger from a session on that count, by page or verdict, under their present symbols: those that were recorded in
/// time, of a model on data that it was not trained on.
fn recorded_picks(
    call: &HandlerCall<'_>,
    ledger: &Ledger,
    sessions: &[NaiveDate],
    first: NaiveDate,
) -> BTreeMap<String, Vec<RecordedPick>> {
    let counts = |line: &LedgerEntry| line.is_scored() && !is_late(call.market, sessions, line);
    let counted = ledger.lines().iter().filter(|(line, _)| counts(line));
    let counted: BTreeSet<u64> = counted.map(|(line, _)| line.entry).collect();
    let wanted = call.list_sent("symbols");
    let mut picks: BTreeMap<String, Vec<RecordedPick>> = BTreeMap::new();
    for pick in ledger.picks(None) {
        let symbol = call.snapshot.present_symbol(call.market, &pick.symbol).unwrap_or(pick.symbol);
        let is_wanted = wanted.is_none_or(|wanted| wanted.contains(&symbol));
        if is_wanted && pick.entered_on >= first && counted.contains(&pick.entry) {
            let session = pick.entered_on;
            picks.entry(pick.scan).or_default().push(RecordedPick { symbol, session });
        }
    }
    picks
}

/// Returns arguments with another value of a parameter.
fn with(call: &HandlerCall<'_>, mut arguments: Arguments, name: &str, value: Value) -> Arguments {
    if let Some(place) = call.operation.params.iter().position(|param| param.name == name) {
        arguments.spell(place, value);
    }
    arguments
}

/// Adds the returns of some stocks, by horizon and session.
fn add_returns(sums: &mut BTreeMap<(i64, NaiveDate), ReturnSum>, rows: &AnswerRows) {
    let number = |name: &str| rows.numbers(name).into_iter();
    let days = number("sessions_after").zip(rows.dates("session")).zip(number("session_number"));
    let figures = number("stock_count").zip(number("rising_count")).zip(number("return_sum"));
    for (day, figures) in days.zip(figures) {
        let (((Some(after), Some(session)), Some(number)), ((Some(count), Some(rising)), Some(sum))) =
            (day, figures)
        else {
            continue;
        };
        let of_day = sums.entry((after as i64, session)).or_default();
        of_day.session_number = number as i64;
        of_day.count += count;
        of_day.rising += rising;
        of_day.return_pct += sum;
    }
}

impl ReturnSum {
    fn base(self) -> BaseReturns {
        BaseReturns {
            session_number: self.session_number,
            return_pct: self.return_pct / self.count,
            rising_pct: 100.0 * self.rising / self.count,
        }
    }
}

/// Returns the returns of stocks from each session on.
async fn returns_of(call: &HandlerCall<'_>, symbols: BTreeSet<String>) -> Result<Returns, ClientError> {
    // With a name the SELECT answers for each stock.
    let arguments = with(call, call.arguments.clone(), "name", Value::Text(String::new()));
    let arguments = with(call, arguments, "symbols", Value::List(symbols.into_iter().collect()));
    let rows = call.rows(&arguments).await?;
    let figures = rows.numbers("sessions_after").into_iter().zip(rows.numbers("return_sum"));
    let stocks = rows.texts("symbol").into_iter().zip(rows.dates("session"));
    let returns = stocks.zip(figures).filter_map(|((symbol, session), (after, return_pct))| {
        Some(((symbol?, session?, after? as i64), return_pct?))
    });
    Ok(returns.collect())
}

/// Returns the picks that have a return over a horizon.
fn with_returns(picks: &[RecordedPick], returns: &Returns, horizon: i64) -> Vec<PickReturn> {
    let of_pick = |pick: &RecordedPick| {
        let return_pct = *returns.get(&(pick.symbol.clone(), pick.session, horizon))?;
        Some(PickReturn { session: pick.session, return_pct })
    };
    picks.iter().filter_map(of_pick).collect()
}
