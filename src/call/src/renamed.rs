//! Renamed symbols in a call: a former symbol is answered by the current symbol, and on a past day a later symbol by the symbol of that
//! day.

use std::fmt;

use serde_json::{Map, Value as Json};

use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;

/// Symbols of a call, each with the symbol that answers in its place, in the order of the call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolRenames(Vec<SymbolRename>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct SymbolRename {
    requested: String,
    answering: String,
    /// True if the company got the requested symbol after the date of the data.
    is_later: bool,
}

impl SymbolRenames {
    /// Returns the symbol by which a snapshot has the requested company, and records it if it replaces another. The requested symbol may be
    /// a former one, or one of the snapshot that is served now. A symbol that is in the snapshot or unknown is returned unchanged.
    pub(super) fn symbol_in(
        &mut self,
        [snapshot, served]: [&Snapshot; 2],
        market: Market,
        requested: &str,
    ) -> String {
        let current = snapshot.present_symbol(market, requested);
        let is_later = current.is_none();
        let answering = current.or_else(|| snapshot.earlier_symbol(served, market, requested));
        let Some(answering) = answering else { return requested.to_owned() };
        let requested = requested.to_owned();
        self.0.push(SymbolRename { requested, answering: answering.clone(), is_later });
        answering
    }

    /// Returns true if no symbol was replaced.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the answering symbols by requested symbol.
    pub fn by_requested(&self) -> Map<String, Json> {
        let pair = |rename: &SymbolRename| (rename.requested.clone(), Json::from(rename.answering.as_str()));
        self.0.iter().map(pair).collect()
    }

    /// Returns a sentence for each replaced symbol.
    pub fn words(&self) -> String {
        let words = self.0.iter().map(|SymbolRename { requested, answering, is_later }| {
            if *is_later {
                format!(
                    "{requested} was {answering} at the date of the data; the answer is that of {answering}."
                )
            } else {
                format!("{requested} is now {answering}; the answer is that of {answering}.")
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for SymbolRenames {
    /// Formats it for a header: `REQUESTED=ANSWERING`, separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, SymbolRename { requested, answering, .. }) in self.0.iter().enumerate() {
            write!(f, "{}{requested}={answering}", if position == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
