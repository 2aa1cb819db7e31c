//! Plain folders of tables, `<market>/<table>.parquet`, made from markets in sets or in plain folders.
//! Every file is a copy, so a test may overwrite it in place. It is dated a day back, so that a server does not wait for it to
//! come to rest.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use parquote::operation::Market;
use parquote::set::{Home, PlainFilePart};

use crate::demo_market::LITTLE;

/// Copies the Indian tables of the little market as a plain folder below `to`.
pub(crate) fn plain_market(to: &Path) {
    plain_copy(&LITTLE.data, Market::India, to);
}

/// Copies the tables of a market as a plain folder below `to`: from its newest set, or from its plain files if it has no set.
pub(crate) fn plain_copy(root: &Path, market: Market, to: &Path) {
    let home = Home::new(root);
    match home.newest(market).unwrap() {
        Some(set) => {
            for (table, file) in set.files() {
                let part = PlainFilePart { table: table.to_owned(), part: file.part.clone() };
                copy_aged(
                    &home.file_path(market, table, &file.hash),
                    &to.join(market.word()).join(path_of(&part)),
                );
            }
        }
        None => copy_tables(&root.join(market.word()), &to.join(market.word())),
    }
}

fn path_of(part: &PlainFilePart) -> String {
    match &part.part {
        Some(name) => format!("{}/{name}.parquet", part.table),
        None => format!("{}.parquet", part.table),
    }
}

fn copy_tables(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_tables(&path, &target);
        } else if path.extension().is_some_and(|extension| extension == "parquet") {
            copy_aged(&path, &target);
        }
    }
}

fn copy_aged(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(from, to).unwrap();
    age(to);
}

/// Sets a file's modification time to yesterday, so that it counts as completely written.
pub(crate) fn age(path: &Path) {
    let yesterday = SystemTime::now() - Duration::from_hours(24);
    fs::File::options().write(true).open(path).unwrap().set_modified(yesterday).unwrap();
}
