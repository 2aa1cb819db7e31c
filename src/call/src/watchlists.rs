//! Watchlists of the caller among the arguments of a call: their names are replaced by their symbols, so that an answer is cached under its
//! content, and no owner gets another's.

use super::{Caller, MeteredCall, Service};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Arguments, Market, Value};
use parquote_engine::Snapshot;
use parquote_handlers::SavedItems;

impl Service {
    /// Replaces names of watchlists by their current symbols.
    ///
    /// # Errors
    /// 404 for a list that the caller does not have.
    pub(super) async fn with_own_lists(
        &self,
        metered: &MeteredCall,
        snapshot: &Snapshot,
        market: Market,
        mut arguments: Arguments,
    ) -> Result<Arguments, ClientError> {
        let of_lists = metered.operation().params.iter().enumerate().filter(|(_, param)| param.own_list);
        for (place, param) in of_lists {
            let Some(Value::List(names)) = arguments.values().get(place).and_then(Option::as_ref) else {
                continue;
            };
            let Some(lists) = self.handlers.lists() else {
                let message = format!(
                    "`{}`: no lists are kept here; a server that `parquote serve` started keeps them",
                    param.name
                );
                return Err(ClientError::new(ErrorKind::NotFound, message));
            };
            let symbols = lists.symbols(&metered.caller().owner().name, market, names).await?;
            let now = symbols.into_iter().map(|symbol| snapshot.renamed(market, &symbol).unwrap_or(symbol));
            let now = Value::List(now.collect());
            arguments.spell(place, now);
        }
        Ok(arguments)
    }

    /// Returns a caller's saved lists and screens in a market, for pages that offer them; `None` if nothing is saved, or if it cannot be
    /// read.
    pub async fn kept_by(&self, caller: &Caller, market: Market) -> Option<SavedItems> {
        let lists = self.handlers.lists().filter(|_| !caller.is_guest())?;
        lists.things(&caller.owner().name, market).await.ok()
    }
}
