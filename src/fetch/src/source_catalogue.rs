//! The catalogue of sources, hosts and trading days: the embedded files, each replaced by the file with the same path in the user's folder.
//!
//! Every source's host is in a group, so no host without recorded terms gets a request.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use super::embedded::embedded_sources;
use super::error::FetchError;
use super::host_group::{self, HostGroup};
use super::source::{Source, host_of};
use parquote_catalogue::operation::{Market, TradingDays, bracketed_hint};

/// All known sources and hosts.
#[derive(Debug, Clone)]
pub struct SourceCatalogue {
    sources: Vec<Arc<Source>>,
    groups: BTreeMap<String, Arc<HostGroup>>,
    /// Name of the group of each host.
    of_host: BTreeMap<String, String>,
    pub(crate) calendar: TradingDays,
}

const HOSTS: &str = "hosts.toml";
const CALENDAR: &str = "calendar.toml";

impl SourceCatalogue {
    /// Loads the embedded sources.
    ///
    /// # Errors
    /// A mistake in one of them.
    pub fn embedded() -> Result<Self, FetchError> {
        Self::from_files(&embedded_files(), &[])
    }

    /// Loads the embedded sources, overridden by the files of a folder; the groups of `hosts.toml` are overridden one by one.
    ///
    /// # Errors
    /// An unreadable folder, an unknown file in it, a mistake in a file.
    pub fn with_folder(folder: &Path) -> Result<Self, FetchError> {
        let mut files = Vec::new();
        collect(folder, folder, &mut files).map_err(FetchError::of_file("cannot read", folder))?;
        Self::from_files(&embedded_files(), &files)
    }

    /// Loads the sources of the files `below`, each replaced by the file with the same path in the user's folder.
    pub(crate) fn from_files(
        below: &[(String, String)],
        above: &[(String, String)],
    ) -> Result<Self, FetchError> {
        let mut catalogue = Self {
            sources: Vec::new(),
            groups: BTreeMap::new(),
            of_host: BTreeMap::new(),
            calendar: TradingDays::default(),
        };
        let mut by_path: BTreeMap<&str, &str> = BTreeMap::new();
        for (path, text) in below.iter().chain(above) {
            match path.as_str() {
                HOSTS => catalogue.overlay_hosts(text).map_err(declaration_error(path))?,
                CALENDAR => catalogue.calendar = TradingDays::parse(text).map_err(declaration_error(path))?,
                _ => drop(by_path.insert(path, text)),
            }
        }
        for (path, text) in by_path {
            let source = read(path, text).map_err(declaration_error(path))?;
            if !catalogue.of_host.contains_key(&source.host) {
                let words = format!("`url`: {HOSTS} has no group with the host {}", source.host);
                return Err(declaration_error(path)(words));
            }
            let group = |host: &String| catalogue.of_host.get(host);
            let other = source.filed.as_ref().map(|filed| host_of(filed.url())).transpose();
            let other = other.map_err(declaration_error(path))?;
            if other.is_some_and(|other| group(&other) != group(&source.host)) {
                let words = "`filed.url`: its host is not in the group of that of `url`".to_owned();
                return Err(declaration_error(path)(words));
            }
            catalogue.sources.push(Arc::new(source));
        }
        catalogue.check_names()?;
        Ok(catalogue)
    }

    fn overlay_hosts(&mut self, text: &str) -> Result<(), String> {
        for group in host_group::parse(text)? {
            self.of_host.retain(|_, name| *name != group.name);
            for host in &group.hosts {
                if let Some(other) = self.of_host.insert(host.clone(), group.name.clone()) {
                    return Err(format!("[{}] `{host}` is in the group {other} already", group.name));
                }
            }
            self.groups.insert(group.name.clone(), Arc::new(group));
        }
        Ok(())
    }

    /// Checks that names are unique across both markets, so that `--source NAME` is enough.
    fn check_names(&self) -> Result<(), FetchError> {
        let mut names = BTreeSet::new();
        match self.sources.iter().find(|source| !names.insert(&source.name)) {
            None => Ok(()),
            Some(twice) => Err(declaration_error(&format!("{}/{}.toml", twice.market.word(), twice.name))(
                "a source of the other market has this name".to_owned(),
            )),
        }
    }

    /// Returns all sources, by market and name.
    pub fn sources(&self) -> &[Arc<Source>] {
        &self.sources
    }

    /// Returns the source with a name.
    ///
    /// # Errors
    /// An unknown name; the message contains the nearest known one.
    pub fn source(&self, name: &str) -> Result<&Arc<Source>, FetchError> {
        self.sources.iter().find(|source| source.name == name).ok_or_else(|| {
            let hint = bracketed_hint(name, self.sources.iter().map(|source| source.name.as_str()));
            FetchError::UnknownSource { name: name.to_owned(), hint }
        })
    }

    /// Returns the group of a source's host.
    pub fn group_of(&self, source: &Source) -> Option<&Arc<HostGroup>> {
        self.groups.get(self.of_host.get(&source.host)?)
    }

    /// Returns the group of a page: by its own host, or by the host of the terms or of the page for manual downloads.
    pub fn group_of_page(&self, page: &str) -> Option<&Arc<HostGroup>> {
        let host = host_of(page).ok()?;
        let is_theirs = |group: &&Arc<HostGroup>| {
            let pages = [&group.terms, &group.by_hand];
            group.hosts.contains(&host)
                || pages.iter().any(|page| host_of(page).is_ok_and(|other| other == host))
        };
        self.groups().find(is_theirs)
    }

    /// Returns all host groups.
    pub fn groups(&self) -> impl Iterator<Item = &Arc<HostGroup>> {
        self.groups.values()
    }
}

fn embedded_files() -> Vec<(String, String)> {
    embedded_sources().iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn declaration_error(path: &str) -> impl Fn(String) -> FetchError + use<> {
    let file = path.to_owned();
    move |why| FetchError::Declaration { file: file.clone(), why }
}

fn read(path: &str, text: &str) -> Result<Source, String> {
    let expected = "a source's file is `india/NAME.toml` or `us/NAME.toml`; beside them there are hosts.toml and calendar.toml";
    let (market, file) = path.split_once('/').ok_or(expected)?;
    let market: Market = market.parse().map_err(|_| expected)?;
    let name = file.strip_suffix(".toml").filter(|name| !name.contains('/')).ok_or(expected)?;
    Source::parse(name, market, text)
}

/// Collects all `.toml` files below a folder with their relative paths, in order.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    let mut paths: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            let below = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push((below, fs::read_to_string(&path)?));
        }
    }
    Ok(())
}
