//! Execution plans of the per-symbol tables, which are made once and run for every chunk.
//!
//! A plan reads the rows that were supplied last. One set of plans serves one chunk at a time.

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
use parquote_catalogue::operation::{Market, Table};
use parquote_functions::arrow_types::{declared_columns, table_schema};
use parquote_functions::context::{market_context, register};
use parquote_functions::{Calendar, CarriedCell};

/// The plans of the per-symbol tables, each after the tables that it reads.
pub(super) struct SymbolPlans {
    bars: SuppliedTable,
    tables: Vec<PlannedTable>,
    /// Names of the columns of bars that the tables read, and of the columns that order bars.
    pub bars_read: BTreeSet<String>,
}

/// The plan of one table.
struct PlannedTable {
    name: String,
    schema: SchemaRef,
    plan: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    /// The figures that its first new rows need of earlier bars.
    carried: CarriedCell,
    /// Its rows for the current chunk, for the tables that read them.
    output: SuppliedTable,
}

impl SymbolPlans {
    /// Plans the tables over bars and over the single-file tables that are already made.
    ///
    /// # Errors
    /// SQL cannot be planned.
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
            let table = table.map_err(DeriveError::row_error(name))?;
            register(&context, name, Arc::new(table)).map_err(DeriveError::row_error(name))?;
        }
        let supplied = SuppliedTable::new(bars, market);
        register(&context, &bars.name, Arc::new(supplied.clone()))
            .map_err(DeriveError::row_error(&bars.name))?;
        let mut plans = Self {
            bars: supplied,
            tables: Vec::new(),
            bars_read: ["symbol", "price_segment", "session"].map(str::to_owned).into(),
        };
        for table in tables {
            let failed = DeriveError::row_error(&table.name);
            let carried = CarriedCell::default();
            context.register_udf(carried.function());
            let rows = context.sql(table.sql().unwrap_or_default()).await.map_err(&failed)?;
            let (state, logical) = rows.into_parts();
            let logical = state.optimize(&logical).map_err(&failed)?;
            bars_read(&logical, &bars.name, &mut plans.bars_read).map_err(&failed)?;
            let plan = state.query_planner().create_physical_plan(&logical, &state).await.map_err(&failed)?;
            let output = SuppliedTable::new(table, market);
            register(&context, &table.name, Arc::new(output.clone())).map_err(&failed)?;
            plans.tables.push(PlannedTable {
                name: table.name.clone(),
                schema: output.schema(),
                plan,
                context: Arc::new(TaskContext::from(&state)),
                carried,
                output,
            });
        }
        Ok(plans)
    }

    /// Makes the rows of every table for the bars of a chunk. `carry` receives the name of a table and sets the figures that it carries
    /// from earlier rows.
    ///
    /// # Errors
    /// SQL fails.
    pub(super) async fn run(
        &self,
        bars: &RecordBatch,
        carry: impl Fn(&str, &CarriedCell) -> Result<(), DeriveError>,
    ) -> Result<Vec<Vec<RecordBatch>>, DeriveError> {
        self.bars.supply(vec![bars.clone()]);
        let mut all = Vec::new();
        for table in &self.tables {
            let failed = DeriveError::row_error(&table.name);
            carry(&table.name, &table.carried)?;
            let plan = reset_plan_states(Arc::clone(&table.plan)).map_err(&failed)?;
            let rows = collect(plan, Arc::clone(&table.context)).await.map_err(&failed)?;
            let rows =
                rows.iter().map(|batch| declared_columns(batch, &table.schema)).collect::<Result<Vec<_>>>();
            let rows = rows.map_err(&failed)?;
            table.output.supply(rows.clone());
            all.push(rows);
        }
        for supplied in self.tables.iter().map(|table| &table.output).chain([&self.bars]) {
            supplied.supply(Vec::new());
        }
        Ok(all)
    }
}

