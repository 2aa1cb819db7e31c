//! The ledger of a market: an append-only file of the picks of its scans, `<root>/ledger/<market>.jsonl`.
//!
//! A line is a JSON object. Its last field is the BLAKE3 hash of all bytes in front of that field. These include the hash of the previous
//! line, so that the hash of the last line, the *head*, proves all lines. A line records the changes of the scans since the previous line;
//! a session whose scans did not change has a line without changes. A line for the same session as the previous line, by the same formulas,
//! is a *correction*. Lines are never modified; only an incomplete line at the end, which a crash left, is cut by the next append.

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
    /// Its number, from 1.
    pub entry: u64,
    /// Hash of the previous line; empty in the first line.
    pub previous: String,
    /// Time of the append.
    pub at: DateTime<Utc>,
    /// The session that it records.
    pub session: NaiveDate,
    /// The formulas of the scans.
    pub formulas: String,
    /// The stocks that the line adds, each with its close in shares of that session.
    pub entered: ScanPicks,
    /// The stocks that the line removes, by scan.
    pub left: BTreeMap<String, BTreeSet<String>>,
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
    /// Its close in that session.
    pub close: f64,
    /// The number of the line that added it.
    pub entry: u64,
    /// The session of the line that removed it; `entered_on` if a correction did.
    pub left_on: Option<NaiveDate>,
}

/// A verified ledger.
#[derive(Debug)]
pub struct Ledger {
    market: Market,
    path: PathBuf,
    /// The lines, each with its hash.
    lines: Vec<(LedgerEntry, String)>,
    /// Bytes of all complete lines.
    complete_bytes: u64,
    /// Bytes of an incomplete line after them.
    torn_bytes: u64,
}

impl Ledger {
    /// Creates a ledger without lines; its file is written by the first append.
    pub fn begin(home: &Home, market: Market) -> Self {
        let path = home.root().join(LEDGER).join(format!("{market}.jsonl"));
        Self { market, path, lines: Vec::new(), complete_bytes: 0, torn_bytes: 0 }
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
        let mut rest = bytes.as_slice();
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(at);
            let line = ledger.parse_next(line).map_err(|why| ledger.broken(why))?;
            ledger.lines.push(line);
            rest = after.get(1..).unwrap_or_default();
        }
        ledger.torn_bytes = rest.len() as u64;
        ledger.complete_bytes = bytes.len() as u64 - ledger.torn_bytes;
        // A crash leaves the beginning of a line, never a whole line followed by other bytes.
        let is_line = |part: &[u8]| part.ends_with(LINE_END.as_bytes()) && ledger.parse_next(part).is_ok();
        if (0..rest.len()).any(|at| rest.get(..at).is_some_and(is_line)) {
            return Err(ledger.broken("its end of line is damaged".to_owned()));
        }
        Ok(Some(ledger))
    }

    /// The lines, each with its hash, oldest first.
    pub fn lines(&self) -> &[(LedgerEntry, String)] {
        &self.lines
    }

    /// The hash of the last line; empty without lines.
    pub fn head(&self) -> &str {
        self.lines.last().map_or("", |(_, hash)| hash.as_str())
    }

    /// The file.
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
            let left = line.left.iter().flat_map(|(scan, of)| of.iter().map(move |symbol| (scan, symbol)));
            for (scan, symbol) in left {
                let pick = current.remove(&(scan.as_str(), symbol.as_str()));
                picks.extend(pick.map(|pick| LedgerPick { left_on: Some(line.session), ..pick }));
            }
            let entered = line.entered.iter().flat_map(|(scan, of)| of.iter().map(move |it| (scan, it)));
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

    /// Checks that this ledger has the line that was the last one when a set was published.
    ///
    /// # Errors
    /// The line is missing or has another hash.
    pub fn check_continues(&self, number: u64, hash: &str) -> Result<(), SetError> {
        if self.lines.iter().any(|(line, of)| line.entry == number && of == hash) {
            return Ok(());
        }
        let why = format!("the newest set knows line {number} with the hash {hash}, which this file lacks");
        Err(SetError::Ledger { path: self.path.clone(), line: number, why })
    }

    /// Appends a line for a session if the session is later than that of the last line, or if its picks or formulas differ from the
    /// recorded ones. Returns true if a line was written. An earlier session is not recorded.
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
        let (entered, left) = self.changes(session, picks);
        let is_recorded = last.is_some_and(|(last, by)| last == session && by == formulas);
        if is_recorded && entered.is_empty() && left.is_empty() {
            return Ok(false);
        }
        let entry = LedgerEntry {
            market: self.market,
            entry: self.lines.len() as u64 + 1,
            previous: self.head().to_owned(),
            at,
            session,
            formulas: formulas.to_owned(),
            entered,
            left,
        };
        let failed = SetError::file(&self.path, "appended to");
        let text = serde_json::to_string(&entry).map_err(|error| failed(error.into()))?;
        let hashed = text.strip_suffix('}').unwrap_or(&text);
        let hash = blake3::hash(hashed.as_bytes()).to_hex().to_string();
        let line = format!("{hashed}{HASH_FIELD}{hash}{LINE_END}\n");
        self.write(line.as_bytes()).map_err(&failed)?;
        self.complete_bytes += line.len() as u64;
        self.torn_bytes = 0;
        self.lines.push((entry, hash));
        Ok(true)
    }

    /// Returns the stocks that entered scans and those that left them, compared with the last line.
    fn changes(
        &self,
        session: NaiveDate,
        picks: &ScanPicks,
    ) -> (ScanPicks, BTreeMap<String, BTreeSet<String>>) {
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
        if self.lines.last().is_some_and(|(before, _)| entry.session < before.session) {
            return Err("its session is before that of the previous line".to_owned());
        }
        Ok((entry, hash.to_owned()))
    }

    fn broken(&self, why: String) -> SetError {
        SetError::Ledger { path: self.path.clone(), line: self.lines.len() as u64 + 1, why }
    }
}

#[cfg(test)]
mod tests;
