//! The explorer: every page of the registry, in both markets, over the demo market.
//!
//! Reading order: what the tests stand on ([`markup`], [`visit`]), then the tests.

/// HTML taken apart, strictly.
mod markup;

/// Pages as they come over the wire.
mod visit;

/// What holds for every page.
mod every_page;

/// The screener.
mod screen;

/// Where links lead.
mod crawl;

/// How much is sent.
mod budgets;

/// What operations refuse.
mod refusals;

/// Values with markup in them.
mod escaped;
