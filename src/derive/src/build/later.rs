//! Builds tables from written tables, several at once as far as their inputs allow.

use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{Build, Units};
use crate::error::DeriveError;
use crate::later_pass::{LaterPass, LaterTable};
use crate::order::Order;
use crate::partition::{PartitionPlan, PartitionSpan};
use crate::sessions::years;
use crate::sinks::Sink;
use crate::table_writer::TableSize;
use crate::units::make_table;
use parquote_catalogue::operation::Table;
use parquote_raw::{Progress, cores};

/// The future that builds a table.
type PendingTable = BoxFuture<'static, Result<LaterTable, DeriveError>>;

impl Build<'_> {
    /// Builds each table as soon as all its inputs are written.
    pub(super) async fn build_from_tables(
        &mut self,
        tables: &[&Table],
        order: &Order<'_>,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        if tables.is_empty() {
            return Ok(());
        }
        progress.start("deriving table by table", tables.len() as u64);
        let cores = Arc::new(Semaphore::new(cores()));
        let mut waiting = tables.to_vec();
        let mut building = JoinSet::new();
        loop {
            let (ready, others) = waiting.into_iter().partition(|table| self.is_ready(table, order));
            waiting = others;
            for table in ready {
                let (name, work) = (table.name.clone(), self.build_table(table, order, &cores)?);
                building.spawn(async move { Ok::<_, DeriveError>((name, work.await?)) });
            }
            let Some(finished) = building.join_next().await else { break };
            let (name, LaterTable { rows, core_time }) = finished??;
            let table = tables.iter().find(|table| table.name == name);
            self.written.extend(table.map(|table| (*table).clone()));
            progress.part(&name, core_time);
            progress.advance(1);
            self.sizes.push(TableSize { name, rows });
        }
        progress.finish();
        Ok(())
    }

    /// Returns the future that builds one table.
    fn build_table(
        &mut self,
        table: &Table,
        order: &Order<'_>,
        cores: &Arc<Semaphore>,
    ) -> Result<PendingTable, DeriveError> {
        if let Some(rows) = table.keep.then(|| self.rows_to_reuse(table)).flatten() {
            let (sink, rows) = (Sink::start(table, self.writer(table, PartitionPlan::default())), rows?);
            return Ok(Box::pin(async move {
                sink.write(vec![rows]).await;
                Ok(LaterTable { rows: sink.finish().await?, ..LaterTable::default() })
            }));
        }
        let plan = self.plan(table, order)?;
        if let Some(rows) = plan.reused_rows(PartitionSpan::Whole) {
            return Ok(Box::pin(async move { Ok(LaterTable { rows, ..LaterTable::default() }) }));
        }
        let tables = |names: &[String]| -> Vec<Table> {
            names.iter().filter_map(|name| self.catalogue.table_in_sql(self.market, name).cloned()).collect()
        };
        let reads = order.reads.get(&table.name).map(Vec::as_slice).unwrap_or_default();
        let absent = table.optional_tables.iter().filter(|name| !reads.contains(name)).cloned();
        let pass = LaterPass {
            market: self.market,
            calendar: self.calendar.clone(),
            folder: self.folder.clone(),
            table: table.clone(),
            reads: tables(reads),
            missing_tables: tables(&absent.collect::<Vec<_>>()),
            years: years(&self.sessions)
                .into_iter()
                .filter(|year| plan.reused_rows(PartitionSpan::Year(*year)).is_none())
                .collect(),
            cores: Arc::clone(cores),
        };
        if let Some(Units { runner, rebuild_id }) = self.units.clone() {
            return Ok(Box::pin(make_table(pass, plan, self.pages(table), rebuild_id, runner)));
        }
        let sink = Sink::start(table, self.writer(table, plan));
        Ok(Box::pin(pass.run(sink)))
    }

    /// Returns true if all inputs of a table are written.
    fn is_ready(&self, table: &Table, order: &Order<'_>) -> bool {
        let written = |name: &String| self.written.iter().any(|table| table.name == *name);
        order.reads.get(&table.name).is_none_or(|reads| reads.iter().all(written))
    }
}
