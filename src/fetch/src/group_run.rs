//! The requests of one run to one host group, in sequence.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, USER_AGENT};
use url::Url;

use super::backfill::BackfillStep;
use super::client::{AGENT, FileRequest, HostReply};
use super::content_check::{MOST_PAGE_BYTES, check_file};
use super::context::FetchContext;
use super::declared_source::Kind;
use super::error::FetchError;
use super::fetch_request::FetchRequest;
use super::fetched_files::FetchedFiles;
use super::host_group::HostGroup;
use super::manifest::ManifestLine;
use super::outcome::FetchOutcome;
use super::outcome_of_reply::{self, ReceivedFile};
use super::partial_download::{PartialDownload, ReplyHeaders, RequestedFile};
use super::plan::FetchPlanner;
use super::planned_request::{PlannedRequest, RequestReason};
use super::progress::FetchProgress;
use super::report::{ClosedGroup, FinishedRequest, ManualDownload};
use super::send::{Requester, SendError, TransferEvents};
use super::vendor_key::VendorKey;

/// The result of a group: its finished requests, and the reason if the group was closed.
pub(crate) type Outcomes = (Vec<FinishedRequest>, Option<ClosedGroup>);

/// Data that all groups of a run share.
pub(crate) struct FetchRun<'a> {
    pub(crate) context: &'a FetchContext,
    pub(crate) fetched_files: &'a Mutex<FetchedFiles>,
    pub(crate) request: &'a FetchRequest,
    pub(crate) progress: &'a dyn FetchProgress,
    /// Number of requests that may still be made.
    pub(crate) remaining_requests: &'a AtomicUsize,
}

/// The requests to one group.
pub(crate) struct GroupRun<'a> {
    pub(crate) run: &'a FetchRun<'a>,
    pub(crate) group: &'a HostGroup,
    pub(crate) requester: Requester,
}

impl FetchRun<'_> {
    fn fetched_files(&self) -> MutexGuard<'_, FetchedFiles> {
        // Each change is complete on disk, so a lock poisoned by a panic can be used.
        self.fetched_files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks a complete download, moves the file to its final path and writes its line.
    pub(crate) async fn check_download(
        &self,
        planned: &PlannedRequest,
        at: DateTime<Utc>,
        download: &mut PartialDownload,
        headers: ReplyHeaders,
    ) -> Result<ManifestLine, FetchError> {
        let checked =
            check_file(planned, download.path().to_owned(), self.context.settings.limits.unpacked).await?;
        let received = ReceivedFile {
            headers,
            content: checked.content,
            bytes: download.length(),
            blake3: checked.blake3,
        };
        let mut fetched_files = self.fetched_files();
        let known =
            fetched_files.known_files(&self.context.catalogue, self.context.clock.now(), self.request.again);
        let line = outcome_of_reply::received_file(&known, planned, at, received);
        fetched_files.finish_download(download, line.clone(), &planned.source)?;
        Ok(line)
    }
}

