//! `parquote write`: rows that a language model writes from documents, each sentence checked against the paragraphs that it names.

mod documents;
mod plan;
mod row_author;
mod words;
mod server_rows;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use chrono::NaiveDate;
use clap::{Args, Parser};

use self::documents::DocumentReader;
use self::plan::{WritePlan, wanted_prompts};
use self::row_author::RowAuthor;
use self::server_rows::RawFolderRows;
use self::words::{left_out, result_line, row_places, totals_words};
use super::catalogue;
use super::output::say;
use super::times::date;
use crate::access::Secret;
use crate::agents::provider::Providers;
use crate::config::{DataRoot, pair};
use crate::digits::counted;
use crate::handlers::{RowWriter, WriteSpec};
use crate::operation::{Catalogue, Market};
use parquote_write::{
    Ask as _, JobResult, SelectedJobs, SourceDocument, Totals, WriteBudget, WriteFolders, WriteJob, estimate,
    write_all,
};

/// Arguments of `write`.
#[derive(Debug, Args)]
pub(super) struct WriteArgs {
    /// The market.
    #[arg(value_name = "india|us")]
    market: Market,
    /// The tables, such as ai_summaries. The default is each table with a prompt.
    #[arg(value_name = "TABLE")]
    tables: Vec<String>,
    #[command(flatten)]
    companies: CompanyArgs,
    /// Only documents published on or after this date.
    #[arg(long, value_name = "DATE", value_parser = date)]
    since: Option<NaiveDate>,
    #[command(flatten)]
    model: ModelArgs,
    /// The most US dollars that this run may spend. It stops before a document that could cost more than is left; the next run continues there.
    #[arg(long, value_name = "USD")]
    budget: Option<f64>,
    /// Print documents, tokens, cost and time; ask no model.
    #[arg(long)]
    dry_run: bool,
    /// The folder of raw files; rows go to DIR/india/written and DIR/us/written, replies and notes to DIR/.written.
    #[arg(long, value_name = "DIR", env = "PARQUOTE_RAW", default_value = "raw")]
    raw: PathBuf,
    #[command(flatten)]
    data: DataRoot,
}

/// The parser of the same arguments, given as one text.
#[derive(Debug, Parser)]
#[command(name = "write", no_binary_name = true)]
struct WriteLine {
    #[command(flatten)]
    args: WriteArgs,
}

/// The companies whose documents are read.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct CompanyArgs {
    /// Companies by their symbols.
    #[arg(long, value_name = "SYMBOL,...", value_delimiter = ',')]
    symbols: Vec<String>,
    /// The members of an index, such as NIFTY50 or SP500.
    #[arg(long, value_name = "NAME")]
    list: Option<String>,
}

/// The model and its key.
#[derive(Debug, Args)]
struct ModelArgs {
    /// The provider of the model, such as openai.
    #[arg(long, value_name = "NAME")]
    provider: String,
    /// The model. The default is that of the provider.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The URL of a provider, such as openai=http://127.0.0.1:11434/v1 for your own model server.
    #[arg(long, value_name = "NAME=URL,...", env = "PARQUOTE_PROVIDER_URLS", value_delimiter = ',', value_parser = pair)]
    provider_url: Vec<(String, String)>,
    /// The key of the provider; best set in the environment. Your own model server needs none.
    #[arg(long, value_name = "KEY", env = "PARQUOTE_PROVIDER_KEY", hide_env_values = true)]
    provider_key: Option<Secret>,
}

impl ModelArgs {
    /// Returns true for a model server of the user.
    fn is_own_server(&self) -> bool {
        self.provider_url.iter().any(|(changed, _)| *changed == self.provider)
    }
}

impl WriteArgs {
    /// Parses the arguments for a refresh with this folder of raw files and this folder of tables; returns them with their market.
    ///
    /// # Errors
    /// The text has invalid arguments of `write`, no limit of its cost, or an unknown table or provider.
    pub(super) fn for_refresh(
        catalogue: &Catalogue,
        text: &str,
        raw: &Path,
        data: &Path,
    ) -> anyhow::Result<(Market, Self)> {
        let parsed = WriteLine::try_parse_from(text.split_whitespace());
        // A key is not repeated in messages.
        let shown = text.split("--provider-key").next().unwrap_or_default().trim_end();
        let WriteLine { mut args } = parsed.map_err(|error| anyhow!("--write \"{shown}\": {error}"))?;
        if args.budget.is_none() && !args.model.is_own_server() {
            bail!("--write \"{shown}\": add --budget USD, the most that one refresh may cost");
        }
        raw.clone_into(&mut args.raw);
        args.data.data = data.display().to_string();
        let checked = wanted_prompts(catalogue, args.market, &args.tables)
            .and_then(|_| RowAuthor::open(catalogue, &args.model, true))
            .and_then(|model| checked_budget(&args, &model));
        checked.with_context(|| format!("--write \"{shown}\""))?;
        Ok((args.market, args))
    }

    /// Returns the rows to write with a model.
    fn spec(&self, model: &RowAuthor) -> WriteSpec {
        let (provider, model) = model.identity();
        WriteSpec {
            market: self.market,
            tables: self.tables.clone(),
            symbols: self.companies.symbols.clone(),
            list: self.companies.list.clone(),
            since: self.since,
            provider: provider.to_owned(),
            model: model.to_owned(),
            budget_usd: self.budget,
        }
    }
}

