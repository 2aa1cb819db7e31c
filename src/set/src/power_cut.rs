//! Tests publishing on a disk whose power can fail between any two steps: unsynced names and bytes may then be present, partial or
//! lost, independently. In every case the root holds either the old set or the new one, complete.
//!
//! The disk works on a real folder and keeps a model of it in memory: the current names and bytes, and those guaranteed after a
//! power failure. After a cut the model is written out as another folder, in many variants.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::disk::{Disk, SystemDisk};
use super::error::SetError;
use super::home::{Draft, Home, NewFile};
use super::manifest::{Set, SetFile, SetOrigin, SetTable};
use super::retention::Retention;
use super::staging::Staging;
use super::stored_file::hash_of;
use parquote_catalogue::operation::Market;

const MARKET: Market = Market::India;
/// Number of variants of each power failure: the first two take all names as synced and all names as current, the others choose
/// name by name.
const VARIANTS: u64 = 10;

/// A folder or file, as the entry of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Folder,
    /// Index of its bytes in [`Model::files`].
    File(usize),
}

/// The bytes of a file.
#[derive(Debug, Default, Clone)]
struct Bytes {
    live: Vec<u8>,
    /// Bytes as last synced; `None` before the first sync.
    synced: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
struct Model {
    /// Steps until the power fails.
    left: usize,
    taken: usize,
    live: BTreeMap<PathBuf, Node>,
    synced: BTreeMap<PathBuf, Node>,
    files: Vec<Bytes>,
}

/// A disk whose power fails after some steps.
#[derive(Debug)]
struct PowerCut {
    base: PathBuf,
    model: Mutex<Model>,
}

impl PowerCut {
    fn new(base: &Path) -> Arc<Self> {
        let model = Model { left: usize::MAX, ..Model::default() };
        Arc::new(Self { base: base.to_owned(), model: Mutex::new(model) })
    }

    fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the power fail after `steps` steps; returns the number of steps taken so far.
    fn fail_after(&self, steps: usize) -> usize {
        let mut model = self.model();
        model.left = steps;
        std::mem::take(&mut model.taken)
    }

    /// Counts a step; fails if the power has failed.
    fn step(&self) -> io::Result<MutexGuard<'_, Model>> {
        let mut model = self.model();
        model.left = model.left.checked_sub(1).ok_or_else(|| io::Error::other("the power is gone"))?;
        model.taken += 1;
        Ok(model)
    }

    /// Writes out the content that is left after a power failure.
    fn write_after_power_failure(&self, to: &Path, variant: u64) {
        let model = self.model();
        let mut written = BTreeSet::from([self.base.clone()]);
        let paths: BTreeSet<&PathBuf> = model.live.keys().chain(model.synced.keys()).collect();
        for path in paths {
            let nodes = [model.synced.get(path), model.live.get(path)];
            let node = match variant {
                0 | 1 => nodes[variant as usize],
                _ => nodes[(chance(variant, path) % 2) as usize],
            };
            let Some(node) = node.filter(|_| path.parent().is_some_and(|parent| written.contains(parent)))
            else {
                continue;
            };
            let target = to.join(path.strip_prefix(&self.base).unwrap());
            written.insert(path.clone());
            match node {
                Node::Folder => fs::create_dir(&target).unwrap(),
                Node::File(index) => {
                    let bytes = &model.files[*index];
                    fs::write(target, bytes.bytes_left(chance(variant + 100, path))).unwrap();
                }
            }
        }
    }
}

/// Returns a number that depends on variant and path alone.
fn chance(variant: u64, path: &Path) -> u64 {
    let hash = blake3::hash(format!("{variant} {}", path.display()).as_bytes());
    u64::from(hash.as_bytes()[0])
}

impl Bytes {
    /// Returns the bytes left after a power failure: the synced ones, or a part of the unsynced ones.
    fn bytes_left(&self, chance: u64) -> Vec<u8> {
        if self.synced.as_ref() == Some(&self.live) {
            return self.live.clone();
        }
        match chance % 4 {
            0 => self.synced.clone().unwrap_or_default(),
            1 => self.live.iter().take(self.live.len() / 2).copied().collect(),
            2 => vec![0; self.live.len()],
            _ => Vec::new(),
        }
    }
}

impl Model {
    /// Returns the index of a file's bytes; a file written outside this disk counts as unsynced.
    fn index_of(&mut self, path: &Path) -> usize {
        if let Some(Node::File(index)) = self.live.get(path) {
            return *index;
        }
        self.files.push(Bytes { live: fs::read(path).unwrap_or_default(), synced: None });
        self.live.insert(path.to_owned(), Node::File(self.files.len() - 1));
        self.files.len() - 1
    }
}

