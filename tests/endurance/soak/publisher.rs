//! The publisher of new files: a good one in every other round, and one that no server should load.

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::StringArray;
use parquote::operation::Market;

use crate::demo_market::SHIPPED;
use crate::plain_folder::plain_copy;
use crate::tables::{read, replaced, write};

/// A folder of plain files.
pub(super) struct Publisher {
    folder: tempfile::TempDir,
    /// The good content of the table that some rounds replace.
    sectors: Vec<u8>,
}

impl Publisher {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for market in Market::ALL {
            plain_copy(&SHIPPED.data, market, &folder.path().join("data"));
        }
        let sectors = fs::read(folder.path().join("data/india/sectors.parquet")).unwrap();
        Self { folder, sectors }
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.data().join("india").join(name)
    }

    /// Writes the files of a round: a good set, or in between a hostile file.
    pub(super) fn publish(&self, round: u32) {
        let sectors = self.file("sectors.parquet");
        match round % 10 {
            1 => fs::write(sectors, b"PAR1 no table at all PAR1").unwrap(),
            3 => fs::write(self.file("scratch.parquet"), b"of no table").unwrap(),
            5 => fs::write(sectors, &self.sectors[..self.sectors.len() / 2]).unwrap(),
            7 => link("/dev/zero", &sectors),
            9 => {
                fs::remove_file(&sectors).unwrap();
                fs::create_dir(sectors).unwrap();
            }
            _ => {
                self.clear();
                self.name_stocks(&format!("Round {round}"));
            }
        }
    }

    /// Removes all hostile files and publishes once more; returns the name that stocks have then.
    pub(super) fn mend(&self) -> String {
        self.clear();
        self.name_stocks("At last");
        "At last".to_owned()
    }

    /// Restores the good table.
    fn clear(&self) {
        let path = self.file("sectors.parquet");
        let _ = fs::remove_file(self.file("scratch.parquet"));
        if fs::symlink_metadata(&path).is_ok_and(|stat| stat.is_dir()) {
            fs::remove_dir(&path).unwrap();
        }
        self.replace(&path, |next| fs::write(next, &self.sectors).unwrap());
    }

    fn name_stocks(&self, name: &str) {
        let path = self.file("stocks.parquet");
        let rows = replaced(&read(&path), "company_name", |values| {
            Arc::new(StringArray::from(vec![name; values.len()]))
        });
        self.replace(&path, |next| write(next, &rows));
    }

    /// Replaces a file atomically.
    fn replace(&self, path: &Path, with: impl FnOnce(&Path)) {
        let next = self.folder.path().join("next");
        with(&next);
        fs::rename(next, path).unwrap();
    }
}

#[cfg(unix)]
fn link(to: &str, at: &Path) {
    fs::remove_file(at).unwrap();
    std::os::unix::fs::symlink(to, at).unwrap();
}

#[cfg(not(unix))]
fn link(_: &str, at: &Path) {
    fs::write(at, b"").unwrap();
}

/// Starts a provider that accepts requests and never answers; returns its address.
pub(super) fn silent_provider() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // Until the other side closes the connection.
            std::thread::spawn(move || while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {});
        }
    });
    address
}
