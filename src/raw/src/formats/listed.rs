//! Lists of companies, of index members and of other securities.

use chrono::NaiveDate;
use serde::Deserialize;

use crate::records::listed::ListedCompany;
use crate::records::positioned_row::RecordPosition;
use crate::reference_data::ReferenceData;
use crate::sectors::facts::Classification;
use crate::sectors::words;

/// A member of an index.
///
/// Its sector is used if it is one of the market's or can be mapped to one: some lists have industries in that column, and NSE's
/// lists had other sectors before 2022.
#[derive(Deserialize)]
pub(super) struct ListedMember {
    index: String,
    #[serde(flatten)]
    company: ListedCompany,
}

/// A directory's entry of a symbol. Directories have no sectors, and do not change those of other listings.
#[derive(Deserialize)]
pub(super) struct DirectoryEntry {
    /// True for a test issue, whose prices are not real.
    is_test: bool,
    is_fund: bool,
    #[serde(flatten)]
    company: ListedCompany,
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

/// The number of shares that a company had issued up to a day.
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
    pub(super) fn store(self, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        let Self { index, mut company } = self;
        let sector = company.sector.as_deref();
        company.sector =
            sector.and_then(|word| words::market_sector(at.market, word, company.industry.as_deref()));
        into.add_member(company, &index, at.path);
    }
}

impl DirectoryEntry {
    /// Stores the entry: a symbol is a fund if the newest directory with it says so, since symbols pass from funds to companies.
    pub(super) fn store(self, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        let Self { is_test, is_fund, company } = self;
        into.funds.remove(&company.symbol);
        into.test_issues.remove(&company.symbol);
        if is_test {
            into.test_issues.insert(company.symbol);
        } else if is_fund {
            into.funds.insert(company.symbol);
        } else {
            into.add_listed(company, at.path);
        }
    }
}

impl ClassifiedShare {
    pub(super) fn store(self, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        let Self { isin, sector, industry } = self;
        let sector = sector.and_then(|word| words::market_sector(at.market, &word, None));
        into.sectors.add_classification(&isin, Classification { sector, industry });
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
