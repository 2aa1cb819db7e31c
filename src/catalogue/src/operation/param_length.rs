//! Maximum lengths of texts and lists. Every text and list has such a limit, declared or not, and longer input is neither parsed nor
//! compared.

use super::param::{Param, ValueLimits};
use super::value::ParamType;

/// Maximum characters of a text without a declared range.
const LONGEST_TEXT: usize = 200;
/// Maximum characters of a symbol. Symbols of both markets have a dozen at most.
const LONGEST_SYMBOL: usize = 20;
/// Maximum characters of a period: `September 2026`, with room for other separators.
const LONGEST_PERIOD: usize = 20;
/// Maximum characters of one value of a list.
const LONGEST_ITEM: usize = 64;
/// Maximum characters of the name of a watchlist, or of a share token of another owner's list, which is longer.
const LONGEST_LIST_NAME: usize = 65;
/// Maximum number of values of a list without a declared range.
const MOST_ITEMS: usize = 100;

impl Param {
    /// Returns the maximum characters of its text, or of each value of its list; `None` for other types.
    pub fn longest(&self) -> Option<usize> {
        match (self.ty, &self.limits) {
            (ParamType::Text, ValueLimits::Range(_, Some(most))) => Some(*most as usize),
            (ParamType::Text, _) if self.is_symbol() => Some(LONGEST_SYMBOL),
            (ParamType::Text, _) => Some(LONGEST_TEXT),
            (ParamType::Period, _) => Some(LONGEST_PERIOD),
            (ParamType::List, _) if self.is_symbols() => Some(LONGEST_SYMBOL),
            (ParamType::List, _) if self.takes_watchlists => Some(LONGEST_LIST_NAME),
            (ParamType::List, _) => Some(LONGEST_ITEM),
            _ => None,
        }
    }

    /// Returns the maximum number of values of a list; `None` for other types.
    pub fn most_items(&self) -> Option<usize> {
        match (self.ty, &self.limits) {
            (ParamType::List, ValueLimits::Range(_, Some(most))) => Some(*most as usize),
            (ParamType::List, _) => Some(MOST_ITEMS),
            _ => None,
        }
    }

    /// Checks the length of a text before it is parsed.
    pub(super) fn check_length(&self, text: &str) -> Result<(), String> {
        let Some(longest) = self.longest() else { return Ok(()) };
        if self.ty != ParamType::List {
            let allowed = match self.limits {
                ValueLimits::Range(..) => self.allowed_values(),
                _ => format!("; allowed is at most {longest}"),
            };
            let length = text.chars().count();
            return if length > longest {
                Err(format!("characters: {length} is out of range{allowed}"))
            } else {
                Ok(())
            };
        }
        let items = || text.split(',').map(str::trim).filter(|item| !item.is_empty());
        if let Some(most) = self.most_items().filter(|most| items().count() > *most)
            && !matches!(self.limits, ValueLimits::Range(..))
        {
            return Err(format!("values: {} is out of range; allowed is at most {most}", items().count()));
        }
        match items().map(|item| item.chars().count()).find(|length| *length > longest) {
            Some(length) => {
                Err(format!("a value of {length} characters is out of range; allowed is at most {longest}"))
            }
            None => Ok(()),
        }
    }
}
