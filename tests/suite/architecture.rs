//! Rules of the sources that crate borders cannot express: modules that only compute, the only reader of the environment, the place of
//! SELECTs, and file names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modules that only compute: no file, no network, no runtime clock.
const PURE: [&str; 5] = ["evidence", "operation", "picture", "surface/openapi", "explorer"];

const NO_NAMES: [&str; 7] = ["utils", "util", "common", "helpers", "misc", "types", "manager"];

pub(crate) struct Source {
    /// Path below `src/`, with forward slashes.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// The text without comments and without code that only tests compile.
    pub code: String,
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), code: code(text), text: text.to_owned() }
    }

    /// Returns the file as if all rooms were one crate; `None` for files outside the rooms.
    fn of_house(path: &str, text: &str) -> Option<Self> {
        let Some((room, within)) = path.split_once("/src/") else {
            let is_of_room = !path.ends_with("/build.rs");
            return is_of_room.then(|| Self::new(path, text));
        };
        // `catalogue`, on which all rooms depend, contains several rooms; `embed`, shared by build scripts, is none.
        let is_base = room == "catalogue";
        if room == "embed" || is_base && within == "lib.rs" {
            return None;
        }
        let path = match within {
            _ if is_base => within.to_owned(),
            "lib.rs" => format!("{room}/mod.rs"),
            _ => format!("{room}/{within}"),
        };
        let own = if is_base { "crate::".to_owned() } else { format!("crate::{room}::") };
        let text = text.replace("crate::", &own).replace("parquote_catalogue::", "crate::");
        Some(Self::new(&path, &text.replace("parquote_", "crate::")))
    }
}

pub(crate) fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let mut sources: Vec<Source> = files
        .iter()
        .filter_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            let path = file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            Source::of_house(&path, &text)
        })
        .collect();
    let only_tests: BTreeSet<String> = sources.iter().flat_map(test_modules).collect();
    sources.retain(|source| {
        let module = source.path.trim_end_matches(".rs").trim_end_matches("/mod");
        !only_tests.iter().any(|tests| module == tests || module.starts_with(&format!("{tests}/")))
    });
    assert!(sources.len() > 50);
    sources
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Returns the modules that a file declares only for tests: `#[cfg(test)] mod name;`.
fn test_modules(source: &Source) -> Vec<String> {
    let folder = match source.path.strip_suffix("mod.rs") {
        Some(folder) => folder.to_owned(),
        None if source.path == "lib.rs" || source.path == "main.rs" => String::new(),
        None => format!("{}/", source.path.trim_end_matches(".rs")),
    };
    let lines: Vec<&str> = source.text.lines().map(str::trim).collect();
    let pairs = lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]");
    let names = pairs.filter_map(|pair| pair[1].strip_suffix(';')?.rsplit_once("mod ").map(|(_, name)| name));
    names.map(|name| format!("{folder}{name}")).collect()
}

