//! Judges a fetched file on a thread of its own, because a file may have gigabytes.

use std::fs::File;
use std::io::{self, BufReader};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use super::declared::Kind;
use super::error::FetchError;
use super::item::{Item, Why};
use super::judge::{Judgement, judge, judge_page};
use super::source::Source;

/// A file with the judgement of its content and its hash.
#[derive(Debug)]
pub(crate) struct JudgedFile {
    pub(crate) judgement: Judgement,
    pub(crate) blake3: String,
}

/// Looks at the file of an item; `unpacked` bytes are what any packed one may unpack to.
pub(crate) async fn look(item: &Item, path: PathBuf, unpacked: u64) -> Result<JudgedFile, FetchError> {
    let (source, why, shown) = (item.source.clone(), item.why, path.clone());
    let looked = tokio::task::spawn_blocking(move || look_at(&source, why, &path, unpacked)).await;
    let looked = looked.map_err(io::Error::other).and_then(|looked| looked);
    looked.map_err(FetchError::of_file("cannot read", shown))
}

fn look_at(source: &Source, why: Why, path: &Path, unpacked: u64) -> io::Result<JudgedFile> {
    let judged = || match why {
        Why::Page => judge_page(path, source.links.as_deref().filter(|_| source.kind == Kind::Linked)),
        _ => judge(path, &source.expect, source.market.time_zone(), unpacked),
    };
    // A fault of a reader costs the file that it was met on, and no other.
    let judgement = std::panic::catch_unwind(AssertUnwindSafe(judged))
        .unwrap_or_else(|_| Ok(Judgement::Broken("its reader failed".to_owned())))?;
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut BufReader::new(File::open(path)?), &mut hasher)?;
    Ok(JudgedFile { judgement, blake3: hasher.finalize().to_hex().to_string() })
}
