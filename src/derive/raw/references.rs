//! Everything that raw files say beside prices: listings, members, funds, issue sizes, actions.
//!
//! Files are taken from old to new by the date in their path, so that what a newer one says stands; a file without a date
//! counts as the newest. What is remembered of a file of statements is taken instead of reading it. Nothing here knows of bars.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use chrono::NaiveDate;

use super::bar::Bar;
use super::cik::Ciks;
use super::deals::Deal;
use super::events::Event;
use super::fact::{Fact, Listed};
use super::filed::FiledRows;
use super::files::Source;
use super::format::{Format, Layout};
use super::in_order::{Outlet, read_in_order};
use super::index_list;
use super::insider_trades::InsiderTrade;
use super::ledger::{Ledger, Piece, ReadPiece};
use super::placed::Placed;
use super::price_bands::Band;
use super::provenance::Provenance;
use super::reason::Reason;
use super::remembered::{Memory, Origin, Place, Recalled, Remembered, Remembering};
use super::sectors::SectorFacts;
use super::shareholding::Holding;
use super::statements::{Gathered, StatementPiece};
use super::symbol_changes::SymbolChange;
use super::symbol_history::Symbols;
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

/// A corporate action as a list of actions has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WrittenAction {
    pub(crate) symbol: String,
    pub(crate) ex_date: NaiveDate,
    pub(crate) words: String,
    pub(crate) factor: f64,
    /// Where the row is from.
    pub(crate) source: Provenance,
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
    /// What beside these lists says a sector or an industry.
    pub(crate) sectors: SectorFacts,
    pub(crate) funds: HashSet<String>,
    pub(crate) lists: Vec<MemberList>,
    /// By symbol: shares issued on a date, unsorted.
    pub(crate) sizes: HashMap<String, Vec<(NaiveDate, f64)>>,
    pub(crate) caps: HashMap<String, ListedCap>,
    pub(crate) actions: Vec<Placed<WrittenAction>>,
    /// Bars of indices, by name.
    pub(crate) indices: BTreeMap<String, Vec<Bar>>,
    pub(crate) changes: Vec<SymbolChange>,
    pub(crate) bands: Vec<Placed<Band>>,
    pub(crate) deals: Vec<Placed<Deal>>,
    pub(crate) trades: Vec<Placed<InsiderTrade>>,
    pub(crate) holdings: Vec<Placed<Holding>>,
    pub(crate) statements: Gathered,
    pub(crate) events: Vec<Placed<Event>>,
    /// Who files with the SEC under which number.
    pub(crate) ciks: Ciks,
    /// What is filed there.
    pub(crate) filed: FiledRows,
}

/// How files beside the price files are read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) market: Market,
    pub(crate) as_of: Option<NaiveDate>,
    /// The folder that remembers what files of statements gave.
    pub(crate) remembered: Option<&'a Path>,
}

/// Consecutive rows of a file.
enum Taken {
    Facts(ReadPiece<(u32, Fact)>),
    Statements(Box<StatementPiece>, Origin),
}

/// Reads every source that holds no bars.
pub(crate) fn read(
    sources: &[Source],
    reading: Reading<'_>,
    ledger: &mut Ledger<'_>,
    progress: &dyn Progress,
) -> Result<References, RawError> {
    let mut dated: Vec<(NaiveDate, &Source)> = sources
        .iter()
        .filter(|source| matches!(source.layout, Layout::Facts(_)))
        .map(|source| (dates::in_path(&source.name).unwrap_or(NaiveDate::MAX), source))
        .collect();
    dated.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
    let sources: Vec<&Source> = dated.into_iter().map(|(_, source)| source).collect();
    let Reading { market, as_of, remembered } = reading;
    // Where there is no file of statements, no folder is made for what they give. Pieces are told by their own newest row
    // whether they serve up to a date, so that what is remembered is of no date.
    let folder = remembered.filter(|_| sources.iter().any(|source| source.format.has_statements()));
    let remembered = Remembered::open(folder, None);
    let mut remembering = Remembering::begin(&remembered);
    let mut references = References::default();
    progress.start("lists and actions", sources.len() as u64);
    read_in_order(
        &sources,
        || Worker { market, as_of, memory: remembered.memory(&[]) },
        |worker, source, outlet| {
            worker.take(source, outlet);
            progress.advance(1);
        },
        |position, taken| {
            let Some(source) = sources.get(position) else { return Ok(()) };
            match taken {
                Taken::Facts(mut piece) => {
                    ledger.book(source, &mut piece)?;
                    piece
                        .rows
                        .into_iter()
                        .for_each(|(line, fact)| references.take(fact, line, source, market));
                }
                Taken::Statements(piece, origin) => {
                    ledger.ends(source, &piece.ending);
                    ledger.book_counts(source, &piece.counts, &piece.refused)?;
                    remembering.add(source, &origin, (piece.counts.read, &piece.refused), &piece.ending);
                    references.statements.append(piece.gathered, source);
                }
            }
            Ok(())
        },
    )?;
    remembering.finish(Vec::new());
    progress.finish();
    references.screen_old_symbols();
    for (cik, sic) in references.statements.industries() {
        references.sectors.add_sic_of_old(cik, sic);
    }
    Ok(references)
}

