//! Files of sets whose bytes changed on disk: the set is refused, the earlier one is served, and `check --hashes` names the file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use parquote::operation::Market;
use parquote::set::Home;

use super::swaps::rename;
use crate::plain_folder::plain_market;
use crate::program::run;
use crate::refreshed_server::{Fixture, on_request};
use crate::tables::change;

/// Publishes two sets; the second has other files of a small and of a long table.
fn two_sets() -> Fixture {
    let fixture = Fixture::over(on_request(), plain_market);
    change(&fixture.file("daily_prices/2026.parquet"), |rows| rows);
    rename(&fixture, "Second");
    assert_eq!(fixture.set(), 2);
    fixture
}

/// Copies the sets and damages the copy.
fn copy(from: &Path, to: &Path, damage: impl FnOnce(&Path)) {
    let copied = Command::new("cp").arg("-a").arg(from.join("india")).arg(to).status().unwrap();
    assert!(copied.success());
    damage(to);
}

/// Changes a file that only the second set has: one letter of the writer's name, so that all else reads as before.
fn damage(data: &Path, table: &str) -> PathBuf {
    let home = Home::new(data);
    let [one, two] = [1, 2].map(|number| home.read(Market::India, number).unwrap());
    let known: Vec<_> = one.files().map(|(_, file)| file.hash.clone()).collect();
    let mut new = two.files().filter(|(of, file)| *of == table && !known.contains(&file.hash));
    let path = home.file_path(Market::India, table, &new.next().unwrap().1.hash);
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(10).rposition(|words| words == b"parquet-rs").unwrap();
    bytes[at] = b'P';
    let _ = fs::remove_file(&path);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_set_with_a_damaged_file_is_left_for_the_one_before_it() {
    let sets = two_sets();
    for table in ["stocks", "daily_prices"] {
        let mut damaged = PathBuf::new();
        let fixture = Fixture::over(on_request(), |data| {
            copy(&sets.data(), data, |data| damaged = damage(data, table));
        });
        assert!(damaged.exists());
        fixture.wait("the first set", |status| status.set == Some(1));
        assert_ne!(super::swaps::name(&fixture.get("companies?limit=1")), "Second", "{table}");
    }
}

#[test]
fn check_of_hashes_names_the_file() {
    let sets = two_sets();
    let check = |data: &Path| {
        let (code, out, errors) = run(&["check", data.to_str().unwrap(), "--hashes"]);
        (code, out + &errors)
    };
    let (code, words) = check(&sets.data());
    assert!(code == Some(0) && words.contains("india: set 2"), "{words}");
    let folder = tempfile::tempdir().unwrap();
    copy(&sets.data(), folder.path(), |data| {
        let damaged = damage(data, "daily_prices");
        let (code, words) = check(data);
        assert!(code == Some(1) && words.contains(damaged.to_str().unwrap()), "{code:?} {words}");
    });
}
