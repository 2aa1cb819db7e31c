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

/// All sources and host groups.
#[derive(Debug, Clone)]
pub struct SourceCatalogue {
    sources: Vec<Arc<Source>>,
    groups: BTreeMap<String, Arc<HostGroup>>,
    /// Names of groups, by host.
    groups_by_host: BTreeMap<String, String>,
    pub(crate) calendar: TradingDays,
}

const HOSTS: &str = "hosts.toml";
const CALENDAR: &str = "calendar.toml";

impl SourceCatalogue {
    /// Loads the embedded sources.
    ///
    /// # Errors
    /// A mistake in an embedded file.
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

    /// Loads the sources of files, given by path and text; each of `overrides` replaces the embedded file with the same path.
    pub(crate) fn from_files(
        embedded: &[(String, String)],
        overrides: &[(String, String)],
    ) -> Result<Self, FetchError> {
        let mut catalogue = Self {
            sources: Vec::new(),
            groups: BTreeMap::new(),
            groups_by_host: BTreeMap::new(),
            calendar: TradingDays::default(),
        };
        let mut by_path: BTreeMap<&str, &str> = BTreeMap::new();
        for (path, text) in embedded.iter().chain(overrides) {
            match path.as_str() {
                HOSTS => catalogue.overlay_hosts(text).map_err(declaration_error(path))?,
                CALENDAR => catalogue.calendar = TradingDays::parse(text).map_err(declaration_error(path))?,
                _ => drop(by_path.insert(path, text)),
            }
        }
        for (path, text) in by_path {
            let source = parse_source(path, text).map_err(declaration_error(path))?;
            if !catalogue.groups_by_host.contains_key(&source.host) {
                let words = format!("`url`: {HOSTS} has no group with the host {}", source.host);
                return Err(declaration_error(path)(words));
            }
            let group = |host: &String| catalogue.groups_by_host.get(host);
            let filed_host = source.filed.as_ref().map(|filed| host_of(filed.url())).transpose();
            let filed_host = filed_host.map_err(declaration_error(path))?;
            if filed_host.is_some_and(|host| group(&host) != group(&source.host)) {
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
            self.groups_by_host.retain(|_, name| *name != group.name);
            for host in &group.hosts {
                if let Some(other) = self.groups_by_host.insert(host.clone(), group.name.clone()) {
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
            Some(duplicate) => {
                Err(declaration_error(&format!("{}/{}.toml", duplicate.market.word(), duplicate.name))(
                    "a source of the other market has this name".to_owned(),
                ))
            }
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
        self.groups.get(self.groups_by_host.get(&source.host)?)
    }

    /// Returns the group of a page: its host is in the group, or is that of the group's terms or page for manual downloads.
    pub fn group_of_page(&self, page: &str) -> Option<&Arc<HostGroup>> {
        let host = host_of(page).ok()?;
        let has_page = |group: &&Arc<HostGroup>| {
            let pages = [&group.terms, &group.by_hand];
            group.hosts.contains(&host)
                || pages.iter().any(|page| host_of(page).is_ok_and(|other| other == host))
        };
        self.groups().find(has_page)
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

fn parse_source(path: &str, text: &str) -> Result<Source, String> {
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
            let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push((relative, fs::read_to_string(&path)?));
        }
    }
    Ok(())
}
