//! The former symbols that a call was made with, each with the symbol of now that answers in its place.

use std::fmt;

use serde_json::{Map, Value as Json};

use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;

/// The former symbols of a call and those of now, in the order of the call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renamed(Vec<(String, String)>);

impl Renamed {
    /// The symbol under which the market has a company now; one that is not followed is left as it is.
    pub(super) fn follow(&mut self, snapshot: &Snapshot, market: Market, asked: &str) -> String {
        let Some(now) = snapshot.renamed(market, asked) else { return asked.to_owned() };
        self.0.push((asked.to_owned(), now.clone()));
        now
    }

    /// Whether every symbol was one of now.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// By former symbol, the one of now.
    pub fn object(&self) -> Map<String, Json> {
        self.0.iter().map(|(old, now)| (old.clone(), now.as_str().into())).collect()
    }

    /// In words.
    pub fn words(&self) -> String {
        let words =
            self.0.iter().map(|(old, now)| format!("{old} is now {now}; the answer is that of {now}."));
        words.collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for Renamed {
    /// As a header says it: `OLD=NOW`, separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (old, now)) in self.0.iter().enumerate() {
            write!(f, "{}{old}={now}", if place == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
