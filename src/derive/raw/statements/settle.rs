//! From all figures that files have to those of the market: companies get their symbols, tags become lines, spans quarters, and
//! each figure is there once.
//!
//! Of figures for one line of one period, those filed on different days all stay, for what was known on a date is asked of
//! them; but one that only repeats the figure in force is a duplicate. Where a filing with its date has the line, rows that do
//! not say their date are duplicates too. Nothing is averaged or chosen by its size.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;

use super::super::RawError;
use super::super::files::Source;
use super::super::ledger::Ledger;
use super::super::reason::Reason;
use super::gathered::{Filed, Gathered, Numbered, TaggedRow, currency_of};
use super::lines::Statement;
use super::naming::Companies;
use super::row::{Span, StatementRow, Who};
use super::{made_lines, spans};
use crate::derive::StatementCounts;
use crate::operation::Market;

/// The figures of a market, by symbol, statement, period, basis, line and date of filing.
#[derive(Debug, Clone, Default)]
pub struct Statements {
    /// The figures; their `company` is a place in `symbols`, their `source` one in `sources`.
    pub rows: Vec<StatementRow>,
    /// Companies, sorted.
    pub symbols: Vec<String>,
    /// Sources in words.
    pub sources: Vec<String>,
}

/// What settling goes by.
pub(crate) struct Settling<'a> {
    pub(crate) market: Market,
    pub(crate) as_of: Option<NaiveDate>,
    pub(crate) companies: Companies<'a>,
    pub(crate) sources: &'a [Source],
}

