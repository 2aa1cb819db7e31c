//! The content of raw files other than prices and statements: listings, members, funds, issue sizes, actions, and records.
//!
//! Records are added in the order of their files, so that a newer file has precedence. This module knows nothing of files or formats.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::NaiveDate;
use serde::Deserialize;

use crate::ciks::Ciks;
use crate::domain::bar::Bar;
use crate::domain::former_name::FormerName;
use crate::domain::provenance::Provenance;
use crate::records::listed::ListedCompany;
use crate::records::positioned_row::PositionedRow;
use crate::records::record_store::RecordStore;
use crate::sectors::facts::SectorFacts;
use crate::security_name::is_name_of_fund;
use crate::symbols::{SymbolChange, SymbolChanges};
use parquote_encodings::text::dates;

/// The members of one list, as read from one file.
#[derive(Debug)]
pub(crate) struct MemberList {
    pub(crate) index: String,
    pub(crate) file: String,
    /// The date in the path.
    pub(crate) date: Option<NaiveDate>,
    pub(crate) members: Vec<ListedCompany>,
}

/// A corporate action, read from a list of actions.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct WrittenAction {
    pub(crate) symbol: String,
    pub(crate) ex_date: NaiveDate,
    pub(crate) words: String,
    /// Factor that multiplies prices before the ex-date; 1 marks a real move that is no action.
    pub(crate) factor: f64,
    /// True if the ex-date is that of the prices, and not the written one.
    #[serde(skip)]
    pub(crate) is_moved: bool,
    #[serde(skip)]
    pub(crate) source: Provenance,
}

/// A market cap, the price that it is computed from, and the date of its list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListedCap {
    pub(crate) market_cap: f64,
    pub(crate) price: Option<f64>,
    pub(crate) date: Option<NaiveDate>,
}

/// The content of files other than price files.
#[derive(Debug, Default)]
pub(crate) struct ReferenceData {
    /// Facts in lists of the exchange, by symbol.
    pub(crate) listings: HashMap<String, ListedCompany>,
    /// Facts in lists of index members, by symbol.
    pub(crate) member_facts: HashMap<String, ListedCompany>,
    /// Truncated names in files of issue sizes, by symbol.
    pub(crate) short_names: HashMap<String, String>,
    /// Sectors and industries from other sources than these lists.
    pub(crate) sectors: SectorFacts,
    pub(crate) funds: HashSet<String>,
    /// Test symbols of exchanges.
    pub(crate) test_issues: HashSet<String>,
    pub(crate) lists: Vec<MemberList>,
    /// Issue sizes by symbol, unsorted: a date and the number of shares.
    pub(crate) sizes: HashMap<String, Vec<(NaiveDate, f64)>>,
    /// Market caps by symbol, in the order of their files.
    pub(crate) caps: HashMap<String, Vec<ListedCap>>,
    pub(crate) actions: Vec<PositionedRow<WrittenAction>>,
    /// Bars of indices, by name.
    pub(crate) indices: BTreeMap<String, Vec<Bar>>,
    /// Files whose rows have day and month swapped, by path: the day in the rows, and the day in the file's name.
    pub(crate) misdated: BTreeMap<String, (NaiveDate, NaiveDate)>,
    pub(crate) changes: Vec<SymbolChange>,
    pub(crate) former_names: Vec<FormerName>,
    /// CIKs of SEC filers.
    pub(crate) ciks: Ciks,
    /// Symbols by CUSIP, from lists.
    pub(crate) cusips: HashMap<String, String>,
    /// Records that code for their type processes.
    pub(crate) records: RecordStore,
}

impl ReferenceData {
    /// Adds a company of a list of the exchange; `path` is that of the list.
    pub(crate) fn add_listed(&mut self, listed: ListedCompany, path: &str) {
        if let Some(market_cap) = listed.market_cap {
            let cap = ListedCap { market_cap, price: listed.price, date: dates::in_path(path) };
            self.caps.entry(listed.symbol.clone()).or_default().push(cap);
        }
        merge_newer(&mut self.listings, listed);
    }

    /// Adds a member to the list at a path; members of one list are added consecutively.
    pub(crate) fn add_member(&mut self, member: ListedCompany, index: &str, path: &str) {
        if self.lists.last().is_none_or(|list| list.file != path) {
            let (index, file, date) = (index.to_owned(), path.to_owned(), dates::in_path(path));
            self.lists.push(MemberList { index, file, date, members: Vec::new() });
        }
        if let Some(list) = self.lists.last_mut() {
            self.sectors.add_member(&member.symbol, &list.index);
            list.members.push(member.clone());
        }
        merge_newer(&mut self.member_facts, member);
    }

