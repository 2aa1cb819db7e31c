//! Compares a candidate with the served set: tables that shrank, went back or lost values, and symbols without a company.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::finding::{Finding, Level};
use parquote_catalogue::digits::counted;
use parquote_catalogue::operation::Market;
use parquote_engine::{MarketSnapshot, TableProfile};

/// Largest share of lost rows that causes no finding.
const LOSS_WITHOUT_FINDING: f64 = 0.1;
/// Largest share of lost rows that causes no refusal.
const LOSS_WITHOUT_REFUSAL: f64 = 0.5;
/// Tables with fewer rows than this, such as the deals of a day, may lose any share of them.
const FEW_ROWS: u64 = 20;
/// Largest rise of a column's share of nulls that causes no finding.
const MOST_NULLS_GAINED: f64 = 0.2;
/// Largest increases in the share of symbols without a company that cause no finding, and no refusal.
const UNKNOWN_SYMBOL_RISES: [f64; 2] = [0.02, 0.5];
/// Maximum number of symbols or sessions that a finding lists.
const MOST_NAMED: usize = 5;

/// The inputs and findings of a comparison.
pub(super) struct Comparison<'a> {
    market: Market,
    before: Option<(&'a MarketSnapshot, BTreeMap<String, TableProfile>)>,
    now: (&'a MarketSnapshot, BTreeMap<String, TableProfile>),
    findings: Vec<Finding>,
}

/// Compares a candidate with the calendar, and with the served set if there is one.
pub(super) fn compare(
    before: Option<&MarketSnapshot>,
    now: &MarketSnapshot,
    today: NaiveDate,
) -> Vec<Finding> {
    let before = before.filter(|before| !before.is_empty()).map(|before| (before, before.profiles()));
    let mut comparison =
        Comparison { market: now.market(), before, now: (now, now.profiles()), findings: Vec::new() };
    comparison.find_future_sessions(today);
    comparison.find_unknown_symbols();
    comparison.find_missing_sessions();
    comparison.compare_tables();
    comparison.findings
}

impl Comparison<'_> {
    fn add_finding(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    fn finding(&self, level: Level, message: String, remedy: &str) -> Finding {
        Finding::new(level, self.market, message, remedy)
    }

    /// Finds sessions after today.
    fn find_future_sessions(&mut self, today: NaiveDate) {
        let late: Vec<(String, NaiveDate)> = self
            .now
            .1
            .iter()
            .filter_map(|(name, profile)| Some((name.clone(), profile.sessions?.1)))
            .filter(|(_, last)| *last > today)
            .collect();
        for (table, last) in late {
            let message = format!("it has a session on {last}, which is after today ({today})");
            let remedy = "correct the dates; a session cannot be known before it has been";
            self.add_finding(self.finding(Level::Error, message, remedy).of_table(&table));
        }
    }

    /// Finds symbols that are not in `companies`.
    fn find_unknown_symbols(&mut self) {
        let companies = |profiles: &BTreeMap<String, TableProfile>| -> Option<BTreeSet<String>> {
            profiles.get("companies")?.symbols.clone()
        };
        let Some(known) = companies(&self.now.1) else { return };
        let share = |profile: &TableProfile, known: &BTreeSet<String>| {
            let symbols = profile.symbols.as_ref()?;
            let unknown: Vec<&String> = symbols.difference(known).collect();
            let share = unknown.len() as f64 / symbols.len().max(1) as f64;
            let first_symbols =
                unknown.iter().take(MOST_NAMED).map(|symbol| (*symbol).clone()).collect::<Vec<_>>();
            Some((share, unknown.len(), first_symbols))
        };
        let mut findings = Vec::new();
        for (table, profile) in &self.now.1 {
            let Some((now, count, first_symbols)) = share(profile, &known) else { continue };
            let before = self.before.as_ref().and_then(|(_, before)| {
                share(before.get(table)?, &companies(before)?).map(|(share, ..)| share)
            });
            // Some tables also contain symbols that are no companies, so only the increase over the served set counts.
            let more = now - before.unwrap_or_default();
            let [unreported, allowed] = UNKNOWN_SYMBOL_RISES;
            if more <= unreported {
                continue;
            }
            let level = if more > allowed && before.is_some() { Level::Error } else { Level::Warning };
            let of_all = format!("of its symbols ({:.0} %)", now * 100.0);
            let message =
                counted(count, &format!("{of_all} is of no company"), &format!("{of_all} are of no company"));
            let remedy = "put `companies` of the same day beside it";
            findings.push(
                self.finding(level, message, remedy).of_table(table).of_rows(count as u64, first_symbols),
            );
        }
        self.findings.extend(findings);
    }

    /// Finds sessions of the previous set that are missing.
    fn find_missing_sessions(&mut self) {
        let Some((before, _)) = &self.before else { return };
        let (previous, current) = (before.sessions(), self.now.0.sessions());
        if let (Some(previous), Some(current)) = (previous.last(), current.last())
            && current < previous
        {
            let message = format!("its last session is {current}, that of the set now served is {previous}");
            let remedy = "put the newer files there; to go back on purpose, `parquote rollback`";
            let finding = self.finding(Level::Error, message, remedy).of_table("sessions");
            return self.add_finding(finding);
        }
        let current: BTreeSet<NaiveDate> = current.into_iter().collect();
        let gone: Vec<NaiveDate> = previous.into_iter().filter(|day| !current.contains(day)).collect();
        if !gone.is_empty() {
            let message = format!(
                "{} of the set now served {} gone",
                counted(gone.len(), "session", "sessions"),
                if gone.len() == 1 { "is" } else { "are" }
            );
            let remedy =
                "put the missing days back; to leave them out on purpose, `parquote publish --force`";
            let first_sessions = gone.iter().take(MOST_NAMED).map(NaiveDate::to_string).collect();
            let finding = self.finding(Level::Error, message, remedy).of_table("sessions");
            self.add_finding(finding.of_rows(gone.len() as u64, first_sessions));
        }
    }

    /// Finds tables that are missing, shorter, or have fewer values than before.
    fn compare_tables(&mut self) {
        let Some((_, before)) = &self.before else { return };
        let mut findings = Vec::new();
        for (table, previous) in before {
            match self.now.1.get(table) {
                None => {
                    let message = "the set now served has this table, the new one lacks it".to_owned();
                    let remedy = format!(
                        "put its file back, which the set now served has below files/{table}; to take the table away on \
                         purpose, `parquote publish --force`"
                    );
                    findings.push(self.finding(Level::Error, message, &remedy).of_table(table));
                }
                Some(current) => {
                    findings.extend(self.find_shorter_table(table, previous, current));
                    findings.extend(self.find_changed_keys(table, previous, current));
                    findings.extend(self.find_late_table(table, previous, current));
                    findings.extend(self.find_missing_columns(table, previous, current));
                    findings.extend(self.find_emptier_columns(table, previous, current));
                }
            }
        }
        self.findings.extend(findings);
    }

    fn find_shorter_table(
        &self,
        table: &str,
        previous: &TableProfile,
        current: &TableProfile,
    ) -> Option<Finding> {
        let gone = 1.0 - current.rows as f64 / previous.rows.max(1) as f64;
        if current.rows >= previous.rows || gone <= LOSS_WITHOUT_FINDING {
            return None;
        }
        let is_most = gone > LOSS_WITHOUT_REFUSAL && previous.rows >= FEW_ROWS;
        let level = if is_most { Level::Error } else { Level::Warning };
        let message = format!("it has {} rows, in the set now served it has {}", current.rows, previous.rows);
        let remedy = "look whether it was written whole; if it is meant to be so, `parquote publish --force`";
        Some(self.finding(level, message, remedy).of_table(table))
    }

    /// Finds a table with the same sessions and no fewer rows, but with other keys.
    fn find_changed_keys(
        &self,
        table: &str,
        previous: &TableProfile,
        current: &TableProfile,
    ) -> Option<Finding> {
        let (before, now) = (previous.keys.as_ref()?, current.keys.as_ref()?);
        let gone = before.difference(now).count();
        let share = gone as f64 / before.len().max(1) as f64;
        if previous.sessions != current.sessions
            || previous.rows < FEW_ROWS
            || current.rows < previous.rows
            || share <= LOSS_WITHOUT_FINDING
        {
            return None;
        }
        let message = format!("{gone} of the {} keys of the set now served are gone from it", before.len());
        let remedy = "look whether a column of its key was shifted or spelled otherwise, such as dates of another time zone";
        Some(self.finding(Level::Warning, message, remedy).of_table(table).of_rows(gone as u64, Vec::new()))
    }

    /// Finds a table that ended with the market's last session and now ends earlier: its files are from another day than the rest.
    fn find_late_table(
        &self,
        table: &str,
        previous: &TableProfile,
        current: &TableProfile,
    ) -> Option<Finding> {
        let (previous_market_end, market_end) = (self.before.as_ref()?.0.as_of()?, self.now.0.as_of()?);
        let (previous_table_end, table_end) = (previous.sessions?.1, current.sessions?.1);
        if previous_table_end != previous_market_end || table_end >= market_end {
            return None;
        }
        let message =
            format!("it ends with {table_end}, the market with {market_end}: it mixes files of two days");
        let remedy = "wait until the files of all tables have arrived, or put the missing ones there";
        Some(self.finding(Level::Error, message, remedy).of_table(table))
    }

    /// Finds columns that all files had and that are missing now: a nullable column may be absent, but these were renamed or left out.
    fn find_missing_columns(
        &self,
        table: &str,
        previous: &TableProfile,
        current: &TableProfile,
    ) -> Vec<Finding> {
        let columns = current.missing_columns.difference(&previous.missing_columns).map(|column| {
            let message = format!("the column `{column}` is missing; the set now served has it");
            let remedy =
                "write the file again with this column; to leave it out on purpose, `parquote publish --force`";
            let finding = self.finding(Level::Error, message, remedy).of_table(table);
            Finding { column: Some(column.clone()), ..finding }
        });
        columns.collect()
    }

    fn find_emptier_columns(
        &self,
        table: &str,
        previous: &TableProfile,
        current: &TableProfile,
    ) -> Vec<Finding> {
        let columns = previous.nulls.iter().filter_map(|(column, previous)| {
            let current = *current.nulls.get(column)?;
            if current - previous <= MOST_NULLS_GAINED {
                return None;
            }
            let message = format!(
                "the column `{column}` is null in {:.0} % of the rows, in the set now served in {:.0} %",
                current * 100.0,
                previous * 100.0
            );
            let remedy = "look whether its figures were lost on the way";
            let finding = self.finding(Level::Warning, message, remedy).of_table(table);
            Some(Finding { column: Some(column.clone()), ..finding })
        });
        columns.collect()
    }
}
