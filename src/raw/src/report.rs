//! Report on reading the raw files of a market, for people and for `report.json`.
//!
//! It only stores and formats figures. Invariant in every format: rows read = rows used + rows refused + duplicates.

use std::collections::BTreeMap;
use std::fmt;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::domain::action::Action;
use super::domain::bad_tick::BadTick;
use super::domain::jump::Jump;
use super::domain::missing_sessions::MissingSessions;
use super::figure_counts::{StatementCounts, UnusedFigures, group_digits};
use parquote_catalogue::digits::counted;

/// The report on the raw files of one market.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// The market's name.
    pub market: String,
    /// Number of sessions, with the first and the last.
    pub sessions: SessionSpan,
    /// Number of stocks with bars.
    pub symbols: u64,
    /// Number of bars of stocks.
    pub bars: u64,
    /// Benchmarks with bars.
    pub benchmarks: Vec<String>,
    /// Number of indices with bars, without benchmarks.
    pub indices: u64,
    /// Tally of the files of each format.
    pub formats: BTreeMap<String, Tally>,
    /// Rows refused, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Counts of the figures of documents that yield no row, by format.
    pub noted: BTreeMap<String, UnusedFigures>,
    /// Counts of statements; `None` without files of statements.
    pub statements: Option<StatementCounts>,
    /// Identities between figures, and the rows that break them.
    pub identities: Vec<Identity>,
    /// The first rows that differ from the row in use.
    pub differing: Vec<Difference>,
    /// Dates that have rows and are no sessions.
    pub unused_dates: Vec<UnusedDate>,
    /// Sessions of the exchange that the files lack.
    pub missing_sessions: Vec<MissingSessions>,
    /// Number of corporate actions in force that are in files.
    pub actions_given: u64,
    /// Number of corporate actions in force that restated prices imply.
    pub actions_inferred: u64,
    /// Histories continued under a new symbol.
    pub joined: Vec<JoinedSymbol>,
    /// Moves treated as splits because restated prices imply them.
    pub inferred: Vec<Action>,
    /// Moves that look like actions which no file has, and absences of more than 60 sessions: unexplained jumps and gaps, each of which
    /// starts a price segment.
    pub jumps: Vec<Jump>,
    /// Moves beyond price bands that are treated as real: they are near no split in a market without bands, or a row of actions marks them
    /// as real. Histories continue across them.
    pub real_moves: Vec<Jump>,
    /// Misprinted prices of bars, with their replacements.
    pub bad_ticks: Vec<BadTick>,
    /// Lists of index members.
    pub lists: Vec<ListUse>,
    /// Exceptions to rules, in sentences.
    pub exceptions: Vec<String>,
    /// Files of no known format.
    pub unused_files: Vec<String>,
    /// Empty files, and web-service responses without a row.
    pub empty_files: Vec<String>,
    /// Files that could not be read, or only in part.
    pub unreadable: Vec<UnreadableFile>,
    /// Files from which no row was read, each with the reason and the remedy.
    pub gave_nothing: Vec<FileNote>,
}

/// A file from which no row was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileNote {
    /// The file.
    pub file: String,
    /// The reason with the first faulty row, and the remedy.
    pub why: String,
}

/// An identity with the rows that break it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The name of its check.
    pub name: String,
    /// The rule, in one line.
    pub rule: String,
    /// Number of rows that break it, counted up to the bound of checks.
    pub rows: u64,
    /// The first of these rows.
    pub first: Vec<String>,
}

/// Number and ends of the sessions.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct SessionSpan {
    /// Number of sessions.
    pub count: u64,
    /// The first session; `None` without sessions.
    pub first: Option<NaiveDate>,
    /// The last session; `None` without sessions.
    pub last: Option<NaiveDate>,
}

/// Files and rows of a format; `read` = `kept` + `refused` + `identical` + `restated` + `differing`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Files, counting members of archives.
    pub files: u64,
    /// Rows after the headers.
    pub read: u64,
    /// Rows in use.
    pub kept: u64,
    /// Rows refused, by reason in [`Report::refused`].
    pub refused: u64,
    /// Rows that repeat the row in use.
    pub identical: u64,
    /// Rows that differ from the row in use by the factor of a split, for which a newer file restates prices.
    pub restated: u64,
    /// Rows that contradict the row in use.
    pub differing: u64,
}

/// Two rows of a symbol and day that differ.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    /// The symbol.
    pub symbol: String,
    /// The day.
    pub date: NaiveDate,
    /// File and line of the row in use.
    pub kept_at: String,
    /// Open, high, low, close and volume of the row in use.
    pub kept: String,
    /// File and line of the other row.
    pub other_at: String,
    /// Open, high, low, close and volume of the other row.
    pub other: String,
}

/// A date that is no session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct UnusedDate {
    /// The date.
    pub date: NaiveDate,
    /// Number of common stocks with a bar.
    pub stocks: u32,
    /// The median number of stocks in the sessions before it.
    pub usual: f64,
}

