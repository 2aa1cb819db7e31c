//! Everything that raw files say beside prices: listings, members, funds, issue sizes, actions.
//!
//! Files are taken from old to new by the date in their path, so that what a newer one says stands; a file without a date
//! counts as the newest. Nothing here knows of bars.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::fact::{Fact, Listed};
use super::files::Source;
use super::format::{Format, Layout};
use super::in_order::{Outlet, read_in_order};
use super::index_list;
use super::ledger::{Ledger, Piece};
use super::reason::Reason;
use super::{Progress, RawError};
use super::{dates, us_listings, us_members};
use crate::operation::Market;

/// A list of members as a file has it.
#[derive(Debug)]
pub(crate) struct MemberList {
    pub(crate) index: String,
    pub(crate) file: String,
    /// The date in the path.
    pub(crate) date: Option<NaiveDate>,
    pub(crate) members: Vec<Listed>,
}

/// A corporate action as a file has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WrittenAction {
    pub(crate) symbol: String,
    pub(crate) ex_date: NaiveDate,
    pub(crate) words: String,
    pub(crate) factor: f64,
    /// The rank of the file.
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// A market cap and the date of its list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListedCap {
    pub(crate) market_cap: f64,
    pub(crate) date: Option<NaiveDate>,
}

/// What the files beside the price files say.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// By symbol: what lists of the exchange say.
    pub(crate) listed: HashMap<String, Listed>,
    /// By symbol: what lists of index members say.
    pub(crate) of_members: HashMap<String, Listed>,
    /// By symbol: names in files of issue sizes, which cut them short.
    pub(crate) short_names: HashMap<String, String>,
    pub(crate) industries: HashMap<String, String>,
    pub(crate) funds: HashSet<String>,
    pub(crate) lists: Vec<MemberList>,
    /// By symbol: shares issued on a date, unsorted.
    pub(crate) sizes: HashMap<String, Vec<(NaiveDate, f64)>>,
    pub(crate) caps: HashMap<String, ListedCap>,
    pub(crate) actions: Vec<WrittenAction>,
}

/// Reads every source that holds no bars.
pub(crate) fn read(
    sources: &[Source],
    market: Market,
    as_of: Option<NaiveDate>,
    ledger: &mut Ledger<'_>,
    progress: &dyn Progress,
) -> Result<References, RawError> {
    let mut dated: Vec<(NaiveDate, &Source)> = sources
        .iter()
        .filter(|source| !source.format.has_bars())
        .map(|source| (dates::in_path(&source.name).unwrap_or(NaiveDate::MAX), source))
        .collect();
    dated.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
    let sources: Vec<&Source> = dated.into_iter().map(|(_, source)| source).collect();
    let mut references = References::default();
    progress.start("lists and actions", sources.len() as u64);
    read_in_order(
        &sources,
        || (),
        |(), source, outlet| {
            read_source(source, market, as_of, outlet);
            progress.advance(1);
        },
        |position, mut piece| {
            let Some(source) = sources.get(position) else { return Ok(()) };
            ledger.book(source, &mut piece)?;
            for fact in piece.rows {
                references.take(fact, source, market);
            }
            Ok(())
        },
    )?;
    progress.finish();
    Ok(references)
}

fn read_source(source: &Source, market: Market, as_of: Option<NaiveDate>, outlet: &Outlet<Piece<Fact>>) {
    let Layout::Facts(layout) = &source.layout else { return };
    let too_new = |date: NaiveDate| as_of.is_some_and(|as_of| date > as_of);
    let list_too_new = source.format.has_members() && dates::in_path(&source.name).is_some_and(too_new);
    let mut piece = Piece::new();
    let outcome = source.records(|record| {
        let fact = if record.repeats(&source.header, layout.symbol()) {
            Err(Reason::RepeatedHeader)
        } else if record.fits(layout.fields()) {
            layout.fact(record).map(|fact| fact.spelled_for(market))
        } else {
            Err(Reason::WrongFieldCount)
        };
        piece.add(
            record,
            fact.and_then(|fact| match &fact {
                Fact::IssueSize { date, .. } | Fact::Action { ex_date: date, .. } if too_new(*date) => {
                    Err(Reason::AfterAsOf)
                }
                Fact::Member(_) if list_too_new => Err(Reason::AfterAsOf),
                _ => Ok(fact),
            }),
        );
        piece.full().is_none_or(|full| outlet.put(full))
    });
    if let Err(trouble) = outcome {
        piece.add_trouble(&trouble);
    }
    outlet.put(piece);
}

