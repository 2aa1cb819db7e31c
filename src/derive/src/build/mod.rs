//! A set of tables that is being built: source tables first, then tables derived from bars, then tables derived from written tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use futures::future::try_join_all;

use super::bars::InputBars;
use super::error::DeriveError;
use super::order::{Order, order};
use super::partition::{PartitionPlan, PartitionSpan};
use super::partition_reuse::PartitionReuse;
use super::published::{PublishedSet, file_path};
use super::row_fingerprint;
use super::sinks::Sink;
use super::sources::{self, BARS};
use super::table_writer::{Pages, TableSize, TableWriter};
use super::units::{UnitRunner, new_rebuild_id};
use super::user_supplied;
use parquote_catalogue::operation::{Catalogue, Market, Table, TableOrigin};
use parquote_functions::Calendar;
use parquote_functions::arrow_types::days;
use parquote_raw::{Progress, RawMarket, Session, map_in_order};

mod by_symbol;
mod later;
mod on_workers;

/// The rows of single-file tables, by name.
pub(super) type SmallTables = BTreeMap<String, RecordBatch>;

/// The runner of work units, with the id that distinguishes full rebuilds.
#[derive(Debug, Clone)]
pub(super) struct Units {
    runner: Arc<dyn UnitRunner>,
    /// Distinguishes the units of a full rebuild from those of earlier derivations.
    rebuild_id: String,
}

/// A set of tables that is being built.
pub(super) struct Build<'a> {
    catalogue: &'a Catalogue,
    market: Market,
    folder: PathBuf,
    sessions: Vec<Session>,
    calendar: Calendar,
    /// The previous set.
    previous: Option<PublishedSet>,
    /// The set that supplies the rows of tables declared `keep`.
    keep_source: Option<PublishedSet>,
    /// Rows from raw files for tables declared `keep`.
    user_supplied: SmallTables,
    /// The requested tables; empty means all.
    requested: Vec<String>,
    /// Names of the tables that operations read, whose files have small pages for point lookups.
    looked_up: BTreeSet<String>,
    reuse: PartitionReuse,
    /// Runs work units on other machines; `None` to derive everything in this process.
    units: Option<Units>,
    written: Vec<Table>,
    pub sizes: Vec<TableSize>,
}

