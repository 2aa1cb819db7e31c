//! The ledger of a market: an append-only file of the picks of its scans, `<root>/ledger/<market>.jsonl`.
//!
//! A line is a JSON object. Its last field is the BLAKE3 hash of all bytes in front of that field. These include the hash of the previous
//! line, so that the hash of the last line, the *head*, proves all lines. A line records the changes of the scans since the previous line;
//! a session whose scans did not change has a line without changes. A line for the same session as the previous line, by the same formulas,
//! is a *correction*. Lines are never modified; only an incomplete line at the end, which a crash left, is cut by the next append.
//!
//! The ledger of a saved screen, or of the committees of a model, has the same lines, in the state of a server. Its first line continues a
//! hash of its name and its owner.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use super::disk::{Disk as _, SystemDisk};
use super::error::SetError;
use super::home::Home;
use super::layout::LEDGER;
use parquote_catalogue::operation::Market;

/// Closes of stocks, by scan and symbol.
pub type ScanPicks = BTreeMap<String, BTreeMap<String, f64>>;

/// The text between the hashed bytes of a line and their hash.
const HASH_FIELD: &str = ",\"hash\":\"";
/// The text after the hash.
const LINE_END: &str = "\"}";

/// A line of a ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerEntry {
    /// The market, so that the ledger of one market is not continued by another.
    pub market: Market,
    /// The number of the line, from 1.
    pub entry: u64,
    /// Hash of the previous line. In the first line it is empty, or the hash of the ledger's name for a ledger without a file.
    pub previous: String,
    /// Time of the append.
    pub at: DateTime<Utc>,
    /// The session whose scans the line records.
    pub session: NaiveDate,
    /// Names and versions of the formulas of the scans.
    pub formulas: String,
    /// The stocks that the line adds, each with its close, not adjusted for later splits.
    pub entered: ScanPicks,
    /// The stocks that the line removes, by scan.
    pub left: BTreeMap<String, BTreeSet<String>>,
    /// The language model that picked; `None` for rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<LedgerModel>,
}

/// A language model, as its provider declares it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerModel {
    /// Name of the provider.
    pub provider: String,
    /// Name of the model.
    pub model: String,
    /// The day up to which it was trained; `None` if that is unknown.
    pub trained_until: Option<NaiveDate>,
    /// All picks of the run, the best first; empty for a verdict on one stock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranked: Vec<String>,
}

/// The verdict of a model on one stock, or on those that it picked.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelVerdict {
    /// The last session that it saw.
    pub session: NaiveDate,
    /// Time of the verdict.
    pub at: DateTime<Utc>,
    /// The data that it saw.
    pub formulas: String,
    /// The verdict, or the name of the preset that picked.
    pub verdict: String,
    /// Closes of the stocks in that session, by symbol.
    pub stocks: BTreeMap<String, f64>,
    /// The model.
    pub model: LedgerModel,
}

impl LedgerEntry {
    /// Returns true if the picks count in figures: those of rules, and those of a model on data after the day up to which it was trained.
    pub fn is_scored(&self) -> bool {
        let is_after = |until: NaiveDate| self.session > until;
        self.model.as_ref().is_none_or(|model| model.trained_until.is_some_and(is_after))
    }
}

/// A stock in a scan, as recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerPick {
    /// Symbol of the stock.
    pub symbol: String,
    /// Name of the scan.
    pub scan: String,
    /// The session in which it was first recorded.
    pub entered_on: NaiveDate,
    /// The close of the stock in that session.
    pub close: f64,
    /// The number of the line that added it.
    pub entry: u64,
    /// The session of the line that removed the stock: `entered_on` if a correction of that session did. `None` while it is in the scan.
    pub left_on: Option<NaiveDate>,
}

/// The stocks that entered scans, and those that left them.
type ScanChanges = (ScanPicks, BTreeMap<String, BTreeSet<String>>);

/// A line that is not written yet.
struct NextLine {
    entry: LedgerEntry,
    hash: String,
    /// Its bytes, with the end of line.
    text: String,
}