    /// Adds the splits of price files up to the day `last`, except those that a list of actions has.
    pub(crate) fn add_splits(&mut self, splits: Vec<PositionedRow<WrittenAction>>, last: Option<NaiveDate>) {
        let listed: HashSet<(String, NaiveDate)> =
            self.actions.iter().map(|it| (it.row.symbol.clone(), it.row.ex_date)).collect();
        let is_new = |split: &PositionedRow<WrittenAction>| {
            Some(split.row.ex_date) <= last
                && !listed.contains(&(split.row.symbol.clone(), split.row.ex_date))
        };
        self.actions.extend(splits.into_iter().filter(is_new));
    }

    /// Adds the symbols that are in no list and have the name of a fund, as funds.
    pub(crate) fn add_funds_by_name(&mut self) {
        let is_fund = |(symbol, name): &(&String, &String)| {
            is_name_of_fund(name) && !self.listings.contains_key(*symbol)
        };
        let named: Vec<String> =
            self.short_names.iter().filter(is_fund).map(|(symbol, _)| symbol.clone()).collect();
        self.funds.extend(named);
    }

    /// Adds each old symbol as a fund if its current symbol is a fund.
    pub(crate) fn add_funds_of_old_symbols(&mut self) {
        let symbols = SymbolChanges::new(&self.changes, NaiveDate::MAX);
        let is_fund = |old: &&String| {
            let now = symbols.current(old, None);
            now.is_some_and(|now| self.funds.contains(now)) && !self.listings.contains_key(*old)
        };
        let old: Vec<String> = symbols.old_symbols().filter(is_fund).cloned().collect();
        self.funds.extend(old);
    }

    /// Replaces old symbols with current ones. `assumed` dates lists without a date; `has_bars` returns true for a symbol in use.
    pub(crate) fn renew_symbols(
        &mut self,
        symbols: &SymbolChanges,
        assumed: NaiveDate,
        has_bars: impl Fn(&str) -> bool,
    ) {
        for placed in &mut self.actions {
            symbols.renew(&mut placed.row.symbol, placed.row.ex_date);
        }
        for former in &mut self.former_names {
            symbols.renew(&mut former.symbol, former.until);
        }
        for list in &mut self.lists {
            let date = list.date.unwrap_or(assumed);
            list.members.iter_mut().for_each(|member| symbols.renew(&mut member.symbol, date));
        }
        for (symbol, sizes) in std::mem::take(&mut self.sizes) {
            for (date, shares) in sizes {
                let now = symbols.current(&symbol, date).unwrap_or(&symbol).to_owned();
                self.sizes.entry(now).or_default().push((date, shares));
            }
        }
        for old in symbols.old_symbols().filter(|old| !has_bars(old)) {
            if let Some(now) = symbols.current(old, None) {
                self.inherit(old, now);
            }
        }
    }

    /// Lets a symbol inherit the facts of its predecessor that lists lack for it.
    fn inherit(&mut self, old: &str, now: &str) {
        for lists in [&mut self.listings, &mut self.member_facts] {
            if let Some(listed) = lists.remove(old) {
                let newer = lists.remove(now);
                merge_newer(lists, ListedCompany { symbol: now.to_owned(), ..listed });
                if let Some(newer) = newer {
                    merge_newer(lists, newer);
                }
            }
        }
        if let Some(name) = self.short_names.remove(old) {
            self.short_names.entry(now.to_owned()).or_insert(name);
        }
        self.sectors.inherit(old, now);
        if let Some(caps) = self.caps.remove(old) {
            self.caps.entry(now.to_owned()).or_default().extend(caps);
        }
    }

    /// Returns the names of companies in lists with their symbols.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        let listed = self.listings.values().chain(self.member_facts.values());
        let listed = listed.filter_map(|listed| Some((listed.name.as_deref()?, listed.symbol.as_str())));
        listed.chain(self.ciks.names())
    }

    /// Returns the ISIN of a symbol in lists.
    pub(crate) fn isin(&self, symbol: &str) -> Option<String> {
        let of = |lists: &'_ HashMap<String, ListedCompany>| {
            lists.get(symbol).and_then(|listed| listed.isin.clone())
        };
        of(&self.listings).or_else(|| of(&self.member_facts))
    }
}

/// Merges a newer list's facts over older ones; facts that the newer list lacks remain.
fn merge_newer(lists: &mut HashMap<String, ListedCompany>, newer: ListedCompany) {
    let known = lists.entry(newer.symbol.clone()).or_default();
    *known = ListedCompany {
        symbol: newer.symbol,
        name: newer.name.or_else(|| known.name.take()),
        sector: newer.sector.or_else(|| known.sector.take()),
        industry: newer.industry.or_else(|| known.industry.take()),
        isin: newer.isin.or_else(|| known.isin.take()),
        exchange: newer.exchange.or_else(|| known.exchange.take()),
        since: newer.since.or(known.since),
        market_cap: newer.market_cap.or(known.market_cap),
        price: newer.price.or(known.price),
        series: newer.series.or_else(|| known.series.take()),
        cik: newer.cik.or(known.cik),
    };
}
