//! The sector of a company: every way in which files say one, and which of them holds.
//!
//! What a list says of the company stands before what is only read off it: the sector of the other companies of its industry, its
//! membership in an index of one sector, the industry under which it files, its name. Each sector is said with its source, so that none passes for more than it is.

use std::collections::{BTreeMap, HashMap};

use super::fact::Listed;
use super::references::References;
use crate::operation::Market;

mod by_index;
mod by_industry;
mod by_name;
mod by_sic;

/// Where the sector of a company is from; the earlier stands before the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectorSource {
    /// A file of the user's own, `symbol,sector`.
    OwnFile,
    /// The exchange's listing of the symbol.
    Listing,
    /// A list of index members that says it, perhaps under another symbol of the same company.
    IndexList,
    /// The other companies of its industry are of this one, as lists say.
    Industry,
    /// The symbol is on the list of an index that is named for a sector.
    SectorIndex,
    /// The industry under which the company files with the SEC.
    Sic,
    /// A word in the company's name.
    Name,
}

impl SectorSource {
    /// The word for the source in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::OwnFile => "own_file",
            Self::Listing => "listing",
            Self::IndexList => "index_list",
            Self::Industry => "industry",
            Self::SectorIndex => "sector_index",
            Self::Sic => "sic",
            Self::Name => "name",
        }
    }
}

/// What files say of sectors beside the lists of listings and of members.
#[derive(Debug, Default)]
pub(crate) struct SectorFacts {
    /// By symbol: what the user's own files say.
    own: HashMap<String, Listed>,
    /// By symbol: the sector for which an index of it is named.
    of_indices: HashMap<String, &'static str>,
    /// By CIK: the industry under which it files.
    sics: HashMap<u64, u16>,
}

impl SectorFacts {
    /// Adds a row of a user's own file; a newer one replaces what it says, and leaves the rest.
    pub(crate) fn add_own(&mut self, row: Listed) {
        let known = self.own.entry(row.symbol.clone()).or_default();
        known.sector = row.sector.or_else(|| known.sector.take());
        known.industry = row.industry.or_else(|| known.industry.take());
    }

    /// Adds a member of an index.
    pub(crate) fn add_member(&mut self, symbol: &str, index: &str) {
        if let Some(sector) = by_index::sector(index) {
            self.of_indices.insert(symbol.to_owned(), sector);
        }
    }

    /// Adds the industry under which a company files.
    pub(crate) fn add_sic(&mut self, cik: u64, sic: u16) {
        self.sics.insert(cik, sic);
    }

    /// Adds the industry of an older filing, where the company's own record says none.
    pub(crate) fn add_sic_of_old(&mut self, cik: u64, sic: u16) {
        self.sics.entry(cik).or_insert(sic);
    }

    /// Lets a symbol have what was said of the symbol before it, where nothing is said of itself.
    pub(crate) fn inherit(&mut self, old: &str, now: &str) {
        if let Some(row) = self.own.remove(old) {
            let newer = self.own.insert(now.to_owned(), row);
            if let Some(newer) = newer {
                self.add_own(Listed { symbol: now.to_owned(), ..newer });
            }
        }
        if let Some(sector) = self.of_indices.remove(old) {
            self.of_indices.entry(now.to_owned()).or_insert(sector);
        }
    }

    /// The industry that the user's own files give a symbol.
    pub(crate) fn own_industry(&self, symbol: &str) -> Option<&str> {
        self.own.get(symbol)?.industry.as_deref()
    }

    /// Sectors of the user's own files, by symbol.
    pub(crate) fn own_sectors(&self) -> impl Iterator<Item = (&str, &str)> {
        self.own.iter().filter_map(|(symbol, row)| Some((symbol.as_str(), row.sector.as_deref()?)))
    }
}

/// Finds the sectors of companies.
pub(crate) struct SectorFinder<'a> {
    market: Market,
    references: &'a References,
    /// By sector in small letters: its spelling.
    spellings: HashMap<String, String>,
    /// By symbol: the company's number with the SEC.
    ciks: HashMap<&'a str, u64>,
    /// By that number: the sector that a list of members gives one of the company's symbols.
    of_members: HashMap<u64, &'a str>,
    /// By industry: the sectors of its companies.
    industries: HashMap<&'a str, by_industry::Industry<'a>>,
}

impl<'a> SectorFinder<'a> {
    pub(crate) fn new(market: Market, references: &'a References) -> Self {
        // By symbol, so that of two that disagree the same one is heard every time.
        let members: BTreeMap<_, _> = references.of_members.iter().collect();
        let of_company = |member: &'a Listed| Some((member.cik?, member.sector.as_deref()?));
        let of_members = members.into_values().filter_map(of_company).collect();
        let ciks = references.ciks.by_symbol();
        let spellings = spellings(references);
        let industries = by_industry::industries(references, |symbol| said_by_list(references, symbol));
        Self { market, references, spellings, ciks, of_members, industries }
    }

    /// The sector of a company by its symbol and name, and where it is from.
    pub(crate) fn find(&self, symbol: &str, name: Option<&str>) -> Option<(String, SectorSource)> {
        let References { sectors, listed, of_members, .. } = self.references;
        let cik = || self.ciks.get(symbol);
        let own = || sectors.own.get(symbol)?.sector.as_deref();
        let of_listing = || listed.get(symbol)?.sector.as_deref();
        let industry = || self.industries.get(by_industry::of_symbol(self.references, symbol)?)?.sector();
        let of_member = || of_members.get(symbol)?.sector.as_deref();
        let of_company = || cik().and_then(|cik| self.of_members.get(cik)).copied();
        let of_index = || sectors.of_indices.get(symbol).copied();
        let of_sic = || cik().and_then(|cik| sectors.sics.get(cik)).and_then(|sic| by_sic::sector(*sic));
        let of_name = || name.and_then(|name| by_name::sector(self.market, name));
        let said = |sector: Option<&'_ str>, source| sector.map(|sector| (self.spelled(sector), source));
        said(own(), SectorSource::OwnFile)
            .or_else(|| said(of_listing(), SectorSource::Listing))
            .or_else(|| said(of_member().or_else(of_company), SectorSource::IndexList))
            .or_else(|| said(industry(), SectorSource::Industry))
            .or_else(|| said(of_index(), SectorSource::SectorIndex))
            .or_else(|| said(of_sic().filter(|_| self.market == Market::Us), SectorSource::Sic))
            .or_else(|| said(of_name(), SectorSource::Name))
    }

    fn spelled(&self, sector: &str) -> String {
        self.spellings.get(&sector.to_lowercase()).cloned().unwrap_or_else(|| sector.to_owned())
    }
}

/// The sector that the exchange's listing or a list of members gives a symbol.
fn said_by_list<'a>(references: &'a References, symbol: &str) -> Option<&'a str> {
    let lists = [&references.listed, &references.of_members].into_iter();
    lists.filter_map(|list| list.get(symbol)).find_map(|row| row.sector.as_deref())
}

/// By sector in small letters: the spelling of the newest list that has it. Older lists write whole taxonomies in capitals.
fn spellings(references: &References) -> HashMap<String, String> {
    let members = references.lists.iter().flat_map(|list| &list.members);
    let sectors = members.filter_map(|member| member.sector.clone());
    sectors.map(|sector| (sector.to_lowercase(), sector)).collect()
}
