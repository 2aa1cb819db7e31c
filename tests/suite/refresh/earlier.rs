//! The little market as it was some sessions earlier, as a plain folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use chrono::NaiveDate;
use parquote::operation::Market;

use crate::demo_market::{LITTLE, derive_into, open};
use crate::plain_folder::plain_copy;
use crate::selected::first_column;

/// Sessions between the two.
const SESSIONS: usize = 3;

/// The market of an earlier day.
pub(super) struct Earlier {
    /// Its last session.
    pub as_of: NaiveDate,
    data: PathBuf,
}

/// The Indian market of an earlier day, derived from the same raw files.
pub(super) static EARLIER: LazyLock<Earlier> = LazyLock::new(|| {
    let whole = open(&LITTLE.data).unwrap();
    let sessions = first_column(&whole, Market::India, "SELECT session FROM sessions ORDER BY session");
    let days: Vec<NaiveDate> = sessions.iter().map(|day| day.as_str().unwrap().parse().unwrap()).collect();
    let as_of = days[days.len() - 1 - SESSIONS];
    let data = LITTLE.raw.with_file_name("earlier");
    // The Indian files alone: half the time.
    derive_into(&LITTLE.raw, &data, Some(as_of));
    Earlier { as_of, data }
});

impl Earlier {
    /// Its tables as a plain folder below `to`.
    pub(super) fn plain(&self, to: &Path) {
        plain_copy(&self.data, Market::India, to);
    }

    /// One of its files, copied over another.
    pub(super) fn put(&self, path: &str, to: &Path) {
        let plain = tempfile::tempdir().unwrap();
        self.plain(plain.path());
        fs::copy(plain.path().join("india").join(path), to).unwrap();
    }
}
