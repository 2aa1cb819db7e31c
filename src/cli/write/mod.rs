//! `parquote write`: rows that a language model writes from documents, each sentence checked against the paragraphs that it names.

mod documents;
mod row_author;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use chrono::NaiveDate;
use clap::{Args, Parser};

use self::documents::{DocumentReader, WantedDocuments};
use self::row_author::RowAuthor;
use super::catalogue;
use super::output::say;
use super::times::date;
use crate::access::Secret;
use crate::config::{DataRoot, pair};
use crate::digits::counted;
use crate::operation::{Catalogue, Market, bracketed_hint};
use parquote_write::{
    Ask as _, JobResult, ListedCompanies, Prompt, RowState, SelectedJobs, SourceDocument, Totals,
    WriteBudget, WriteFolders, WriteJob, estimate, select, withdraw_corrected, write_all,
};

/// The folder of prompt files below `queries/`.
const PROMPTS: &str = "write/";

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
        let checked = wanted_prompts(catalogue, &args)
            .and_then(|_| RowAuthor::open(catalogue, &args.model, true))
            .and_then(|model| checked_budget(&args, &model));
        checked.with_context(|| format!("--write \"{shown}\""))?;
        Ok((args.market, args))
    }
}

pub(super) async fn run(queries: Option<&Path>, args: &WriteArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    run_with(&catalogue, args).await
}

pub(super) async fn run_with(catalogue: &Catalogue, args: &WriteArgs) -> anyhow::Result<()> {
    let prompts = wanted_prompts(catalogue, args)?;
    check_raw_folder(args)?;
    let model = RowAuthor::open(catalogue, &args.model, !args.dry_run)?;
    let budget = checked_budget(args, &model)?;
    let reader = DocumentReader::open(catalogue, args.market, &args.data).await?;
    let model = model.with_session(reader.as_of);
    let symbols = reader.symbols(&args.companies.symbols, args.companies.list.as_deref()).await?;
    let listed = reader.list_documents(&symbols).await?;
    let kinds = prompts.iter().flat_map(|prompt| prompt.documents.iter().map(String::as_str)).collect();
    let wanted = WantedDocuments { kinds, since: args.since };
    let documents = reader.documents(&listed, &wanted).await?;
    let folders = WriteFolders::open(&args.raw, args.market)?;
    let tables = prompts.iter().map(|prompt| {
        catalogue.table(args.market, &prompt.table).context("the table of a prompt is missing")
    });
    let tables = tables.collect::<anyhow::Result<Vec<_>>>()?;
    let declared = prompts.iter().zip(tables);
    let companies = ListedCompanies { symbols: &symbols, documents: &listed };
    for (prompt, table) in declared.clone().filter(|_| !args.dry_run) {
        let deleted = withdraw_corrected(&folders, prompt, table, args.market, companies)?;
        print_deleted(prompt, &deleted);
    }
    if documents.is_empty() {
        bail!(no_document(args, &wanted));
    }
    let mut selected: Vec<_> =
        declared.map(|(prompt, table)| select(prompt, table, args.market, &documents)).collect();
    for selected in &mut selected {
        selected.jobs.retain(|job| wanted.is_new(job.document));
    }
    print_documents(&documents, &selected);
    if args.dry_run {
        return print_plan(&folders, &prompts, &selected, &model, budget);
    }
    let jobs: Vec<WriteJob<'_>> = selected.into_iter().flat_map(|selected| selected.jobs).collect();
    let totals = write_all(&folders, &jobs, &model, budget, &mut print_result).await?;
    print_totals(&totals, args, budget)
}

/// Returns an error if the market has no raw files: its rows would not be derived.
fn check_raw_folder(args: &WriteArgs) -> anyhow::Result<()> {
    let folder = args.raw.join(args.market.word());
    if !folder.is_dir() {
        bail!("there is no folder {}; --raw names the folder that `parquote derive` reads", folder.display());
    }
    Ok(())
}

/// Returns the message for companies without a wanted document.
fn no_document(args: &WriteArgs, wanted: &WantedDocuments<'_>) -> String {
    let since = wanted.since.map_or_else(String::new, |day| format!(" since {day}"));
    let kinds: Vec<&str> = wanted.kinds.iter().copied().collect();
    format!(
        "none of these companies has a document{since} of these kinds: {}; put some under {}/{}/documents and run `parquote derive`",
        kinds.join(", "),
        args.raw.display(),
        args.market
    )
}

/// Returns the budget of a run, at the price of the model.
fn checked_budget(args: &WriteArgs, model: &RowAuthor) -> anyhow::Result<WriteBudget> {
    if args.budget.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
        bail!("--budget is a number of US dollars, such as 2.50");
    }
    let budget = WriteBudget { usd: args.budget, price: model.price() };
    if budget.usd.is_some() && budget.price.is_none() {
        let (provider, name) = model.identity();
        bail!(
            "the price of {name} is not known, so that --budget cannot be held; leave it out, or add the price to a file \
             providers/{provider}.toml under --queries"
        );
    }
    Ok(budget)
}

