//! Watchlists of the caller among the arguments of a call. Their names are replaced by their symbols, so that an answer is cached under the
//! symbols, and no owner gets the list of another.

use super::{Caller, MeteredCall, Service};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Arguments, Market, Value};
use parquote_engine::Snapshot;
use parquote_handlers::SavedItems;

impl Service {
    /// Replaces names of watchlists by their symbols as of the snapshot's day; 404 for a list that the caller does not have.
    pub(super) async fn replace_watchlists(
        &self,
        metered: &MeteredCall,
        snapshot: &Snapshot,
        market: Market,
        mut arguments: Arguments,
    ) -> Result<Arguments, ClientError> {
        let list_params =
            metered.operation().params.iter().enumerate().filter(|(_, param)| param.takes_watchlists);
        for (position, param) in list_params {
            let Some(Value::List(names)) = arguments.values().get(position).and_then(Option::as_ref) else {
                continue;
            };
            let Some(lists) = self.handlers.lists() else {
                let message = format!(
                    "`{}`: no lists are stored here; a server that `parquote serve` started stores them",
                    param.name
                );
                return Err(ClientError::new(ErrorKind::NotFound, message));
            };
            let symbols = lists.symbols(&metered.caller().owner().name, market, names).await?;
            let served = self.seen_without_pin(metered.caller());
            let on_day = |symbol: String| {
                let now = snapshot.present_symbol(market, &symbol);
                now.or_else(|| snapshot.earlier_symbol(&served, market, &symbol)).unwrap_or(symbol)
            };
            arguments.spell(position, Value::List(symbols.into_iter().map(on_day).collect()));
        }
        Ok(arguments)
    }

    /// Returns a caller's saved lists, screens and notes in a market, for pages that show them; `None` if nothing is saved, or if it
    /// cannot be read.
    pub async fn saved_items_of(&self, caller: &Caller, market: Market) -> Option<SavedItems> {
        let lists = self.handlers.lists().filter(|_| !caller.is_guest())?;
        let mut items = lists.saved_items(&caller.owner().name, market).await.ok()?;
        let seen = self.snapshot_for(caller);
        for (symbol, _) in &mut items.notes {
            if let Some(now) = seen.present_symbol(market, symbol) {
                *symbol = now;
            }
        }
        Some(items)
    }
}
