//! The tables of one market of one set, with all that its operations share: plans, update times, names. Immutable.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::plan_pools::Plans;
use crate::error::EngineError;
use crate::set_name::SetName;
use crate::tables::coverage::no_data;
use crate::tables::market_tables::MarketTables;
use crate::tables::shared::Engine;
use crate::tables::type_erased::TypeErased;
use crate::updated::UpdateTimes;
use parquote_catalogue::operation::{Market, Operation, Select};
use parquote_set::TableFiles;

/// Data that the operations of a market read.
#[derive(Clone)]
pub(crate) struct MarketData {
    pub engine: Arc<Engine>,
    pub market: Market,
    pub name: SetName,
    /// Hash over the query files and the set, part of each entity tag.
    pub tag: String,
    pub tables: Arc<MarketTables>,
    /// The files of the set, loaded or not.
    pub files: Arc<TableFiles>,
    pub updated: UpdateTimes,
    pub plans: Arc<TypeErased<Plans>>,
}

impl MarketData {
    pub(crate) fn new(
        engine: &Arc<Engine>,
        market: Market,
        (name, updated): (SetName, UpdateTimes),
        (tables, files): (MarketTables, TableFiles),
    ) -> Self {
        let plans = TypeErased::new(Plans::new(&engine.limits, Arc::clone(&engine.runtimes)));
        let tag = engine.tag_of(&name.id);
        let (engine, tables, plans) = (Arc::clone(engine), Arc::new(tables), Arc::new(plans));
        Self { engine, market, name, tag, tables, files: Arc::new(files), updated, plans }
    }

    /// Returns the same tables under the name of the set in which they were published, with the set's files.
    pub(crate) fn published_as(&self, name: SetName, files: TableFiles) -> Self {
        let updated = name.published.map_or_else(|| self.updated.clone(), UpdateTimes::Published);
        Self { name, updated, files: Arc::new(files), ..self.clone() }
    }

    /// Returns the missing tables that a SELECT needs, each as `market.table`.
    pub(crate) fn missing_tables(
        &self,
        operation: &Operation,
        select: &Select,
    ) -> Result<BTreeSet<String>, EngineError> {
        let missing =
            self.tables.missing_tables(&self.engine.catalogue, &select.sql, &operation.optional_tables)?;
        Ok(missing.into_iter().collect())
    }

    /// Returns the error for missing tables, each named `market.table`.
    pub(crate) fn missing_tables_error(&self, tables: Vec<String>) -> EngineError {
        if self.tables.is_empty() {
            return EngineError::MissingTables { tables: Vec::new(), remedy: no_data(self.market) };
        }
        let remedy = self.tables.remedy(&tables);
        EngineError::MissingTables { tables, remedy }
    }
}
