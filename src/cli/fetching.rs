//! Code shared by `fetch` and `refresh`: building the fetcher from settings, and the consent to terms.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use url::Url;

use crate::config::{EnvironmentKeys, FetchOptions};
use crate::fetch::{
    FetchRequest, FetchSettings, Fetcher, Folders, HostGroup, Need, Source, SourceCatalogue, SystemClock,
};

impl FetchOptions {
    /// Returns the folders of the fetcher.
    pub(super) fn folders(&self) -> Folders {
        Folders::new(&self.raw).with_shared(&self.fetch_state)
    }

    /// Loads the sources that these settings select.
    pub(super) fn source_catalogue(&self) -> anyhow::Result<SourceCatalogue> {
        Ok(match &self.sources {
            Some(folder) => SourceCatalogue::with_folder(folder)?,
            None => SourceCatalogue::embedded()?,
        })
    }

    /// Creates the fetcher for these settings; nothing is requested yet.
    pub(super) fn fetcher(&self) -> anyhow::Result<Fetcher> {
        let catalogue = self.source_catalogue()?;
        let hosts: Vec<&str> = catalogue.groups().flat_map(|group| group.host_names()).collect();
        let mut bases = BTreeMap::new();
        for (host, url) in &self.mirror {
            if !hosts.contains(&host.as_str()) {
                bail!("--mirror: `{host}` is no host of a source; the hosts are {}", hosts.join(", "));
            }
            let url: Url = url.parse().with_context(|| {
                format!("--mirror: `{url}` is not a URL such as https://mirror.example.com")
            })?;
            bases.insert(host.clone(), url);
        }
        let settings = FetchSettings {
            contact: self.contact.clone(),
            keys: Arc::new(EnvironmentKeys),
            bases,
            ..FetchSettings::default()
        };
        Ok(Fetcher::new(catalogue, self.folders(), settings, Arc::new(SystemClock))?)
    }
}

/// Returns the host group with a name, or with a host of that name.
pub(super) fn group(fetcher: &Fetcher, name: &str) -> anyhow::Result<Arc<HostGroup>> {
    let groups = || fetcher.catalogue().groups();
    let found = groups().find(|group| group.name == name || group.host_names().any(|host| host == name));
    found.cloned().with_context(|| {
        let names: Vec<&str> = groups().map(|group| group.name.as_str()).collect();
        format!("`{name}` is no host of a source; the hosts are {}", names.join(", "))
    })
}

/// Stores the consent to the terms of these hosts.
pub(super) fn accept(fetcher: &Fetcher, hosts: &[String]) -> anyhow::Result<()> {
    for host in hosts {
        fetcher.consent(group(fetcher, host)?.as_ref())?;
    }
    Ok(())
}

/// Asks on a terminal for missing consents. Without a terminal nothing is accepted.
pub(super) fn ask_for_terms(fetcher: &Fetcher, request: &FetchRequest) -> anyhow::Result<()> {
    if !is_terminal() {
        return Ok(());
    }
    let mut groups: BTreeMap<String, Arc<HostGroup>> = BTreeMap::new();
    for (_, need) in fetcher.plan(request)?.unmet_needs {
        if let Need::Consent(group) = need {
            groups.insert(group.name.clone(), group);
        }
    }
    for group in groups.into_values() {
        eprintln!("{} gets requests only if you agree to its terms: {}", group.who, group.terms);
        eprintln!("  In short: {} ({}).", group.terms_say, group.terms_note());
        if confirm("Do you agree? Your answer is saved. [y/N] ")? {
            fetcher.consent(&group)?;
        }
    }
    Ok(())
}

/// Returns true if the user can answer questions.
pub(super) fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a yes-no question; anything but a clear yes is a no.
pub(super) fn confirm(question: &str) -> io::Result<bool> {
    eprint!("{question}");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Returns what the user can do for sources that get no requests; sources with the same need share a line.
pub(super) fn remedies(unmet_needs: &[(Arc<Source>, Need)]) -> Vec<String> {
    let mut by_remedy: Vec<(String, Vec<&str>)> = Vec::new();
    for (source, need) in unmet_needs {
        let remedy = remedy(need);
        match by_remedy.iter_mut().find(|(known, _)| *known == remedy) {
            Some((_, names)) => names.push(&source.name),
            None => by_remedy.push((remedy, vec![&source.name])),
        }
    }
    by_remedy.into_iter().map(|(remedy, names)| format!("not asked: {}. {remedy}", some_of(&names))).collect()
}

/// Formats the first names of a list and the number of the others.
fn some_of(names: &[&str]) -> String {
    const MOST_SHOWN: usize = 4;
    let shown: Vec<&str> = names.iter().copied().take(MOST_SHOWN).collect();
    match names.len().saturating_sub(MOST_SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn remedy(need: &Need) -> String {
    let words = need.words();
    match need {
        Need::Consent(group) => format!("{words}. Agree with: parquote fetch --accept-terms {}", group.name),
        Need::Contact(_) => format!("{words}. Set it with --contact or PARQUOTE_SEC_CONTACT"),
        Need::Companies => format!("{words}: --company NAME,..."),
        Need::Keys(_) => words,
    }
}

/// Formats a number of bytes.
pub(super) fn shown_bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.0} KB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_with_the_same_need_share_a_line() {
        let catalogue = SourceCatalogue::embedded().unwrap();
        let lacking = |name: &str| {
            let source = Arc::clone(catalogue.source(name).unwrap());
            let group = Arc::clone(catalogue.group_of(&source).unwrap());
            (source, Need::Consent(group))
        };
        let of_nse = ["pr", "udiff", "full_bhavcopy", "price_bands", "bulk_deals", "block_deals"];
        let all: Vec<_> = of_nse.into_iter().chain(["nasdaq_listed"]).map(lacking).collect();
        let lines = remedies(&all);
        assert_eq!(lines.len(), 2);
        assert!(
            lines[0].starts_with("not asked: pr, udiff, full_bhavcopy, price_bands and 2 more. "),
            "{lines:?}"
        );
        assert!(
            lines[0].ends_with("--accept-terms nse") && lines[1].ends_with("--accept-terms nasdaqtrader")
        );
    }

    #[test]
    fn bytes_are_shown_in_their_unit() {
        let shown = [999, 1_500, 374_000, 1_130_000, 1_370_000_000].map(shown_bytes);
        assert_eq!(shown, ["999 B", "2 KB", "374 KB", "1.1 MB", "1.37 GB"]);
    }
}
