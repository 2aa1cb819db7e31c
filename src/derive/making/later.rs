//! The tables made from what is written: several at once, as far as they do not wait for each other.

use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::Making;
use crate::derive::error::DeriveError;
use crate::derive::later_pass::{LaterPass, Made};
use crate::derive::order::Order;
use crate::derive::raw::{Progress, cores};
use crate::derive::sinks::Sink;
use crate::derive::table_writer::TableSize;
use crate::derive::year_plan::{ONE_FILE, YearPlan, years};
use crate::operation::Table;

/// What makes a table.
type Work = BoxFuture<'static, Result<Made, DeriveError>>;

impl Making<'_> {
    /// Makes the tables of tables, each when all that it reads is written.
    pub(super) async fn later(
        &mut self,
        order: &Order<'_>,
        progress: &dyn Progress,
    ) -> Result<(), DeriveError> {
        progress.start("deriving table by table", order.later.len() as u64);
        let cores = Arc::new(Semaphore::new(cores()));
        let mut waiting = order.later.clone();
        let mut making = JoinSet::new();
        loop {
            let (ready, others) = waiting.into_iter().partition(|table| self.is_ready(table, order));
            waiting = others;
            for table in ready {
                let (name, work) = (table.name.clone(), self.one(table, order, &cores)?);
                making.spawn(async move { Ok::<_, DeriveError>((name, work.await?)) });
            }
            let Some(made) = making.join_next().await else { break };
            let (name, Made { rows, took, of_changed }) = made??;
            let table = order.later.iter().find(|table| table.name == name);
            self.written.extend(table.map(|table| (*table).clone()));
            if let Some(of_changed) = of_changed {
                self.of_changed.insert(name.clone(), of_changed);
            }
            progress.part(&name, took);
            progress.advance(1);
            self.sizes.push(TableSize { name, rows });
        }
        progress.finish();
        let place = |size: &TableSize| order.later.iter().position(|table| table.name == size.name);
        self.sizes.sort_by_key(place);
        Ok(())
    }

    /// The work that makes one table.
    fn one(&mut self, table: &Table, order: &Order<'_>, cores: &Arc<Semaphore>) -> Result<Work, DeriveError> {
        if let Some(rows) = table.keep.then(|| self.stays(table)).flatten() {
            let (sink, rows) = (Sink::start(table, self.writer(table, YearPlan::default())), rows?);
            return Ok(Box::pin(async move {
                sink.write(vec![rows]).await;
                Ok(Made { rows: sink.finish().await?, ..Made::default() })
            }));
        }
        let plan = self.plan(table, order)?;
        if let Some(rows) = plan.kept.get(&ONE_FILE).copied() {
            return Ok(Box::pin(async move { Ok(Made { rows, ..Made::default() }) }));
        }
        let tables = |names: &[String]| -> Vec<Table> {
            names.iter().filter_map(|name| self.catalogue.table(self.market, name).cloned()).collect()
        };
        let reads = order.reads.get(&table.name).map(Vec::as_slice).unwrap_or_default();
        let absent = table.optional_tables.iter().filter(|name| !reads.contains(name)).cloned();
        let pass = LaterPass {
            in_place: self.in_place(&plan, reads),
            market: self.market,
            calendar: self.calendar.clone(),
            folder: self.folder.clone(),
            table: table.clone(),
            reads: tables(reads),
            absent: tables(&absent.collect::<Vec<_>>()),
            years: years(&self.sessions).into_iter().filter(|year| !plan.kept.contains_key(year)).collect(),
            cores: Arc::clone(cores),
        };
        let sink = Sink::start(table, self.writer(table, plan));
        Ok(Box::pin(pass.run(sink)))
    }

    /// Whether all that a table reads is written.
    fn is_ready(&self, table: &Table, order: &Order<'_>) -> bool {
        let written = |name: &String| self.written.iter().any(|table| table.name == *name);
        order.reads.get(&table.name).is_none_or(|reads| reads.iter().all(written))
    }
}
