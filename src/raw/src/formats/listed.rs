//! Lists of companies, of index members and of other securities.

use chrono::NaiveDate;
use serde::Deserialize;

use crate::records::listed::ListedCompany;
use crate::records::placed::RecordPosition;
use crate::reference_data::ReferenceData;
use crate::sectors::facts::Classification;
use crate::sectors::words;

/// A member of an index.
///
/// Its sector is used if it is one of the market's or can be mapped to one: some lists have industries in that column, and NSE's had others
/// before 2022.
#[derive(Deserialize)]
pub(super) struct ListedMember {
    index: String,
    #[serde(flatten)]
    listed: ListedCompany,
}

/// A directory's entry of a symbol. Directories have no sectors, and do not change those of other listings.
#[derive(Deserialize)]
pub(super) struct DirectoryEntry {
    /// A test issue; its prices are no market's.
    is_test: bool,
    is_fund: bool,
    #[serde(flatten)]
    listed: ListedCompany,
}

/// A user's classification of a company.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct UserSector(pub(super) ListedCompany);

/// The classification of the company that issued a share.
#[derive(Deserialize)]
pub(super) struct ClassifiedShare {
    isin: String,
    sector: Option<String>,
    industry: Option<String>,
}

/// The symbol of an exchange-traded fund.
#[derive(Deserialize)]
pub(super) struct ListedFund {
    pub(super) symbol: String,
}

/// The number of shares issued by a day.
#[derive(Deserialize)]
pub(super) struct IssueSize {
    symbol: String,
    date: NaiveDate,
    shares: f64,
    name: Option<String>,
}

/// A CUSIP with its symbol.
#[derive(Deserialize)]
pub(super) struct ListedCusip {
    pub(super) cusip: String,
    pub(super) symbol: String,
}

impl ListedMember {
    /// Stores the member.
    pub(super) fn store(self, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        let Self { index, mut listed } = self;
        let sector = listed.sector.as_deref();
        listed.sector = sector.and_then(|word| words::of_market(at.market, word, listed.industry.as_deref()));
        into.add_member(listed, &index, at.path);
    }
}

impl DirectoryEntry {
    /// Stores the entry: a symbol is a fund if the newest directory with it says so, since symbols pass from funds to companies.
    pub(super) fn store(self, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        let Self { is_test, is_fund, listed } = self;
        into.funds.remove(&listed.symbol);
        into.test_issues.remove(&listed.symbol);
        if is_test {
            into.test_issues.insert(listed.symbol);
        } else if is_fund {
            into.funds.insert(listed.symbol);
        } else {
            into.add_listed(listed, at.path);
        }
    }
}

impl ClassifiedShare {
    /// Stores the classification.
    pub(super) fn store(self, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        let Self { isin, sector, industry } = self;
        let sector = sector.and_then(|word| words::of_market(at.market, &word, None));
        into.sectors.add_share(&isin, Classification { sector, industry });
    }
}

impl IssueSize {
    /// Stores the size, and the truncated name of the company.
    pub(super) fn store(self, _: &RecordPosition<'_>, into: &mut ReferenceData) {
        let Self { symbol, date, shares, name } = self;
        if let Some(name) = name {
            into.short_names.insert(symbol.clone(), name);
        }
        into.sizes.entry(symbol).or_default().push((date, shares));
    }
}
