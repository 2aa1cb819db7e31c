//! Merges the files of units into the files of a table: copies a part that is in one unit, and encodes the rows of a part that spans
//! several units again.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use datafusion::arrow::array::RecordBatch;

use super::run::batches_of;
use crate::error::DeriveError;
use crate::partition::{PARTS, PartitionPlan, PartitionSpan, PlannedFile, StoredPart};
use crate::published::{read_metadata, rows_of_parts};
use parquote_catalogue::operation::Table;

/// A row range of a file.
pub(crate) struct FileStretch {
    file: PathBuf,
    rows: Range<u64>,
}

impl FileStretch {
    /// Reads the rows.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn batches(&self, table: &Table) -> Result<Vec<RecordBatch>, DeriveError> {
        batches_of(&self.file, &self.rows).map_err(DeriveError::row_error(&table.name))
    }
}

/// Plans the merge of unit files, which are in symbol order: returns the plan with parts of a single unit marked as stored, and the other
/// rows to write, in the order of years and symbols.
pub(crate) fn plan_merge(
    table: &Table,
    mut plan: PartitionPlan,
    files: &[PathBuf],
) -> (PartitionPlan, Vec<FileStretch>) {
    let mut of_spans: BTreeMap<PartitionSpan, Vec<&Path>> = BTreeMap::new();
    for file in files {
        if let Some(span) = span_of(table, file) {
            of_spans.entry(span).or_default().push(file);
        }
    }
    let mut rest = Vec::new();
    for (span, files) in of_spans {
        let ranges: Vec<(&Path, Vec<Range<u64>>)> =
            files.into_iter().map(|file| (file, part_ranges(file))).collect();
        let mut parts = plan.parts(span);
        for (number, part) in parts.iter_mut().enumerate() {
            let of_part = ranges.iter().filter_map(|(file, ranges)| {
                let rows = ranges.get(number).filter(|rows| !rows.is_empty())?;
                Some((file.to_path_buf(), rows.clone()))
            });
            match of_part.collect::<Vec<_>>().as_slice() {
                _ if part.stored.is_some() => {}
                [(file, rows)] if table.yearly => {
                    part.stored = Some(StoredPart { file: file.clone(), rows: rows.clone() });
                }
                several => {
                    let stretch = |(file, rows): &(PathBuf, Range<u64>)| FileStretch {
                        file: file.clone(),
                        rows: rows.clone(),
                    };
                    rest.extend(several.iter().map(stretch));
                }
            }
        }
        if table.yearly {
            plan.files.insert(span, PlannedFile::Made(parts));
        }
    }
    (plan, rest)
}

/// Returns the row range of each part in the file of a unit.
fn part_ranges(file: &Path) -> Vec<Range<u64>> {
    let Some(([parts], rows)) = read_metadata(file, [PARTS]) else { return Vec::new() };
    match parts {
        Some(parts) => rows_of_parts(&parts).into_iter().map(|(_, rows)| rows).collect(),
        None => std::iter::once(0..rows).collect(),
    }
}

/// Returns the partition to which a unit's file belongs; `None` if it is a file of another table.
fn span_of(table: &Table, file: &Path) -> Option<PartitionSpan> {
    let stem = file.file_stem()?.to_str()?;
    if !table.yearly {
        return (stem == table.name).then_some(PartitionSpan::Whole);
    }
    let folder = file.parent()?.file_name()?.to_str()?;
    (folder == table.name).then(|| stem.parse().ok().map(PartitionSpan::Year))?
}
