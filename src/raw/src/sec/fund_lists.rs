//! Member lists of indices from the holdings of funds that hold all members.
//!
//! The symbol of a holding is its ticker, else that of its CUSIP or issuer. A holding without a symbol is refused, and if too many have
//! none, or the filing has too few for its index, the whole list is, because half a list would be taken for a whole index.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::NaiveDate;

use crate::accounts::row_accounts::RowAccounts;
use crate::domain::reason::Reason;
use crate::error::RawError;
use crate::files::source::RawSource;
use crate::formats::fund_holdings::FundHolding;
use crate::formats::insider_forms::parse_symbol;
use crate::records::listed::ListedCompany;
use crate::records::positioned_row::PositionedRow;
use crate::reference_data::MemberList;
use crate::report::{Tally, examples};
use crate::sec::cusips::Cusips;
use parquote_catalogue::digits::counted;

/// Minimum share of a filing's holdings that have a symbol, in percent.
const LEAST_WITH_SYMBOL: usize = 90;

type Holdings = Vec<PositionedRow<FundHolding>>;

/// Identifies a filing among those of a fund for a day; the greatest is in force: the last filed or, if a day of filing is unknown, an
/// amendment.
type FundFilingOrder = (Option<NaiveDate>, bool, u32);

/// Symbols of holdings.
pub(crate) struct HoldingSymbols<'a> {
    pub(crate) cusips: Cusips<'a>,
    /// Symbols with bars.
    pub(crate) traded: &'a HashSet<&'a str>,
}

impl HoldingSymbols<'_> {
    /// Returns the symbol of a holding. A ticker that does not trade may be misspelt, so it comes after the CUSIP.
    fn find(&self, holding: &FundHolding) -> Option<String> {
        let ticker = traded_ticker(holding, self.traded);
        let cusip = holding.cusip.as_deref().unwrap_or_default();
        let by_cusip = || {
            let found =
                self.cusips.symbol(cusip, &holding.name, holding.title.as_deref().unwrap_or_default());
            found.map(|(symbol, _)| symbol.to_owned())
        };
        ticker.or_else(by_cusip).or_else(|| ticker_of(holding))
    }
}

fn traded_ticker(holding: &FundHolding, traded: &HashSet<&str>) -> Option<String> {
    ticker_of(holding).filter(|symbol| traded.contains(symbol.as_str()))
}

/// Returns the ticker of a holding, without the exchange code of a terminal, as in `NVDA US`.
fn ticker_of(holding: &FundHolding) -> Option<String> {
    let ticker = holding.ticker.as_deref()?.trim();
    let codes = [" US", " UN", " UW", " UQ"];
    parse_symbol(codes.iter().find_map(|code| ticker.strip_suffix(code)).unwrap_or(ticker))
}

/// Returns the symbols of CUSIPs whose holdings have a ticker.
pub(crate) fn cusips_by_ticker(
    holdings: &[PositionedRow<FundHolding>],
    traded: &HashSet<&str>,
) -> HashMap<String, String> {
    let pair = |placed: &PositionedRow<FundHolding>| {
        Some((placed.row.cusip.clone()?, traded_ticker(&placed.row, traded)?))
    };
    holdings.iter().filter_map(pair).collect()
}

/// Returns the lists, of each index and date the best last: that of a trust, then the one with the fewest holdings without a symbol.
///
/// # Errors
/// Refused rows cannot be written.
pub(crate) fn lists(
    holdings: Holdings,
    symbols: &HoldingSymbols<'_>,
    sources: &[RawSource],
    accounts: &mut RowAccounts<'_>,
) -> Result<Vec<MemberList>, RawError> {
    let mut lists = FundLists::default();
    for filing in filings_in_force(holdings, sources, accounts) {
        let source = filing.first().and_then(|first| sources.get(first.file as usize));
        if let Some(source) = source {
            lists.add(filing, symbols, source, accounts)?;
        }
    }
    accounts.report.exceptions.extend(lists.notes());
    lists.lists.sort_by_key(|(preference, _)| *preference);
    Ok(lists.lists.into_iter().map(|(_, list)| list).collect())
}

/// A list with its preference among the lists of an index and date: that of a trust, the fewest holdings without a symbol, the newest file.
type PreferredList = ((bool, Reverse<usize>, u32), MemberList);

