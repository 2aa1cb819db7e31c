//! Former symbols in a call, each with the current symbol that answers in its place.

use std::fmt;

use serde_json::{Map, Value as Json};

use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;

/// Former and current symbols of a call, in the order of the call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolRenames(Vec<(String, String)>);

impl SymbolRenames {
    /// Returns the current symbol of a company; an unknown one is unchanged.
    pub(super) fn current_symbol(&mut self, snapshot: &Snapshot, market: Market, asked: &str) -> String {
        let Some(now) = snapshot.renamed(market, asked) else { return asked.to_owned() };
        self.0.push((asked.to_owned(), now.clone()));
        now
    }

    /// Returns true if every symbol was a current one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the current symbols by former symbol.
    pub fn object(&self) -> Map<String, Json> {
        self.0.iter().map(|(old, now)| (old.clone(), now.as_str().into())).collect()
    }

    /// Returns a sentence for each.
    pub fn words(&self) -> String {
        let words =
            self.0.iter().map(|(old, now)| format!("{old} is now {now}; the answer is that of {now}."));
        words.collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for SymbolRenames {
    /// Formats it for a header: `OLD=NOW`, separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (old, now)) in self.0.iter().enumerate() {
            write!(f, "{}{old}={now}", if place == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
