//! The same checks without a server: what would be admitted, and publishing from the command line.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::Utc;

use super::admission::{Admission, Admitted, UnreadFile, findings};
use super::candidate::{Candidate, Changed};
use super::error::RefreshError;
use super::finding::Finding;
use super::market_refresh::record;
use crate::engine::{Engine, LoadScope, MarketSnapshot, SetName};
use crate::operation::Market;
use crate::set::{Home, Inbox, PlainFilePart, Root, Set, StoredFile, TableFiles};

/// The data that was inspected, and the findings.
pub struct InspectedData {
    /// Which data it was, in words.
    pub what: String,
    /// The findings, errors first.
    pub findings: Vec<Finding>,
    /// The market, where it could be loaded.
    pub snapshot: Option<MarketSnapshot>,
}

/// The result of publishing plain files.
pub enum PublishOutcome {
    /// Nothing: they are those of the newest set.
    Unchanged(Option<Set>),
    /// They are a set now.
    As(Box<Set>, Vec<Finding>),
    /// They were refused.
    Refused(Vec<Finding>),
}

/// Inspects what a server would take in next: plain files that no set has taken in, else the newest set. `None` where a
/// market has neither. Nothing is written below the root.
///
/// # Errors
/// A root that cannot be read.
pub async fn look(
    admission: &Admission<'_>,
    root: &Root,
    market: Market,
) -> Result<Option<InspectedData>, RefreshError> {
    let newest = root.newest(market).await?;
    if let Root::Folder(home) = root {
        let inbox = Inbox::of_folder(home.root());
        let changed = Changed::since(inbox.scan(market).await?, newest.as_ref());
        if !changed.is_empty() {
            let looked = inspect_files(admission, home, market, &changed, newest.as_ref());
            return Box::pin(looked).await.map(Some);
        }
    }
    if let Some(set) = newest {
        return inspect_set(admission, root, market, set).await.map(Some);
    }
    let files = root.plain_tables(market).await?;
    if files.is_empty() {
        return Ok(None);
    }
    let name = SetName::unpublished("");
    let Admitted { findings, snapshot } = admission.of(market, name, &files, None).await?;
    Ok(Some(InspectedData { what: "plain files".to_owned(), findings, snapshot }))
}

async fn inspect_set(
    admission: &Admission<'_>,
    root: &Root,
    market: Market,
    set: Set,
) -> Result<InspectedData, RefreshError> {
    let mut found = Vec::new();
    if let Root::Folder(home) = root {
        let unread = set.files().map(|(table, file)| (table, home.file(market, table, &file.hash)));
        found = read(admission, market, unread)?;
    }
    let files = root.files(market, &set);
    let Admitted { findings, snapshot } = admission.of(market, SetName::from_set(&set), &files, None).await?;
    found.extend(findings);
    Ok(InspectedData { what: format!("set {}", set.number), findings: found, snapshot })
}

/// Reads plain files where they lie, laid over the newest set.
async fn inspect_files(
    admission: &Admission<'_>,
    home: &Home,
    market: Market,
    changed: &Changed,
    newest: Option<&Set>,
) -> Result<InspectedData, RefreshError> {
    let folder = home.market(market);
    let declared = |part: &PlainFilePart| {
        admission.engine.catalogue().table(market, &part.table).is_some_and(|table| !table.is_view())
    };
    let plain: BTreeMap<PlainFilePart, String> =
        changed.now.keys().filter_map(|path| Some((PlainFilePart::at(path)?, path.clone()))).collect();
    let unread = changed.other.iter().filter_map(|path| Some((PlainFilePart::at(path)?, folder.join(path))));
    let unread: Vec<_> = unread.filter(|(part, _)| declared(part)).collect();
    let mut found =
        read(admission, market, unread.iter().map(|(part, path)| (part.table.as_str(), path.clone())))?;
    let mut files = TableFiles::new();
    for (part, path) in &plain {
        files.entry(part.table.clone()).or_default().push(StoredFile::plain(folder.join(path)));
    }
    for (table, file) in newest.iter().flat_map(|set| set.files()) {
        let part = PlainFilePart { table: table.to_owned(), part: file.part.clone() };
        let path = part
            .part
            .as_ref()
            .map_or_else(|| format!("{table}.parquet"), |name| format!("{table}/{name}.parquet"));
        if !plain.contains_key(&part) && !changed.gone.contains(&path) {
            let stored = StoredFile::of_set(home.file(market, table, &file.hash), &file.hash);
            files.entry(table.to_owned()).or_default().push(stored);
        }
    }
    let before = match newest {
        Some(set) => {
            let files = home.files(market, set);
            MarketSnapshot::load(admission.engine, market, SetName::from_set(set), &files, LoadScope::Served)
                .await
                .ok()
        }
        None => None,
    };
    // What could not be read is not loaded: it was said already what is wrong with it.
    let mut snapshot = None;
    if !Finding::any_error(&found) {
        let name = SetName::unpublished("");
        let admitted = admission.of(market, name, &files, before.as_ref()).await?;
        found.extend(admitted.findings);
        snapshot = admitted.snapshot;
    }
    Ok(InspectedData { what: "plain files".to_owned(), findings: found, snapshot })
}

