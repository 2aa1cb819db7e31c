//! The entry: it lists the files on disk, plans the requests, and fetches.
//!
//! A fetcher holds sources, folders, settings and a clock. All other state lies on the disk, so that the next run continues where
//! a killed run stopped.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::try_join_all;

use super::ask::Requester;
use super::client::{FetchClient, ReplyHeaders};
use super::clock::FetchClock;
use super::consent::{Consents, checked_contact};
use super::core_files::{CoreFiles, core_files};
use super::error::FetchError;
use super::fetched_files::FetchedFiles;
use super::folders::Folders;
use super::host::HostGroup;
use super::item::Item;
use super::kit::Kit;
use super::list::{SourceStatus, listed};
use super::pace::HostQueue;
use super::part::{Note, Part};
use super::plan::{FetchPlan, FetchPlanner};
use super::progress::FetchProgress;
use super::recovered;
use super::report::{Ended, FetchReport};
use super::round::{FetchRun, HostRound, Outcomes};
use super::source_catalogue::SourceCatalogue;
use super::wanted::{ChosenSources, FetchSettings, Wanted, choose};
use crate::operation::Market;

/// Fetches the files of sources into a folder.
#[derive(Debug)]
pub struct Fetcher {
    kit: Kit,
}

impl Fetcher {
    /// A fetcher; nothing is read or asked yet.
    ///
    /// # Errors
    /// A contact that is none.
    pub fn new(
        catalogue: SourceCatalogue,
        folders: Folders,
        settings: FetchSettings,
        clock: Arc<dyn FetchClock>,
    ) -> Result<Self, FetchError> {
        if let Some(contact) = &settings.contact {
            checked_contact(contact)?;
        }
        Ok(Self { kit: Kit { catalogue, folders, settings, clock } })
    }

    /// The sources that are known.
    pub const fn catalogue(&self) -> &SourceCatalogue {
        &self.kit.catalogue
    }

    /// Remembers that a person agreed to the terms of a group of hosts.
    ///
    /// # Errors
    /// The consent cannot be written.
    pub fn consent(&self, group: &HostGroup) -> Result<(), FetchError> {
        self.kit.folders.make()?;
        let path = self.kit.folders.consents();
        Consents::read(&path)?.give(group, self.kit.clock.now(), &path)
    }

