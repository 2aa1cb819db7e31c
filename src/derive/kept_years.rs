//! Which calendar years of a table stay as the set before has them: those whose stamps are the same; and which tables in one
//! file do.
//!
//! Of every table there are two stamps a year: of all that its rows are made from, and of the same but the bars. Where only
//! the second stands and few stocks have other bars than before, the rows of those stocks are replaced in the year's file.
//!
//! A table in one file that is made of tables has one stamp, of the contents of those: what was made again and came out the
//! same changes nothing behind it.
//!
//! A table made by company has a stamp of its rules beside that: where they stand and something else is known than before of few
//! companies, as their digests say, the rows of those are replaced in its file.
//!
//! It knows the stamps of every table that is made so far; it reads rows only to stamp small tables and to compare digests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;

use super::error::DeriveError;
use super::fingerprint;
use super::published::Published;
use super::raw::Session;
use super::stamps::{self, Years};
use super::year_plan::{ONE_FILE, RULES, STAMP, Stamps, YearPlan, years};
use crate::operation::{Market, Per, Table};

/// Stocks with other bars than before that are always few enough to be replaced.
const FEW: usize = 10;
/// More than one in so many stocks are too many: all is made anew.
const ONE_IN: usize = 20;
/// The same of companies, whose rows are fewer.
const COMPANY_IN: usize = 4;
/// What the digests of companies are of: what else a table made by company reads is the same for all of them.
const DIGESTED: [&str; 3] = ["statement_lines", "statements_known", "corporate_actions"];

/// What is known of a set in the making and of the one before it.
pub(super) struct KeptYears {
    market: Market,
    sessions: Vec<Session>,
    /// The set in the making.
    folder: PathBuf,
    /// The set that is there; none where every year is to be made anew.
    before: Option<Published>,
    stamps: BTreeMap<String, Stamps>,
    /// By table in one file: the stamp of its rows.
    contents: BTreeMap<String, String>,
    /// The stocks whose bars of closed years are not those of the set before; `None` where they are too many or unknown.
    changed: Option<Arc<BTreeSet<String>>>,
    /// The companies of whose statements something else is known than before; `None` as above.
    companies: Option<Arc<BTreeSet<String>>>,
}

impl KeptYears {
    pub(super) fn new(
        market: Market,
        sessions: Vec<Session>,
        folder: PathBuf,
        before: Option<Published>,
    ) -> Self {
        Self {
            market,
            sessions,
            folder,
            before,
            stamps: BTreeMap::new(),
            contents: BTreeMap::new(),
            changed: None,
            companies: None,
        }
    }

    /// Says what a table is made from that is not read from files.
    pub(super) fn stamped(&mut self, name: &str, stamps: Stamps) {
        self.stamps.insert(name.to_owned(), stamps);
    }

    /// Finds the stocks whose bars are not those of the set before, by the digests of both.
    ///
    /// # Errors
    /// Digests that cannot be read.
    pub(super) fn compare(&mut self, digests: &Table, now: &RecordBatch) -> Result<(), DeriveError> {
        let Some(before) = self.before.as_ref().and_then(|before| before.small(digests)) else {
            return Ok(());
        };
        let before = before?;
        let closed = years(&self.sessions).into_iter().rev().nth(1).unwrap_or(i32::MIN);
        let (before, now) = (newest(&before, closed), newest(now, closed));
        self.changed = few_that_differ(&before, &now, ONE_IN);
        Ok(())
    }

    /// The same of companies, by the digests of what is known of their statements.
    ///
    /// # Errors
    /// Digests that cannot be read.
    pub(super) fn compare_companies(
        &mut self,
        digests: &Table,
        now: &RecordBatch,
    ) -> Result<(), DeriveError> {
        let Some(before) = self.before.as_ref().and_then(|before| before.small(digests)) else {
            return Ok(());
        };
        let before = before?;
        let (before, now) = (known(&before), known(now));
        self.companies = few_that_differ(&before, &now, COMPANY_IN);
        Ok(())
    }

    /// The companies whose rows of tables made by company are made anew; `None` where all are.
    pub(super) fn companies(&self) -> Option<Arc<BTreeSet<String>>> {
        self.companies.clone()
    }

    /// The stocks whose rows of closed years are made anew.
    pub(super) fn changed(&self) -> Arc<BTreeSet<String>> {
        self.changed.clone().unwrap_or_default()
    }

    /// Decides what of a table that reads these others stays, and takes the files of those years over where it has one a year.
    ///
    /// # Errors
    /// Files that cannot be read or linked.
    pub(super) fn plan(&mut self, table: &Table, reads: &[&Table]) -> Result<YearPlan, DeriveError> {
        for read in reads {
            self.stamp_small(read)?;
        }
        let stamps = self.of_table(table, reads.iter().map(|read| read.name.as_str()));
        self.with_stamps(table, stamps)
    }

