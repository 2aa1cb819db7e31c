//! The entry: what is there, what would be fetched, and fetching it.
//!
//! A fetcher holds sources, folders, settings and a clock; everything else lies on the disk, so that a run that is killed at any
//! moment goes on where it was.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::try_join_all;

use super::ask::Asker;
use super::client::{About, Client};
use super::clock::Clock;
use super::consent::{Consents, checked_contact};
use super::desk::Desk;
use super::error::FetchError;
use super::folders::Folders;
use super::host::HostGroup;
use super::item::Item;
use super::kit::Kit;
use super::list::{Listed, listed};
use super::pace::Gate;
use super::part::{Note, Part};
use super::plan::{Plan, Planner};
use super::progress::Progress;
use super::recovered;
use super::report::{Ended, Report};
use super::round::{Outcomes, Round, Run};
use super::shelf::Shelf;
use super::wanted::{Settings, Wanted, choose};

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
        shelf: Shelf,
        folders: Folders,
        settings: Settings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, FetchError> {
        if let Some(contact) = &settings.contact {
            checked_contact(contact)?;
        }
        Ok(Self { kit: Kit { shelf, folders, settings, clock } })
    }

    /// The sources that are known.
    pub const fn shelf(&self) -> &Shelf {
        &self.kit.shelf
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
    pub fn plan(&self, wanted: &Wanted) -> Result<Plan, FetchError> {
        self.planned(&Desk::open(&self.kit.folders)?, wanted)
    }

    fn planned(&self, desk: &Desk, wanted: &Wanted) -> Result<Plan, FetchError> {
        let consents = Consents::read(&self.kit.folders.consents())?;
        let chosen = choose(&self.kit.shelf, &consents, &self.kit.settings, wanted)?;
        let plan = self.planner(desk, wanted).plan(&chosen.sources)?;
        Ok(Plan { lacking: chosen.lacking, ..plan })
    }

    fn planner<'a>(&'a self, desk: &'a Desk, wanted: &'a Wanted) -> Planner<'a> {
        let view = desk.view(&self.kit.shelf, self.kit.clock.now(), wanted.again);
        Planner { view, settings: &self.kit.settings, wanted }
    }

    /// What there is of each source that a caller wants; of all, where none is named.
    ///
    /// # Errors
    /// As of [`Fetcher::plan`].
    pub fn list(&self, wanted: &Wanted) -> Result<Vec<Listed>, FetchError> {
        let desk = Desk::open(&self.kit.folders)?;
        let consents = Consents::read(&self.kit.folders.consents())?;
        // All are told, and each says what it lacks.
        let of_market = self
            .kit
            .shelf
            .sources()
            .iter()
            .filter(|source| wanted.market.is_none_or(|market| market == source.market));
        let names = if wanted.sources.is_empty() {
            of_market.map(|source| source.name.clone()).collect()
        } else {
            wanted.sources.clone()
        };
        let chosen = choose(
            &self.kit.shelf,
            &consents,
            &self.kit.settings,
            &Wanted { sources: names, ..wanted.clone() },
        )?;
        let planner = self.planner(&desk, wanted);
        let ready = chosen.sources.into_iter().map(|source| (source, None));
        let lacking = chosen.lacking.into_iter().map(|(source, need)| (source, Some(need)));
        let mut list: Vec<Listed> =
            ready.chain(lacking).map(|(source, need)| listed(&planner, &source, need)).collect();
        list.sort_by(|a, b| (a.source.market, &a.source.name).cmp(&(b.source.market, &b.source.name)));
        Ok(list)
    }

    /// Fetches what is wanted. Groups of hosts are asked side by side, each by one request at a time.
    ///
    /// # Errors
    /// Another fetcher at work in this folder, a large plan that nobody agreed to, files that cannot be written. What goes wrong
    /// with a file is in the report.
    pub async fn run(&self, wanted: &Wanted, progress: &dyn Progress) -> Result<Report, FetchError> {
        self.kit.folders.make()?;
        let _lock = self.kit.folders.lock()?;
        let mut desk = Desk::open(&self.kit.folders)?;
        let whole = desk.recover(self.kit.clock.now())?;
        let desk = Mutex::new(desk);
        let left = AtomicUsize::new(wanted.limit.unwrap_or(usize::MAX));
        let run = Run { kit: &self.kit, desk: &desk, wanted, progress, left: &left };
        let mut report = Report { ended: self.judge_left(&run, whole).await?, ..Report::default() };
        let plan = self.planned(&desk.lock().unwrap_or_else(PoisonError::into_inner), wanted)?;
        if plan.items.len() > self.kit.settings.ask_over && !wanted.yes && !progress.agree(&plan) {
            return Err(FetchError::NotAgreed {
                requests: plan.items.len(),
                most: self.kit.settings.ask_over,
            });
        }
        progress.begin(&plan);
        report.lacking = plan.lacking;
        for (ended, closed) in self.rounds(&run, plan.items).await? {
            report.ended.extend(ended);
            report.closed.extend(closed);
        }
        Ok(report)
    }

    async fn rounds(&self, run: &Run<'_>, items: Vec<Item>) -> Result<Vec<Outcomes>, FetchError> {
        let client = Client::new(self.kit.settings.limits, self.kit.settings.proxy)?;
        let mut groups: BTreeMap<String, (Arc<HostGroup>, Vec<Item>)> = BTreeMap::new();
        for item in items {
            let Some(group) = self.kit.shelf.group_of(&item.source) else { continue };
            let (_, items) =
                groups.entry(group.name.clone()).or_insert_with(|| (Arc::clone(group), Vec::new()));
            items.push(item);
        }
        let rounds = groups.values().map(|(group, items)| {
            let gate =
                Gate::new(Arc::clone(group), self.kit.folders.slot(&group.name), Arc::clone(&self.kit.clock));
            let asker = Asker { gate, client: client.clone(), clock: Arc::clone(&self.kit.clock) };
            Round { run, group, asker }.work(items.clone())
        });
        try_join_all(rounds).await
    }

    /// Judges the files that a kill left whole: nobody is asked for them again.
    async fn judge_left(&self, run: &Run<'_>, whole: Vec<Part>) -> Result<Vec<Ended>, FetchError> {
        let mut ended = Vec::new();
        for mut part in whole {
            let Some(note) = part.note().cloned() else { continue };
            match self.item_of(&note) {
                Some(item) => {
                    let line = run.judged(&item, note.at, &mut part, About::noted(&note)).await?;
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
        let source = Arc::clone(self.kit.shelf.source(&note.source).ok()?);
        recovered::item(source, note)
    }
}
