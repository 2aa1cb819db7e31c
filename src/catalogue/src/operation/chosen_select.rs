//! Selection of a SELECT and a market by the arguments of a call.

use super::arguments::Arguments;
use super::market::Market;
use super::operation_file::{MARKET, Operation, Select};
use super::value::Value;

impl Operation {
    /// Returns the first SELECT whose conditions hold for these arguments, with its index; `None` if there is none.
    pub fn select(&self, arguments: &Arguments) -> Option<(usize, &Select)> {
        let holds = |select: &Select| {
            select.when.iter().all(|condition| condition.is_met_by(arguments.get(self, condition.param())))
        };
        self.selects.iter().enumerate().find(|(_, select)| holds(select))
    }

    /// Returns the market that a call names, else the market of the operation.
    pub fn market_of(&self, arguments: &Arguments) -> Market {
        match arguments.get(self, MARKET) {
            Some(Value::Text(word)) if self.chooses_market() => word.parse().unwrap_or(self.market),
            _ => self.market,
        }
    }
}
