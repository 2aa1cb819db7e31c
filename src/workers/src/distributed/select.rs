//! Runs a SELECT over the newest set of a market, with parts of its plan on workers.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::context::SQLOptions;
use datafusion::physical_plan::{collect, displayable};
use datafusion::prelude::SessionContext;
use datafusion_distributed::{DistributedExt as _, SessionStateBuilderExt as _};
use url::Url;

use super::calling::plan_headers;
use super::channels::Channels;
use super::error::WorkersError;
use super::submission::TaskSlots;
use parquote_catalogue::causes::with_causes;
use parquote_catalogue::operation::{Catalogue, Market, TableOrigin};
use parquote_derive::session_days;
use parquote_functions::Calendar;
use parquote_functions::arrow_types::table_schema;
use parquote_functions::context::{market_context, register};
use parquote_raw::cores;
use parquote_set::{Root, Set, SetTable};

/// Bytes of a scan partition; a scan of more bytes is distributed.
const PARTITION_BYTES: usize = 256 << 10;

const SESSIONS: &str = "sessions";

/// Returns the rows of a SELECT over the newest set below a root.
///
/// # Errors
/// The market has no set, the SQL is not a SELECT or fails, or a worker is lost.
pub(super) async fn select(
    catalogue: &Catalogue,
    root: &Root,
    (market, sql): (Market, &str),
    (workers, channels): (Vec<Url>, Channels),
) -> std::result::Result<Vec<RecordBatch>, WorkersError> {
    let no_set =
        || WorkersError::Select(format!("{} has no set of {market}; derive one first", root.location()));
    let set = root.newest(market).await?.ok_or_else(no_set)?;
    let failed = |error: DataFusionError| WorkersError::Select(with_causes(&error));
    let tables = Tables { catalogue, root, market, set: &set };
    let sessions = tables.sessions().await.map_err(failed)?;
    let run = async {
        let context = tables.context(&sessions, &workers, channels)?;
        tables.register(&context).await?;
        let select_only =
            SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        let rows = context.sql_with_options(sql, select_only).await?;
        let task = Arc::new(rows.task_ctx());
        let plan = rows.create_physical_plan().await?;
        tracing::debug!(plan = %displayable(&*plan).indent(false), "planned");
        collect(plan, task).await
    };
    run.await.map_err(failed)
}

/// The tables of a set.
struct Tables<'a> {
    catalogue: &'a Catalogue,
    root: &'a Root,
    market: Market,
    set: &'a Set,
}

impl Tables<'_> {
    /// Reads the sessions of the market, in days since 1970.
    async fn sessions(&self) -> Result<Vec<i32>> {
        let context = market_context(self.market, &Calendar::default());
        self.register(&context).await?;
        let rows = context.table(SESSIONS).await?.select_columns(&["session"])?.collect().await?;
        let mut days = session_days(&rows);
        days.sort_unstable();
        Ok(days)
    }

    /// Creates a context whose plans are distributed to workers.
    fn context(&self, sessions: &[i32], workers: &[Url], channels: Channels) -> Result<SessionContext> {
        let state = market_context(self.market, &Calendar::new(sessions.to_vec())).state();
        let config = state.config().clone().with_target_partitions(cores());
        let state = SessionStateBuilder::new_from_existing(state)
            .with_config(config)
            .with_distributed_worker_resolver(TaskSlots::new(workers, 0))
            .with_distributed_channel_resolver(channels)
            .with_distributed_planner()
            .with_distributed_passthrough_headers(plan_headers(self.market, sessions)?)?
            .with_distributed_file_scan_config_bytes_per_partition(PARTITION_BYTES)?
            .with_distributed_metrics_collection(false)?
            .build();
        Ok(SessionContext::new_with_state(state))
    }

    /// Registers the tables of the set, and the views over them.
    async fn register(&self, context: &SessionContext) -> Result<()> {
        if let Some((url, store)) = self.root.store() {
            context.register_object_store(&url, store);
        }
        let mut views = Vec::new();
        for table in self.catalogue.tables_in(self.market) {
            if let TableOrigin::View(sql) = &table.origin {
                views.push((table, sql));
                continue;
            }
            let Some(SetTable { files, .. }) = self.set.tables.get(&table.name) else { continue };
            let urls = files.iter().filter_map(|file| self.root.url_of(self.market, &table.name, file));
            let urls = urls.map(ListingTableUrl::parse).collect::<Result<Vec<_>>>()?;
            if urls.is_empty() {
                continue;
            }
            let options =
                ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension(".parquet");
            let config = ListingTableConfig::new_with_multi_paths(urls)
                .with_listing_options(options)
                .with_schema(table_schema(table, self.market));
            register(context, &table.name, Arc::new(ListingTable::try_new(config)?))?;
        }
        // A view may read another view; views over a table that the set lacks are left out.
        for _ in 0..views.len() {
            let mut waiting = Vec::new();
            for (table, sql) in views {
                match context.sql(sql).await {
                    Ok(rows) => register(context, &table.name, rows.into_view())?,
                    Err(_) => waiting.push((table, sql)),
                }
            }
            views = waiting;
        }
        Ok(())
    }
}
