//! `CONTRIBUTING.md` against the examples under `tests/contributing`: each contribution touches the files that the page lists, the inserted
//! lines have their place in the sources, and the query files fit the catalogue. `tests/contributing/run` builds them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use parquote::explorer::pages::ExplorerPages;
use parquote::mcp::Prompts;
use parquote::operation::Catalogue;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PAGE: &str = include_str!("../../CONTRIBUTING.md");

/// The files that a contribution touches.
#[derive(Debug, Default, PartialEq, Eq)]
struct Touched {
    /// New files, sorted.
    new: Vec<String>,
    /// Number of lines inserted into each existing file.
    lines: BTreeMap<String, usize>,
}

fn examples() -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(ROOT).join("tests/contributing")).unwrap();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn files_below(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, into) } else { into.push(path) }
    }
}

/// Returns the insertions of an example: the file, the line to insert after, and the new line.
fn insertions(example: &Path) -> Vec<[String; 3]> {
    let text = fs::read_to_string(example.join("lines")).unwrap_or_default();
    let parts = |line: &str| -> [String; 3] {
        let parts: Vec<String> = line.splitn(3, " | ").map(str::to_owned).collect();
        parts.try_into().unwrap_or_else(|_| panic!("`{line}` is not `file | anchor | line`"))
    };
    text.lines().map(parts).collect()
}

fn touched(example: &Path) -> Touched {
    let mut files = Vec::new();
    files_below(example, &mut files);
    let below = |path: &PathBuf| path.strip_prefix(example).unwrap().to_str().unwrap().to_owned();
    let mut touched = Touched {
        new: files.iter().map(below).filter(|path| path != "lines").collect(),
        ..Touched::default()
    };
    touched.new.sort();
    for [file, _, _] in insertions(example) {
        *touched.lines.entry(file).or_default() += 1;
    }
    touched
}

/// Returns the table of the page: file names in backquotes, keyed by the first cell.
fn page_table() -> BTreeMap<String, Touched> {
    let table = PAGE.lines().skip_while(|line| !line.starts_with("| thing")).skip(2);
    let rows = table.take_while(|line| line.starts_with("| "));
    let quoted =
        |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let mut new = quoted(cells[1]);
        new.sort();
        let count = cells[2].split_whitespace().next().and_then(|word| word.parse().ok());
        let lines = quoted(cells[2]).into_iter().map(|file| (file, count.unwrap())).collect();
        (cells[0].to_owned(), Touched { new, lines })
    })
    .collect()
}

#[test]
fn the_page_names_all_files_that_a_thing_touches() {
    let found: BTreeMap<String, Touched> = examples()
        .iter()
        .map(|example| (example.file_name().unwrap().to_str().unwrap().to_owned(), touched(example)))
        .collect();
    assert_eq!(found.len(), 9);
    assert_eq!(page_table(), found);
}

/// Below the table, the page names files and folders that exist; a name with `<` is a placeholder.
#[test]
fn the_page_names_files_that_exist() {
    let (before, rest) = PAGE.split_once("| thing ").unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    let spans = before.split('`').skip(1).step_by(2).chain(after.split('`').skip(1).step_by(2));
    let is_path = |span: &&str| {
        let folders = ["src/", "queries/", "sources/", "tests/", "docs/", "benches/"];
        folders.iter().any(|folder| span.starts_with(folder)) && !span.contains(['<', ' '])
    };
    let named: Vec<&str> = spans.filter(is_path).collect();
    assert!(named.len() > 30, "{named:?}");
    for path in named {
        assert!(Path::new(ROOT).join(path).exists(), "{path} does not exist");
    }
}

#[test]
fn lines_have_one_place_in_the_sources_and_new_files_are_new() {
    for example in examples() {
        for [file, anchor, _] in insertions(&example) {
            let text = fs::read_to_string(Path::new(ROOT).join(&file)).unwrap();
            assert_eq!(text.lines().filter(|line| *line == anchor).count(), 1, "{file}: `{anchor}`");
        }
        for file in touched(&example).new {
            assert!(!Path::new(ROOT).join(&file).exists(), "{file} is there");
        }
    }
}

#[test]
fn the_query_files_hold_against_the_catalogue() {
    let mut overlay = Vec::new();
    for example in examples() {
        let mut files = Vec::new();
        let queries = example.join("queries");
        if queries.is_dir() {
            files_below(&queries, &mut files);
        }
        overlay.extend(files.iter().map(|path| {
            let name = path.strip_prefix(&queries).unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        }));
    }
    let catalogue = Catalogue::with_overlay(&overlay).unwrap();
    assert!(catalogue.operation("company/short-sales").is_some());
    assert!(ExplorerPages::from_catalogue(&catalogue).unwrap().find("short-sales").is_some());
    assert!(Prompts::from_catalogue(&catalogue).is_ok());
}
