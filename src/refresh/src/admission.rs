//! What data must pass before it is served: every page is read, the declared contract holds, nothing goes back behind the
//! served set, the rules of `queries/checks` hold, and every operation answers.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{NaiveDate, Utc};

use super::comparison::compare;
use super::error::RefreshError;
use super::finding::{Finding, Level};
use super::resting::PlainFiles;
use super::vetter::{Task, Vetter};
use parquote_catalogue::operation::{Catalogue, Market, Severity};
use parquote_engine::market_tables::served;
use parquote_engine::{
    CheckResult, Engine, EngineError, ExampleFaults, LoadScope, MarketSnapshot, Problem, SetName, Vetted,
    readers,
};
use parquote_set::{PlainFilePart, Staging, TableFiles};

/// The most rows that may contradict themselves without a refusal of all the others.
const ROWS_UNREFUSED: usize = 100;

/// How data is checked against its contract.
#[derive(Clone, Copy)]
pub struct Admission<'a> {
    /// What operations it is for.
    pub engine: &'a Arc<Engine>,
    /// Who reads new files first.
    pub vetter: &'a Vetter,
    /// The date on which this is asked, in the market's time.
    pub today: NaiveDate,
    /// Which tables are loaded.
    pub wanted: LoadScope<'static>,
    /// Of the rules of `queries/checks`, those whose names contain this; none of them where it is `None`.
    pub rules: Option<&'a str>,
}

/// The result of a check.
pub struct Admitted {
    /// What was found, errors first.
    pub findings: Vec<Finding>,
    /// The market, ready to be served; `None` where it could not even be loaded.
    pub snapshot: Option<MarketSnapshot>,
}

/// A file that is read for the first time.
pub struct UnreadFile {
    /// Whose file.
    pub table: String,
    /// The file.
    pub path: PathBuf,
}

impl<'a> Admission<'a> {
    /// The whole of it, on the day that it is in a market now.
    pub fn now(engine: &'a Arc<Engine>, vetter: &'a Vetter, market: Market) -> Self {
        let today = Utc::now().with_timezone(&market.time_zone()).date_naive();
        Self { engine, vetter, today, wanted: LoadScope::Served, rules: Some("") }
    }

    /// Holds the tables of a market against their contract and against the set that is served.
    ///
    /// # Errors
    /// What keeps the data from being looked at at all.
    pub async fn of(
        &self,
        market: Market,
        name: SetName,
        files: &TableFiles,
        before: Option<&MarketSnapshot>,
    ) -> Result<Admitted, RefreshError> {
        let catalogue = &**self.engine.catalogue();
        let mut findings = unknown_tables(catalogue, market, files);
        let mut snapshot = None;
        match MarketSnapshot::load(self.engine, market, name, files, self.wanted).await {
            Err(EngineError::Contract { problems }) => findings.extend(self::findings(catalogue, problems)),
            Err(error) => return Err(error.into()),
            Ok(loaded) => {
                let compared = compare(before, &loaded, self.today).into_iter();
                findings.extend(compared.map(|finding| with_operations(catalogue, finding)));
                // What contradicts the set that is served needs no further looking at.
                if !Finding::any_error(&findings) {
                    findings.extend(self.rules(&loaded, before).await?);
                    findings.extend(self.examples(&loaded, before).await);
                }
                snapshot = Some(loaded);
            }
        }
        findings.sort_by_key(|finding| finding.level);
        Ok(Admitted { findings, snapshot })
    }

    /// Reads files from the first page to the last.
    ///
    /// # Errors
    /// A process that cannot be used.
    pub fn read(
        &self,
        market: Market,
        unread: &[UnreadFile],
        staging: &Staging,
    ) -> Result<Vec<Vetted>, RefreshError> {
        let held = served(self.engine.catalogue(), market)?;
        let task = |(at, unread): (usize, &UnreadFile)| Task {
            market,
            held: held.contains(&unread.table),
            table: unread.table.clone(),
            path: unread.path.clone(),
            mended: staging.path().join(mended_name(at)),
        };
        let tasks: Vec<Task> = unread.iter().enumerate().map(task).collect();
        let progress = self.engine.progress();
        progress.start(market, "files are read", tasks.len());
        let vetted = self.vetter.vet(self.engine.catalogue(), &tasks, || progress.advance(market));
        progress.finish(market);
        vetted
    }

