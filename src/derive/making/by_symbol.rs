//! The tables made symbol by symbol: what of them stands, what is passed, and where it goes.

use std::collections::{BTreeMap, BTreeSet};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;

use super::{Making, Small};
use crate::derive::bars::Bars;
use crate::derive::error::DeriveError;
use crate::derive::kept_years::digests_in;
use crate::derive::order::Order;
use crate::derive::raw::Progress;
use crate::derive::resume::Resume;
use crate::derive::sinks::Sink;
use crate::derive::sources::BARS;
use crate::derive::stamps;
use crate::derive::symbol_pass::{self, Output, SymbolPass};
use crate::derive::year_plan::{RULES, STAMP, Stamps, YearPlan, years};
use crate::engine::arrow_types::table_schema;
use crate::engine::long_table::LongTable;
use crate::operation::Table;

/// The bars as raw files give them, among what tables are made from.
const READ: &str = "bars";
/// The table of what is counted of a stock's bars: nothing beside the bars.
const SPANS: &str = "bar_spans";
/// The table that says which stocks have other bars than before.
const DIGESTS: &str = "bar_digests";

impl Making<'_> {
    /// What becomes of the bars: read ones are stamped, published ones are linked with the stamps that they have.
    fn plan_bars(&mut self, table: &Table, bars: &Bars) -> Result<YearPlan, DeriveError> {
        match bars {
            Bars::Read(_) => {
                let digests = self.catalogue.table(self.market, DIGESTS);
                if let Some((digests, rows)) = digests.and_then(|of| Some((of, self.made().small(of)?))) {
                    let rows = rows?;
                    let whole = stamps::of_bars(digests_in(&rows), &self.sessions);
                    self.kept.stamped(READ, Stamps { whole, rules: stamps::of_sessions(&self.sessions) });
                    self.kept.compare(digests, &rows)?;
                }
                let plan = self.kept.plan_source(table, READ)?;
                self.kept.stamped(SPANS, plan.stamps.clone());
                Ok(plan)
            }
            Bars::Published(_) => {
                let made = self.made();
                let mut stamps = Stamps::default();
                for year in years(&self.sessions) {
                    if let Some(([Some(whole), Some(rules)], _)) = made.year(table, year, [STAMP, RULES]) {
                        stamps.whole.insert(year, whole);
                        stamps.rules.insert(year, rules);
                    }
                }
                self.kept.stamped(SPANS, stamps.clone());
                self.kept.stamped(BARS, stamps);
                Ok(YearPlan::default())
            }
        }
    }

    /// Makes the tables of single stocks, as far as they do not stand.
    pub(super) async fn by_symbol(
        &mut self,
        of_bars: Table,
        order: &Order<'_>,
        bars: Bars,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        // Bars that are published already are linked, not written again.
        let linked = matches!(bars, Bars::Published(_));
        let tables: Vec<Table> = order.by_symbol.iter().copied().cloned().collect();
        let mut plans = vec![self.plan_bars(&of_bars, &bars)?];
        for table in &tables {
            plans.push(self.plan(table, order)?);
        }
        let resume = self.resume(&tables, &plans).filter(|_| !linked);
        let changed = self.kept.changed();
        let bars = match &resume {
            Some(resume) => bars.resumed(resume, &self.sessions, &changed),
            None => bars,
        };
        let replaced: BTreeSet<String> = bars.whole().chain(changed.iter().cloned()).collect();
        let pass = SymbolPass {
            market: self.market,
            calendar: self.calendar.clone(),
            sessions: self.sessions.clone(),
            bars: of_bars.clone(),
            tables: tables.clone(),
            small: self.read_by(&tables, order)?,
            carried: resume.map(|resume| self.carried(&tables, &resume)).transpose()?.unwrap_or_default(),
        };
        let mut outputs: Vec<Output> = std::iter::once(&of_bars)
            .chain(&tables)
            .zip(&plans)
            .map(|(table, plan)| {
                if linked && table.name == BARS {
                    Output::Linked
                } else if table.yearly {
                    Output::Written(Sink::start(table, self.writer(table, plan.clone())))
                } else {
                    Output::Gathered(Vec::new())
                }
            })
            .collect();
        symbol_pass::run(pass, bars, &mut outputs, progress).await?;
        let mut sinks = Vec::new();
        for ((table, plan), output) in std::iter::once(&of_bars).chain(&tables).zip(plans).zip(outputs) {
            match output {
                Output::Written(sink) => sinks.push((table, sink)),
                Output::Gathered(made) => {
                    let rows = self.with_standing(table, &made, resume.as_ref(), &replaced)?;
                    let sink = Sink::start(table, self.writer(table, plan));
                    sink.write(vec![rows]).await;
                    sinks.push((table, sink));
                }
                Output::Linked => self.written.push(table.clone()),
            }
        }
        self.wrote(sinks).await
    }

    /// The tables in one file that these read.
    fn read_by(&self, tables: &[Table], order: &Order<'_>) -> Result<Small, DeriveError> {
        let names = tables.iter().filter_map(|table| order.reads.get(&table.name)).flatten();
        let names: BTreeSet<&String> = names.collect();
        let read = self.written.iter().filter(|table| names.contains(&table.name));
        read.filter_map(|table| Some((table.name.clone(), self.made().small(table)?)))
            .map(|(name, rows)| Ok((name, rows?)))
            .collect()
    }

    /// From when on rows of the tables made by symbol are made: from the first year that not all of them have. `None` where
    /// that is the first of all, or a table does not say how far it looks back.
    fn resume(&self, tables: &[Table], plans: &[YearPlan]) -> Option<Resume> {
        let looks_back: Option<Vec<usize>> = tables.iter().map(|table| table.looks_back).collect();
        let years = years(&self.sessions);
        let stands = |year: &i32| plans.iter().all(|plan| plan.stands(*year));
        let first = years.iter().copied().find(|year| !stands(year)).or_else(|| years.last().copied());
        Resume::with(first?, &self.sessions, looks_back?.into_iter().max()?)
    }

    /// Of every table that carries figures the year before the first that is made, as the set before has it.
    fn carried(
        &self,
        tables: &[Table],
        resume: &Resume,
    ) -> Result<BTreeMap<String, (Table, LongTable)>, DeriveError> {
        let Some(before) = &self.before else { return Ok(BTreeMap::new()) };
        let carrying = tables.iter().filter(|table| !table.carried.is_empty());
        let year = |table: &Table| {
            let year = before.long_year(table, resume.year_before())?;
            Ok((table.name.clone(), (table.clone(), year)))
        };
        carrying.map(year).collect()
    }

    /// The rows of a table in one file that were made, with those of the set before that stand.
    fn with_standing(
        &self,
        table: &Table,
        made: &[RecordBatch],
        resume: Option<&Resume>,
        replaced: &BTreeSet<String>,
    ) -> Result<RecordBatch, DeriveError> {
        let failed = DeriveError::rows(&table.name);
        let schema = table_schema(table, self.market);
        let made = concat_batches(&schema, made).map_err(|error| failed(error.into()))?;
        let before = self.before.as_ref().and_then(|before| before.small(table));
        match (resume, before) {
            (Some(resume), Some(before)) => {
                resume.with_standing(table, &before?, &made, replaced).map_err(failed)
            }
            _ => Ok(made),
        }
    }
}
