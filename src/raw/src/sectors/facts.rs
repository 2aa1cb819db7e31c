//! Facts on sectors from sources other than lists of listings and of members: collected here, compared by the finder.

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
    pub(super) user_written: HashMap<String, ListedCompany>,
    /// The sector for which an index of the symbol is named, by symbol.
    pub(super) index_sectors: HashMap<String, &'static str>,
    /// Classifications by an exchange that has the company under another symbol, by the issuer in the ISINs of its shares.
    by_issuer: HashMap<String, Classification>,
    /// SIC codes by CIK.
    pub(super) sics: HashMap<u64, u16>,
}

impl SectorFacts {
    /// Adds a row of a user-written file. It replaces the values of earlier rows, except where it has none.
    pub(crate) fn add_user_row(&mut self, row: ListedCompany) {
        let known = self.user_written.entry(row.symbol.clone()).or_default();
        known.sector = row.sector.or_else(|| known.sector.take());
        known.industry = row.industry.or_else(|| known.industry.take());
    }

    /// Adds the classification of the company that issued a share; a newer classification replaces it, unless that has no sector, as for
    /// bonds.
    pub(crate) fn add_classification(&mut self, isin: &str, classification: Classification) {
        if let Some(issuer) = issuer(isin).filter(|_| classification.sector.is_some()) {
            self.by_issuer.insert(issuer.to_owned(), classification);
        }
    }

    /// Returns the classification of the company that issued a share.
    pub(crate) fn classification_of_share(&self, isin: &str) -> Option<&Classification> {
        self.by_issuer.get(issuer(isin)?)
    }

    pub(crate) fn add_member(&mut self, symbol: &str, index: &str) {
        if let Some(sector) = words::sector_of_index(index) {
            self.index_sectors.insert(symbol.to_owned(), sector);
        }
    }

    /// Adds the SIC code in a company's own record.
    pub(crate) fn add_sic(&mut self, cik: u64, sic: u16) {
        self.sics.insert(cik, sic);
    }

    /// Adds the SIC code of an older filing, if the company's own record has none.
    pub(crate) fn add_older_sic(&mut self, cik: u64, sic: u16) {
        self.sics.entry(cik).or_insert(sic);
    }

    /// Lets a symbol inherit the facts of its predecessor that it lacks.
    pub(crate) fn inherit(&mut self, old: &str, now: &str) {
        if let Some(row) = self.user_written.remove(old) {
            let newer = self.user_written.insert(now.to_owned(), row);
            if let Some(newer) = newer {
                self.add_user_row(ListedCompany { symbol: now.to_owned(), ..newer });
            }
        }
        if let Some(sector) = self.index_sectors.remove(old) {
            self.index_sectors.entry(now.to_owned()).or_insert(sector);
        }
    }

    /// Returns the industry of a symbol in user-written files.
    pub(crate) fn user_industry(&self, symbol: &str) -> Option<&str> {
        self.user_written.get(symbol)?.industry.as_deref()
    }

    /// Returns the sectors in user-written files, by symbol.
    pub(crate) fn user_sectors(&self) -> impl Iterator<Item = (&str, &str)> {
        self.user_written.iter().filter_map(|(symbol, row)| Some((symbol.as_str(), row.sector.as_deref()?)))
    }
}

/// Returns the part of an ISIN that identifies the issuer: splits give a company's shares new ISINs with the same issuer.
fn issuer(isin: &str) -> Option<&str> {
    isin.get(..7)
}
