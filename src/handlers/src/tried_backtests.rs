//! Counts the different back-tests that an owner has run in a market, as the best of many looks good by chance. Each is stored as a line
//! with a fingerprint of its picks and rules.

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::json;

use super::handler::{Handler, HandlerCall};
use super::screener_call::ScreenerCall;
use super::watchlists::{SavedItemStore, key_of_name};
use parquote_catalogue::error::ClientError;
use parquote_state::{GUESTS, SavedItemKind};

/// Name of the only saved item with counts of an owner in a market.
const ITEM_NAME: &str = "tried";

/// Maximum number of counted back-tests, which bounds the size of the saved item.
const MOST_BACKTESTS: usize = 1_000;

/// Parameters that are not part of the fingerprint: those that choose the detail of the answer, and those that name a screen, whose content
/// is part of it.
const UNCOUNTED: [&str; 5] = ["detail", "part", "random", "saved", "screen"];

/// The store of the counts, and the operation that returns the count of the caller.
#[derive(Clone)]
pub(super) struct TriedBacktests(pub(super) SavedItemStore);

impl TriedBacktests {
    /// Adds the back-test of a call, unless its owner has run it before. An error in storing it is ignored. Back-tests of guests and of
    /// callers without a key are not counted.
    pub(super) async fn add(&self, call: &HandlerCall<'_>, screen: Option<&ScreenerCall>) {
        if call.owner.caller.is_none() || *call.owner.name == *GUESTS {
            return;
        }
        let key = key_of_name(call, SavedItemKind::Backtests, ITEM_NAME.to_owned());
        let line = fingerprint(call, screen);
        let _ = self.0.change_item(key, move |before| Ok(with_line(before.unwrap_or_default(), &line))).await;
    }
}

#[async_trait]
impl Handler for TriedBacktests {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let rows = self.0.all(&call.owner.name, SavedItemKind::Backtests, call.market).await?;
        let row = rows.first();
        Ok(call.ordered(json!({
            "variants": row.map_or(0, |row| row.content.lines().count()),
            "first_at": row.map(|row| row.made_at),
            "last_at": row.map(|row| row.changed_at),
        })))
    }

    fn waits_for_io(&self) -> bool {
        true
    }
}

/// Returns a hash over the picks and rules of a call and the content of its screen, as 16 hexadecimal digits.
fn fingerprint(call: &HandlerCall<'_>, screen: Option<&ScreenerCall>) -> String {
    const LENGTH: usize = 16;
    let counted = UNCOUNTED
        .iter()
        .fold(call.arguments.clone(), |arguments, name| arguments.without(call.operation, name));
    let mut picks_and_rules = counted.canonical();
    picks_and_rules.extend(screen.map(ScreenerCall::canonical));
    let hash = blake3::hash(picks_and_rules.as_bytes());
    hash.to_hex().chars().take(LENGTH).collect()
}

/// Returns the lines with `line` added, unless they have it already or there are too many.
fn with_line(before: &str, line: &str) -> String {
    let is_counted = before.lines().any(|known| known == line) || before.lines().count() >= MOST_BACKTESTS;
    if is_counted { before.to_owned() } else { format!("{before}{line}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_back_test_counts_once_and_the_lines_are_bounded() {
        let two = ["a", "b", "a"].iter().fold(String::new(), |lines, line| with_line(&lines, line));
        assert_eq!(two, "a\nb\n");
        let all = (0..MOST_BACKTESTS + 5)
            .fold(String::new(), |lines, number| with_line(&lines, &number.to_string()));
        assert_eq!(all.lines().count(), MOST_BACKTESTS);
    }
}
