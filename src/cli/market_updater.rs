//! Updates one market from its hosts to a published set: fetch, determine complete sessions, derive, publish.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use chrono::NaiveDate;
use clap::Args;

use super::derive::{self, AllowArgs, BoundArgs};
use super::destination::Destination;
use super::failure::message;
use super::fetch_listing::print_report;
use super::fetch_progress::FetchDisplay;
use super::fetching::remedies;
use super::output::say;
use super::progress_pipe::ProgressReporter;
use super::write::{self, WriteArgs};
use crate::config::FetchOptions;
use crate::derive::DeriveOptions;
use crate::fetch::{
    CoreFiles, FetchProgress, FetchRequest, Fetcher, RefreshRecord, SilentFetch, raw_fingerprint,
};
use crate::operation::{Catalogue, Market};
use crate::raw::Progress as _;
use crate::set::Home;

/// Exit codes of `fetch` and `refresh`.
pub(super) const EXIT_CODES: &str = "Exit codes: 0 all is there, 1 something failed, 2 something is not out yet, 3 a host refused, 64 the command line is wrong.";

/// Origin of files and destination of sets.
#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    #[command(flatten)]
    to: Destination,
    #[command(flatten)]
    pub(super) fetching: FetchOptions,
    #[command(flatten)]
    allow: AllowArgs,
    #[command(flatten)]
    bounds: BoundArgs,
}

impl UpdateArgs {
    /// Parses the arguments of `write` for texts between these folders. `only` is the market that is updated, `None` for both.
    pub(super) fn writes(
        &self,
        catalogue: &Catalogue,
        only: Option<Market>,
        texts: &[String],
    ) -> anyhow::Result<Vec<(Market, WriteArgs)>> {
        let (raw, data) = (&self.fetching.raw, self.to.folder());
        let mut writes = Vec::new();
        for text in texts {
            let (market, args) = WriteArgs::for_refresh(catalogue, text, raw, &data)?;
            if let Some(only) = only.filter(|only| *only != market) {
                bail!(
                    "--write {market}: this refresh is of {only} alone; leave {only} out to refresh both markets"
                );
            }
            writes.push((market, args));
        }
        Ok(writes)
    }
}

/// Updates markets.
pub(super) struct MarketUpdater<'a> {
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) fetcher: Fetcher,
    /// The market; `None` for both.
    pub(super) only: Option<Market>,
    /// True in the background process of a server; it logs instead of printing reports.
    pub(super) is_quiet: bool,
    /// The texts that are written after new tables.
    pub(super) writes: Vec<(Market, WriteArgs)>,
    pub(super) args: &'a UpdateArgs,
}

/// Returns the exit code that needs attention first.
pub(super) fn worst_code(codes: impl IntoIterator<Item = u8>) -> u8 {
    /// From the worst: failed, refused, not yet published, complete.
    const ORDER: [u8; 4] = [1, 3, 2, 0];
    let position = |code: &u8| ORDER.iter().position(|known| known == code);
    codes.into_iter().min_by_key(position).unwrap_or_default()
}

/// The sessions of a market that may be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PublishableRange {
    /// All data.
    All,
    /// Data up to this session, as core files of later sessions are missing.
    UpTo(NaiveDate),
    /// Nothing, because no session is complete.
    Nothing,
}

impl PublishableRange {
    fn from_files(core: &CoreFiles) -> Self {
        match (core.awaited.is_empty(), core.complete) {
            (true, _) => Self::All,
            (false, Some(day)) => Self::UpTo(day),
            (false, None) => Self::Nothing,
        }
    }

    const fn as_of(self) -> Option<NaiveDate> {
        match self {
            Self::UpTo(day) => Some(day),
            Self::All | Self::Nothing => None,
        }
    }
}

