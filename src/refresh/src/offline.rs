//! Admission and publishing from the command line, without a server.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::Utc;

use super::admission::{Admission, AdmissionResult, UnreadFile, findings};
use super::candidate::{Candidate, CandidateFolders, InboxChanges};
use super::error::RefreshError;
use super::finding::Finding;
use super::market_refresh::{record, rules};
use parquote_catalogue::operation::Market;
use parquote_engine::{Engine, LoadScope, MarketSnapshot, SetName};
use parquote_set::{Home, Inbox, Root, Set};

/// The data that was inspected, and the findings about it.
pub struct InspectedData {
    /// Description of the data, such as `set 7`.
    pub description: String,
    /// The findings, errors first.
    pub findings: Vec<Finding>,
    /// The loaded market; `None` if it could not be loaded.
    pub snapshot: Option<MarketSnapshot>,
}

/// The result of publishing plain files.
pub enum PublishOutcome {
    /// Nothing was published: the newest set already has this content; `None` if there is neither a set nor a plain file.
    Unchanged(Option<Set>),
    /// The published set, and the findings about it.
    Published(Box<Set>, Vec<Finding>),
    /// Nothing was published, because of these findings.
    Refused(Vec<Finding>),
}

/// Inspects the data that a server would load next: plain files that no set contains, else the newest set. Returns `None` if the
/// market has neither. Nothing is written below the root.
///
/// # Errors
/// A root that cannot be read.
pub async fn inspect(
    admission: &Admission<'_>,
    root: &Root,
    market: Market,
) -> Result<Option<InspectedData>, RefreshError> {
    let newest = root.newest(market).await?;
    if let Root::Folder(home) = root {
        let inbox = Inbox::of_folder(home.root());
        let changed = InboxChanges::since(inbox.scan(market).await?, newest.as_ref());
        if !changed.is_empty() {
            let inspection = inspect_files(admission, home, market, changed, newest.as_ref());
            if let Some(inspected) = Box::pin(inspection).await? {
                return Ok(Some(inspected));
            }
        }
    }
    if let Some(set) = newest {
        return inspect_set(admission, root, market, set, None).await.map(Some);
    }
    let files = root.plain_tables(market).await?;
    if files.is_empty() {
        return Ok(None);
    }
    let name = SetName::unpublished("");
    let AdmissionResult { findings, snapshot } = admission.admit(market, name, &files, None).await?;
    Ok(Some(InspectedData { description: "plain files".to_owned(), findings, snapshot }))
}

/// Inspects a set against the admitted set before it; files that both contain are not read again.
async fn inspect_set(
    admission: &Admission<'_>,
    root: &Root,
    market: Market,
    set: Set,
    before: Option<Set>,
) -> Result<InspectedData, RefreshError> {
    let (mut all_findings, mut served) = (Vec::new(), None);
    if let Root::Folder(home) = root {
        let already_read: BTreeSet<(&str, &str)> =
            before.iter().flat_map(Set::files).map(|(table, file)| (table, file.hash.as_str())).collect();
        let new = set.files().filter(|(table, file)| !already_read.contains(&(*table, file.hash.as_str())));
        all_findings = read_files(
            admission,
            market,
            new.map(|(table, file)| (table, home.file_path(market, table, &file.hash))),
        )?;
        served = load_set(admission, home, market, before.as_ref()).await;
    }
    let (name, files) = (SetName::from_set(&set), root.files(market, &set));
    let AdmissionResult { findings, snapshot } =
        admission.admit(market, name, &files, served.as_ref()).await?;
    all_findings.extend(findings);
    Ok(InspectedData { description: format!("set {}", set.number), findings: all_findings, snapshot })
}

/// Builds a candidate from plain files in a temporary folder and checks it, as a server would before publishing. Returns `None` if its
/// content equals that of the newest set.
async fn inspect_files(
    admission: &Admission<'_>,
    home: &Home,
    market: Market,
    changed: InboxChanges,
    newest: Option<&Set>,
) -> Result<Option<InspectedData>, RefreshError> {
    let scratch = tempfile::tempdir().map_err(RefreshError::Vetter)?;
    let folders =
        CandidateFolders { inbox: &Inbox::of_folder(home.root()), home, made_in: &Home::new(scratch.path()) };
    let Some(candidate) = Candidate::from_changes(admission, folders, market, changed, newest).await? else {
        return Ok(None);
    };
    let before = load_set(admission, home, market, newest).await;
    let AdmissionResult { findings, snapshot } = candidate.admit(admission, home, before.as_ref()).await?;
    Ok(Some(InspectedData { description: "plain files".to_owned(), findings, snapshot }))
}

