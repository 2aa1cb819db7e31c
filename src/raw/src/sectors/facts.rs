//! Facts on sectors from sources other than lists of listings and of members: collected here, judged by the finder.

use std::collections::HashMap;

use crate::records::listed::ListedCompany;
use crate::sectors::words;

/// An exchange's classification of a company.
#[derive(Debug, Clone, Default)]
pub(crate) struct Classification {
    pub(crate) sector: Option<String>,
    pub(crate) industry: Option<String>,
}

/// Facts on sectors from sources other than lists of listings and of members.
#[derive(Debug, Default)]
pub(crate) struct SectorFacts {
    /// User-written facts, by symbol.
    pub(super) own: HashMap<String, ListedCompany>,
    /// The sector for which an index of the symbol is named, by symbol.
    pub(super) of_indices: HashMap<String, &'static str>,
    /// Classifications by an exchange that has the company under another symbol, by the issuer in the ISINs of its shares.
    of_issuers: HashMap<String, Classification>,
    /// SIC codes by CIK.
    pub(super) sics: HashMap<u64, u16>,
}

impl SectorFacts {
    /// Adds a row of a user-written file. It replaces the values of earlier rows, except where it has none.
    pub(crate) fn add_own(&mut self, row: ListedCompany) {
        let known = self.own.entry(row.symbol.clone()).or_default();
        known.sector = row.sector.or_else(|| known.sector.take());
        known.industry = row.industry.or_else(|| known.industry.take());
    }

    /// Adds the classification of the company that issued a share; a newer classification replaces it, unless that has no sector, as for
    /// bonds.
    pub(crate) fn add_share(&mut self, isin: &str, of_issuer: Classification) {
        if let Some(issuer) = issuer(isin).filter(|_| of_issuer.sector.is_some()) {
            self.of_issuers.insert(issuer.to_owned(), of_issuer);
        }
    }

    /// Returns the classification of the company that issued a share.
    pub(crate) fn of_share(&self, isin: &str) -> Option<&Classification> {
        self.of_issuers.get(issuer(isin)?)
    }

    pub(crate) fn add_member(&mut self, symbol: &str, index: &str) {
        if let Some(sector) = words::of_index(index) {
            self.of_indices.insert(symbol.to_owned(), sector);
        }
    }

    /// Adds the SIC code of a company.
    pub(crate) fn add_sic(&mut self, cik: u64, sic: u16) {
        self.sics.insert(cik, sic);
    }

    /// Adds the SIC code of an older filing, if the company's own record has none.
    pub(crate) fn add_sic_of_old(&mut self, cik: u64, sic: u16) {
        self.sics.entry(cik).or_insert(sic);
    }

    /// Lets a symbol inherit the facts of its predecessor that it lacks.
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

    /// Returns the industry of a symbol in user-written files.
    pub(crate) fn own_industry(&self, symbol: &str) -> Option<&str> {
        self.own.get(symbol)?.industry.as_deref()
    }

    /// Returns the sectors in user-written files, by symbol.
    pub(crate) fn own_sectors(&self) -> impl Iterator<Item = (&str, &str)> {
        self.own.iter().filter_map(|(symbol, row)| Some((symbol.as_str(), row.sector.as_deref()?)))
    }
}

/// Returns the part of an ISIN that identifies the issuer: splits give a company's shares new ISINs with the same issuer.
fn issuer(isin: &str) -> Option<&str> {
    isin.get(..7)
}
