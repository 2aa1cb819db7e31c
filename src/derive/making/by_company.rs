//! The tables made company by company: of whose statements something else is known than before, and what of a table stays.

use super::{Making, Small};
use crate::derive::error::DeriveError;
use crate::derive::raw::RawMarket;
use crate::derive::sources;
use crate::derive::year_plan::YearPlan;
use crate::operation::{Per, Table};

/// The lines of statements, from which all of these tables are made.
const LINES: &str = "statement_lines";
/// The table that says of which companies something else is known than before.
const DIGESTS: &str = "statement_digests";

impl Making<'_> {
    /// Finds the companies of whose statements something else is known than before, and keeps their lines at hand.
    pub(super) fn compare_companies(&mut self, raw: &RawMarket) -> Result<(), DeriveError> {
        let catalogue = self.catalogue;
        let tables = (catalogue.table(self.market, LINES), catalogue.table(self.market, DIGESTS));
        let (Some(lines), Some(digests), Some(statements)) = (tables.0, tables.1, &raw.statements) else {
            return Ok(());
        };
        let Some(now) = self.made().small(digests) else { return Ok(()) };
        self.kept.compare_companies(digests, &now?)?;
        if let Some(companies) = self.kept.companies() {
            let rows = sources::lines_of(lines, statements, &companies, raw.market);
            self.of_changed.insert(lines.name.clone(), rows.map_err(DeriveError::rows(&lines.name))?);
        }
        Ok(())
    }

    /// What becomes of a table made by company: it is patched where the rows of the changed companies are at hand of all that it
    /// reads.
    pub(super) fn plan_by_company(
        &mut self,
        table: &Table,
        reads: &[&Table],
    ) -> Result<YearPlan, DeriveError> {
        let mut plan = self.kept.plan_by_company(table, reads)?;
        let by_company = |read: &&&Table| read.per == Some(Per::Company) || read.name == LINES;
        if !reads.iter().filter(by_company).all(|read| self.of_changed.contains_key(&read.name)) {
            plan.patched.clear();
        }
        Ok(plan)
    }

    /// The rows of the changed companies, of the tables of these names that are made of companies; none where a table is not
    /// patched.
    pub(super) fn in_place(&self, plan: &YearPlan, reads: &[String]) -> Small {
        let of_changed = reads.iter().filter_map(|name| self.of_changed.get_key_value(name));
        let rows = of_changed.filter(|_| !plan.patched.is_empty());
        rows.map(|(name, rows)| (name.clone(), rows.clone())).collect()
    }
}