struct Worker<'a> {
    market: Market,
    as_of: Option<NaiveDate>,
    memory: Memory<'a>,
}

impl Worker<'_> {
    /// Hands on what a file gives: what is remembered of it, then what is read.
    fn take(&mut self, source: &Source, outlet: &Outlet<Taken>) {
        if !source.format.has_statements() {
            return read_source(source, self.market, self.as_of, |piece| outlet.put(Taken::Facts(piece)));
        }
        let piece = |bytes: &[u8], place: &Place| {
            let piece = StatementPiece::of_bytes(bytes, place, source.rank, self.as_of)?;
            Some(Taken::Statements(Box::new(piece), Origin::Remembered(place.clone())))
        };
        let mut done = match self.memory.recall_as(source, piece, |piece| outlet.put(piece)) {
            Recalled::All => return,
            Recalled::First(pieces) => pieces,
        };
        let is_worth = self.memory.is_worth(source);
        read_source(source, self.market, self.as_of, |piece| {
            if let Some(left) = done.checked_sub(1) {
                done = left;
                return true;
            }
            let piece = StatementPiece::of(piece, source, self.market);
            let bytes = is_worth.then(|| piece.to_bytes()).flatten();
            outlet.put(Taken::Statements(Box::new(piece), Origin::Read(bytes)))
        });
    }
}

/// Reads a file; `put` takes its pieces and says whether it takes more.
fn read_source(
    source: &Source,
    market: Market,
    as_of: Option<NaiveDate>,
    mut put: impl FnMut(ReadPiece<(u32, Fact)>) -> bool,
) {
    let Layout::Facts(layout) = &source.layout else { return };
    let too_new = |date: NaiveDate| as_of.is_some_and(|as_of| date > as_of);
    let dated = dates::in_path(&source.name).filter(|_| source.format.is_dated_by_path());
    let mut piece = Piece::of(source);
    let outcome = source.records(|record| {
        if let Some(note) = layout.note(record) {
            piece.note(note);
            return piece.full().is_none_or(&mut put);
        }
        let fact = if record.repeats(&source.header, layout.symbol()) {
            Err(Reason::RepeatedHeader)
        } else if record.fits(layout.fields()) {
            layout.fact(record).map(|fact| fact.spelled_for(market))
        } else {
            Err(Reason::WrongFieldCount)
        };
        let fact = fact.and_then(|fact| match dated.or_else(|| fact.date()) {
            Some(date) if too_new(date) => Err(Reason::AfterAsOf),
            _ => Ok((record.line(), fact)),
        });
        piece.add(record, fact);
        piece.full().is_none_or(&mut put)
    });
    put(piece.close_after(outcome));
}

impl Fact {
    /// The fact with its symbol in the market's one spelling.
    fn spelled_for(mut self, market: Market) -> Self {
        if market == Market::Us
            && let Some(symbol) = self.symbol_mut()
        {
            *symbol = us_listings::symbol_of(symbol);
        }
        self
    }
}

