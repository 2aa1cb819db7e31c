//! The plans by which a chunk's tables are made: planned once, run for every chunk.
//!
//! A table is read as the rows that were supplied last, so that a plan knows no chunk. One set of plans serves one chunk at a
//! time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::{MemTable, TableType};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use datafusion::physical_plan::{ExecutionPlan, collect, expressions};

use super::error::DeriveError;
use super::sources::BARS;
use crate::engine::arrow_types::{conform, table_schema};
use crate::engine::context::{market_context, register};
use crate::engine::functions::{Calendar, Carried};
use crate::operation::{Market, Table};

/// The plans of the tables that are made symbol by symbol, each after those that it reads.
pub(super) struct SymbolPlans {
    bars: Supplied,
    tables: Vec<Planned>,
    /// The columns of the bars that the tables read, with those by which bars are ordered.
    pub bars_read: BTreeSet<String>,
}

/// How one table is made.
struct Planned {
    name: String,
    schema: SchemaRef,
    plan: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    /// What it reads of the rows before those that are made.
    carried: Carried,
    /// Its rows, for the tables that read them.
    made: Supplied,
}

impl SymbolPlans {
    /// Plans the tables over bars and over small tables that are made already.
    ///
    /// # Errors
    /// SQL that does not plan.
    pub(super) async fn new(
        market: Market,
        calendar: &Calendar,
        bars: &Table,
        tables: &[Table],
        small: &BTreeMap<String, RecordBatch>,
    ) -> Result<Self, DeriveError> {
        let context = market_context(market, calendar);
        for (name, batch) in small {
            let table = MemTable::try_new(batch.schema(), vec![vec![batch.clone()]]);
            let table = table.map_err(DeriveError::rows(name))?;
            register(&context, name, Arc::new(table)).map_err(DeriveError::rows(name))?;
        }
        let supplied = Supplied::new(bars, market);
        register(&context, BARS, Arc::new(supplied.clone())).map_err(DeriveError::rows(BARS))?;
        let mut plans = Self {
            bars: supplied,
            tables: Vec::new(),
            bars_read: ["symbol", "history", "session"].map(str::to_owned).into(),
        };
        for table in tables {
            let failed = DeriveError::rows(&table.name);
            let carried = Carried::default();
            context.register_udf(carried.function());
            let rows = context.sql(table.sql().unwrap_or_default()).await.map_err(&failed)?;
            let (state, logical) = rows.into_parts();
            let logical = state.optimize(&logical).map_err(&failed)?;
            bars_read(&logical, &mut plans.bars_read).map_err(&failed)?;
            let plan = state.query_planner().create_physical_plan(&logical, &state).await.map_err(&failed)?;
            let made = Supplied::new(table, market);
            register(&context, &table.name, Arc::new(made.clone())).map_err(&failed)?;
            plans.tables.push(Planned {
                name: table.name.clone(),
                schema: made.schema(),
                plan,
                context: Arc::new(TaskContext::from(&state)),
                carried,
                made,
            });
        }
        Ok(plans)
    }

    /// The rows of every table for the bars of a chunk; `carry` sets what a table's earlier rows carry for them.
    ///
    /// # Errors
    /// SQL that fails.
    pub(super) async fn run(
        &self,
        bars: &RecordBatch,
        carry: impl Fn(&str, &Carried) -> Result<(), DeriveError>,
    ) -> Result<Vec<Vec<RecordBatch>>, DeriveError> {
        self.bars.supply(vec![bars.clone()]);
        let mut all = Vec::new();
        for table in &self.tables {
            let failed = DeriveError::rows(&table.name);
            carry(&table.name, &table.carried)?;
            let plan = reset_plan_states(Arc::clone(&table.plan)).map_err(&failed)?;
            let rows = collect(plan, Arc::clone(&table.context)).await.map_err(&failed)?;
            let rows = rows.iter().map(|batch| conform(batch, &table.schema)).collect::<Result<Vec<_>>>();
            let rows = rows.map_err(&failed)?;
            table.made.supply(rows.clone());
            all.push(rows);
        }
        for supplied in self.tables.iter().map(|table| &table.made).chain([&self.bars]) {
            supplied.supply(Vec::new());
        }
        Ok(all)
    }
}

/// Adds the columns of the bars that a plan scans, those in its sub-queries too.
fn bars_read(plan: &LogicalPlan, read: &mut BTreeSet<String>) -> Result<()> {
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && scan.table_name.table() == BARS
        {
            read.extend(scan.projected_schema.fields().iter().map(|field| field.name().clone()));
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .map(drop)
}

/// A table whose rows are supplied chunk by chunk.
#[derive(Debug, Clone)]
struct Supplied(Arc<Supply>);

#[derive(Debug)]
struct Supply {
    schema: SchemaRef,
    /// The columns of each order in which its rows lie.
    orders: Vec<Vec<String>>,
    rows: Mutex<Vec<RecordBatch>>,
}

impl Supplied {
    fn new(table: &Table, market: Market) -> Self {
        const BY_BAR: [&str; 2] = ["symbol", "session"];
        const BY_HISTORY: [&str; 3] = ["symbol", "history", "session"];
        let schema = table_schema(table, market);
        let mut orders = vec![table.sorted.clone()];
        if table.sorted == BY_BAR && schema.column_with_name("history").is_some() {
            // Histories count up with sessions, so both orders hold, and windows over a history need no sort.
            orders.push(BY_HISTORY.map(str::to_owned).to_vec());
        }
        Self(Arc::new(Supply { schema, orders, rows: Mutex::default() }))
    }

    fn supply(&self, rows: Vec<RecordBatch>) {
        *self.0.rows.lock().unwrap_or_else(PoisonError::into_inner) = rows;
    }

    fn rows(&self) -> Vec<RecordBatch> {
        self.0.rows.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl TableProvider for Supplied {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.0.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.0.schema.project(columns)?),
            None => self.schema(),
        };
        let order = |names: &Vec<String>| {
            let columns = names.iter().map_while(|name| expressions::col(name, &schema).ok());
            LexOrdering::new(columns.map(|column| PhysicalSortExpr::new_default(column).nulls_last()))
        };
        let orders: Vec<LexOrdering> = self.0.orders.iter().filter_map(order).collect();
        let rows = Arc::new(Rows { of: self.clone(), schema: Arc::clone(&schema) });
        Ok(Arc::new(StreamingTableExec::try_new(schema, vec![rows], None, orders, false, limit)?))
    }
}

/// Some columns of the rows that were supplied last.
#[derive(Debug)]
struct Rows {
    of: Supplied,
    schema: SchemaRef,
}

impl PartitionStream for Rows {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let schema = Arc::clone(&self.schema);
        let rows = self.of.rows().into_iter().map(move |batch| conform(&batch, &schema));
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), futures::stream::iter(rows)))
    }
}