    /// Forgets that consent.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn withdraw(&self, group: &str) -> Result<(), FetchError> {
        self.kit.folders.make()?;
        let path = self.kit.folders.consents();
        Consents::read(&path)?.withdraw(group, &path)
    }

    /// What would be asked for. It opens no connection and writes nothing.
    ///
    /// # Errors
    /// A source or a company that is not known; files that cannot be read.
    pub fn plan(&self, wanted: &Wanted) -> Result<FetchPlan, FetchError> {
        self.planned(&FetchedFiles::open(&self.kit.folders)?, wanted)
    }

    /// What would be asked for once a person agreed to all terms and set a contact. It opens no connection and writes nothing.
    ///
    /// # Errors
    /// As of [`Fetcher::plan`].
    pub fn estimate(&self, wanted: &Wanted) -> Result<FetchPlan, FetchError> {
        let fetched_files = FetchedFiles::open(&self.kit.folders)?;
        let chosen = self.chosen(wanted)?;
        let agreeable = chosen.lacking.iter().filter(|(_, need)| need.is_agreement());
        let mut sources = chosen.sources;
        sources.extend(agreeable.map(|(source, _)| Arc::clone(source)));
        let plan = self.planner(&fetched_files, wanted).plan(&sources)?;
        Ok(FetchPlan { lacking: chosen.lacking, ..plan })
    }

    /// How far the sessions of a market are complete, by the sources that are asked without being named.
    ///
    /// # Errors
    /// As of [`Fetcher::plan`].
    pub fn core_files(&self, market: Market) -> Result<CoreFiles, FetchError> {
        let fetched_files = FetchedFiles::open(&self.kit.folders)?;
        let chosen = self.chosen(&Wanted { market: Some(market), ..Wanted::default() })?;
        Ok(core_files(&fetched_files.view(&self.kit.catalogue, self.kit.clock.now(), false), &chosen.sources))
    }

    fn chosen(&self, wanted: &Wanted) -> Result<ChosenSources, FetchError> {
        let consents = Consents::read(&self.kit.folders.consents())?;
        choose(&self.kit.catalogue, &consents, &self.kit.settings, wanted)
    }

    fn planned(&self, fetched_files: &FetchedFiles, wanted: &Wanted) -> Result<FetchPlan, FetchError> {
        let chosen = self.chosen(wanted)?;
        let plan = self.planner(fetched_files, wanted).plan(&chosen.sources)?;
        Ok(FetchPlan { lacking: chosen.lacking, ..plan })
    }

    fn planner<'a>(&'a self, fetched_files: &'a FetchedFiles, wanted: &'a Wanted) -> FetchPlanner<'a> {
        let view = fetched_files.view(&self.kit.catalogue, self.kit.clock.now(), wanted.again);
        FetchPlanner { view, settings: &self.kit.settings, wanted }
    }

    /// What there is of each source that a caller wants; of all, where none is named.
    ///
    /// # Errors
    /// As of [`Fetcher::plan`].
    pub fn list(&self, wanted: &Wanted) -> Result<Vec<SourceStatus>, FetchError> {
        let fetched_files = FetchedFiles::open(&self.kit.folders)?;
        // All are told, and each says what it lacks.
        let of_market = self
            .kit
            .catalogue
            .sources()
            .iter()
            .filter(|source| wanted.market.is_none_or(|market| market == source.market));
        let names = if wanted.sources.is_empty() {
            of_market.map(|source| source.name.clone()).collect()
        } else {
            wanted.sources.clone()
        };
        let chosen = self.chosen(&Wanted { sources: names, ..wanted.clone() })?;
        let planner = self.planner(&fetched_files, wanted);
        let ready = chosen.sources.into_iter().map(|source| (source, None));
        let lacking = chosen.lacking.into_iter().map(|(source, need)| (source, Some(need)));
        let mut list: Vec<SourceStatus> =
            ready.chain(lacking).map(|(source, need)| listed(&planner, &source, need)).collect();
        list.sort_by(|a, b| (a.source.market, &a.source.name).cmp(&(b.source.market, &b.source.name)));
        Ok(list)
    }

    /// Fetches what is wanted. Groups of hosts are asked side by side, each by one request at a time.
    ///
    /// # Errors
    /// Another fetcher at work in this folder, a large plan that nobody agreed to, files that cannot be written. What goes wrong
    /// with a file is in the report.
    pub async fn run(
        &self,
        wanted: &Wanted,
        progress: &dyn FetchProgress,
    ) -> Result<FetchReport, FetchError> {
        self.kit.folders.make()?;
        let _lock = self.kit.folders.lock()?;
        let mut fetched_files = FetchedFiles::open(&self.kit.folders)?;
        let whole = fetched_files.recover(self.kit.clock.now())?;
        let fetched_files = Mutex::new(fetched_files);
        let left = AtomicUsize::new(wanted.limit.unwrap_or(usize::MAX));
        let run = FetchRun { kit: &self.kit, fetched_files: &fetched_files, wanted, progress, left: &left };
        let mut report = FetchReport { ended: self.judge_left(&run, whole).await?, ..FetchReport::default() };
        let plan = self.planned(&fetched_files.lock().unwrap_or_else(PoisonError::into_inner), wanted)?;
        if plan.items.len() > self.kit.settings.ask_over && !wanted.yes && !progress.agree(&plan) {
            return Err(FetchError::NotAgreed {
                requests: plan.items.len(),
                most: self.kit.settings.ask_over,
            });
        }
        progress.begin(&plan);
        report.sources = plan.sources;
        report.lacking = plan.lacking;
        for (ended, closed) in self.rounds(&run, plan.items).await? {
            report.ended.extend(ended);
            report.closed.extend(closed);
        }
        Ok(report)
    }

    async fn rounds(&self, run: &FetchRun<'_>, items: Vec<Item>) -> Result<Vec<Outcomes>, FetchError> {
        let client = FetchClient::new(self.kit.settings.limits, self.kit.settings.proxy)?;
        let mut groups: BTreeMap<String, (Arc<HostGroup>, Vec<Item>)> = BTreeMap::new();
        for item in items {
            let Some(group) = self.kit.catalogue.group_of(&item.source) else { continue };
            let (_, items) =
                groups.entry(group.name.clone()).or_insert_with(|| (Arc::clone(group), Vec::new()));
            items.push(item);
        }
        let rounds = groups.values().map(|(group, items)| {
            let host_queue = HostQueue::new(
                Arc::clone(group),
                self.kit.folders.slot(&group.name),
                Arc::clone(&self.kit.clock),
            );
            let asker = Requester { host_queue, client: client.clone(), clock: Arc::clone(&self.kit.clock) };
            HostRound { run, group, asker }.work(items.clone())
        });
        try_join_all(rounds).await
    }

    /// Judges the files that a kill left whole: nobody is asked for them again.
    async fn judge_left(&self, run: &FetchRun<'_>, whole: Vec<Part>) -> Result<Vec<Ended>, FetchError> {
        let mut ended = Vec::new();
        for mut part in whole {
            let Some(note) = part.note().cloned() else { continue };
            match self.item_of(&note) {
                Some(item) => {
                    let line = run.judged(&item, note.at, &mut part, ReplyHeaders::noted(&note)).await?;
                    run.progress.end(&line);
                    ended.push(Ended { line, by_hand: None });
                }
                // Its source is not known any more.
                None => {
                    part.discard().map_err(FetchError::of_file("cannot write", part.path().to_owned()))?;
                }
            }
        }
        Ok(ended)
    }

    /// The item whose part a note is of, as far as judging and placing it needs.
    fn item_of(&self, note: &Note) -> Option<Item> {
        let source = Arc::clone(self.kit.catalogue.source(&note.source).ok()?);
        recovered::item(source, note)
    }
}
