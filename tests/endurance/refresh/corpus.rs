//! Apache's collection of valid and broken Parquet files in the folder of a running server: set `PARQUOTE_PARQUET_TESTING` to
//! an unpacked copy of github.com/apache/parquet-testing. Without it the test prints that it is skipped.
//!
//! None of the files has the columns of a table, so each is refused, broken or not; none ends the server.

use std::fs;
use std::path::{Path, PathBuf};

use super::program::RefreshFolder;
use crate::plain_folder::plain_market;

/// Peak memory of the server.
const MOST_MEMORY: u64 = 1 << 30;

fn parquet_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(parquet_files(&path));
        } else if path.to_string_lossy().ends_with(".parquet")
            || path.to_string_lossy().ends_with(".parquet.encrypted")
        {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn every_file_of_the_collection_is_refused_and_the_server_serves_on() {
    let Some(folder) = std::env::var_os("PARQUOTE_PARQUET_TESTING").map(PathBuf::from) else {
        println!("passed over: PARQUOTE_PARQUET_TESTING names no folder of files");
        return;
    };
    let files: Vec<PathBuf> =
        ["bad_data", "data"].iter().flat_map(|part| parquet_files(&folder.join(part))).collect();
    assert!(files.len() > 50, "{} files in {}", files.len(), folder.display());
    let place = RefreshFolder::over(plain_market);
    let mut server = place.serve(3_600_000, &[]);
    let before = server.get("companies").data();
    let mut faults = Vec::new();
    for target in ["stocks.parquet", "daily_prices/2026.parquet"] {
        let (path, table) = (place.file(target), target.split(['/', '.']).next().unwrap());
        let good = fs::read(&path).unwrap();
        for file in &files {
            fs::copy(file, &path).unwrap();
            let status = server.refresh();
            let named = status["refused"].as_array().is_some_and(|refused| {
                refused
                    .iter()
                    .any(|f| f["table"] == table && f["file"].as_str().is_some_and(|f| f.ends_with(target)))
            });
            assert!(server.lives(), "{} as {target}: the server ended: {}", file.display(), place.log());
            let reply = server.get("companies");
            if !named || status["set"] != 1 || reply.status != 200 || reply.data() != before {
                faults.push(format!("{} as {target}: {status}", file.display()));
            }
        }
        fs::write(&path, good).unwrap();
        let status = server.refresh();
        assert!(status["refused"].is_null() && status["set"] == 1, "{status}");
    }
    let most = server.most_memory().unwrap_or_default();
    println!("{} files in two places; memory at most {} MiB", files.len(), most >> 20);
    assert!(faults.is_empty(), "{} problems:\n  {}", faults.len(), faults.join("\n  "));
    assert!(most < MOST_MEMORY, "{most} bytes");
}
