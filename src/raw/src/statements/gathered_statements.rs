//! All figures of statements as files state them, with numbers in place of companies, filings and sources.
//!
//! Duplicates are removed and companies get their symbols in [`crate::statements::settle`].

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use chrono::NaiveDate;

use crate::files::source::RawSource;
use crate::statements::record::{StatedLine, Submission, TaggedFigure};
use crate::statements::row::{Basis, CompanyRef, PeriodSpan, StatementRow};
use crate::statements::units::Currency;
use crate::symbols::SymbolChanges;
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
    pub(crate) filing_facts: Vec<FilingFacts>,
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

/// Facts on a filing, from its figures or from a list of filings.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FilingFacts {
    pub(crate) company: Option<u32>,
    pub(crate) filed_on: Option<NaiveDate>,
    /// True if its figures of twelve months cover fiscal years; `None` if its form is unknown.
    pub(crate) has_years: Option<bool>,
    /// True if its form in a list of filings is one for foreign companies.
    pub(crate) is_foreign: bool,
    /// The SIC code of the company, if a list of filings has it.
    pub(crate) sic: Option<u16>,
    /// The number of its source.
    pub(crate) source: u32,
    /// True if it is in a list of filings.
    pub(crate) is_in_list: bool,
}

/// A figure under a tag, in about 30 bytes: a quarterly data set of the SEC has a million of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaggedRow {
    pub(crate) filing: u32,
    pub(crate) end: NaiveDate,
    pub(crate) value: f64,
    /// The rank of its file.
    pub(crate) file: u32,
    /// Its line in that file.
    pub(crate) file_line: u32,
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
    pub(crate) fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(value.clone());
        self.numbers.insert(value, number);
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

    /// Adds a figure; if it names no source, its source is the label of the file.
    pub(crate) fn add(&mut self, line: StatedLine, file_line: u32, file: &RawSource, market: Market) {
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
            file_line,
            rank: StatementRow::STATED,
        });
    }

    pub(crate) fn add_tagged(&mut self, tagged: TaggedFigure, line: u32, file: &RawSource, market: Market) {
        let filing = tagged.accession.map_or(FilingKey::File(file.rank), FilingKey::Accession);
        let filing = self.filing(filing, file);
        let company = tagged.company.map(|who| self.companies.number(with_market_spelling(who, market)));
        if let Some(facts) = self.filing_facts.get_mut(filing as usize) {
            facts.company = facts.company.or(company);
            facts.filed_on = facts.filed_on.or(tagged.filed_on);
        }
        self.tagged.push(TaggedRow {
            filing,
            end: tagged.end,
            value: tagged.value,
            file: file.rank,
            file_line: line,
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
        if let Some(facts) = self.filing_facts.get_mut(filing as usize) {
            facts.company = Some(company);
            facts.filed_on = Some(submission.filed_on);
            facts.has_years = submission.has_years;
            facts.is_foreign = submission.is_foreign;
            facts.sic = submission.sic;
            facts.is_in_list = true;
        }
    }

    /// Appends a piece of a file, as if its figures were added one by one.
    ///
    /// Pieces are cached without the source note of the file's folder; here the note replaces a source that is only the label of the file.
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
        let renumber =
            |numbers: &[u32], number: u32| numbers.get(number as usize).copied().unwrap_or_default();
        let mut filings = Vec::with_capacity(piece.filing_facts.len());
        for (filing, facts) in piece.filings.all.into_iter().zip(piece.filing_facts) {
            let company = facts.company.map(|company| renumber(&companies, company));
            let facts = FilingFacts { company, source: renumber(&sources, facts.source), ..facts };
            let number = self.filings.number(filing);
            filings.push(number);
            match self.filing_facts.get_mut(number as usize) {
                None => self.filing_facts.push(facts),
                // A list of filings has precedence over earlier facts.
                Some(before) if facts.is_in_list => {
                    *before = FilingFacts { source: before.source, ..facts };
                }
                Some(before) => {
                    before.company = before.company.or(facts.company);
                    before.filed_on = before.filed_on.or(facts.filed_on);
                }
            }
        }
        self.rows.extend(piece.rows.into_iter().map(|row| StatementRow {
            company: renumber(&companies, row.company),
            source: renumber(&sources, row.source),
            ..row
        }));
        let tagged = piece.tagged.into_iter();
        self.tagged.extend(tagged.map(|row| TaggedRow { filing: renumber(&filings, row.filing), ..row }));
    }

    /// Returns SIC codes by CIK, each from the filer's newest filing.
    pub(crate) fn sic_codes(&self) -> BTreeMap<u64, u16> {
        let mut newest: BTreeMap<u64, (Option<NaiveDate>, u16)> = BTreeMap::new();
        for facts in &self.filing_facts {
            let Some(CompanyRef::Cik(cik)) = facts.company.and_then(|company| self.companies.get(company))
            else {
                continue;
            };
            let Some(sic) = facts.sic else { continue };
            let dated_sic = (facts.filed_on, sic);
            newest.entry(*cik).and_modify(|known| *known = dated_sic.max(*known)).or_insert(dated_sic);
        }
        newest.into_iter().map(|(cik, (_, sic))| (cik, sic)).collect()
    }

    fn filing(&mut self, filing: FilingKey, file: &RawSource) -> u32 {
        let number = self.filings.number(filing);
        if self.filing_facts.len() <= number as usize {
            let source = self.sources.number(file.label().to_owned());
            self.filing_facts.push(FilingFacts { source, ..FilingFacts::default() });
        }
        number
    }

    /// Replaces the symbols in rows with the current ones.
    pub(crate) fn renew_symbols(&mut self, symbols: &SymbolChanges) {
        let Self { rows, companies, filing_facts, .. } = self;
        let current = |company: u32, date: NaiveDate, companies: &InternedValues<CompanyRef>| match companies
            .get(company)
        {
            Some(CompanyRef::Symbol(symbol)) => symbols.current(symbol, date).map(str::to_owned),
            _ => None,
        };
        for row in rows {
            if let Some(symbol) = current(row.company, row.filed_at.unwrap_or(row.period_end), companies) {
                row.company = companies.number(CompanyRef::Symbol(symbol));
            }
        }
        for facts in filing_facts {
            let (Some(company), Some(on)) = (facts.company, facts.filed_on) else { continue };
            if let Some(symbol) = current(company, on, companies) {
                facts.company = Some(companies.number(CompanyRef::Symbol(symbol)));
            }
        }
    }
}

/// Returns a company with its symbol in the market's spelling.
fn with_market_spelling(who: CompanyRef, market: Market) -> CompanyRef {
    match who {
        CompanyRef::Symbol(symbol) if market == Market::Us => {
            CompanyRef::Symbol(symbols::normalize_us_symbol(&symbol))
        }
        who => who,
    }
}

/// Returns the currency of a figure that states none.
pub(crate) fn currency_of(market: Market) -> Currency {
    match market {
        Market::India => *b"INR",
        Market::Us => *b"USD",
    }
}
