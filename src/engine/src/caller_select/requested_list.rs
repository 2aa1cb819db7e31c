//! Lists of tables and columns that a text such as `SHOW TABLES` or `DESCRIBE stocks` requests.

use std::sync::Arc;

use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};

use super::listing::{SCHEMA, columns, columns_list, in_memory, readable_tables, served_tables, tables_list};
use super::refusal::SelectRefusal;
use super::{UserSelect, scope};
use crate::snapshot::Snapshot;
use parquote_catalogue::operation::Market;

/// Indices of the columns that `SHOW TABLES` returns, in the list of tables.
const SHOW_TABLES_COLUMNS: [usize; 3] = [0, 1, 3];
/// Indices of the columns that `DESCRIBE` returns, in the list of columns.
const DESCRIBE_COLUMNS: [usize; 4] = [2, 4, 6, 7];

/// A list that is requested without a SELECT.
pub(super) enum RequestedList {
    /// The tables of this market; `None` for the market of the call.
    Tables(Option<Market>),
    /// The columns of the table of this name.
    Columns(Vec<String>),
}

impl RequestedList {
    /// Parses a text; `None` if it requests no list.
    pub(super) fn parse(sql: &str) -> Option<Self> {
        /// Number of words that are read, more than any of these texts has.
        const MOST_WORDS: usize = 6;
        let text = sql.trim().trim_end_matches(';').to_lowercase();
        let words: Vec<&str> = text.split_whitespace().take(MOST_WORDS).collect();
        match words.as_slice() {
            ["show", "tables"] | ["\\d" | "\\dt"] => Some(Self::Tables(None)),
            ["show", "tables", "from" | "in", schema] => Some(Self::Tables(Some(schema.parse().ok()?))),
            ["describe" | "desc" | "\\d" | "\\d+", table]
            | ["describe" | "desc", "table", table]
            | ["show", "columns", "from" | "in", table] => {
                Some(Self::Columns(table.split('.').map(|part| part.trim_matches('"').to_owned()).collect()))
            }
            _ => None,
        }
    }

    /// Plans the list of what the caller may read.
    ///
    /// # Errors
    /// A table that the market lacks, or that the caller may not read.
    pub(super) fn plan(
        &self,
        snapshot: &Snapshot,
        user_select: &UserSelect<'_>,
    ) -> Result<LogicalPlan, SelectRefusal> {
        let (market, may_read) = (user_select.market, user_select.may_read);
        let (rows, projection) = match self {
            Self::Tables(list_market) => {
                let tables = readable_tables(snapshot, list_market.unwrap_or(market), user_select)?;
                (tables_list(&tables)?, SHOW_TABLES_COLUMNS.to_vec())
            }
            Self::Columns(name) => {
                let table_name = scope::table_from_parts(name, market);
                let (list_market, name) =
                    table_name.ok_or_else(|| scope::invalid_name_refusal(&name.join(".")))?;
                let table =
                    served_tables(snapshot, list_market)?.into_iter().find(|table| table.name == name);
                let table = table.ok_or_else(|| scope::unknown_table(snapshot, list_market, &name))?;
                may_read(list_market, &name).map_err(SelectRefusal::TableForbidden)?;
                (columns_list(&columns(list_market, table).collect::<Vec<_>>())?, DESCRIBE_COLUMNS.to_vec())
            }
        };
        let source = provider_as_source(Arc::new(in_memory(rows)?));
        Ok(LogicalPlanBuilder::scan(SCHEMA, source, Some(projection))?.build()?)
    }
}
