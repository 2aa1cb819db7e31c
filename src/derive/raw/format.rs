//! The formats that are known, and how a file is recognised: by its header line.
//!
//! A name is looked at only for what a header cannot say: the index of a list, a date, a symbol, bulk or block.

use super::cells::Header;
use super::fact::FactFile;
use super::files;
use super::given_file::GivenFile;
use super::price_row::{PriceColumns, PriceFile};
use super::statements;
use super::{
    actions, bhav_full, bhav_old, cik, cusips, deals, equity_list, etf_list, events, filings, index_day,
    index_list, insider_forms, investors, positions,
};
use super::{industry, insider_trades, market_cap, price_bands, shareholding, symbol_changes, udiff};
use super::{us_listings, us_members, us_prices};
use crate::operation::Market;

/// A format of raw files. Of price formats, the earlier wins where two hold the same symbol and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Format {
    /// NSE `sec_bhavdata_full`.
    BhavFull,
    /// UDiFF `BhavCopy_NSE_CM`.
    Udiff,
    /// NSE `cm..bhav`.
    BhavOld,
    /// US prices.
    UsPrices,
    /// NSE `mcap`: issue sizes.
    MarketCap,
    /// NSE `EQUITY_L` and lists with its header.
    EquityList,
    /// Members of an index of NSE.
    IndexList,
    /// NSE's list of exchange-traded funds.
    EtfList,
    /// NSE's daily report of exchange-traded funds.
    EtfDay,
    /// Corporate actions.
    Actions,
    /// US listings.
    UsListings,
    /// Members of an index of the US.
    UsMembers,
    /// Sectors and industries by symbol, of the user's own.
    Industry,
    /// NSE's price bands.
    PriceBands,
    /// The index rows of NSE's `pr` and `pd`.
    IndexDay,
    /// NSE's bulk and block deals.
    Deals,
    /// Disclosures of insiders of NSE's companies.
    InsiderTrades,
    /// Shareholding patterns.
    Shareholding,
    /// Figures of statements, one a row.
    Statements,
    /// Filings of the SEC's financial-statement data sets.
    DataSetFilings,
    /// Figures of the SEC's financial-statement data sets.
    DataSetFigures,
    /// The SEC's company facts.
    CompanyFacts,
    /// Results in XBRL as Indian exchanges publish them.
    Results,
    /// Workbooks with a sheet of statements.
    Workbook,
    /// Extracts of results.
    ResultsExtract,
    /// NSE's `bc`.
    Events,
    /// NSE's changes of symbols.
    SymbolChanges,
    /// CIKs of companies that file with the SEC.
    Ciks,
    /// Filings with the SEC.
    Filings,
    /// Transactions of US insiders.
    InsiderForms,
    /// Positions of institutions.
    Positions,
    /// CUSIPs of symbols.
    Cusips,
    /// Institutions that are followed.
    Investors,
    /// Rows of a table, in a file that is named after it.
    Given,
}

/// What the header of a file says of its columns.
pub(crate) enum Layout {
    Prices(PriceColumns),
    Facts(Box<dyn FactFile>),
    Given(GivenFile),
}

/// The price formats of a market.
fn price_files(market: Market) -> &'static [&'static PriceFile] {
    match market {
        Market::India => &[&bhav_full::BHAV_FULL, &udiff::UDIFF, &bhav_old::BHAV_OLD],
        Market::Us => &[&us_prices::US_PRICES],
    }
}

/// The format of a file with this header and path, if it is one that the market reads.
pub(crate) fn recognise(market: Market, header: &Header, path: &str) -> Option<(Format, Layout)> {
    let name = files::file_name(path);
    for file in price_files(market) {
        if let Some(columns) = file.columns(header, name) {
            return Some((file.format, Layout::Prices(columns)));
        }
    }
    let of_market = match market {
        Market::India => list_of_india(header).or_else(|| report_of_india(header, path)),
        Market::Us => facts(Format::UsListings, us_listings::UsListings::of(header, name))
            .or_else(|| facts(Format::UsMembers, us_members::UsMembers::of(header, name)))
            .or_else(|| filed_in_us(header, path)),
    };
    of_market
        .or_else(|| statements_of(header, name))
        .or_else(|| facts(Format::Actions, actions::ActionFile::of(header)))
        .or_else(|| facts(Format::Industry, industry::IndustryFile::of(header, market)))
}

/// What says which securities there are.
fn list_of_india(header: &Header) -> Option<(Format, Layout)> {
    facts(Format::EquityList, equity_list::EquityList::of(header))
        .or_else(|| facts(Format::IndexList, index_list::IndexList::of(header)))
        .or_else(|| facts(Format::MarketCap, market_cap::MarketCapFile::of(header)))
        .or_else(|| facts(Format::EtfList, etf_list::EtfList::of(header)))
        .or_else(|| facts(Format::EtfDay, etf_list::EtfList::of_day(header)))
        .or_else(|| facts(Format::SymbolChanges, symbol_changes::SymbolChangeFile::of(header)))
}

