//! Settles all figures of files to those of the market: companies get their symbols, tags become lines, spans become quarters, and
//! duplicates are removed.
//!
//! Figures for one line of one period with different filing dates all stay, as point-in-time queries need them; but one that only
//! repeats the figure in force is a duplicate. If a dated filing has the line, undated rows are duplicates too. Nothing is averaged or
//! chosen by its size.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;

use crate::accounts::row_accounts::RowAccounts;
use crate::domain::reason::Reason;
use crate::error::RawError;
use crate::figures_read::StatementCounts;
use crate::files::source::RawSource;
use crate::in_order::map_in_order;
use crate::statements::cover_counts::{self, CoverCount};
use crate::statements::gathered::{FilingFacts, GatheredStatements, InternedValues, TaggedRow, currency_of};
use crate::statements::made_lines;
use crate::statements::naming::Companies;
use crate::statements::row::{CompanyRef, PeriodSpan, StatementRow};
use crate::statements::some_companies::{self, SettledCompanies};
use parquote_catalogue::operation::Market;

/// The figures of a market, by symbol, statement, period, basis, line and date of filing.
#[derive(Debug, Clone, Default)]
pub struct Statements {
    /// The figures; `company` is a position in `symbols`, `source` one in `sources`.
    pub rows: Vec<StatementRow>,
    /// Companies, sorted.
    pub symbols: Vec<String>,
    /// Sources in words.
    pub sources: Vec<String>,
    /// The shares on the covers of filings.
    pub(crate) covers: Vec<CoverCount>,
}

/// Context of settling.
pub(crate) struct SettleContext<'a> {
    pub(crate) market: Market,
    pub(crate) as_of: Option<NaiveDate>,
    pub(crate) companies: Companies<'a>,
    pub(crate) sources: &'a [RawSource],
}

