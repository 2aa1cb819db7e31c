//! The number of operations that can answer from the existing raw files, and from those of a plan.

use std::collections::BTreeSet;
use std::path::Path;

use super::coverage::MarketCoverage;
use crate::derive::covered_tables;
use crate::fetch::{FetchPlan, SourceCatalogue};
use crate::operation::{Catalogue, Market};

/// The coverage of markets by the raw files of a folder.
pub(super) struct FetchCoverage<'a> {
    /// Each market with the source tables that its raw files fill.
    markets: Vec<(MarketCoverage<'a>, BTreeSet<String>)>,
}

impl<'a> FetchCoverage<'a> {
    /// Examines the files of one market, or of both.
    pub(super) fn inspect(
        catalogue: &'a Catalogue,
        sources: &'a SourceCatalogue,
        only: Option<Market>,
        raw: &Path,
    ) -> anyhow::Result<Self> {
        let wanted = |market: &Market| only.is_none_or(|only| only == *market);
        let markets = Market::ALL.into_iter().filter(wanted).map(|market| {
            let coverage = MarketCoverage::for_market(catalogue, sources, market)?;
            Ok((coverage, covered_tables(catalogue, market, raw)?))
        });
        Ok(Self { markets: markets.collect::<anyhow::Result<_>>()? })
    }

    /// Summarizes each market: operations that can answer after a derivation, the next file to get, and the command to derive.
    pub(super) fn summaries(&self, raw: &Path) -> Vec<String> {
        let summary = |(coverage, there): &(MarketCoverage<'_>, BTreeSet<String>)| {
            format!(
                "{}: {}",
                coverage.market,
                coverage.summary(there, |_, needs| needs.needed.is_subset(there))
            )
        };
        let mut lines: Vec<String> = self.markets.iter().map(summary).collect();
        if self.markets.iter().any(|(_, there)| !there.is_empty()) {
            let raw = raw.display();
            lines.push(format!(
                "next: parquote derive --raw {raw} --data data/mine makes tables of these files"
            ));
        }
        lines
    }

    /// Returns the operations that can answer after each step of a plan.
    pub(super) fn operations_after_steps(&self, plan: &FetchPlan) -> Vec<String> {
        let mut sources = BTreeSet::new();
        let after = plan.parts.iter().map(|part| {
            sources.extend(part.sources.iter().cloned());
            let of_market = |(coverage, there): &(MarketCoverage<'_>, BTreeSet<String>)| {
                let there: BTreeSet<String> =
                    there.union(&coverage.tables_filled_by(&sources)).cloned().collect();
                let answering = coverage.answering(|_, needs| needs.needed.is_subset(&there));
                format!("{}: {answering}", coverage.market)
            };
            self.markets.iter().map(of_market).collect::<Vec<_>>().join(", ")
        });
        after.collect()
    }
}
