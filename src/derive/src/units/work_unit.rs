//! What a unit is, and who runs it.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use chrono::Utc;
use serde::{Deserialize, Serialize};

use super::path_below::PathBelow;
use super::unit_error::UnitError;
use crate::error::named;
use crate::partition::{PartitionPlan, PartitionSpan, PlannedFile, PlannedPart, StoredPart};
use crate::table_writer::Pages;
use parquote_catalogue::operation::{Market, Table};
use parquote_raw::{RawFileVersion, UnpackBounds};
use parquote_set::Blob;

/// A piece of a derivation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkUnit {
    /// The market.
    pub market: Market,
    /// What is made.
    pub(super) work: Work,
    /// The files that it reads, by their paths below the folder in which it runs.
    pub(super) reads: BTreeMap<PathBelow, Blob>,
    /// Sets units of full rebuilds apart, which reuse nothing; else empty.
    pub(super) stamp: String,
}

/// What a unit makes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Work {
    /// Rows of raw files in a parse cache; where what is known of symbols is among the files, they are price files, else of statements.
    Files {
        /// What tells each from what it was before, by its name below the folder of raw files.
        versions: BTreeMap<String, RawFileVersion>,
        /// What they may unpack to.
        bounds: UnpackBounds,
        /// Whether it is an archive that takes a core's work for long.
        is_large: bool,
    },
    /// The rows of neighbouring stocks, whose bars and carried figures are among the files.
    Stocks {
        /// Each after those that it reads.
        tables: Vec<StocksTable>,
    },
    /// A table made from written ones.
    Table {
        name: String,
        pages: Pages,
        /// The calendar years to be made, where it is made session by session.
        years: Vec<i32>,
        /// The key of each file; none of a file that is there. Of other files it is only known that they are made.
        keys: Vec<(Option<i32>, Option<String>)>,
        reads: Vec<String>,
        absent: Vec<String>,
    },
}

/// A table of single stocks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StocksTable {
    pub name: String,
    pub pages: Pages,
    /// How its years are cut; of other years it is only known that they are made, in one part.
    pub years: BTreeMap<i32, Vec<CutPart>>,
    /// Whether nothing of it is made: other tables read it.
    pub is_there: bool,
}

/// A part of a year.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CutPart {
    /// The symbol with which the next part begins.
    pub until: Option<String>,
    /// Whether its rows are wanted.
    pub is_made: bool,
}

impl WorkUnit {
    /// What the unit is called: a hash over all of it. Units of one name make the same files.
    pub fn name(&self) -> String {
        blake3::hash(&self.text()).to_hex().to_string()
    }

    /// The unit as text.
    pub fn text(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Bytes that it reads, by which units are dealt out.
    pub fn weight(&self) -> u64 {
        self.reads.values().map(|blob| blob.bytes).sum()
    }

    /// Whether it computes on all cores, where others use one.
    pub const fn uses_all_cores(&self) -> bool {
        matches!(self.work, Work::Stocks { .. } | Work::Files { is_large: true, .. })
    }

    /// The files that it reads, by their paths below the folder in which it runs.
    pub const fn reads(&self) -> &BTreeMap<PathBelow, Blob> {
        &self.reads
    }
}

/// What sets the units of a full rebuild apart; empty for others.
pub(crate) fn stamp(is_full: bool) -> String {
    let began = || format!("{} {}", std::process::id(), Utc::now().timestamp_nanos_opt().unwrap_or_default());
    if is_full { began() } else { String::new() }
}

/// How the rows of a unit of stocks are cut. Rows of a part that is not wanted are left out; the key of another is its number.
pub(super) fn plan_of_cut(years: &BTreeMap<i32, Vec<CutPart>>) -> PartitionPlan {
    let planned = |(number, part): (usize, &CutPart)| PlannedPart {
        until: part.until.clone(),
        key: Some(number.to_string()),
        stored: (!part.is_made).then(StoredPart::nothing),
    };
    let file = |parts: &Vec<CutPart>| {
        if parts.iter().any(|part| part.is_made) {
            PlannedFile::Made(parts.iter().enumerate().map(planned).collect())
        } else {
            PlannedFile::TakenOver(0)
        }
    };
    PartitionPlan {
        files: years.iter().map(|(year, parts)| (PartitionSpan::Year(*year), file(parts))).collect(),
    }
}

/// What units make of a table of single stocks by a plan, of which it only counts what is made and what is not.
pub(crate) fn stocks_table(table: &Table, pages: Pages, plan: &PartitionPlan) -> StocksTable {
    let is_there = plan.taken_over(PartitionSpan::Whole).is_some();
    StocksTable { name: table.name.clone(), pages, years: cut_of_plan(plan), is_there }
}

fn cut_of_plan(plan: &PartitionPlan) -> BTreeMap<i32, Vec<CutPart>> {
    let cut = |part: &PlannedPart| CutPart { until: part.until.clone(), is_made: part.stored.is_none() };
    let of_year = |(span, file): (&PartitionSpan, &PlannedFile)| {
        let PartitionSpan::Year(year) = span else { return None };
        let parts = match file {
            PlannedFile::TakenOver(_) => Vec::new(),
            PlannedFile::Made(parts) => parts.iter().map(cut).collect(),
        };
        Some((*year, parts))
    };
    plan.files.iter().filter_map(of_year).collect()
}

/// A file that a unit made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeFile {
    /// Where it belongs below the folder of a market.
    pub path: PathBelow,
    /// Its rows.
    pub rows: u64,
    /// Its content.
    pub blob: Blob,
}

/// What a unit made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeUnit {
    /// Its files; none of them is empty of rows, unless it is a whole table.
    pub files: Vec<MadeFile>,
    /// For how long it ran.
    pub took: Duration,
}

/// Runs units on other machines.
#[async_trait]
pub trait UnitRunner: Debug + Send + Sync {
    /// Bars of a unit, of a market with so many: what is made is the same whatever it is.
    fn unit_bars(&self, bars: usize) -> usize;

    /// Puts a file where units find it; nobody may write into it afterwards.
    ///
    /// # Errors
    /// A file that cannot be read, or a store that fails.
    async fn put(&self, path: &Path) -> Result<Blob, UnitError>;

    /// Brings a file that a unit made.
    ///
    /// # Errors
    /// A store that fails, or a path that cannot be written.
    async fn get(&self, blob: &Blob, to: &Path) -> Result<(), UnitError>;

    /// Runs units, in any order; what they made comes back in that of the units.
    ///
    /// # Errors
    /// A unit that fails wherever it runs, or nobody who is left to run it.
    async fn run(&self, units: Vec<WorkUnit>) -> Result<Vec<MadeUnit>, UnitError>;
}

impl WorkUnit {
    /// What it makes, in words.
    pub fn what(&self) -> String {
        match &self.work {
            Work::Files { versions, .. } => {
                let names: Vec<String> = versions.keys().cloned().collect();
                format!("the rows of {} of {}", named(&names), self.market)
            }
            Work::Stocks { tables } => {
                let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
                format!("the rows of stocks of {} in {}", self.market, names.join(", "))
            }
            Work::Table { name, years, .. } if years.is_empty() => format!("{name} of {}", self.market),
            Work::Table { name, years, .. } => {
                let years: Vec<String> = years.iter().map(ToString::to_string).collect();
                format!("{name} of {} in {}", self.market, years.join(", "))
            }
        }
    }
}
