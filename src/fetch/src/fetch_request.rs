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
    /// Names of sources; if empty, the sources that are fetched by default.
    pub sources: Vec<String>,
    /// The first day; `None` for the recent days that a source needs.
    pub since: Option<NaiveDate>,
    /// The last day; `None` for the last published one.
    pub until: Option<NaiveDate>,
    /// Maximum number of requests; `None` for no limit.
    pub limit: Option<usize>,
    /// Companies, as CIKs or symbols, for sources with one file for each company.
    pub companies: Vec<String>,
    /// True to repeat requests that are settled or recent.
    pub again: bool,
    /// True to confirm a plan of any length.
    pub yes: bool,
}

/// The settings of all requests: contact, keys, addresses, limits.
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// The caller's contact that the SEC requires, as `Asha Rao asha@firm.in`.
    pub contact: Option<String>,
    /// The keys of vendors.
    pub keys: Arc<dyn VendorKeys>,
    /// Base URLs by the host that they replace, such as that of a mirror of `nsearchives.nseindia.com`.
    pub bases: BTreeMap<String, Url>,
    /// Limits on one transfer.
    pub limits: Limits,
    /// The proxy.
    pub proxy: Proxy,
    /// Number of requests above which a plan needs confirmation.
    pub confirm_above: usize,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            contact: None,
            keys: Arc::new(NoVendorKeys),
            bases: BTreeMap::new(),
            limits: Limits::default(),
            proxy: Proxy::default(),
            confirm_above: 200,
        }
    }
}

/// The reason why a source gets no requests.
#[derive(Debug, Clone)]
pub enum Need {
    /// The terms of its hosts were not accepted.
    Consent(Arc<HostGroup>),
    /// The hosts require a contact.
    Contact(Arc<HostGroup>),
    /// The environment variables of these names have no valid key.
    Keys(Vec<String>),
    /// The source needs companies or symbols, and the request has none.
    Companies,
}

impl Need {
    /// Returns true if only a consent or a contact is missing.
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
        let is_in_market = request.market.is_none_or(|market| market == source.market);
        let is_default =
            request.sources.is_empty() && source.by_default && !is_archive_of_all(catalogue, request, source);
        if !is_in_market || !(is_named || is_default) {
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

/// Returns true for an archive of all companies, if the caller names companies whose single files another source puts into its folder.
fn is_archive_of_all(catalogue: &SourceCatalogue, request: &FetchRequest, source: &Source) -> bool {
    let has_company_files = |other: &Arc<Source>| other.per.is_some() && other.folder() == source.folder();
    !request.companies.is_empty() && source.per.is_none() && catalogue.sources().iter().any(has_company_files)
}

/// Returns the first condition that a source lacks; `None` if it can be requested.
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
