//! Builds the per-symbol tables: decides which of their files exist, from which date each stock is computed, and where its rows go.

use std::collections::{BTreeMap, BTreeSet};

use super::on_workers::StocksOfPass;
use super::{Build, SmallTables};
use crate::bars::{Bars, GivenBars, StockBars};
use crate::error::DeriveError;
use crate::order::Order;
use crate::partition::{PartitionPlan, PartitionSpan};
use crate::sinks::Sink;
use crate::sources::{self, DIGESTS};
use crate::symbol_pass::{self, CarriedRows, Output, SymbolPass};
use crate::warm_start::{self, PassInput};
use parquote_catalogue::operation::Table;
use parquote_raw::{Progress, StockSpan, map_in_order};

/// The tables of a pass, the bars first, each with its plan.
struct SymbolBuild {
    tables: Vec<(Table, PartitionPlan)>,
    /// Maximum number of earlier bars that a row reads; `None` if a table declares no lookback.
    lookback: Option<usize>,
}

impl Build<'_> {
    /// Builds the per-symbol tables, except for the partitions that are reused.
    pub(super) async fn by_symbol(
        &mut self,
        of_bars: &Table,
        order: &Order<'_>,
        bars: GivenBars,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        // Published bars are linked, not written again.
        let linked = matches!(bars, GivenBars::Published(_));
        let plans = self.plans(of_bars, order, linked)?;
        let bars = match bars {
            GivenBars::Read(stocks) => Bars::Read(self.bars_of_missing_rows(stocks, &plans)?),
            GivenBars::Published(table) => Bars::Published(table),
        };
        let tables: Vec<Table> = plans.tables.iter().skip(1).map(|(table, _)| table.clone()).collect();
        let pass = SymbolPass {
            market: self.market,
            calendar: self.calendar.clone(),
            sessions: self.sessions.clone(),
            bars: of_bars.clone(),
            small: self.tables_read_by(&tables, order)?,
            carried: self.open_carried_years(&tables, &bars)?,
            tables,
        };
        let output = |(table, plan): &(Table, PartitionPlan)| {
            if linked && table.name == of_bars.name || plan.reused_rows(PartitionSpan::Whole).is_some() {
                Output::Linked
            } else if table.yearly {
                Output::Written(Sink::start(table, self.writer(table, plan.clone())))
            } else {
                Output::Gathered(Vec::new())
            }
        };
        let scratch;
        let outputs = if let Some(units) = &self.units {
            scratch = self.temporary_folder()?;
            let bars_made = plans.tables.first().map_or(Output::Linked, output);
            let stocks = StocksOfPass { pass: &pass, bars, bars_made };
            self.on_workers(stocks, &plans.tables, units, scratch.path(), progress).await?
        } else {
            let mut outputs: Vec<Output> = plans.tables.iter().map(output).collect();
            symbol_pass::run(pass, bars, &mut outputs, progress).await?;
            outputs
        };
        let mut sinks = Vec::new();
        for ((table, plan), output) in plans.tables.iter().zip(outputs) {
            match output {
                Output::Written(sink) => sinks.push((table, sink)),
                Output::Gathered(made) => {
                    let sink = Sink::start(table, self.writer(table, plan.clone()));
                    sink.write(made).await;
                    sinks.push((table, sink));
                }
                Output::Linked => {
                    if !self.reuse_single_file(table, plan) {
                        self.written.push(table.clone());
                    }
                }
            }
        }
        self.record_row_counts(sinks).await
    }

    /// Plans the bars and each table derived from them.
    fn plans(
        &mut self,
        of_bars: &Table,
        order: &Order<'_>,
        linked: bool,
    ) -> Result<SymbolBuild, DeriveError> {
        let digests = sources::table(self.catalogue, self.market, DIGESTS);
        if let Some((digests, rows)) =
            digests.and_then(|of| Some((of, self.built_so_far().read_single_file(of)?)))
        {
            self.reuse.digests(digests, &rows?)?;
        }
        let of_bars_plan = if linked {
            self.reuse.published_bars(of_bars);
            PartitionPlan::default()
        } else {
            self.reuse.plan_bars(of_bars)?
        };
        let mut tables = vec![(of_bars.clone(), of_bars_plan)];
        for table in &order.by_symbol {
            tables.push(((*table).clone(), self.plan(table, order)?));
        }
        let lookback: Option<Vec<usize>> = order.by_symbol.iter().map(|table| table.lookback).collect();
        Ok(SymbolBuild { tables, lookback: lookback.and_then(|lookback| lookback.into_iter().max()) })
    }

    /// Selects the bars of each stock that its missing rows need; drops stocks without missing rows.
    fn bars_of_missing_rows(
        &self,
        stocks: Vec<StockBars>,
        plans: &SymbolBuild,
    ) -> Result<Vec<PassInput>, DeriveError> {
        let passed = map_in_order(stocks, |(stock, bars)| {
            let Some(year) = self.first_year(&stock, plans)? else { return Ok(None) };
            let passed = match plans.lookback {
                Some(lookback) => warm_start::build_pass_input(stock, bars, year, lookback, &self.sessions)?,
                None => PassInput::with_all_bars(stock, bars),
            };
            Ok(Some(passed))
        });
        passed.into_iter().filter_map(Result::transpose).collect()
    }

    /// Returns the first calendar year in which a row of a stock is missing.
    fn first_year(&self, stock: &StockSpan, plans: &SymbolBuild) -> Result<Option<i32>, DeriveError> {
        let failed = DeriveError::row_error(&stock.symbol);
        let years = warm_start::years_of(stock.sessions, &self.sessions).map_err(failed)?;
        let lacks = |(table, plan): &(Table, PartitionPlan), year: i32| {
            if table.yearly {
                return !plan.reuses_symbol(PartitionSpan::Year(year), &stock.symbol);
            }
            // A single-file table has one row per stock, of its last bar.
            years.last_bar == year && plan.reused_rows(PartitionSpan::Whole).is_none()
        };
        let mut years = years.first_bar..=years.last_row;
        Ok(years.find(|year| plans.tables.iter().any(|table| lacks(table, *year))))
    }

    /// Reads the single-file tables that `tables` read.
    fn tables_read_by(&self, tables: &[Table], order: &Order<'_>) -> Result<SmallTables, DeriveError> {
        let names = tables.iter().filter_map(|table| order.reads.get(&table.name)).flatten();
        let names: BTreeSet<&String> = names.collect();
        let read = self.written.iter().filter(|table| names.contains(&table.name));
        read.filter_map(|table| Some((table.name.clone(), self.built_so_far().read_single_file(table)?)))
            .map(|(name, rows)| Ok((name, rows?)))
            .collect()
    }

    /// Opens, of the previous set's tables that carry figures, the years from which warm-started stocks continue.
    fn open_carried_years(
        &self,
        tables: &[Table],
        bars: &Bars,
    ) -> Result<BTreeMap<String, CarriedRows>, DeriveError> {
        let Some(before) = &self.before else { return Ok(BTreeMap::new()) };
        let years = bars.last_years_before_start();
        let mut carried = BTreeMap::new();
        for table in tables.iter().filter(|table| !table.carried.is_empty()) {
            let of_years = years.iter().map(|year| Ok((*year, before.long_year(table, *year)?)));
            let years = of_years.collect::<Result<_, DeriveError>>()?;
            carried.insert(table.name.clone(), CarriedRows::Published(Box::new(table.clone()), years));
        }
        Ok(carried)
    }
}