/// Lists of members, with what the report says about them.
#[derive(Default)]
struct FundLists {
    lists: Vec<PreferredList>,
    /// Number of holdings in these lists.
    holdings: usize,
    /// The securities among them without a symbol.
    unknown: BTreeSet<String>,
    /// Filings with too few symbols.
    incomplete: Vec<String>,
}

impl FundLists {
    /// Adds the list of a filing if enough of its holdings have a symbol.
    fn add(
        &mut self,
        filing: Holdings,
        symbols: &HoldingSymbols<'_>,
        source: &RawSource,
        accounts: &mut RowAccounts<'_>,
    ) -> Result<(), RawError> {
        let Some(FundHolding { index, is_trust, report_date, least_members, .. }) =
            filing.first().map(|it| it.row.clone())
        else {
            return Ok(());
        };
        let all = filing.len();
        let found = filing.into_iter().map(|placed| (symbols.find(&placed.row), placed));
        let (known, unknown): (Vec<_>, Vec<_>) = found.partition(|(symbol, _)| symbol.is_some());
        for (_, placed) in &unknown {
            accounts.refuse_used(source, placed.line, Reason::NoSymbol, &placed.row.security())?;
        }
        if known.len() < least_members || known.len() * 100 < all * LEAST_WITH_SYMBOL {
            for (_, placed) in &known {
                accounts.refuse_used(source, placed.line, Reason::IncompleteList, &placed.row.security())?;
            }
            let counts = format!("{index} of {report_date}, {} of {all}", known.len());
            self.incomplete.push(format!("{} ({counts})", source.name));
            return Ok(());
        }
        self.holdings += all;
        let preference = (is_trust, Reverse(unknown.len()), source.rank);
        self.unknown.extend(unknown.into_iter().map(|(_, placed)| placed.row.security()));
        let member = |(symbol, placed): (Option<String>, PositionedRow<FundHolding>)| {
            let name = Some(placed.row.name);
            symbol.map(|symbol| ListedCompany { symbol, name, ..ListedCompany::default() })
        };
        let members = known.into_iter().filter_map(member).collect();
        let (file, date) = (source.name.clone(), Some(report_date));
        self.lists.push((preference, MemberList { index, file, date, members }));
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        let remedy = "a file with the columns cusip and symbol helps";
        let unknown: Vec<String> = self.unknown.iter().cloned().collect();
        let of_lists = (!unknown.is_empty()).then(|| {
            format!(
                "of {} in lists of index funds, those of {} have no symbol; {remedy}: {}",
                counted(self.holdings, "holding", "holdings"),
                counted(unknown.len(), "security", "securities"),
                examples(&unknown, "; ")
            )
        });
        let incomplete = (!self.incomplete.is_empty()).then(|| {
            format!(
                "{} not used: under {LEAST_WITH_SYMBOL} % of the holdings, or of the members of the index, have a symbol; {remedy}: {}",
                counted(self.incomplete.len(), "list of an index fund is", "lists of index funds are"),
                examples(&self.incomplete, "; ")
            )
        });
        of_lists.into_iter().chain(incomplete).collect()
    }
}

/// Returns the holdings of each fund and day from the filing in force. Those of the other filings are booked as restated.
fn filings_in_force(
    holdings: Holdings,
    sources: &[RawSource],
    accounts: &mut RowAccounts<'_>,
) -> Vec<Holdings> {
    let mut funds: BTreeMap<(String, NaiveDate), Holdings> = BTreeMap::new();
    for placed in holdings {
        funds.entry((placed.row.fund.clone(), placed.row.report_date)).or_default().push(placed);
    }
    let in_force = funds.into_values().map(|holdings| {
        let is_dated = holdings.iter().all(|placed| placed.row.filed_on.is_some());
        let mut filings: BTreeMap<FundFilingOrder, Holdings> = BTreeMap::new();
        for placed in holdings {
            let filed_on = placed.row.filed_on.filter(|_| is_dated);
            filings.entry((filed_on, placed.row.is_amendment, placed.file)).or_default().push(placed);
        }
        let newest = filings.pop_last().map(|(_, filing)| filing).unwrap_or_default();
        for placed in filings.into_values().flatten() {
            if let Some(source) = sources.get(placed.file as usize) {
                accounts.book_repetitions(source, &Tally { restated: 1, ..Tally::default() });
            }
        }
        newest
    });
    in_force.collect()
}
