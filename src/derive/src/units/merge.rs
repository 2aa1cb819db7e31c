//! Merges the files of units into the files of a table. A part from one unit is copied; the rows of a part from several units are encoded
//! again.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use datafusion::arrow::array::RecordBatch;

use super::run::read_row_groups;
use crate::error::DeriveError;
use crate::partition::{PARTS, PartitionPlan, PartitionSpan, PlannedFile, StoredPart};
use crate::published::{read_metadata, rows_of_parts};
use parquote_catalogue::operation::Table;

/// A range of rows of a file.
pub(crate) struct FileRange {
    file: PathBuf,
    rows: Range<u64>,
}

impl FileRange {
    /// Reads the rows.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn batches(&self, table: &Table) -> Result<Vec<RecordBatch>, DeriveError> {
        read_row_groups(&self.file, &self.rows).map_err(DeriveError::row_error(&table.name))
    }
}

/// Plans the merge of unit files, which are in symbol order. In the returned plan, parts from a single unit are stored parts. The returned
/// rows are all others, in the order of years and symbols.
pub(crate) fn plan_merge(
    table: &Table,
    mut plan: PartitionPlan,
    files: &[PathBuf],
) -> (PartitionPlan, Vec<FileRange>) {
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
                    let file_rows = |(file, rows): &(PathBuf, Range<u64>)| FileRange {
                        file: file.clone(),
                        rows: rows.clone(),
                    };
                    rest.extend(several.iter().map(file_rows));
                }
            }
        }
        if table.yearly {
            plan.files.insert(span, PlannedFile::Made(parts));
        }
    }
    (plan, rest)
}

/// Returns the range of rows of each part in the file of a unit.
fn part_ranges(file: &Path) -> Vec<Range<u64>> {
    let Some(([parts], rows)) = read_metadata(file, [PARTS]) else { return Vec::new() };
    match parts {
        Some(parts) => rows_of_parts(&parts).into_iter().map(|(_, rows)| rows).collect(),
        None => std::iter::once(0..rows).collect(),
    }
}

/// Returns the span of a table that is in the file of a unit; `None` for a file of another table.
fn span_of(table: &Table, file: &Path) -> Option<PartitionSpan> {
    let stem = file.file_stem()?.to_str()?;
    if !table.yearly {
        return (stem == table.name).then_some(PartitionSpan::Whole);
    }
    let folder = file.parent()?.file_name()?.to_str()?;
    (folder == table.name).then(|| stem.parse().ok().map(PartitionSpan::Year))?
}
