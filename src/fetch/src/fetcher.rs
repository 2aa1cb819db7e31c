//! The entry point: lists the files on disk, plans the requests, and fetches.
//!
//! A fetcher has sources, folders, settings and a clock. All other state is on disk, so that the next run continues where a
//! killed run stopped.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::try_join_all;

use super::client::FetchClient;
use super::clock::FetchClock;
use super::consent::{Consents, parse_contact};
use super::context::FetchContext;
use super::core_files::{CoreFiles, core_files};
use super::error::FetchError;
use super::fetch_request::{ChosenSources, FetchRequest, FetchSettings, select_sources};
use super::fetched_files::FetchedFiles;
use super::folders::Folders;
use super::group_run::{FetchRun, GroupRun, Outcomes};
use super::host_group::HostGroup;
use super::host_queue::HostQueue;
use super::partial_download::PartialDownload;
use super::plan::{FetchPlan, FetchPlanner};
use super::planned_request::PlannedRequest;
use super::progress::FetchProgress;
use super::recovered_download;
use super::report::{FetchReport, FinishedRequest};
use super::send::Requester;
use super::source_catalogue::SourceCatalogue;
use super::source_status::{SourceStatus, status};
use parquote_catalogue::operation::Market;

/// Fetches the files of sources into a folder.
#[derive(Debug)]
pub struct Fetcher {
    context: FetchContext,
}

impl Fetcher {
    /// Creates a fetcher; nothing is read or requested yet.
    ///
    /// # Errors
    /// An invalid contact.
    pub fn new(
        catalogue: SourceCatalogue,
        folders: Folders,
        settings: FetchSettings,
        clock: Arc<dyn FetchClock>,
    ) -> Result<Self, FetchError> {
        if let Some(contact) = &settings.contact {
            parse_contact(contact)?;
        }
        Ok(Self { context: FetchContext { catalogue, folders, settings, clock } })
    }

    /// Returns the catalogue of sources and host groups.
    pub const fn catalogue(&self) -> &SourceCatalogue {
        &self.context.catalogue
    }

    /// Returns the number of requests above which a plan needs confirmation.
    pub const fn confirm_above(&self) -> usize {
        self.context.settings.confirm_above
    }

    /// Stores the user's consent to the terms of a host group.
    ///
    /// # Errors
    /// Consents that cannot be read or written.
    pub fn consent(&self, group: &HostGroup) -> Result<(), FetchError> {
        self.context.folders.create_folders()?;
        let path = self.context.folders.consents();
        Consents::read(&path)?.store_consent(group, self.context.clock.now(), &path)
    }

    /// Deletes the consent to the terms of a host group.
    ///
    /// # Errors
    /// As [`Fetcher::consent`].
    pub fn withdraw(&self, group: &str) -> Result<(), FetchError> {
        self.context.folders.create_folders()?;
        let path = self.context.folders.consents();
        Consents::read(&path)?.withdraw(group, &path)
    }

    /// Plans the requests of a run. It opens no connection and writes nothing.
    ///
    /// # Errors
    /// An unknown source or company; files that cannot be read.
    pub fn plan(&self, request: &FetchRequest) -> Result<FetchPlan, FetchError> {
        self.plan_requests(&FetchedFiles::open(&self.context.folders)?, request)
    }

    /// Plans a run as if all terms were accepted and a contact were set. It opens no connection and writes nothing.
    ///
    /// # Errors
    /// As [`Fetcher::plan`].
    pub fn estimate(&self, request: &FetchRequest) -> Result<FetchPlan, FetchError> {
        let fetched_files = FetchedFiles::open(&self.context.folders)?;
        let chosen = self.selected_sources(request)?;
        let agreeable = chosen.unmet_needs.iter().filter(|(_, need)| need.is_agreement());
        let mut sources = chosen.sources;
        sources.extend(agreeable.map(|(source, _)| Arc::clone(source)));
        let plan = self.planner(&fetched_files, request).plan(&sources)?;
        Ok(FetchPlan { unmet_needs: chosen.unmet_needs, ..plan })
    }

    /// Determines the complete sessions of a market, by the sources that are fetched by default.
    ///
    /// # Errors
    /// As [`Fetcher::plan`].
    pub fn core_files(&self, market: Market) -> Result<CoreFiles, FetchError> {
        let fetched_files = FetchedFiles::open(&self.context.folders)?;
        let chosen =
            self.selected_sources(&FetchRequest { market: Some(market), ..FetchRequest::default() })?;
        Ok(core_files(
            &fetched_files.known_files(&self.context.catalogue, self.context.clock.now(), false),
            &chosen.sources,
        ))
    }

    fn selected_sources(&self, request: &FetchRequest) -> Result<ChosenSources, FetchError> {
        let consents = Consents::read(&self.context.folders.consents())?;
        select_sources(&self.context.catalogue, &consents, &self.context.settings, request)
    }

    fn plan_requests(
        &self,
        fetched_files: &FetchedFiles,
        request: &FetchRequest,
    ) -> Result<FetchPlan, FetchError> {
        let chosen = self.selected_sources(request)?;
        let plan = self.planner(fetched_files, request).plan(&chosen.sources)?;
        Ok(FetchPlan { unmet_needs: chosen.unmet_needs, ..plan })
    }

