//! Refused rows for inspection: collected as text, packed by the worker that read them, passed to a sink.
//!
//! A sink sees a row once. Each packed run of rows is a complete gzip member, so that workers pack in parallel and the list is the
//! concatenation of the members.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

pub(crate) struct RefusedRow<'a> {
    /// The file, relative to the market's folder; a member of an archive follows a `!`.
    pub(crate) file: &'a str,
    /// The line in the file, 1-based.
    pub(crate) line: u32,
    /// Reason, in words.
    pub(crate) reason: &'a str,
    /// The column to blame, if one is.
    pub(crate) column: Option<&'a str>,
    /// The row as it was read.
    pub(crate) text: &'a str,
}

/// Refused rows as lines of CSV, while they are collected.
pub(crate) struct RefusedText {
    lines: csv::Writer<Vec<u8>>,
    counts: BTreeMap<String, u64>,
}

/// Refused rows, packed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefusedRows {
    counts: BTreeMap<String, u64>,
    member: Vec<u8>,
}

/// A refused row read back from the packed text.
#[derive(Debug, Clone)]
pub(crate) struct RowText {
    pub(crate) line: String,
    pub(crate) reason: String,
    pub(crate) text: String,
}

/// Receives every refused row.
pub trait RefusedSink {
    /// Receives some rows; an error ends the reading.
    fn refuse(&mut self, rows: &RefusedRows) -> io::Result<()>;
}

/// Sink that only counts rows; the counts by reason are in the report.
#[derive(Debug, Default)]
pub struct RefusedCount {
    /// Number of rows so far.
    pub rows: u64,
}

/// Sink that writes `file,line,reason,text` as gzipped CSV.
#[derive(Debug)]
pub struct RefusedFile {
    file: File,
}

impl RefusedText {
    pub(crate) fn new() -> Self {
        Self { lines: csv::Writer::from_writer(Vec::new()), counts: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, row: &RefusedRow<'_>) {
        match self.counts.get_mut(row.reason) {
            Some(count) => *count += 1,
            None => drop(self.counts.insert(row.reason.to_owned(), 1)),
        }
        let mut line = itoa::Buffer::new();
        let reason_and_column = row.column.map(|column| format!("{}: {column}", row.reason));
        let reason = reason_and_column.as_deref().unwrap_or(row.reason);
        // Writing to memory does not fail.
        self.lines.write_record([row.file, line.format(row.line), reason, row.text]).ok();
    }

    /// Returns the number of rows so far.
    pub(crate) fn len(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Packs the rows; no rows make no bytes.
    pub(crate) fn pack(self) -> RefusedRows {
        if self.counts.is_empty() {
            return RefusedRows::default();
        }
        RefusedRows { counts: self.counts, member: pack(&self.lines.into_inner().unwrap_or_default()) }
    }
}

fn pack(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 2), Compression::fast());
    // Writing to memory does not fail.
    encoder.write_all(text).ok();
    encoder.finish().unwrap_or_default()
}

impl RefusedRows {
    /// Builds the list from rows that are packed already.
    pub(crate) fn from_packed(counts: BTreeMap<String, u64>, member: Vec<u8>) -> Self {
        Self { counts, member }
    }

    /// Returns the number of rows by reason, in words.
    pub fn counts(&self) -> &BTreeMap<String, u64> {
        &self.counts
    }

    /// Returns the number of rows.
    pub fn len(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    pub(crate) fn first(&self) -> Option<RowText> {
        let lines =
            csv::ReaderBuilder::new().has_headers(false).from_reader(MultiGzDecoder::new(self.member()));
        let row = lines.into_records().next()?.ok()?;
        let mut cells = row.iter().skip(1).map(str::to_owned);
        Some(RowText { line: cells.next()?, reason: cells.next()?, text: cells.next()? })
    }

    /// Returns the lines of `file,line,reason,text`, as one gzip member.
    pub fn member(&self) -> &[u8] {
        &self.member
    }
}

impl RefusedSink for RefusedCount {
    fn refuse(&mut self, rows: &RefusedRows) -> io::Result<()> {
        self.rows += rows.len();
        Ok(())
    }
}

impl RefusedFile {
    /// Creates the file, or empties it, and writes the header line.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut file = File::create(path)?;
        file.write_all(&pack(b"file,line,reason,text\n"))?;
        Ok(Self { file })
    }
}

impl RefusedSink for RefusedFile {
    fn refuse(&mut self, rows: &RefusedRows) -> io::Result<()> {
        self.file.write_all(rows.member())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::Command;

    use super::*;

    const EXPECTED: &str = "file,line,reason,text\na.csv,7,bad number,\"AB,x\"\na.csv,9,value that is not allowed: side,C\nb.csv,1,bad date,D\n";

    fn write_list(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("refused.csv.gz");
        let mut sink = RefusedFile::create(&path).unwrap();
        let mut rows = RefusedText::new();
        rows.add(&RefusedRow { file: "a.csv", line: 7, reason: "bad number", column: None, text: "AB,x" });
        let column = Some("side");
        rows.add(&RefusedRow {
            file: "a.csv",
            line: 9,
            reason: "value that is not allowed",
            column,
            text: "C",
        });
        sink.refuse(&rows.pack()).unwrap();
        sink.refuse(&RefusedText::new().pack()).unwrap();
        let mut rows = RefusedText::new();
        rows.add(&RefusedRow { file: "b.csv", line: 1, reason: "bad date", column: None, text: "D" });
        sink.refuse(&rows.pack()).unwrap();
        path
    }

    #[test]
    fn the_file_holds_what_was_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = write_list(folder.path());
        let mut text = String::new();
        flate2::read::MultiGzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
        assert_eq!(text, EXPECTED);
    }

    #[test]
    fn python_reads_the_file_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let code = "import gzip, sys; sys.stdout.write(gzip.open(sys.argv[1], 'rt').read())";
        let Ok(python) = Command::new("python3").args(["-c", code]).arg(write_list(folder.path())).output()
        else {
            return eprintln!("no Python here");
        };
        assert_eq!(String::from_utf8(python.stdout).unwrap(), EXPECTED);
    }
}
