//! Methods of risk allocation.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A method of risk allocation. No method uses expected returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Weights in proportion to 1 / volatility; correlations are ignored.
    InverseVolatility,
    /// Weights with which each symbol contributes the same share of the portfolio's variance.
    EqualRiskContribution,
    /// Weights split along a hierarchical clustering of the symbols.
    HierarchicalRiskParity,
    /// The weight 1/n for each of n symbols.
    EqualWeight,
}

impl Method {
    /// All methods, in display order.
    pub const ALL: [Self; 4] = [
        Self::InverseVolatility,
        Self::EqualRiskContribution,
        Self::HierarchicalRiskParity,
        Self::EqualWeight,
    ];

    /// Returns the name of the method in requests and replies.
    pub const fn word(self) -> &'static str {
        match self {
            Self::InverseVolatility => "inverse_volatility",
            Self::EqualRiskContribution => "equal_risk_contribution",
            Self::HierarchicalRiskParity => "hierarchical_risk_parity",
            Self::EqualWeight => "equal_weight",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|method| method.word() == word).ok_or_else(|| {
            let words = Self::ALL.map(Self::word).join(", ");
            format!("`{word}` is not a method; the methods are {words}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_has_one_word_everywhere() {
        for method in Method::ALL {
            assert_eq!(serde_json::to_value(method).unwrap(), method.word());
            assert_eq!(method.word().parse(), Ok(method));
        }
        assert!("hrp".parse::<Method>().unwrap_err().contains("hierarchical_risk_parity"));
    }
}
