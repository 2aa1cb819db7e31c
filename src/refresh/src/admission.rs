//! Admission: the checks that data must pass before it is served. Every page is read, the declared contract holds, nothing is
//! older than the served set, the rules of `queries/checks` hold, and every operation answers its example.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{NaiveDate, Utc};

use super::comparison::compare;
use super::error::RefreshError;
use super::finding::{Finding, Level};
use super::quiet_files::PlainFiles;
use super::vetter::{Task, Vetter};
use parquote_catalogue::digits::counted;
use parquote_catalogue::operation::{Catalogue, Market, Severity};
use parquote_engine::tables_read::served_tables;
use parquote_engine::{
    CheckResult, Engine, EngineError, ExampleFaults, LoadScope, MarketSnapshot, Problem, SetName,
    VettingResult, operations_that_read,
};
use parquote_set::{PlainFilePart, Staging, TableFiles};

/// Maximum number of rows that may break a rule of severity `row`; if more do, the set is refused.
const MOST_FAULTY_ROWS: usize = 100;

/// The parameters of a check.
#[derive(Clone, Copy)]
pub struct Admission<'a> {
    /// The engine whose operations are checked.
    pub engine: &'a Arc<Engine>,
    /// The reader of new files.
    pub vetter: &'a Vetter,
    /// The date of the check, in the market's time zone.
    pub today: NaiveDate,
    /// The tables to load.
    pub scope: LoadScope<'static>,
    /// The rules of `queries/checks` whose name contains this text are checked: all if it is empty, no rule if it is `None`.
    pub rules: Option<&'a str>,
}

/// The result of a check.
pub struct AdmissionResult {
    /// The findings, errors first.
    pub findings: Vec<Finding>,
    /// The market, ready to be served; `None` if it could not be loaded.
    pub snapshot: Option<MarketSnapshot>,
}

/// A file that has not been read before.
pub struct UnreadFile {
    /// Name of the table.
    pub table: String,
    /// Path of the file to read.
    pub path: PathBuf,
}

impl<'a> Admission<'a> {
    /// Creates a full check for today, in the market's time zone.
    pub fn for_today(engine: &'a Arc<Engine>, vetter: &'a Vetter, market: Market) -> Self {
        let today = Utc::now().with_timezone(&market.time_zone()).date_naive();
        Self { engine, vetter, today, scope: LoadScope::Served, rules: Some("") }
    }

    /// Checks the tables of a market against their contract and against the served set.
    ///
    /// # Errors
    /// A failure that prevents the check.
    pub async fn admit(
        &self,
        market: Market,
        name: SetName,
        files: &TableFiles,
        before: Option<&MarketSnapshot>,
    ) -> Result<AdmissionResult, RefreshError> {
        let catalogue = &**self.engine.catalogue();
        let mut findings = unknown_tables(catalogue, market, files);
        let mut snapshot = None;
        match MarketSnapshot::load(self.engine, market, name, files, self.scope).await {
            Err(EngineError::Contract(problems)) => findings.extend(self::findings(catalogue, problems)),
            Err(error) => return Err(error.into()),
            Ok(loaded) => {
                let compared = compare(before, &loaded, self.today).into_iter();
                findings.extend(compared.map(|finding| with_operations(catalogue, finding)));
                // Data that contradicts the served set is not checked further.
                if !Finding::any_error(&findings) {
                    findings.extend(self.rules(&loaded, before).await?);
                    findings.extend(self.examples(&loaded, before).await);
                }
                snapshot = Some(loaded);
            }
        }
        findings.sort_by_key(|finding| finding.level);
        Ok(AdmissionResult { findings, snapshot })
    }

    /// Reads files from the first page to the last.
    ///
    /// # Errors
    /// A reader process that cannot be started.
    pub fn read(
        &self,
        market: Market,
        unread: &[UnreadFile],
        staging: &Staging,
    ) -> Result<Vec<VettingResult>, RefreshError> {
        let tables_in_memory = served_tables(self.engine.catalogue(), market)?;
        let task = |(index, unread): (usize, &UnreadFile)| Task {
            market,
            held: tables_in_memory.contains(&unread.table),
            table: unread.table.clone(),
            path: unread.path.clone(),
            mended: staging.path().join(repaired_name(index)),
        };
        let tasks: Vec<Task> = unread.iter().enumerate().map(task).collect();
        let progress = self.engine.progress();
        progress.start(market, "files are read", tasks.len());
        let vetted = self.vetter.vet(self.engine.catalogue(), &tasks, || progress.advance(market));
        progress.finish(market);
        vetted
    }