pub(super) async fn run(queries: Option<&Path>, args: &WriteArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    run_with(&catalogue, args).await
}

pub(super) async fn run_with(catalogue: &Catalogue, args: &WriteArgs) -> anyhow::Result<()> {
    let prompts = wanted_prompts(catalogue, args.market, &args.tables)?;
    check_raw_folder(args)?;
    let model = RowAuthor::open(catalogue, &args.model, !args.dry_run)?;
    let budget = checked_budget(args, &model)?;
    let reader = DocumentReader::open(catalogue, args.market, &args.data).await?;
    let model = model.with_session(reader.as_of);
    let spec = args.spec(&model);
    let plan = Box::pin(WritePlan::read(catalogue, prompts, &spec, &reader)).await?;
    let folders = WriteFolders::open(&args.raw, args.market)?;
    if !args.dry_run {
        for row in plan.withdraw_corrected(&folders)? {
            say!("  {row}: deleted, as its document was corrected");
        }
    }
    let selected = plan.select(&args.raw.display().to_string())?;
    print_documents(&plan.documents, &selected);
    if args.dry_run {
        return print_estimates(&folders, &plan, &selected, &model, budget);
    }
    let jobs: Vec<WriteJob<'_>> = selected.into_iter().flat_map(|selected| selected.jobs).collect();
    let totals = write_all(&folders, &jobs, &model, budget, &mut print_result).await?;
    print_totals(&totals, args, budget)
}

/// Returns the writer of rows for runs of a server; `None` if there is no folder of raw files.
pub(super) fn row_writer(
    catalogue: &Arc<Catalogue>,
    providers: &Arc<Providers>,
    raw: &Path,
) -> Option<Arc<dyn RowWriter>> {
    let rows = RawFolderRows::new(catalogue, providers, raw);
    raw.is_dir().then(|| Arc::new(rows) as Arc<dyn RowWriter>)
}

/// Returns an error if the market has no raw files: its rows would not be derived.
fn check_raw_folder(args: &WriteArgs) -> anyhow::Result<()> {
    let folder = args.raw.join(args.market.word());
    if !folder.is_dir() {
        bail!("there is no folder {}; --raw names the folder that `parquote derive` reads", folder.display());
    }
    Ok(())
}

/// Returns the budget of a run, at the price of the model.
fn checked_budget(args: &WriteArgs, model: &RowAuthor) -> anyhow::Result<WriteBudget> {
    if args.budget.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
        bail!("--budget is a number of US dollars, such as 2.50");
    }
    let budget = WriteBudget { usd: args.budget, spent_usd: 0.0, price: model.price() };
    if budget.usd.is_some() && budget.price.is_none() {
        let (provider, name) = model.identity();
        bail!(
            "the price of {name} is not known, so that --budget cannot be held; leave it out, or add the price to a file \
             providers/{provider}.toml under --queries"
        );
    }
    Ok(budget)
}

fn print_documents(documents: &[SourceDocument], selected: &[SelectedJobs<'_>]) {
    let companies: BTreeSet<&str> = documents.iter().map(|document| document.symbol.as_str()).collect();
    let of = counted(companies.len(), "company", "companies");
    say!("{} of {of}", counted(documents.len(), "document", "documents"));
    for line in left_out(selected) {
        say!("  left out: {line}");
    }
}

/// Prints the requests that would be sent, at most.
fn print_estimates(
    folders: &WriteFolders,
    plan: &WritePlan<'_>,
    selected: &[SelectedJobs<'_>],
    model: &RowAuthor,
    budget: WriteBudget,
) -> anyhow::Result<()> {
    /// Tokens of replies in a second, for the estimate of time.
    const TOKENS_A_SECOND: u64 = 40;
    for ((prompt, _), selected) in plan.declared.iter().zip(selected) {
        let sum = estimate(folders, &selected.jobs, model.identity())?;
        let cost = budget.cost(sum.input_tokens, sum.output_tokens);
        let cost =
            cost.map_or_else(|| "cost unknown".to_owned(), |usd| format!("at most {usd:.2} US dollars"));
        say!(
            "  {:<18} {} to ask for, {} stored, {} done or yours; at most {} tokens in and {} out, {cost}, about {} \
             minutes at {TOKENS_A_SECOND} tokens a second",
            prompt.table,
            counted(sum.documents, "document", "documents"),
            counted(sum.stored, "reply", "replies"),
            counted(sum.skipped, "row", "rows"),
            sum.input_tokens,
            sum.output_tokens,
            sum.output_tokens.div_ceil(60 * TOKENS_A_SECOND)
        );
    }
    Ok(())
}

fn print_result(job: &WriteJob<'_>, result: &JobResult) {
    if let Some(line) = result_line(job, result) {
        say!("  {line}");
    }
}

fn print_totals(totals: &Totals, args: &WriteArgs, budget: WriteBudget) -> anyhow::Result<()> {
    for line in totals_words(totals, budget.price.map(|_| totals.cost_usd)) {
        say!("{line}");
    }
    let raw = args.raw.display();
    if totals.written > 0 {
        say!("{}", row_places(&raw.to_string(), args.market));
        say!("`parquote derive --raw {raw} --data {}` takes them into the tables", args.data.data);
    }
    match &totals.stopped {
        Some(reason) => {
            let remaining = counted(totals.remaining, "document remains", "documents remain");
            bail!("{remaining}: {reason}; the same command continues there")
        }
        None => Ok(()),
    }
}