    /// The same for a long table of rows that are not a table.
    ///
    /// # Errors
    /// As [`KeptYears::plan`].
    pub(super) fn plan_source(&mut self, table: &Table, read: &str) -> Result<YearPlan, DeriveError> {
        let stamps = self.of_table(table, std::iter::once(read));
        self.with_stamps(table, stamps)
    }

    /// Decides whether a table in one file that is made of tables stays, and takes it over then: it is kept.
    ///
    /// # Errors
    /// A file that cannot be linked.
    pub(super) fn plan_one_file(&mut self, table: &Table, reads: &[&Table]) -> Result<YearPlan, DeriveError> {
        let stamped: Option<Vec<_>> = reads.iter().map(|read| Some((*read, self.all_rows(read)?))).collect();
        let Some(stamped) = stamped else { return Ok(YearPlan::default()) };
        let stamp = fingerprint::of_inputs(table, self.market, &stamped, &self.sessions);
        self.with_one_stamp(table, stamp)
    }

    /// The same for a table in one file of rows with this stamp, that are no table.
    ///
    /// # Errors
    /// As [`KeptYears::plan_one_file`].
    pub(super) fn plan_one_file_source(&self, table: &Table, rows: String) -> Result<YearPlan, DeriveError> {
        let stamp = fingerprint::of_inputs(table, self.market, &[(table, rows)], &self.sessions);
        self.with_one_stamp(table, stamp)
    }

    /// The same for a table made by company: where little is known anew, the rows of those companies are replaced in its file.
    ///
    /// # Errors
    /// As [`KeptYears::plan_one_file`].
    pub(super) fn plan_by_company(
        &mut self,
        table: &Table,
        reads: &[&Table],
    ) -> Result<YearPlan, DeriveError> {
        let mut plan = self.plan_one_file(table, reads)?;
        let digested =
            |read: &Table| read.per == Some(Per::Company) || DIGESTED.contains(&read.name.as_str());
        let rows = |read: &&Table| if digested(read) { Some(String::new()) } else { self.contents_of(read) };
        let rules: Option<Vec<_>> = reads.iter().map(|read| Some((*read, rows(read)?))).collect();
        let rules = rules.map(|rules| fingerprint::of_inputs(table, self.market, &rules, &[]));
        let Some(rules) = rules else { return Ok(plan) };
        plan.stamps.rules.insert(ONE_FILE, rules.clone());
        if let (Some(before), Some(companies)) = (&self.before, &self.companies)
            && plan.kept.is_empty()
            && let Some((note, _)) = before.note(table, RULES)
            && stamps::read(&note).get(&ONE_FILE) == Some(&rules)
        {
            plan.patched.insert(ONE_FILE, before.file(table));
            plan.changed = Arc::clone(companies);
        }
        Ok(plan)
    }

    fn with_one_stamp(&self, table: &Table, stamp: String) -> Result<YearPlan, DeriveError> {
        let mut plan = YearPlan::default();
        if let Some(before) = &self.before
            && let Some((_, rows)) = before.note(table, STAMP).filter(|(found, _)| *found == stamp)
        {
            before.take_over(table, &self.folder)?;
            plan.kept.insert(ONE_FILE, rows);
        }
        plan.stamps.whole.insert(ONE_FILE, stamp);
        Ok(plan)
    }

    /// A stamp of all rows of a table that is made already: of a long one by what its years are made from.
    fn all_rows(&mut self, table: &Table) -> Option<String> {
        if table.yearly {
            let whole = &self.stamps.get(&table.name)?.whole;
            return (whole.len() == years(&self.sessions).len()).then(|| stamps::of_years(whole));
        }
        if !self.contents.contains_key(&table.name) {
            self.contents.insert(table.name.clone(), self.contents_of(table)?);
        }
        self.contents.get(&table.name).cloned()
    }

    /// The stamp of the rows of a table in one file that is made already.
    fn contents_of(&self, table: &Table) -> Option<String> {
        let known = self.contents.get(&table.name).cloned();
        known.or_else(|| Published::at(&self.folder, self.market).contents(table))
    }

