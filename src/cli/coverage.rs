//! The coverage tables, generated from declarations: the source tables of each operation, their raw files, and the origin of the files.
//!
//! They join the dependencies that the engine derives from SQL with the declarations of sources. No data is read: callers pass the names of
//! existing tables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Context as _;

use crate::engine::{Coverage, SourceNeeds};
use crate::fetch::SourceCatalogue;
use crate::operation::{Catalogue, Filling, Market, Operation, Table};

/// Marker before the name of a generated table.
const START: &str = "<!-- coverage: ";
/// Marker after a generated table.
const END: &str = "<!-- end of coverage -->";

parquote_catalogue::word_enum! {
    /// The way to get raw files; an earlier variant takes less effort.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum AcquisitionWay {
        Fetched = "`fetch`",
        ByName = "`fetch`, by name",
        OwnKey = "`fetch`, with your own key",
        ManualDownload = "by hand",
        Written = "you write it",
    }
    fn words "Returns the way in words.";
}

/// The coverage of a market.
pub(super) struct MarketCoverage<'a> {
    catalogue: &'a Catalogue,
    sources: &'a SourceCatalogue,
    pub market: Market,
    /// The needs of each operation that reads tables, in the order of the catalogue.
    pub operations: Vec<(&'a Arc<Operation>, SourceNeeds)>,
}

impl<'a> MarketCoverage<'a> {
    /// Traces the operations of a market to raw files.
    pub(super) fn for_market(
        catalogue: &'a Catalogue,
        sources: &'a SourceCatalogue,
        market: Market,
    ) -> anyhow::Result<Self> {
        let coverage = Coverage::new(catalogue, market);
        let reads = |operation: &&Arc<Operation>| operation.market == market && !operation.selects.is_empty();
        let operations = catalogue.operations().iter().filter(reads);
        let operations = operations
            .map(|operation| Ok((operation, coverage.needs(operation)?)))
            .collect::<anyhow::Result<Vec<_>>>()?;
        // A SELECT without a table needs no data.
        let operations = operations.into_iter().filter(|(_, needs)| !needs.needed.is_empty()).collect();
        Ok(Self { catalogue, sources, market, operations })
    }

