//! Shareholding patterns: what promoters, the public by its classes, and employees' trusts hold of a company, by quarter.
//!
//! The classes are those of the exchanges' form (SEBI LODR, regulation 31). Figures are percent of the shares as the form counts
//! them; a few companies have others beside, so that promoters, public and trusts may come to less than 100. A class that a file
//! does not have is none, never nothing.

use std::collections::HashMap;

use chrono::NaiveDate;

use super::cells::{self, Header, Record};
use super::dates;
use super::fact::{Fact, FactFile};
use super::placed::Placed;
use super::provenance::Provenance;
use super::reason::Reason;

/// Rounding of a few figures to two decimals, and a figure that a filing cuts instead.
const SLACK: f64 = 0.1;

/// Who holds a company at the end of a quarter, in percent of its shares.
#[derive(Debug, Clone, PartialEq)]
pub struct Holding {
    /// The symbol.
    pub symbol: String,
    /// The day that the figures are of.
    pub period_end: NaiveDate,
    /// The day of filing.
    pub filed_on: Option<NaiveDate>,
    /// Promoters and their group.
    pub promoter: f64,
    /// All that is neither promoters' nor trusts': institutions, governments and others.
    pub public: f64,
    /// Foreign institutions, of the public.
    pub foreign: Option<f64>,
    /// Domestic institutions, of the public.
    pub domestic: Option<f64>,
    /// Mutual funds, of the domestic institutions.
    pub mutual_funds: Option<f64>,
    /// Insurance companies, of the domestic institutions.
    pub insurers: Option<f64>,
    /// Central and state governments, of the public.
    pub government: Option<f64>,
    /// The public but institutions and governments: individuals, companies and others.
    pub others: Option<f64>,
    /// Trusts for employees.
    pub trusts: Option<f64>,
    /// Where the row is from.
    pub source: Provenance,
}

impl Holding {
    /// The classes of the public, which a list of filings does not have.
    fn classes(&mut self) -> [&mut Option<f64>; 6] {
        let Self { foreign, domestic, mutual_funds, insurers, government, others, .. } = self;
        [foreign, domestic, mutual_funds, insurers, government, others]
    }

    /// Lists that part the public into institutions and `public` mean by that the rest, which their sum tells.
    fn with_whole_public(mut self) -> Self {
        let (Some(foreign), Some(domestic), None) = (self.foreign, self.domestic, self.others) else {
            return self;
        };
        let apart = foreign + domestic + self.government.unwrap_or(0.0);
        let rest = 100.0 - self.promoter - self.public - self.trusts.unwrap_or(0.0);
        if apart > SLACK && (rest - apart).abs() <= SLACK {
            self.others = Some(self.public);
            self.public += apart;
        }
        self
    }

    /// Whether each figure is a part of 100, and classes are parts of what they belong to.
    fn is_whole(&self) -> bool {
        let some = |figure: Option<f64>| figure.unwrap_or(0.0);
        let of_public = [self.foreign, self.domestic, self.government, self.others];
        let of_domestic = some(self.mutual_funds) + some(self.insurers);
        let figures =
            [self.promoter, self.public, some(self.trusts), some(self.mutual_funds), some(self.insurers)];
        figures.into_iter().chain(of_public.map(some)).all(|part| (0.0..=100.0).contains(&part))
            && self.promoter + self.public + some(self.trusts) <= 100.0 + SLACK
            && of_public.map(some).iter().sum::<f64>() <= self.public + SLACK
            && self.domestic.is_none_or(|domestic| of_domestic <= domestic + SLACK)
    }
}

/// Gives rows without classes, as of a list of filings, those of the filing itself, where both agree on promoters and public.
pub(crate) fn complete(holdings: &mut [Placed<Holding>]) {
    let mut fullest: HashMap<(String, NaiveDate), Holding> = HashMap::new();
    for placed in
        holdings.iter().filter(|placed| placed.row.foreign.is_some() || placed.row.domestic.is_some())
    {
        fullest.insert((placed.row.symbol.clone(), placed.row.period_end), placed.row.clone());
    }
    for Placed { row, .. } in holdings {
        let Some(full) = fullest.get(&(row.symbol.clone(), row.period_end)) else { continue };
        let agrees = |a: f64, b: f64| (a - b).abs() <= SLACK;
        if agrees(full.promoter, row.promoter) && agrees(full.public, row.public) {
            let mut full = full.clone();
            row.filed_on = row.filed_on.or(full.filed_on);
            for (lacking, known) in row.classes().into_iter().zip(full.classes()) {
                *lacking = lacking.or(*known);
            }
        }
    }
}

pub(crate) struct HoldingFile {
    fields: usize,
    symbol: usize,
    period_end: usize,
    filed_on: Option<usize>,
    promoter: usize,
    public: usize,
    /// In the order of [`Holding::classes`].
    classes: [Option<usize>; 6],
    trusts: Option<usize>,
    /// The day of filing that the name of the file says.
    of_name: Option<NaiveDate>,
}

impl HoldingFile {
    pub(crate) fn of(header: &Header, name: &str) -> Option<Self> {
        let column = |names: &[&str]| header.column(names);
        Some(Self {
            fields: header.len(),
            symbol: column(&["SYMBOL"])?,
            period_end: column(&["DATE", "PERIOD_END", "AS ON DATE"])?,
            filed_on: column(&["FILED_ON", "BROADCASTDATE", "SUBMISSIONDATE"]),
            promoter: column(&["PROMOTER_PCT", "PR_AND_PRGRP"])?,
            public: column(&["PUBLIC_PCT", "PUBLIC_VAL"])?,
            classes: [
                column(&["FII_PCT", "FPI_PCT"]),
                column(&["DII_PCT"]),
                column(&["MUTUAL_FUND_PCT", "MUTUAL_FUNDS_PCT"]),
                column(&["INSURER_PCT", "INSURERS_PCT"]),
                column(&["GOVERNMENT_PCT"]),
                column(&["NON_INSTITUTION_PCT", "NON_INSTITUTIONS_PCT"]),
            ],
            trusts: column(&["EMPLOYEE_TRUSTS_PCT", "TRUSTS_PCT", "EMPLOYEETRUSTS"]),
            of_name: super::statements::filed_by_name(name),
        })
    }
}

impl FactFile for HoldingFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let figure = |column| cells::number(record.cell(column));
        let day = |column| dates::in_day_first_cell(record.cell(column));
        let [foreign, domestic, mutual_funds, insurers, government, others] =
            self.classes.map(|column| column.and_then(figure));
        let holding = Holding {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            period_end: day(self.period_end).ok_or(Reason::BadDate)?,
            filed_on: self.filed_on.and_then(day).or(self.of_name),
            promoter: figure(self.promoter).ok_or(Reason::BadNumber)?,
            public: figure(self.public).ok_or(Reason::BadNumber)?,
            foreign,
            domestic,
            mutual_funds,
            insurers,
            government,
            others,
            trusts: self.trusts.and_then(figure),
            source: Provenance::default(),
        };
        let holding = holding.with_whole_public();
        if holding.is_whole() { Ok(Fact::Holding(Box::new(holding))) } else { Err(Reason::HoldingsBeyondAll) }
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}
