//! The closed list of line items of financial statements.
//!
//! The list has the statement and the measure of each line, not the tags that filings use for it.

use serde::Serialize;

crate::word_enum! {
    /// A kind of financial statement.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Statement {
        /// The balance sheet: figures at a date.
        Balance = "balance",
        /// The cash flow statement.
        Cashflow = "cashflow",
        /// The income statement.
        Income = "income",
    }
    fn word "Returns the word of the statement.";
}

crate::word_enum! {
    /// The measure of a line item.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Measure {
        /// An amount of money in units of its currency, such as rupees.
        Money = "money",
        /// An amount of money per share, in units of its currency.
        PerShare = "per_share",
        /// A number of shares.
        Shares = "shares",
        /// A percentage: 15 is 15 %.
        Pct = "pct",
    }
    fn word "Returns its word in the column `unit`.";
}

/// A line item, as an index into the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineItem(u8);

use Measure::{Money, Pct, PerShare, Shares};
use Statement::{Balance, Cashflow, Income};

/// The line items, sorted by statement and word, so that their indices have the same order.
const LINES: [(Statement, &str, Measure); 55] = [
    (Balance, "advances", Money),
    (Balance, "cash", Money),
    (Balance, "current_assets", Money),
    (Balance, "current_liabilities", Money),
    (Balance, "deposits", Money),
    (Balance, "equity", Money),
    (Balance, "fixed_assets", Money),
    (Balance, "gross_npa", Money),
    (Balance, "gross_npa_pct", Pct),
    (Balance, "intangibles", Money),
    (Balance, "inventories", Money),
    (Balance, "investments", Money),
    (Balance, "long_term_debt", Money),
    (Balance, "minority_interest", Money),
    (Balance, "net_npa", Money),
    (Balance, "net_npa_pct", Pct),
    (Balance, "payables", Money),
    (Balance, "receivables", Money),
    (Balance, "reserves", Money),
    (Balance, "retained_earnings", Money),
    (Balance, "share_capital", Money),
    (Balance, "shares_outstanding", Shares),
    (Balance, "short_term_debt", Money),
    (Balance, "tier1_pct", Pct),
    (Balance, "total_assets", Money),
    (Balance, "total_debt", Money),
    (Balance, "total_liabilities", Money),
    (Cashflow, "capex", Money),
    (Cashflow, "cff", Money),
    (Cashflow, "cfi", Money),
    (Cashflow, "cfo", Money),
    (Cashflow, "dividends_paid", Money),
    (Cashflow, "net_cash_flow", Money),
    (Income, "cost_of_goods", Money),
    (Income, "depreciation", Money),
    (Income, "dividend_per_share", PerShare),
    (Income, "ebit", Money),
    (Income, "ebitda", Money),
    (Income, "employee_cost", Money),
    (Income, "eps_basic", PerShare),
    (Income, "eps_diluted", PerShare),
    (Income, "exceptional_items", Money),
    (Income, "gross_profit", Money),
    (Income, "interest", Money),
    (Income, "interest_earned", Money),
    (Income, "interest_expended", Money),
    (Income, "net_interest_income", Money),
    (Income, "other_expenses", Money),
    (Income, "other_income", Money),
    (Income, "pat", Money),
    (Income, "profit_before_tax", Money),
    (Income, "provisions", Money),
    (Income, "revenue", Money),
    (Income, "shares_diluted", Shares),
    (Income, "tax", Money),
];

impl Statement {
    /// Returns the statement that a name means, such as `balance`, `Balance Sheet` or `bs`; `None` for an unknown name.
    pub fn from_word(word: &str) -> Option<Self> {
        let word: String =
            word.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
        Some(match word.as_str() {
            "income" | "incomestatement" | "profitandloss" | "pl" | "pnl" => Self::Income,
            "balance" | "balancesheet" | "bs" => Self::Balance,
            "cashflow" | "cashflowstatement" | "cf" => Self::Cashflow,
            _ => return None,
        })
    }
}

impl LineItem {
    /// Returns the line item with a word, regardless of case; `None` for an unknown word.
    pub fn from_word(word: &str) -> Option<Self> {
        let at = LINES.iter().position(|(_, name, _)| name.eq_ignore_ascii_case(word))?;
        Some(Self(at as u8))
    }

    /// Returns all line items in the order of the list.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..LINES.len() as u8).map(Self)
    }

    /// Returns its index in the list.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Returns the line item at an index of the list; `None` beyond its end.
    pub fn from_index(index: u8) -> Option<Self> {
        LINES.get(usize::from(index)).map(|_| Self(index))
    }

    fn row(self) -> (Statement, &'static str, Measure) {
        // Every line item has a valid index.
        LINES.get(usize::from(self.0)).copied().unwrap_or((Income, "", Money))
    }

    /// Returns its word, such as `total_assets`.
    pub fn word(self) -> &'static str {
        self.row().1
    }

    /// Returns its statement.
    pub fn statement(self) -> Statement {
        self.row().0
    }

    /// Returns its measure.
    pub fn measure(self) -> Measure {
        self.row().2
    }

    /// Returns true if the figure of a period is the sum of the figures of its parts, so that a quarter is the difference of two longer
    /// periods. False for a line with [`Self::components`], which is computed from other lines of the quarter.
    pub fn adds_up(self) -> bool {
        self.statement() != Balance && self.measure() == Money && self.components().is_none()
    }

    /// Returns (first, factor, second) for a line that is `first + factor * second`, with the words of the two other lines; `None` for
    /// other lines.
    pub fn components(self) -> Option<(&'static str, f64, &'static str)> {
        match self.word() {
            "ebitda" => Some(("ebit", 1.0, "depreciation")),
            "gross_profit" => Some(("revenue", -1.0, "cost_of_goods")),
            _ => None,
        }
    }

    /// Returns true if the line is never negative, so that a negative difference of two periods means inconsistent figures.
    pub fn has_one_sign(self) -> bool {
        const LINES_OF_ONE_SIGN: &str = "capex depreciation dividends_paid employee_cost interest \
            interest_earned interest_expended revenue";
        LINES_OF_ONE_SIGN.split(' ').any(|line| line == self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_without_doubles() {
        assert!(LINES.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1)));
        let words: std::collections::BTreeSet<&str> = LINES.iter().map(|line| line.1).collect();
        assert_eq!(words.len(), LINES.len(), "a word names one line");
    }

    #[test]
    fn words_find_their_lines() {
        let eps = LineItem::from_word("EPS_basic").unwrap();
        assert_eq!((eps.word(), eps.statement(), eps.measure()), ("eps_basic", Income, PerShare));
        assert!(
            !eps.adds_up()
                && LineItem::from_word("cfo").unwrap().adds_up()
                && !LineItem::from_word("cash").unwrap().adds_up()
        );
        assert!(LineItem::from_word("revenues").is_none());
        assert_eq!(Statement::from_word("Balance Sheet"), Some(Balance));
        assert_eq!(Statement::from_word("notes"), None);
    }
}