/// Adds the columns of bars that a plan and its subqueries scan.
fn bars_read(plan: &LogicalPlan, bars: &str, read: &mut BTreeSet<String>) -> Result<()> {
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && scan.table_name.table() == bars
        {
            read.extend(scan.projected_schema.fields().iter().map(|field| field.name().clone()));
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .map(drop)
}

/// A table whose rows are supplied chunk by chunk.
#[derive(Debug, Clone)]
struct SuppliedTable(Arc<Supply>);

#[derive(Debug)]
struct Supply {
    schema: SchemaRef,
    /// The sort orders of its rows, each as names of columns.
    orders: Vec<Vec<String>>,
    rows: Mutex<Vec<RecordBatch>>,
}

impl SuppliedTable {
    fn new(table: &Table, market: Market) -> Self {
        const BAR_ORDER: [&str; 2] = ["symbol", "session"];
        const SEGMENT_ORDER: [&str; 3] = ["symbol", "price_segment", "session"];
        let schema = table_schema(table, market);
        let mut orders = vec![table.sorted.clone()];
        if table.sorted == BAR_ORDER && schema.column_with_name("price_segment").is_some() {
            // Price segments never decrease from session to session, so the rows have both orders, and windows over either order need no
            // sort.
            orders.push(SEGMENT_ORDER.map(str::to_owned).to_vec());
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
impl TableProvider for SuppliedTable {
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
        let rows = Arc::new(Rows { table: self.clone(), schema: Arc::clone(&schema) });
        Ok(Arc::new(StreamingTableExec::try_new(schema, vec![rows], None, orders, false, limit)?))
    }
}

/// Some columns of the rows that were supplied last.
#[derive(Debug)]
struct Rows {
    table: SuppliedTable,
    schema: SchemaRef,
}

impl PartitionStream for Rows {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let schema = Arc::clone(&self.schema);
        let rows = self.table.rows().into_iter().map(move |batch| declared_columns(&batch, &schema));
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), futures::stream::iter(rows)))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{
        ArrayRef, AsArray, Date32Array, Float64Array, Int64Array, StringViewArray,
    };
    use datafusion::arrow::datatypes::Float64Type;

    use super::*;

    fn table(name: &str, columns: &str, sql: &str) -> Table {
        let text = format!(
            "-- Rows: of a stock.\n--\n-- key: symbol, session\n-- sorted: symbol, session\n-- per: symbol\n-- split: year\n\
             -- lookback: 1\n-- column: symbol text\n-- column: session date\n{columns}{sql}\n"
        );
        Table::parse(&format!("tables/{name}.sql"), &text).unwrap().remove(0)
    }

    /// Builds bars from the closes of stocks, one bar a day.
    fn bars(stocks: &[(&str, &[f64])]) -> RecordBatch {
        let cells =
            || stocks.iter().flat_map(|(symbol, closes)| closes.iter().zip(1..).map(move |c| (symbol, c)));
        let symbols: StringViewArray = cells().map(|(symbol, _)| Some(*symbol)).collect();
        let days: Date32Array = cells().map(|(_, (_, day))| Some(day)).collect();
        let closes: Float64Array = cells().map(|(_, (close, _))| Some(*close)).collect();
        let volumes = Int64Array::from(vec![7; closes.len()]);
        let columns: [(&str, ArrayRef); 4] = [
            ("symbol", Arc::new(symbols)),
            ("session", Arc::new(days)),
            ("close", Arc::new(closes)),
            ("volume", Arc::new(volumes)),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    /// Returns the last column of each table's rows.
    fn figures(made: &[Vec<RecordBatch>]) -> Vec<Vec<Option<f64>>> {
        let last = |batch: &RecordBatch| {
            batch.columns().last().unwrap().as_primitive::<Float64Type>().iter().collect::<Vec<_>>()
        };
        made.iter().map(|batches| batches.iter().flat_map(last).collect()).collect()
    }

    #[tokio::test]
    async fn a_chunk_sees_its_own_bars_and_what_was_made_of_them() {
        let number = |name: &str| format!("-- column: {name} number? price \"A figure.\"\n");
        let of_bars = table(
            "daily_prices",
            &format!("{}-- column: volume int shares \"Traded.\"\n", number("close")),
            "SELECT 1",
        );
        let moves = "SELECT symbol, session, close - ago(close, 1) OVER (PARTITION BY symbol ORDER BY session) AS moved
                     FROM daily_prices";
        let averages = "SELECT symbol, session, ema(close, 2, carried('average', symbol, session))
                            OVER (PARTITION BY symbol ORDER BY session) AS average
                        FROM daily_prices";
        let tables = [
            table("moves", &number("moved"), moves),
            table("doubled", &number("twice"), "SELECT symbol, session, 2 * moved AS twice FROM moves"),
            table("averages", &format!("-- carried: average\n{}", number("average")), averages),
        ];
        let (calendar, small) = (Calendar::default(), BTreeMap::new());
        let plans = SymbolPlans::new(Market::India, &calendar, &of_bars, &tables, &small).await.unwrap();
        assert!(plans.bars_read.contains("close") && !plans.bars_read.contains("volume"));

        let none = |_: &str, _: &CarriedCell| Ok(());
        let first = bars(&[("ACC", &[1.0, 4.0]), ("BELA", &[5.0])]);
        let of_first = figures(&plans.run(&first, none).await.unwrap());
        assert_eq!(of_first[0], [None, Some(3.0), None]);
        assert_eq!(of_first[1], [None, Some(6.0), None]);
        assert_eq!(of_first[2], [None, Some(2.5), None]);

        // At the first bar of the second chunk the carried average is 10; the next is two thirds of the way to 13.
        let second = bars(&[("TCS", &[9.0, 13.0])]);
        let known = |name: &str, carried: &CarriedCell| {
            let rows: [(&str, ArrayRef); 3] = [
                ("symbol", Arc::new(StringViewArray::from(vec!["TCS"]))),
                ("session", Arc::new(Date32Array::from(vec![1]))),
                ("average", Arc::new(Float64Array::from(vec![10.0]))),
            ];
            let rows = RecordBatch::try_from_iter(rows).unwrap();
            if name == "averages" { carried.set(&rows).map_err(DeriveError::row_error(name)) } else { Ok(()) }
        };
        let of_second = figures(&plans.run(&second, known).await.unwrap());
        assert_eq!(of_second, [vec![None, Some(4.0)], vec![None, Some(8.0)], vec![Some(10.0), Some(12.0)]]);
        assert_eq!(
            figures(&plans.run(&first, none).await.unwrap()),
            of_first,
            "plans keep nothing of a chunk"
        );
    }
}