/// A verified ledger.
#[derive(Debug)]
pub struct Ledger {
    market: Market,
    path: PathBuf,
    /// The hash that the first line continues; empty for a ledger in a file.
    origin: String,
    /// The lines, each with its hash.
    lines: Vec<(LedgerEntry, String)>,
    /// Bytes of all complete lines.
    complete_bytes: u64,
    /// Bytes of an incomplete line after the complete ones.
    torn_bytes: u64,
}

impl Ledger {
    /// Creates a ledger without lines; its file is written by the first append.
    pub fn begin(home: &Home, market: Market) -> Self {
        let path = home.root().join(LEDGER).join(format!("{market}.jsonl"));
        Self { market, path, origin: String::new(), lines: Vec::new(), complete_bytes: 0, torn_bytes: 0 }
    }

    /// Verifies the text of a ledger without a file of its own, in whole lines. Errors name the ledger by `name`. The first line continues
    /// the hash of `name`, so that the text of one ledger is not valid under the name of another.
    ///
    /// # Errors
    /// A line that is damaged or incomplete, or does not continue the previous one.
    pub fn parse(market: Market, name: &str, text: &str) -> Result<Self, SetError> {
        let origin = blake3::hash(name.as_bytes()).to_hex().to_string();
        let (path, lines) = (PathBuf::from(name), Vec::new());
        let mut ledger = Self { market, path, origin, lines, complete_bytes: 0, torn_bytes: 0 };
        ledger.parse_lines(text.as_bytes())?;
        if ledger.torn_bytes > 0 {
            return Err(ledger.fault_error("it is incomplete".to_owned()));
        }
        Ok(ledger)
    }

    /// Reads and verifies the ledger of a market; `None` if there is no file.
    ///
    /// # Errors
    /// A file that cannot be read, or a line that is damaged or does not continue the previous one.
    pub fn read(home: &Home, market: Market) -> Result<Option<Self>, SetError> {
        let mut ledger = Self::begin(home, market);
        let bytes = match fs::read(&ledger.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(SetError::file(&ledger.path, "read")(error)),
        };
        ledger.parse_lines(&bytes)?;
        Ok(Some(ledger))
    }