    fn planner<'a>(&'a self, fetched_files: &'a FetchedFiles, request: &'a FetchRequest) -> FetchPlanner<'a> {
        let known_files =
            fetched_files.known_files(&self.context.catalogue, self.context.clock.now(), request.again);
        FetchPlanner { known_files, settings: &self.context.settings, request }
    }

    /// Returns the status of each requested source; of all sources if the request names none.
    ///
    /// # Errors
    /// As [`Fetcher::plan`].
    pub fn list(&self, request: &FetchRequest) -> Result<Vec<SourceStatus>, FetchError> {
        let fetched_files = FetchedFiles::open(&self.context.folders)?;
        // All sources are named, so that each is listed with its unmet need.
        let in_market = self
            .context
            .catalogue
            .sources()
            .iter()
            .filter(|source| request.market.is_none_or(|market| market == source.market));
        let names = if request.sources.is_empty() {
            in_market.map(|source| source.name.clone()).collect()
        } else {
            request.sources.clone()
        };
        let chosen = self.selected_sources(&FetchRequest { sources: names, ..request.clone() })?;
        let planner = self.planner(&fetched_files, request);
        let ready = chosen.sources.into_iter().map(|source| (source, None));
        let unmet_needs = chosen.unmet_needs.into_iter().map(|(source, need)| (source, Some(need)));
        let mut list: Vec<SourceStatus> =
            ready.chain(unmet_needs).map(|(source, need)| status(&planner, &source, need)).collect();
        list.sort_by(|a, b| (a.source.market, &a.source.name).cmp(&(b.source.market, &b.source.name)));
        Ok(list)
    }

    /// Fetches the requested files. Host groups run concurrently, each with one request at a time.
    ///
    /// # Errors
    /// Another fetcher that works in this folder, a large plan without confirmation, files that cannot be written. Failures of
    /// single files are in the report.
    pub async fn run(
        &self,
        request: &FetchRequest,
        progress: &dyn FetchProgress,
    ) -> Result<FetchReport, FetchError> {
        self.context.folders.create_folders()?;
        let _lock = self.context.folders.lock()?;
        let mut fetched_files = FetchedFiles::open(&self.context.folders)?;
        let complete = fetched_files.recover(self.context.clock.now())?;
        let fetched_files = Mutex::new(fetched_files);
        let remaining_requests = AtomicUsize::new(request.limit.unwrap_or(usize::MAX));
        let run = FetchRun {
            context: &self.context,
            fetched_files: &fetched_files,
            request,
            progress,
            remaining_requests: &remaining_requests,
        };
        let mut report =
            FetchReport { finished: self.check_complete(&run, complete).await?, ..FetchReport::default() };
        let plan =
            self.plan_requests(&fetched_files.lock().unwrap_or_else(PoisonError::into_inner), request)?;
        if plan.items.len() > self.context.settings.confirm_above && !request.yes && !progress.agree(&plan) {
            return Err(FetchError::NotAgreed {
                requests: plan.items.len(),
                most: self.context.settings.confirm_above,
            });
        }
        progress.begin(&plan);
        report.sources = plan.sources;
        report.unmet_needs = plan.unmet_needs;
        for (ended, closed) in self.run_groups(&run, plan.items).await? {
            report.finished.extend(ended);
            report.closed.extend(closed);
        }
        Ok(report)
    }

    async fn run_groups(
        &self,
        run: &FetchRun<'_>,
        items: Vec<PlannedRequest>,
    ) -> Result<Vec<Outcomes>, FetchError> {
        let client = FetchClient::new(self.context.settings.limits, self.context.settings.proxy)?;
        let mut groups: BTreeMap<String, (Arc<HostGroup>, Vec<PlannedRequest>)> = BTreeMap::new();
        for item in items {
            let Some(group) = self.context.catalogue.group_of(&item.source) else { continue };
            let (_, items) =
                groups.entry(group.name.clone()).or_insert_with(|| (Arc::clone(group), Vec::new()));
            items.push(item);
        }
        let runs = groups.values().map(|(group, items)| {
            let host_queue = HostQueue::new(
                Arc::clone(group),
                self.context.folders.slot_path(&group.name),
                Arc::clone(&self.context.clock),
            );
            let requester =
                Requester { host_queue, client: client.clone(), clock: Arc::clone(&self.context.clock) };
            GroupRun { run, group, requester }.work(items.clone())
        });
        try_join_all(runs).await
    }

    /// Checks the downloads that were complete before a kill, without a request to a host.
    async fn check_complete(
        &self,
        run: &FetchRun<'_>,
        complete: Vec<PartialDownload>,
    ) -> Result<Vec<FinishedRequest>, FetchError> {
        let mut ended = Vec::new();
        for mut download in complete {
            let Some(note) = download.note().cloned() else { continue };
            let source = self.context.catalogue.source(&note.file.source).ok();
            // The request is restored as far as checking and placing the file needs it.
            match source.and_then(|source| recovered_download::request(Arc::clone(source), &note.file)) {
                Some(item) => {
                    let line = run.check_download(&item, note.file.at, &mut download, note.headers).await?;
                    run.progress.end(&line);
                    ended.push(FinishedRequest { line, by_hand: None });
                }
                // Its source is not declared.
                None => {
                    download
                        .discard()
                        .map_err(FetchError::of_file("cannot write", download.path().to_owned()))?;
                }
            }
        }
        Ok(ended)
    }
}
