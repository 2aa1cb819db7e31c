//! What the borders of crates cannot say of the sources: which rooms only compute, who reads the environment, where SELECTs stand, and
//! what files are called.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules that compute and do nothing else: no file, no network, no clock of a runtime.
const PURE: [&str; 4] = ["operation", "picture", "surface/openapi", "explorer"];

const NO_NAMES: [&str; 7] = ["utils", "util", "common", "helpers", "misc", "types", "manager"];

pub(crate) struct Source {
    /// Below `src/`, with forward slashes.
    pub path: String,
    /// As it is.
    text: String,
    /// Without comments and without what only tests compile.
    pub code: String,
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), code: code(text), text: text.to_owned() }
    }

    /// The file as if all rooms were of one crate; `None` for what is of no room.
    fn of_house(path: &str, text: &str) -> Option<Self> {
        let Some((room, within)) = path.split_once("/src/") else {
            let is_of_room = !path.ends_with("/build.rs");
            return is_of_room.then(|| Self::new(path, text));
        };
        // What all stand on has several rooms, and what build scripts share has none.
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

/// The modules that a file declares for tests alone: `#[cfg(test)] mod name;`.
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

/// The text without comments, and without the items under `#[cfg(test)]` (which end with a brace in the first column).
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
    for source in sources().iter().filter(|source| source.path != "config.rs") {
        let reads = source.code.matches("env::var").count();
        // The credentials of an object store are the environment's, under its own names.
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
    // The state file has SQL of its own, beside its migrations: it answers no user.
    for source in sources().iter().filter(|source| !source.path.starts_with("state/")) {
        for (number, line) in source.code.lines().enumerate() {
            let sql = line.contains("\"SELECT ") || (line.contains("SELECT ") && line.contains(" FROM "));
            assert!(!sql, "src/{} (code line {}): {line}", source.path, number + 1);
        }
    }
}

#[test]
fn the_reader_of_sources_reads_as_it_should() {
    let text = "use a;\n// b\n#[cfg(test)]\nmod tests {\n    use c;\n}\nuse d;\n";
    assert_eq!(code(text), "use a;\nuse d;\n");
}
