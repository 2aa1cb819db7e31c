//! The sector that the other companies of an industry have.
//!
//! In India's classification an industry is part of one sector, and a user's own file says the industries of companies that are
//! on no list of members. The US screener puts some industries into several sectors: those say none.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::reference_data::ReferenceData;

/// Companies of an industry that must have their sector from lists before the industry says it.
const FEWEST: usize = 3;

/// What lists say of the companies of an industry.
#[derive(Debug, Default)]
pub(super) struct IndustrySectors<'a> {
    /// By the sector in small letters, as older lists write it in capitals.
    sectors: BTreeMap<String, &'a str>,
    companies: usize,
}

impl<'a> IndustrySectors<'a> {
    /// The sector, if there are enough companies and all are of one.
    pub(super) fn sector(&self) -> Option<&'a str> {
        let is_said = self.sectors.len() == 1 && self.companies >= FEWEST;
        self.sectors.values().next().filter(|_| is_said).copied()
    }
}

/// The industry of a symbol, as the user's own files say it, or lists.
pub(super) fn of_symbol<'a>(reference: &'a ReferenceData, symbol: &str) -> Option<&'a str> {
    let ReferenceData { sectors, listed, of_members, .. } = reference;
    let lists = [listed, of_members].into_iter();
    let of_lists = || lists.filter_map(|list| list.get(symbol)).find_map(|row| row.industry.as_deref());
    sectors.own_industry(symbol).or_else(of_lists)
}

/// By industry: what is said of its companies that have one, where `sector_of` says what a list gives a symbol.
pub(super) fn industries<'a>(
    reference: &'a ReferenceData,
    sector_of: impl Fn(&str) -> Option<&'a str>,
) -> HashMap<&'a str, IndustrySectors<'a>> {
    let listed: BTreeSet<&String> = reference.listed.keys().chain(reference.of_members.keys()).collect();
    let mut industries: HashMap<&str, IndustrySectors<'_>> = HashMap::new();
    for symbol in listed {
        if let (Some(industry), Some(sector)) = (of_symbol(reference, symbol), sector_of(symbol)) {
            let said = industries.entry(industry).or_default();
            said.sectors.insert(sector.to_lowercase(), sector);
            said.companies += 1;
        }
    }
    industries
}
