//! The sets and sources of a server for the portal: the state of each source, the plan of a fetch, and the commands that bring data.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fetch_listing::last_request;
use super::fetch_progress::size_of;
use super::fetching::{accept, remedies, shown_bytes};
use crate::config::{DataRoot, FetchOptions, Serving};
use crate::explorer::portal::{PlanLine, SourceLine, SourcesView, TermsLine};
use crate::fetch::{FetchPlan, FetchRequest, Fetcher, Need, SourceStatus};
use crate::http::{AcceptTerms, ReadSources, SetsAndSources};
use crate::refresh::SetAdministration;

/// Folder for tables of official files, named by commands of a server that serves the fictional market.
const OWN_DATA: &str = "data/mine";

/// Builds the content of the pages; sources are read at each request.
pub(super) fn pages(sets: SetAdministration, serving: &Serving, root: &DataRoot) -> SetsAndSources {
    let (fetching, is_automatic) = (serving.fetching.clone(), serving.fetches);
    let data = if root.is_demo() { OWN_DATA.to_owned() } else { root.data.clone() };
    let fetching_for_terms = fetching.clone();
    let sources: ReadSources = Arc::new(move || -> Result<SourcesView, String> {
        let view = sources_view(&fetching, &data).map_err(|error| format!("{error:#}"))?;
        Ok(SourcesView { is_automatic, ..view })
    });
    let accept_terms: AcceptTerms = Arc::new(move |group: &str| {
        let accepted = fetching_for_terms.fetcher().and_then(|fetcher| accept(&fetcher, &[group.to_owned()]));
        accepted.map_err(|error| format!("{error:#}"))
    });
    SetsAndSources { sets: Arc::new(sets), sources, accept_terms }
}

fn sources_view(fetching: &FetchOptions, data: &str) -> anyhow::Result<SourcesView> {
    let (fetcher, request) = (fetching.fetcher()?, FetchRequest::default());
    let (listed, plan) = (fetcher.list(&request)?, fetcher.estimate(&request)?);
    // Consents are left out, as each has a form with its terms.
    let others = plan.unmet_needs.iter().filter(|(_, need)| !matches!(need, Need::Consent(_)));
    let others: Vec<_> = others.cloned().collect();
    Ok(SourcesView {
        sources: listed.iter().map(source_line).collect(),
        plan: plan_lines(&fetcher, &plan),
        size: size_of(&plan),
        terms: terms_lines(&plan),
        needs: remedies(&others),
        commands: commands(fetching, data),
        is_automatic: false,
    })
}

/// Returns the terms that are not accepted yet, one line for each host group.
fn terms_lines(plan: &FetchPlan) -> Vec<TermsLine> {
    let mut lines: BTreeMap<&str, TermsLine> = BTreeMap::new();
    for (_, need) in &plan.unmet_needs {
        if let Need::Consent(group) = need {
            let line = TermsLine {
                group: group.name.clone(),
                host: group.who.clone(),
                terms: group.terms.clone(),
                summary: group.terms_say.clone(),
            };
            lines.insert(&group.name, line);
        }
    }
    lines.into_values().collect()
}

fn source_line(status: &SourceStatus) -> SourceLine {
    let source = &status.source;
    SourceLine {
        market: source.market,
        name: source.name.clone(),
        files: source.what.clone(),
        newest: status.newest,
        missing: status.missing.len(),
        last: last_request(status),
        is_lacking: status.need.is_some(),
    }
}

/// Sums the requests of a plan by host.
fn plan_lines(fetcher: &Fetcher, plan: &FetchPlan) -> Vec<PlanLine> {
    let mut hosts: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for item in &plan.items {
        let Some(group) = fetcher.catalogue().group_of(&item.source) else { continue };
        let (requests, bytes) = hosts.entry(&group.who).or_default();
        *requests += 1;
        *bytes += item.bytes;
    }
    let line = |(host, (requests, bytes)): (&str, (usize, u64))| PlanLine {
        host: host.to_owned(),
        requests,
        size: shown_bytes(bytes),
    };
    hosts.into_iter().map(line).collect()
}

/// Returns the commands from the plan to the server, with the folders of this server.
fn commands(fetching: &FetchOptions, data: &str) -> Vec<(&'static str, String)> {
    let folders =
        format!("--raw {} --fetch-state {}", fetching.raw.display(), fetching.fetch_state.display());
    vec![
        (
            "See the plan with what can be answered after each step",
            format!("parquote fetch --dry-run {folders}"),
        ),
        ("Fetch the files", format!("parquote fetch {folders}")),
        ("Make tables of them", format!("parquote derive --raw {} --data {data}", fetching.raw.display())),
        (
            "Serve them, and repeat this when files are due",
            format!("parquote serve --data {data} {folders} --refresh"),
        ),
    ]
}
