//! All figures of statements that files have, as they come in: companies, filings and sources by number.
//!
//! What is one and the same figure, and which symbol a company has, is decided in [`super::settle`].

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use chrono::NaiveDate;

use super::super::files::Source;
use super::super::format::Format;
use super::super::symbol_history::Symbols;
use super::super::us_listings;
use super::row::{Basis, ReadLine, Span, StatementRow, Who};
use super::tagged_file::{Submission, Tagged};
use super::tags::Tag;
use super::units::Currency;
use crate::operation::Market;

/// Figures, and the companies, filings and sources that they name by number.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) rows: Vec<StatementRow>,
    pub(crate) tagged: Vec<TaggedRow>,
    pub(crate) companies: Numbered<Who>,
    pub(crate) sources: Numbered<String>,
    pub(crate) filings: Numbered<Filing>,
    /// By number of the filing.
    pub(crate) filed: Vec<Filed>,
}

/// Things by number, each once.
#[derive(Debug)]
pub(crate) struct Numbered<T> {
    pub(crate) all: Vec<T>,
    numbers: HashMap<T, u32>,
}

/// What files figures under tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Filing {
    /// A filing with the SEC.
    Accession(u64),
    /// A file, by its rank.
    File(u32),
}

/// Whose a filing is, and when it was made.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Filed {
    pub(crate) company: Option<u32>,
    pub(crate) on: Option<NaiveDate>,
    /// Whether its twelve months are fiscal years, where its form is said.
    pub(crate) has_years: Option<bool>,
    /// The industry of the company, where a list of filings says it.
    pub(crate) sic: Option<u16>,
    /// The number of the source in words.
    pub(crate) source: u32,
}

/// A figure under a tag, in some 30 bytes, as a quarter of the SEC's data sets has a million of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaggedRow {
    pub(crate) filing: u32,
    pub(crate) end: NaiveDate,
    pub(crate) value: f64,
    pub(crate) file: u32,
    pub(crate) at: u32,
    pub(crate) tag: Tag,
    pub(crate) span: Span,
    pub(crate) basis: Basis,
    pub(crate) currency: Option<Currency>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { all: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    /// The number of a thing, which gets the next one when it is new.
    pub(crate) fn number(&mut self, thing: T) -> u32 {
        if let Some(number) = self.numbers.get(&thing) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }

    /// Things that differ, by their place.
    pub(crate) fn of(all: Vec<T>) -> Self {
        let numbers = all.iter().cloned().zip(0..).collect();
        Self { all, numbers }
    }

    /// The thing of a number.
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.all.get(number as usize)
    }
}

