//! `parquote docs`: the manual as Markdown, written or held against what is committed.
//!
//! The pages show what the tables under `--data` answer; of the committed ones that is the fictional demo market.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use chrono::{NaiveTime, Utc};
use clap::Args;
use serde_json::Value as Json;

use super::catalogue;
use super::output::say;
use crate::call::{CallOptions, Caller, HEALTH, STATUS, Service};
use crate::config::DataRoot;
use crate::engine::{Limits, Snapshot, Wanted};
use crate::operation::{Arguments, Catalogue, Effect, Offer, Operation, Presentation, Tier};
use crate::surface::manual;
use crate::surface::sample::sample;

/// Where the committed pages lie.
const PAGES: &str = "docs/operations";
/// The page of all pages.
const INDEX: &str = "README.md";
/// What the generated table of the README stands between.
const MARKERS: [&str; 2] =
    ["<!-- operations: written by `parquote docs --write` -->\n", "<!-- end of operations -->"];

/// Arguments of `docs`.
#[derive(Debug, Args)]
pub(super) struct DocsArgs {
    #[command(flatten)]
    data: DataRoot,
    #[command(flatten)]
    what: What,
    /// The project whose README and pages are meant.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct What {
    /// Write a page for each operation, and their table, into this folder.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Bring the project's pages and the table in its README up to date.
    #[arg(long)]
    write: bool,
    /// Fail, naming them, if any of these are not up to date.
    #[arg(long)]
    check: bool,
}

pub(super) async fn run(queries: Option<&Path>, args: &DocsArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    let limits = Limits::default();
    let snapshot =
        Snapshot::open(Arc::clone(&catalogue), &args.data.open()?, Wanted::Served, &limits).await?;
    let pages = pages(&catalogue, &snapshot).await;
    if let Some(folder) = &args.what.folder {
        write(folder, &pages)?;
        say!("{} pages are in {}", pages.len(), folder.display());
        return Ok(());
    }
    let readme = args.project.join("README.md");
    let text = fs::read_to_string(&readme).with_context(|| format!("{} cannot be read", readme.display()))?;
    let wanted = with_table(&text, &catalogue)
        .with_context(|| format!("{} has no `{}`", readme.display(), MARKERS[0].trim()))?;
    let folder = args.project.join(PAGES);
    let mut stale = stale(&folder, &pages)?;
    if wanted != text {
        stale.push(readme.clone());
    }
    if args.what.check {
        if stale.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = stale.iter().map(|path| path.display().to_string()).collect();
        bail!("not up to date; run `parquote docs --write`:\n  {}", names.join("\n  "));
    }
    for path in stale.iter().filter(|path| path.is_file() && **path != readme) {
        fs::remove_file(path)?;
    }
    write(&folder, &pages)?;
    fs::write(&readme, wanted)?;
    say!("{} files are brought up to date", stale.len());
    Ok(())
}

/// The pages by their paths below the folder of pages.
async fn pages(catalogue: &Catalogue, snapshot: &Snapshot) -> BTreeMap<PathBuf, String> {
    let mut pages = BTreeMap::new();
    for (index, operation) in catalogue.operations().iter().enumerate() {
        let answer = answer(index, operation, snapshot).await.as_ref().map(sample);
        let page = manual::page(operation, snapshot.columns(index), answer.as_deref());
        pages.insert(PathBuf::from(format!("{}.md", operation.name)), page);
    }
    let table = manual::table(catalogue, |operation| format!("{}.md", operation.name));
    pages.insert(INDEX.into(), format!("# Operations\n\n{table}"));
    pages
}

/// What an operation answers to its example; `None` for what is started or kept by calling it, and for what has no data.
async fn answer(index: usize, operation: &Operation, snapshot: &Snapshot) -> Option<Json> {
    if operation.name == STATUS {
        return serde_json::from_str(HEALTH).ok();
    }
    if operation.run.is_some() {
        return native_answer(index, operation, snapshot).await;
    }
    if !operation.is_read() {
        return None;
    }
    let pairs = operation.example_pairs(true);
    let pairs = pairs.iter().map(|(name, value)| (*name, value.as_str()));
    let arguments = Arguments::parse(operation, Tier::ApiMax, pairs).ok()?;
    // As on the evening of the last session: a page does not change because time passes.
    let evening = NaiveTime::from_hms_opt(18, 0, 0)?;
    let now = snapshot.as_of(operation.market).map_or_else(Utc::now, |date| date.and_time(evening).and_utc());
    let answer = snapshot.answer(index, &arguments, &Presentation::default(), now).await.ok()??;
    serde_json::from_slice(&answer.body).ok()
}

/// What an operation answers to its example that a Rust function makes from the tables alone.
async fn native_answer(index: usize, operation: &Operation, snapshot: &Snapshot) -> Option<Json> {
    if operation.effect != Effect::Reads {
        return None;
    }
    let service = Service::new(Arc::clone(snapshot.engine().catalogue()), snapshot.clone());
    let visit = service.enter(index, &Caller::unmetered()).ok()?;
    let pairs = operation.example_pairs(true);
    let pairs = pairs.iter().map(|(name, value)| (*name, value.as_str()));
    let call = service.admit(&visit, pairs, CallOptions::of(Offer::ENVELOPED)).await.ok()?;
    let answer = service.run(&call).await.ok()?;
    serde_json::from_slice(&answer.body).ok()
}

/// The README with its table made anew; `None` where it has no place for it.
fn with_table(readme: &str, catalogue: &Catalogue) -> Option<String> {
    let [start, end] = MARKERS;
    let (before, rest) = readme.split_once(start)?;
    let (_, after) = rest.split_once(end)?;
    let table = manual::table(catalogue, |operation| format!("{PAGES}/{}.md", operation.name));
    Some(format!("{before}{start}{table}{end}{after}"))
}

/// Pages that are not as they should be, and files that are none.
fn stale(folder: &Path, pages: &BTreeMap<PathBuf, String>) -> anyhow::Result<Vec<PathBuf>> {
    let mut stale: Vec<PathBuf> = pages
        .iter()
        .map(|(path, text)| (folder.join(path), text))
        .filter(|(path, text)| fs::read_to_string(path).ok().as_ref() != Some(text))
        .map(|(path, _)| path)
        .collect();
    let mut there = Vec::new();
    if folder.is_dir() {
        files(folder, &mut there)?;
    }
    let is_page = |path: &PathBuf| path.strip_prefix(folder).is_ok_and(|path| pages.contains_key(path));
    stale.extend(there.into_iter().filter(|path| !is_page(path)));
    Ok(stale)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

fn write(folder: &Path, pages: &BTreeMap<PathBuf, String>) -> anyhow::Result<()> {
    for (path, text) in pages {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}
