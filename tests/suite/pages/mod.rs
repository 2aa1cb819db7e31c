//! The explorer: every page of the registry, in both markets, over the demo market.
//!
//! Reading order: the foundations ([`markup`], [`visit`]), then the tests.

/// A strict HTML parser.
mod markup;

/// Pages as received.
mod visit;

/// Rules for every page.
mod every_page;

/// Sections, tabs and landmarks.
mod menu;

/// Titles and figures that agree.
mod truth;

/// Lists and their order.
mod lists;

/// The screener.
mod screen;

/// Targets of links.
mod crawl;

/// Budgets of transfer.
mod budgets;

/// The tour of the demo market.
mod tour;

/// Refusals of operations.
mod refusals;

/// Values with markup in them.
mod escaped;
