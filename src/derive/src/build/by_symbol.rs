//! Builds the per-symbol tables: plans which files are reused, from which year on each stock is computed, and where its rows are written.

use std::collections::{BTreeMap, BTreeSet};

use super::on_workers::StocksOfPass;
use super::{Build, SmallTables};
use crate::bars::{Bars, InputBars, StockBars};
use crate::error::DeriveError;
use crate::order::Order;
use crate::partition::{PartitionPlan, PartitionSpan};
use crate::sinks::Sink;
use crate::sources::{self, DIGESTS};
use crate::symbol_pass::{self, CarriedRows, Output, SymbolPass};
use crate::warm_start::{self, PassInput};
use parquote_catalogue::operation::Table;
use parquote_raw::{Progress, StockSpan, map_in_order};

/// The tables of a symbol pass, each with its plan; the table of bars comes first.
struct SymbolBuild {
    tables: Vec<(Table, PartitionPlan)>,
    /// Largest lookback of the tables, in bars; `None` if one of them declares no lookback.
    lookback: Option<usize>,
}

impl Build<'_> {
    /// Builds the per-symbol tables, except for reused partitions.
    pub(super) async fn build_by_symbol(
        &mut self,
        bars_table: &Table,
        order: &Order<'_>,
        bars: InputBars,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        // Published bars are linked instead of written again.
        let linked = matches!(bars, InputBars::Published(_));
        let plans = self.plan_symbol_tables(bars_table, order, linked)?;
        let bars = match bars {
            InputBars::Read(stocks) => Bars::Read(self.bars_of_missing_rows(stocks, &plans)?),
            InputBars::Published(table) => Bars::Published(table),
        };
        let tables: Vec<Table> = plans.tables.iter().skip(1).map(|(table, _)| table.clone()).collect();
        let pass = SymbolPass {
            market: self.market,
            calendar: self.calendar.clone(),
            sessions: self.sessions.clone(),
            bars: bars_table.clone(),
            small: self.tables_read_by(&tables, order)?,
            carried: self.open_carried_years(&tables, &bars)?,
            tables,
        };
        let output = |(table, plan): &(Table, PartitionPlan)| {
            if linked && table.name == bars_table.name || plan.reused_rows(PartitionSpan::Whole).is_some() {
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
            let bars_output = plans.tables.first().map_or(Output::Linked, output);
            let stocks = StocksOfPass { pass: &pass, bars, bars_output };
            self.build_on_workers(stocks, &plans.tables, units, scratch.path(), progress).await?
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

    /// Plans the table of bars and each table derived from bars.
    fn plan_symbol_tables(
        &mut self,
        bars_table: &Table,
        order: &Order<'_>,
        linked: bool,
    ) -> Result<SymbolBuild, DeriveError> {
        let digests = sources::table(self.catalogue, self.market, DIGESTS);
        if let Some((digests, rows)) =
            digests.and_then(|of| Some((of, self.built_so_far().read_single_file(of)?)))
        {
            self.reuse.digests(digests, &rows?)?;
        }
        let bars_plan = if linked {
            self.reuse.published_bars(bars_table);
            PartitionPlan::default()
        } else {
            self.reuse.plan_bars(bars_table)?
        };
        let mut tables = vec![(bars_table.clone(), bars_plan)];
        for table in &order.by_symbol {
            tables.push(((*table).clone(), self.plan(table, order)?));
        }
        let lookback: Option<Vec<usize>> = order.by_symbol.iter().map(|table| table.lookback).collect();
        Ok(SymbolBuild { tables, lookback: lookback.and_then(|lookback| lookback.into_iter().max()) })
    }

    /// Selects the bars of each stock that its missing rows need, and drops stocks without missing rows.
    fn bars_of_missing_rows(
        &self,
        stocks: Vec<StockBars>,
        plans: &SymbolBuild,
    ) -> Result<Vec<PassInput>, DeriveError> {
        let inputs = map_in_order(stocks, |(stock, bars)| {
            let Some(year) = self.first_year(&stock, plans)? else { return Ok(None) };
            let inputs = match plans.lookback {
                Some(lookback) => warm_start::build_pass_input(stock, bars, year, lookback, &self.sessions)?,
                None => PassInput::with_all_bars(stock, bars),
            };
            Ok(Some(inputs))
        });
        inputs.into_iter().filter_map(Result::transpose).collect()
    }

    /// Returns the first calendar year in which a row of a stock is missing; `None` if no row is missing.
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
        let tables_read = self.written.iter().filter(|table| names.contains(&table.name));
        tables_read
            .filter_map(|table| Some((table.name.clone(), self.built_so_far().read_single_file(table)?)))
            .map(|(name, rows)| Ok((name, rows?)))
            .collect()
    }

    /// Opens the tables of the previous set with carried columns, for the years of the last bars before the new rows of warm-started
    /// stocks.
    fn open_carried_years(
        &self,
        tables: &[Table],
        bars: &Bars,
    ) -> Result<BTreeMap<String, CarriedRows>, DeriveError> {
        let Some(previous) = &self.previous else { return Ok(BTreeMap::new()) };
        let years = bars.last_years_before_start();
        let mut carried = BTreeMap::new();
        for table in tables.iter().filter(|table| !table.carried.is_empty()) {
            let opened_years = years.iter().map(|year| Ok((*year, previous.long_year(table, *year)?)));
            let years = opened_years.collect::<Result<_, DeriveError>>()?;
            carried.insert(table.name.clone(), CarriedRows::Published(Box::new(table.clone()), years));
        }
        Ok(carried)
    }
}
