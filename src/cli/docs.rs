//! `parquote docs`: writes the manual as Markdown with the worked examples of its guides, or compares them with the committed
//! files.
//!
//! The pages show the answers from the tables under `--data`. The committed pages show the fictional demo market.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use chrono::{NaiveTime, Utc};
use clap::Args;
use serde_json::Value as Json;

use super::output::say;
use super::query_folder::collect;
use super::{catalogue, coverage, select};
use crate::call::{CallOptions, Caller, HEALTH, STATUS, Service, SourceTerms};
use crate::config::DataRoot;
use crate::digits::counted;
use crate::engine::{LoadScope, QueryLimits, Snapshot};
use crate::fetch::SourceCatalogue;
use crate::operation::{Arguments, Catalogue, Effect, Offer, Operation, Tier};
use crate::surface::manual;
use crate::surface::sample::sample;
use crate::surface::table_reference;
use crate::surface::worked_example::{GuidePiece, pieces};

/// Folder of the committed pages.
const PAGES: &str = "docs/operations";
/// Folder of the guides.
const GUIDES: &str = "docs/guides";
/// The guide generated from the declarations of tables.
const TABLES: &str = "tables.md";
/// The index page.
const INDEX: &str = "README.md";
/// Beginning of the index page.
const INTRODUCTION: &str = "# Operations

Every operation has a page in the manual of a running server at `/v1/docs/<route>`, and as Markdown at `/v1/docs/<route>.md`. The pages
behind these links show the answers of the demo market; `parquote docs --write` writes them.
";

/// Arguments of `docs`.
#[derive(Debug, Args)]
pub(super) struct DocsArgs {
    #[command(flatten)]
    data: DataRoot,
    #[command(flatten)]
    what: DocsAction,
    /// The folder of the project.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct DocsAction {
    /// Write a page for each operation, and their table, into this folder.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Update the project's pages and the examples in its guides.
    #[arg(long)]
    write: bool,
    /// Fail and name them, if any of these are out of date.
    #[arg(long)]
    check: bool,
}

pub(super) async fn run(queries: Option<&Path>, args: &DocsArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::load_checked(queries).await?;
    let limits = QueryLimits::default();
    let snapshot =
        Snapshot::open(Arc::clone(&catalogue), &args.data.open()?, LoadScope::Served, &limits).await?;
    let service = Service::new(Arc::clone(&catalogue), snapshot);
    let service = service.with_select_processes(select::processes(queries, &args.data)?, 0);
    let terms = SourceTerms::from_catalogue(&catalogue, &SourceCatalogue::embedded()?)?;
    let pages = pages(&catalogue, &service, &terms).await;
    if let Some(folder) = &args.what.folder {
        write(folder, &pages)?;
        say!("{} pages are in {}", pages.len(), folder.display());
        return Ok(());
    }
    let folder = args.project.join(PAGES);
    let mut stale = outdated_pages(&folder, &pages)?;
    let texts = guides(&args.project.join(GUIDES), &catalogue, &service).await?;
    stale.extend(texts.iter().map(|(path, _)| path.clone()));
    let tables =
        BTreeMap::from([(args.project.join(GUIDES).join(TABLES), table_reference::page(&catalogue)?)]);
    stale.extend(
        tables.iter().filter(|(path, text)| !is_as_written(path, text)).map(|(path, _)| path.clone()),
    );
    if args.what.check {
        if stale.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = stale.iter().map(|path| path.display().to_string()).collect();
        bail!("not up to date; run `parquote docs --write`:\n  {}", names.join("\n  "));
    }
    for path in stale.iter().filter(|path| path.starts_with(&folder) && path.is_file()) {
        fs::remove_file(path)?;
    }
    write(&folder, &pages)?;
    write(Path::new(""), &tables)?;
    for (path, text) in texts {
        fs::write(path, text)?;
    }
    say!("{} brought up to date", counted(stale.len(), "file is", "files are"));
    Ok(())
}

/// Generates the pages by path below the folder of pages.
async fn pages(catalogue: &Catalogue, service: &Service, terms: &SourceTerms) -> BTreeMap<PathBuf, String> {
    let (mut pages, snapshot) = (BTreeMap::new(), service.snapshot());
    for operation in catalogue.operations() {
        let pairs = operation.example_pairs(true);
        let answer = answer(operation, service, &pairs).await.as_ref().map(sample);
        let (columns, terms) = (snapshot.columns(operation), terms.terms_of_operation(&operation.name));
        let page = manual::page(operation, columns, answer.as_deref(), terms);
        pages.insert(PathBuf::from(format!("{}.md", operation.name)), page);
    }
    let table = manual::table(catalogue, |operation| format!("{}.md", operation.name));
    pages.insert(INDEX.into(), format!("{INTRODUCTION}\n{table}"));
    pages
}