/// Bars of a company from the time of an older symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JoinedSymbol {
    /// The old symbol.
    pub old: String,
    /// The current symbol.
    pub new: String,
    /// The last day under the old symbol.
    pub last: NaiveDate,
    /// Number of bars under the old symbol.
    pub bars: u64,
}

/// A list of members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListUse {
    /// Name of the index.
    pub index: String,
    /// The date from which the list holds.
    pub date: NaiveDate,
    /// Origin of the date.
    pub date_from: DateFrom,
    /// Number of members.
    pub members: u64,
    /// The file.
    pub file: String,
}

parquote_catalogue::word_enum! {
    /// Origin of a list's date.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum DateFrom {
        /// The file's name or a folder; for holdings of a fund, the filing itself.
        Path = "the date in their path",
        /// The option for lists without a date.
        Option = "the date given for such lists",
        /// The last session, as the list has no date.
        LastSession = "the last session",
    }
    fn label "Returns the origin in words.";
}

/// A file that could not be read, or only in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadableFile {
    /// The file.
    pub file: String,
    /// The fault, in words.
    pub why: String,
    /// True for a read fault, which is reported only if the run allowed it: the file is damaged, truncated or cannot be opened. False for
    /// an intact file whose rows are not those that its name promises.
    pub is_fault: bool,
}

impl Tally {
    /// Returns true if every row read is accounted for.
    pub const fn adds_up(&self) -> bool {
        self.read == self.kept + self.refused + self.identical + self.restated + self.differing
    }
}

impl Report {
    /// Returns true if every row read is accounted for, in every format and by reason.
    pub fn adds_up(&self) -> bool {
        let refused: u64 = self.formats.values().map(|tally| tally.refused).sum();
        self.formats.values().all(Tally::adds_up) && refused == self.refused.values().sum::<u64>()
    }
}

/// The heading of missing sessions.
const MISSING: &str = "Sessions that the files lack, by day, with the session whose changes they concern: fetch their files \
    (`parquote fetch MARKET --since DAY --until DAY`) and derive again; until then those changes are against the close before that the \
    file of their own day says, or unknown";

/// Maximum number of lines of a section; the rest is in `report.json`.
const LINES_SHOWN: usize = 8;

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} rows break it. {}", self.name, self.rows, self.rule)?;
        self.first.iter().try_for_each(|row| writeln!(f, "      {row}"))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show_head(f)?;
        self.show_formats(f)?;
        let mut reasons: Vec<_> = self.refused.iter().collect();
        reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), *reason));
        show(f, "Refused rows", &reasons, |(reason, count)| {
            format!("{:>12}  {reason}", group_digits(**count))
        })?;
        let noted: Vec<_> = self.noted.iter().collect();
        show(f, "Figures of reports that make no row", &noted, |(format, noted)| {
            noted.format_counts(format)
        })?;
        show(f, "Statements", self.statements.as_slice(), ToString::to_string)?;
        let broken: Vec<_> = self.identities.iter().filter(|identity| identity.rows > 0).collect();
        show(f, "Rows that break an identity", &broken, |identity| {
            let named = identity.first.first().map(|row| format!(", as {row}")).unwrap_or_default();
            format!("{:>12}  {}{named}", group_digits(identity.rows), identity.name)
        })?;
        show(f, "Dates that are no sessions", &self.unused_dates, |unused| {
            let stocks = counted(unused.stocks, "stock", "stocks");
            format!("{}  {stocks}, {} are usual", unused.date, unused.usual)
        })?;
        show(f, MISSING, &self.missing_sessions, ToString::to_string)?;
        show(f, "Rows that differ from the one in use", &self.differing, |row| {
            format!(
                "{} {}  {} at {}, not {} at {}",
                row.date, row.symbol, row.kept, row.kept_at, row.other, row.other_at
            )
        })?;
        show(f, "Histories joined over a change of symbol", &self.joined, |joined| {
            format!(
                "{:>12} bars of {} until {} under {}",
                group_digits(joined.bars),
                joined.old,
                joined.last,
                joined.new
            )
        })?;
        show(f, "Splits that restated prices imply", &self.inferred, |action| {
            format!("{} {}  {}, x {:.4}", action.ex_date, action.symbol, action.action, action.factor)
        })?;
        let describe = |jump: &Jump| {
            let apart = match jump.sessions_apart {
                1 => String::new(),
                apart => format!(", {apart} sessions apart"),
            };
            let cause = if jump.is_spin_off {
                ": a demerger or spin-off; a row of actions with its factor adjusts for it"
            } else {
                ""
            };
            format!(
                "{} {}  {} after {}, x {:.3}{apart}{cause}",
                jump.date, jump.symbol, jump.open, jump.previous_close, jump.ratio
            )
        };
        show(f, "Unexplained jumps and gaps, at which a new price segment starts", &self.jumps, describe)?;
        show(f, "Large moves taken as real", &self.real_moves, describe)?;
        let title =
            "Prices far from the close before and from their own, taken as the nearest of open and close";
        show(f, title, &self.bad_ticks, ToString::to_string)?;
        show(f, "Stated exceptions", &self.exceptions, Clone::clone)?;
        show(f, "Files that could not be read, or not whole", &self.unreadable, |file| {
            format!("{}: {}", file.file, file.why)
        })?;
        show(f, "Files that gave nothing", &self.gave_nothing, |note| {
            format!("{}: {}", note.file, note.why)
        })?;
        show(f, "Empty files", &self.empty_files, Clone::clone)?;
        let unused = self.unused_by_ending();
        show(f, "Files that are not a source of this engine", &unused, |(ending, count, example)| {
            format!("{:>12}  {ending}, as {example}", group_digits(*count))
        })
    }
}

