//! The plan of a run: the prompts of its tables, and the documents of its companies. The command and the runs of a server share it.

use std::collections::BTreeSet;

use anyhow::{Context as _, anyhow, bail};
use chrono::NaiveDate;

use super::documents::{DocumentReader, WantedDocuments};
use crate::handlers::WriteSpec;
use crate::operation::{Catalogue, Market, Table, bracketed_hint};
use parquote_write::{
    ListedCompanies, Prompt, SelectedJobs, SourceDocument, WriteError, WriteFolders, select,
    withdraw_corrected,
};

/// The folder of prompt files below `queries/`.
const PROMPTS: &str = "write/";

/// Prompts with their tables, and documents.
pub(super) struct WritePlan<'a> {
    pub declared: Vec<(Prompt, &'a Table)>,
    /// Documents with their paragraphs.
    pub documents: Vec<SourceDocument>,
    market: Market,
    since: Option<NaiveDate>,
    symbols: BTreeSet<String>,
    /// All documents of the companies, without their paragraphs.
    listed: Vec<SourceDocument>,
}

impl<'a> WritePlan<'a> {
    /// Reads the documents of the companies, for the prompts of [`wanted_prompts`].
    pub(super) async fn read(
        catalogue: &'a Catalogue,
        prompts: Vec<Prompt>,
        spec: &WriteSpec,
        reader: &DocumentReader,
    ) -> anyhow::Result<Self> {
        let declared = prompts.into_iter().map(|prompt| {
            let table = catalogue.table(spec.market, &prompt.table);
            table.context("the table of a prompt is missing").map(|table| (prompt, table))
        });
        let declared = declared.collect::<anyhow::Result<Vec<_>>>()?;
        let symbols = reader.symbols(&spec.symbols, spec.list.as_deref()).await?;
        let listed = reader.list_documents(&symbols).await?;
        let (market, since) = (spec.market, spec.since);
        let plan = Self { declared, documents: Vec::new(), market, since, symbols, listed };
        let documents = reader.documents(&plan.listed, &plan.wanted_documents()).await?;
        Ok(Self { documents, ..plan })
    }

    fn wanted_documents(&self) -> WantedDocuments<'_> {
        let kinds = self.declared.iter().flat_map(|(prompt, _)| prompt.documents.iter().map(String::as_str));
        WantedDocuments { kinds: kinds.collect(), since: self.since }
    }

    /// Deletes the rows whose documents were corrected, and returns the names of their tables and files.
    pub(super) fn withdraw_corrected(&self, folders: &WriteFolders) -> Result<Vec<String>, WriteError> {
        let companies = ListedCompanies { symbols: &self.symbols, documents: &self.listed };
        let mut deleted = Vec::new();
        for (prompt, table) in &self.declared {
            let names = withdraw_corrected(folders, prompt, table, self.market, companies)?;
            deleted.extend(names.iter().map(|name| format!("{} {name}", prompt.table)));
        }
        Ok(deleted)
    }

    /// Selects the jobs of each prompt; `raw` is the folder of raw files, for the error if there is no document.
    pub(super) fn select(&self, raw: &str) -> anyhow::Result<Vec<SelectedJobs<'_>>> {
        let wanted = self.wanted_documents();
        if self.documents.is_empty() {
            let since = self.since.map_or_else(String::new, |day| format!(" since {day}"));
            let kinds: Vec<&str> = wanted.kinds.iter().copied().collect();
            bail!(
                "none of these companies has a document{since} of these kinds: {}; put some under {raw}/{}/documents and run \
                 `parquote derive`",
                kinds.join(", "),
                self.market
            );
        }
        let of_prompts = self.declared.iter().map(|(prompt, table)| {
            let mut selected = select(prompt, table, self.market, &self.documents);
            selected.jobs.retain(|job| wanted.is_new(job.document));
            selected
        });
        Ok(of_prompts.collect())
    }
}

/// Returns the prompts of the requested tables, or of all tables that the market has.
pub(super) fn wanted_prompts(
    catalogue: &Catalogue,
    market: Market,
    tables: &[String],
) -> anyhow::Result<Vec<Prompt>> {
    let parsed =
        catalogue.declarations(PROMPTS).map(|(path, text)| Prompt::parse(path, text, catalogue.tables()));
    let mut prompts = parsed.collect::<Result<Vec<_>, _>>().map_err(|mistake| anyhow!("{mistake}"))?;
    prompts.retain(|prompt| catalogue.table(market, &prompt.table).is_some());
    let known: Vec<String> = prompts.iter().map(|prompt| prompt.table.clone()).collect();
    if let Some(unknown) = tables.iter().find(|table| !known.contains(table)) {
        bail!(
            "no prompt writes the table `{unknown}` in {market}{}; the tables with a prompt are {}",
            bracketed_hint(unknown, known.iter().map(String::as_str)),
            known.join(", ")
        );
    }
    prompts.retain(|prompt| tables.is_empty() || tables.contains(&prompt.table));
    Ok(prompts)
}
