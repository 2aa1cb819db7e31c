//! The common sector of the other companies of an industry.
//!
//! In India's classification an industry is part of one sector, and a user-written file has the industries of companies that are on no list
//! of members. The US screener divides some industries among several sectors: those have no common sector.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::reference_data::ReferenceData;

/// Companies of an industry that must have a sector in lists before the industry implies it.
const MIN_COMPANIES: usize = 3;

/// Sectors of the companies of an industry in lists.
#[derive(Debug, Default)]
pub(super) struct IndustrySectors<'a> {
    /// Keyed by the sector in lower case, as older lists write it in capitals.
    sectors: BTreeMap<String, &'a str>,
    companies: usize,
}

impl<'a> IndustrySectors<'a> {
    /// Returns the common sector; `None` if there are fewer than `MIN_COMPANIES` companies or they have several sectors.
    pub(super) fn sector(&self) -> Option<&'a str> {
        let is_unanimous = self.sectors.len() == 1 && self.companies >= MIN_COMPANIES;
        self.sectors.values().next().filter(|_| is_unanimous).copied()
    }
}

/// Returns the industry of a symbol in user-written files, else in lists.
pub(super) fn industry_of<'a>(reference: &'a ReferenceData, symbol: &str) -> Option<&'a str> {
    let ReferenceData { sectors, listings, member_facts, .. } = reference;
    let lists = [listings, member_facts].into_iter();
    let of_lists = || lists.filter_map(|list| list.get(symbol)).find_map(|row| row.industry.as_deref());
    sectors.user_industry(symbol).or_else(of_lists)
}

/// Returns the sectors of each industry's companies; `sector_of` returns the sector of a symbol in lists.
pub(super) fn industries<'a>(
    reference: &'a ReferenceData,
    sector_of: impl Fn(&str) -> Option<&'a str>,
) -> HashMap<&'a str, IndustrySectors<'a>> {
    let listed: BTreeSet<&String> = reference.listings.keys().chain(reference.member_facts.keys()).collect();
    let mut industries: HashMap<&str, IndustrySectors<'_>> = HashMap::new();
    for symbol in listed {
        if let (Some(industry), Some(sector)) = (industry_of(reference, symbol), sector_of(symbol)) {
            let entry = industries.entry(industry).or_default();
            entry.sectors.insert(sector.to_lowercase(), sector);
            entry.companies += 1;
        }
    }
    industries
}
