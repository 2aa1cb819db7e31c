//! Makes a table from written tables in work units, one unit for each calendar year of a per-session table, else a single unit.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::path_below::PathBelow;
use super::unit_error::UnitError;
use super::work_unit::{UnitRunner, Work, WorkUnit};
use crate::error::DeriveError;
use crate::later_pass::{LaterPass, LaterTable};
use crate::partition::{PartitionPlan, PartitionSpan, PlannedFile};
use crate::published::file_path;
use crate::sinks::Sink;
use crate::sources::SESSIONS;
use crate::staged_files::parquet_files_in;
use crate::table_writer::{Pages, TableWriter};
use parquote_catalogue::operation::{PartitionBy, Table};
use parquote_set::Blob;

/// Makes a table in work units, and downloads its files.
///
/// # Errors
/// A unit fails, or a file cannot be read or written.
pub(crate) async fn make_table(
    pass: LaterPass,
    mut plan: PartitionPlan,
    pages: Pages,
    rebuild_id: String,
    runner: Arc<dyn UnitRunner>,
) -> Result<LaterTable, DeriveError> {
    let mut units = Vec::new();
    if pass.table.per == Some(PartitionBy::Session) {
        for year in &pass.years {
            units.push(build_unit(&pass, &plan, pages, &rebuild_id, Some(*year), &runner).await?);
        }
    } else {
        units.push(build_unit(&pass, &plan, pages, &rebuild_id, None, &runner).await?);
    }
    let (folder, table) = (&pass.folder, &pass.table);
    let mut made = LaterTable { rows: 0, core_time: Duration::ZERO };
    for unit in runner.run(units).await? {
        made.core_time += unit.took;
        for file in unit.files {
            let path = file.path.below(folder);
            runner.download(&file.blob, &path).await?;
            made.rows += file.rows;
            let year = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
            if let Some(year) = year.filter(|_| table.yearly) {
                plan.files.insert(PartitionSpan::Year(year), PlannedFile::Reused(file.rows));
            }
        }
    }
    if table.yearly {
        // Years without rows get files too, as they do in a single process.
        let writer = TableWriter::new(folder, table, pass.market, pages, plan);
        made.rows = Sink::start(table, writer).finish().await?;
    }
    Ok(made)
}

/// Builds the unit of a table, or of a year of it.
async fn build_unit(
    pass: &LaterPass,
    plan: &PartitionPlan,
    pages: Pages,
    rebuild_id: &str,
    year: Option<i32>,
    runner: &Arc<dyn UnitRunner>,
) -> Result<WorkUnit, DeriveError> {
    let mut reads: BTreeMap<PathBelow, Blob> = BTreeMap::new();
    for name in pass.reads.iter().map(|table| table.name.as_str()).chain([SESSIONS]) {
        let is_long = pass.reads.iter().any(|table| table.name == name && table.yearly);
        let paths = match year {
            _ if !is_long => vec![file_path(&pass.folder, name, PartitionSpan::Whole)],
            Some(year) => vec![file_path(&pass.folder, name, PartitionSpan::Year(year))],
            None => parquet_files_in(&pass.folder.join(name))?,
        };
        for path in paths.into_iter().filter(|path| path.exists()) {
            let below = PathBelow::strip_folder(&path, &pass.folder).map_err(UnitError::Path)?;
            reads.insert(below, runner.store_file(&path).await?);
        }
    }
    let of_span = |(span, file): (&PartitionSpan, &PlannedFile)| {
        let file_year = match span {
            PartitionSpan::Whole => None,
            PartitionSpan::Year(year) => Some(*year),
        };
        let key = match file {
            PlannedFile::Reused(_) => None,
            PlannedFile::Made(parts) => Some(parts.first()?.key.clone()?),
        };
        (year.is_none() || file_year == year).then_some((file_year, key))
    };
    let names = |tables: &[Table]| tables.iter().map(|table| table.name.clone()).collect();
    let work = Work::Table {
        name: pass.table.name.clone(),
        pages,
        years: year.into_iter().collect(),
        keys: plan.files.iter().filter_map(of_span).collect(),
        reads: names(&pass.reads),
        absent: names(&pass.missing_tables),
    };
    Ok(WorkUnit { market: pass.market, work, reads, rebuild_id: rebuild_id.to_owned() })
}