impl Report {
    fn show_head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = self.sessions;
        write!(f, "{}: {}", self.market, counted(span.count, "session", "sessions"))?;
        if let (Some(first), Some(last)) = (span.first, span.last) {
            write!(f, ", {first} to {last}")?;
        }
        let symbols = counted(self.symbols, "symbol", "symbols");
        writeln!(f, "; {symbols}, {}", counted(self.bars, "bar", "bars"))?;
        let given = counted(self.actions_given, "action", "actions");
        let inferred = group_digits(self.actions_inferred);
        let jumps = counted(self.jumps.len(), "unexplained jump or gap", "unexplained jumps and gaps");
        let real = counted(self.real_moves.len(), "large move", "large moves");
        let lists = counted(self.lists.len(), "list", "lists");
        write!(f, "{given} given, {inferred} inferred; {jumps}, {real} taken as real; {lists} of members; ")?;
        let benchmark =
            if self.benchmarks.is_empty() { "none".to_owned() } else { self.benchmarks.join(", ") };
        writeln!(f, "benchmark: {benchmark}; {}", counted(self.indices, "index", "indices"))
    }

    fn show_formats(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (read, kept, refused) = ("read", "kept", "refused");
        writeln!(
            f,
            "\n{:<30} {:>6} {read:>12} {kept:>12} {refused:>10} {:>10} {:>9} {:>9}",
            "Rows", "files", "identical", "restated", "differing"
        )?;
        for (format, tally) in &self.formats {
            writeln!(
                f,
                "  {format:<28} {:>6} {:>12} {:>12} {:>10} {:>10} {:>9} {:>9}",
                group_digits(tally.files),
                group_digits(tally.read),
                group_digits(tally.kept),
                group_digits(tally.refused),
                group_digits(tally.identical),
                group_digits(tally.restated),
                group_digits(tally.differing)
            )?;
        }
        Ok(())
    }

    /// Returns the files without a known format by extension: their number, and one of them as an example.
    fn unused_by_ending(&self) -> Vec<(&str, u64, &str)> {
        let mut by_ending: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
        for file in &self.unused_files {
            let name = file.rsplit(['/', '!']).next().unwrap_or(file);
            let ending = name.rsplit_once('.').map_or("no ending", |(_, ending)| ending);
            by_ending.entry(ending).or_insert((0, file)).0 += 1;
        }
        let mut endings: Vec<_> =
            by_ending.into_iter().map(|(ending, (count, example))| (ending, count, example)).collect();
        endings.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        endings
    }
}

/// Joins the first eight items, and adds `, ...` if there are more.
pub(crate) fn examples(items: &[String], separator: &str) -> String {
    const MAX_EXAMPLES: usize = 8;
    let more = if items.len() > MAX_EXAMPLES { ", ..." } else { "" };
    items.get(..MAX_EXAMPLES).unwrap_or(items).join(separator) + more
}

/// Shows a section with a heading; an empty section is left out.
fn show<T>(
    f: &mut fmt::Formatter<'_>,
    heading: &str,
    rows: &[T],
    line: impl Fn(&T) -> String,
) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{heading}")?;
    for row in rows.iter().take(LINES_SHOWN) {
        writeln!(f, "  {}", line(row))?;
    }
    if let Some(more) = rows.len().checked_sub(LINES_SHOWN).filter(|more| *more > 0) {
        writeln!(f, "  and {} more", group_digits(more as u64))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_row_is_noticed() {
        let whole =
            Tally { files: 1, read: 10, kept: 5, refused: 2, identical: 1, restated: 1, differing: 1 };
        assert!(whole.adds_up());
        let mut report = Report::default();
        report.formats.insert("prices".into(), whole);
        assert!(!report.adds_up(), "refused rows need their reasons");
        report.refused.insert("bad date".into(), 2);
        assert!(report.adds_up());
        report.formats.insert("prices".into(), Tally { kept: 4, ..whole });
        assert!(!report.adds_up());
    }
}