impl MarketUpdater<'_> {
    /// Returns the markets to update.
    pub(super) fn markets(&self) -> impl Iterator<Item = Market> + use<> {
        let only = self.only;
        Market::ALL.into_iter().filter(move |market| only.is_none_or(|only| only == *market))
    }

    /// Returns true if a market has a folder of raw files.
    pub(super) fn has_raw_files(&self, market: Market) -> bool {
        self.fetching().folders().raw().join(market.word()).is_dir()
    }

    pub(super) const fn fetching(&self) -> &FetchOptions {
        &self.args.fetching
    }

    /// Fetches, derives and publishes a market; returns the exit code.
    pub(super) async fn refresh(&self, market: Market) -> anyhow::Result<u8> {
        self.args.to.check()?;
        let fetched = self.fetch(&FetchRequest { market: Some(market), ..FetchRequest::default() }).await?;
        let core = self.fetcher.core_files(market)?;
        for (day, source) in &core.awaited {
            self.report(&format!("{market}: the session {day} waits for {source}"));
        }
        let publishable = PublishableRange::from_files(&core);
        let mut written = 0;
        if Box::pin(self.publish(market, publishable)).await?
            && let Some(code) = self.write_texts(market).await
        {
            Box::pin(self.publish(market, publishable)).await?;
            written = code;
        }
        if written != 0 {
            self.report(&format!(
                "{market}: the tables are published, with those texts that were written; the others are written after the next new tables"
            ));
        }
        let waits = if core.awaited.is_empty() { 0 } else { 2 };
        Ok(worst_code([fetched, waits, written]))
    }

    /// Reports on a market: on standard output, or in the log of a server.
    fn report(&self, what: &str) {
        if self.is_quiet {
            tracing::info!("{what}");
        } else {
            say!("{what}");
        }
    }

    /// Fetches files; returns the exit code.
    pub(super) async fn fetch(&self, request: &FetchRequest) -> anyhow::Result<u8> {
        if self.is_quiet {
            let reporter = request.market.map(ProgressReporter::new);
            let progress = reporter.as_ref().map_or(&SilentFetch as &dyn FetchProgress, |reporter| reporter);
            let report = self.fetcher.run(request, progress).await?;
            if let Some(reporter) = &reporter {
                reporter.finish();
            }
            let (requests, code) = (report.finished.len(), report.exit_code());
            tracing::info!(requests, code, sources = report.sources, "raw files were requested");
            // Without these lines a server could stop refreshing without a visible reason.
            for remedy in remedies(&report.unmet_needs) {
                tracing::info!("{remedy}");
            }
            return Ok(code);
        }
        let display = FetchDisplay::default();
        let report = self.fetcher.run(request, &display).await?;
        display.end_bar();
        print_report(&report);
        Ok(report.exit_code())
    }

    /// Writes texts from the published documents of a market; returns the exit code, `None` if there was no text to write. A failure
    /// changes no table.
    async fn write_texts(&self, market: Market) -> Option<u8> {
        /// Longest time of a run, so that no fetch is late; the run after the next tables continues there.
        const LONGEST_WAIT: Duration = Duration::from_hours(1);
        let mut codes = Vec::new();
        for (_, args) in self.writes.iter().filter(|(other, _)| *other == market) {
            let run = Box::pin(write::run_with(&self.catalogue, args));
            codes.push(match tokio::time::timeout(LONGEST_WAIT, run).await {
                Ok(Ok(())) => 0,
                Ok(Err(error)) => {
                    tracing::error!(error = message(&error), %market, "not all texts were written");
                    1
                }
                Err(_) => {
                    tracing::warn!(%market, "not all texts were written in an hour");
                    2
                }
            });
        }
        (!codes.is_empty()).then(|| worst_code(codes))
    }

    /// Derives and publishes a market, unless the published set was made from the same files; returns true if it published one.
    async fn publish(&self, market: Market, publishable: PublishableRange) -> anyhow::Result<bool> {
        let (folders, data) = (self.args.fetching.folders(), self.args.to.folder());
        if !self.has_raw_files(market) {
            let folder = folders.raw().join(market.word());
            self.report(&format!("{market}: there is no folder {} of raw files", folder.display()));
            return Ok(false);
        }
        let newest = Home::new(&data).newest(market)?;
        let is_behind = |day: NaiveDate| {
            newest.as_ref().and_then(|set| set.as_of).is_none_or(|published| published < day)
        };
        if publishable == PublishableRange::Nothing || publishable.as_of().is_some_and(|day| !is_behind(day))
        {
            self.report(&format!("{market}: no further session is complete; what is published stays"));
            return Ok(false);
        }
        let (version, queries) = (env!("CARGO_PKG_VERSION"), self.catalogue.fingerprint());
        let how = format!("{version} {queries} {} {publishable:?}", data.display());
        let fingerprint = raw_fingerprint(&folders, market, &how)?;
        let mut record = RefreshRecord::read(&folders);
        if newest.is_some() && record.matches(market, &fingerprint) {
            self.report(&format!("{market}: nothing is new"));
            return Ok(false);
        }
        let options = self.options(data.clone(), publishable.as_of());
        let derived = if self.is_quiet {
            let derived =
                crate::derive::derive(&self.catalogue, market, &options, &ProgressReporter::new(market))
                    .await?;
            tracing::info!(%market, set = derived.set.number, "a set was derived and published");
            derived
        } else {
            let derived = derive::derive_market(&self.catalogue, market, &options).await?;
            derive::run_admission(&self.catalogue, &data, &derived, !options.allow.fewer).await?;
            derived
        };
        self.args.to.upload(&data, &derived).await?;
        record.store(&folders, market, fingerprint)?;
        Ok(true)
    }

    fn options(&self, data: PathBuf, as_of: Option<NaiveDate>) -> DeriveOptions {
        DeriveOptions {
            raw: self.args.fetching.raw.clone(),
            data,
            as_of,
            use_parse_cache: true,
            allow: self.args.allow.allowed_faults(),
            bounds: self.args.bounds.bounds(),
            bars_memory_bytes: self.args.bounds.bars_memory_bytes(),
            publishing: self.args.to.publishing(),
            ..DeriveOptions::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_session_whose_core_is_awaited_is_not_published() {
        let awaited = vec![(day("2026-07-08"), "pr".to_owned())];
        let core = CoreFiles { complete: Some(day("2026-07-07")), awaited };
        assert_eq!(PublishableRange::from_files(&core).as_of(), Some(day("2026-07-07")));
        assert_eq!(
            PublishableRange::from_files(&CoreFiles { complete: None, ..core.clone() }),
            PublishableRange::Nothing
        );
        assert_eq!(
            PublishableRange::from_files(&CoreFiles { awaited: Vec::new(), ..core }),
            PublishableRange::All
        );
        assert_eq!(
            PublishableRange::from_files(&CoreFiles::default()),
            PublishableRange::All,
            "where no source is core"
        );
    }

    #[test]
    fn the_worst_exit_code_is_returned() {
        assert_eq!(
            [worst_code([0, 2]), worst_code([2, 3]), worst_code([3, 1, 0]), worst_code([])],
            [2, 3, 1, 0]
        );
    }
}
