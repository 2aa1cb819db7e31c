//! All figures of statements in files, as they are read: companies, filings and sources by number.
//!
//! Duplicates and the symbols of companies are settled in [`crate::statements::settle`].

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use chrono::NaiveDate;

use crate::files::source::RawSource;
use crate::statements::record::{ReadLine, Submission, TaggedFigure};
use crate::statements::row::{Basis, CompanyRef, PeriodSpan, StatementRow};
use crate::statements::units::Currency;
use crate::symbols::Symbols;
use parquote_catalogue::operation::Market;
use parquote_encodings::documents::statement_tags::Tag;
use parquote_encodings::text::symbols;

/// Figures, and the companies, filings and sources that they refer to by number.
#[derive(Debug, Default)]
pub(crate) struct GatheredStatements {
    pub(crate) rows: Vec<StatementRow>,
    pub(crate) tagged: Vec<TaggedRow>,
    pub(crate) companies: InternedValues<CompanyRef>,
    pub(crate) sources: InternedValues<String>,
    pub(crate) filings: InternedValues<FilingKey>,
    /// Facts of each filing; its number is the index.
    pub(crate) filed: Vec<FilingFacts>,
}

/// Distinct values with numbers.
#[derive(Debug)]
pub(crate) struct InternedValues<T> {
    pub(crate) all: Vec<T>,
    numbers: HashMap<T, u32>,
}

/// The filing that a figure under a tag is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FilingKey {
    /// A filing with the SEC.
    Accession(u64),
    /// A file, by its rank.
    File(u32),
}

/// The company and date of a filing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FilingFacts {
    pub(crate) company: Option<u32>,
    pub(crate) on: Option<NaiveDate>,
    /// True if its twelve months are fiscal years; `None` if its form is unknown.
    pub(crate) has_years: Option<bool>,
    /// True if a list of filings gives it a form of foreign companies.
    pub(crate) is_foreign: bool,
    /// The SIC code of the company, if a list of filings has it.
    pub(crate) sic: Option<u16>,
    /// The number of its source.
    pub(crate) source: u32,
    /// True if it is in a list of filings.
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

impl<T> Default for InternedValues<T> {
    fn default() -> Self {
        Self { all: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> InternedValues<T> {
    /// Returns the number of a value; a new value gets the next one.
    pub(crate) fn number(&mut self, thing: T) -> u32 {
        if let Some(number) = self.numbers.get(&thing) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }

    /// Numbers distinct values by their position.
    pub(crate) fn from_values(all: Vec<T>) -> Self {
        let numbers = all.iter().cloned().zip(0..).collect();
        Self { all, numbers }
    }

    /// Returns the value of a number.
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.all.get(number as usize)
    }
}

impl GatheredStatements {
    /// Returns true if no file has a figure.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.tagged.is_empty()
    }

    /// Adds a figure; if the file names no source, it is the kind of file.
    pub(crate) fn add(&mut self, line: ReadLine, at: u32, file: &RawSource, market: Market) {
        let source = line.source.unwrap_or_else(|| file.label().to_owned());
        self.rows.push(StatementRow {
            company: self.companies.number(with_market_spelling(line.company, market)),
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
    pub(crate) fn add_tagged(&mut self, tagged: TaggedFigure, at: u32, file: &RawSource, market: Market) {
        let filing = tagged.accession.map_or(FilingKey::File(file.rank), FilingKey::Accession);
        let filing = self.filing(filing, file);
        let company = tagged.company.map(|who| self.companies.number(with_market_spelling(who, market)));
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

    /// Adds a row of a list of filings.
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

    /// Appends a piece of a file, as if its figures were added one by one.
    ///
    /// Pieces are cached without the source note of the file's folder, so a source that is only the kind of file is completed here.
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
                // A list of filings has precedence over earlier facts.
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

    /// Returns the SIC codes of filers, each from its newest filing.
    pub(crate) fn industries(&self) -> BTreeMap<u64, u16> {
        let mut newest: BTreeMap<u64, (Option<NaiveDate>, u16)> = BTreeMap::new();
        for filed in &self.filed {
            let Some(CompanyRef::Cik(cik)) = filed.company.and_then(|company| self.companies.get(company))
            else {
                continue;
            };
            let Some(sic) = filed.sic else { continue };
            let dated_sic = (filed.on, sic);
            newest.entry(*cik).and_modify(|known| *known = dated_sic.max(*known)).or_insert(dated_sic);
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

    /// Replaces the symbols in rows with the current ones.
    pub(crate) fn renew_symbols(&mut self, symbols: &Symbols) {
        let Self { rows, companies, filed, .. } = self;
        let now = |company: u32, date: NaiveDate, companies: &InternedValues<CompanyRef>| match companies
            .get(company)
        {
            Some(CompanyRef::Symbol(symbol)) => symbols.current(symbol, date).map(str::to_owned),
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

/// Returns a company with its symbol in the market's spelling.
fn with_market_spelling(who: CompanyRef, market: Market) -> CompanyRef {
    match who {
        CompanyRef::Symbol(symbol) if market == Market::Us => CompanyRef::Symbol(symbols::symbol_of(&symbol)),
        who => who,
    }
}

/// Returns the default currency.
pub(crate) fn currency_of(market: Market) -> Currency {
    match market {
        Market::India => *b"INR",
        Market::Us => *b"USD",
    }
}
