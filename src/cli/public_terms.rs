//! The terms of data owners, and the warnings to the operator at the start about terms that do not allow the public to see a table.

use std::sync::Arc;

use anyhow::bail;

use crate::call::{PublicTiers, Service, SourceTerms, is_invented};
use crate::config::Refresh;
use crate::engine::Snapshot;
use crate::fetch::SourceCatalogue;
use crate::operation::{Catalogue, Market, Tier};

/// The public tiers, and the terms of data owners that limit what they may see.
pub(super) struct PublicTerms {
    pub public: PublicTiers,
    pub terms: Arc<SourceTerms>,
}

impl PublicTerms {
    /// Reads the settings, and traces operations to the owners of their data.
    ///
    /// # Errors
    /// A public lag without public tiers, or an operation whose SQL does not parse.
    pub(super) fn new(
        refresh: &Refresh,
        catalogue: &Catalogue,
        sources: &SourceCatalogue,
    ) -> anyhow::Result<Self> {
        if let (Some(lag), []) = (refresh.keeping.public_lag.first(), &*refresh.public_tiers) {
            let tiers = Tier::ALL.map(Tier::word).join(", ");
            bail!(
                "--public-lag {lag} holds nothing back without --public-tiers; name the tiers that are public, of {tiers}"
            );
        }
        let public = PublicTiers::new(refresh.public_tiers.iter().copied());
        Ok(Self { public, terms: Arc::new(SourceTerms::from_catalogue(catalogue, sources)?) })
    }

    /// Adds public tiers and terms to a service.
    pub(super) fn add_to(&self, service: Service) -> Service {
        service.with_public_tiers(self.public.clone()).with_source_terms(Arc::clone(&self.terms))
    }
}

/// Warns of each data owner whose terms do not allow the public to see its tables with the configured lag.
pub(super) fn warn(terms: &SourceTerms, snapshot: &Snapshot, refresh: &Refresh) {
    let is_real = |market: &Market| !is_invented(snapshot, *market);
    let counts =
        |market| Some(market).filter(is_real).map(|market| snapshot.tables(market)).unwrap_or_default();
    let tables = |market| counts(market).into_iter().map(|(table, _)| table).collect();
    for warning in warnings(terms, &tables, refresh) {
        tracing::warn!("{warning}");
    }
}

fn warnings(
    terms: &SourceTerms,
    tables_of: &dyn Fn(Market) -> Vec<String>,
    refresh: &Refresh,
) -> Vec<String> {
    if refresh.public_tiers.is_empty() {
        return Vec::new();
    }
    let tiers = refresh.public_tiers.iter().map(|tier| tier.word()).collect::<Vec<_>>().join(", ");
    let mut warnings = Vec::new();
    for market in Market::ALL {
        let tables = tables_of(market);
        let days = refresh.keeping.keep().lag.days(market);
        for (owner, tables) in terms.forbidden(market, tables.iter().map(String::as_str), days) {
            let shown = days.map_or_else(|| "at once".to_owned(), |days| format!("after {days} days"));
            warnings.push(format!(
                "{tiers} see {market} data {shown}; files of {} may be passed on: {} ({}). They may be in the tables {}",
                owner.name,
                owner.pass_on,
                owner.page,
                tables.join(", ")
            ));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Settings {
        #[command(flatten)]
        refresh: Refresh,
    }

    #[test]
    fn the_owner_is_warned_of_what_terms_do_not_allow_the_public_to_see() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let terms = SourceTerms::from_catalogue(&catalogue, &SourceCatalogue::embedded().unwrap()).unwrap();
        let tables = |market| catalogue.tables_in(market).map(|table| table.name.clone()).collect();
        let warned = |arguments: &str| {
            let arguments = ["parquote"].into_iter().chain(arguments.split_whitespace());
            let settings = Settings::try_parse_from(arguments).unwrap();
            warnings(&terms, &tables, &settings.refresh).join("\n")
        };
        assert_eq!(warned(""), "");
        let unnamed = Settings::try_parse_from(["parquote", "--public-lag", "india=30d"]).unwrap();
        let refused = PublicTerms::new(&unnamed.refresh, &catalogue, &SourceCatalogue::embedded().unwrap());
        let refused = refused.err().unwrap().to_string();
        assert!(
            refused.contains("--public-lag india=30d holds nothing back without --public-tiers"),
            "{refused}"
        );
        let at_once = warned("--public-tiers free");
        for part in [
            "free see india data at once; files of National Stock Exchange of India may be passed on: after 30 days",
            "https://www.nseindia.com/nse-terms-of-use",
            "daily_prices",
            "free see india data at once; files of NSE Indices may be passed on: no",
        ] {
            assert!(at_once.contains(part), "{part} lacks in {at_once}");
        }
        assert!(!at_once.contains("Securities and Exchange Commission"), "{at_once}");
        let early = warned("--public-tiers free,api_pro --public-lag india=7d");
        assert!(early.contains("free, api_pro see india data after 7 days; files of National"), "{early}");
        let late = warned("--public-tiers free --public-lag india=30d");
        assert!(!late.contains("National Stock Exchange") && late.contains("NSE Indices"), "{late}");
    }
}
