//! The sources against the plan of the house: which module may know which, and what stands where.
//!
//! Arrows point one way: `main -> cli -> surface -> call -> {refresh, workers} -> handlers -> {agents, raw} -> {engine, access, fetch,
//! language, risk} -> set -> {operation, state, picture} -> {error, blocking, causes, digits, thread_priority}`, with `derive`, `demo`
//! and `config` beside `handlers`. Tests inside a module are free to look anywhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The floors of the house, the lowest first; a module sees those below its own and no neighbour.
const FLOORS: [&[&str]; 10] = [
    &["error", "blocking", "causes", "digits", "thread_priority"],
    &["operation", "state", "picture"],
    &["set"],
    &["engine", "access", "fetch", "language", "risk"],
    &["agents", "raw", "select_process"],
    &["handlers", "derive", "demo", "config"],
    &["refresh", "workers"],
    &["call", "audit"],
    &["surface"],
    &["cli"],
];

/// The floors within a room, the lowest first, by the same rule; `""` stands for its files outside folders. The `mod.rs` of a room, where
/// they meet, lies above all.
const FLOORS_WITHIN: [(&str, &[&[&str]]); 2] = [
    ("surface", &[&[""], &["openapi", "pages"], &["http", "mcp"]]),
    ("agents", &[&["job", "provider"], &["", "numbers"], &["presets"], &["committee"]]),
];

/// Modules that compute and do nothing else: no file, no network, no clock of a runtime.
const PURE: [&str; 4] = ["operation", "picture", "surface/openapi", "surface/pages"];

/// Crates that have one home: the crate, where it may be named, and single files that may too, each with its reason.
const HOMES: [(&str, &[&str]); 34] = [
    ("rusqlite", &["state"]),
    ("tokio_postgres", &["state"]),
    ("rustls_native_certs", &["state"]),
    ("hyper", &["surface/http"]),
    ("hyper_util", &["surface/http"]),
    ("tokio_rustls", &["surface/tls.rs", "state/database/postgres_tls.rs"]),
    ("prometheus_client", &["surface/http"]),
    ("datafusion_distributed", &["workers"]),
    ("datafusion_proto", &["workers"]),
    ("tonic", &["workers"]),
    // The SDK's transport is handed requests and gives back replies in axum's words for them.
    ("axum", &["surface/http", "surface/mcp/endpoint.rs"]),
    ("tower_http", &["surface/http"]),
    ("rmcp", &["surface/mcp"]),
    ("datafusion", &["engine", "raw", "derive", "demo", "handlers", "agents", "audit", "workers"]),
    ("arrow", &["engine", "raw", "derive", "demo", "handlers", "agents", "audit", "workers"]),
    // Requests to a bucket are signed as that crate signs its own.
    // Workers wrap the stores that plans may read.
    ("object_store", &["set", "fetch/s3.rs", "workers"]),
    ("notify", &["refresh"]),
    ("rig_core", &["agents/provider"]),
    // Documents of apps come from the web.
    ("reqwest", &["agents/provider", "fetch", "surface/http/oauth/client_documents.rs"]),
    ("sha2", &["surface/http/oauth"]),
    ("chacha20poly1305", &["agents/provider"]),
    ("nalgebra", &["risk"]),
    ("kodama", &["risk"]),
    ("anyhow", &["cli", "main.rs"]),
    ("clap", &["cli", "config.rs"]),
    ("indicatif", &["cli"]),
    ("tracing_subscriber", &["cli"]),
    ("resvg", &["picture"]),
    // SVG and HTML: a picture stands in a page.
    ("maud", &["picture", "surface"]),
    ("pulldown_cmark", &["surface/http/docs"]),
    ("quick_xml", &["raw"]),
    ("calamine", &["raw"]),
    ("rayon", &["raw", "derive"]),
    ("ipnet", &["surface/http", "config.rs"]),
];

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