    fn with_stamps(&mut self, table: &Table, stamps: Stamps) -> Result<YearPlan, DeriveError> {
        let mut plan = YearPlan { stamps, changed: self.changed(), ..YearPlan::default() };
        match &self.before {
            Some(before) if table.yearly => self.plan_years(table, before, &mut plan)?,
            Some(before) if self.changed.is_some() => {
                let note = before.note(table, RULES);
                let found = note.map(|(note, _)| stamps::read(&note)).unwrap_or_default();
                let standing =
                    plan.stamps.rules.iter().filter(|(year, stamp)| found.get(year) == Some(stamp));
                plan.kept = standing.map(|(year, _)| (*year, 0)).collect();
            }
            _ => {}
        }
        self.stamps.insert(table.name.clone(), plan.stamps.clone());
        Ok(plan)
    }

    fn plan_years(&self, table: &Table, before: &Published, plan: &mut YearPlan) -> Result<(), DeriveError> {
        let last = plan.stamps.whole.keys().next_back().copied();
        for (year, whole) in &plan.stamps.whole {
            let Some(([found_whole, found_rules], rows)) = before.year(table, *year, [STAMP, RULES]) else {
                continue;
            };
            if found_whole.as_ref() == Some(whole) {
                before.take_over_year(table, *year, &self.folder)?;
                plan.kept.insert(*year, rows);
            } else if table.per == Some(Per::Symbol)
                && self.changed.is_some()
                && Some(*year) < last
                && found_rules.is_some()
                && found_rules.as_ref() == plan.stamps.rules.get(year)
            {
                plan.patched.insert(*year, before.year_file(table, *year));
            }
        }
        Ok(())
    }

    /// The stamps of a table; none where something that it reads has none.
    fn of_table<'a>(&self, table: &Table, reads: impl Iterator<Item = &'a str>) -> Stamps {
        let reads: Option<Vec<_>> = reads.map(|name| Some((name, self.stamps.get(name)?))).collect();
        let Some(reads) = reads else { return Stamps::default() };
        let of = |kind: fn(&Stamps) -> &Years| {
            let reads: Vec<(&str, &Years)> =
                reads.iter().map(|(name, stamps)| (*name, kind(stamps))).collect();
            fingerprint::of_years(table, self.market, &reads, &self.sessions)
        };
        Stamps { whole: of(|stamps| &stamps.whole), rules: of(|stamps| &stamps.rules) }
    }

    /// Stamps a table in one file that is made already.
    fn stamp_small(&mut self, table: &Table) -> Result<(), DeriveError> {
        let made = Published::at(&self.folder, self.market);
        if table.yearly || self.stamps.contains_key(&table.name) {
            return Ok(());
        }
        let Some(rows) = made.small(table) else { return Ok(()) };
        let years = years(&self.sessions).into_iter();
        let stamps = stamps::of_rows(table, &rows?, years).map_err(DeriveError::rows(&table.name))?;
        self.stamped(&table.name, Stamps { whole: stamps.clone(), rules: stamps });
        Ok(())
    }
}

/// The symbols whose digests differ, where they are few enough to be made apart: one in so many, or a handful.
fn few_that_differ(
    before: &BTreeMap<&str, i64>,
    now: &BTreeMap<&str, i64>,
    one_in: usize,
) -> Option<Arc<BTreeSet<String>>> {
    let differs = |symbol: &&&str| before.get(**symbol) != now.get(**symbol);
    let changed: BTreeSet<String> =
        before.keys().chain(now.keys()).filter(differs).map(|symbol| (*symbol).to_owned()).collect();
    (changed.len() <= FEW.max(now.len() / one_in)).then(|| Arc::new(changed))
}

/// Each company's digest of what is known of its statements.
fn known(digests: &RecordBatch) -> BTreeMap<&str, i64> {
    let symbols = digests.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
    let known = digests.column_by_name("known").and_then(|column| column.as_primitive_opt::<Int64Type>());
    let columns = symbols.zip(known).into_iter();
    columns
        .flat_map(|(symbols, known)| symbols.iter().flatten().zip(known.values().iter().copied()))
        .collect()
}

/// Each symbol's digest of its bars up to a year's end.
fn newest(digests: &RecordBatch, up_to: i32) -> BTreeMap<&str, i64> {
    digests_in(digests)
        .filter(|(_, year, _)| *year <= up_to)
        // Years ascend within a symbol, so the newest stays.
        .map(|(symbol, _, digest)| (symbol, digest))
        .collect()
}

/// The rows of a batch of digests.
pub(super) fn digests_in(rows: &RecordBatch) -> impl Iterator<Item = (&str, i32, i64)> {
    let symbols = rows.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
    let number =
        |name: &str| rows.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
    let columns = symbols.zip(number("year")).zip(number("digest"));
    columns.into_iter().flat_map(|((symbols, years), digests)| {
        let rows = symbols.iter().flatten().zip(years.values()).zip(digests.values());
        rows.map(|((symbol, year), digest)| (symbol, i32::try_from(*year).unwrap_or_default(), *digest))
    })
}