    /// Reads and verifies all lines.
    fn parse_lines(&mut self, bytes: &[u8]) -> Result<(), SetError> {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(at);
            let line = self.parse_next(line).map_err(|why| self.fault_error(why))?;
            self.lines.push(line);
            rest = after.get(1..).unwrap_or_default();
        }
        self.torn_bytes = rest.len() as u64;
        self.complete_bytes = bytes.len() as u64 - self.torn_bytes;
        // A crash leaves the beginning of a line, never a whole line followed by other bytes.
        let is_line = |part: &[u8]| part.ends_with(LINE_END.as_bytes()) && self.parse_next(part).is_ok();
        if (0..rest.len()).any(|at| rest.get(..at).is_some_and(is_line)) {
            return Err(self.fault_error("its end of line is damaged".to_owned()));
        }
        Ok(())
    }

    /// The lines, each with its hash, oldest first.
    pub fn lines(&self) -> &[(LedgerEntry, String)] {
        &self.lines
    }

    /// The hash of the last line; without lines the one that the first line continues.
    pub fn head(&self) -> &str {
        self.lines.last().map_or(self.origin.as_str(), |(_, hash)| hash.as_str())
    }

    /// The path of the file, which need not exist.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes after the last complete line, which the next append cuts.
    pub const fn torn_bytes(&self) -> u64 {
        self.torn_bytes
    }

    /// Returns the picks of the lines for sessions before a day, or of all lines, ordered by symbol, scan, session and line.
    pub fn picks(&self, before: Option<NaiveDate>) -> Vec<LedgerPick> {
        let mut current: BTreeMap<(&str, &str), LedgerPick> = BTreeMap::new();
        let mut picks = Vec::new();
        let is_wanted = |line: &LedgerEntry| before.is_none_or(|day| line.session < day);
        for (line, _) in self.lines.iter().take_while(|(line, _)| is_wanted(line)) {
            let left =
                line.left.iter().flat_map(|(scan, stocks)| stocks.iter().map(move |symbol| (scan, symbol)));
            for (scan, symbol) in left {
                let pick = current.remove(&(scan.as_str(), symbol.as_str()));
                picks.extend(pick.map(|pick| LedgerPick { left_on: Some(line.session), ..pick }));
            }
            let entered =
                line.entered.iter().flat_map(|(scan, stocks)| stocks.iter().map(move |stock| (scan, stock)));
            for (scan, (symbol, close)) in entered {
                let pick = LedgerPick {
                    symbol: symbol.clone(),
                    scan: scan.clone(),
                    entered_on: line.session,
                    close: *close,
                    entry: line.entry,
                    left_on: None,
                };
                // A corrected close replaces the one that was recorded for the same session.
                let replaced = current.insert((scan.as_str(), symbol.as_str()), pick);
                picks.extend(replaced.map(|pick| LedgerPick { left_on: Some(line.session), ..pick }));
            }
        }
        picks.extend(current.into_values());
        picks.sort_by(|a, b| {
            (&a.symbol, &a.scan, a.entered_on, a.entry).cmp(&(&b.symbol, &b.scan, b.entered_on, b.entry))
        });
        picks
    }

    /// Checks that the ledger still has a line that a published set refers to, by its number and hash.
    ///
    /// # Errors
    /// The line is missing or has another hash.
    pub fn check_continues(&self, number: u64, hash: &str) -> Result<(), SetError> {
        if self.lines.iter().any(|(line, line_hash)| line.entry == number && line_hash == hash) {
            return Ok(());
        }
        let why = format!("the newest set knows line {number} with the hash {hash}, which this file lacks");
        Err(self.fault_error_at(number, why))
    }

    /// Appends a line for a session that is later than that of the last line, or the same with other picks or formulas than the
    /// recorded ones. An earlier session is not recorded. Returns true if a line was written.
    ///
    /// # Errors
    /// The file cannot be written, or another process wrote to it; the file is then unchanged, or ends with an incomplete line.
    pub fn append(
        &mut self,
        session: NaiveDate,
        at: DateTime<Utc>,
        formulas: &str,
        picks: &ScanPicks,
    ) -> Result<bool, SetError> {
        let last = self.lines.last().map(|(line, _)| (line.session, line.formulas.clone()));
        if last.as_ref().is_some_and(|(last, _)| session < *last) {
            return Ok(false);
        }
        let changes = self.changes(session, picks);
        let is_recorded = last.is_some_and(|(last, by)| last == session && by == formulas);
        if is_recorded && changes.0.is_empty() && changes.1.is_empty() {
            return Ok(false);
        }
        let entry = self.next_entry(session, at, formulas, changes);
        let NextLine { entry, hash, text } = self.next_line(entry)?;
        self.write(text.as_bytes()).map_err(SetError::file(&self.path, "appended to"))?;
        self.complete_bytes += text.len() as u64;
        self.torn_bytes = 0;
        self.lines.push((entry, hash));
        Ok(true)
    }

    /// Returns the text of the next line, for a ledger without a file of its own; `None` if the last line is of this session or of a later
    /// session.
    ///
    /// # Errors
    /// A line that cannot be written as text.
    pub fn line_after(
        &self,
        session: NaiveDate,
        at: DateTime<Utc>,
        formulas: &str,
        picks: &ScanPicks,
    ) -> Result<Option<String>, SetError> {
        if self.lines.last().is_some_and(|(last, _)| session <= last.session) {
            return Ok(None);
        }
        let entry = self.next_entry(session, at, formulas, self.changes(session, picks));
        Ok(Some(self.next_line(entry)?.text))
    }

    /// Returns the text of the line with a verdict, for a ledger without a file of its own; `None` if the ledger has a verdict on each
    /// stock in this session. The session may be before that of the last line: a run that takes longer sees older data.
    ///
    /// # Errors
    /// A line that cannot be written as text.
    pub fn verdict_line(&self, verdict: ModelVerdict) -> Result<Option<String>, SetError> {
        let ModelVerdict { session, at, formulas, verdict, mut stocks, model } = verdict;
        let lines = self.lines.iter().map(|(line, _)| line).filter(|line| line.session == session);
        for recorded in lines.flat_map(|line| line.entered.values()) {
            stocks.retain(|symbol, _| !recorded.contains_key(symbol));
        }
        if stocks.is_empty() {
            return Ok(None);
        }
        let entered = ScanPicks::from([(verdict, stocks)]);
        let entry = self.next_entry(session, at, &formulas, (entered, BTreeMap::new()));
        Ok(Some(self.next_line(LedgerEntry { model: Some(model), ..entry })?.text))
    }

    fn next_entry(
        &self,
        session: NaiveDate,
        at: DateTime<Utc>,
        formulas: &str,
        (entered, left): ScanChanges,
    ) -> LedgerEntry {
        LedgerEntry {
            market: self.market,
            entry: self.lines.len() as u64 + 1,
            previous: self.head().to_owned(),
            at,
            session,
            formulas: formulas.to_owned(),
            entered,
            left,
            model: None,
        }
    }

    fn next_line(&self, entry: LedgerEntry) -> Result<NextLine, SetError> {
        let failed = SetError::file(&self.path, "appended to");
        let text = serde_json::to_string(&entry).map_err(|error| failed(error.into()))?;
        let hashed = text.strip_suffix('}').unwrap_or(&text);
        let hash = blake3::hash(hashed.as_bytes()).to_hex().to_string();
        let text = format!("{hashed}{HASH_FIELD}{hash}{LINE_END}\n");
        Ok(NextLine { entry, hash, text })
    }

    /// Returns the stocks that entered scans and those that left them, compared with the last line.
    fn changes(&self, session: NaiveDate, picks: &ScanPicks) -> ScanChanges {
        let (mut entered, mut left) = (picks.clone(), BTreeMap::<String, BTreeSet<String>>::new());
        for pick in self.picks(None).into_iter().filter(|pick| pick.left_on.is_none()) {
            let now = picks.get(&pick.scan).and_then(|stocks| stocks.get(&pick.symbol));
            let Some(close) = now else {
                left.entry(pick.scan).or_default().insert(pick.symbol);
                continue;
            };
            let is_same = pick.entered_on != session || close.to_bits() == pick.close.to_bits();
            if let Some(stocks) = entered.get_mut(&pick.scan).filter(|_| is_same) {
                stocks.remove(&pick.symbol);
            }
        }
        entered.retain(|_, stocks| !stocks.is_empty());
        (entered, left)
    }

    /// Writes a line after the last complete one, durably.
    fn write(&self, line: &[u8]) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(&self.path);
        SystemDisk.make_folder(folder)?;
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        if file.metadata()?.len() != self.complete_bytes + self.torn_bytes {
            return Err(io::Error::other("another process wrote to it; derive again"));
        }
        file.set_len(self.complete_bytes)?;
        if let Err(error) = file.write_all(line).and_then(|()| file.sync_all()) {
            // The part that was written is also cut by the next append.
            let _ = file.set_len(self.complete_bytes);
            return Err(error);
        }
        // Publication syncs the folder above.
        SystemDisk.sync_folder(folder)
    }

    /// Parses the line after the last one.
    fn parse_next(&self, line: &[u8]) -> Result<(LedgerEntry, String), String> {
        let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
        let parts = text.strip_suffix(LINE_END).and_then(|text| text.rsplit_once(HASH_FIELD));
        let (hashed, hash) = parts.ok_or("it does not end with its hash")?;
        if blake3::hash(hashed.as_bytes()).to_hex().as_str() != hash {
            return Err("its hash is not that of its bytes".to_owned());
        }
        let entry: LedgerEntry =
            serde_json::from_str(&format!("{hashed}}}")).map_err(|error| error.to_string())?;
        if entry.market != self.market {
            return Err(format!("it is of the market {}", entry.market));
        }
        if entry.entry != self.lines.len() as u64 + 1 || entry.previous != self.head() {
            return Err("it does not continue the previous line".to_owned());
        }
        let is_earlier = self.lines.last().is_some_and(|(before, _)| entry.session < before.session);
        if is_earlier && entry.model.is_none() {
            return Err("its session is before that of the previous line".to_owned());
        }
        Ok((entry, hash.to_owned()))
    }

    fn fault_error(&self, why: String) -> SetError {
        self.fault_error_at(self.lines.len() as u64 + 1, why)
    }

    fn fault_error_at(&self, line: u64, why: String) -> SetError {
        let remedy = if self.origin.is_empty() {
            "move it away and begin another with `parquote derive --ledger`"
        } else {
            "begin another under another name of the screen, or with another model"
        };
        SetError::Ledger { path: self.path.clone(), line, why, remedy }
    }
}

#[cfg(test)]
mod tests;
