//! Settles the figures of a market from those of all files: companies get their symbols, tags become lines, spans become quarters, and
//! duplicates are removed.
//!
//! All figures of one line and period with different filing dates stay, as point-in-time queries need them; but a figure that only
//! repeats the one in force is a duplicate. If a dated filing has the line, undated rows are duplicates too. Nothing is averaged or
//! chosen by its size.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;

use crate::accounts::row_accounts::RowAccounts;
use crate::domain::reason::Reason;
use crate::error::RawError;
use crate::figure_counts::StatementCounts;
use crate::files::source::RawSource;
use crate::in_order::map_in_order;
use crate::statements::company_batch::{self, SettledBatch};
use crate::statements::cover_counts::{self, CoverCount};
use crate::statements::gathered_statements::{
    FilingFacts, GatheredStatements, InternedValues, TaggedRow, currency_of,
};
use crate::statements::made_lines;
use crate::statements::naming::CompanyLookup;
use crate::statements::row::{CompanyRef, PeriodSpan, StatementRow};
use parquote_catalogue::operation::Market;

/// The figures of a market, by symbol, statement, period, basis, line and date of filing.
#[derive(Debug, Clone, Default)]
pub struct Statements {
    /// The figures; `company` is a position in `symbols`, `source` one in `sources`.
    pub rows: Vec<StatementRow>,
    /// Symbols of companies, sorted.
    pub symbols: Vec<String>,
    /// Sources in words.
    pub sources: Vec<String>,
    /// The shares on the covers of filings.
    pub(crate) covers: Vec<CoverCount>,
}

pub(crate) struct SettleContext<'a> {
    pub(crate) market: Market,
    pub(crate) as_of: Option<NaiveDate>,
    pub(crate) companies: CompanyLookup<'a>,
    pub(crate) sources: &'a [RawSource],
}

impl SettleContext<'_> {
    /// Settles the figures of all files.
    pub(crate) fn settle(
        &self,
        statements: GatheredStatements,
        accounts: &mut RowAccounts<'_>,
    ) -> Result<Statements, RawError> {
        let GatheredStatements {
            mut rows, mut tagged, companies, sources: mut words, mut filing_facts, ..
        } = statements;
        let newest = newest_days(companies.all.len(), &rows, &tagged, &filing_facts);
        let named = companies.all.iter().zip(newest);
        let named: Vec<_> = named.map(|(who, newest)| self.companies.symbol(who, newest)).collect();
        let symbols: BTreeSet<String> = named.iter().flatten().cloned().collect();
        let positions = symbol_positions(&named, &symbols);
        self.name_filings(&mut tagged, &mut filing_facts, &companies, &positions, accounts)?;
        self.name_rows(&mut rows, &companies, &positions, accounts)?;
        let mut counts = StatementCounts { tagged: tagged.len() as u64, ..StatementCounts::default() };
        let covers = cover_counts::take_counts(&mut tagged, &filing_facts);
        let (made, of_other_currencies) =
            made_lines::make_lines(tagged, &filing_facts, currency_of(self.market));
        rows.extend(made);
        counts.other_currencies = of_other_currencies;
        let file_sources = words.all.len() as u32;
        let batches = split_batches(rows, symbols.len());
        let settled = map_in_order(batches, |rows| company_batch::settle(rows, file_sources));
        let mut rows = Vec::with_capacity(settled.iter().map(|batch| batch.rows.len()).sum());
        for batch in settled {
            counts.add(&batch.counts);
            self.book(&batch, accounts);
            rows.extend(batch.rows);
        }
        for row in rows.iter_mut().filter(|row| row.source >= file_sources) {
            let source = words.get(row.source - file_sources).cloned().unwrap_or_default();
            row.source = words.number(format!("{source}, by difference"));
        }
        accounts.report.statements = Some(counts);
        Ok(Statements { rows, symbols: symbols.into_iter().collect(), sources: words.all, covers })
    }

    /// Adds the superseded rows to the accounts of their files.
    fn book(&self, batch: &SettledBatch, accounts: &mut RowAccounts<'_>) {
        for (file, superseded) in &batch.superseded {
            let Some(source) = self.sources.get(*file as usize) else { continue };
            accounts.book_repetitions(source, superseded);
        }
    }

    /// Replaces company numbers in filings with the positions of their symbols, and refuses the figures of filings without a known
    /// company, or filed after the as-of date.
    fn name_filings(
        &self,
        tagged: &mut Vec<TaggedRow>,
        filing_facts: &mut [FilingFacts],
        companies: &InternedValues<CompanyRef>,
        positions: &[Option<u32>],
        accounts: &mut RowAccounts<'_>,
    ) -> Result<(), RawError> {
        let position = |company: u32| positions.get(company as usize).copied().flatten();
        let too_new = |filing: &FilingFacts| {
            self.as_of.is_some_and(|as_of| filing.filed_on.is_some_and(|on| on > as_of))
        };
        let mut refused = Vec::new();
        tagged.retain(|row| {
            let Some(filing) = filing_facts.get(row.filing as usize) else { return false };
            let reason = match filing.company.and_then(position) {
                None => Some(Reason::UnknownCompany),
                Some(_) if too_new(filing) => Some(Reason::AfterAsOf),
                Some(_) if filing.filed_on.is_some_and(|on| on < row.end) && row.span != PeriodSpan::Day => {
                    Some(Reason::BadDate)
                }
                Some(_) if filing.has_years == Some(false) && row.span == PeriodSpan::Year => {
                    Some(Reason::UnknownPeriod)
                }
                Some(_) => None,
            };
            refused.extend(reason.map(|reason| (*row, reason)));
            reason.is_none()
        });
        for (row, reason) in refused {
            let Some(source) = self.sources.get(row.file as usize) else { continue };
            let who = filing_facts.get(row.filing as usize).and_then(|filing| companies.get(filing.company?));
            let text = format!("{},{},{}", who.map_or("?", CompanyRef::text), row.end, row.value);
            accounts.refuse_used(source, row.file_line, reason, &text)?;
        }
        for filing in filing_facts {
            filing.company = filing.company.and_then(position);
        }
        Ok(())
    }

    /// Replaces company numbers in rows that name their company themselves, and refuses rows of unknown companies.
    fn name_rows(
        &self,
        rows: &mut Vec<StatementRow>,
        companies: &InternedValues<CompanyRef>,
        positions: &[Option<u32>],
        accounts: &mut RowAccounts<'_>,
    ) -> Result<(), RawError> {
        let mut refused = Vec::new();
        rows.retain_mut(|row| {
            let position = positions.get(row.company as usize).copied().flatten();
            match position {
                Some(position) => row.company = position,
                None => refused.push(*row),
            }
            position.is_some()
        });
        for row in refused {
            let Some(source) = self.sources.get(row.file as usize) else { continue };
            let who = companies.get(row.company).map_or("?", CompanyRef::text);
            let text = format!("{who},{},{},{}", row.period_end, row.line.word(), row.value);
            accounts.refuse_used(source, row.file_line, Reason::UnknownCompany, &text)?;
        }
        Ok(())
    }
}