impl Disk for PowerCut {
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut model = self.step()?;
        SystemDisk.write(path, bytes)?;
        let index = model.index_of(path);
        model.files[index].live = bytes.to_owned();
        Ok(())
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        let mut model = self.step()?;
        let index = model.index_of(path);
        let live = model.files[index].live.clone();
        model.files[index].synced = Some(live);
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let mut model = self.step()?;
        let inside = |name: &Path| name.parent() == Some(path);
        let now: Vec<(PathBuf, Node)> = model
            .live
            .iter()
            .filter(|(name, _)| inside(name))
            .map(|(name, node)| (name.clone(), *node))
            .collect();
        model.synced.retain(|name, _| !inside(name));
        model.synced.extend(now);
        Ok(())
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let mut model = self.step()?;
        SystemDisk.make_folder(path)?;
        for folder in path.ancestors().take_while(|folder| *folder != self.base) {
            model.live.entry(folder.to_owned()).or_insert(Node::Folder);
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut model = self.step()?;
        let index = model.index_of(from);
        SystemDisk.rename(from, to)?;
        model.live.remove(from);
        model.live.insert(to.to_owned(), Node::File(index));
        Ok(())
    }

    fn link_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut model = self.step()?;
        let index = model.index_of(from);
        SystemDisk.link_new(from, to)?;
        model.live.insert(to.to_owned(), Node::File(index));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut model = self.step()?;
        SystemDisk.remove(path)?;
        model.live.remove(path);
        Ok(())
    }
}

/// A root on a simulated disk that may lose power. The root does not exist at first.
struct Scene {
    _folder: tempfile::TempDir,
    disk: Arc<PowerCut>,
    home: Home,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disk = PowerCut::new(folder.path());
        let home = Home::with_disk(folder.path().join("data"), Arc::clone(&disk) as Arc<dyn Disk>);
        Self { _folder: folder, disk, home }
    }

    fn prepare(&self, before: &[Work]) {
        for work in before {
            work(&self.home).unwrap();
        }
    }

    /// Checks every variant of the content after a power failure: the newest set is one of these, and all are complete.
    fn check(&self, what: &str, newest: &[Option<u64>]) {
        for variant in 0..VARIANTS {
            let left = tempfile::tempdir().unwrap();
            self.disk.write_after_power_failure(left.path(), variant);
            // A disk that does not sync, to save time.
            let home = Home::with_disk(left.path().join("data"), PowerCut::new(left.path()));
            let found = home.newest(MARKET).map(|set| set.map(|set| set.number));
            let found = found.unwrap_or_else(|error| panic!("{what}, variant {variant}: {error}"));
            assert!(
                newest.contains(&found),
                "{what}, variant {variant}: set {found:?}, not one of {newest:?}"
            );
            for number in home.numbers(MARKET).unwrap() {
                let why = check_complete(&home, &home.read(MARKET, number).unwrap());
                assert_eq!(why, Ok(()), "{what}, variant {variant}: set {number}");
            }
            if variant > 3 {
                continue;
            }
            // Remains of a failure do not prevent the next publication.
            let next = publish(&home, &[("a", "after"), ("b", "two"), ("c", "three")]).unwrap();
            assert_eq!(next.number, found.unwrap_or_default() + 1, "{what}, variant {variant}");
            assert_eq!(check_complete(&home, &next), Ok(()), "{what}, variant {variant}: the next set");
            home.sweep(MARKET, &Retention::default()).unwrap();
        }
    }
}

/// Checks that every file of a set exists, with its length and bytes.
fn check_complete(home: &Home, set: &Set) -> Result<(), String> {
    for (table, file) in set.files() {
        let path = home.file_path(MARKET, table, &file.hash);
        let stat = fs::metadata(&path).map_err(|error| format!("{table}: {error}"))?;
        let hash = hash_of(&path).map_err(|error| error.to_string())?;
        if (stat.len(), &hash) != (file.bytes, &file.hash) {
            return Err(format!(
                "{table}: {} bytes of {}, hash {hash} of {}",
                stat.len(),
                file.bytes,
                file.hash
            ));
        }
    }
    Ok(())
}