impl References {
    fn take(&mut self, fact: Fact, line: u32, source: &Source, market: Market) {
        let file = source.rank;
        match fact.from(&source.provenance) {
            Fact::Listed(row) if source.format == Format::Industry => self.sectors.add_own(row),
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
            Fact::Action { symbol, ex_date, words, factor } => {
                let row = WrittenAction { symbol, ex_date, words, factor, source: source.provenance.clone() };
                self.actions.push(Placed { row, file, line });
            }
            Fact::Index { name, bar } => {
                self.indices.entry(name).or_default().push(Bar { file, line, ..bar });
            }
            Fact::SymbolChange(change) => self.changes.push(change),
            Fact::Band(row) => self.bands.push(Placed { row, file, line }),
            Fact::Deal(row) => self.deals.push(Placed { row, file, line }),
            Fact::InsiderTrade(row) => self.trades.push(Placed { row: *row, file, line }),
            Fact::Holding(row) => self.holdings.push(Placed { row: *row, file, line }),
            // Those of files of statements are gathered as they are read.
            Fact::Tagged(_) | Fact::Submission(_) | Fact::StatementLine(_) => {}
            Fact::Event(row) => self.events.push(Placed { row, file, line }),
            Fact::Filer(filer) => self.ciks.add(filer, file),
            Fact::Filing(row) => {
                row.sic.into_iter().for_each(|sic| self.sectors.add_sic(row.cik, sic));
                self.filed.filings.push(Placed { row: *row, file, line });
            }
            Fact::InsiderForm(row) => self.filed.forms.push(Placed { row: *row, file, line }),
            Fact::Cover(row) => self.filed.covers.push(Placed { row, file, line }),
            Fact::Position(row) => self.filed.lines.push(Placed { row: *row, file, line }),
            Fact::Cusip { cusip, symbol } => {
                self.filed.cusips.insert(cusip, symbol);
            }
            Fact::Investor(row) => self.filed.investors.push(Placed { row, file, line }),
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
            self.sectors.add_member(&member.symbol, &list.index);
            list.members.push(member);
        }
    }

    /// A symbol that became that of a fund was a fund's before.
    fn screen_old_symbols(&mut self) {
        let symbols = Symbols::new(&self.changes, NaiveDate::MAX);
        let is_fund = |old: &&String| {
            let now = symbols.now(old, NaiveDate::MIN);
            now.is_some_and(|now| self.funds.contains(now)) && !self.listed.contains_key(*old)
        };
        let old: Vec<String> = symbols.old().filter(is_fund).cloned().collect();
        self.funds.extend(old);
    }

    /// Puts everything under the symbols that companies have now; `has_bars` tells the symbols that are in use.
    pub(crate) fn follow(&mut self, symbols: &Symbols, assumed: NaiveDate, has_bars: impl Fn(&str) -> bool) {
        for placed in &mut self.actions {
            symbols.renew(&mut placed.row.symbol, placed.row.ex_date);
        }
        for Placed { row, .. } in &mut self.bands {
            row.date = if row.date == NaiveDate::MAX { assumed } else { row.date };
            symbols.renew(&mut row.symbol, row.date);
        }
        self.deals.iter_mut().for_each(|it| symbols.renew(&mut it.row.symbol, it.row.date));
        self.trades.iter_mut().for_each(|it| symbols.renew(&mut it.row.symbol, it.row.filed_on));
        self.holdings.iter_mut().for_each(|it| symbols.renew(&mut it.row.symbol, it.row.period_end));
        self.statements.follow(symbols);
        self.events.iter_mut().for_each(|it| symbols.renew(&mut it.row.symbol, it.row.ex_date));
        for list in &mut self.lists {
            let date = list.date.unwrap_or(assumed);
            list.members.iter_mut().for_each(|member| symbols.renew(&mut member.symbol, date));
        }
        for (symbol, sizes) in std::mem::take(&mut self.sizes) {
            for (date, shares) in sizes {
                let now = symbols.now(&symbol, date).unwrap_or(&symbol).to_owned();
                self.sizes.entry(now).or_default().push((date, shares));
            }
        }
        for old in symbols.old().filter(|old| !has_bars(old)) {
            if let Some(now) = symbols.now(old, NaiveDate::MIN) {
                self.inherit(old, now);
            }
        }
    }

    /// Lets a symbol have what lists said of the symbol before it, where they say nothing of itself.
    fn inherit(&mut self, old: &str, now: &str) {
        for lists in [&mut self.listed, &mut self.of_members] {
            if let Some(listed) = lists.remove(old) {
                let newer = lists.remove(now);
                renew(lists, Listed { symbol: now.to_owned(), ..listed });
                if let Some(newer) = newer {
                    renew(lists, newer);
                }
            }
        }
        if let Some(name) = self.short_names.remove(old) {
            self.short_names.entry(now.to_owned()).or_insert(name);
        }
        self.sectors.inherit(old, now);
        if let Some(cap) = self.caps.remove(old) {
            self.caps.entry(now.to_owned()).or_insert(cap);
        }
    }

    /// Names of companies and their symbols, as lists have them.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        let listed = self.listed.values().chain(self.of_members.values());
        let listed = listed.filter_map(|listed| Some((listed.name.as_deref()?, listed.symbol.as_str())));
        listed.chain(self.ciks.names())
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
        cik: newer.cik.or(known.cik),
    };
}