impl<'a> Build<'a> {
    /// Begins a set in an empty folder.
    pub(super) fn begin(
        catalogue: &'a Catalogue,
        market: Market,
        folder: &Path,
        sessions: Vec<Session>,
    ) -> Self {
        Self {
            catalogue,
            market,
            folder: folder.to_owned(),
            calendar: Calendar::new(sessions.iter().map(|session| days(session.date)).collect()),
            reuse: PartitionReuse::new(market, sessions.clone(), folder.to_owned(), None),
            previous: None,
            keep_source: None,
            user_supplied: SmallTables::new(),
            requested: Vec::new(),
            looked_up: BTreeSet::new(),
            units: None,
            sessions,
            written: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// Sets the previous set. It supplies the tables declared `keep` for which there is no raw file, and, except in a full rebuild, the
    /// partitions with equal keys.
    pub(super) fn with_previous_set(mut self, previous: Option<PublishedSet>, is_full: bool) -> Self {
        let reused = previous.clone().filter(|_| !is_full);
        self.reuse = PartitionReuse::new(self.market, self.sessions.clone(), self.folder.clone(), reused);
        self.keep_source.clone_from(&previous);
        self.previous = previous;
        self
    }

    /// Sets the set that supplies the tables declared `keep`, if it is not the previous one.
    pub(super) fn with_kept_tables(mut self, kept: Option<PublishedSet>) -> Self {
        self.keep_source = kept;
        self
    }

    /// Sets a runner for work units. A full rebuild reuses no result of a unit of an earlier derivation.
    pub(super) fn with_runner(mut self, runner: Option<Arc<dyn UnitRunner>>, is_full: bool) -> Self {
        self.units = runner.map(|runner| Units { runner, rebuild_id: new_rebuild_id(is_full) });
        self
    }

    /// Limits the derivation to these tables and their inputs. All other tables stay as in the previous set.
    pub(super) fn only_tables(mut self, tables: &[String]) -> Self {
        self.requested = tables.to_vec();
        self
    }

    /// Writes the source tables from raw files.
    pub(super) async fn sources(&mut self, raw: &RawMarket) -> Result<(), DeriveError> {
        let mut sinks = Vec::new();
        let catalogue = self.catalogue;
        for table in catalogue.tables_in(self.market).filter(|table| table.keep) {
            if let Some(batch) = user_supplied::rows_from_files(table, raw) {
                self.user_supplied
                    .insert(table.name.clone(), batch.map_err(DeriveError::row_error(&table.name))?);
            }
        }
        let (mut short, mut long) = (Vec::new(), Vec::new());
        for table in catalogue.tables_in(self.market) {
            let TableOrigin::Source(source) = &table.origin else { continue };
            // Long source tables are fingerprinted before their columns are built, all others by their cells.
            let Some(rows) = sources::fingerprint(source, raw) else {
                short.push((table, source));
                continue;
            };
            let plan = self.reuse.plan_rows(table, rows)?;
            if !self.reuse_single_file(table, &plan) {
                long.push((table, source, plan));
            }
        }
        let made = map_in_order(short, |(table, source)| {
            let batch = sources::short_source_rows(source, table, raw)?;
            Some((table, batch.and_then(|batch| Ok((row_fingerprint::of_cells(&batch)?, batch)))))
        });
        for (table, made) in made.into_iter().flatten() {
            let (rows, batch) = made.map_err(DeriveError::row_error(&table.name))?;
            let plan = self.reuse.plan_rows(table, rows)?;
            if self.reuse_single_file(table, &plan) {
                continue;
            }
            let sink = Sink::start(table, self.writer(table, plan));
            sink.write(vec![batch]).await;
            sinks.push((table, sink));
        }
        for (table, source, plan) in long {
            let sink = Sink::start(table, self.writer(table, plan));
            for batch in sources::long_batches(source, table, raw) {
                sink.write(vec![batch.map_err(DeriveError::row_error(&table.name))?]).await;
            }
            sinks.push((table, sink));
        }
        self.record_row_counts(sinks).await?;
        self.sizes.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(())
    }

    /// Writes a single-file source table whose rows do not come from raw files. Replaces an existing file.
    pub(super) fn write_source(&mut self, table: &Table, rows: RecordBatch) -> Result<(), DeriveError> {
        let path = file_path(&self.folder, &table.name, PartitionSpan::Whole);
        // The file may be a link to a published file, which must not be modified.
        if path.exists() {
            fs::remove_file(&path).map_err(|source| DeriveError::Write { path, source })?;
        }
        let mut writer = self.writer(table, PartitionPlan::default());
        let rows = writer.write(&[rows]).and_then(|()| writer.finish());
        let rows = rows.map_err(DeriveError::row_error(&table.name))?;
        self.written.retain(|other| other.name != table.name);
        self.written.push(table.clone());
        self.sizes.retain(|size| size.name != table.name);
        self.sizes.push(TableSize { name: table.name.clone(), rows });
        Ok(())
    }

    /// Returns the part of the set that is built so far.
    pub(super) fn built_so_far(&self) -> PublishedSet {
        PublishedSet::open(&self.folder, self.market)
    }

    /// Records a single-file table as written if it is reused. Returns false if it is not reused.
    fn reuse_single_file(&mut self, table: &Table, plan: &PartitionPlan) -> bool {
        let Some(rows) = plan.reused_rows(PartitionSpan::Whole) else { return false };
        self.written.push(table.clone());
        self.sizes.push(TableSize { name: table.name.clone(), rows });
        true
    }

    /// Reuses the single-file source tables of a published set.
    pub(super) fn published_sources(&mut self, published: &PublishedSet) -> Result<(), DeriveError> {
        let catalogue = self.catalogue;
        for table in catalogue.tables_in(self.market) {
            if !matches!(table.origin, TableOrigin::Source(_)) || table.yearly {
                continue;
            }
            let Some(rows) = published.row_count(table) else { continue };
            published.link_table(table, &self.folder)?;
            self.written.push(table.clone());
            self.sizes.push(TableSize { name: table.name.clone(), rows });
        }
        Ok(())
    }

    /// Reuses tables of a published set, single-file or long.
    pub(super) fn published_tables(
        &mut self,
        published: &PublishedSet,
        tables: &[&Table],
    ) -> Result<(), DeriveError> {
        for table in tables {
            published.link_table(table, &self.folder)?;
            self.written.push((*table).clone());
        }
        Ok(())
    }

    /// Derives all other tables in three stages: inputs of per-symbol tables, per-symbol tables from the bars, and tables from written
    /// tables.
    pub(super) async fn derive_tables(
        &mut self,
        bars: InputBars,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        let catalogue = self.catalogue;
        let Some(bars_table) = sources::table(catalogue, self.market, BARS) else {
            return Err(DeriveError::Order(vec![BARS.to_owned()]));
        };
        let made: BTreeSet<String> = self.written.iter().map(|table| table.name.clone()).collect();
        let has_bars = !matches!(&bars, InputBars::Read(stocks) if stocks.is_empty());
        let mut order = order(catalogue, self.market, &made, has_bars.then_some(bars_table))?;
        if !self.requested.is_empty() {
            order.keep_only(&self.requested)?;
            self.reuse_tables_not_made(|table| !made.contains(&table.name) && !order.is_made(table))?;
        }
        self.looked_up = std::mem::take(&mut order.looked_up);
        self.build_from_tables(&order.early, &order, progress).await?;
        if has_bars && !(order.by_symbol.is_empty() && matches!(bars, InputBars::Published(_))) {
            self.build_by_symbol(bars_table, &order, bars, progress).await?;
        }
        self.build_from_tables(&order.later, &order, progress).await?;
        let position = |size: &TableSize| order.later.iter().position(|table| table.name == size.name);
        self.sizes.sort_by_key(position);
        Ok(())
    }

    /// Plans a table. A table declared `keep` has an empty plan, as it is derived only if neither raw files nor the previous set have it.
    fn plan(&mut self, table: &Table, order: &Order<'_>) -> Result<PartitionPlan, DeriveError> {
        if table.keep {
            return Ok(PartitionPlan::default());
        }
        let reads = order.reads.get(&table.name).into_iter().flatten();
        let reads: Vec<&Table> = reads.filter_map(|name| self.catalogue.table(self.market, name)).collect();
        self.reuse.plan(table, &reads)
    }

    /// Links the derived tables of the previous set for which `stays` returns true, even if the new set lacks their sources.
    fn reuse_tables_not_made(&self, stays: impl Fn(&Table) -> bool) -> Result<(), DeriveError> {
        let Some(previous) = &self.previous else { return Ok(()) };
        let is_derived = |table: &&Table| matches!(table.origin, TableOrigin::Derived(_));
        let tables = self.catalogue.tables_in(self.market).filter(is_derived);
        tables
            .filter(|table| stays(table) && previous.has_table(table))
            .try_for_each(|table| previous.link_table(table, &self.folder))
    }

    /// Returns the rows of a table declared `keep` from a raw file or a published set; `None` if the table must be derived.
    fn rows_to_reuse(&self, table: &Table) -> Option<Result<RecordBatch, DeriveError>> {
        let supplied = self.user_supplied.get(&table.name).cloned().map(Ok);
        supplied.or_else(|| self.keep_source.as_ref()?.read_single_file(table))
    }

    /// Returns the writer of a table. Its readers decide the page size, and `plan` decides which parts are reused.
    fn writer(&self, table: &Table, plan: PartitionPlan) -> TableWriter {
        TableWriter::new(&self.folder, table, self.market, self.pages(table), plan)
    }

    fn pages(&self, table: &Table) -> Pages {
        let is_source = matches!(table.origin, TableOrigin::Source(_));
        let is_looked_up = !table.yearly || is_source || self.looked_up.contains(&table.name);
        if is_looked_up { Pages::PointLookup } else { Pages::Scan }
    }

    /// Waits until these tables are written, and records their row counts.
    async fn record_row_counts(&mut self, sinks: Vec<(&Table, Sink)>) -> Result<(), DeriveError> {
        let (tables, sinks): (Vec<&Table>, Vec<Sink>) = sinks.into_iter().unzip();
        let rows = try_join_all(sinks.into_iter().map(Sink::finish)).await?;
        for (table, rows) in tables.into_iter().zip(rows) {
            self.written.push(table.clone());
            self.sizes.push(TableSize { name: table.name.clone(), rows });
        }
        Ok(())
    }
}
