//! Builds the per-symbol tables with work units, and merges the files that the units return.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Build, Units};
use crate::bars::Bars;
use crate::error::DeriveError;
use crate::partition::{PartitionPlan, PartitionSpan};
use crate::sinks::Sink;
use crate::symbol_pass::{Output, SymbolPass};
use crate::units::{StockUnitInputs, make_stocks, plan_merge, stocks_table};
use parquote_catalogue::operation::Table;
use parquote_raw::Progress;

/// Prefix of the name of the folder with unit files that are not merged yet. A folder whose name begins with a dot is not a table.
const SCRATCH: &str = ".units-";

/// The input and output of a symbol pass on workers.
pub(super) struct StocksOfPass<'a> {
    pub pass: &'a SymbolPass,
    /// The bars that the pass reads.
    pub bars: Bars,
    /// Output of the table of bars.
    pub bars_output: Output,
}

impl Build<'_> {
    /// Creates a temporary folder for unit files inside the set's folder.
    pub(super) fn temporary_folder(&self) -> Result<TempDir, DeriveError> {
        let folder = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(&self.folder);
        folder.map_err(|source| DeriveError::Write { path: self.folder.clone(), source })
    }

    /// Makes the rows of all stocks with work units. Returns the output of each table, that of the bars first.
    pub(super) async fn build_on_workers(
        &self,
        StocksOfPass { pass, bars, mut bars_output }: StocksOfPass<'_>,
        plans: &[(Table, PartitionPlan)],
        units: &Units,
        scratch: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<Output>, DeriveError> {
        let plans = plans.get(1..).unwrap_or_default();
        let inputs = StockUnitInputs {
            tables: plans.iter().map(|(table, plan)| stocks_table(table, self.pages(table), plan)).collect(),
            folder: &self.folder,
            scratch,
            cut: self.reuse.year_cuts(),
            rebuild_id: &units.rebuild_id,
            runner: &units.runner,
        };
        let files = make_stocks(pass, bars, &mut bars_output, inputs, progress).await?;
        let mut outputs = vec![bars_output];
        for (table, plan) in plans {
            outputs.push(self.assemble_table(table, plan, &files).await?);
        }
        Ok(outputs)
    }

    /// Merges the unit files of a table.
    async fn assemble_table(
        &self,
        table: &Table,
        plan: &PartitionPlan,
        files: &[PathBuf],
    ) -> Result<Output, DeriveError> {
        if plan.reused_rows(PartitionSpan::Whole).is_some() {
            return Ok(Output::Linked);
        }
        let (plan, rest) = plan_merge(table, plan.clone(), files);
        let mut output = if table.yearly {
            Output::Written(Sink::start(table, self.writer(table, plan)))
        } else {
            Output::Gathered(Vec::new())
        };
        for file_rows in rest {
            output.add_batches(file_rows.batches(table)?).await;
        }
        Ok(output)
    }
}
