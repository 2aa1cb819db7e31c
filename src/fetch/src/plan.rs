//! The plan of a run: its requests, their bytes and their time. Planning opens no connection and writes nothing.
//!
//! Requests are ordered by [`BackfillStep`], and within a step by descending day, so that an interrupted back-fill is useful.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use chrono::{Datelike as _, NaiveDate, TimeDelta};
use url::Url;

use super::backfill::{self, BackfillPart, BackfillStep};
use super::companies;
use super::dates;
use super::declared_source::Kind;
use super::error::FetchError;
use super::fetch_request::{FetchRequest, FetchSettings, Need};
use super::filed_documents::{self, FilingListRules};
use super::known_files::KnownFiles;
use super::page_links;
use super::path_template::Values;
use super::planned_request::{PlannedRequest, RequestReason, SourcePart, with_base_url};
use super::s3;
use super::source::Source;

/// Assumed speed, in bytes a second.
const ASSUMED_SPEED: u64 = 1_000_000;
/// Period before the newest file on disk, or before the last day, that is planned if the request has no first day.
const RECENT_PERIOD: TimeDelta = TimeDelta::days(7);
/// Period before the last day that is planned for quarterly, linked, filed and window files, if the request has no first day.
const LONG_RECENT_PERIOD: TimeDelta = TimeDelta::days(200);
/// Longest gap, in days, after the newest file on disk that a run fills if the request has no first day.
const LONGEST_GAP_DAYS: u32 = 400;

/// The requests that a run would send.
#[derive(Debug, Clone, Default)]
pub struct FetchPlan {
    /// The requests, in order. Pages add the requests for the files that they list.
    pub items: Vec<PlannedRequest>,
    /// Number of sources that can be requested.
    pub sources: usize,
    /// Sources that are not requested, and why.
    pub unmet_needs: Vec<(Arc<Source>, Need)>,
    /// Approximate bytes.
    pub bytes: u64,
    /// Approximate duration: the time of the slowest host group, because groups run concurrently.
    pub time: Duration,
    /// Cost of each step, in the order of the requests.
    pub parts: Vec<BackfillPart>,
}

/// Plans the requests to hosts for one request of a caller, at one point in time.
pub(crate) struct FetchPlanner<'a> {
    pub(crate) known_files: KnownFiles<'a>,
    pub(crate) settings: &'a FetchSettings,
    pub(crate) request: &'a FetchRequest,
}

