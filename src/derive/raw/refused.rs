//! Where refused rows go: a sink that is told each of them.
//!
//! A sink decides nothing. It sees rows in the order of the files and, within a file, of its lines; rows that only the
//! whole market can refuse (a date that is no session, a second series of a day) follow at the end, without their text.

use std::fs::File;
use std::io;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// One row that was refused.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    /// The file, relative to the market's folder; a member of an archive follows a `!`.
    pub file: &'a str,
    /// The line in the file, 1-based.
    pub line: u64,
    /// Why, in words.
    pub reason: &'a str,
    /// The row as it was read.
    pub text: &'a str,
}

/// Is told every refused row.
pub trait RefusedSink {
    /// Takes one row; an error ends the reading.
    fn refuse(&mut self, row: Refused<'_>) -> io::Result<()>;
}

/// Counts rows and keeps none; the counts by reason are in the report.
#[derive(Debug, Default)]
pub struct RefusedCount {
    /// Rows so far.
    pub rows: u64,
}

impl RefusedSink for RefusedCount {
    fn refuse(&mut self, _: Refused<'_>) -> io::Result<()> {
        self.rows += 1;
        Ok(())
    }
}

/// Writes `file,line,reason,text` as gzipped CSV.
pub struct RefusedFile {
    rows: csv::Writer<GzEncoder<File>>,
}

impl RefusedFile {
    /// Creates the file, or empties it, and writes the header line.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut rows = csv::Writer::from_writer(GzEncoder::new(File::create(path)?, Compression::fast()));
        rows.write_record(["file", "line", "reason", "text"])?;
        Ok(Self { rows })
    }

    /// Ends the file; without it the last rows are lost.
    pub fn finish(self) -> io::Result<()> {
        let encoder = self.rows.into_inner().map_err(csv::IntoInnerError::into_error)?;
        encoder.finish()?.sync_all()
    }
}

impl RefusedSink for RefusedFile {
    fn refuse(&mut self, row: Refused<'_>) -> io::Result<()> {
        Ok(self.rows.write_record([row.file, &row.line.to_string(), row.reason, row.text])?)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_file_holds_what_was_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refused.csv.gz");
        let mut sink = RefusedFile::create(&path).unwrap();
        sink.refuse(Refused { file: "a.csv", line: 7, reason: "bad number", text: "AB,x" }).unwrap();
        sink.finish().unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "file,line,reason,text\na.csv,7,bad number,\"AB,x\"\n");
    }
}
