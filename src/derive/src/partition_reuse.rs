//! Plans which partitions are reused: each partition whose key is in the previous set. All others are computed.
//!
//! In a long table, each part of each calendar year has a key, over the table's rules and the keys of the part's inputs. A part of a `per:
//! symbol` table reads only the rows of its symbols from other tables with symbols. A single-file table has one key, over the rows of its
//! inputs, so that a recomputed input with unchanged rows does not change the key.
//!
//! It stores the keys of all tables computed so far, and reads rows only to fingerprint single-file tables.

use std::collections::BTreeMap;
use std::path::PathBuf;

use datafusion::arrow::array::RecordBatch;

use super::cut::{YearCuts, year_bars};
use super::error::DeriveError;
use super::fingerprint;
use super::partition::{PartitionPlan, PartitionSpan, PlannedFile, PlannedPart};
use super::published::{PublishedSet, StoredTable, link_file};
use super::row_fingerprint::{self, YearKeys};
use super::sessions::years;
use parquote_catalogue::operation::{Market, PartitionBy, Table, TableOrigin};
use parquote_raw::Session;

/// Keys and files of the set being built and of the previous set.
#[derive(Default)]
pub(super) struct PartitionReuse {
    market: Market,
    sessions: Vec<Session>,
    /// The folder of the set being built.
    folder: PathBuf,
    /// The previous set; `None` in a full rebuild.
    before: Option<PublishedSet>,
    /// The cut of each year's bars into parts.
    cut: YearCuts,
    /// Fingerprints of the bars of each part; `None` without digests of bars.
    bars: Option<YearKeys>,
    /// Keys of the partitions of each long table.
    keys: BTreeMap<String, YearKeys>,
    /// Fingerprints of the rows known in each year, by the name of the single-file table; true in the key if the reader is per-symbol.
    known_rows: BTreeMap<(String, bool), YearKeys>,
    /// Fingerprint of the rows of each single-file table.
    contents: BTreeMap<String, String>,
}

impl PartitionReuse {
    pub(super) fn new(
        market: Market,
        sessions: Vec<Session>,
        folder: PathBuf,
        before: Option<PublishedSet>,
    ) -> Self {
        Self { market, sessions, folder, before, ..Self::default() }
    }

    /// Returns the cut of each year's bars into parts.
    pub(super) const fn year_cuts(&self) -> &YearCuts {
        &self.cut
    }

    /// Cuts and fingerprints the bars by the rows of the table of their digests.
    ///
    /// # Errors
    /// The digests cannot be read.
    pub(super) fn digests(&mut self, table: &Table, rows: &RecordBatch) -> Result<(), DeriveError> {
        let bars = year_bars(rows).map_err(DeriveError::row_error(&table.name))?;
        self.cut = YearCuts::from_bars(&bars);
        self.bars = Some(row_fingerprint::of_bars(&bars, &self.cut, &self.sessions));
        Ok(())
    }

    /// Reads the keys of the table of bars from its published files.
    pub(super) fn published_bars(&mut self, table: &Table) {
        let new_set = PublishedSet::open(&self.folder, self.market);
        let stored_keys = |year: i32| Some((year, new_set.keys_of(table, year)?));
        let keys = years(&self.sessions).into_iter().filter_map(stored_keys);
        let keys = keys.filter(|(year, keys)| keys.len() == self.cut.parts(*year)).collect();
        self.keys.insert(table.name.clone(), keys);
    }

    /// Plans the table of bars.
    ///
    /// # Errors
    /// As [`PartitionReuse::plan`].
    pub(super) fn plan_bars(&mut self, table: &Table) -> Result<PartitionPlan, DeriveError> {
        /// Name of the table's input in its key.
        const BARS_INPUT: &str = "bars";
        let reads: Vec<(&str, &YearKeys)> = self.bars.iter().map(|bars| (BARS_INPUT, bars)).collect();
        let parts = |year: i32| self.cut.parts(year);
        let keys = if reads.is_empty() {
            YearKeys::new()
        } else {
            fingerprint::of_years(table, self.market, &reads, &self.sessions, parts)
        };
        self.plan_years(table, keys)
    }

    /// Plans a table that reads `reads`, and links the files that are reused.
    ///
    /// # Errors
    /// A file cannot be read or linked.
    pub(super) fn plan(&mut self, table: &Table, reads: &[&Table]) -> Result<PartitionPlan, DeriveError> {
        let by_symbol = table.per == Some(PartitionBy::Symbol);
        if !table.yearly {
            return self.plan_file(table, reads);
        }
        for read in reads {
            self.fingerprint_known(read, by_symbol)?;
        }
        let inputs = reads.iter().map(|read| Some((read.name.as_str(), self.input(read, by_symbol)?)));
        let Some(inputs) = inputs.collect::<Option<Vec<_>>>() else {
            return self.plan_years(table, YearKeys::new());
        };
        let inputs: Vec<(&str, &YearKeys)> = inputs.iter().map(|(name, keys)| (*name, keys)).collect();
        let parts = |year: i32| if by_symbol { self.cut.parts(year) } else { 1 };
        let keys = fingerprint::of_years(table, self.market, &inputs, &self.sessions, parts);
        self.plan_years(table, keys)
    }