impl Fact {
    /// The fact with its symbol in the market's one spelling.
    fn spelled_for(mut self, market: Market) -> Self {
        if market == Market::Us {
            let (Self::Listed(Listed { symbol, .. })
            | Self::Member(Listed { symbol, .. })
            | Self::Fund { symbol }
            | Self::IssueSize { symbol, .. }
            | Self::Action { symbol, .. }) = &mut self;
            *symbol = us_listings::symbol_of(symbol);
        }
        self
    }
}

impl References {
    fn take(&mut self, fact: Fact, source: &Source, market: Market) {
        match fact {
            Fact::Listed(listed) if source.format == Format::Industry => {
                if let Some(industry) = listed.industry {
                    self.industries.insert(listed.symbol, industry);
                }
            }
            Fact::Listed(listed) => {
                if let Some(market_cap) = listed.market_cap {
                    let cap = ListedCap { market_cap, date: dates::in_path(&source.name) };
                    self.caps.insert(listed.symbol.clone(), cap);
                }
                renew(&mut self.listed, listed);
            }
            Fact::Member(listed) => {
                self.add_member(listed.clone(), source, market);
                renew(&mut self.of_members, listed);
            }
            Fact::Fund { symbol } => {
                self.funds.insert(symbol);
            }
            Fact::IssueSize { symbol, date, shares, name } => {
                if let Some(name) = name {
                    self.short_names.insert(symbol.clone(), name);
                }
                self.sizes.entry(symbol).or_default().push((date, shares));
            }
            Fact::Action { symbol, ex_date, words, factor, line } => {
                self.actions.push(WrittenAction { symbol, ex_date, words, factor, file: source.rank, line });
            }
        }
    }

    /// Adds a member to the list of its source: pieces of one source come one after another.
    fn add_member(&mut self, member: Listed, source: &Source, market: Market) {
        if self.lists.last().is_none_or(|list| list.file != source.name) {
            let index = match market {
                Market::India => index_list::index_name(source.file_name()),
                Market::Us => us_members::index_name(source.file_name()).unwrap_or_default().to_owned(),
            };
            let date = dates::in_path(&source.name);
            self.lists.push(MemberList { index, file: source.name.clone(), date, members: Vec::new() });
        }
        if let Some(list) = self.lists.last_mut() {
            list.members.push(member);
        }
    }

    /// The ISIN that lists give a symbol.
    pub(crate) fn isin(&self, symbol: &str) -> Option<String> {
        let of =
            |lists: &'_ HashMap<String, Listed>| lists.get(symbol).and_then(|listed| listed.isin.clone());
        of(&self.listed).or_else(|| of(&self.of_members))
    }
}

/// Puts what a newer list says over what an older one said; what the newer one leaves open stays.
fn renew(lists: &mut HashMap<String, Listed>, newer: Listed) {
    let known = lists.entry(newer.symbol.clone()).or_default();
    *known = Listed {
        symbol: newer.symbol,
        name: newer.name.or_else(|| known.name.take()),
        sector: newer.sector.or_else(|| known.sector.take()),
        industry: newer.industry.or_else(|| known.industry.take()),
        isin: newer.isin.or_else(|| known.isin.take()),
        exchange: newer.exchange.or_else(|| known.exchange.take()),
        since: newer.since.or(known.since),
        market_cap: newer.market_cap.or(known.market_cap),
        series: newer.series.or_else(|| known.series.take()),
    };
}