    /// Summarizes how many operations can answer, and names the file to get next: the easiest to get, and of these the one that enables
    /// most operations. `there` has the existing source tables.
    pub(super) fn summary(
        &self,
        there: &BTreeSet<String>,
        answers: impl Fn(&Operation, &SourceNeeds) -> bool,
    ) -> String {
        let mut unlocked: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, needs) in self.operations.iter().filter(|(operation, needs)| !answers(operation, needs)) {
            if let [only] = needs.needed.difference(there).collect::<Vec<_>>().as_slice() {
                *unlocked.entry(only.as_str()).or_default() += 1;
            }
        }
        let message = format!("{} can answer", self.answering(&answers));
        let easiest = |table: &str| std::cmp::Reverse(self.easiest_way(table));
        let next = unlocked.iter().max_by_key(|(table, more)| (easiest(table), **more));
        match next {
            Some((table, more)) => {
                let files = Coverage::new(self.catalogue, self.market).remedy(table);
                format!("{message}; the next file to get, for {more} more: {files}")
            }
            None => message,
        }
    }

    /// States how many of all operations can answer.
    pub(super) fn answering(&self, answers: impl Fn(&Operation, &SourceNeeds) -> bool) -> String {
        let answering = self.operations.iter().filter(|(operation, needs)| answers(operation, needs)).count();
        format!("{answering} of {} operations", self.operations.len())
    }

    /// Returns the source tables that the files of some sources fill.
    pub(super) fn tables_filled_by(&self, sources: &BTreeSet<String>) -> BTreeSet<String> {
        let is_filled = |table: &&Table| {
            self.fillings(table).any(|files| files.sources.iter().any(|source| sources.contains(source)))
        };
        self.catalogue.tables_in(self.market).filter(is_filled).map(|table| table.name.clone()).collect()
    }

    /// Returns the easiest way to get the files of a source table.
    fn easiest_way(&self, table: &str) -> AcquisitionWay {
        let table = self.catalogue.table(self.market, table);
        let fillings = table.into_iter().flat_map(|table| self.fillings(table));
        fillings.map(|files| self.way_of(files)).min().unwrap_or(AcquisitionWay::Written)
    }

    fn fillings<'t>(&self, table: &'t Table) -> impl Iterator<Item = &'t Filling> + use<'t> {
        let market = self.market;
        table.filled_by.iter().filter(move |files| files.is_in(market))
    }

    fn way_of(&self, files: &Filling) -> AcquisitionWay {
        let by_page =
            if files.page.is_some() { AcquisitionWay::ManualDownload } else { AcquisitionWay::Written };
        let ways = files.sources.iter().filter_map(|name| {
            let source = self.sources.source(name).ok()?;
            Some(match (source.key_names().is_empty(), source.by_default && source.per.is_none()) {
                (false, _) => AcquisitionWay::OwnKey,
                (true, true) => AcquisitionWay::Fetched,
                (true, false) => AcquisitionWay::ByName,
            })
        });
        ways.min().unwrap_or(by_page)
    }

    /// Formats the operations with their needs, as Markdown.
    fn operations_table(&self) -> String {
        let rows = self.operations.iter().map(|(operation, needs)| {
            let way = needs.needed.iter().map(|table| self.easiest_way(table)).max();
            let way = way.unwrap_or(AcquisitionWay::Fetched).words();
            let (name, needed, useful) =
                (&operation.name, list_tables(&needs.needed), list_tables(&needs.useful));
            format!("| `{name}` | {needed} | {way} | {useful} |\n")
        });
        format!(
            "| operation | needs | you get it by | says more with |\n|---|---|---|---|\n{}",
            rows.collect::<String>()
        )
    }

    /// Formats the source tables with the raw files that fill them, as Markdown.
    fn files_table(&self) -> String {
        let mut text = "| table | raw files | how to get them | details |\n|---|---|---|---|\n".to_owned();
        let mut read_tables: BTreeSet<&str> = BTreeSet::new();
        read_tables.extend(
            self.operations
                .iter()
                .flat_map(|(_, needs)| needs.needed.union(&needs.useful))
                .map(String::as_str),
        );
        let is_read = |table: &&Table| {
            let mut made_with = table.made_with.iter();
            read_tables.contains(table.name.as_str())
                || made_with.any(|(name, _)| read_tables.contains(name.as_str()))
        };
        for table in self.catalogue.tables_in(self.market).filter(is_read) {
            for files in self.fillings(table) {
                let sources = files.sources.iter().map(|source| format!("`{source}`")).collect::<Vec<_>>();
                let details = sources.into_iter().chain(files.page.clone()).collect::<Vec<_>>().join(", ");
                let (name, format, way) = (&table.name, &files.format, self.way_of(files).words());
                text.extend([format!("| `{name}` | {format} | {way} | {details} |\n")]);
            }
            if (table.filled_by.is_empty() || table.is_user_supplied()) && table.made_with.is_empty() {
                let (name, title) = (&table.name, &table.title);
                text.extend([format!(
                    "| `{name}` | `{name}.csv` | {} | {title} |\n",
                    AcquisitionWay::Written.words()
                )]);
            }
        }
        text
    }
}

/// Regenerates the coverage tables in a text, from `<!-- coverage: india operations -->` to the end marker.
///
/// # Errors
/// A table without an end marker, or with an unknown name.
pub(super) fn with_tables(text: &str, catalogue: &Catalogue) -> anyhow::Result<String> {
    let sources = SourceCatalogue::embedded()?;
    let mut written = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(START) {
        let (name, body) = after.split_once(" -->\n").context("a table of coverage does not say its name")?;
        let (_, after) = body.split_once(END).context("a table of coverage does not end")?;
        let (market, kind) = name.split_once(' ').context("a table of coverage names a market and a kind")?;
        let coverage =
            MarketCoverage::for_market(catalogue, &sources, market.parse().map_err(anyhow::Error::msg)?)?;
        let table = match kind {
            "operations" => coverage.operations_table(),
            "files" => coverage.files_table(),
            _ => anyhow::bail!("`{kind}` is no table of coverage; there are operations and files"),
        };
        written.extend([before, START, name, " -->\n", &table, END]);
        rest = after;
    }
    written.push_str(rest);
    Ok(written)
}

