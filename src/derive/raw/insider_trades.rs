//! NSE's disclosures of insiders (PIT regulation 7): the fields of its API as CSV, and the website's export.
//!
//! What was done is told by two columns, the transaction and its mode: a `Buy` by gift or by an employee's option is no
//! purchase. Disclosures of the same trade on two exchanges stay two rows.

use chrono::NaiveDate;

use super::cells::{self, Header, Record};
use super::dates;
use super::deals::Side;
use super::fact::{Fact, FactFile};
use super::provenance::Provenance;
use super::reason::Reason;

/// A disclosure of a trade by an insider.
#[derive(Debug, Clone, PartialEq)]
pub struct InsiderTrade {
    /// The symbol.
    pub symbol: String,
    /// The company's name in the disclosure.
    pub company: Option<String>,
    /// The day on which the exchange published it.
    pub filed_on: NaiveDate,
    /// The first day of the trade.
    pub traded_from: Option<NaiveDate>,
    /// The last day of the trade.
    pub traded_to: Option<NaiveDate>,
    /// Who traded.
    pub person: Option<String>,
    /// What the person is to the company.
    pub category: Option<String>,
    /// The kind of security.
    pub security: Option<String>,
    /// Bought, sold, or neither.
    pub side: Side,
    /// What was done, as written.
    pub transaction: Option<String>,
    /// By what way, as written.
    pub mode: Option<String>,
    /// Securities traded.
    pub shares: Option<f64>,
    /// In rupees.
    pub value: Option<f64>,
    /// Securities held before.
    pub held_before: Option<f64>,
    /// The same in percent of the company.
    pub held_before_pct: Option<f64>,
    /// Securities held after.
    pub held_after: Option<f64>,
    /// The same in percent of the company.
    pub held_after_pct: Option<f64>,
    /// The exchange of the trade.
    pub exchange: Option<String>,
    /// The filing.
    pub document: Option<String>,
    /// Where the row is from.
    pub source: Provenance,
}

impl InsiderTrade {
    /// All that tells one disclosure from another; equal ones are numbered. What only one of the layouts has is no part of it.
    pub(crate) fn identity(&self) -> impl Ord + use<> {
        let bits = |figure: Option<f64>| figure.map(f64::to_bits);
        let text = |text: &Option<String>| text.as_deref().unwrap_or_default().to_lowercase();
        let who = (text(&self.person), text(&self.category), text(&self.security));
        let what =
            (self.side, text(&self.transaction), text(&self.mode), bits(self.shares), bits(self.value));
        (self.symbol.clone(), self.filed_on, who, what, bits(self.held_before_pct), bits(self.held_after))
    }
}

pub(crate) struct InsiderFile {
    fields: usize,
    symbol: usize,
    filed_on: usize,
    transaction: usize,
    mode: usize,
    shares: usize,
    value: usize,
    company: Option<usize>,
    from: Option<usize>,
    to: Option<usize>,
    person: Option<usize>,
    category: Option<usize>,
    security: Option<usize>,
    /// Held before, in percent, held after, in percent.
    held: [Option<usize>; 4],
    exchange: Option<usize>,
    document: Option<usize>,
}