/// Returns the prompts of the requested tables, or of all tables that the market has.
fn wanted_prompts(catalogue: &Catalogue, args: &WriteArgs) -> anyhow::Result<Vec<Prompt>> {
    let parsed =
        catalogue.declarations(PROMPTS).map(|(path, text)| Prompt::parse(path, text, catalogue.tables()));
    let mut prompts =
        parsed.collect::<Result<Vec<_>, _>>().map_err(|mistake| anyhow::anyhow!("{mistake}"))?;
    prompts.retain(|prompt| catalogue.table(args.market, &prompt.table).is_some());
    let known: Vec<String> = prompts.iter().map(|prompt| prompt.table.clone()).collect();
    if let Some(unknown) = args.tables.iter().find(|table| !known.contains(table)) {
        bail!(
            "no prompt writes the table `{unknown}` in {}{}; the tables with a prompt are {}",
            args.market,
            bracketed_hint(unknown, known.iter().map(String::as_str)),
            known.join(", ")
        );
    }
    prompts.retain(|prompt| args.tables.is_empty() || args.tables.contains(&prompt.table));
    Ok(prompts)
}

fn print_deleted(prompt: &Prompt, names: &[String]) {
    for name in names {
        say!("  {} {name}: deleted, as its document was corrected", prompt.table);
    }
}

fn print_documents(documents: &[SourceDocument], selected: &[SelectedJobs<'_>]) {
    let companies: BTreeSet<&str> = documents.iter().map(|document| document.symbol.as_str()).collect();
    let of = counted(companies.len(), "company", "companies");
    say!("{} of {of}", counted(documents.len(), "document", "documents"));
    let line = |document: &SourceDocument, reason: &str| {
        format!("  left out: {} {} of {}: {reason}", document.symbol, document.kind, document.published_on)
    };
    let mut lines: Vec<String> = Vec::new();
    for selected in selected {
        lines.extend(selected.left_out.iter().map(|(document, reason)| line(document, reason)));
        for job in &selected.jobs {
            let excluded: Vec<String> =
                job.document.model_directed_paragraphs().map(|number| format!("p{number}")).collect();
            let reason = format!("{} only, as if addressed to a language model", excluded.join(","));
            lines.extend((!excluded.is_empty()).then(|| line(job.document, &reason)));
        }
    }
    lines.sort();
    lines.dedup();
    for line in &lines {
        say!("{line}");
    }
}

/// Prints the requests that would be sent, at most.
fn print_plan(
    folders: &WriteFolders,
    prompts: &[Prompt],
    selected: &[SelectedJobs<'_>],
    model: &RowAuthor,
    budget: WriteBudget,
) -> anyhow::Result<()> {
    /// Tokens of replies in a second, for the estimate of time.
    const TOKENS_A_SECOND: u64 = 40;
    for (prompt, selected) in prompts.iter().zip(selected) {
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
    let said = match result {
        JobResult::Skipped(RowState::Edited) => "left alone: you edited the file".to_owned(),
        JobResult::Skipped(RowState::Deleted) => "left alone: you deleted the file".to_owned(),
        JobResult::Skipped(RowState::Foreign) => "left alone: the file is yours".to_owned(),
        JobResult::Skipped(_) => return,
        JobResult::Written(row) => {
            format!("{} claims supported, {} struck", row.supported.len(), row.struck.len())
        }
        JobResult::NoRow(row) => {
            let lacking = row.lacking.as_deref().unwrap_or_default();
            // Without a file there is no note with the reasons, so the first one is printed here.
            let reason = row.struck.first().map(|one| format!(", the first because {}", one.reason));
            let reason = reason.unwrap_or_default();
            format!("no row: `{lacking}` has no supported claim; {} struck{reason}", row.struck.len())
        }
        JobResult::Unusable(fault) => format!("no row: {fault}"),
        JobResult::Refused(said) => format!("no row: {said}"),
    };
    let document = job.document;
    say!("  {} {} {} of {}: {said}", job.prompt.table, document.symbol, document.kind, document.published_on);
}

fn print_totals(totals: &Totals, args: &WriteArgs, budget: WriteBudget) -> anyhow::Result<()> {
    let Totals {
        written, skipped, without_row, supported, struck, paid_replies, cost_usd, remaining, ..
    } = totals;
    let (rows, without) = (counted(*written, "row", "rows"), counted(*without_row, "document", "documents"));
    say!("{rows} written, {skipped} done before or yours, {without} without a row");
    let cost = match budget.price {
        Some(_) => format!("for {cost_usd:.4} US dollars"),
        None => "at a price that is not known".to_owned(),
    };
    let (claims, replies) =
        (counted(*supported, "claim", "claims"), counted(*paid_replies, "reply", "replies"));
    say!("{claims} supported, {struck} struck; {replies} {cost}");
    let raw = args.raw.display();
    if *written > 0 {
        say!(
            "rows are in {raw}/{0}/written, notes with every claim in {raw}/.written/{0}",
            args.market.word()
        );
        say!("`parquote derive --raw {raw} --data {}` takes them into the tables", args.data.data);
    }
    match &totals.stopped {
        Some(reason) => {
            let remaining = counted(*remaining, "document remains", "documents remain");
            bail!("{remaining}: {reason}; the same command continues there")
        }
        None => Ok(()),
    }
}
