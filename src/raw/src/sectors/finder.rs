//! Finds the sector of a company: all sources of sectors, in their order of precedence.
//!
//! Lists with the company come first, then the list of another exchange, then inferences: the sector of the other companies of its
//! industry, its membership in an index of one sector, the industry under which it files, its name. Each sector has its source, so that an
//! inference is not mistaken for a stated sector.

use std::collections::{BTreeMap, HashMap};

use crate::domain::sector_source::SectorSource;
use crate::records::listed::ListedCompany;
use crate::reference_data::ReferenceData;
use crate::sectors::{by_industry, words};
use parquote_catalogue::operation::Market;

pub(crate) struct SectorFinder<'a> {
    market: Market,
    reference: &'a ReferenceData,
    /// Spelling of each sector, by the sector in lower case.
    spellings: HashMap<String, String>,
    /// CIKs by symbol.
    ciks: HashMap<&'a str, u64>,
    /// Sectors by CIK, each of one of the company's symbols in lists of members.
    member_sectors: HashMap<u64, &'a str>,
    /// Sectors of companies, by industry.
    industries: HashMap<&'a str, by_industry::IndustrySectors<'a>>,
}

impl<'a> SectorFinder<'a> {
    pub(crate) fn new(market: Market, reference: &'a ReferenceData) -> Self {
        // Sorted by symbol, so that of two contradictory sectors the same one is used every time.
        let members: BTreeMap<_, _> = reference.member_facts.iter().collect();
        let of_company = |member: &'a ListedCompany| Some((member.cik?, member.sector.as_deref()?));
        let member_sectors = members.into_values().filter_map(of_company).collect();
        let ciks = reference.ciks.by_symbol();
        let spellings = spellings(reference);
        let industries = by_industry::industries(reference, |symbol| sector_in_lists(reference, symbol));
        Self { market, reference, spellings, ciks, member_sectors, industries }
    }

    /// Returns the sector of a company by its symbol, name and ISIN, and the sector's origin.
    pub(crate) fn find(
        &self,
        symbol: &str,
        name: Option<&str>,
        isin: Option<&str>,
    ) -> Option<(String, SectorSource)> {
        let ReferenceData { sectors, listings, member_facts, .. } = self.reference;
        let cik = || self.ciks.get(symbol);
        let own = || sectors.user_written.get(symbol)?.sector.as_deref();
        let of_listing = || listings.get(symbol)?.sector.as_deref();
        let industry = || self.industries.get(by_industry::industry_of(self.reference, symbol)?)?.sector();
        let of_member = || member_facts.get(symbol)?.sector.as_deref();
        let of_company = || cik().and_then(|cik| self.member_sectors.get(cik)).copied();
        let of_share = || sectors.classification_of_share(isin?)?.sector.as_deref();
        let of_index = || sectors.index_sectors.get(symbol).copied();
        let of_sic =
            || cik().and_then(|cik| sectors.sics.get(cik)).and_then(|sic| words::sector_of_sic(*sic));
        let of_name = || name.and_then(|name| words::sector_of_company_name(self.market, name));
        let with_source =
            |sector: Option<&'_ str>, source| sector.map(|sector| (self.spell_sector(sector), source));
        with_source(own(), SectorSource::OwnFile)
            .or_else(|| with_source(of_listing(), SectorSource::Listing))
            .or_else(|| with_source(of_member().or_else(of_company), SectorSource::IndexList))
            .or_else(|| with_source(of_share(), SectorSource::OtherExchange))
            .or_else(|| with_source(industry(), SectorSource::Industry))
            .or_else(|| with_source(of_index(), SectorSource::SectorIndex))
            .or_else(|| with_source(of_sic().filter(|_| self.market == Market::Us), SectorSource::Sic))
            .or_else(|| with_source(of_name(), SectorSource::Name))
    }

    fn spell_sector(&self, sector: &str) -> String {
        self.spellings.get(&sector.to_lowercase()).cloned().unwrap_or_else(|| sector.to_owned())
    }
}

/// Returns the sector of a symbol in the exchange's listing or a list of members.
fn sector_in_lists<'a>(reference: &'a ReferenceData, symbol: &str) -> Option<&'a str> {
    let lists = [&reference.listings, &reference.member_facts].into_iter();
    lists.filter_map(|list| list.get(symbol)).find_map(|row| row.sector.as_deref())
}

/// Returns the spelling of each sector in the newest list, by the sector in lower case. Older lists write whole taxonomies in capitals.
fn spellings(reference: &ReferenceData) -> HashMap<String, String> {
    let members = reference.lists.iter().flat_map(|list| &list.members);
    let sectors = members.filter_map(|member| member.sector.clone());
    sectors.map(|sector| (sector.to_lowercase(), sector)).collect()
}
