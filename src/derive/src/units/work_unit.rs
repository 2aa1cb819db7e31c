//! Work units, and the interface of their runner.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use chrono::Utc;
use serde::{Deserialize, Serialize};

use super::path_below::PathBelow;
use super::unit_error::UnitError;
use crate::error::list_names;
use crate::partition::{PartitionPlan, PartitionSpan, PlannedFile, PlannedPart, StoredPart};
use crate::table_writer::Pages;
use parquote_catalogue::operation::{Market, Table};
use parquote_raw::{RawFileVersion, UnpackBounds};
use parquote_set::Blob;

/// A piece of a derivation that any machine can run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkUnit {
    /// The market whose data it derives.
    pub market: Market,
    /// The kind of work.
    pub(super) work: Work,
    /// Input files by their paths below the working folder.
    pub(super) reads: BTreeMap<PathBelow, Blob>,
    /// Unique id of a full rebuild, whose units reuse no earlier result; empty for other derivations.
    pub(super) rebuild_id: String,
}

/// The work of a unit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Work {
    /// Parses raw files into files of a parse cache. They are price files if the known symbols are among the inputs, else statement files.
    Files {
        /// The version of each file, by its name below the folder of raw files.
        versions: BTreeMap<String, RawFileVersion>,
        /// Size limits of unpacked files.
        bounds: UnpackBounds,
        /// True if the unit is one large archive, which is parsed on all cores.
        is_large: bool,
    },
    /// Makes the rows of neighbouring stocks, whose bars and carried figures are among the inputs.
    Stocks {
        /// The tables of the unit, each after the tables that it reads.
        tables: Vec<StocksTable>,
    },
    /// Makes a table from written tables.
    Table {
        name: String,
        pages: Pages,
        /// The calendar years to compute of a per-session table; empty for other tables.
        years: Vec<i32>,
        /// Files as (year, key). The year is `None` for a single-file table, and the key is `None` for a reused file. Files that are not
        /// listed are computed without a key.
        keys: Vec<(Option<i32>, Option<String>)>,
        reads: Vec<String>,
        absent: Vec<String>,
    },
}

/// A per-symbol table of a unit of stocks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StocksTable {
    pub name: String,
    pub pages: Pages,
    /// The cut of its years into parts. A year that is not listed is computed as one part.
    pub years: BTreeMap<i32, Vec<CutPart>>,
    /// True if the table is reused, so that its rows are computed only for the tables that read it.
    pub is_reused: bool,
}

/// A part of a year.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CutPart {
    /// First symbol of the next part; `None` for the last part.
    pub until: Option<String>,
    /// True if its rows are computed.
    pub is_made: bool,
}

impl WorkUnit {
    /// Returns the name of the unit, a hash over its JSON. Units with the same name write the same files.
    pub fn name(&self) -> String {
        blake3::hash(&self.text()).to_hex().to_string()
    }

    /// Returns the unit as JSON.
    pub fn text(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Returns the total bytes of its inputs, by which units are scheduled.
    pub fn weight(&self) -> u64 {
        self.reads.values().map(|blob| blob.bytes).sum()
    }

    /// Returns true if it uses all cores; other units use one core.
    pub const fn uses_all_cores(&self) -> bool {
        matches!(self.work, Work::Stocks { .. } | Work::Files { is_large: true, .. })
    }

    /// Returns its input files, by path below the working folder.
    pub const fn input_files(&self) -> &BTreeMap<PathBelow, Blob> {
        &self.reads
    }
}

/// Returns a unique id for the units of a full rebuild; empty for other derivations.
pub(crate) fn new_rebuild_id(is_full: bool) -> String {
    let began = || format!("{} {}", std::process::id(), Utc::now().timestamp_nanos_opt().unwrap_or_default());
    if is_full { began() } else { String::new() }
}

/// Builds the plan of a table in a unit of stocks from its cut. Rows of reused parts are left out. The key of a part is its index.
pub(super) fn plan_from_cut(years: &BTreeMap<i32, Vec<CutPart>>) -> PartitionPlan {
    let planned = |(number, part): (usize, &CutPart)| PlannedPart {
        until: part.until.clone(),
        key: Some(number.to_string()),
        stored: (!part.is_made).then(StoredPart::empty),
    };
    let file = |parts: &Vec<CutPart>| {
        if parts.iter().any(|part| part.is_made) {
            PlannedFile::Made(parts.iter().enumerate().map(planned).collect())
        } else {
            PlannedFile::Reused(0)
        }
    };
    PartitionPlan {
        files: years.iter().map(|(year, parts)| (PartitionSpan::Year(*year), file(parts))).collect(),
    }
}

/// Returns the description of a table for a unit of stocks. Of the plan it only has the parts to compute.
pub(crate) fn stocks_table(table: &Table, pages: Pages, plan: &PartitionPlan) -> StocksTable {
    let is_reused = plan.reused_rows(PartitionSpan::Whole).is_some();
    StocksTable { name: table.name.clone(), pages, years: cut_of_plan(plan), is_reused }
}

fn cut_of_plan(plan: &PartitionPlan) -> BTreeMap<i32, Vec<CutPart>> {
    let cut = |part: &PlannedPart| CutPart { until: part.until.clone(), is_made: part.stored.is_none() };
    let of_year = |(span, file): (&PartitionSpan, &PlannedFile)| {
        let PartitionSpan::Year(year) = span else { return None };
        let parts = match file {
            PlannedFile::Reused(_) => Vec::new(),
            PlannedFile::Made(parts) => parts.iter().map(cut).collect(),
        };
        Some((*year, parts))
    };
    plan.files.iter().filter_map(of_year).collect()
}

/// A file that a unit made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeFile {
    /// Its path below the folder of the market.
    pub path: PathBelow,
    /// Its number of rows.
    pub rows: u64,
    /// Its content in the transfer store.
    pub blob: Blob,
}

/// The result of a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeUnit {
    /// Its files. Only a file of a single-file table may have no rows.
    pub files: Vec<MadeFile>,
    /// Run time on the worker.
    pub took: Duration,
}

/// Runner of work units on other machines.
#[async_trait]
pub trait UnitRunner: Debug + Send + Sync {
    /// Returns the number of bars of a unit for a market with `bars` bars. It does not affect the result.
    fn unit_bars(&self, bars: usize) -> usize;

    /// Stores a file in the transfer store. The file must not be modified afterwards.
    ///
    /// # Errors
    /// The file cannot be read, or the store fails.
    async fn store_file(&self, path: &Path) -> Result<Blob, UnitError>;

    /// Downloads a file that a unit has made.
    ///
    /// # Errors
    /// The store fails, or the path cannot be written.
    async fn download(&self, blob: &Blob, to: &Path) -> Result<(), UnitError>;

    /// Runs units in any order. Returns their results in the order of `units`.
    ///
    /// # Errors
    /// A unit fails on every worker, or no worker is left.
    async fn run(&self, units: Vec<WorkUnit>) -> Result<Vec<MadeUnit>, UnitError>;
}

impl WorkUnit {
    /// Describes the output of the unit in words.
    pub fn describe_output(&self) -> String {
        match &self.work {
            Work::Files { versions, .. } => {
                let names: Vec<String> = versions.keys().cloned().collect();
                format!("the rows of {} of {}", list_names(&names), self.market)
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