    /// Plans a single-file table by a fingerprint of its rows.
    ///
    /// # Errors
    /// As [`PartitionReuse::plan`].
    pub(super) fn plan_rows(&self, table: &Table, rows: String) -> Result<PartitionPlan, DeriveError> {
        let key = fingerprint::of_file(table, self.market, &[(table, rows)], &self.sessions);
        self.with_key(table, key)
    }

    fn plan_file(&mut self, table: &Table, reads: &[&Table]) -> Result<PartitionPlan, DeriveError> {
        let inputs: Option<Vec<_>> = reads.iter().map(|read| Some((*read, self.all_rows(read)?))).collect();
        let Some(inputs) = inputs else { return Ok(PartitionPlan::default()) };
        let key = fingerprint::of_file(table, self.market, &inputs, &self.sessions);
        self.with_key(table, key)
    }

    fn with_key(&self, table: &Table, key: String) -> Result<PartitionPlan, DeriveError> {
        let stored = self.stored_partitions(table)?;
        Ok(PartitionPlan::single_file(self.file(
            table,
            PartitionSpan::Whole,
            vec![PlannedPart::all(Some(key))],
            &stored,
        )?))
    }

    /// Plans the file of each year in `keys`, and stores the keys.
    fn plan_years(&mut self, table: &Table, keys: YearKeys) -> Result<PartitionPlan, DeriveError> {
        let stored = self.stored_partitions(table)?;
        let mut plan = PartitionPlan::default();
        for (year, keys) in &keys {
            let starts = self.cut.first_symbols(*year).iter().cloned().map(Some);
            let starts = starts.take(keys.len() - 1).chain([None]);
            let parts = keys.iter().zip(starts).map(|(key, until)| PlannedPart {
                until,
                key: Some(key.clone()),
                stored: stored.parts.get(key).cloned(),
            });
            let span = PartitionSpan::Year(*year);
            plan.files.insert(span, self.file(table, span, parts.collect(), &stored)?);
        }
        self.keys.insert(table.name.clone(), keys);
        Ok(plan)
    }

    /// Plans a file of these parts. If the previous set has the same file, it is linked.
    fn file(
        &self,
        table: &Table,
        span: PartitionSpan,
        parts: Vec<PlannedPart>,
        stored: &StoredTable,
    ) -> Result<PlannedFile, DeriveError> {
        let key = fingerprint::of_partitions(parts.iter().filter_map(|part| part.key.as_deref()));
        let Some((file, rows)) = stored.files.get(&key) else { return Ok(PlannedFile::Made(parts)) };
        link_file(file, &table.name, span, &self.folder)?;
        Ok(PlannedFile::Reused(*rows))
    }

    /// Returns the partitions of a table in the previous set.
    fn stored_partitions(&self, table: &Table) -> Result<StoredTable, DeriveError> {
        self.before.as_ref().map_or_else(|| Ok(StoredTable::default()), |before| before.partitions(table))
    }

    /// Returns the fingerprints of an input by year, and by part if the reader is per-symbol; `None` if they are unknown.
    fn input(&self, read: &Table, by_symbol: bool) -> Option<YearKeys> {
        if depends_only_on_bars(read) {
            return self.bars.clone();
        }
        if !read.yearly {
            return self.known_rows.get(&(read.name.clone(), by_symbol)).cloned();
        }
        let keys = self.keys.get(&read.name)?.clone();
        if by_symbol {
            return Some(keys);
        }
        let whole = |(year, keys): (i32, Vec<String>)| {
            (year, vec![fingerprint::of_partitions(keys.iter().map(String::as_str))])
        };
        Some(keys.into_iter().map(whole).collect())
    }

    /// Fingerprints the rows of a written single-file table that were known by the end of each year.
    fn fingerprint_known(&mut self, read: &Table, by_symbol: bool) -> Result<(), DeriveError> {
        let name = (read.name.clone(), by_symbol);
        if read.yearly || depends_only_on_bars(read) || self.known_rows.contains_key(&name) {
            return Ok(());
        }
        let Some(rows) = PublishedSet::open(&self.folder, self.market).read_single_file(read) else {
            return Ok(());
        };
        let cut = by_symbol.then_some(&self.cut);
        let keys = row_fingerprint::of_rows(read, &rows?, &years(&self.sessions), cut);
        self.known_rows.insert(name, keys.map_err(DeriveError::row_error(&read.name))?);
        Ok(())
    }

    /// Returns a fingerprint of all rows of a written table; that of a long table is a hash over its keys.
    fn all_rows(&mut self, table: &Table) -> Option<String> {
        if table.yearly {
            let keys = self.keys.get(&table.name)?;
            let all = || keys.values().flatten().map(String::as_str);
            return (keys.len() == years(&self.sessions).len()).then(|| fingerprint::of_partitions(all()));
        }
        if !self.contents.contains_key(&table.name) {
            self.contents.insert(table.name.clone(), self.contents_of(table)?);
        }
        self.contents.get(&table.name).cloned()
    }

    /// Returns the fingerprint of the rows of a written single-file table.
    fn contents_of(&self, table: &Table) -> Option<String> {
        let known = self.contents.get(&table.name).cloned();
        known.or_else(|| PublishedSet::open(&self.folder, self.market).contents(table))
    }
}

/// Returns true for a single-file source table in which the rows of a stock depend only on its bars.
fn depends_only_on_bars(table: &Table) -> bool {
    !table.yearly && table.per == Some(PartitionBy::Symbol) && matches!(table.origin, TableOrigin::Source(_))
}
