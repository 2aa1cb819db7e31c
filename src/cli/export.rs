//! `parquote export`: writes tables of the published set as files for pandas, Polars, DuckDB or spreadsheets.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use chrono::Datelike as _;
use clap::Args;

use super::output::say;
use super::{catalogue, sets};
use crate::config::DataRoot;
use crate::digits::counted;
use crate::engine::{Engine, FileForm, LoadScope, MarketSnapshot, QueryLimits};
use crate::operation::{Catalogue, Market, Table, bracketed_hint};

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    data: DataRoot,
    /// The market.
    #[arg(long, value_name = "india|us", default_value = "india")]
    market: Market,
    /// The set: a number, an id, or a date; by default the newest.
    #[arg(long, visible_alias = "as-of", value_name = "SET|DATE")]
    snapshot: Option<String>,
    /// The form of the files.
    #[arg(long, value_parser = form, value_name = "parquet|csv|arrow")]
    format: Option<FileForm>,
    /// The folder of the files, or the file of one table, whose name then says its form.
    #[arg(long, value_name = "DIR|FILE", default_value = ".")]
    out: PathBuf,
    /// The tables, such as stocks or daily_prices; a long table is a folder with a file for each calendar year.
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<String>,
}

fn form(word: &str) -> Result<FileForm, String> {
    let known = FileForm::ALL.into_iter().find(|form| form.word() == word);
    known.ok_or_else(|| "the forms are parquet, csv and arrow".to_owned())
}

pub(super) async fn run(queries: Option<&Path>, args: &ExportArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::read(queries)?;
    let tables = args.tables.iter().map(|name| table(&catalogue, args.market, name));
    let tables = tables.collect::<anyhow::Result<Vec<_>>>()?;
    let file = FileForm::from_path(&args.out);
    let form = match (file, args.format) {
        (Some(file), Some(format)) if file != format => {
            bail!("--format {} and the name {} disagree", format.word(), args.out.display())
        }
        (Some(_), _) if tables.len() > 1 => {
            bail!("{} is one file; --out names a folder for several tables", args.out.display())
        }
        (file, format) => file.or(format).unwrap_or(FileForm::Parquet),
    };
    let market = open(&catalogue, args).await?;
    let existing = market.counts();
    for table in tables {
        if !table.is_view() && !existing.iter().any(|(name, _)| *name == table.name) {
            bail!(
                "this set of {} has no table `{}`; `parquote check` lists those that it has",
                args.market,
                table.name
            );
        }
        for (year, path) in pieces(&market, table, args, form) {
            let rows = market.write_table(table, year, &path, form).await;
            let rows = rows.with_context(|| format!("cannot write {}", path.display()))?;
            say!("{}: {}", path.display(), counted(rows, "row", "rows"));
        }
    }
    Ok(())
}

/// Returns the table with a name.
fn table<'a>(catalogue: &'a Catalogue, market: Market, name: &str) -> anyhow::Result<&'a Table> {
    let known = catalogue.tables_in(market).map(|table| table.name.as_str());
    catalogue.table(market, name).with_context(|| {
        format!(
            "`{name}` is not a table of {market}{}; the guide to your own tables lists all",
            bracketed_hint(name, known)
        )
    })
}

async fn open(catalogue: &Catalogue, args: &ExportArgs) -> anyhow::Result<MarketSnapshot> {
    let (root, limits) = (args.data.open()?, QueryLimits::default());
    // No operation is called, so none is planned.
    let catalogue = Arc::new(catalogue.with_operations(|_| false));
    let engine = Engine::new(catalogue, &limits);
    let wanted = LoadScope::Named(&args.tables);
    Ok(match &args.snapshot {
        Some(requested) => sets::open(&engine, &root, args.market, requested, wanted).await?,
        None => MarketSnapshot::from_root(&engine, args.market, &root, wanted).await?,
    })
}

/// Returns the files of a table: one for each year if the table is split by year, so that the files can be used as a table again.
fn pieces(
    market: &MarketSnapshot,
    table: &Table,
    args: &ExportArgs,
    form: FileForm,
) -> Vec<(Option<i32>, PathBuf)> {
    if FileForm::from_path(&args.out).is_some() {
        return vec![(None, args.out.clone())];
    }
    let years = market.first_session().zip(market.as_of()).filter(|_| table.yearly);
    let Some((first, last)) = years else {
        return vec![(None, args.out.join(format!("{}.{}", table.name, form.word())))];
    };
    let folder = args.out.join(&table.name);
    let of_year = |year| (Some(year), folder.join(format!("{year}.{}", form.word())));
    (first.year()..=last.year()).map(of_year).collect()
}
