//! One run's requests to one group of hosts, one after the other.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, USER_AGENT};
use url::Url;

use super::ask::{Requester, TransferEvents, Unanswered};
use super::client::{AGENT, FileRequest, HostReply, ReplyHeaders, RequestedFile};
use super::declared::Kind;
use super::error::FetchError;
use super::fetched_files::FetchedFiles;
use super::host::HostGroup;
use super::item::{Item, Why};
use super::judge::PAGE;
use super::key::VendorKey;
use super::kit::Kit;
use super::looked::look;
use super::manifest::ManifestLine;
use super::outcome::FetchOutcome;
use super::part::Part;
use super::plan::FetchPlanner;
use super::progress::FetchProgress;
use super::report::{ByHand, ClosedGroup, Ended};
use super::verdict::{self, ReceivedFile};
use super::wanted::Wanted;

/// What came of a group: its requests, and why it was closed if it was.
pub(crate) type Outcomes = (Vec<Ended>, Option<ClosedGroup>);

/// What all groups of a run share.
pub(crate) struct FetchRun<'a> {
    pub(crate) kit: &'a Kit,
    pub(crate) fetched_files: &'a Mutex<FetchedFiles>,
    pub(crate) wanted: &'a Wanted,
    pub(crate) progress: &'a dyn FetchProgress,
    /// Requests that may still be made.
    pub(crate) left: &'a AtomicUsize,
}

/// The requests to one group.
pub(crate) struct HostRound<'a> {
    pub(crate) run: &'a FetchRun<'a>,
    pub(crate) group: &'a HostGroup,
    pub(crate) asker: Requester,
}

impl FetchRun<'_> {
    fn fetched_files(&self) -> MutexGuard<'_, FetchedFiles> {
        // What a holder that panicked was doing stands on the disk in whole steps.
        self.fetched_files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a whole part and says what it means.
    pub(crate) async fn judged(
        &self,
        item: &Item,
        at: DateTime<Utc>,
        part: &mut Part,
        headers: ReplyHeaders,
    ) -> Result<ManifestLine, FetchError> {
        let looked = look(item, part.path().to_owned(), self.kit.settings.limits.unpacked).await?;
        let received = ReceivedFile {
            headers,
            judgement: looked.judgement,
            bytes: part.length(),
            blake3: looked.blake3,
        };
        let mut fetched_files = self.fetched_files();
        let view = fetched_files.view(&self.kit.catalogue, self.kit.clock.now(), self.wanted.again);
        let line = verdict::received(&view, item, at, received);
        fetched_files.settle(part, line.clone(), &item.source)?;
        Ok(line)
    }
}