fn read<'a>(
    admission: &Admission<'_>,
    market: Market,
    files: impl Iterator<Item = (&'a str, std::path::PathBuf)>,
) -> Result<Vec<Finding>, RefreshError> {
    let unread: Vec<UnreadFile> =
        files.map(|(table, path)| UnreadFile { table: table.to_owned(), path }).collect();
    // Rows that are out of order are written somewhere else and forgotten.
    let scratch = tempfile::tempdir().map_err(RefreshError::Vetter)?;
    let staging = Home::new(scratch.path()).stage(market)?;
    let vetted = admission.read(market, &unread, &staging)?;
    let problems = vetted.into_iter().flat_map(|vetted| vetted.problems).collect();
    Ok(findings(admission.engine.catalogue(), problems))
}

/// Publishes the plain files of a market as its next set, even faulty ones if that is asked for and they can be loaded.
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
    let changed = Changed::since(inbox.scan(market).await?, newest.as_ref());
    if changed.is_empty() {
        return Ok(PublishOutcome::Unchanged(newest));
    }
    let taken = Candidate::take(admission, (&inbox, home), market, changed, newest.as_ref()).await?;
    let Some(candidate) = taken else { return Ok(PublishOutcome::Unchanged(newest)) };
    let candidate = candidate.above(home.newest_number(market)?);
    let before = match &newest {
        Some(set) => {
            let (name, files) = (SetName::from_set(set), home.files(market, set));
            MarketSnapshot::load(admission.engine, market, name, &files, LoadScope::Served).await.ok()
        }
        None => None,
    };
    let mut findings = candidate.findings.clone();
    let files = candidate.files(home);
    let admitted = admission.of(market, candidate.name(), &files, before.as_ref()).await?;
    findings.extend(admitted.findings);
    findings.sort_by_key(|finding| finding.level);
    let is_faulty = Finding::any_error(&findings);
    match admitted.snapshot.filter(|_| !is_faulty || force) {
        None => Ok(PublishOutcome::Refused(findings)),
        Some(loaded) => {
            let set = candidate.publish(home, loaded.as_of(), is_faulty)?;
            home.record(market, set.number, &record(&set.id, true, &findings))?;
            home.refuse(market, None)?;
            Ok(PublishOutcome::As(Box::new(set), findings))
        }
    }
}

/// Holds the newest set of a market against its contract and writes down what was found, so that a server need not look
/// again before it serves it.
///
/// # Errors
/// A root that cannot be read or written.
pub async fn admit(engine: &Arc<Engine>, home: &Home, market: Market) -> Result<Vec<Finding>, RefreshError> {
    let Some(set) = home.newest(market)? else { return Ok(Vec::new()) };
    let vetter = super::vetter::Vetter::Here;
    let admission = Admission::now(engine, &vetter, market);
    // The data may be of a day to come, as an invented market's is.
    let today = set.as_of.unwrap_or_else(|| Utc::now().date_naive()).max(admission.today);
    let admission = Admission { today, ..admission };
    let looked = inspect_set(&admission, &Root::Folder(home.clone()), market, set.clone()).await?;
    let admitted = !Finding::any_error(&looked.findings);
    home.record(market, set.number, &record(&set.id, admitted, &looked.findings))?;
    Ok(looked.findings)
}