impl SettleContext<'_> {
    /// Settles the collected figures.
    pub(crate) fn settle(
        &self,
        gathered: GatheredStatements,
        accounts: &mut RowAccounts<'_>,
    ) -> Result<Statements, RawError> {
        let GatheredStatements { mut rows, mut tagged, companies, sources: mut words, mut filed, .. } =
            gathered;
        let newest = newest_days(companies.all.len(), &rows, &tagged, &filed);
        let named = companies.all.iter().zip(newest);
        let named: Vec<_> = named.map(|(who, newest)| self.companies.symbol(who, newest)).collect();
        let symbols: BTreeSet<String> = named.iter().flatten().cloned().collect();
        let places = places(&named, &symbols);
        self.name_filings(&mut tagged, &mut filed, &companies, &places, accounts)?;
        self.name_rows(&mut rows, &companies, &places, accounts)?;
        let mut counts = StatementCounts { tagged: tagged.len() as u64, ..StatementCounts::default() };
        let covers = cover_counts::take_counts(&mut tagged, &filed);
        let (made, of_other_currencies) = made_lines::make(tagged, &filed, currency_of(self.market));
        rows.extend(made);
        counts.other_currencies = of_other_currencies;
        let files_words = words.all.len() as u32;
        let of_companies = by_company(rows, symbols.len());
        let settled = map_in_order(of_companies, |rows| some_companies::settle(rows, files_words));
        let mut kept = Vec::with_capacity(settled.iter().map(|some| some.rows.len()).sum());
        for some in settled {
            counts.add(&some.counts);
            self.book(&some, accounts);
            kept.extend(some.rows);
        }
        for row in kept.iter_mut().filter(|row| row.source >= files_words) {
            let of = words.get(row.source - files_words).cloned().unwrap_or_default();
            row.source = words.number(format!("{of}, by difference"));
        }
        accounts.report.statements = Some(counts);
        Ok(Statements { rows: kept, symbols: symbols.into_iter().collect(), sources: words.all, covers })
    }

    /// Books the rows that are superseded.
    fn book(&self, of: &SettledCompanies, accounts: &mut RowAccounts<'_>) {
        for (file, doubled) in &of.doubled {
            let Some(source) = self.sources.get(*file as usize) else { continue };
            accounts.book_repetitions(source, doubled);
        }
    }

    /// Replaces company numbers in filings with the positions of their symbols, and takes back the figures of filings without a known
    /// company, or made after the as-of date.
    fn name_filings(
        &self,
        tagged: &mut Vec<TaggedRow>,
        filed: &mut [FilingFacts],
        companies: &InternedValues<CompanyRef>,
        places: &[Option<u32>],
        accounts: &mut RowAccounts<'_>,
    ) -> Result<(), RawError> {
        let too_new =
            |filed: &FilingFacts| self.as_of.is_some_and(|as_of| filed.on.is_some_and(|on| on > as_of));
        let mut back = Vec::new();
        tagged.retain(|row| {
            let Some(of) = filed.get(row.filing as usize) else { return false };
            let company = of.company.and_then(|company| places.get(company as usize).copied().flatten());
            let reason = match company {
                None => Some(Reason::UnknownCompany),
                Some(_) if too_new(of) => Some(Reason::AfterAsOf),
                Some(_) if of.on.is_some_and(|on| on < row.end) && row.span != PeriodSpan::Day => {
                    Some(Reason::BadDate)
                }
                Some(_) if of.has_years == Some(false) && row.span == PeriodSpan::Year => {
                    Some(Reason::UnknownPeriod)
                }
                Some(_) => None,
            };
            back.extend(reason.map(|reason| (*row, reason)));
            reason.is_none()
        });
        for (row, reason) in back {
            let Some(source) = self.sources.get(row.file as usize) else { continue };
            let who = filed.get(row.filing as usize).and_then(|of| companies.get(of.company?));
            let text = format!("{},{},{}", who.map_or("?", CompanyRef::text), row.end, row.value);
            accounts.take_back(source, row.at, reason, &text)?;
        }
        for of in filed {
            of.company = of.company.and_then(|company| places.get(company as usize).copied().flatten());
        }
        Ok(())
    }

    /// Replaces company numbers in rows that name their company themselves, and refuses rows of unknown companies.
    fn name_rows(
        &self,
        rows: &mut Vec<StatementRow>,
        companies: &InternedValues<CompanyRef>,
        places: &[Option<u32>],
        accounts: &mut RowAccounts<'_>,
    ) -> Result<(), RawError> {
        let mut back = Vec::new();
        rows.retain_mut(|row| {
            let position = places.get(row.company as usize).copied().flatten();
            match position {
                Some(position) => row.company = position,
                None => back.push(*row),
            }
            position.is_some()
        });
        for row in back {
            let Some(source) = self.sources.get(row.file as usize) else { continue };
            let who = companies.get(row.company).map_or("?", CompanyRef::text);
            let text = format!("{who},{},{},{}", row.period_end, row.line.word(), row.value);
            accounts.take_back(source, row.at, Reason::UnknownCompany, &text)?;
        }
        Ok(())
    }
}

/// Splits rows by company, in their order: each part has the rows of `COMPANIES_AT_A_TIME` companies with consecutive positions.
fn by_company(rows: Vec<StatementRow>, companies: usize) -> Vec<Vec<StatementRow>> {
    /// Number of companies that are settled together.
    const COMPANIES_AT_A_TIME: usize = 16;
    let mut parted: Vec<Vec<StatementRow>> = vec![Vec::new(); companies.div_ceil(COMPANIES_AT_A_TIME)];
    for row in rows {
        if let Some(some) = parted.get_mut(row.company as usize / COMPANIES_AT_A_TIME) {
            some.push(row);
        }
    }
    parted
}

/// Returns the day of the newest figure, by number of the company.
fn newest_days(
    companies: usize,
    rows: &[StatementRow],
    tagged: &[TaggedRow],
    filed: &[FilingFacts],
) -> Vec<NaiveDate> {
    let mut newest = vec![NaiveDate::MIN; companies];
    let of_rows = rows.iter().map(|row| (row.company, row.period_end));
    let company = |row: &TaggedRow| filed.get(row.filing as usize)?.company;
    let of_tagged = tagged.iter().filter_map(|row| Some((company(row)?, row.end)));
    for (company, end) in of_rows.chain(of_tagged) {
        if let Some(newest) = newest.get_mut(company as usize) {
            *newest = end.max(*newest);
        }
    }
    newest
}

/// Returns the position of the symbol, by number of the company.
fn places(named: &[Option<String>], symbols: &BTreeSet<String>) -> Vec<Option<u32>> {
    let places: HashMap<&String, u32> = symbols.iter().zip(0..).collect();
    named.iter().map(|symbol| places.get(symbol.as_ref()?).copied()).collect()
}