/// Returns the text without comments and without the items under `#[cfg(test)]` (which end with a brace in the first column).
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut in_tests = false;
    for line in text.lines() {
        if line == "#[cfg(test)]" {
            in_tests = true;
        } else if in_tests {
            in_tests = !(line.starts_with('}') || (line.ends_with(';') && !line.starts_with(' ')));
        } else if !line.trim_start().starts_with("//") {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

#[test]
fn what_only_computes_is_pure() {
    let is_pure = |source: &&Source| PURE.iter().any(|room| source.path.starts_with(&format!("{room}/")));
    let sources = sources();
    assert!(PURE.iter().all(|room| sources.iter().any(|source| source.path.starts_with(room))));
    for source in sources.iter().filter(is_pure) {
        for word in ["std::fs", "std::env", "std::net", "tokio", "async fn", ".await"] {
            assert!(!source.code.contains(word), "src/{}: {word}", source.path);
        }
    }
}

#[test]
fn only_settings_read_the_environment() {
    for source in sources().iter().filter(|source| source.path != "config/mod.rs") {
        let reads = source.code.matches("env::var").count();
        // Object stores read their credentials from the environment, under the standard names.
        let allowed = usize::from(source.path == "set/bucket.rs");
        assert!(reads <= allowed, "src/{} reads the environment", source.path);
    }
}

#[test]
fn every_file_says_what_it_is_and_is_named_for_it() {
    for source in sources() {
        assert!(source.text.starts_with("//! "), "src/{} does not start with `//!`", source.path);
        let stem = source.path.rsplit('/').next().unwrap().trim_end_matches(".rs");
        assert!(!NO_NAMES.contains(&stem), "src/{} is named for nothing", source.path);
    }
}

#[test]
fn selects_live_under_queries() {
    // The state store's SQL is in its room, with its schema; it answers no user request.
    for source in sources().iter().filter(|source| !source.path.starts_with("state/")) {
        for (number, line) in source.code.lines().enumerate() {
            let sql = line.contains("\"SELECT ") || (line.contains("SELECT ") && line.contains(" FROM "));
            assert!(!sql, "src/{} (code line {}): {line}", source.path, number + 1);
        }
    }
}

/// A room that is declared but unused would still have to be compiled first.
#[test]
fn every_room_that_a_crate_declares_is_named_in_its_code() {
    let sources = sources();
    let rooms = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut declared = 0;
    for manifest in fs::read_dir(rooms).unwrap().map(|room| room.unwrap().path().join("Cargo.toml")) {
        let Ok(text) = fs::read_to_string(&manifest) else { continue };
        let room = manifest.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let (_, dependencies) = text.split_once("[dependencies]").unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap();
        for line in dependencies.lines().filter_map(|line| line.strip_prefix("parquote-")) {
            let other = line.split('.').next().unwrap().replace('-', "_");
            // `catalogue` contains several rooms, which are named directly.
            if other == "catalogue" {
                continue;
            }
            let of_room = |source: &&Source| source.path.starts_with(&format!("{room}/"));
            let path = format!("crate::{other}");
            let is_named = sources.iter().filter(of_room).any(|source| source.code.contains(&path));
            assert!(is_named, "src/{room}/Cargo.toml declares `{other}`, which no code of it names");
            declared += 1;
        }
    }
    assert!(declared > 40, "{declared}");
}

/// Its generic functions would be copied from a crate that is not optimized (`profile.dev.package` in `Cargo.toml`).
#[test]
fn no_optimized_room_stands_on_one_that_is_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let plain: BTreeSet<&str> = workspace
        .lines()
        .filter_map(|line| line.strip_suffix(".opt-level = 0"))
        .filter(|name| name.starts_with("parquote"))
        .collect();
    assert!(plain.len() > 10, "{plain:?}");
    for room in fs::read_dir(root.join("src")).unwrap() {
        let Ok(manifest) = fs::read_to_string(room.unwrap().path().join("Cargo.toml")) else { continue };
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = ")).unwrap().trim_matches('"');
        let (_, dependencies) = manifest.split_once("[dependencies]").unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap();
        let named = dependencies.lines().filter_map(|line| line.split(['.', ' ']).next());
        let under: Vec<&str> = named.filter(|other| plain.contains(other)).collect();
        assert!(plain.contains(name) || under.is_empty(), "{name} is at level 1 and stands on {under:?}");
    }
}

/// Returns the features with which cargo would build each crate, for the packages and features in the arguments.
fn features(arguments: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--locked", "--prefix", "none", "--format", "{p}\t{f}"]).args(arguments);
    let done = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let lines = String::from_utf8(done.stdout).unwrap();
    let mut features: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, of) in lines.lines().filter_map(|line| line.split_once('\t')) {
        let of: BTreeSet<&str> = of.trim_end_matches(" (*)").split(',').collect();
        // A crate that build scripts use too may have other features there.
        features.entry(name.to_owned()).or_default().insert(of.into_iter().collect::<Vec<_>>().join(","));
    }
    features
}

/// Otherwise cargo would build the query engine a second time, which takes ten minutes, for a room tested separately or for a program with
/// fewer features.
#[test]
fn one_build_of_the_engine_serves_every_room_and_every_set_of_features() {
    let all = features(&["--edges", "normal,build,dev"]);
    let mut under = features(&["--edges", "normal,build", "--package", "parquote-functions"]);
    under.retain(|name, _| !name.starts_with("parquote"));
    let rooms = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let rooms = rooms
        .map(|room| format!("parquote-{}", room.unwrap().file_name().to_str().unwrap().replace('_', "-")));
    let mut asked: Vec<Vec<String>> = rooms
        .filter(|room| all.keys().any(|name| name.starts_with(&format!("{room} "))))
        .map(|room| vec!["--edges".to_owned(), "normal,build,dev".to_owned(), "--package".to_owned(), room])
        .collect();
    for with in [&[][..], &["--no-default-features"], &["--all-features"]] {
        let program = ["--edges", "normal,build", "--package", "parquote"].iter().chain(with);
        asked.push(program.map(|argument| (*argument).to_owned()).collect());
    }
    let mut compared = 0;
    for arguments in asked {
        let alone = features(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        if !alone.keys().any(|name| name.starts_with("datafusion v")) {
            continue;
        }
        for name in under.keys() {
            let (alone, all) = (&alone[name], &all[name]);
            assert!(
                alone.is_subset(all),
                "{name} has {alone:?} with {arguments:?}, and {all:?} with all: name the rest of its features in src/functions/Cargo.toml"
            );
        }
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn the_reader_of_sources_reads_as_it_should() {
    let text = "use a;\n// b\n#[cfg(test)]\nmod tests {\n    use c;\n}\nuse d;\n";
    assert_eq!(code(text), "use a;\nuse d;\n");
}