    /// Finds violations of the rules. A rule of severity `error` is skipped if all tables that it reads are unchanged.
    async fn rules(
        &self,
        loaded: &MarketSnapshot,
        before: Option<&MarketSnapshot>,
    ) -> Result<Vec<Finding>, RefreshError> {
        let Some(name_part) = self.rules else { return Ok(Vec::new()) };
        let market = loaded.market();
        let mut findings = Vec::new();
        let checks = self.engine.catalogue().checks().iter().filter(|check| check.is_in(market));
        let checks: Vec<_> = checks.filter(|check| check.name.contains(name_part)).collect();
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
                Ok(CheckResult::Passed | CheckResult::Skipped(_)) => {}
                Ok(CheckResult::Broken { rows, text }) => {
                    let level = match check.severity {
                        Severity::Error => Level::Error,
                        Severity::Row if rows > MOST_FAULTY_ROWS => Level::Error,
                        Severity::Row | Severity::Note => Level::Warning,
                    };
                    let more = if rows == CheckResult::MOST_ROWS { " or more" } else { "" };
                    let broken = counted(rows, "row", "rows");
                    let message = format!("rule {}: {} - broken by {broken}{more}", check.name, check.title);
                    let remedy = format!(
                        "compare the rows with their source; tables of two days side by side break rules too. Otherwise {}",
                        derive_remedy(market)
                    );
                    // The heading and the rows of the printed table, without its borders.
                    let lines =
                        text.lines().filter(|line| line.starts_with('|')).map(str::to_owned).collect();
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
        let ExampleFaults { failed, without_rows } = loaded.run_examples(before).await;
        let failure = |(operation, error): (String, EngineError)| {
            let message = format!("the operation {operation} fails on its own example: {error}");
            let remedy = "look at the tables that it reads; `parquote query` runs it alone";
            let finding = Finding::new(Level::Error, loaded.market(), message, remedy);
            Finding { operations: vec![operation], ..finding }
        };
        let loss = |operation: String| {
            let message = format!(
                "the operation {operation} answers its own example without a row, from the set now served it has some"
            );
            let remedy = "look at the keys and dates of the tables that it reads";
            let finding = Finding::new(Level::Warning, loaded.market(), message, remedy);
            Finding { operations: vec![operation], ..finding }
        };
        failed.into_iter().map(failure).chain(without_rows.into_iter().map(loss)).collect()
    }
}

/// Returns the remedy that derives all tables of a market from raw files.
pub(super) fn derive_remedy(market: Market) -> String {
    format!(
        "put what is new among the raw files, under raw/{market}, and run `parquote derive --raw raw --data DIR`: it makes \
         every table that reads it"
    )
}

/// Returns the name of a repaired file, by its index in the list of files read.
pub(super) fn repaired_name(index: usize) -> String {
    format!("mended-{index}")
}

/// Converts problems of tables to findings, with the affected operations.
pub(super) fn findings(catalogue: &Catalogue, problems: Vec<Problem>) -> Vec<Finding> {
    let finding = |problem: Problem| {
        let column = problem.column.as_deref();
        // The SQL was parsed at the start of the program, so parsing it again cannot fail.
        let operations =
            operations_that_read(catalogue, problem.market, &problem.table, column).unwrap_or_default();
        Finding::of_problem(problem, operations)
    };
    problems.into_iter().map(finding).collect()
}

/// Adds the operations that read the table to an error of a table.
fn with_operations(catalogue: &Catalogue, finding: Finding) -> Finding {
    match (finding.level, &finding.table) {
        (Level::Error, Some(table)) => {
            let operations =
                operations_that_read(catalogue, finding.market, table, finding.column.as_deref());
            Finding { operations: operations.unwrap_or_default(), ..finding }
        }
        _ => finding,
    }
}

/// Returns the plain files that belong to a table, and a warning for each name without a table. Files without a table are excluded, so that
/// no other file waits for them.
pub(super) fn split_unknown_files(
    catalogue: &Catalogue,
    market: Market,
    mut files: PlainFiles,
) -> (PlainFiles, Vec<Finding>) {
    let mut unknown = TableFiles::new();
    files.retain(|path, _| {
        let Some(part) = PlainFilePart::from_path(path) else { return false };
        let is_table = catalogue.table(market, &part.table).is_some_and(|table| !table.is_view());
        if !is_table {
            unknown.insert(part.table, Vec::new());
        }
        is_table
    });
    (files, unknown_tables(catalogue, market, &unknown))
}

/// Warns of files that are named after a table, or nearly so, but have the wrong folder or file type.
pub(super) fn misplaced_files(catalogue: &Catalogue, market: Market, paths: &[String]) -> Vec<Finding> {
    let tables: Vec<&str> = catalogue.tables_in(market).map(|table| table.name.as_str()).collect();
    let finding = |path: &String| {
        let first = path.split(['/', '.']).next()?;
        let table = parquote_catalogue::operation::misspelt(first, tables.iter().copied())?;
        let (message, remedy) = if path.strip_suffix(".parquet").is_some() {
            let message =
                format!("`{path}` is not read: it is in a folder below that of the table `{table}`");
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
    let all = paths.iter().filter_map(finding);
    // There is one warning for each table and remedy, even if the table has a thousand parts.
    let mut seen = BTreeSet::new();
    all.filter(|finding| seen.insert((finding.table.clone(), finding.remedy.clone()))).collect()
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
        let hint = parquote_catalogue::operation::hint(table, declared.iter().copied());
        let message = format!("no table of this name is declared for the market{hint}");
        let remedy = "rename the file, or declare the table under queries/tables";
        Finding::new(Level::Warning, market, message, remedy).of_table(table)
    };
    unknown.map(finding).collect()
}
