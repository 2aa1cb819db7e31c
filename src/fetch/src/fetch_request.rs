//! The files that a caller requests, and the conditions for a request: consent, contact, key.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::NaiveDate;
use url::Url;

use super::consent::Consents;
use super::error::FetchError;
use super::host_group::HostGroup;
use super::limits::{Limits, Proxy};
use super::source::Source;
use super::source_catalogue::SourceCatalogue;
use super::vendor_key::{NoVendorKeys, VendorKeys};
use parquote_catalogue::operation::Market;

/// The files that a caller requests.
#[derive(Debug, Clone, Default)]
pub struct FetchRequest {
    /// The market; `None` for both.
    pub market: Option<Market>,
    /// Names of sources; if empty, those fetched by default.
    pub sources: Vec<String>,
    /// The first day.
    pub since: Option<NaiveDate>,
    /// The last day.
    pub until: Option<NaiveDate>,
    /// Maximum number of requests in the plan.
    pub limit: Option<usize>,
    /// Companies, as CIKs or symbols, for sources with one file for each company.
    pub companies: Vec<String>,
    /// True to repeat requests that are settled or recent.
    pub again: bool,
    /// Confirms a plan of any length.
    pub yes: bool,
}

/// The settings of all requests: contact, keys, addresses, limits.
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// The caller's contact that the SEC requires, as `Asha Rao asha@firm.in`.
    pub contact: Option<String>,
    /// The keys of vendors.
    pub keys: Arc<dyn VendorKeys>,
    /// Base URLs that replace hosts, such as a mirror of `nsearchives.nseindia.com`.
    pub bases: BTreeMap<String, Url>,
    /// Limits on one transfer.
    pub limits: Limits,
    /// The proxy.
    pub proxy: Proxy,
    /// Number of requests above which a plan needs confirmation.
    pub ask_over: usize,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            contact: None,
            keys: Arc::new(NoVendorKeys),
            bases: BTreeMap::new(),
            limits: Limits::default(),
            proxy: Proxy::default(),
            ask_over: 200,
        }
    }
}

/// The reason why a source gets no requests.
#[derive(Debug, Clone)]
pub enum Need {
    /// The terms of its hosts were not accepted.
    Consent(Arc<HostGroup>),
    /// Its hosts require a contact.
    Contact(Arc<HostGroup>),
    /// These environment variables hold no valid key.
    Keys(Vec<String>),
    /// It needs companies or symbols, and the request has none.
    Companies,
}

impl Need {
    /// Returns true if a consent or a contact is all that is missing.
    pub const fn is_agreement(&self) -> bool {
        matches!(self, Self::Consent(_) | Self::Contact(_))
    }

    /// Describes the required action.
    pub fn words(&self) -> String {
        match self {
            Self::Consent(group) => {
                format!(
                    "{} gets requests only after you agreed to its terms, {}: {}",
                    group.who, group.terms, group.terms_say
                )
            }
            Self::Contact(group) => {
                format!(
                    "{} requires a contact in every request: a name and an email address that is read",
                    group.who
                )
            }
            Self::Keys(names) => format!("set your own key in the environment: {}", names.join(", ")),
            Self::Companies => "name the companies or symbols to request".to_owned(),
        }
    }
}

/// Sources to request, and sources with an unmet need.
pub(crate) struct ChosenSources {
    pub(crate) sources: Vec<Arc<Source>>,
    pub(crate) unmet_needs: Vec<(Arc<Source>, Need)>,
}

/// Selects the requested sources. A source with an unmet need is reported only if the caller named it, or if it only lacks a
/// consent or a contact.
pub(crate) fn select_sources(
    catalogue: &SourceCatalogue,
    consents: &Consents,
    settings: &FetchSettings,
    request: &FetchRequest,
) -> Result<ChosenSources, FetchError> {
    for name in &request.sources {
        catalogue.source(name)?;
    }
    let mut chosen = ChosenSources { sources: Vec::new(), unmet_needs: Vec::new() };
    for source in catalogue.sources() {
        let is_named = request.sources.contains(&source.name);
        let of_market = request.market.is_none_or(|market| market == source.market);
        let is_default =
            request.sources.is_empty() && source.by_default && !is_of_others(catalogue, request, source);
        if !of_market || !(is_named || is_default) {
            continue;
        }
        match missing_condition(catalogue, consents, settings, request, source) {
            None => chosen.sources.push(Arc::clone(source)),
            // A missing key or company matters only for a source that the caller named.
            Some(Need::Keys(_) | Need::Companies) if !is_named => {}
            Some(need) => chosen.unmet_needs.push((Arc::clone(source), need)),
        }
    }
    Ok(chosen)
}

/// Returns true for an archive of all companies if companies are named and their small files are in the same folder.
fn is_of_others(catalogue: &SourceCatalogue, request: &FetchRequest, source: &Source) -> bool {
    let of_companies = |other: &Arc<Source>| other.per.is_some() && other.folder() == source.folder();
    !request.companies.is_empty() && source.per.is_none() && catalogue.sources().iter().any(of_companies)
}

fn missing_condition(
    catalogue: &SourceCatalogue,
    consents: &Consents,
    settings: &FetchSettings,
    request: &FetchRequest,
    source: &Source,
) -> Option<Need> {
    let group = catalogue.group_of(source)?;
    let lacks = |name: &&str| settings.keys.key(name).is_none();
    let keys: Vec<String> = source.key_names().into_iter().filter(lacks).map(str::to_owned).collect();
    if !keys.is_empty() {
        Some(Need::Keys(keys))
    } else if source.per.is_some() && request.companies.is_empty() {
        Some(Need::Companies)
    } else if !consents.allows_group(group) {
        Some(Need::Consent(Arc::clone(group)))
    } else if group.needs_contact && settings.contact.is_none() {
        Some(Need::Contact(Arc::clone(group)))
    } else {
        None
    }
}
