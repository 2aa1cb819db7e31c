//! The output folder of raw files, which counts the files written; and the formatting of figures.
//!
//! Figures are whole numbers of hundredths, so that their text is exact.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::DemoError;

/// A market's folder of raw files.
#[derive(Debug)]
pub(crate) struct OutputFolder {
    root: PathBuf,
    /// Number of files written so far; a zip archive counts as one file.
    pub(crate) files: u64,
    /// Size of these files in bytes.
    pub(crate) bytes: u64,
}

impl OutputFolder {
    /// Opens a folder, and creates it if it is missing.
    pub(crate) fn create(root: PathBuf) -> Result<Self, DemoError> {
        fs::create_dir_all(&root).map_err(|source| DemoError::Write { path: root.clone(), source })?;
        Ok(Self { root, files: 0, bytes: 0 })
    }

    /// Writes a small CSV file with a header of comma-separated names; cells are quoted if necessary.
    pub(crate) fn table<R, C>(&mut self, name: &str, header: &str, rows: R) -> Result<(), DemoError>
    where
        R: IntoIterator<Item = C>,
        C: IntoIterator<Item: AsRef<[u8]>>,
    {
        let path = self.root.join(name);
        let failed = |source| DemoError::Csv { path: path.clone(), source };
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(header.split(',')).map_err(failed)?;
        for row in rows {
            writer.write_record(row).map_err(failed)?;
        }
        let text = writer
            .into_inner()
            .map_err(|error| DemoError::Write { path: path.clone(), source: error.into_error() })?;
        self.file(name, &text)
    }

    /// Writes a file from its bytes, and creates the folders of its name.
    pub(crate) fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), DemoError> {
        let path = self.root.join(name);
        let write = || -> std::io::Result<()> {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(&path, bytes)
        };
        write().map_err(|source| DemoError::Write { path: path.clone(), source })?;
        self.files += 1;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Creates a zip archive, to which members are added.
    pub(crate) fn archive(&self, name: &str) -> Result<Archive, DemoError> {
        let path = self.root.join(name);
        let open = || -> std::io::Result<File> {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            File::create(&path)
        };
        let file = open().map_err(|source| DemoError::Write { path: path.clone(), source })?;
        Ok(Archive { zip: ZipWriter::new(BufWriter::new(file)), path })
    }

    /// Closes an archive and counts it.
    pub(crate) fn close(&mut self, archive: Archive) -> Result<(), DemoError> {
        let Archive { zip, path } = archive;
        let failed = |source| DemoError::Write { path: path.clone(), source };
        let file = zip.finish().map_err(|source| DemoError::Zip { path: path.clone(), source })?;
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        self.files += 1;
        self.bytes += file.metadata().map_err(failed)?.len();
        Ok(())
    }
}

/// A zip archive being written. Its members have no timestamps, so that the same content gives the same bytes.
pub(crate) struct Archive {
    zip: ZipWriter<BufWriter<File>>,
    path: PathBuf,
}

impl Archive {
    /// Adds one member.
    pub(crate) fn member(&mut self, name: &str, bytes: &[u8]) -> Result<(), DemoError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(3))
            .last_modified_time(zip::DateTime::default());
        self.zip
            .start_file(name, options)
            .map_err(|source| DemoError::Zip { path: self.path.clone(), source })?;
        self.zip.write_all(bytes).map_err(|source| DemoError::Write { path: self.path.clone(), source })
    }
}

/// Appends a row as one line of JSON.
pub(crate) fn push_json(text: &mut Vec<u8>, row: &serde_json::Value) {
    text.extend_from_slice(row.to_string().as_bytes());
    text.push(b'\n');
}

/// Appends an integer.
pub(crate) fn push_whole(text: &mut Vec<u8>, value: u64) {
    text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends hundredths with two decimals: 12345 as `123.45`.
pub(crate) fn push_hundredths(text: &mut Vec<u8>, value: u64) {
    push_whole(text, value / 100);
    let cents = (value % 100) as u8;
    text.extend_from_slice(&[b'.', b'0' + cents / 10, b'0' + cents % 10]);
}

/// Formats hundredths with two decimals.
pub(crate) fn hundredths(value: u128) -> String {
    format!("{}.{:02}", value / 100, value % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundredths_keep_both_decimals() {
        let mut text = Vec::new();
        for value in [12_345, 5, 100, 0] {
            push_hundredths(&mut text, value);
            text.push(b' ');
        }
        assert_eq!(text, b"123.45 0.05 1.00 0.00 ");
        assert_eq!(hundredths(7), "0.07");
    }
}
