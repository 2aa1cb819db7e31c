//! A parameter of an operation, as declared.

use super::tier::Tier;
use super::value::{ParamType, Value};

/// What a value must lie in.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueLimits {
    /// Anything of the type.
    Any,
    /// One of these words.
    Words(Vec<String>),
    /// One of these words or a date, of a text.
    WordsOrDate(Vec<String>),
    /// From the first to the second, both included; of a text, its length in characters; of a list, how many it has.
    Range(Option<f64>, Option<f64>),
}

/// The most a tier may ask of a `limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// Every tier the same: the range says it.
    None,
    /// The rows of the tier, [`Tier::row_cap`].
    TierRows,
    /// One cap for free keys, another for all that are paid.
    FreePaid(i64, i64),
}

/// A column whose values are the only ones that a parameter can be; spelling is free of case and spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup {
    /// The table.
    pub table: String,
    /// The column by which the table is sorted first.
    pub column: String,
    /// Whether the parameter names the thing that is asked for, so that an unknown one is not found rather than invalid.
    pub names: bool,
}

/// A parameter of an operation.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of a declaration that stands there or not")]
pub struct Param {
    /// Its name in the query string, the tool's arguments and the SQL.
    pub name: String,
    /// Its type.
    pub ty: ParamType,
    /// May be left out although it has no default; it is null then.
    pub optional: bool,
    /// The value when it is left out.
    pub default: Option<Value>,
    /// What is allowed.
    pub limits: ValueLimits,
    /// The column that has its values.
    pub lookup: Option<Lookup>,
    /// The folder of declarations, such as `providers/`, whose files are named as its values are.
    pub folder: Option<String>,
    /// Whether the caller's tier clamps it.
    pub cap: Cap,
    /// Not part of the tool.
    pub rest_only: bool,
    /// A list of names of the caller's own lists, in whose place their symbols stand once the call is admitted.
    pub own_list: bool,
    /// A secret: no message repeats its value.
    pub secret: bool,
    /// One sentence for the reader.
    pub words: String,
    /// A value for docs and tests.
    pub example: Option<String>,
    /// Where it is declared.
    pub line: usize,
}

impl Param {
    /// Whether a call must bring it.
    pub fn required(&self) -> bool {
        !self.optional && self.default.is_none() && self.cap == Cap::None
    }

    /// Whether it names a stock of the operation's market: it is trimmed, upper-cased and must exist.
    pub fn is_symbol(&self) -> bool {
        self.name == "symbol" && self.ty == ParamType::Text
    }

    /// Whether it names several stocks of the market, which are treated as one is.
    pub fn is_symbols(&self) -> bool {
        self.name == "symbols" && self.ty == ParamType::List
    }

    /// The words it may be, if it is a choice.
    pub fn words_allowed(&self) -> Option<&[String]> {
        match &self.limits {
            ValueLimits::Words(words) => Some(words),
            _ => None,
        }
    }

    /// The cap of a tier, if the tier clamps it.
    pub fn cap_for(&self, tier: Tier) -> Option<i64> {
        match self.cap {
            Cap::None => None,
            Cap::TierRows => Some(tier.row_cap()),
            Cap::FreePaid(free, paid) => Some(if tier == Tier::Free { free } else { paid }),
        }
    }

    /// The value a tier gets when the parameter is left out: the default, never above the tier's cap.
    pub fn default_for(&self, tier: Tier) -> Option<Value> {
        const TIER_CAPPED_ROWS: i64 = 20;
        match (self.cap_for(tier), &self.default) {
            (Some(cap), Some(Value::Int(default))) => Some(Value::Int(cap.min(*default))),
            (Some(cap), None) => Some(Value::Int(cap.min(TIER_CAPPED_ROWS))),
            (_, default) => default.clone(),
        }
    }

    /// The largest value that any caller can be given: what a plan fetches at most.
    pub fn maximum(&self) -> Option<i64> {
        let cap = Tier::ALL.iter().filter_map(|tier| self.cap_for(*tier)).max();
        let range = match self.limits {
            ValueLimits::Range(_, Some(max)) => Some(max as i64),
            _ => None,
        };
        cap.or(range)
    }
}