impl Settling<'_> {
    /// Settles what was gathered.
    pub(crate) fn settle(&self, gathered: Gathered, ledger: &mut Ledger<'_>) -> Result<Statements, RawError> {
        let Gathered { mut rows, mut tagged, companies, sources: mut words, mut filed, .. } = gathered;
        let symbols = self.symbols(&companies);
        let places = places(&companies, &symbols, |who| self.companies.symbol(who));
        self.name_filings(&mut tagged, &mut filed, &companies, &places, ledger)?;
        self.name_rows(&mut rows, &companies, &places, ledger)?;
        let mut counts = StatementCounts { tagged: tagged.len() as u64, ..StatementCounts::default() };
        rows.extend(made_lines::make(tagged, &filed, currency_of(self.market)));
        let is_balance = |row: &StatementRow| row.line.statement() == Statement::Balance;
        let (mut balances, flows): (Vec<StatementRow>, Vec<StatementRow>) =
            rows.into_iter().partition(is_balance);
        let mut kept = self.flows(flows, &mut words, &mut counts, ledger);
        counts.unused_spans += spans::place_days(&mut balances, &kept);
        kept.extend(self.each_version(balances, &mut counts, ledger));
        kept.sort_unstable_by_key(order);
        kept.shrink_to_fit();
        counts.lines = kept.len() as u64;
        counts.companies = kept.iter().map(|row| row.company).collect::<BTreeSet<u32>>().len() as u64;
        ledger.report.statements = Some(counts);
        Ok(Statements { rows: kept, symbols: symbols.into_iter().collect(), sources: words.all })
    }

    /// Settles income and cash flows: those of quarters and years, and the quarters that follow from longer spans.
    fn flows(
        &self,
        flows: Vec<StatementRow>,
        words: &mut Numbered<String>,
        counts: &mut StatementCounts,
        ledger: &mut Ledger<'_>,
    ) -> Vec<StatementRow> {
        let mut kept = self.each_version(flows, counts, ledger);
        let mut made = spans::differences(&kept);
        for row in &mut made {
            let of = words.get(row.source).cloned().unwrap_or_default();
            row.source = words.number(format!("{of}, by difference"));
        }
        counts.differences = made.len() as u64;
        let before = kept.len();
        kept.retain(|row| matches!(row.span, Span::Year | Span::Quarter));
        counts.unused_spans += (before - kept.len()) as u64;
        kept.extend(made);
        kept
    }

    /// What the filings of each figure add to each other, by figure.
    fn each_version(
        &self,
        mut rows: Vec<StatementRow>,
        counts: &mut StatementCounts,
        ledger: &mut Ledger<'_>,
    ) -> Vec<StatementRow> {
        rows.sort_unstable_by_key(order);
        let mut kept: Vec<StatementRow> = Vec::with_capacity(rows.len());
        for of_one in rows.chunk_by(|a, b| figure(a) == figure(b)) {
            self.keep_versions(of_one, &mut kept, counts, ledger);
        }
        kept
    }

    /// The symbols of all companies that have one.
    fn symbols(&self, companies: &Numbered<Who>) -> BTreeSet<String> {
        companies.all.iter().filter_map(|who| self.companies.symbol(who)).collect()
    }

    /// Puts the places of symbols for the numbers of companies in filings, and takes back the figures of filings that nobody is
    /// known to have made, or that were made after the date of the set.
    fn name_filings(
        &self,
        tagged: &mut Vec<TaggedRow>,
        filed: &mut [Filed],
        companies: &Numbered<Who>,
        places: &[Option<u32>],
        ledger: &mut Ledger<'_>,
    ) -> Result<(), RawError> {
        let too_new = |filed: &Filed| self.as_of.is_some_and(|as_of| filed.on.is_some_and(|on| on > as_of));
        let mut back = Vec::new();
        tagged.retain(|row| {
            let Some(of) = filed.get(row.filing as usize) else { return false };
            let company = of.company.and_then(|company| places.get(company as usize).copied().flatten());
            let reason = match company {
                None => Some(Reason::UnknownCompany),
                Some(_) if too_new(of) => Some(Reason::AfterAsOf),
                Some(_) if of.on.is_some_and(|on| on < row.end) && row.span != Span::Day => {
                    Some(Reason::BadDate)
                }
                Some(_) if of.has_years == Some(false) && row.span == Span::Year => {
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
            let text = format!("{},{},{}", who.map_or("?", Who::text), row.end, row.value);
            ledger.take_back(source, row.at, reason, &text)?;
        }
        for of in filed {
            of.company = of.company.and_then(|company| places.get(company as usize).copied().flatten());
        }
        Ok(())
    }

    /// The same for rows that name their company themselves.
    fn name_rows(
        &self,
        rows: &mut Vec<StatementRow>,
        companies: &Numbered<Who>,
        places: &[Option<u32>],
        ledger: &mut Ledger<'_>,
    ) -> Result<(), RawError> {
        let mut back = Vec::new();
        rows.retain_mut(|row| {
            let place = places.get(row.company as usize).copied().flatten();
            match place {
                Some(place) => row.company = place,
                None => back.push(*row),
            }
            place.is_some()
        });
        for row in back {
            let Some(source) = self.sources.get(row.file as usize) else { continue };
            let who = companies.get(row.company).map_or("?", Who::text);
            let text = format!("{who},{},{},{}", row.period_end, row.line.word(), row.value);
            ledger.take_back(source, row.at, Reason::UnknownCompany, &text)?;
        }
        Ok(())
    }

    /// Keeps what the filings of one figure add to each other.
    fn keep_versions(
        &self,
        of_one: &[StatementRow],
        kept: &mut Vec<StatementRow>,
        counts: &mut StatementCounts,
        ledger: &mut Ledger<'_>,
    ) {
        let mut in_force: Option<StatementRow> = None;
        for row in of_one {
            let same = |other: &StatementRow| {
                other.value.total_cmp(&row.value).is_eq() && other.currency == row.currency
            };
            let is_new = in_force
                .as_ref()
                .is_none_or(|other| row.filed_at.is_some() && row.filed_at != other.filed_at && !same(other));
            if is_new {
                kept.push(*row);
                in_force = Some(*row);
                continue;
            }
            let is_same = in_force.as_ref().is_some_and(same);
            counts.repeated += u64::from(is_same);
            counts.superseded += u64::from(!is_same);
            // Figures that are made of others are no rows of a file.
            if let Some(source) = self.sources.get(row.file as usize).filter(|_| row.at > 0) {
                let tally = ledger.tally(source);
                tally.kept -= 1;
                if is_same {
                    tally.identical += 1;
                } else {
                    tally.differing += 1;
                }
            }
        }
    }
}

/// By number of the company: the place of its symbol.
fn places(
    companies: &Numbered<Who>,
    symbols: &BTreeSet<String>,
    symbol: impl Fn(&Who) -> Option<String>,
) -> Vec<Option<u32>> {
    let places: HashMap<&String, u32> = symbols.iter().zip(0..).collect();
    companies.all.iter().map(|who| places.get(&symbol(who)?).copied()).collect()
}

/// What names a figure, whenever it was filed.
fn figure(row: &StatementRow) -> impl Ord + use<> {
    (row.company, row.line.statement(), row.period_end, row.span, row.basis, row.line)
}

/// Figures by name, then by the day of filing, none last; of one day the newest file first, there the last row.
fn order(row: &StatementRow) -> impl Ord + use<> {
    (figure(row), row.filed_at.is_none(), row.filed_at, Reverse((row.file, row.at)))
}
