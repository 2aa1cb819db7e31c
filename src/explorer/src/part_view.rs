//! Input of a view of a part.

use maud::{Markup, html};

use super::column_title::title;
use super::moment::date;
use super::page_rows::{PageRows, PartOutcome};
use super::plan::PartCall;
use super::request::PageRequest;
use super::spec::PartSpec;
use parquote_catalogue::operation::{Catalogue, Operation, Value, ValueLimits};
use parquote_engine::{RowAge, Snapshot};
use parquote_handlers::{FORMULAS, formula_title};

/// A part of a page with its answer.
#[derive(Clone, Copy)]
pub(super) struct PartView<'a> {
    /// Request of the page.
    pub request: &'a PageRequest,
    /// Part.
    pub part: &'a PartSpec,
    /// Operation.
    pub operation: &'a Operation,
    /// Answer; empty if it was refused.
    pub rows: &'a PageRows,
    /// All calls of the page with their outcomes, for rows of other parts.
    pub calls: &'a [(PartCall, PartOutcome)],
    /// All operations, for forms of others.
    pub catalogue: &'a Catalogue,
    /// Data that was read, for the allowed values of parameters.
    pub snapshot: &'a Snapshot,
}

impl PartView<'_> {
    /// Returns the same part with other rows.
    pub(super) const fn with_rows<'b>(&'b self, rows: &'b PageRows) -> PartView<'b> {
        PartView { rows, ..*self }
    }

    /// Shows a sentence in place of missing rows, with the date of the newest rows, and a link to those rows if the parameters or their
    /// defaults exclude them.
    pub(super) fn nothing(&self, words: &str) -> Markup {
        let prepared = self.snapshot.prepared_operation(self.operation, self.request.market);
        let age = prepared.map(|prepared| prepared.row_age());
        let newest = age.map(|age| {
            let tables =
                age.newest().map(|(table, day)| format!("{} {}", table.replace('_', " "), date(day)));
            tables.collect::<Vec<_>>().join(", ")
        });
        let newest = newest.filter(|newest| !newest.is_empty());
        let is_limited =
            self.takes_query() && !self.request.pairs.is_empty() && !self.request.page.has_symbol();
        let days = age.and_then(|age| self.days_of_newest(age));
        let path = self.request.path();
        let address = days.map_or_else(|| path.clone(), |days| format!("{path}?days={days}"));
        html! {
            p.none {
                (words)
                @match newest {
                    Some(newest) => { " Newest rows: " (newest) "." },
                    None => { @if let Some(age) = age.and_then(RowAge::of_nothing) { " " (age) } },
                }
                @if is_limited || days.is_some() { " " a href=(address) { "Show the newest rows" } }
            }
        }
    }

    /// Returns the days that reach back to the newest row, for a page that looks back on fewer by default; `None` if its operation takes
    /// no such number, or reads several dated tables.
    fn days_of_newest(&self, age: &RowAge) -> Option<i64> {
        let (param, as_of) = (self.operation.param("days")?, self.snapshot.as_of(self.request.market)?);
        let (Some(Value::Int(default)), ValueLimits::Range(_, Some(most))) = (&param.default, &param.limits)
        else {
            return None;
        };
        let mut dates = age.newest().map(|(_, day)| day);
        let newest = dates.next().filter(|_| dates.next().is_none())?;
        let days = (as_of - newest).num_days() + 1;
        let is_possible = days > *default && days as f64 <= *most;
        (is_possible && self.takes_query() && !self.request.page.has_symbol()).then_some(days)
    }

    /// Returns the title of a column of its rows; that of a formula is its name, or the formula.
    pub(super) fn title(&self, name: &str) -> String {
        let formula = self.request.get(name).filter(|_| FORMULAS.contains(&name)).map(formula_title);
        formula.map_or_else(|| title(name, self.rows.column(name)), str::to_owned)
    }

    /// Returns true if the page's query belongs to this part.
    pub(super) fn takes_query(&self) -> bool {
        self.part.takes_query && self.part.call(self.request.market).is_some()
    }
}
