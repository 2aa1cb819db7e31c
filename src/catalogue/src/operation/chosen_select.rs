//! Which SELECT of an operation answers a call, and about which market the call is: both follow from its arguments.

use super::arguments::Arguments;
use super::market::Market;
use super::operation_file::{MARKET, Operation, Select};
use super::value::Value;

impl Operation {
    /// The SELECT that answers these arguments, with its place.
    pub fn select(&self, arguments: &Arguments) -> Option<(usize, &Select)> {
        let holds = |select: &Select| {
            select.when.iter().all(|condition| condition.holds(arguments.get(self, condition.param())))
        };
        self.selects.iter().enumerate().find(|(_, select)| holds(select))
    }

    /// The market that a call is about: the one it names, or the operation's own.
    pub fn market_of(&self, arguments: &Arguments) -> Market {
        match arguments.get(self, MARKET) {
            Some(Value::Text(word)) if self.chooses_market() => word.parse().unwrap_or(self.market),
            _ => self.market,
        }
    }
}
