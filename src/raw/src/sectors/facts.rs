//! What files say of sectors beside the lists of listings and of members: gathered here, judged by the finder.

use std::collections::HashMap;

use crate::records::listed::ListedCompany;
use crate::sectors::by_index;

/// What an exchange says of a company's business.
#[derive(Debug, Clone, Default)]
pub(crate) struct Classification {
    pub(crate) sector: Option<String>,
    pub(crate) industry: Option<String>,
}

/// What files say of sectors beside the lists of listings and of members.
#[derive(Debug, Default)]
pub(crate) struct SectorFacts {
    /// By symbol: what the user's own files say.
    pub(super) own: HashMap<String, ListedCompany>,
    /// By symbol: the sector for which an index of it is named.
    pub(super) of_indices: HashMap<String, &'static str>,
    /// By the issuer in the ISINs of its shares: what an exchange says that knows the company under another symbol.
    of_issuers: HashMap<String, Classification>,
    /// By CIK: the industry under which it files.
    pub(super) sics: HashMap<u64, u16>,
}

impl SectorFacts {
    /// Adds a row of a user's own file; a newer one replaces what it says, and leaves the rest.
    pub(crate) fn add_own(&mut self, row: ListedCompany) {
        let known = self.own.entry(row.symbol.clone()).or_default();
        known.sector = row.sector.or_else(|| known.sector.take());
        known.industry = row.industry.or_else(|| known.industry.take());
    }

    /// Adds the classification of the company that issued a share; a newer one replaces it, unless it says no sector, as that of bonds.
    pub(crate) fn add_share(&mut self, isin: &str, of_issuer: Classification) {
        if let Some(issuer) = issuer(isin).filter(|_| of_issuer.sector.is_some()) {
            self.of_issuers.insert(issuer.to_owned(), of_issuer);
        }
    }

    /// The classification of the company that issued a share.
    pub(crate) fn of_share(&self, isin: &str) -> Option<&Classification> {
        self.of_issuers.get(issuer(isin)?)
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
                self.add_own(ListedCompany { symbol: now.to_owned(), ..newer });
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

/// The part of an ISIN that names who issued it: splits give a company's shares new ISINs, and leave this.
fn issuer(isin: &str) -> Option<&str> {
    isin.get(..7)
}
