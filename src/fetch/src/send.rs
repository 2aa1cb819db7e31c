//! Sends a request until the host replies: waits for the host's queue, retries after a failed connection, and stops once the host refuses.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::HeaderMap;
use url::Url;

use super::client::{FetchClient, FileRequest, HostReply, TransferFault};
use super::clock::FetchClock;
use super::host_queue::HostQueue;
use super::partial_download::PartialDownload;
use super::s3;
use super::vendor_key::VendorKey;

/// Maximum number of attempts for one file.
const MOST_ATTEMPTS: u32 = 3;
/// Maximum number of redirects within one host.
const MOST_REDIRECTS: u32 = 3;

/// The reason why there is no reply.
#[derive(Debug)]
pub(crate) enum SendError {
    /// The group gets no more requests in this run.
    Closed,
    /// The file was not received completely; with the reason, and the status of a reply without a file.
    Failed { why: String, status: Option<u16> },
    /// The file exceeds the size limit.
    TooLarge(String),
    /// The local disk failed.
    Disk(std::io::Error),
}

/// Sends requests to one group of hosts.
#[derive(Debug)]
pub(crate) struct Requester {
    pub(crate) host_queue: HostQueue,
    pub(crate) client: FetchClient,
    pub(crate) clock: Arc<dyn FetchClock>,
}

/// The next step after a reply.
enum NextStep {
    /// Returns the result.
    Done(Result<HostReply, SendError>),
    /// Repeats the request after the wait that the host requires.
    SlowDown,
    /// Repeats the request with another URL of the same host.
    Redirect(Url),
    /// Repeats the request after a pause, unless there were too many failures.
    Failed { why: String, status: Option<u16> },
}

/// Callbacks of a transfer, for the waiting time and for the number of received bytes.
pub(crate) struct TransferEvents<'a> {
    pub(crate) on_wait: &'a (dyn Fn(Duration) + Sync),
    pub(crate) on_bytes: &'a (dyn Fn(u64) + Sync),
}

impl Requester {
    /// Requests a file; requests to a bucket are signed again at each attempt, because signatures expire.
    pub(crate) async fn send(
        &mut self,
        mut request: FileRequest,
        signer: Option<(VendorKey, VendorKey)>,
        download: &mut PartialDownload,
        events: &TransferEvents<'_>,
    ) -> Result<HostReply, SendError> {
        let (mut failures, mut redirects) = (0, 0);
        loop {
            let turn = self.host_queue.wait_for_turn(events.on_wait).await.map_err(|_| SendError::Closed)?;
            if let Some((key, secret)) = &signer {
                add_signature(&mut request, key, secret);
            }
            let reply = self.client.send(&request, download, events.on_bytes).await;
            let wait = self.required_wait(&reply);
            self.host_queue.end_request(turn, wait);
            match self.next_step(reply) {
                NextStep::Done(reply) => return reply,
                NextStep::SlowDown => {}
                NextStep::Redirect(url) if redirects < MOST_REDIRECTS => {
                    redirects += 1;
                    request.url = url;
                }
                NextStep::Redirect(_) => {
                    return Ok(HostReply::Unexpected {
                        status: 302,
                        why: "it redirects in a circle".to_owned(),
                    });
                }
                NextStep::Failed { why, status } => {
                    failures += 1;
                    if failures >= MOST_ATTEMPTS {
                        return Err(SendError::Failed { why, status });
                    }
                    self.clock.sleep(Duration::from_secs(1 << failures)).await;
                }
            }
        }
    }

    /// Determines the next step after a reply.
    fn next_step(&mut self, reply: Result<HostReply, TransferFault>) -> NextStep {
        match reply {
            Ok(HostReply::Redirect(url)) => NextStep::Redirect(url),
            Ok(HostReply::Refused { status, slow, after }) => {
                self.host_queue.record_refusal(&format!("the status {status}"));
                // A host that asks for fewer requests is retried after its pause; one that forbids is not.
                if slow && self.host_queue.closed_reason().is_none() {
                    return NextStep::SlowDown;
                }
                NextStep::Done(Ok(HostReply::Refused { status, slow, after }))
            }
            Ok(HostReply::Busy { status, .. }) => {
                NextStep::Failed { why: format!("the host is in trouble ({status})"), status: Some(status) }
            }
            Ok(reply) => NextStep::Done(Ok(reply)),
            Err(TransferFault::Interrupted(why)) => NextStep::Failed { why, status: None },
            Err(TransferFault::TooLarge(why)) => NextStep::Done(Err(SendError::TooLarge(why))),
            Err(TransferFault::Disk(error)) => NextStep::Done(Err(SendError::Disk(error))),
        }
    }

    /// Returns the wait before the next request that a reply requires; `None` if the spacing suffices.
    fn required_wait(&self, reply: &Result<HostReply, TransferFault>) -> Option<Duration> {
        match reply {
            Ok(HostReply::Refused { slow: true, after, .. }) => {
                Some(after.unwrap_or(self.host_queue.pause()))
            }
            Ok(HostReply::Refused { after, .. } | HostReply::Busy { after, .. }) => *after,
            _ => None,
        }
    }
}

fn add_signature(request: &mut FileRequest, key: &VendorKey, secret: &VendorKey) {
    let method = if request.method == Method::HEAD { Method::HEAD } else { Method::GET };
    let signed: Option<HeaderMap> = s3::signed_headers(&method, &request.url, key, secret);
    for (name, value) in signed.iter().flatten() {
        request.headers.insert(name.clone(), value.clone());
    }
}
