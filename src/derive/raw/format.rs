//! The formats that are known, and how a file is recognised: by its header line, never by its name.
//!
//! The one exception is lists of index members in the US, whose header says nothing of an index; theirs is in the name.

use super::cells::Header;
use super::fact::FactFile;
use super::price_row::{PriceColumns, PriceFile};
use super::{actions, bhav_full, bhav_old, equity_list, etf_list, index_list, industry, market_cap};
use super::{udiff, us_listings, us_members, us_prices};
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
    /// Industries by symbol.
    Industry,
}

/// What the header of a file says of its columns.
pub(crate) enum Layout {
    Prices(PriceColumns),
    Facts(Box<dyn FactFile>),
}

/// The price formats of a market.
fn price_files(market: Market) -> &'static [&'static PriceFile] {
    match market {
        Market::India => &[&bhav_full::BHAV_FULL, &udiff::UDIFF, &bhav_old::BHAV_OLD],
        Market::Us => &[&us_prices::US_PRICES],
    }
}

/// The format of a file with this header and name, if it is one that the market reads.
pub(crate) fn recognise(market: Market, header: &Header, name: &str) -> Option<(Format, Layout)> {
    for file in price_files(market) {
        if let Some(columns) = file.columns(header) {
            return Some((file.format, Layout::Prices(columns)));
        }
    }
    let of_both = || {
        facts(Format::Actions, actions::ActionFile::of(header))
            .or_else(|| facts(Format::Industry, industry::IndustryFile::of(header)))
    };
    match market {
        Market::India => facts(Format::EquityList, equity_list::EquityList::of(header))
            .or_else(|| facts(Format::IndexList, index_list::IndexList::of(header)))
            .or_else(|| facts(Format::MarketCap, market_cap::MarketCapFile::of(header)))
            .or_else(|| facts(Format::EtfList, etf_list::EtfList::of(header)))
            .or_else(|| facts(Format::EtfDay, etf_list::EtfList::of_day(header)))
            .or_else(of_both),
        Market::Us => facts(Format::UsListings, us_listings::UsListings::of(header))
            .or_else(|| facts(Format::UsMembers, us_members::UsMembers::of(header, name)))
            .or_else(of_both),
    }
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
            Self::Industry => "industries",
        }
    }

    /// Whether files of this format hold bars.
    pub(crate) const fn has_bars(self) -> bool {
        matches!(self, Self::BhavFull | Self::Udiff | Self::BhavOld | Self::UsPrices)
    }

    /// Whether files of this format list the members of an index.
    pub(crate) const fn has_members(self) -> bool {
        matches!(self, Self::IndexList | Self::UsMembers)
    }

    /// Whether rows of this format say the ISIN of their symbol, so that formats without one are screened by it.
    pub(crate) const fn has_isin(self) -> bool {
        matches!(self, Self::Udiff | Self::BhavOld)
    }
}
