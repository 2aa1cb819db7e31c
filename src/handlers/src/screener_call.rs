//! Calls of the screener by other operations, with a sentence or the page of a saved screen, on a snapshot.

use std::sync::Arc;

use super::handler::HandlerCall;
use super::screen_words::{ListedStocks, ScreenWords};
use super::watchlists::SavedItemStore;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{
    Access, Arguments, Market, Operation, Value, Violation, truncate_for_message,
};
use parquote_engine::{Snapshot, Spelling};

/// Parameters of a saved page that affect how it is displayed, not its stocks.
const DISPLAY_PARAMETERS: [&str; 9] =
    ["fields", "format", "limit", "offset", "order", "page", "refresh", "snapshot", "view"];

/// A screen, as arguments of the screener of a market.
pub(super) struct ScreenerCall {
    operation: Arc<Operation>,
    arguments: Arguments,
}

impl ScreenerCall {
    /// Builds the call for a sentence.
    ///
    /// # Errors
    /// Status 403 if the key may not call the screener.
    pub(super) fn from_sentence(call: &HandlerCall<'_>, sentence: &str) -> Result<Self, ClientError> {
        Self::parse(call, &[("query".to_owned(), sentence.to_owned())])
    }

    /// Builds the call for the page of a saved screen, with the present symbols of the watchlists that it names.
    ///
    /// # Errors
    /// 403 if the key may not call the screener, 400 for a value that is not valid any more, 404 for a list that is gone.
    pub(super) async fn from_page(
        call: &HandlerCall<'_>,
        lists: &SavedItemStore,
        page: &str,
    ) -> Result<Self, ClientError> {
        let query = page.split_once('?').map_or("", |(_, query)| query);
        let pairs = url::form_urlencoded::parse(query.as_bytes()).into_owned();
        let pairs: Vec<(String, String)> =
            pairs.filter(|(name, _)| !DISPLAY_PARAMETERS.contains(&name.as_str())).collect();
        let mut screen = Self::parse(call, &pairs)?;
        for (position, _) in
            screen.operation.params.iter().enumerate().filter(|(_, param)| param.takes_watchlists)
        {
            let Some(Some(Value::List(names))) = screen.arguments.values().get(position) else { continue };
            let symbols = lists.symbols(&call.owner.name, call.market, names).await?;
            let now = symbols
                .into_iter()
                .map(|symbol| call.snapshot.present_symbol(call.market, &symbol).unwrap_or(symbol));
            screen.arguments.spell(position, Value::List(now.collect()));
        }
        Ok(screen)
    }

    /// Parses arguments of the screener, and spells them as in the tables of the call's snapshot.
    fn parse(call: &HandlerCall<'_>, pairs: &[(String, String)]) -> Result<Self, ClientError> {
        let route = match call.market {
            Market::India => "explore/screen-words",
            Market::Us => "us/explore/screen-words",
        };
        let operation = call.snapshot.engine().catalogue().operation(route).filter(|it| is_allowed(it, call));
        let operation = operation.ok_or_else(|| {
            ClientError::new(ErrorKind::Forbidden, "this key does not reach the screener of the market")
        })?;
        let pairs = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let mut arguments = Arguments::parse(operation, call.owner.tier, pairs).map_err(|violations| {
            let named = violations.into_iter().map(|Violation { param, message }| (param, message));
            ClientError::invalid(ErrorKind::BadRequest, named.collect())
        })?;
        for (position, param) in operation.params.iter().enumerate() {
            let (Some(lookup), Some(Some(Value::Text(text)))) =
                (&param.lookup, arguments.values().get(position))
            else {
                continue;
            };
            match call.snapshot.spelling(call.market, &lookup.table, text) {
                Spelling::Known(known) => arguments.spell(position, Value::Text(known)),
                Spelling::Unchecked => {}
                Spelling::Unknown => {
                    let message = format!(
                        "`{}`: there is no `{}` in this market",
                        param.name,
                        truncate_for_message(text)
                    );
                    return Err(ClientError::new(ErrorKind::BadRequest, message));
                }
            }
        }
        Ok(Self { operation: Arc::clone(operation), arguments })
    }

    /// Returns the arguments as a cache key. Screens with equal keys have the same stocks in a set.
    pub(super) fn canonical(&self) -> String {
        self.arguments.canonical()
    }

    /// Returns the names of the tables that the SELECT of the screener names, and of the table with the symbols.
    ///
    /// # Errors
    /// The market has no screener.
    pub(super) fn tables(&self, call: &HandlerCall<'_>) -> Result<Vec<String>, ClientError> {
        let prepared =
            call.snapshot.prepared_operation(&self.operation, call.market).ok_or_else(no_screener)?;
        let mut tables = prepared.tables_named()?;
        tables.push("companies".to_owned());
        Ok(tables)
    }

    /// Returns the arguments with the symbols that the stocks of watchlists had on the day of a snapshot.
    fn arguments_on(&self, snapshot: &Snapshot, call: &HandlerCall<'_>) -> Arguments {
        let mut arguments = self.arguments.clone();
        for (position, _) in
            self.operation.params.iter().enumerate().filter(|(_, param)| param.takes_watchlists)
        {
            let Some(Some(Value::List(symbols))) = self.arguments.values().get(position) else { continue };
            let on_day = symbols.iter().map(|symbol| {
                let earlier = snapshot.earlier_symbol(call.snapshot, call.market, symbol);
                earlier.unwrap_or_else(|| symbol.clone())
            });
            arguments.spell(position, Value::List(on_day.collect()));
        }
        arguments
    }

    /// Returns the first `most` stocks of the screen on a snapshot.
    ///
    /// # Errors
    /// Tables are missing, arguments do not fit the sentence, or the engine fails.
    pub(super) async fn listed(
        &self,
        screens: &ScreenWords,
        call: &HandlerCall<'_>,
        snapshot: &Arc<Snapshot>,
        most: usize,
    ) -> Result<ListedStocks, ClientError> {
        let prepared = snapshot.prepared_operation(&self.operation, call.market).ok_or_else(no_screener)?;
        let arguments = self.arguments_on(snapshot, call);
        let screen_call = HandlerCall {
            prepared,
            operation: &self.operation,
            arguments: &arguments,
            presentation: call.presentation,
            snapshot,
            market: call.market,
            owner: call.owner.clone(),
            admitted_at: call.admitted_at,
            deadline: call.deadline,
            offset: 0,
            selects: call.selects,
            spent: call.spent,
            past: call.past,
        };
        screens.listed(&screen_call, most).await
    }
}

fn no_screener() -> ClientError {
    ClientError::new(ErrorKind::NoData, "this market has no screener here")
}

/// Returns true if the caller's key may call an operation.
fn is_allowed(operation: &Operation, call: &HandlerCall<'_>) -> bool {
    matches!(operation.access, Access::From(needed) if call.owner.tier.reaches(needed))
}