impl HostRound<'_> {
    /// Makes the requests; what a page tells of is asked for next.
    pub(crate) async fn work(mut self, items: Vec<Item>) -> Result<Outcomes, FetchError> {
        let mut queue: VecDeque<Item> = items.into();
        let mut ended = Vec::new();
        while let Some(item) = queue.pop_front() {
            if self.asker.host_queue.closed().is_some() || !self.take() {
                queue.push_front(item);
                break;
            }
            let Some(line) = self.visit(&item).await? else {
                queue.push_front(item);
                break;
            };
            self.run.progress.end(&line);
            if item.why == Why::Page && line.outcome.is_good() {
                for next in self.told_by(&item)?.into_iter().rev() {
                    queue.push_front(next);
                }
            }
            ended.push(self.ended(&item, line));
        }
        let closed = self.asker.host_queue.closed().map(|closed| ClosedGroup {
            group: self.group.name.clone(),
            why: closed.0.clone(),
            left: queue.len(),
        });
        if let Some(closed) = &closed {
            self.run.progress.closed(&closed.group, &closed.why);
        }
        Ok((ended, closed))
    }

    /// Takes one of the requests that may still be made.
    fn take(&self) -> bool {
        self.run.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
    }

    /// Asks for one file and writes down how it ended; nothing where the group was closed before it was asked.
    async fn visit(&mut self, item: &Item) -> Result<Option<ManifestLine>, FetchError> {
        let at = self.run.kit.clock.now();
        let Some(url) = item.real_url(&self.run.kit.settings) else {
            return self.noted(ManifestLine {
                why: "its address cannot be made".to_owned(),
                ..verdict::line(item, at, FetchOutcome::Failed)
            });
        };
        let mut part = Part::open(&self.run.kit.folders.parts(), (&item.source.name, &item.item), &item.url);
        if self.asks_head(item) {
            let reply = self.send(item, at, (Method::HEAD, url.clone()), &mut part).await;
            match reply {
                Ok(HostReply::Head(headers)) => {
                    if let Some(line) = self.same(item, at, &headers) {
                        self.asker.host_queue.gave();
                        return self.noted(line);
                    }
                }
                // A host that does not know HEAD is asked for the file.
                Ok(HostReply::Odd { status: 405 | 501, .. })
                | Err(Unanswered::Way { status: Some(501), .. }) => {}
                other => return self.settled(item, at, other, &mut part).await,
            }
        }
        let reply = self.send(item, at, (Method::GET, url), &mut part).await;
        self.settled(item, at, reply, &mut part).await
    }

    /// Whether the headers are asked for before the file: of one that is there.
    fn asks_head(&self, item: &Item) -> bool {
        item.why == Why::Check || item.source.head && self.copy(item).is_some()
    }

    /// What is known of a file that is there.
    fn copy(&self, item: &Item) -> Option<ManifestLine> {
        let (fetched_files, kit) = (self.run.fetched_files(), self.run.kit);
        fetched_files.view(&kit.catalogue, kit.clock.now(), false).copy(&item.source, &item.item).cloned()
    }

    /// The line of a file whose headers say that it is the one that is held.
    fn same(&self, item: &Item, at: DateTime<Utc>, headers: &ReplyHeaders) -> Option<ManifestLine> {
        let good = self.copy(item)?;
        let is_same = match (&headers.etag, &good.etag, &headers.last_modified, &good.last_modified) {
            (Some(now), Some(then), ..) => now == then,
            (_, _, Some(now), Some(then)) => {
                now == then && headers.length.is_none_or(|length| length == good.bytes)
            }
            // Without a version only the bytes can tell.
            _ => false,
        };
        is_same.then(|| verdict::unchanged(item, at, headers.status, Some(&good)))
    }

    async fn send(
        &mut self,
        item: &Item,
        at: DateTime<Utc>,
        (method, url): (Method, Url),
        part: &mut Part,
    ) -> Result<HostReply, Unanswered> {
        let of = RequestedFile {
            source: item.source.name.clone(),
            item: item.item.clone(),
            shown: item.url.clone(),
            at,
        };
        let headers = self.headers(item, method == Method::GET && part.resume().is_none());
        let most = if item.why == Why::Page { item.source.most.min(PAGE) } else { item.source.most };
        let request = FileRequest { url, method, headers, of, most };
        let (progress, group, source) =
            (self.run.progress, self.group.name.as_str(), item.source.name.as_str());
        let events = TransferEvents {
            waits: &|time| progress.wait(group, time),
            bytes: &|count| progress.bytes(source, count),
        };
        let signer = self.signer(item);
        self.asker.ask(request, signer, part, &events).await
    }

    /// Key and secret, where requests are signed.
    fn signer(&self, item: &Item) -> Option<(VendorKey, VendorKey)> {
        let declared = item.source.key.as_ref()?;
        let key = |name: &str| self.run.kit.settings.keys.key(name);
        Some((key(&declared.env)?, key(declared.secret_env.as_deref()?)?))
    }

    /// The headers beside those of every request: the contact, the key, and the version that is held.
    fn headers(&self, item: &Item, is_conditional: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let settings = &self.run.kit.settings;
        let mut put = |name: HeaderName, text: &str, is_secret: bool| {
            if let Ok(mut value) = HeaderValue::from_str(text) {
                value.set_sensitive(is_secret);
                headers.insert(name, value);
            }
        };
        if let Some(contact) = settings.contact.as_deref().filter(|_| self.group.needs_contact) {
            put(USER_AGENT, &format!("{AGENT} {contact}"), false);
        }
        if let Some(key) = &item.source.key
            && let Some(name) = key.header.as_deref().and_then(|name| name.to_ascii_lowercase().parse().ok())
            && let Some(value) = settings.keys.key(&key.env)
        {
            put(name, &format!("{}{}", key.before, value.reveal()), true);
        }
        let good = self.copy(item);
        // A window is another one each time; a page may be the same while what it is for is not there.
        let is_same_address = item.source.kind == Kind::Rolling && is_conditional;
        if let Some(good) = good.filter(|_| is_same_address) {
            good.etag.iter().for_each(|etag| put(IF_NONE_MATCH, etag, false));
            good.last_modified.iter().for_each(|date| put(IF_MODIFIED_SINCE, date, false));
        }
        headers
    }

    /// What a reply means, written down.
    async fn settled(
        &mut self,
        item: &Item,
        at: DateTime<Utc>,
        reply: Result<HostReply, Unanswered>,
        part: &mut Part,
    ) -> Result<Option<ManifestLine>, FetchError> {
        let on_disk = |part: &Part| FetchError::of_file("cannot write", part.path().to_owned());
        match reply {
            Ok(HostReply::Whole(headers)) => {
                let line = self.run.judged(item, at, part, headers).await?;
                match line.outcome {
                    FetchOutcome::Blocked => self.asker.host_queue.refused(&line.why),
                    _ => self.asker.host_queue.gave(),
                }
                Ok(Some(line))
            }
            Ok(reply) => {
                let line = self.without_file(item, at, reply);
                if line.outcome != FetchOutcome::Blocked {
                    self.asker.host_queue.gave();
                }
                self.noted(line)
            }
            Err(Unanswered::Closed) => Ok(None),
            Err(Unanswered::Way { why, status }) => {
                self.asker.host_queue.failed(&why);
                let plain = verdict::line(item, at, FetchOutcome::Failed);
                self.noted(ManifestLine { status, why, answered: status.is_some(), ..plain })
            }
            Err(Unanswered::TooLarge(why)) => {
                part.discard().map_err(on_disk(part))?;
                self.noted(ManifestLine { why, ..verdict::line(item, at, FetchOutcome::Failed) })
            }
            Err(Unanswered::Disk(error)) => Err(on_disk(part)(error)),
        }
    }

    /// The line of a reply that brought no file.
    fn without_file(&mut self, item: &Item, at: DateTime<Utc>, reply: HostReply) -> ManifestLine {
        let plain = |status: u16, outcome, why: String| ManifestLine {
            status: Some(status),
            why,
            ..verdict::line(item, at, outcome)
        };
        match reply {
            HostReply::NotModified => verdict::unchanged(item, at, 304, self.copy(item).as_ref()),
            HostReply::Absent(status) => {
                let (fetched_files, kit) = (self.run.fetched_files(), self.run.kit);
                let view = fetched_files.view(&kit.catalogue, kit.clock.now(), self.run.wanted.again);
                verdict::absent(&view, item, at, status)
            }
            HostReply::Refused { status, .. } => {
                plain(status, FetchOutcome::Blocked, format!("the host refuses it ({status})"))
            }
            HostReply::Elsewhere(host) => {
                self.asker.host_queue.refused(&format!("a redirect to {host}"));
                plain(
                    302,
                    FetchOutcome::Blocked,
                    format!("it redirects to another host, {host}, which is not asked"),
                )
            }
            HostReply::Odd { status, why } => plain(status, FetchOutcome::Failed, why),
            HostReply::Head(headers) | HostReply::Whole(headers) => {
                plain(headers.status, FetchOutcome::Failed, "no file came".to_owned())
            }
            // The asker follows or repeats these.
            HostReply::Moved(_) | HostReply::Busy { .. } => {
                plain(0, FetchOutcome::Failed, "it led nowhere".to_owned())
            }
        }
    }

    /// Writes down a line that has no file.
    fn noted(&self, line: ManifestLine) -> Result<Option<ManifestLine>, FetchError> {
        self.run.fetched_files().add(line.clone())?;
        Ok(Some(line))
    }

    /// The files that a page which came tells of.
    fn told_by(&self, page: &Item) -> Result<Vec<Item>, FetchError> {
        let fetched_files = self.run.fetched_files();
        let kit = self.run.kit;
        // The page is as good as new, whatever is asked for again.
        let view = fetched_files.view(&kit.catalogue, kit.clock.now(), false);
        let planner = FetchPlanner { view, settings: &kit.settings, wanted: self.run.wanted };
        let mut items = planner.items(&page.source)?;
        items.retain(|item| item.why != Why::Page);
        // The lists of other months tell of their own.
        if page.source.kind == Kind::Listed {
            let month = |item: &Item| item.date.map(|date| date.format("%Y-%m").to_string());
            items.retain(|item| month(item) == month(page));
        }
        Ok(items)
    }

    fn ended(&self, item: &Item, line: ManifestLine) -> Ended {
        let by_hand = (line.outcome == FetchOutcome::Blocked).then(|| {
            let page = item.source.by_hand.as_ref().unwrap_or(&self.group.by_hand);
            ByHand { page: page.clone(), folder: self.run.kit.folders.raw().join(item.source.folder()) }
        });
        Ended { line, by_hand }
    }
}
