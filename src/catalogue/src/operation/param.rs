//! A parameter of an operation, as declared.

use super::tier::Tier;
use super::value::{ParamType, Value};

/// Limits of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueLimits {
    /// Any value of the type.
    Any,
    /// One of these words.
    Words(Vec<String>),
    /// One of these words or a date, as a text.
    WordsOrDate(Vec<String>),
    /// An inclusive range of a number, of the length of a text in characters, or of the length of a list; `None` is no bound.
    Range(Option<f64>, Option<f64>),
}

/// Cap of a tier on a `limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// No cap: the same range applies to every tier.
    None,
    /// The rows of the tier, [`Tier::row_cap`].
    TierRows,
    /// One cap for free keys, another for all paid keys.
    FreePaid(i64, i64),
}

/// A column that has all allowed values of a parameter. A caller's value matches regardless of case and spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup {
    /// Name of the table.
    pub table: String,
    /// Name of the column, which must be the first one by which the table is sorted.
    pub column: String,
    /// True if the parameter names the requested item, so that the HTTP status of an unknown value is 404 instead of 400.
    pub names_item: bool,
}

/// A parameter of an operation.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word that a declaration has or lacks")]
pub struct Param {
    /// Its name in the query string, the tool's arguments and the SQL.
    pub name: String,
    /// Type of its value.
    pub ty: ParamType,
    /// True if it may be omitted although it has no default; its value is then null.
    pub optional: bool,
    /// Value if a call omits it; `None` if it has no default.
    pub default: Option<Value>,
    /// Allowed values.
    pub limits: ValueLimits,
    /// The column that has its allowed values, if one does.
    pub lookup: Option<Lookup>,
    /// The folder of declarations, such as `providers/`, whose file names are its allowed values, if there is one.
    pub folder: Option<String>,
    /// Cap on its value that depends on the caller's tier.
    pub cap: Cap,
    /// True if it is not part of the tool.
    pub rest_only: bool,
    /// True for a list of names of the caller's watchlists, which the symbols of these watchlists replace once the call is admitted.
    pub takes_watchlists: bool,
    /// True if the value may not be empty, unless another parameter with this mark has a value.
    pub not_empty: bool,
    /// True for a secret: no message repeats its value.
    pub secret: bool,
    /// Description in one sentence.
    pub words: String,
    /// Example value for docs and tests.
    pub example: Option<String>,
    /// Line of the declaration in its file, from 1.
    pub line: usize,
}

impl Param {
    /// Returns true if a call without it is refused.
    pub fn is_required(&self) -> bool {
        !self.optional && self.default.is_none() && self.cap == Cap::None
    }

    /// Returns true if it names a symbol of the operation's market: it is trimmed, upper-cased and must exist.
    pub fn is_symbol(&self) -> bool {
        self.name == "symbol" && self.ty == ParamType::Text
    }

    /// Returns true if it names several symbols of the market, each treated as a single one is.
    pub fn is_symbols(&self) -> bool {
        self.name == "symbols" && self.ty == ParamType::List
    }

    /// Returns the words of which its value is one; `None` if other values are allowed.
    pub fn allowed_words(&self) -> Option<&[String]> {
        match &self.limits {
            ValueLimits::Words(words) => Some(words),
            _ => None,
        }
    }

    /// Returns the cap for a tier, if any.
    pub fn cap_for(&self, tier: Tier) -> Option<i64> {
        match self.cap {
            Cap::None => None,
            Cap::TierRows => Some(tier.row_cap()),
            Cap::FreePaid(free, paid) => Some(if tier == Tier::Free { free } else { paid }),
        }
    }

    /// Returns the default for a tier, at most the cap of the tier. With a cap and no declared default, it is 20 rows.
    pub fn default_for(&self, tier: Tier) -> Option<Value> {
        const TIER_CAPPED_ROWS: i64 = 20;
        match (self.cap_for(tier), &self.default) {
            (Some(cap), Some(Value::Int(default))) => Some(Value::Int(cap.min(*default))),
            (Some(cap), None) => Some(Value::Int(cap.min(TIER_CAPPED_ROWS))),
            (_, default) => default.clone(),
        }
    }

    /// Returns the largest value that a caller of any tier may use, which bounds the rows that a plan fetches; `None` without a bound.
    pub fn maximum(&self) -> Option<i64> {
        let cap = Tier::ALL.iter().filter_map(|tier| self.cap_for(*tier)).max();
        let range = match self.limits {
            ValueLimits::Range(_, Some(max)) => Some(max as i64),
            _ => None,
        };
        cap.or(range)
    }
}