/// The modules of this crate that a code names: `crate::x::...` and `crate::{x::..., y}`.
fn named(code: &str, root: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices(root) {
        let before = code[..at].chars().next_back().unwrap_or(' ');
        let rest = &code[at + root.len()..];
        if before.is_alphanumeric() || before == '_' || before == '$' {
            continue;
        }
        match rest.strip_prefix('{') {
            None => names.push(identifier(rest)),
            Some(group) => {
                let mut depth = 0;
                let mut start = true;
                for (at, c) in group.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        c if start && c.is_alphabetic() => {
                            names.push(identifier(&group[at..]));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    names
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn floor(floors: &[&[&str]], module: &str) -> Option<usize> {
    floors.iter().position(|floor| floor.contains(&module))
}

#[test]
fn arrows_point_one_way() {
    let mut problems = Vec::new();
    for source in sources().iter().filter(|source| !["main.rs", "lib.rs"].contains(&source.path.as_str())) {
        let module = source.path.split(['/', '.']).next().unwrap();
        let Some(own) = floor(&FLOORS, module) else {
            problems.push(format!("src/{} is on no floor of the house", source.path));
            continue;
        };
        for other in named(&source.code, "crate::").into_iter().filter(|other| other != module) {
            if floor(&FLOORS, &other).is_none_or(|floor| floor >= own) {
                problems.push(format!("src/{}: `{module}` looks at `{other}`", source.path));
            }
        }
    }
    let main = sources().into_iter().find(|source| source.path == "main.rs").unwrap();
    assert_eq!(named(&main.code, "parquote::"), ["cli"], "main knows the command line alone");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_room_that_is_named_here_exists() {
    let sources = sources();
    let exists = |place: &str| {
        let within = |source: &Source| {
            source.path.trim_end_matches(".rs") == place.trim_end_matches(".rs")
                || source.path.starts_with(&format!("{place}/"))
        };
        sources.iter().any(within)
    };
    let floors = FLOORS.concat().into_iter().map(str::to_owned);
    let within = FLOORS_WITHIN.iter().flat_map(|(room, floors)| {
        let named = floors.concat().into_iter().filter(|within| !within.is_empty());
        named.map(move |within| format!("{room}/{within}"))
    });
    let homes = HOMES.iter().flat_map(|(_, homes)| homes.iter()).chain(&PURE).map(|home| (*home).to_owned());
    let gone: Vec<_> = floors.chain(within).chain(homes).filter(|place| !exists(place)).collect();
    assert!(gone.is_empty(), "there is no {gone:?}");
}

#[test]
fn arrows_within_rooms_point_one_way() {
    let mut problems = Vec::new();
    for (room, floors) in FLOORS_WITHIN {
        for source in sources().iter().filter(|source| source.path != format!("{room}/mod.rs")) {
            let Some(path) = source.path.strip_prefix(&format!("{room}/")) else { continue };
            let within = path.split_once('/').map_or("", |(within, _)| within);
            let Some(own) = floor(floors, within) else {
                problems.push(format!("src/{} is on no floor of `{room}`", source.path));
                continue;
            };
            let named = named(&source.code, &format!("crate::{room}::"));
            for other in named.into_iter().filter(|other| other != within) {
                if floor(floors, &other).is_some_and(|floor| floor >= own) {
                    problems.push(format!("src/{}: looks at `{other}`", source.path));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn each_crate_is_named_where_it_has_its_home() {
    let mut problems = Vec::new();
    for source in sources() {
        for (name, homes) in HOMES {
            let named = source.code.lines().any(|line| {
                let line = line.trim_start();
                let path = format!("{name}::");
                line.match_indices(&path).any(|(at, _)| {
                    let before = line[..at].chars().next_back().unwrap_or(' ');
                    !(before.is_alphanumeric() || before == '_')
                })
            });
            if named
                && !homes
                    .iter()
                    .any(|home| source.path == *home || source.path.starts_with(&format!("{home}/")))
            {
                problems.push(format!(
                    "src/{} names {name}, whose home is {}",
                    source.path,
                    homes.join(", ")
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn what_only_computes_is_pure() {
    let is_pure = |source: &&Source| PURE.iter().any(|room| source.path.starts_with(&format!("{room}/")));
    for source in sources().iter().filter(is_pure) {
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
    let text = "use crate::{a::{b, c}, d};\n// crate::e\nfn f() { crate::g::h(); mycrate::i(); }\n#[cfg(test)]\nmod tests {\n    use crate::j;\n}\nuse crate::k;\n";
    assert_eq!(named(&code(text), "crate::"), ["a", "d", "g", "k"]);
}