/// What says what happened.
fn report_of_india(header: &Header, path: &str) -> Option<(Format, Layout)> {
    let name = files::file_name(path);
    facts(Format::PriceBands, price_bands::BandFile::of(header, path))
        .or_else(|| facts(Format::IndexDay, index_day::IndexDay::of(header, path)))
        .or_else(|| facts(Format::Deals, deals::DealFile::of(header, name)))
        .or_else(|| facts(Format::InsiderTrades, insider_trades::InsiderFile::of(header)))
        .or_else(|| facts(Format::Shareholding, shareholding::HoldingFile::of(header, name)))
        .or_else(|| facts(Format::Events, events::EventFile::of(header)))
}

/// Statements in every layout.
fn statements_of(header: &Header, name: &str) -> Option<(Format, Layout)> {
    let tagged = |format, value| facts(format, statements::TaggedFile::of(header, value, None));
    let filed = || statements::filed_by_name(name);
    facts(Format::Statements, statements::StatementFile::of(header))
        .or_else(|| facts(Format::DataSetFilings, statements::SubmissionFile::of(header)))
        .or_else(|| tagged(Format::DataSetFigures, statements::OF_DATA_SET))
        .or_else(|| tagged(Format::CompanyFacts, statements::OF_COMPANY_FACTS))
        .or_else(|| {
            facts(Format::Results, statements::TaggedFile::of(header, statements::OF_RESULTS, filed()))
        })
        .or_else(|| tagged(Format::Workbook, statements::OF_WORKBOOK))
        .or_else(|| facts(Format::ResultsExtract, statements::ResultsExtract::of(header)))
}

/// What is filed with the SEC, and who files.
fn filed_in_us(header: &Header, path: &str) -> Option<(Format, Layout)> {
    let name = files::file_name(path);
    facts(Format::Filings, filings::FilingFile::of(header, name))
        .or_else(|| facts(Format::InsiderForms, insider_forms::InsiderFormFile::of(header, path)))
        .or_else(|| facts(Format::Positions, positions::PositionFile::of(header, path)))
        .or_else(|| facts(Format::Investors, investors::InvestorFile::of(header)))
        .or_else(|| facts(Format::Cusips, cusips::CusipFile::of(header)))
        .or_else(|| facts(Format::Ciks, cik::CikFile::of(header)))
}

fn facts<F: FactFile + 'static>(format: Format, file: Option<F>) -> Option<(Format, Layout)> {
    file.map(|file| (format, Layout::Facts(Box::new(file))))
}

impl Format {
    /// The format in words, for the report.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::BhavFull => "full bhavcopy",
            Self::Udiff => "UDiFF bhavcopy",
            Self::BhavOld => "old bhavcopy",
            Self::UsPrices => "US prices",
            Self::MarketCap => "issue sizes",
            Self::EquityList => "listed companies",
            Self::IndexList | Self::UsMembers => "index members",
            Self::EtfList => "exchange-traded funds",
            Self::EtfDay => "exchange-traded funds, daily",
            Self::Actions => "corporate actions",
            Self::UsListings => "US listings",
            Self::Industry => "own sectors and industries",
            Self::PriceBands => "price bands",
            Self::IndexDay => "index prices",
            Self::Deals => "bulk and block deals",
            Self::InsiderTrades => "insider disclosures",
            Self::Shareholding => "shareholding patterns",
            Self::Statements => "statement lines",
            Self::DataSetFilings => "SEC data sets, filings",
            Self::DataSetFigures => "SEC data sets, figures",
            Self::CompanyFacts => "SEC company facts",
            Self::Results => "results in XBRL",
            Self::Workbook => "statement workbooks",
            Self::ResultsExtract => "results, extracted",
            Self::Events => "official corporate actions",
            Self::SymbolChanges => "symbol changes",
            Self::Ciks => "CIKs of companies",
            Self::Filings => "SEC filings",
            Self::InsiderForms => "insiders' forms",
            Self::Positions => "institutional positions",
            Self::Cusips => "CUSIPs of symbols",
            Self::Investors => "institutional investors",
            Self::Given => "given tables",
        }
    }

    /// Whether files of this format hold bars.
    pub(crate) const fn has_bars(self) -> bool {
        matches!(self, Self::BhavFull | Self::Udiff | Self::BhavOld | Self::UsPrices)
    }

    /// Whether files of this format start with the names of their columns.
    pub(crate) const fn has_header(self) -> bool {
        !matches!(self, Self::SymbolChanges)
    }

    /// Whether what files of this format say is known from the date in their path.
    pub(crate) const fn is_dated_by_path(self) -> bool {
        matches!(self, Self::IndexList | Self::UsMembers | Self::PriceBands | Self::Events)
    }

    /// Whether files of this format are of figures of statements, or of the filings in which they are.
    pub(crate) const fn has_statements(self) -> bool {
        matches!(
            self,
            Self::Statements
                | Self::DataSetFilings
                | Self::DataSetFigures
                | Self::CompanyFacts
                | Self::Results
                | Self::Workbook
                | Self::ResultsExtract
        )
    }

    /// Whether rows of this format say the ISIN of their symbol, so that formats without one are screened by it.
    pub(crate) const fn has_isin(self) -> bool {
        matches!(self, Self::Udiff | Self::BhavOld)
    }
}
