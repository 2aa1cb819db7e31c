//! Input of a view of a part.

use maud::{Markup, html};

use super::page_rows::{PageRows, PartOutcome};
use super::plan::PartCall;
use super::request::PageRequest;
use super::spec::PartSpec;
use parquote_catalogue::operation::{Catalogue, Operation};
use parquote_engine::Snapshot;

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
    pub(super) const fn over<'b>(&'b self, rows: &'b PageRows) -> PartView<'b> {
        PartView { rows, ..*self }
    }

    /// Shows these words in the place of missing rows, and since when there are none.
    pub(super) fn nothing(&self, words: &str) -> Markup {
        let prepared = self.snapshot.prepared(self.operation, self.request.market);
        let age = prepared.and_then(|prepared| prepared.row_age().of_nothing());
        html! { p.none { (words) @if let Some(age) = age { " " (age) } } }
    }

    /// Returns true if the page's query belongs to this part.
    pub(super) fn takes_query(&self) -> bool {
        self.part.takes_query && self.part.call(self.request.market).is_some()
    }
}
