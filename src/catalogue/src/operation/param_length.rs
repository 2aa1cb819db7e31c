//! How long a text may be and how many values a list may have. Every parameter has such a bound, declared or not: what is
//! longer than anything that could be meant is not parsed, compared or repeated.

use super::param::{Param, ValueLimits};
use super::value::ParamType;

/// The longest text whose declaration says no length, in characters.
const LONGEST_TEXT: usize = 200;
/// The longest symbol: those of both markets have a dozen characters at most.
const LONGEST_SYMBOL: usize = 20;
/// The longest way to write a period, `September 2026`, with room for other separators.
const LONGEST_PERIOD: usize = 20;
/// The longest value of a list.
const LONGEST_ITEM: usize = 64;
/// The longest name of a list of a caller: what opens a list of somebody else is longer than names are.
const LONGEST_LIST_NAME: usize = 65;
/// The longest list whose declaration says no number of values.
const MOST_ITEMS: usize = 100;

impl Param {
    /// The longest text that is taken for it, or for each value of a list, in characters; `None` for what is no text.
    pub fn longest(&self) -> Option<usize> {
        match (self.ty, &self.limits) {
            (ParamType::Text, ValueLimits::Range(_, Some(most))) => Some(*most as usize),
            (ParamType::Text, _) if self.is_symbol() => Some(LONGEST_SYMBOL),
            (ParamType::Text, _) => Some(LONGEST_TEXT),
            (ParamType::Period, _) => Some(LONGEST_PERIOD),
            (ParamType::List, _) if self.is_symbols() => Some(LONGEST_SYMBOL),
            (ParamType::List, _) if self.own_list => Some(LONGEST_LIST_NAME),
            (ParamType::List, _) => Some(LONGEST_ITEM),
            _ => None,
        }
    }

    /// How many values a list may have.
    pub fn most_items(&self) -> Option<usize> {
        match (self.ty, &self.limits) {
            (ParamType::List, ValueLimits::Range(_, Some(most))) => Some(*most as usize),
            (ParamType::List, _) => Some(MOST_ITEMS),
            _ => None,
        }
    }

    /// Whether a text is short enough, as it came: what is too long is not parsed, compared or repeated.
    pub(super) fn measure(&self, text: &str) -> Result<(), String> {
        let Some(longest) = self.longest() else { return Ok(()) };
        if self.ty != ParamType::List {
            let allowed = match self.limits {
                ValueLimits::Range(..) => self.allowed(),
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