/// Splits rows into batches, each with the rows of `COMPANIES_AT_A_TIME` companies with consecutive positions, in their order.
fn split_batches(rows: Vec<StatementRow>, companies: usize) -> Vec<Vec<StatementRow>> {
    /// Number of companies that are settled together.
    const COMPANIES_AT_A_TIME: usize = 16;
    let mut batches: Vec<Vec<StatementRow>> = vec![Vec::new(); companies.div_ceil(COMPANIES_AT_A_TIME)];
    for row in rows {
        if let Some(batch) = batches.get_mut(row.company as usize / COMPANIES_AT_A_TIME) {
            batch.push(row);
        }
    }
    batches
}

/// Returns the day of each company's newest figure, by the number of the company.
fn newest_days(
    companies: usize,
    rows: &[StatementRow],
    tagged: &[TaggedRow],
    filing_facts: &[FilingFacts],
) -> Vec<NaiveDate> {
    let mut newest = vec![NaiveDate::MIN; companies];
    let of_rows = rows.iter().map(|row| (row.company, row.period_end));
    let company = |row: &TaggedRow| filing_facts.get(row.filing as usize)?.company;
    let of_tagged = tagged.iter().filter_map(|row| Some((company(row)?, row.end)));
    for (company, end) in of_rows.chain(of_tagged) {
        if let Some(newest) = newest.get_mut(company as usize) {
            *newest = end.max(*newest);
        }
    }
    newest
}

/// Returns the position of each company's symbol, by the number of the company; `None` for a company without a symbol.
fn symbol_positions(named: &[Option<String>], symbols: &BTreeSet<String>) -> Vec<Option<u32>> {
    let positions: HashMap<&String, u32> = symbols.iter().zip(0..).collect();
    named.iter().map(|symbol| positions.get(symbol.as_ref()?).copied()).collect()
}
