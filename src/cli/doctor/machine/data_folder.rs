//! The data: its folder or store, and of each market the newest set with its files and its age.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Diagnosis, DoctorArgs};
use crate::causes::with_causes;
use crate::cli::{demo, message, refreshing};
use crate::digits::counted;
use crate::operation::{Market, sessions_behind};
use crate::set::{Root, Set, SetFile, StoredFile};

/// Maximum number of sessions behind that needs no action: the files of a session come hours after its close.
const MOST_SESSIONS_BEHIND: u64 = 1;

pub(super) async fn check(args: &DoctorArgs) -> Vec<Diagnosis> {
    if demo::is_missing(&args.data) {
        let finding = format!("the demo market is made in {} at the first start", args.data.data);
        return vec![Diagnosis::ok("data", finding)];
    }
    let root = match refreshing::open_root(&args.data) {
        Ok(root) => root,
        Err(error) => return vec![Diagnosis::error("data", &message(&error))],
    };
    let mut found = Vec::new();
    for market in Market::ALL {
        found.extend(market_line(args, &root, market).await);
    }
    if found.is_empty() {
        let data = &args.data.data;
        let remedy = format!(
            "`parquote demo --data {data}` makes a fictional market, `parquote derive --raw raw --data {data}` yours"
        );
        found.push(Diagnosis::fault("data", format!("{data} holds no set and no table"), remedy));
    }
    found
}

/// Describes the newest set of a market; `None` if the market has no data.
async fn market_line(args: &DoctorArgs, root: &Root, market: Market) -> Option<Diagnosis> {
    let subject = format!("data of {market}");
    match root.newest(market).await {
        Err(error) => {
            let data = &args.data.data;
            let remedy = format!(
                "`parquote rollback --market {market} --data {data}` publishes the set before it again, if there is one"
            );
            Some(Diagnosis::fault(subject, with_causes(&error), remedy))
        }
        Ok(Some(set)) => Some(set_line(args, root, &set, Utc::now())),
        Ok(None) => {
            let tables = root.plain_tables(market).await.unwrap_or_default().len();
            let finding = format!("{tables} tables in plain files, which a server publishes as a set");
            (tables > 0).then(|| Diagnosis::ok(subject, finding))
        }
    }
}

fn set_line(args: &DoctorArgs, root: &Root, set: &Set, now: DateTime<Utc>) -> Diagnosis {
    /// Accepted difference between the clocks of two machines that share a folder.
    const CLOCK_DIFFERENCE: TimeDelta = TimeDelta::minutes(5);
    let (market, number) = (set.market, set.number);
    let subject = format!("data of {market}");
    let broken = broken_files(root, set);
    if broken > 0 {
        let files = counted(set.files().count(), "file is", "files are");
        let finding = format!("set {number}: {broken} of {files} missing or cut");
        return Diagnosis::fault(subject, finding, StoredFile::REMEDY);
    }
    if set.published.at > now + CLOCK_DIFFERENCE {
        let finding = format!("set {number} was published at {}, which is in the future", set.published.at);
        return Diagnosis::fault(subject, finding, "set the clock of this machine: timedatectl set-ntp true");
    }
    let Some(as_of) = set.as_of else {
        return Diagnosis::ok(
            subject,
            format!("set {number}, {} tables without a session", set.tables.len()),
        );
    };
    let finding = format!("set {number}, {} tables, last session {as_of}", set.tables.len());
    let behind = sessions_behind(market, as_of, now);
    if behind > MOST_SESSIONS_BEHIND && !args.data.is_demo() {
        let remedy = format!("parquote refresh --data {}", args.data.data);
        return Diagnosis::warning(subject, format!("{finding}, {behind} sessions behind"), remedy);
    }
    Diagnosis::ok(subject, finding)
}

/// Counts the files of a set that are missing or have another length than the manifest says; 0 for an object store, which is not checked.
fn broken_files(root: &Root, set: &Set) -> usize {
    let Root::Folder(home) = root else { return 0 };
    let is_broken = |(table, file): &(&str, &SetFile)| {
        let found = std::fs::metadata(home.file_path(set.market, table, &file.hash));
        found.map_or(true, |found| found.len() != file.bytes)
    };
    set.files().filter(is_broken).count()
}
