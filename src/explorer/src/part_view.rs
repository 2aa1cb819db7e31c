//! What a view of a part is made from.

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
    /// What was asked of the page.
    pub request: &'a PageRequest,
    /// The part.
    pub part: &'static PartSpec,
    /// The operation.
    pub operation: &'a Operation,
    /// The answer; empty where it was refused.
    pub rows: &'a PageRows,
    /// All calls of the page and what they came to, for what stands beside the rows.
    pub calls: &'a [(PartCall, PartOutcome)],
    /// All operations, for forms of others.
    pub catalogue: &'a Catalogue,
    /// The data that answered, for the values that parameters may have.
    pub snapshot: &'a Snapshot,
}

impl PartView<'_> {
    /// The same part with other rows.
    pub(super) const fn over<'b>(&'b self, rows: &'b PageRows) -> PartView<'b> {
        PartView { rows, ..*self }
    }

    /// What is said in the place of rows where there are none: these words, and since when.
    pub(super) fn nothing(&self, words: &str) -> Markup {
        let prepared = self.snapshot.prepared(self.operation, self.request.market);
        let age = prepared.and_then(|prepared| prepared.row_age().of_nothing());
        html! { p.none { (words) @if let Some(age) = age { " " (age) } } }
    }

    /// Whether the query of the page is that of this part.
    pub(super) fn takes_query(&self) -> bool {
        let ask = self.part.ask(self.request.market);
        ask.is_some_and(|ask| ask.query == super::spec::QueryUse::Rest)
    }
}