impl GroupRun<'_> {
    /// Makes the requests in their order. The files that a page lists are requested right after the page, those of earlier years at the
    /// end.
    pub(crate) async fn work(mut self, items: Vec<PlannedRequest>) -> Result<Outcomes, FetchError> {
        let newest = items.iter().filter_map(|item| item.date).max();
        let mut queue: VecDeque<PlannedRequest> = items.into();
        let mut ended = Vec::new();
        while let Some(planned) = queue.pop_front() {
            if self.requester.host_queue.closed_reason().is_some() || !self.take_request() {
                queue.push_front(planned);
                break;
            }
            let Some(line) = self.request_file(&planned).await? else {
                queue.push_front(planned);
                break;
            };
            self.run.progress.end(&line);
            if planned.why == RequestReason::Page && line.outcome.is_good() {
                let listed = self.plan_listed_files(&planned)?.into_iter();
                let (old, recent): (Vec<_>, Vec<_>) =
                    listed.partition(|next| BackfillStep::for_request(next, newest) == BackfillStep::History);
                queue.extend(old);
                for next in recent.into_iter().rev() {
                    queue.push_front(next);
                }
            }
            ended.push(self.finished_request(&planned, line));
        }
        let closed = self.requester.host_queue.closed_reason().map(|closed| ClosedGroup {
            group: self.group.name.clone(),
            why: closed.0.clone(),
            left: queue.len(),
        });
        if let Some(closed) = &closed {
            self.run.progress.closed(&closed.group, &closed.why);
        }
        Ok((ended, closed))
    }

    /// Counts a request that is about to be made; returns false if no more may be made.
    fn take_request(&self) -> bool {
        let take = |remaining: usize| remaining.checked_sub(1);
        self.run.remaining_requests.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok()
    }

    /// Requests one file and records the outcome; returns `None` if the group was closed before.
    async fn request_file(&mut self, planned: &PlannedRequest) -> Result<Option<ManifestLine>, FetchError> {
        let at = self.run.context.clock.now();
        let Some(url) = planned.real_url(&self.run.context.settings) else {
            return self.write_line(ManifestLine {
                why: "its address cannot be made".to_owned(),
                ..outcome_of_reply::line_without_file(planned, at, FetchOutcome::Failed)
            });
        };
        let mut download = PartialDownload::open(
            &self.run.context.folders.parts(),
            (&planned.source.name, &planned.item),
            &planned.url,
        );
        if self.requests_head_first(planned) {
            let reply = self.send(planned, at, (Method::HEAD, url.clone()), &mut download).await;
            match reply {
                Ok(HostReply::Head(headers)) => {
                    if let Some(line) = self.unchanged_line(planned, at, &headers) {
                        self.requester.host_queue.record_reply();
                        return self.write_line(line);
                    }
                }
                // The file is requested from a host without HEAD support.
                Ok(HostReply::Unexpected { status: 405 | 501, .. })
                | Err(SendError::Failed { status: Some(501), .. }) => {}
                other => return self.record_outcome(planned, at, other, &mut download).await,
            }
        }
        let reply = self.send(planned, at, (Method::GET, url), &mut download).await;
        self.record_outcome(planned, at, reply, &mut download).await
    }

    /// Returns true if a HEAD request comes first, to compare the version with that of the copy on disk.
    fn requests_head_first(&self, planned: &PlannedRequest) -> bool {
        planned.why == RequestReason::Check || planned.source.head && self.copy_on_disk(planned).is_some()
    }

    /// Returns the line of the file that is on disk; `None` without a file.
    fn copy_on_disk(&self, planned: &PlannedRequest) -> Option<ManifestLine> {
        let (fetched_files, context) = (self.run.fetched_files(), self.run.context);
        fetched_files
            .known_files(&context.catalogue, context.clock.now(), false)
            .copy_on_disk(&planned.source, &planned.item)
            .cloned()
    }

    /// Returns the line of an unchanged file, if the headers match the copy on disk.
    fn unchanged_line(
        &self,
        planned: &PlannedRequest,
        at: DateTime<Utc>,
        headers: &ReplyHeaders,
    ) -> Option<ManifestLine> {
        let copy = self.copy_on_disk(planned)?;
        let is_same = match (&headers.etag, &copy.etag, &headers.last_modified, &copy.last_modified) {
            (Some(now), Some(then), ..) => now == then,
            (_, _, Some(now), Some(then)) => {
                now == then && headers.length.is_none_or(|length| length == copy.bytes)
            }
            // Without a version, only the bytes can show a change.
            _ => false,
        };
        is_same.then(|| outcome_of_reply::unchanged_file(planned, at, headers.status, Some(&copy)))
    }

    async fn send(
        &mut self,
        planned: &PlannedRequest,
        at: DateTime<Utc>,
        (method, url): (Method, Url),
        download: &mut PartialDownload,
    ) -> Result<HostReply, SendError> {
        let file = RequestedFile {
            source: planned.source.name.clone(),
            item: planned.item.clone(),
            url: planned.url.clone(),
            at,
        };
        let headers = self.headers(planned, method == Method::GET && download.resume().is_none());
        let most = if planned.why == RequestReason::Page {
            planned.source.max_bytes.min(MOST_PAGE_BYTES)
        } else {
            planned.source.max_bytes
        };
        let request = FileRequest { url, method, headers, file, max_bytes: most };
        let (progress, group, source) =
            (self.run.progress, self.group.name.as_str(), planned.source.name.as_str());
        let events = TransferEvents {
            on_wait: &|time| progress.wait(group, time),
            on_bytes: &|count| progress.bytes(source, count),
        };
        let signer = self.signer(planned);
        self.requester.send(request, signer, download, &events).await
    }

    /// Returns the key and the secret of a source whose requests are signed; `None` for other sources.
    fn signer(&self, planned: &PlannedRequest) -> Option<(VendorKey, VendorKey)> {
        let declared = planned.source.key.as_ref()?;
        let key = |name: &str| self.run.context.settings.keys.key(name);
        Some((key(&declared.env)?, key(declared.secret_env.as_deref()?)?))
    }

    /// Builds the additional headers: the contact, the key, and, if `is_conditional`, the version of the copy on disk.
    fn headers(&self, planned: &PlannedRequest, is_conditional: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let settings = &self.run.context.settings;
        let mut put = |name: HeaderName, text: &str, is_secret: bool| {
            if let Ok(mut value) = HeaderValue::from_str(text) {
                value.set_sensitive(is_secret);
                headers.insert(name, value);
            }
        };
        if let Some(contact) = settings.contact.as_deref().filter(|_| self.group.needs_contact) {
            put(USER_AGENT, &format!("{AGENT} {contact}"), false);
        }
        if let Some(key) = &planned.source.key
            && let Some(name) = key.header.as_deref().and_then(|name| name.to_ascii_lowercase().parse().ok())
            && let Some(value) = settings.keys.key(&key.env)
        {
            put(name, &format!("{}{}", key.before, value.reveal()), true);
        }
        let copy = self.copy_on_disk(planned);
        // Two windows are two files, and a page may be unchanged while a file that it links to is missing on disk.
        let is_same_address = planned.source.kind == Kind::Rolling && is_conditional;
        if let Some(copy) = copy.filter(|_| is_same_address) {
            copy.etag.iter().for_each(|etag| put(IF_NONE_MATCH, etag, false));
            copy.last_modified.iter().for_each(|date| put(IF_MODIFIED_SINCE, date, false));
        }
        headers
    }

    /// Records the outcome of a reply; returns its line, or `None` if the group was closed before the request.
    async fn record_outcome(
        &mut self,
        planned: &PlannedRequest,
        at: DateTime<Utc>,
        reply: Result<HostReply, SendError>,
        download: &mut PartialDownload,
    ) -> Result<Option<ManifestLine>, FetchError> {
        let disk_error =
            |download: &PartialDownload| FetchError::of_file("cannot write", download.path().to_owned());
        match reply {
            Ok(HostReply::Whole(headers)) => {
                let line = self.run.check_download(planned, at, download, headers).await?;
                match line.outcome {
                    FetchOutcome::Blocked => self.requester.host_queue.record_refusal(&line.why),
                    _ => self.requester.host_queue.record_reply(),
                }
                Ok(Some(line))
            }
            Ok(reply) => {
                let line = self.line_without_file(planned, at, reply);
                if line.outcome != FetchOutcome::Blocked {
                    self.requester.host_queue.record_reply();
                }
                self.write_line(line)
            }
            Err(SendError::Closed) => Ok(None),
            Err(SendError::Failed { why, status }) => {
                self.requester.host_queue.record_failure(&why);
                let plain = outcome_of_reply::line_without_file(planned, at, FetchOutcome::Failed);
                self.write_line(ManifestLine { status, why, answered: status.is_some(), ..plain })
            }
            Err(SendError::TooLarge(why)) => {
                download.discard().map_err(disk_error(download))?;
                self.write_line(ManifestLine {
                    why,
                    ..outcome_of_reply::line_without_file(planned, at, FetchOutcome::Failed)
                })
            }
            Err(SendError::Disk(error)) => Err(disk_error(download)(error)),
        }
    }

    /// Builds the line of a reply without a file.
    fn line_without_file(
        &mut self,
        planned: &PlannedRequest,
        at: DateTime<Utc>,
        reply: HostReply,
    ) -> ManifestLine {
        let plain = |status: u16, outcome, why: String| ManifestLine {
            status: Some(status),
            why,
            ..outcome_of_reply::line_without_file(planned, at, outcome)
        };
        match reply {
            HostReply::NotModified => {
                outcome_of_reply::unchanged_file(planned, at, 304, self.copy_on_disk(planned).as_ref())
            }
            HostReply::Absent(status) => {
                let (fetched_files, context) = (self.run.fetched_files(), self.run.context);
                let known = fetched_files.known_files(
                    &context.catalogue,
                    context.clock.now(),
                    self.run.request.again,
                );
                outcome_of_reply::absent_file(&known, planned, at, status)
            }
            HostReply::Refused { status, .. } => {
                plain(status, FetchOutcome::Blocked, format!("the host refuses it ({status})"))
            }
            HostReply::OtherHost(host) => {
                self.requester.host_queue.record_refusal(&format!("a redirect to {host}"));
                plain(
                    302,
                    FetchOutcome::Blocked,
                    format!("it redirects to another host, {host}, which gets no request"),
                )
            }
            HostReply::Unexpected { status, why } => plain(status, FetchOutcome::Failed, why),
            HostReply::Head(headers) | HostReply::Whole(headers) => {
                plain(headers.status, FetchOutcome::Failed, "no file came".to_owned())
            }
            // The requester follows or retries these.
            HostReply::Redirect(_) | HostReply::Busy { .. } => {
                plain(0, FetchOutcome::Failed, "it led nowhere".to_owned())
            }
        }
    }

    /// Adds the line of a request without a file to the manifest, and returns the line.
    fn write_line(&self, line: ManifestLine) -> Result<Option<ManifestLine>, FetchError> {
        self.run.fetched_files().add(line.clone())?;
        Ok(Some(line))
    }

    /// Plans the files that a page, which was just fetched, lists.
    fn plan_listed_files(&self, page: &PlannedRequest) -> Result<Vec<PlannedRequest>, FetchError> {
        let fetched_files = self.run.fetched_files();
        let context = self.run.context;
        // The page was just fetched, so it is fresh even if `again` is set.
        let known_files = fetched_files.known_files(&context.catalogue, context.clock.now(), false);
        let planner = FetchPlanner { known_files, settings: &context.settings, request: self.run.request };
        if page.source.kind == Kind::Filed {
            return Ok(planner.filed_documents(&page.source, &page.part.each));
        }
        let mut items = planner.items(&page.source)?;
        items.retain(|planned| planned.why != RequestReason::Page);
        // Other months have separate listings.
        if page.source.kind == Kind::Listed {
            let month = |planned: &PlannedRequest| planned.date.map(|date| date.format("%Y-%m").to_string());
            items.retain(|planned| month(planned) == month(page));
        }
        Ok(items)
    }

    fn finished_request(&self, planned: &PlannedRequest, line: ManifestLine) -> FinishedRequest {
        let by_hand = (line.outcome == FetchOutcome::Blocked).then(|| {
            let page = planned.source.by_hand.as_ref().unwrap_or(&self.group.by_hand);
            ManualDownload {
                page: page.clone(),
                folder: self.run.context.folders.raw().join(planned.source.folder()),
            }
        });
        FinishedRequest { line, by_hand }
    }
}