/// Loads a set for comparison; returns `None` if there is no set or it fails to load.
async fn load_set(
    admission: &Admission<'_>,
    home: &Home,
    market: Market,
    set: Option<&Set>,
) -> Option<MarketSnapshot> {
    let (name, files) = (SetName::from_set(set?), home.files(market, set?));
    MarketSnapshot::load(admission.engine, market, name, &files, LoadScope::Served).await.ok()
}

fn read_files<'a>(
    admission: &Admission<'_>,
    market: Market,
    files: impl Iterator<Item = (&'a str, std::path::PathBuf)>,
) -> Result<Vec<Finding>, RefreshError> {
    let unread: Vec<UnreadFile> =
        files.map(|(table, path)| UnreadFile { table: table.to_owned(), path }).collect();
    // Rows in the wrong order are sorted into a temporary folder, and the sorted file is discarded.
    let scratch = tempfile::tempdir().map_err(RefreshError::Vetter)?;
    let staging = Home::new(scratch.path()).stage(market)?;
    let vetted = admission.read(market, &unread, &staging)?;
    let problems = vetted.into_iter().flat_map(|vetted| vetted.problems).collect();
    Ok(findings(admission.engine.catalogue(), problems))
}

/// Publishes the plain files of a market as its next set; with `force`, also with errors if they can be loaded.
///
/// # Errors
/// A root that cannot be read or written.
pub async fn publish(
    admission: &Admission<'_>,
    home: &Home,
    market: Market,
    force: bool,
) -> Result<PublishOutcome, RefreshError> {
    let inbox = Inbox::of_folder(home.root());
    let newest = home.newest(market)?;
    let changed = InboxChanges::since(inbox.scan(market).await?, newest.as_ref());
    if changed.is_empty() {
        return Ok(PublishOutcome::Unchanged(newest));
    }
    let folders = CandidateFolders { inbox: &inbox, home, made_in: home };
    let candidate = Candidate::from_changes(admission, folders, market, changed, newest.as_ref()).await?;
    let Some(candidate) = candidate else { return Ok(PublishOutcome::Unchanged(newest)) };
    let candidate = candidate.with_number_above(home.newest_number(market)?);
    let before = load_set(admission, home, market, newest.as_ref()).await;
    let AdmissionResult { findings, snapshot } =
        candidate.admit_rest(admission, home, before.as_ref()).await?;
    let is_faulty = Finding::any_error(&findings);
    match snapshot.filter(|_| !is_faulty || force) {
        None => Ok(PublishOutcome::Refused(findings)),
        Some(loaded) => {
            let set = candidate.publish(home, loaded.as_of(), is_faulty)?;
            let record = record(admission.engine.catalogue(), &set.id, true, &findings);
            home.record(market, set.number, &record)?;
            home.refuse(market, None)?;
            Ok(PublishOutcome::Published(Box::new(set), findings))
        }
    }
}

/// Checks the newest set of a market against its contract, and against the admitted set before it if `is_next`, and records the
/// result, so that a server need not repeat the check. A record by the current rules is reused. Returns the findings.
///
/// # Errors
/// A root that cannot be read or written.
pub async fn admit(
    engine: &Arc<Engine>,
    home: &Home,
    market: Market,
    is_next: bool,
) -> Result<Vec<Finding>, RefreshError> {
    let Some(set) = home.newest(market)? else { return Ok(Vec::new()) };
    let recorded = home.admission(market, set.number).filter(|record| record.id == set.id);
    if let Some(record) = recorded.filter(|record| record.rules == rules(engine.catalogue())) {
        return Ok(record
            .findings
            .into_iter()
            .filter_map(|value| serde_json::from_value(value).ok())
            .collect());
    }
    let before = if is_next { admitted_before(home, market, &set)? } else { None };
    let vetter = super::vetter::Vetter::Here;
    let admission = Admission::for_today(engine, &vetter, market);
    // The data may have a future date, like the data of a synthetic market.
    let today = set.as_of.unwrap_or_else(|| Utc::now().date_naive()).max(admission.today);
    let admission = Admission { today, ..admission };
    let root = Root::Folder(home.clone());
    let inspected = inspect_set(&admission, &root, market, set.clone(), before).await?;
    let admitted = !Finding::any_error(&inspected.findings);
    home.record(market, set.number, &record(engine.catalogue(), &set.id, admitted, &inspected.findings))?;
    Ok(inspected.findings)
}

/// Returns the newest earlier set that may be served.
fn admitted_before(home: &Home, market: Market, set: &Set) -> Result<Option<Set>, RefreshError> {
    for number in home.numbers(market)?.into_iter().rev().filter(|number| *number < set.number) {
        let Ok(earlier) = home.read(market, number) else { continue };
        let record = home.admission(market, number).filter(|record| record.id == earlier.id);
        if earlier.published.forced || record.is_some_and(|record| record.admitted) {
            return Ok(Some(earlier));
        }
    }
    Ok(None)
}
