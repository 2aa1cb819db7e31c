//! All figures of statements that files have, as they come in: companies, filings and sources by number.
//!
//! What is one and the same figure, and which symbol a company has, is decided in [`crate::statements::settle`].

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use chrono::NaiveDate;

use crate::files::source::RawSource;
use crate::statements::record::{ReadLine, Submission, Tagged};
use crate::statements::row::{Basis, CompanyRef, PeriodSpan, StatementRow};
use crate::statements::units::Currency;
use crate::symbols::Symbols;
use parquote_catalogue::operation::Market;
use parquote_encodings::documents::statement_tags::Tag;
use parquote_encodings::text::symbols;

/// Figures, and the companies, filings and sources that they name by number.
#[derive(Debug, Default)]
pub(crate) struct GatheredStatements {
    pub(crate) rows: Vec<StatementRow>,
    pub(crate) tagged: Vec<TaggedRow>,
    pub(crate) companies: Numbered<CompanyRef>,
    pub(crate) sources: Numbered<String>,
    pub(crate) filings: Numbered<FilingKey>,
    /// By number of the filing.
    pub(crate) filed: Vec<FilingFacts>,
}

/// Things by number, each once.
#[derive(Debug)]
pub(crate) struct Numbered<T> {
    pub(crate) all: Vec<T>,
    numbers: HashMap<T, u32>,
}

/// What files figures under tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FilingKey {
    /// A filing with the SEC.
    Accession(u64),
    /// A file, by its rank.
    File(u32),
}

/// Whose a filing is, and when it was made.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FilingFacts {
    pub(crate) company: Option<u32>,
    pub(crate) on: Option<NaiveDate>,
    /// Whether its twelve months are fiscal years, where its form is said.
    pub(crate) has_years: Option<bool>,
    /// Whether a list of filings says that its form is one of foreign companies.
    pub(crate) is_foreign: bool,
    /// The industry of the company, where a list of filings says it.
    pub(crate) sic: Option<u16>,
    /// The number of the source in words.
    pub(crate) source: u32,
    /// Whether a list of filings says it.
    pub(crate) is_of_list: bool,
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
    pub(crate) span: PeriodSpan,
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

impl GatheredStatements {
    /// Whether no file has a figure.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.tagged.is_empty()
    }

    /// Adds a figure; a source that a file does not name is the kind of file.
    pub(crate) fn add(&mut self, line: ReadLine, at: u32, file: &RawSource, market: Market) {
        let source = line.source.unwrap_or_else(|| file.label().to_owned());
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
            rank: StatementRow::STATED,
        });
    }

    /// Adds a figure under a tag.
    pub(crate) fn add_tagged(&mut self, tagged: Tagged, at: u32, file: &RawSource, market: Market) {
        let filing = tagged.accession.map_or(FilingKey::File(file.rank), FilingKey::Accession);
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
    pub(crate) fn add_submission(&mut self, submission: &Submission, file: &RawSource) {
        let filing = self.filing(FilingKey::Accession(submission.accession), file);
        let company = self.companies.number(CompanyRef::Cik(submission.cik));
        if let Some(filed) = self.filed.get_mut(filing as usize) {
            filed.company = Some(company);
            filed.on = Some(submission.filed);
            filed.has_years = submission.has_years;
            filed.is_foreign = submission.is_foreign;
            filed.sic = submission.sic;
            filed.is_of_list = true;
        }
    }

    /// Adds what was gathered from a piece of a file, as if it had been added figure by figure.
    ///
    /// Pieces are cached without what the file's folder says of it, so a source that is only the kind of file is said in full here.
    pub(crate) fn append(&mut self, piece: Self, file: &RawSource) {
        let kind = file.label();
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
            let filed = FilingFacts { company, source: now(&sources, filed.source), ..filed };
            let number = self.filings.number(filing);
            filings.push(number);
            match self.filed.get_mut(number as usize) {
                None => self.filed.push(filed),
                // What a list of filings says of one stands over what was said before.
                Some(before) if filed.is_of_list => {
                    *before = FilingFacts { source: before.source, ..filed };
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
            let Some(CompanyRef::Cik(cik)) = filed.company.and_then(|company| self.companies.get(company))
            else {
                continue;
            };
            let Some(sic) = filed.sic else { continue };
            let said = (filed.on, sic);
            newest.entry(*cik).and_modify(|known| *known = said.max(*known)).or_insert(said);
        }
        newest.into_iter().map(|(cik, (_, sic))| (cik, sic)).collect()
    }

    fn filing(&mut self, filing: FilingKey, file: &RawSource) -> u32 {
        let number = self.filings.number(filing);
        if self.filed.len() <= number as usize {
            let source = self.sources.number(file.label().to_owned());
            self.filed.push(FilingFacts { source, ..FilingFacts::default() });
        }
        number
    }

    /// Puts the symbols that companies have now in the place of those that their rows say.
    pub(crate) fn follow(&mut self, symbols: &Symbols) {
        let Self { rows, companies, filed, .. } = self;
        let now =
            |company: u32, date: NaiveDate, companies: &Numbered<CompanyRef>| match companies.get(company) {
                Some(CompanyRef::Symbol(symbol)) => symbols.now(symbol, date).map(str::to_owned),
                _ => None,
            };
        for row in rows {
            if let Some(now) = now(row.company, row.filed_at.unwrap_or(row.period_end), companies) {
                row.company = companies.number(CompanyRef::Symbol(now));
            }
        }
        for filed in filed {
            let (Some(company), Some(on)) = (filed.company, filed.on) else { continue };
            if let Some(now) = now(company, on, companies) {
                filed.company = Some(companies.number(CompanyRef::Symbol(now)));
            }
        }
    }
}

/// A company with its symbol in the market's one spelling.
fn spelled(who: CompanyRef, market: Market) -> CompanyRef {
    match who {
        CompanyRef::Symbol(symbol) if market == Market::Us => CompanyRef::Symbol(symbols::symbol_of(&symbol)),
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
