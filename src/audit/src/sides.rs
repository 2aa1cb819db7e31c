//! The tables of the two derivations: those derived as of a past day, and the published ones.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::NaiveDate;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Date32Type;
use datafusion::catalog::{MemorySchemaProvider, SchemaProvider};
use datafusion::datasource::empty::EmptyTable;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::SessionContext;
use datafusion::prelude::{DataFrame, ParquetReadOptions};

use parquote_catalogue::operation::{Catalogue, Market, Table};
use parquote_functions::Calendar;
use parquote_functions::arrow_types::{date, table_schema};
use parquote_functions::context::market_context;
use parquote_set::{Home, Set};

/// The catalog of [`market_context`].
const CATALOG: &str = "parquote";

/// One of the two sets, with the folder of its files.
pub(super) struct ComparedSide {
    pub(super) home: Home,
    pub(super) set: Set,
}

impl ComparedSide {
    pub(super) fn row_count(&self, table: &Table) -> u64 {
        self.set.tables.get(&table.name).map_or(0, |table| table.rows)
    }

    /// Returns the hashes of a table's files.
    pub(super) fn hashes(&self, table: &Table) -> BTreeSet<&str> {
        let files = self.set.tables.get(&table.name).into_iter().flat_map(|table| &table.files);
        files.map(|file| file.hash.as_str()).collect()
    }

    /// Returns the files of a table, except those with these hashes.
    fn paths(&self, table: &Table, excluded: &BTreeSet<&str>) -> Vec<PathBuf> {
        let hashes = self.hashes(table);
        let remaining = hashes.difference(excluded);
        remaining.map(|hash| self.home.file_path(self.set.market, &table.name, hash)).collect()
    }

    /// Reads the sessions, ascending.
    pub(super) async fn sessions(&self, table: &Table) -> Result<Vec<NaiveDate>> {
        let context = market_context(self.set.market, &Calendar::default());
        let Some(rows) = self.frame(&context, table, &BTreeSet::new()).await? else { return Ok(Vec::new()) };
        let batches = rows.select_columns(&["session"])?.collect().await?;
        let days = batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Date32Type>().values());
        let sessions: BTreeSet<NaiveDate> = days.filter_map(|days| date(*days)).collect();
        Ok(sessions.into_iter().collect())
    }

    /// Returns the rows of a table, except the rows of files with these hashes; `None` if there are no other files.
    pub(super) async fn frame(
        &self,
        context: &SessionContext,
        table: &Table,
        excluded: &BTreeSet<&str>,
    ) -> Result<Option<DataFrame>> {
        let paths = self.paths(table, excluded);
        if paths.is_empty() {
            return Ok(None);
        }
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        context.read_parquet(paths, ParquetReadOptions::default()).await.map(Some)
    }
}

/// Creates a context in which the past tables are `past.<table>` and the published ones `whole.<table>`. Tables that a set lacks, such as
/// those of the other market, are empty.
pub(super) async fn context(
    catalogue: &Catalogue,
    market: Market,
    past: &ComparedSide,
    whole: &ComparedSide,
) -> Result<SessionContext> {
    let context = market_context(market, &Calendar::default());
    let missing = || DataFusionError::Internal(format!("there is no catalog `{CATALOG}`"));
    for (name, side) in [("past", past), ("whole", whole)] {
        let schema = Arc::new(MemorySchemaProvider::new());
        for table in catalogue.tables().iter().filter(|table| !table.is_view()) {
            let rows = side.frame(&context, table, &BTreeSet::new()).await?;
            let empty = || Arc::new(EmptyTable::new(table_schema(table, market))) as Arc<_>;
            schema.register_table(table.name.clone(), rows.map_or_else(empty, DataFrame::into_view))?;
        }
        context.catalog(CATALOG).ok_or_else(missing)?.register_schema(name, schema)?;
    }
    Ok(context)
}