impl Gathered {
    /// Whether no file has a figure.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.tagged.is_empty()
    }

    /// Adds a figure; a source that a file does not name is the kind of file.
    pub(crate) fn add(&mut self, line: ReadLine, at: u32, file: &Source, market: Market) {
        let source = line.source.unwrap_or_else(|| file.format.words().to_owned());
        self.rows.push(StatementRow {
            company: self.companies.number(spelled(line.who, market)),
            period_end: line.period_end,
            span: line.span,
            basis: line.basis,
            line: line.line,
            value: line.value,
            currency: line.currency.unwrap_or(currency_of(market)),
            filed_at: line.filed_at,
            source: self.sources.number(source),
            file: file.rank,
            at,
        });
    }

    /// Adds a figure under a tag.
    pub(crate) fn add_tagged(&mut self, tagged: Tagged, at: u32, file: &Source, market: Market) {
        let filing = tagged.accession.map_or(Filing::File(file.rank), Filing::Accession);
        let filing = self.filing(filing, file);
        let company = tagged.who.map(|who| self.companies.number(spelled(who, market)));
        if let Some(filed) = self.filed.get_mut(filing as usize) {
            filed.company = filed.company.or(company);
            filed.on = filed.on.or(tagged.filed);
        }
        self.tagged.push(TaggedRow {
            filing,
            end: tagged.end,
            value: tagged.value,
            file: file.rank,
            at,
            tag: tagged.tag,
            span: tagged.span,
            basis: tagged.basis,
            currency: tagged.currency,
        });
    }

    /// Adds what a list of filings says of one.
    pub(crate) fn add_submission(&mut self, submission: &Submission, file: &Source) {
        let filing = self.filing(Filing::Accession(submission.accession), file);
        let company = self.companies.number(Who::Cik(submission.cik));
        if let Some(filed) = self.filed.get_mut(filing as usize) {
            filed.company = Some(company);
            filed.on = Some(submission.filed);
            filed.has_years = submission.has_years;
            filed.sic = submission.sic;
        }
    }

    /// Adds what was gathered from a piece of a file, as if it had been added figure by figure.
    ///
    /// Pieces are remembered without what the file's folder says of it, so a source that is only the kind of file is said in full here.
    pub(crate) fn append(&mut self, piece: Self, file: &Source) {
        let kind = file.format.words();
        let in_full = |word: String| match file.provenance.words() {
            Some(words) if word == kind => words.to_owned(),
            _ => word,
        };
        let companies: Vec<u32> =
            piece.companies.all.into_iter().map(|who| self.companies.number(who)).collect();
        let sources: Vec<u32> =
            piece.sources.all.into_iter().map(|word| self.sources.number(in_full(word))).collect();
        let now = |numbers: &[u32], number: u32| numbers.get(number as usize).copied().unwrap_or_default();
        let mut filings = Vec::with_capacity(piece.filed.len());
        for (filing, filed) in piece.filings.all.into_iter().zip(piece.filed) {
            let company = filed.company.map(|company| now(&companies, company));
            let filed = Filed { company, source: now(&sources, filed.source), ..filed };
            let number = self.filings.number(filing);
            filings.push(number);
            match self.filed.get_mut(number as usize) {
                None => self.filed.push(filed),
                // What a list of filings says of one stands over what was said before.
                Some(before) if file.format == Format::DataSetFilings => {
                    *before = Filed { source: before.source, ..filed };
                }
                Some(before) => {
                    before.company = before.company.or(filed.company);
                    before.on = before.on.or(filed.on);
                }
            }
        }
        self.rows.extend(piece.rows.into_iter().map(|row| StatementRow {
            company: now(&companies, row.company),
            source: now(&sources, row.source),
            ..row
        }));
        let tagged = piece.tagged.into_iter();
        self.tagged.extend(tagged.map(|row| TaggedRow { filing: now(&filings, row.filing), ..row }));
    }

    /// The industries of companies that file with the SEC, each as its newest filing says it.
    pub(crate) fn industries(&self) -> BTreeMap<u64, u16> {
        let mut newest: BTreeMap<u64, (Option<NaiveDate>, u16)> = BTreeMap::new();
        for filed in &self.filed {
            let Some(Who::Cik(cik)) = filed.company.and_then(|company| self.companies.get(company)) else {
                continue;
            };
            let Some(sic) = filed.sic else { continue };
            let said = (filed.on, sic);
            newest.entry(*cik).and_modify(|known| *known = said.max(*known)).or_insert(said);
        }
        newest.into_iter().map(|(cik, (_, sic))| (cik, sic)).collect()
    }

    fn filing(&mut self, filing: Filing, file: &Source) -> u32 {
        let number = self.filings.number(filing);
        if self.filed.len() <= number as usize {
            let source = self.sources.number(file.format.words().to_owned());
            self.filed.push(Filed { source, ..Filed::default() });
        }
        number
    }

    /// Puts the symbols that companies have now in the place of those that their rows say.
    pub(crate) fn follow(&mut self, symbols: &Symbols) {
        let Self { rows, companies, filed, .. } = self;
        let now = |company: u32, date: NaiveDate, companies: &Numbered<Who>| match companies.get(company) {
            Some(Who::Symbol(symbol)) => symbols.now(symbol, date).map(str::to_owned),
            _ => None,
        };
        for row in rows {
            if let Some(now) = now(row.company, row.filed_at.unwrap_or(row.period_end), companies) {
                row.company = companies.number(Who::Symbol(now));
            }
        }
        for filed in filed {
            let (Some(company), Some(on)) = (filed.company, filed.on) else { continue };
            if let Some(now) = now(company, on, companies) {
                filed.company = Some(companies.number(Who::Symbol(now)));
            }
        }
    }
}

/// A company with its symbol in the market's one spelling.
fn spelled(who: Who, market: Market) -> Who {
    match who {
        Who::Symbol(symbol) if market == Market::Us => Who::Symbol(us_listings::symbol_of(&symbol)),
        who => who,
    }
}

/// The currency where none is said.
pub(crate) fn currency_of(market: Market) -> Currency {
    match market {
        Market::India => *b"INR",
        Market::Us => *b"USD",
    }
}
