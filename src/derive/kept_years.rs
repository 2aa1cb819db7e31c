//! Which calendar years of a long table stay as the set before has them: those whose stamps are the same.
//!
//! It knows the stamps of every table that is made so far; it reads rows only to stamp small tables.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::error::DeriveError;
use super::published::Published;
use super::raw::Session;
use super::stamps::{self, Years};
use super::table_writer::STAMP;
use crate::operation::{Market, Table};

/// What is known of a set in the making and of the one before it.
pub(super) struct KeptYears {
    market: Market,
    sessions: Vec<Session>,
    /// The set in the making.
    folder: PathBuf,
    /// The set that is there; none where every year is to be made anew.
    before: Option<Published>,
    stamps: BTreeMap<String, Years>,
}

/// What becomes of a long table.
#[derive(Debug, Default)]
pub(super) struct YearPlan {
    /// The stamp of each year.
    pub stamps: Years,
    /// The rows of each year that stays.
    pub kept: BTreeMap<i32, u64>,
}

impl KeptYears {
    pub(super) fn new(
        market: Market,
        sessions: Vec<Session>,
        folder: PathBuf,
        before: Option<Published>,
    ) -> Self {
        Self { market, sessions, folder, before, stamps: BTreeMap::new() }
    }

    /// Says what a table is made from that is not read from files.
    pub(super) fn stamped(&mut self, name: &str, years: Years) {
        self.stamps.insert(name.to_owned(), years);
    }

    /// Decides what of a long table that reads these others stays, and takes the files of those years over.
    ///
    /// # Errors
    /// Files that cannot be read or linked.
    pub(super) fn plan(&mut self, table: &Table, reads: &[&Table]) -> Result<YearPlan, DeriveError> {
        for read in reads {
            self.stamp_small(read)?;
        }
        let stamps = self.of_table(table, reads.iter().map(|read| read.name.as_str()));
        self.with_stamps(table, stamps)
    }

    /// The same for a long table of rows that are not a table.
    ///
    /// # Errors
    /// As [`KeptYears::plan`].
    pub(super) fn plan_source(&mut self, table: &Table, read: &str) -> Result<YearPlan, DeriveError> {
        let stamps = self.of_table(table, std::iter::once(read));
        self.with_stamps(table, stamps)
    }

    fn with_stamps(&mut self, table: &Table, stamps: Years) -> Result<YearPlan, DeriveError> {
        let mut plan = YearPlan { stamps, ..YearPlan::default() };
        if let Some(before) = &self.before {
            for (year, stamp) in &plan.stamps {
                let found = before.year(table, *year, STAMP).filter(|(found, _)| found == stamp);
                if let Some((_, rows)) = found {
                    before.take_over_year(table, *year, &self.folder)?;
                    plan.kept.insert(*year, rows);
                }
            }
        }
        self.stamps.insert(table.name.clone(), plan.stamps.clone());
        Ok(plan)
    }

    /// The stamps of a table; none where something that it reads has none.
    fn of_table<'a>(&self, table: &Table, reads: impl Iterator<Item = &'a str>) -> Years {
        let reads: Option<Vec<_>> = reads.map(|name| Some((name, self.stamps.get(name)?))).collect();
        reads.map(|reads| stamps::of_table(table, &reads, &self.sessions)).unwrap_or_default()
    }

    /// Stamps a table in one file that is made already.
    fn stamp_small(&mut self, table: &Table) -> Result<(), DeriveError> {
        let made = Published::at(&self.folder, self.market);
        if table.yearly || self.stamps.contains_key(&table.name) {
            return Ok(());
        }
        let Some(rows) = made.small(table) else { return Ok(()) };
        let years = super::making::years(&self.sessions).into_iter();
        let stamps = stamps::of_rows(&rows?, years).map_err(DeriveError::rows(&table.name))?;
        self.stamps.insert(table.name.clone(), stamps);
        Ok(())
    }
}
