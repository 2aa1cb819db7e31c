//! Raw files that are damaged, truncated or missing: the derivation fails and names them, and the existing set stays.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use parquote::derive::{AllowedFaults, DeriveError, DeriveOptions, Publishing, derive};
use parquote::operation::Market;
use parquote::raw::{SilentProgress, UnpackBounds};

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, copy_folder, named};
use crate::next_day::numbers;

/// A copy of the little market's raw files and of its derived set.
struct Copy {
    raw: tempfile::TempDir,
    data: tempfile::TempDir,
}

impl Copy {
    fn new() -> Self {
        let copy = Self { raw: tempfile::tempdir().unwrap(), data: tempfile::tempdir().unwrap() };
        copy_folder(&LITTLE.raw.join("india"), &copy.raw.path().join("india"));
        copy.derive(AllowedFaults::default(), None).unwrap();
        copy
    }

    fn file(&self, name: &str) -> PathBuf {
        self.raw.path().join("india").join(name)
    }

    fn derive(&self, allow: AllowedFaults, as_of: Option<&str>) -> Result<(), DeriveError> {
        let options = DeriveOptions {
            raw: self.raw.path().to_owned(),
            data: self.data.path().to_owned(),
            as_of: as_of.map(|day| day.parse().unwrap()),
            lists_as_of: None,
            full: false,
            use_parse_cache: true,
            allow,
            bounds: UnpackBounds::default(),
            bars_memory_bytes: None,
            publishing: Publishing::default(),
            units: None,
            kept_tables_source: None,
        };
        RUNTIME.block_on(derive(&CATALOGUE, Market::India, &options, &SilentProgress)).map(drop)
    }

    /// Checks that the derivation fails with these words and leaves the set unchanged.
    fn fails(&self, words: &[&str]) {
        let before = numbers(self.data.path());
        let error = self.derive(AllowedFaults::default(), None).unwrap_err();
        let told = match &error {
            DeriveError::Raw(error) => error.to_string(),
            other => other.to_string(),
        };
        assert!(words.iter().all(|word| told.contains(word)), "{words:?}: {told}");
        assert_eq!(numbers(self.data.path()), before, "the set was changed");
        let left: Vec<_> =
            fs::read_dir(self.data.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.iter().filter(|name| *name != ".parse_cache").count(), 1, "{left:?}");
    }

    fn report(&self) -> serde_json::Value {
        serde_json::from_slice(&fs::read(self.data.path().join("india/report.json")).unwrap()).unwrap()
    }

    /// Returns the price files, the oldest first.
    fn prices(&self) -> Vec<PathBuf> {
        crate::next_day::price_files(&self.file("prices"))
    }
}

fn cut(path: &Path, less: usize) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() - less]).unwrap();
}

/// Replaces a file with another.
fn replace(old: &Path, new: &Path, bytes: &[u8]) {
    fs::remove_file(old).unwrap();
    fs::write(new, bytes).unwrap();
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zipped(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(bytes).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn a_file_that_cannot_be_read_whole_ends_the_derivation_and_the_set_stays() {
    let copy = Copy::new();
    let prices = copy.prices();
    // The last line of a price file ends with a delivery figure of about four characters.
    cut(&prices[10], 40);
    copy.fails(&[prices[10].file_name().unwrap().to_str().unwrap(), "no end of line", "--allow-unreadable"]);

    let (gz, archive) = (prices[20].with_extension("csv.gz"), prices[30].with_extension("zip"));
    let [to_gz, to_zip] = [&prices[20], &prices[30]].map(|path| fs::read(path).unwrap());
    replace(&prices[20], &gz, &gzipped(&to_gz));
    replace(&prices[30], &archive, &zipped("day.csv", &to_zip));
    cut(&gz, 8);
    cut(&archive, 20);
    std::os::unix::fs::symlink("gone.csv", copy.file("prices/link.csv")).unwrap();
    let names = [&prices[10], &gz, &archive].map(|path| path.file_name().unwrap().to_str().unwrap());
    let link = "prices/link.csv: it is a link to gone.csv";
    copy.fails(&[names[0], names[1], names[2], link, "4 of the raw files"]);

    let sessions = copy.report()["sessions"]["count"].as_u64().unwrap();
    copy.derive(AllowedFaults { unreadable: true, fewer: true }, None).unwrap();
    let report = copy.report();
    let listed: Vec<&str> =
        report["unreadable"].as_array().unwrap().iter().map(|file| file["file"].as_str().unwrap()).collect();
    assert_eq!(listed.len(), 4, "{listed:?}");
    for name in names {
        assert!(listed.iter().any(|file| file.contains(name)), "{name}: {listed:?}");
    }
    let said = report["exceptions"].as_array().unwrap().iter().map(|said| said.as_str().unwrap());
    assert!(said.clone().any(|said| said.starts_with("4 files") && said.contains("--allow-unreadable")));
    assert_eq!(report["sessions"]["count"].as_u64().unwrap(), sessions - 2, "two days are gone");
}

#[test]
fn a_set_with_fewer_sessions_than_before_is_not_published() {
    let copy = Copy::new();
    let files = || named(copy.data.path(), Market::India).into_keys().collect::<Vec<_>>();
    let (tables, last) = (files(), copy.prices().pop().unwrap());
    let text = fs::read(&last).unwrap();
    fs::remove_file(&last).unwrap();
    copy.fails(&["79 sessions instead of 80", "without 2026-10-30", "--allow-fewer"]);
    // An earlier as-of date needs fewer sessions, and `AllowedFaults` permits them.
    copy.derive(AllowedFaults::default(), Some("2026-10-28")).unwrap();
    assert_eq!(copy.report()["sessions"]["count"], 78);
    fs::write(&last, &text).unwrap();
    copy.derive(AllowedFaults::default(), None).unwrap();
    fs::remove_file(&last).unwrap();
    copy.derive(AllowedFaults { fewer: true, ..AllowedFaults::default() }, None).unwrap();
    assert_eq!(copy.report()["sessions"]["count"], 79);
    assert_eq!(files(), tables);
}

#[test]
fn a_set_with_fewer_symbols_than_before_is_not_published() {
    let copy = Copy::new();
    let prices = copy.prices();
    let text = fs::read_to_string(prices.last().unwrap()).unwrap();
    let mut stocks = text.lines().filter_map(|line| line.split_once(", EQ")).map(|(symbol, _)| symbol);
    let gone = stocks.rfind(|symbol| symbol.len() == 10).unwrap();
    for file in &prices {
        let text = fs::read_to_string(file).unwrap();
        let lines = text.split_inclusive('\n').filter(|line| !line.starts_with(&format!("{gone}, EQ")));
        fs::write(file, lines.collect::<String>()).unwrap();
    }
    copy.fails(&["23 symbols instead of 24", &format!("without {gone}"), "--allow-fewer"]);
    copy.derive(AllowedFaults { fewer: true, ..AllowedFaults::default() }, None).unwrap();
}
