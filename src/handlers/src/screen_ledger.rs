//! The ledgers of saved screens. The stocks that a marked screen lists in a session are appended to a hash-chained ledger under its name,
//! in the state. No line is ever rewritten, and each session has at most one: the first of several servers on one state writes it.

use std::collections::BTreeMap;

use chrono::DateTime;

use super::handler::HandlerCall;
use super::screen_members::MOST_MEMBERS;
use super::screen_words::{ListedStocks, ScreenWords};
use super::screener_call::ScreenerCall;
use super::watchlists::{SavedItemStore, key_of_name};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;
use parquote_set::{Ledger, ScanPicks, SetError};
use parquote_state::SavedItemKind;

/// The ledger of a screen, or of the committees or a preset of a model, of an owner.
#[derive(Debug, Clone, Copy)]
pub struct LedgerName<'a> {
    /// Owner.
    pub owner: &'a str,
    /// Market.
    pub market: Market,
    /// Name of the screen, in any capitals; or `committee` or a preset's name, a colon, the provider and the model.
    pub name: &'a str,
}

impl LedgerName<'_> {
    /// Verifies the text of the ledger.
    ///
    /// # Errors
    /// A line that is damaged, or is not of this ledger.
    pub fn ledger(self, text: &str) -> Result<Ledger, SetError> {
        let Self { owner, market, name } = self;
        let name = name.to_ascii_lowercase();
        Ledger::parse(market, &format!("{name:?} of {market} of {owner:?}"), text)
    }
}

/// Separates the kind of a model's run from the model in the name of a ledger; no screen has a name with a colon.
const OF_MODEL: &str = ": ";

/// Returns the name of the ledger of a model's committees, or of its runs of a preset.
pub(super) fn ledger_of_model(runs: &str, provider: &str, model: &str) -> String {
    format!("{runs}{OF_MODEL}{provider}/{model}")
}

/// Returns true for the name of a ledger of a model.
pub(super) fn is_of_model(name: &str) -> bool {
    name.contains(OF_MODEL)
}

/// Returns the stocks that a saved page lists now; or the reason why the screen cannot be followed: the key may not call the screener, the
/// market's tables are missing, or it is not understood any more or lists too many.
pub(super) async fn followed_stocks(
    call: &HandlerCall<'_>,
    lists: &SavedItemStore,
    screens: &ScreenWords,
    page: &str,
) -> Result<Result<ListedStocks, String>, ClientError> {
    let listed = async {
        let screen = ScreenerCall::from_page(call, lists, page).await?;
        screen.listed(screens, call, call.snapshot, MOST_MEMBERS).await
    };
    match listed.await {
        Ok(ListedStocks { unread: Some(reason), .. }) => Ok(Err(reason)),
        Ok(ListedStocks { total, .. }) if total > MOST_MEMBERS => Ok(Err(format!("it lists {total} stocks"))),
        Ok(listed) => Ok(Ok(listed)),
        Err(error) if error.kind.status() >= 500 => Err(error),
        Err(error) => Ok(Err(error.message)),
    }
}

/// Appends the stocks that the page of a screen lists to the ledger of its name, unless that has a line of the session or of a later one.
/// Returns the reason if the screen cannot be followed.
///
/// # Errors
/// A ledger that is damaged, too many ledgers, or a state that cannot be read.
pub(super) async fn record(
    call: &HandlerCall<'_>,
    lists: &SavedItemStore,
    screens: &ScreenWords,
    name: &str,
    page: &str,
) -> Result<Result<(), String>, ClientError> {
    let (Some(served), Some(session)) = (call.snapshot.market(call.market), call.snapshot.as_of(call.market))
    else {
        return Ok(Err(format!("there are no tables of {} here", call.market)));
    };
    let listed = match followed_stocks(call, lists, screens, page).await? {
        Ok(listed) => listed,
        Err(reason) => return Ok(Err(reason)),
    };
    let stocks = listed.symbols.into_iter().zip(listed.closes);
    let stocks =
        stocks.filter_map(|(symbol, close)| Some((symbol, close.filter(|close| close.is_finite())?)));
    let picks = ScanPicks::from([(page.to_owned(), stocks.collect::<BTreeMap<_, _>>())]);
    let at = DateTime::from_timestamp(lists.now(), 0).unwrap_or_default();
    let set = format!("set {}", served.name().id);
    let (market, owner, name) = (call.market, call.owner.name.to_string(), name.to_owned());
    let key = key_of_name(call, SavedItemKind::Ledger, name.clone());
    let append = move |before: Option<&str>| -> Result<String, ClientError> {
        let before = before.unwrap_or_default();
        let ledger = LedgerName { owner: &owner, market, name: &name }.ledger(before);
        let line = ledger.and_then(|ledger| ledger.line_after(session, at, &set, &picks));
        let line = line.map_err(|error| damaged(&name, error))?;
        Ok(format!("{before}{}", line.unwrap_or_default()))
    };
    lists.change_item(key, append).await.map(|_| Ok(()))
}

/// Returns the error for a ledger that cannot be continued or read.
pub(super) fn damaged(name: &str, error: SetError) -> ClientError {
    let message = format!("the ledger `{name}` is damaged; tell the operator of this server");
    ClientError::from_cause(ErrorKind::Internal, message, error)
}
