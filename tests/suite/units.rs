//! Derivations whose units run separately, each in a folder with only its declared files: they give the files of a
//! derivation in one process, byte for byte.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use chrono::NaiveDate;
use parquote::derive::{
    AllowedFaults, DeriveOptions, MadeFile, MadeUnit, PathBelow, Publishing, RederiveOptions, UnitError,
    UnitRunner, WorkUnit, derive, derive_figures, run_unit,
};
use parquote::operation::Market;
use parquote::raw::{SilentProgress, UnpackBounds};
use parquote::set::{Blob, TransferStore};

use crate::demo_market::{CATALOGUE, RUNTIME, YEARS};
use crate::look_ahead::copy_until;
use crate::next_day::differing;

/// Runs units one after another, each in an empty folder.
#[derive(Debug)]
struct Apart {
    transfer: TransferStore,
    ran: AtomicUsize,
}

impl Apart {
    fn beside(data: &Path) -> Arc<Self> {
        let transfer = TransferStore::open(data.to_str().unwrap()).unwrap().for_market(Market::India);
        Arc::new(Self { transfer, ran: AtomicUsize::new(0) })
    }

    async fn one(&self, unit: &WorkUnit) -> MadeUnit {
        self.ran.fetch_add(1, Ordering::Relaxed);
        // Through its serialized form.
        let unit: WorkUnit = serde_json::from_slice(&unit.text()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (from, into) = (folder.path().join("from"), folder.path().join("into"));
        std::fs::create_dir(&into).unwrap();
        for (path, blob) in unit.input_files() {
            self.transfer.get(blob, &path.below(&from)).await.unwrap();
        }
        let mut files = Vec::new();
        for (path, rows) in run_unit(&CATALOGUE, &unit, &from, &into).await.unwrap() {
            files.push(MadeFile {
                path: PathBelow::strip_folder(&path, &into).unwrap(),
                rows,
                blob: self.transfer.store_file(&path).await.unwrap(),
            });
        }
        MadeUnit { files, took: Duration::ZERO }
    }
}

#[async_trait]
impl UnitRunner for Apart {
    fn unit_bars(&self, _: usize) -> usize {
        2_000
    }

    async fn store_file(&self, path: &Path) -> Result<Blob, UnitError> {
        Ok(self.transfer.store_file(path).await?)
    }

    async fn download(&self, blob: &Blob, to: &Path) -> Result<(), UnitError> {
        Ok(self.transfer.get(blob, to).await?)
    }

    async fn run(&self, units: Vec<WorkUnit>) -> Result<Vec<MadeUnit>, UnitError> {
        let mut made = Vec::new();
        for unit in &units {
            made.push(self.one(unit).await);
        }
        Ok(made)
    }
}

fn derive_apart(raw: &Path, data: &Path, full: bool) -> usize {
    let apart = Apart::beside(data);
    let options = DeriveOptions {
        raw: raw.to_owned(),
        data: data.to_owned(),
        as_of: None,
        lists_as_of: None,
        full,
        use_parse_cache: false,
        allow: AllowedFaults::default(),
        bounds: UnpackBounds::default(),
        bars_memory_bytes: None,
        publishing: Publishing::default(),
        units: Some(apart.clone()),
        kept_tables_source: None,
    };
    RUNTIME.block_on(derive(&CATALOGUE, Market::India, &options, &SilentProgress)).unwrap();
    RUNTIME.block_on(apart.transfer.forget()).unwrap();
    apart.ran.load(Ordering::Relaxed)
}

#[test]
fn pieces_that_run_apart_give_the_files_of_one_process() {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = data.path();
    // A further day: rows are appended to those of the day before, and closed years are reused.
    copy_until(&YEARS.raw, raw.path(), NaiveDate::from_ymd_opt(2026, 10, 29).unwrap());
    let first = derive_apart(raw.path(), data, false);
    let second = derive_apart(&YEARS.raw, data, false);
    assert_eq!(differing(data, &YEARS.data), Vec::<std::path::PathBuf>::new());
    assert!(first > second && second > 10, "{first} and {second} pieces");
    let transfer = data.join(".transfer/india");
    assert!(!transfer.exists() || transfer.read_dir().unwrap().next().is_none(), "files were left behind");
    // A full rebuild, and figures from published bars.
    assert!(derive_apart(&YEARS.raw, data, true) > second);
    assert_eq!(differing(data, &YEARS.data), Vec::<std::path::PathBuf>::new());
    let apart = Apart::beside(data);
    let again = RederiveOptions { full: true, units: Some(apart.clone()), ..RederiveOptions::default() };
    RUNTIME.block_on(derive_figures(&CATALOGUE, Market::India, data, &again, &SilentProgress)).unwrap();
    assert!(apart.ran.load(Ordering::Relaxed) > second);
    assert_eq!(differing(data, &YEARS.data), Vec::<std::path::PathBuf>::new());
}