/// Publishes tables as the next set; a table with unchanged content is reused from the newest set, and not written again.
fn publish(home: &Home, tables: &[(&str, &str)]) -> Result<Set, SetError> {
    let before = home.newest(MARKET)?;
    let staging = home.stage(MARKET)?;
    let known: BTreeSet<String> =
        before.iter().flat_map(Set::files).map(|(_, file)| file.hash.clone()).collect();
    let (mut described, mut new) = (BTreeMap::new(), Vec::new());
    for (table, content) in tables {
        let file = stage_file(&staging, table, content);
        let file_of_set = SetFile { bytes: content.len() as u64, rows: 1, ..SetFile::named(&file.hash) };
        let table_of_set = SetTable { rows: 1, formula: None, files: vec![file_of_set] };
        described.insert((*table).to_owned(), table_of_set);
        new.extend((!known.contains(&file.hash)).then_some(file));
    }
    let draft = Draft {
        market: MARKET,
        as_of: None,
        origin: SetOrigin::Derived,
        forced: false,
        first_at: None,
        follows: before.map_or(0, |set| set.number),
        tables: described,
        inbox: BTreeMap::new(),
        covered: BTreeMap::new(),
    };
    home.publish(draft, &new, &staging)
}

fn stage_file(staging: &Staging, table: &str, content: &str) -> NewFile {
    let path = staging.path().join(format!("{table}.parquet"));
    fs::write(&path, content).unwrap();
    NewFile { table: table.to_owned(), hash: hash_of(&path).unwrap(), path }
}

type Work = fn(&Home) -> Result<(), SetError>;

fn publish_first(home: &Home) -> Result<(), SetError> {
    publish(home, &[("a", "one"), ("b", "two")]).map(drop)
}

fn publish_second(home: &Home) -> Result<(), SetError> {
    publish(home, &[("a", "one, changed"), ("b", "two"), ("c", "three")]).map(drop)
}

fn publish_third(home: &Home) -> Result<(), SetError> {
    publish(home, &[("a", "one, changed again"), ("c", "three")]).map(drop)
}

fn roll_back_to_first(home: &Home) -> Result<(), SetError> {
    home.roll_back(MARKET, 1, false).map(drop)
}

fn sweep_sets(home: &Home) -> Result<(), SetError> {
    home.sweep(MARKET, &Retention { sets: 1, ..Retention::default() })
}

/// Name, preparation, the work whose power fails, and the newest set before and after it.
type Case = (&'static str, &'static [Work], Work, [Option<u64>; 2]);

const CASES: [Case; 5] = [
    ("the first set", &[], publish_first, [None, Some(1)]),
    ("a second set that shares files", &[publish_first], publish_second, [Some(1), Some(2)]),
    ("a set rolled back", &[publish_first, publish_second], roll_back_to_first, [Some(2), Some(3)]),
    ("sets swept", &[publish_first, publish_second, publish_third], sweep_sets, [Some(3), Some(3)]),
    (
        "sets swept after a roll back",
        &[publish_first, publish_second, roll_back_to_first, publish_third],
        sweep_sets,
        [Some(4), Some(4)],
    ),
];

#[test]
fn a_power_failure_leaves_the_set_before_or_the_set_after_whole() {
    for (what, before, work, [was, is]) in CASES {
        for steps in 0.. {
            let scene = Scene::new();
            scene.prepare(before);
            scene.disk.fail_after(steps);
            let done = work(&scene.home).is_ok();
            let what = format!("{what}, power failure after {steps} steps");
            // A set whose publication was confirmed exists after a power failure.
            let may_be = if done { vec![is] } else { vec![was, is] };
            scene.check(&what, &may_be);
            if done {
                assert!(steps >= 3, "{what}: nothing was done step by step");
                break;
            }
        }
    }
}

/// A killed publisher leaves unsynced names; the next publisher relies on none of them.
#[test]
fn a_power_failure_after_a_killed_publisher_and_another_leaves_the_set_whole() {
    for (what, before, work, [_, is]) in CASES.into_iter().take(3) {
        for steps in 0.. {
            let scene = Scene::new();
            scene.prepare(before);
            scene.disk.fail_after(steps);
            let done = work(&scene.home).is_ok();
            scene.disk.fail_after(usize::MAX);
            let what = format!("{what}, killed after {steps} steps");
            if done {
                break;
            }
            // The manifest may exist already; then the next number follows it.
            let left = scene.home.newest(MARKET).unwrap().map_or(0, |set| set.number);
            work(&scene.home).unwrap();
            let next = scene.home.newest(MARKET).unwrap().unwrap().number;
            // A rollback that exists already is not published again.
            assert!(
                next == left + 1 || (next == left && what.contains("rolled back")),
                "{what}: {left}, {next}"
            );
            assert!(next == is.unwrap() || next == is.unwrap() + 1, "{what}: {next}");
            scene.check(&what, &[Some(next)]);
        }
    }
}