impl FetchPlanner<'_> {
    /// Plans the requests for these sources.
    pub(crate) fn plan(&self, sources: &[Arc<Source>]) -> Result<FetchPlan, FetchError> {
        let mut items = Vec::new();
        for source in sources {
            items.extend(self.items(source)?);
        }
        let newest = items.iter().filter_map(|item| item.date).max();
        items.sort_by_cached_key(|item| (BackfillStep::for_request(item, newest), sort_key(item)));
        items.truncate(self.request.limit.unwrap_or(usize::MAX));
        let bytes = items.iter().map(PlannedRequest::cost).sum();
        let (time, parts) =
            (self.duration(&items), backfill::cost_of_steps(&items, newest, |items| self.duration(items)));
        Ok(FetchPlan { items, sources: sources.len(), unmet_needs: Vec::new(), bytes, time, parts })
    }

    /// Plans the requests for one source, newest first.
    pub(crate) fn items(&self, source: &Arc<Source>) -> Result<Vec<PlannedRequest>, FetchError> {
        let mut items = match source.kind {
            Kind::Dated => self.plan_days(source),
            Kind::Rolling => self.plan_snapshots(source)?,
            Kind::Window => self.plan_windows(source)?,
            Kind::Linked => self.plan_linked_files(source),
            Kind::Listed => {
                let (from, to) = self.day_range(source);
                self.plan_months(source, from, to)
            }
            Kind::Filed => self.plan_filed_documents(source)?,
        };
        items.sort_by_cached_key(sort_key);
        Ok(items)
    }

    fn plan_days(&self, source: &Arc<Source>) -> Vec<PlannedRequest> {
        let (from, to) = self.day_range(source);
        let days = source.days(&self.known_files.catalogue.calendar, from, to);
        let each = if source.each.is_empty() { vec![String::new()] } else { source.each.clone() };
        let mut items = Vec::new();
        for date in days {
            for each in &each {
                let item = if each.is_empty() { date.to_string() } else { format!("{date} {each}") };
                let path = source.into.fill(&Values { date: Some(date), each, ..Values::default() });
                let why =
                    path.and_then(|path| self.known_files.reason_to_request(source, (date, &item), &path));
                let part = SourcePart { each: each.clone(), ..SourcePart::default() };
                items.extend(why.map(|why| self.planned_request(source, (item, Some(date)), why, part)));
            }
        }
        items
    }

    fn plan_snapshots(&self, source: &Arc<Source>) -> Result<Vec<PlannedRequest>, FetchError> {
        let items = self.each_values(source)?.into_iter().filter_map(|each| {
            let item = if each.is_empty() { "-".to_owned() } else { each.clone() };
            let why = self.known_files.reason_to_request_snapshot(source, &item)?;
            Some(self.planned_request(
                source,
                (item, None),
                why,
                SourcePart { each, ..SourcePart::default() },
            ))
        });
        Ok(items.collect())
    }

    fn plan_windows(&self, source: &Arc<Source>) -> Result<Vec<PlannedRequest>, FetchError> {
        let last = source.last_ready(self.known_files.now);
        let to = self.request.until.map_or(last, |until| until.min(last));
        let items = self.each_values(source)?.into_iter().filter_map(|each| {
            let why = self.known_files.reason_to_request_snapshot(source, &each)?;
            let next_day = self
                .known_files
                .manifest
                .newest_good(&source.name, &each)
                .and_then(|line| line.dated?.succ_opt());
            let first = self.request.since.unwrap_or(to - LONG_RECENT_PERIOD).max(source.since);
            let from = next_day.filter(|_| !self.known_files.again).unwrap_or(first);
            let part = SourcePart { each: each.clone(), window: Some((from, to)), ..SourcePart::default() };
            (from <= to).then(|| self.planned_request(source, (each, Some(to)), why, part))
        });
        Ok(items.collect())
    }

    /// Plans the files that a fetched page links to, or the page if it is not fresh.
    fn plan_linked_files(&self, source: &Arc<Source>) -> Vec<PlannedRequest> {
        const PAGE: &str = "page";
        let (from, to) = self.day_range(source);
        let page =
            self.planned_request(source, (PAGE.to_owned(), None), RequestReason::Page, SourcePart::default());
        // The page links to one file for each quarter.
        let quarters = u64::try_from((to - from.max(source.since)).num_days() / 91).unwrap_or_default();
        let page = PlannedRequest { bytes: source.bytes * quarters.max(1), ..page };
        if !self.known_files.is_fresh(source, PAGE, None) {
            return if self.known_files.may_request_page(source, PAGE) { vec![page] } else { Vec::new() };
        }
        let items = self.links(source).into_iter().filter_map(|(name, link)| {
            let date = dates::period_end(&name).filter(|date| (from..=to).contains(date))?;
            let path = source.into.fill(&Values { name: &name, ..Values::default() })?;
            let why = self.known_files.reason_to_request(source, (date, &name), &path)?;
            let part = SourcePart { name: name.clone(), link: Some(link), ..SourcePart::default() };
            Some(self.planned_request(source, (name, Some(date)), why, part))
        });
        items.collect()
    }

    /// Returns the links of a source's page to its own host.
    pub(crate) fn links(&self, source: &Source) -> Vec<(String, Url)> {
        let read = || {
            let page = fs::read(self.known_files.folders.page(&source.name, "page")).ok()?;
            let base = Url::parse(&with_base_url(source.url.text(), self.settings)).ok()?;
            let page = String::from_utf8_lossy(&page).into_owned();
            let mut links = page_links::find_links(&page, &base, source.links.as_deref()?);
            links.retain(|(_, url)| url.origin() == base.origin());
            Some(links)
        };
        read().unwrap_or_default()
    }

    /// Plans the documents that the fetched lists of companies name, and the lists that are not fresh.
    fn plan_filed_documents(&self, source: &Arc<Source>) -> Result<Vec<PlannedRequest>, FetchError> {
        let (from, to) = self.day_range(source);
        let days = u64::try_from((to - from.max(source.since)).num_days()).unwrap_or_default();
        let mut items = Vec::new();
        for each in self.each_values(source)? {
            let list = filed_documents::list_item(&each);
            if self.known_files.is_fresh(source, &list, None) {
                items.extend(self.filed_documents(source, &each));
            } else if self.known_files.may_request_page(source, &list) {
                let part = SourcePart { each, ..SourcePart::default() };
                let page = self.planned_request(source, (list, None), RequestReason::Page, part);
                let yearly = source.filed.as_ref().map_or(1, |filed| filed.yearly);
                let documents = (days * yearly / 365).max(1);
                items.push(PlannedRequest { bytes: source.bytes * documents, ..page });
            }
        }
        Ok(items)
    }

    /// Plans the documents that the fetched list of a company names.
    pub(crate) fn filed_documents(&self, source: &Arc<Source>, each: &str) -> Vec<PlannedRequest> {
        let (from, to) = self.day_range(source);
        let list = fs::read(self.known_files.folders.page(&source.name, &filed_documents::list_item(each)));
        let read = |filed: &FilingListRules| filed.documents_in_list(&list.ok()?).ok();
        let documents = source.filed.as_ref().and_then(read).unwrap_or_default().into_iter();
        let items = documents.filter_map(|document| {
            let date = Some(document.date).filter(|date| (from.max(source.since)..=to).contains(date))?;
            let name = document.name;
            let path = source.into.fill(&Values { name: &name, ..Values::default() })?;
            let why = self.known_files.reason_to_request(source, (date, &name), &path)?;
            let link = Url::parse(&with_base_url(&document.url, self.settings)).ok();
            let part = SourcePart { name: name.clone(), link, ..SourcePart::default() };
            let planned = self.planned_request(source, (name, Some(date)), why, part);
            Some(PlannedRequest { bytes: document.bytes.unwrap_or(planned.bytes), ..planned })
        });
        items.collect()
    }

    /// Plans the files in monthly listings, or the listings if they are not fresh.
    fn plan_months(&self, source: &Arc<Source>, from: NaiveDate, to: NaiveDate) -> Vec<PlannedRequest> {
        let days = source.days(&self.known_files.catalogue.calendar, from, to);
        let mut months: BTreeMap<(i32, u32), Vec<NaiveDate>> = BTreeMap::new();
        for day in days {
            months.entry((day.year(), day.month())).or_default().push(day);
        }
        let mut items = Vec::new();
        for days in months.into_values() {
            items.extend(self.plan_month(source, &days));
        }
        items
    }

    /// Returns the days whose files are in the fetched listings of a bucket, but not on disk.
    pub(crate) fn listed_but_missing(
        &self,
        source: &Arc<Source>,
        from: NaiveDate,
        to: NaiveDate,
    ) -> Vec<NaiveDate> {
        let items = self.plan_months(source, from, to);
        let requested = items.iter().filter(|item| item.why != RequestReason::Page);
        requested
            .filter_map(|item| item.date.filter(|date| !self.known_files.is_day_on_disk(source, *date)))
            .collect()
    }

    /// Plans the files of some days of one month, or the listing of that month.
    fn plan_month(&self, source: &Arc<Source>, days: &[NaiveDate]) -> Vec<PlannedRequest> {
        let Some(newest) = days.iter().max() else { return Vec::new() };
        let item = format!("list {}", newest.format("%Y-%m"));
        let end = month_end(*newest);
        let closed = source.ready_at(end) + source.corrected.unwrap_or(source.retry).delta();
        if !self.known_files.is_fresh(source, &item, Some(closed)) {
            let is_needed = self.known_files.may_request_page(source, &item)
                && source.ready_at(*days.iter().min().unwrap_or(newest)) <= self.known_files.now;
            let list = self.planned_request(
                source,
                (item, Some(*newest)),
                RequestReason::Page,
                SourcePart::default(),
            );
            let link = list.real_url(self.settings).and_then(|url| s3::list_url(&url));
            let url = link.as_ref().map_or_else(|| list.url.clone(), ToString::to_string);
            let part = SourcePart { link, ..SourcePart::default() };
            return if is_needed { vec![PlannedRequest { url, part, ..list }] } else { Vec::new() };
        }
        let text = fs::read_to_string(self.known_files.folders.page(&source.name, &item)).unwrap_or_default();
        let files = s3::read_list(&text).unwrap_or_default();
        let items = days.iter().filter_map(|day| {
            let plain = self.planned_request(
                source,
                (day.to_string(), Some(*day)),
                RequestReason::New,
                SourcePart::default(),
            );
            let path = plain.real_url(self.settings)?.path().to_owned();
            let listed = files.iter().find(|file| path.ends_with(&format!("/{}", file.key)))?;
            let into = source.into.fill(&plain.values(None))?;
            let is_on_disk = self.known_files.is_on_disk(source, &into);
            let good = self.known_files.manifest.newest_good(&source.name, &plain.item);
            let is_newer =
                good.is_some_and(|line| line.etag.as_ref().is_some_and(|etag| *etag != listed.etag));
            let why = match (is_on_disk, is_newer) {
                (true, true) => RequestReason::Again,
                (true, false) => return None,
                (false, _) => self.known_files.reason_to_request(source, (*day, &plain.item), &into)?,
            };
            Some(PlannedRequest { why, bytes: listed.bytes, ..plain })
        });
        items.collect()
    }

    /// Returns the values of `{each}`; one empty text for a source without `{each}`.
    fn each_values(&self, source: &Source) -> Result<Vec<String>, FetchError> {
        match source.per {
            Some(per) => companies::resolve_companies(per, &self.request.companies, self.known_files.folders),
            None if source.each.is_empty() => Ok(vec![String::new()]),
            None => Ok(source.each.clone()),
        }
    }

    fn planned_request(
        &self,
        source: &Arc<Source>,
        (item, date): (String, Option<NaiveDate>),
        why: RequestReason,
        part: SourcePart,
    ) -> PlannedRequest {
        let bytes = source.bytes;
        let mut item =
            PlannedRequest { source: Arc::clone(source), item, date, url: String::new(), bytes, why, part };
        let url = match &item.part.link {
            Some(link) => Some(link.to_string()),
            None => source.url.fill(&item.values(None)),
        };
        item.url = with_base_url(&url.unwrap_or_default(), self.settings);
        item
    }

    /// Returns the first and the last day to plan.
    fn day_range(&self, source: &Source) -> (NaiveDate, NaiveDate) {
        let last = source.last_ready(self.known_files.now);
        let to = self.request.until.map_or(last, |until| until.min(last));
        let from = self.request.since.unwrap_or_else(|| match source.kind {
            Kind::Linked | Kind::Filed => to - LONG_RECENT_PERIOD,
            _ if source.step == super::declared_source::Step::Quarter => to - LONG_RECENT_PERIOD,
            _ => self.newest_on_disk(source, to).map_or(to, |newest| newest.min(to)) - RECENT_PERIOD,
        });
        (from, to)
    }

    /// Returns the newest day with a file on disk, within `LONGEST_GAP_DAYS` days before a day.
    pub(crate) fn newest_on_disk(&self, source: &Source, to: NaiveDate) -> Option<NaiveDate> {
        let mut days =
            to.iter_days().rev().take(LONGEST_GAP_DAYS as usize).take_while(|day| *day >= source.since);
        days.find(|day| self.known_files.is_day_on_disk(source, *day))
    }

    fn duration(&self, items: &[PlannedRequest]) -> Duration {
        let mut groups: BTreeMap<&str, Duration> = BTreeMap::new();
        for item in items {
            let Some(group) = self.known_files.catalogue.group_of(&item.source) else { continue };
            let time = groups.entry(&group.name).or_default();
            *time +=
                group.spacing.0.mul_f64(1.15) + Duration::from_millis(item.cost() * 1_000 / ASSUMED_SPEED);
        }
        groups.into_values().max().unwrap_or_default()
    }
}

/// Returns the sort key of a request within a step: files without an archive first, then by descending day, core sources first.
fn sort_key(item: &PlannedRequest) -> (bool, Reverse<Option<NaiveDate>>, bool, String, String) {
    let is_rolling = matches!(item.source.kind, Kind::Rolling);
    (!is_rolling, Reverse(item.date), !item.source.core, item.source.name.clone(), item.item.clone())
}

/// Returns the last day of a month.
fn month_end(day: NaiveDate) -> NaiveDate {
    day.with_day(day.num_days_in_month().into()).unwrap_or(day)
}