fn list_tables(tables: &BTreeSet<String>) -> String {
    tables.iter().map(|table| format!("`{table}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::format_labels;

    #[test]
    fn every_format_and_every_source_fills_a_table() {
        let (catalogue, sources) =
            (Catalogue::with_overlay(&[]).unwrap(), SourceCatalogue::embedded().unwrap());
        let (mut declared, mut read) = (BTreeSet::new(), BTreeSet::new());
        for market in Market::ALL {
            let tables = catalogue.tables_in(market);
            let fillings: Vec<&Filling> = tables.flat_map(|table| &table.filled_by).collect();
            let of_market = || fillings.iter().filter(|files| files.is_in(market));
            let formats: BTreeSet<&str> = of_market().map(|files| files.format.as_str()).collect();
            let known: BTreeSet<&str> = format_labels(market).into_iter().collect();
            assert!(formats.is_subset(&known), "{market}: nothing reads {:?}", formats.difference(&known));
            declared.extend(formats.into_iter().map(str::to_owned));
            read.extend(known);
            let named: BTreeSet<&str> =
                of_market().flat_map(|files| &files.sources).map(String::as_str).collect();
            for name in &named {
                assert_eq!(sources.source(name).unwrap().market, market, "{name}");
            }
            for source in sources.sources().iter().filter(|source| source.market == market) {
                assert!(
                    named.contains(source.name.as_str()),
                    "{market}: no table is filled by {}",
                    source.name
                );
            }
        }
        let left: Vec<&&str> = read.iter().filter(|format| !declared.contains(**format)).collect();
        assert!(left.is_empty(), "no table says that it is filled by {left:?}");
    }

    #[test]
    fn operations_come_down_to_raw_files() {
        let (catalogue, sources) =
            (Catalogue::with_overlay(&[]).unwrap(), SourceCatalogue::embedded().unwrap());
        let india = MarketCoverage::for_market(&catalogue, &sources, Market::India).unwrap();
        let needs = |name: &str| &india.operations.iter().find(|(it, _)| it.name == name).unwrap().1;
        assert_eq!(list_tables(&needs("company/scorecard").needed), "`daily_prices`, `statement_lines`");
        assert_eq!(list_tables(&needs("market/momentum").needed), "`daily_prices`");
        assert_eq!(india.easiest_way("daily_prices"), AcquisitionWay::Fetched);
        assert_eq!(india.easiest_way("statement_lines"), AcquisitionWay::ManualDownload);
        assert_eq!(india.easiest_way("pledges"), AcquisitionWay::ManualDownload);
        assert_eq!(india.easiest_way("conglomerate_groups"), AcquisitionWay::Written);
        let us = MarketCoverage::for_market(&catalogue, &sources, Market::Us).unwrap();
        assert_eq!(us.easiest_way("daily_prices"), AcquisitionWay::OwnKey);
        let needs = |name: &str| &us.operations.iter().find(|(it, _)| it.name == name).unwrap().1;
        assert_eq!(list_tables(&needs("us/company/financials").needed), "`statement_lines`");
        assert_eq!(list_tables(&needs("us/company/insider-trades").needed), "`insider_trades`");
        assert_eq!(list_tables(&needs("us/market/sectors").needed), "`daily_prices`");
        let there = BTreeSet::from(["daily_prices".to_owned()]);
        let message = india.summary(&there, |_, needs| needs.needed.is_subset(&there));
        assert!(message.contains(" operations can answer; the next file to get"), "{message}");
    }
}
