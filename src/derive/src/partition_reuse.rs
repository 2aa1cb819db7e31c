//! The one change detector: a partition whose key a file of the set before has is reused, every other one is computed.
//!
//! In a long table each part of each calendar year has a key, made of the table's rules and of the keys of the part's inputs. A table with
//! `per: symbol` reads, of other tables with symbols, only the rows of its own symbols. A table in one file has one key, made of the
//! contents of its inputs: a table that was computed and came out the same changes no table that reads it.
//!
//! It knows the keys of every table that is computed so far; it reads rows only to fingerprint small tables.

use std::collections::BTreeMap;
use std::path::PathBuf;

use datafusion::arrow::array::RecordBatch;

use super::cut::{YearCuts, year_bars};
use super::error::DeriveError;
use super::fingerprint;
use super::partition::{PartitionPlan, PartitionSpan, PlannedFile, PlannedPart};
use super::published::{Published, StoredTable, take_over};
use super::row_fingerprint::{self, YearKeys};
use super::sessions::years;
use parquote_catalogue::operation::{Market, Per, Table, TableOrigin};
use parquote_raw::Session;

/// What is known of a set that is being built and of the one before it.
pub(super) struct PartitionReuse {
    market: Market,
    sessions: Vec<Session>,
    /// The set that is being built.
    folder: PathBuf,
    /// The set that is there; none where all is to be made.
    before: Option<Published>,
    /// How the bars of each year are cut into parts.
    cut: YearCuts,
    /// Of the bars: the fingerprints of each part.
    bars: Option<YearKeys>,
    /// By long table.
    keys: BTreeMap<String, YearKeys>,
    /// By table in one file, and whether it is read by symbol: fingerprints of the rows known in each year.
    known: BTreeMap<(String, bool), YearKeys>,
    /// By table in one file: the fingerprint of its rows.
    contents: BTreeMap<String, String>,
}

impl PartitionReuse {
    pub(super) fn new(
        market: Market,
        sessions: Vec<Session>,
        folder: PathBuf,
        before: Option<Published>,
    ) -> Self {
        Self {
            market,
            sessions,
            folder,
            before,
            cut: YearCuts::default(),
            bars: None,
            keys: BTreeMap::new(),
            known: BTreeMap::new(),
            contents: BTreeMap::new(),
        }
    }

    /// How the bars of each year are cut into parts.
    pub(super) const fn cut(&self) -> &YearCuts {
        &self.cut
    }

    /// Cuts and fingerprints the bars by their digests.
    ///
    /// # Errors
    /// Digests that cannot be read.
    pub(super) fn digests(&mut self, table: &Table, rows: &RecordBatch) -> Result<(), DeriveError> {
        let bars = year_bars(rows).map_err(DeriveError::rows(&table.name))?;
        self.cut = YearCuts::of(&bars);
        self.bars = Some(row_fingerprint::of_bars(&bars, &self.cut, &self.sessions));
        Ok(())
    }

    /// Takes the keys of the table of bars from its files: they are there already.
    pub(super) fn published_bars(&mut self, table: &Table) {
        let made = Published::at(&self.folder, self.market);
        let noted = |year: i32| Some((year, made.keys_of(table, year)?));
        let keys = years(&self.sessions).into_iter().filter_map(noted);
        let keys = keys.filter(|(year, keys)| keys.len() == self.cut.parts(*year)).collect();
        self.keys.insert(table.name.clone(), keys);
    }

    /// Decides what of the table of bars stays.
    ///
    /// # Errors
    /// As [`PartitionReuse::plan`].
    pub(super) fn plan_bars(&mut self, table: &Table) -> Result<PartitionPlan, DeriveError> {
        /// What the table is made from, among what tables read.
        const READ: &str = "bars";
        let reads: Vec<(&str, &YearKeys)> = self.bars.iter().map(|bars| (READ, bars)).collect();
        let parts = |year: i32| self.cut.parts(year);
        let keys = if reads.is_empty() {
            YearKeys::new()
        } else {
            fingerprint::of_years(table, self.market, &reads, &self.sessions, parts)
        };
        self.plan_years(table, keys)
    }

