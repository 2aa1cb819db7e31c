//! The little market some sessions earlier: its set, and its tables as a plain folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use chrono::NaiveDate;
use parquote::operation::Market;

use crate::demo_market::{CATALOGUE, LITTLE, copy_folder, derive_market};
use crate::plain_folder::plain_copy;
use crate::selected::first_column;
use crate::server::LITTLE_SERVER;

/// Number of sessions between the two.
const SESSIONS: usize = 3;

/// The market of an earlier day.
pub(crate) struct Earlier {
    /// Its last session.
    pub as_of: NaiveDate,
    data: PathBuf,
}

/// The Indian market of an earlier day, derived from the same raw files.
pub(crate) static EARLIER: LazyLock<Earlier> = LazyLock::new(|| {
    let whole = LITTLE_SERVER.service().snapshot();
    let sessions = first_column(&whole, Market::India, "SELECT session FROM sessions ORDER BY session");
    let days: Vec<NaiveDate> = sessions.iter().map(|day| day.as_str().unwrap().parse().unwrap()).collect();
    let as_of = days[days.len() - 1 - SESSIONS];
    let data = LITTLE.raw.with_file_name("earlier");
    derive_market(&CATALOGUE, Market::India, (&LITTLE.raw, &data), Some(as_of));
    Earlier { as_of, data }
});

impl Earlier {
    /// Returns a folder of sets: India's of that day, and those of the US unchanged.
    pub(crate) fn sets(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&self.data, folder.path());
        copy_folder(&LITTLE.sets.join("us"), &folder.path().join("us"));
        folder
    }

    /// Copies its set below `data` as a past set whose check has not ended.
    pub(crate) fn copy_as_past(&self, data: &Path) {
        copy_folder(&self.data, &data.join("past"));
    }

    /// Copies its tables as a plain folder below `to`.
    pub(crate) fn plain(&self, to: &Path) {
        plain_copy(&self.data, Market::India, to);
    }

    /// Copies one of its files over another.
    pub(crate) fn copy_over(&self, path: &str, to: &Path) {
        let plain = tempfile::tempdir().unwrap();
        self.plain(plain.path());
        fs::copy(plain.path().join("india").join(path), to).unwrap();
    }
}