/// Returns the guides with outdated examples, each with its updated text.
async fn guides(
    folder: &Path,
    catalogue: &Catalogue,
    service: &Service,
) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut paths = Vec::new();
    if folder.is_dir() {
        collect(folder, &mut paths)?;
    }
    paths.sort();
    let mut changed = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let wanted =
            async { with_examples(&coverage::with_tables(&text, catalogue)?, catalogue, service).await }
                .await
                .with_context(|| format!("an example or a table in {} cannot be written", path.display()))?;
        if wanted != text {
            changed.push((path, wanted));
        }
    }
    Ok(changed)
}

/// Fills the examples of a guide with answers from the tables.
async fn with_examples(guide: &str, catalogue: &Catalogue, service: &Service) -> anyhow::Result<String> {
    let mut text = String::new();
    for piece in pieces(guide)? {
        let example = match piece {
            GuidePiece::Plain(plain) => {
                text.push_str(plain);
                continue;
            }
            GuidePiece::Example(example) => example,
        };
        let mut answers = Vec::new();
        for call in &example.calls {
            let name = call.operation;
            let operation =
                catalogue.operation(name).with_context(|| format!("there is no operation `{name}`"))?;
            let pairs = match call.arguments(&answers)? {
                Some(pairs) => pairs,
                None => operation.example_pairs(true),
            };
            let answer = answer(operation, service, &pairs).await;
            answers.push(answer.with_context(|| format!("`{name}` answers nothing to {pairs:?}"))?);
        }
        text.push_str(&example.fill(&answers)?);
    }
    Ok(text)
}

/// Returns the answer of an operation; `None` if it has side effects or no data.
async fn answer(operation: &Arc<Operation>, service: &Service, pairs: &[(&str, String)]) -> Option<Json> {
    if operation.name == STATUS {
        return serde_json::from_str(HEALTH).ok();
    }
    if operation.run.is_some() {
        return handler_answer(operation, service, pairs).await;
    }
    if !operation.answers_from_select() {
        return None;
    }
    let pairs = pairs.iter().map(|(name, value)| (*name, value.as_str()));
    let arguments = Arguments::parse(operation, Tier::ApiMax, pairs).ok()?;
    // The time is fixed to the evening of the last session, so that pages do not change over time.
    let evening = NaiveTime::from_hms_opt(18, 0, 0)?;
    let snapshot = service.snapshot();
    let now = snapshot.as_of(operation.market).map_or_else(Utc::now, |date| date.and_time(evening).and_utc());
    let answer = snapshot.call(operation, arguments, now)?.compute().await.ok()??;
    serde_json::from_slice(&answer).ok()
}

/// Returns the answer of an operation with a handler that only reads.
async fn handler_answer(
    operation: &Arc<Operation>,
    service: &Service,
    pairs: &[(&str, String)],
) -> Option<Json> {
    if operation.effect != Effect::Reads {
        return None;
    }
    let metered = service.enter(operation, &Caller::unmetered()).await.ok()?;
    let pairs = pairs.iter().map(|(name, value)| (*name, value.as_str()));
    let call = service.admit(&metered, pairs, CallOptions::new(Offer::ENVELOPED)).await.ok()?;
    let answer = service.run(&call).await.ok()?;
    serde_json::from_slice(&answer.body).ok()
}

/// Returns outdated pages, and files that are not pages.
fn outdated_pages(folder: &Path, pages: &BTreeMap<PathBuf, String>) -> anyhow::Result<Vec<PathBuf>> {
    let mut stale: Vec<PathBuf> = pages
        .iter()
        .map(|(path, text)| (folder.join(path), text))
        .filter(|(path, text)| !is_as_written(path, text))
        .map(|(path, _)| path)
        .collect();
    let mut existing = Vec::new();
    if folder.is_dir() {
        collect(folder, &mut existing)?;
    }
    let is_page = |path: &PathBuf| path.strip_prefix(folder).is_ok_and(|path| pages.contains_key(path));
    stale.extend(existing.into_iter().filter(|path| !is_page(path)));
    Ok(stale)
}

fn is_as_written(path: &Path, text: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|there| there == text)
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