    /// Decides what of a table that reads these others stays, and takes the files over that do as they are.
    ///
    /// # Errors
    /// Files that cannot be read or linked.
    pub(super) fn plan(&mut self, table: &Table, reads: &[&Table]) -> Result<PartitionPlan, DeriveError> {
        let by_symbol = table.per == Some(Per::Symbol);
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

    /// The same for a table in one file of rows with this fingerprint, that are no table.
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
        let stored = self.stored(table)?;
        Ok(PartitionPlan::whole(self.file(
            table,
            PartitionSpan::Whole,
            vec![PlannedPart::all(Some(key))],
            &stored,
        )?))
    }

    /// Decides what becomes of each year whose keys are known, and remembers the keys.
    fn plan_years(&mut self, table: &Table, keys: YearKeys) -> Result<PartitionPlan, DeriveError> {
        let stored = self.stored(table)?;
        let mut plan = PartitionPlan::default();
        for (year, keys) in &keys {
            let starts = self.cut.starts(*year).iter().cloned().map(Some);
            let starts = starts.take(keys.len() - 1).chain([None]);
            let parts = keys.iter().zip(starts).map(|(key, until)| PlannedPart {
                until,
                key: Some(key.clone()),
                stored: stored.parts.get(key).cloned(),
            });
            let extent = PartitionSpan::Year(*year);
            plan.files.insert(extent, self.file(table, extent, parts.collect(), &stored)?);
        }
        self.keys.insert(table.name.clone(), keys);
        Ok(plan)
    }

    /// What becomes of a file of these parts; it is linked where it is there as it is.
    fn file(
        &self,
        table: &Table,
        extent: PartitionSpan,
        parts: Vec<PlannedPart>,
        stored: &StoredTable,
    ) -> Result<PlannedFile, DeriveError> {
        let key = fingerprint::of_partitions(parts.iter().filter_map(|part| part.key.as_deref()));
        let Some((file, rows)) = stored.files.get(&key) else { return Ok(PlannedFile::Made(parts)) };
        take_over(file, &table.name, extent, &self.folder)?;
        Ok(PlannedFile::TakenOver(*rows))
    }

    /// The partitions of a table in the set before.
    fn stored(&self, table: &Table) -> Result<StoredTable, DeriveError> {
        self.before.as_ref().map_or_else(|| Ok(StoredTable::default()), |before| before.partitions(table))
    }

    /// What a table is made from that reads this one, by year: by part, where it is made by symbol. `None` where it is unknown.
    fn input(&self, read: &Table, by_symbol: bool) -> Option<YearKeys> {
        if is_of_bars(read) {
            return self.bars.clone();
        }
        if !read.yearly {
            return self.known.get(&(read.name.clone(), by_symbol)).cloned();
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

    /// Fingerprints what is known in each year of a table in one file that is made already.
    fn fingerprint_known(&mut self, read: &Table, by_symbol: bool) -> Result<(), DeriveError> {
        let name = (read.name.clone(), by_symbol);
        if read.yearly || is_of_bars(read) || self.known.contains_key(&name) {
            return Ok(());
        }
        let Some(rows) = Published::at(&self.folder, self.market).small(read) else { return Ok(()) };
        let cut = by_symbol.then_some(&self.cut);
        let keys = row_fingerprint::of_rows(read, &rows?, &years(&self.sessions), cut);
        self.known.insert(name, keys.map_err(DeriveError::rows(&read.name))?);
        Ok(())
    }

    /// A fingerprint of all rows of a table that is made already: of a long one by its keys.
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

    /// The fingerprint of the rows of a table in one file that is made already.
    fn contents_of(&self, table: &Table) -> Option<String> {
        let known = self.contents.get(&table.name).cloned();
        known.or_else(|| Published::at(&self.folder, self.market).contents(table))
    }
}

/// Whether the rows of a table in one file are made of bars alone, each of those of its stock.
fn is_of_bars(table: &Table) -> bool {
    !table.yearly && table.per == Some(Per::Symbol) && matches!(table.origin, TableOrigin::Source(_))
}
