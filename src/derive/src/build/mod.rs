//! A set of tables that is being built: source tables first, then tables derived from bars, then tables derived from those.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use futures::future::try_join_all;

use super::bars::GivenBars;
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

/// Small tables by name.
pub(super) type SmallTables = BTreeMap<String, RecordBatch>;

/// The runner of work units.
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
    before: Option<PublishedSet>,
    /// The set that supplies the tables declared `keep`.
    kept: Option<PublishedSet>,
    /// The tables declared `keep` for which there are raw files.
    user_supplied: SmallTables,
    /// The requested tables; empty means all.
    only: Vec<String>,
    /// The tables that operations read by key.
    sought: BTreeSet<String>,
    reuse: PartitionReuse,
    /// Runs work units elsewhere; `None` to run all in this process.
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
            before: None,
            kept: None,
            user_supplied: SmallTables::new(),
            only: Vec::new(),
            sought: BTreeSet::new(),
            units: None,
            sessions,
            written: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// Sets the previous set: it supplies the tables declared `keep`, unless a raw file does, and, except in a full rebuild, the partitions
    /// with equal keys.
    pub(super) fn with_previous_set(mut self, before: Option<PublishedSet>, is_full: bool) -> Self {
        let reused = before.clone().filter(|_| !is_full);
        self.reuse = PartitionReuse::new(self.market, self.sessions.clone(), self.folder.clone(), reused);
        self.kept.clone_from(&before);
        self.before = before;
        self
    }

    /// Sets another set than the previous one for the tables declared `keep`.
    pub(super) fn with_kept_tables(mut self, kept: Option<PublishedSet>) -> Self {
        self.kept = kept;
        self
    }

    /// Sets a runner for work units; a full rebuild reuses no unit result of an earlier derivation.
    pub(super) fn with_runner(mut self, runner: Option<Arc<dyn UnitRunner>>, is_full: bool) -> Self {
        self.units = runner.map(|runner| Units { runner, rebuild_id: new_rebuild_id(is_full) });
        self
    }

    /// Derives only these tables and their inputs; the others stay as in the previous set.
    pub(super) fn only_tables(mut self, tables: &[String]) -> Self {
        self.only = tables.to_vec();
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
            // Long source tables are fingerprinted before their columns are built, the others by their cells.
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

    /// Writes a single-file source table that is not made from raw files; it replaces an existing file.
    pub(super) fn write_source(&mut self, table: &Table, rows: RecordBatch) -> Result<(), DeriveError> {
        let path = file_path(&self.folder, &table.name, PartitionSpan::Whole);
        // It may be a link to a published file, which must not be written to.
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

    /// Returns true if a single-file table is reused; then also records it as written.
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

    /// Derives all other tables: inputs of per-symbol tables, then per-symbol tables from the bars, then tables from written tables.
    pub(super) async fn derive_tables(
        &mut self,
        bars: GivenBars,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        let catalogue = self.catalogue;
        let Some(of_bars) = sources::table(catalogue, self.market, BARS) else {
            return Err(DeriveError::Order(vec![BARS.to_owned()]));
        };
        let made: BTreeSet<String> = self.written.iter().map(|table| table.name.clone()).collect();
        let has_bars = !matches!(&bars, GivenBars::Read(stocks) if stocks.is_empty());
        let mut order = order(catalogue, self.market, &made, has_bars.then_some(of_bars))?;
        if !self.only.is_empty() {
            order.keep_only(&self.only)?;
            self.reuse_tables_not_made(|table| !made.contains(&table.name) && !order.is_made(table))?;
        }
        self.sought = std::mem::take(&mut order.sought);
        self.build_from_tables(&order.early, &order, progress).await?;
        if has_bars && !(order.by_symbol.is_empty() && matches!(bars, GivenBars::Published(_))) {
            self.by_symbol(of_bars, &order, bars, progress).await?;
        }
        self.build_from_tables(&order.later, &order, progress).await?;
        let position = |size: &TableSize| order.later.iter().position(|table| table.name == size.name);
        self.sizes.sort_by_key(position);
        Ok(())
    }

    /// Plans a table. A table declared `keep` has an empty plan: it is derived only if neither raw files nor the previous set have it.
    fn plan(&mut self, table: &Table, order: &Order<'_>) -> Result<PartitionPlan, DeriveError> {
        if table.keep {
            return Ok(PartitionPlan::default());
        }
        let reads = order.reads.get(&table.name).into_iter().flatten();
        let reads: Vec<&Table> = reads.filter_map(|name| self.catalogue.table(self.market, name)).collect();
        self.reuse.plan(table, &reads)
    }

    /// Reuses derived tables of the previous set that this run does not make, even if the new set lacks their sources.
    fn reuse_tables_not_made(&self, stays: impl Fn(&Table) -> bool) -> Result<(), DeriveError> {
        let Some(before) = &self.before else { return Ok(()) };
        let is_derived = |table: &&Table| matches!(table.origin, TableOrigin::Derived(_));
        let tables = self.catalogue.tables_in(self.market).filter(is_derived);
        tables
            .filter(|table| stays(table) && before.has_table(table))
            .try_for_each(|table| before.link_table(table, &self.folder))
    }

    /// Returns the rows of a table declared `keep`, from a raw file or a published set; `None` if it is to be derived.
    fn rows_to_reuse(&self, table: &Table) -> Option<Result<RecordBatch, DeriveError>> {
        let supplied = self.user_supplied.get(&table.name).cloned().map(Ok);
        supplied.or_else(|| self.kept.as_ref()?.read_single_file(table))
    }

    /// Returns the writer of a table: the table's readers decide the page size, the plan which parts are reused.
    fn writer(&self, table: &Table, plan: PartitionPlan) -> TableWriter {
        TableWriter::new(&self.folder, table, self.market, self.pages(table), plan)
    }

    fn pages(&self, table: &Table) -> Pages {
        let is_source = matches!(table.origin, TableOrigin::Source(_));
        let sought = !table.yearly || is_source || self.sought.contains(&table.name);
        if sought { Pages::PointLookup } else { Pages::Scan }
    }

    /// Waits until all these tables are written, and records their row counts.
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