impl InsiderFile {
    pub(crate) fn of(header: &Header) -> Option<Self> {
        let column = |names: &[&str]| header.column(names);
        Some(Self {
            fields: header.len(),
            symbol: column(&["SYMBOL"])?,
            filed_on: column(&["DATE", "BROADCASTE DATE AND TIME", "BROADCAST DATE AND TIME"])?,
            transaction: column(&["TDPTRANSACTIONTYPE", "ACQUISITION/DISPOSAL TRANSACTION TYPE"])?,
            mode: column(&["ACQMODE", "MODE OF ACQUISITION"])?,
            shares: column(&[
                "SECACQ",
                "NO. OF SECURITIES (ACQUIRED/DISPLOSED)",
                "NO. OF SECURITIES (ACQUIRED/DISPOSED)",
            ])?,
            value: column(&[
                "SECVAL",
                "VALUE OF SECURITY (ACQUIRED/DISPLOSED)",
                "VALUE OF SECURITY (ACQUIRED/DISPOSED)",
            ])?,
            company: column(&["COMPANY"]),
            from: column(&["ACQFROMDT", "DATE OF ALLOTMENT/ACQUISITION FROM"]),
            to: column(&["ACQTODT", "DATE OF ALLOTMENT/ACQUISITION TO"]),
            person: column(&["ACQNAME", "NAME OF THE ACQUIRER/DISPOSER"]),
            category: column(&["PERSONCATEGORY", "CATEGORY OF PERSON"]),
            security: column(&["SECURITIESTYPEPOST", "TYPE OF SECURITY (POST)", "SECTYPE"]),
            held: [
                column(&["BEFACQSHARESNO", "NO. OF SECURITY (PRIOR)"]),
                column(&["BEFACQSHARESPER", "% SHAREHOLDING (PRIOR)"]),
                column(&["AFTERACQSHARESNO", "NO. OF SECURITY (POST)"]),
                column(&["AFTERACQSHARESPER", "% POST", "% SHAREHOLDING (POST)"]),
            ],
            exchange: column(&["EXCHANGE"]),
            document: column(&["XBRL"]),
        })
    }
}

impl FactFile for InsiderFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let words = |column: Option<usize>| column.and_then(|column| record.words(column));
        let day =
            |column: Option<usize>| column.and_then(|column| dates::in_day_first_cell(record.cell(column)));
        let figure = |column: usize| cells::money(record.cell(column)).filter(|figure| *figure >= 0.0);
        let (shares, value) = (figure(self.shares), figure(self.value));
        if shares.is_none() && value.is_none() {
            return Err(Reason::NoAmount);
        }
        let (transaction, mode) = (record.words(self.transaction), record.words(self.mode));
        let [held_before, held_before_pct, held_after, held_after_pct] =
            self.held.map(|column| column.and_then(figure));
        Ok(Fact::InsiderTrade(Box::new(InsiderTrade {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            company: words(self.company),
            filed_on: dates::in_day_first_cell(record.cell(self.filed_on)).ok_or(Reason::BadDate)?,
            traded_from: day(self.from),
            traded_to: day(self.to),
            person: words(self.person),
            category: words(self.category),
            security: words(self.security),
            side: side(transaction.as_deref().unwrap_or_default(), mode.as_deref().unwrap_or_default()),
            transaction,
            mode,
            shares,
            value,
            held_before,
            held_before_pct,
            held_after,
            held_after_pct,
            exchange: words(self.exchange).filter(|exchange| exchange != "NA"),
            document: words(self.document),
            source: Provenance::default(),
        })))
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

/// Whether a transaction by a mode was a purchase, a sale, or neither.
///
/// Neither are pledges, gifts, transfers between promoters, employees' options, bonuses, mergers, conversions, inheritance:
/// no money of the person came to the market or left it by a decision of theirs.
fn side(transaction: &str, mode: &str) -> Side {
    const NO_TRADE: [&str; 11] = [
        "pledge",
        "gift",
        "esop",
        "esos",
        "inter-se",
        "bonus",
        "merger",
        "amalgamation",
        "conversion",
        "inherit",
        "transmission",
    ];
    let mode = mode.to_lowercase();
    if NO_TRADE.iter().any(|word| mode.contains(word)) {
        return Side::Other;
    }
    match transaction.to_lowercase().as_str() {
        "buy" => Side::Buy,
        "sell" => Side::Sell,
        _ => Side::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_tells_a_purchase_from_what_only_looks_like_one() {
        assert_eq!(side("Buy", "Market Purchase"), Side::Buy);
        assert_eq!(side("Sell", "Off Market"), Side::Sell);
        for (transaction, mode) in [
            ("Buy", "ESOP"),
            ("Sell", "Gift"),
            ("Pledge", "Pledge Creation"),
            ("Pledge Revoke", "Revokation of Pledge"),
            ("Buy", "Inter-se-Transfer"),
            ("Sell", "Scheme of Amalgamation/Merger/Demerger/Arrangement"),
            ("", ""),
        ] {
            assert_eq!(side(transaction, mode), Side::Other, "{transaction} {mode}");
        }
    }
}
