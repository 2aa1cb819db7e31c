//! Shareholding patterns: what promoters, the public by its classes, and employees' trusts hold of a company, by quarter.
//!
//! The classes are those of the exchanges' form (SEBI LODR, regulation 31). Figures are percent of the shares as the form counts
//! them; a few companies have others beside, so that promoters, public and trusts may come to less than 100. A class that a file
//! does not have is none, never nothing.

use std::collections::HashMap;

use chrono::NaiveDate;

use crate::raw::declared::plain_row::{FileFacts, PlainCell};
use crate::raw::domain::provenance::Provenance;
use crate::raw::domain::reason::Reason;
use crate::raw::records::columns::NamedColumns;
use crate::raw::records::keyed_record::{Duplicates, KeyedRecord, KindOf, RecordKind};
use crate::raw::records::placed::Placed;
use crate::raw::records::placed::RecordPlace;
use crate::raw::records::plain_record::PlainRecord;
use crate::raw::records::record::RawRecord;
use crate::raw::records::table_row::TableRecord;
use crate::raw::reference_data::ReferenceData;
use crate::raw::symbols::Symbols;
use std::marker::PhantomData;

/// Rounding of a few figures to two decimals, and a figure that a filing cuts instead.
const SLACK: f64 = 0.1;

/// Who holds a company at the end of a quarter, in percent of its shares.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Holding {
    /// The symbol.
    pub(crate) symbol: String,
    /// The day that the figures are of.
    pub(crate) period_end: NaiveDate,
    /// The day of filing.
    pub(crate) filed_on: Option<NaiveDate>,
    /// Promoters and their group.
    pub(crate) promoter: f64,
    /// All that is neither promoters' nor trusts': institutions, governments and others.
    pub(crate) public: f64,
    /// Foreign institutions, of the public.
    pub(crate) foreign: Option<f64>,
    /// Domestic institutions, of the public.
    pub(crate) domestic: Option<f64>,
    /// Mutual funds, of the domestic institutions.
    pub(crate) mutual_funds: Option<f64>,
    /// Insurance companies, of the domestic institutions.
    pub(crate) insurers: Option<f64>,
    /// Central and state governments, of the public.
    pub(crate) government: Option<f64>,
    /// The public but institutions and governments: individuals, companies and others.
    pub(crate) others: Option<f64>,
    /// Trusts for employees.
    pub(crate) trusts: Option<f64>,
    /// Where the row is from.
    pub(crate) source: Provenance,
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
fn complete(holdings: &mut [Placed<Holding>]) {
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

impl PlainRecord<12> for Holding {
    const RECORD: &'static str = "shareholding";
    const COLUMNS: [&'static str; 12] = [
        "symbol text",
        "period_end date",
        // Without it, the name of the file may say it.
        "filed_on date?",
        "promoter number",
        "public number",
        "foreign number?",
        "domestic number?",
        "mutual_funds number?",
        "insurers number?",
        "government number?",
        "others number?",
        "trusts number?",
    ];
    const KIND: Option<&'static dyn RecordKind> = Some(&KindOf::<Self>(PhantomData));

    fn of(cells: [PlainCell<'_>; 12], file: &FileFacts) -> Result<Self, Reason> {
        let [symbol, period_end, filed_on, promoter, public, classes @ .., trusts] = cells;
        let [foreign, domestic, mutual_funds, insurers, government, others] =
            classes.map(|cell| cell.number());
        let holding = Self {
            symbol: symbol.symbol()?,
            period_end: period_end.date().ok_or(Reason::BadDate)?,
            filed_on: filed_on.date().or(file.date),
            promoter: promoter.number().ok_or(Reason::BadNumber)?,
            public: public.number().ok_or(Reason::BadNumber)?,
            foreign,
            domestic,
            mutual_funds,
            insurers,
            government,
            others,
            trusts: trusts.number(),
            source: Provenance::default(),
        };
        let holding = holding.with_whole_public();
        if holding.is_whole() { Ok(holding) } else { Err(Reason::HoldingsBeyondAll) }
    }
}

impl RawRecord for Holding {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn date(&self) -> Option<NaiveDate> {
        Some(self.filed_on.unwrap_or(self.period_end))
    }

    fn keep(mut self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        self.source.clone_from(at.provenance);
        into.records.add(*self, at);
    }
}

impl TableRecord for Holding {
    const TABLE: &'static str = "shareholding";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::of(rows)
            .text("symbol", |holding| Some(&holding.symbol))
            .date("period_end", |holding| Some(holding.period_end))
            .number("promoter_pct", |holding| Some(holding.promoter))
            .number("public_pct", |holding| Some(holding.public))
            .number("fii_pct", |holding| holding.foreign)
            .number("dii_pct", |holding| holding.domestic)
            .number("mutual_fund_pct", |holding| holding.mutual_funds)
            .number("insurer_pct", |holding| holding.insurers)
            .number("government_pct", |holding| holding.government)
            .number("non_institution_pct", |holding| holding.others)
            .number("trusts_pct", |holding| holding.trusts)
            .date("filed_on", |holding| holding.filed_on)
            .text("source", |holding| holding.source.words())
            .done()
    }
}

impl KeyedRecord for Holding {
    const DUPLICATES: Duplicates = Duplicates::NewestStands;

    type Key<'a> = (&'a str, NaiveDate);

    fn key(&self) -> Self::Key<'_> {
        (&self.symbol, self.period_end)
    }

    fn follow(&mut self, symbols: &Symbols, _: NaiveDate) {
        symbols.renew(&mut self.symbol, self.period_end);
    }

    fn complete(rows: &mut [Placed<Self>]) {
        complete(rows);
    }
}
