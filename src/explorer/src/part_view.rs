//! Input of the functions that draw the views of a part.

use maud::{Markup, html};

use super::column_title::title;
use super::moment::date;
use super::page_rows::{PageRows, PartOutcome};
use super::plan::PartCall;
use super::request::PageRequest;
use super::spec::PartSpec;
use parquote_catalogue::operation::{Catalogue, Operation, Param, Value, ValueLimits};
use parquote_engine::{RowAge, Snapshot};
use parquote_handlers::{FORMULAS, formula_title};

/// A part of a page with its answer.
#[derive(Clone, Copy)]
pub(super) struct PartView<'a> {
    /// Request of the page.
    pub request: &'a PageRequest,
    /// Declaration of the part.
    pub part: &'a PartSpec,
    /// Operation that the part calls.
    pub operation: &'a Operation,
    /// Rows of the answer; empty if it was refused.
    pub rows: &'a PageRows,
    /// All calls of the page with their outcomes, for rows of other parts.
    pub calls: &'a [(PartCall, PartOutcome)],
    /// All operations, for forms that send other ones.
    pub catalogue: &'a Catalogue,
    /// Snapshot, for the allowed values of parameters.
    pub snapshot: &'a Snapshot,
}

impl PartView<'_> {
    /// Returns the same part with other rows.
    pub(super) const fn with_rows<'b>(&'b self, rows: &'b PageRows) -> PartView<'b> {
        PartView { rows, ..*self }
    }

    /// Shows a sentence in place of missing rows, with the date of the newest rows if they are of few tables, and a link to rows that the
    /// parameters or their defaults exclude.
    pub(super) fn empty_notice(&self, words: &str) -> Markup {
        /// An answer from more dated tables is empty because of its conditions, not because of old data.
        const MOST_NAMED: usize = 3;
        let prepared = self.snapshot.prepared_operation(self.operation, self.request.market);
        let has_symbol = self.operation.params.iter().any(Param::is_symbol);
        let symbol = self.request.symbol.as_deref().filter(|_| has_symbol);
        let age = prepared.map(|prepared| prepared.row_age_for(symbol.as_slice()));
        let age = age.as_deref();
        let newest = age.into_iter().flat_map(RowAge::newest);
        let newest = newest.map(|(table, day)| format!("{} {}", table.replace('_', " "), date(day)));
        let newest: Vec<String> = newest.collect();
        let is_limited =
            self.takes_query() && !self.request.pairs.is_empty() && !self.request.page.has_symbol();
        let days = age.and_then(|age| self.days_of_newest(age));
        let path = self.request.path();
        let address = days.map_or_else(|| path.clone(), |days| format!("{path}?days={days}"));
        html! {
            p.none {
                (words)
                @match newest.len() {
                    0 => { @if let Some(age) = age.and_then(RowAge::no_rows_message) { " " (age) } },
                    1..=MOST_NAMED => {
                        " Newest rows: " (newest.join(", ")) "."
                        @if let Some(others) = age.and_then(RowAge::other_stocks_message) { " " (others) }
                    },
                    _ => {},
                }
                @if is_limited || days.is_some() {
                    " " a href=(address) {
                        @if (1..=MOST_NAMED).contains(&newest.len()) { "Show the newest rows" } @else { "Show all rows" }
                    }
                }
            }
        }
    }

    /// Returns the value of `days` with which the operation finds its newest row; `None` if its default suffices, if it has no such
    /// parameter, or if it reads several dated tables.
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

    /// Returns the title of a column. The title of a formula column is the name of the formula, or the formula itself.
    pub(super) fn title(&self, name: &str) -> String {
        let formula = self.request.get(name).filter(|_| FORMULAS.contains(&name)).map(formula_title);
        formula.map_or_else(|| title(name, self.rows.column(name)), str::to_owned)
    }

    /// Returns true if the page's query belongs to this part.
    pub(super) fn takes_query(&self) -> bool {
        self.part.takes_query && self.part.call(self.request.market).is_some()
    }
}