    /// What breaks the rules. A rule that would refuse the set is skipped where all tables that it reads are those of the previous set.
    async fn rules(
        &self,
        loaded: &MarketSnapshot,
        before: Option<&MarketSnapshot>,
    ) -> Result<Vec<Finding>, RefreshError> {
        let Some(part) = self.rules else { return Ok(Vec::new()) };
        let market = loaded.market();
        let mut findings = Vec::new();
        let checks = self.engine.catalogue().checks().iter().filter(|check| check.is_in(market));
        let checks: Vec<_> = checks.filter(|check| check.name.contains(part)).collect();
        let progress = self.engine.progress();
        progress.start(market, "rules are checked", checks.len());
        for check in checks {
            progress.advance(market);
            if check.severity == Severity::Error
                && let Some(before) = before
                && loaded.checks_the_same(before, check)?
            {
                continue;
            }
            match loaded.check(check).await {
                Ok(CheckResult::Kept | CheckResult::Skipped(_)) => {}
                Ok(CheckResult::Broken { rows, shown }) => {
                    let level = match check.severity {
                        Severity::Error => Level::Error,
                        Severity::Row if rows > ROWS_UNREFUSED => Level::Error,
                        Severity::Row | Severity::Note => Level::Warning,
                    };
                    let more = if rows == CheckResult::MOST_ROWS { " or more" } else { "" };
                    let message =
                        format!("rule {}: {} - broken by {rows}{more} rows", check.name, check.title);
                    let remedy = format!(
                        "compare the rows with their source; tables of two days side by side break rules too. Otherwise {}",
                        by_raw_files(market)
                    );
                    // The rows and their heading, without the frame around them.
                    let lines =
                        shown.lines().filter(|line| line.starts_with('|')).map(str::to_owned).collect();
                    findings.push(Finding::new(level, market, message, remedy).of_rows(rows as u64, lines));
                }
                Err(error) => {
                    let message = format!("rule {} could not be held against the data: {error}", check.name);
                    let remedy = "give admission more memory with --admission-mib, or run `parquote check`";
                    findings.push(Finding::new(Level::Warning, market, message, remedy));
                }
            }
        }
        progress.finish(market);
        Ok(findings)
    }

    async fn examples(&self, loaded: &MarketSnapshot, before: Option<&MarketSnapshot>) -> Vec<Finding> {
        let ExampleFaults { failing, emptied } = loaded.examples(before).await;
        let finding = |(operation, error): (String, EngineError)| {
            let message = format!("the operation {operation} fails on its own example: {error}");
            let remedy = "look at the tables that it reads; `parquote query` runs it alone";
            let finding = Finding::new(Level::Error, loaded.market(), message, remedy);
            Finding { operations: vec![operation], ..finding }
        };
        let lost = |operation: String| {
            let message = format!(
                "the operation {operation} answers its own example without a row, from the set now served it has some"
            );
            let remedy = "look at the keys and dates of the tables that it reads";
            let finding = Finding::new(Level::Warning, loaded.market(), message, remedy);
            Finding { operations: vec![operation], ..finding }
        };
        failing.into_iter().map(finding).chain(emptied.into_iter().map(lost)).collect()
    }
}

/// What makes every table of a market from one day's raw files.
pub(super) fn by_raw_files(market: Market) -> String {
    format!(
        "put what is new among the raw files, under raw/{market}, and run `parquote derive --raw raw --data DIR`: it makes \
         every table that reads it"
    )
}

/// What a file is called that was mended, by its place among those that were read.
pub(super) fn mended_name(at: usize) -> String {
    format!("mended-{at}")
}

/// Findings for problems of tables, with the operations that they concern.
pub(super) fn findings(catalogue: &Catalogue, problems: Vec<Problem>) -> Vec<Finding> {
    let finding = |problem: Problem| {
        let column = problem.column.as_deref();
        // SQL that was parsed when the program started is parsed again without fail.
        let operations = readers(catalogue, problem.market, &problem.table, column).unwrap_or_default();
        Finding::of_problem(problem, operations)
    };
    problems.into_iter().map(finding).collect()
}

/// An error of a table with the operations that read it.
fn with_operations(catalogue: &Catalogue, finding: Finding) -> Finding {
    match (finding.level, &finding.table) {
        (Level::Error, Some(table)) => {
            let read = readers(catalogue, finding.market, table, finding.column.as_deref());
            Finding { operations: read.unwrap_or_default(), ..finding }
        }
        _ => finding,
    }
}

/// The plain files that belong to a table, and a warning of each name that is none: such files wait for nobody, as nobody waits
/// for them.
pub(super) fn without_strangers(
    catalogue: &Catalogue,
    market: Market,
    mut files: PlainFiles,
) -> (PlainFiles, Vec<Finding>) {
    let mut strangers = TableFiles::new();
    files.retain(|path, _| {
        let Some(part) = PlainFilePart::at(path) else { return false };
        let is_table = catalogue.table(market, &part.table).is_some_and(|table| !table.is_view());
        if !is_table {
            strangers.insert(part.table, Vec::new());
        }
        is_table
    });
    (files, unknown_tables(catalogue, market, &strangers))
}

/// Warns of files that are named after a table, or nearly so, and lie where or as no part of one does.
pub(super) fn passed_over(catalogue: &Catalogue, market: Market, paths: &[String]) -> Vec<Finding> {
    let tables: Vec<&str> = catalogue.tables_in(market).map(|table| table.name.as_str()).collect();
    let finding = |path: &String| {
        let first = path.split(['/', '.']).next()?;
        let table = parquote_catalogue::operation::misspelt(first, tables.iter().copied())?;
        let (message, remedy) = if path.strip_suffix(".parquet").is_some() {
            let message =
                format!("`{path}` is not read: it lies in a folder below that of the table `{table}`");
            (
                message,
                format!(
                    "put it into `{table}/`, under a name of its own, or put all rows into `{table}.parquet`"
                ),
            )
        } else {
            let message = format!("`{path}` is not read: only Parquet files are served");
            let remedy = format!(
                "write it as `{table}.parquet`, or put it under the raw files and run `parquote derive`"
            );
            (message, remedy)
        };
        Some(Finding {
            file: Some(path.clone()),
            ..Finding::new(Level::Warning, market, message, remedy).of_table(table)
        })
    };
    let named = paths.iter().filter_map(finding);
    // Of a table in a thousand parts the first says it.
    let mut told = BTreeSet::new();
    named.filter(|finding| told.insert((finding.table.clone(), finding.remedy.clone()))).collect()
}

/// Warns of files whose table is not declared; they are ignored.
pub(super) fn unknown_tables(catalogue: &Catalogue, market: Market, files: &TableFiles) -> Vec<Finding> {
    let declared: BTreeSet<&str> = catalogue
        .tables_in(market)
        .filter(|table| !table.is_view())
        .map(|table| table.name.as_str())
        .collect();
    let unknown = files.keys().filter(|table| !declared.contains(table.as_str()));
    let finding = |table: &String| {
        let near = parquote_catalogue::operation::nearest(table, declared.iter().copied());
        let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let message = format!("no table of this name is declared for the market{hint}");
        let remedy = "rename the file, or declare the table under queries/tables";
        Finding::new(Level::Warning, market, message, remedy).of_table(table)
    };
    unknown.map(finding).collect()
}
