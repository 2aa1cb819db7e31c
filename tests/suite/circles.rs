//! No import cycles among files, direct or indirect.
//!
//! Imports are read from `use` lines and from paths in the code, and followed through re-exports to the file that defines the name.
//! References from a folder's `mod.rs` to the files in that folder do not count: they are its list of modules. Methods are called
//! without the name of their file, so calls of methods are not seen.

use std::collections::{BTreeMap, BTreeSet};

use crate::architecture::{Source, sources};

/// A module by its path below the crate: `["engine", "format"]`.
type Module = Vec<String>;

/// The modules of the crate: the paths that each uses, and the path behind each imported name.
struct Modules {
    named: BTreeMap<Module, Vec<Module>>,
    imported: BTreeMap<Module, BTreeMap<String, Module>>,
}

impl Modules {
    fn from_sources(sources: &[Source]) -> Self {
        let (mut named, mut imported) = (BTreeMap::new(), BTreeMap::new());
        for source in sources.iter().filter(|source| source.path != "main.rs") {
            let module = module(&source.path);
            let (uses, rest) = uses(&source.code);
            let paths = uses.iter().map(|(path, _)| path.clone()).chain(inline_paths(&rest)).collect();
            named.insert(module.clone(), paths);
            imported.insert(module, uses.into_iter().map(|(path, name)| (name, path)).collect());
        }
        Self { named, imported }
    }

    /// Returns the module that defines the target of a path; `None` for other crates.
    fn resolve(&self, from: &[String], path: &[String], steps: usize) -> Option<Module> {
        /// Most re-exports through which a name is followed.
        const MOST_STEPS: usize = 12;
        let (first, rest) = path.split_first().filter(|_| steps < MOST_STEPS)?;
        let mut at = from.to_vec();
        let mut left = match first.as_str() {
            "crate" => {
                at.clear();
                rest
            }
            "self" => rest,
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                at.truncate(at.len().checked_sub(ups)?);
                &path[ups..]
            }
            name => {
                let is_child = self.named.contains_key(&child(&at, name));
                let import = self.imported.get(&at).and_then(|names| names.get(name));
                match import.filter(|import| !is_child && import.first() != Some(first)) {
                    Some(import) => return self.resolve(from, &joined(import, rest), steps + 1),
                    None if is_child => path,
                    None => return None,
                }
            }
        };
        while let Some((name, rest)) = left.split_first() {
            if self.named.contains_key(&child(&at, name)) {
                at = child(&at, name);
                left = rest;
                continue;
            }
            return match self.imported.get(&at).and_then(|names| names.get(name)) {
                Some(import) => self.resolve(&at, &joined(import, rest), steps + 1),
                None => Some(at),
            };
        }
        Some(at)
    }

    /// Returns the modules that each module imports from; a folder's list of its files does not count.
    fn arrows(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let of = |(from, paths): (&Module, &Vec<Module>)| {
            let found = paths.iter().filter_map(|path| self.resolve(from, path, 0));
            let others =
                found.filter(|to| !to.is_empty() && self.named.contains_key(to) && !to.starts_with(from));
            (from.clone(), others.collect())
        };
        self.named.iter().filter(|(module, _)| !module.is_empty()).map(of).collect()
    }
}

fn child(module: &[String], name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

fn joined(path: &[String], rest: &[String]) -> Module {
    path.iter().chain(rest).cloned().collect()
}

fn module(path: &str) -> Module {
    let path = path.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

/// Returns the paths of all `use` lines, each with the name that it binds, and the code without them.
fn uses(code: &str) -> (Vec<(Module, String)>, String) {
    let (mut uses, mut rest) = (Vec::new(), String::new());
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        let behind = start.strip_prefix("pub").map_or(start, |rest| {
            let rest = rest.trim_start();
            rest.strip_prefix('(')
                .and_then(|rest| rest.split_once(')'))
                .map_or(rest, |(_, rest)| rest.trim_start())
        });
        let Some(tree) = behind.strip_prefix("use ") else {
            rest.push_str(line);
            rest.push('\n');
            continue;
        };
        let mut tree = tree.to_owned();
        while !tree.contains(';') {
            tree.push_str(lines.next().unwrap_or(";").trim());
        }
        leaves("", tree.trim_end().trim_end_matches(';'), &mut uses);
    }
    (uses, rest)
}

/// Collects the leaves of a tree of paths: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn leaves(before: &str, tree: &str, found: &mut Vec<(Module, String)>) {
    let tree = tree.trim();
    if let Some((head, group)) = tree.split_once('{') {
        let group = group.strip_suffix('}').unwrap_or(group);
        let (mut depth, mut start) = (0, 0);
        for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    let part = &group[start..at];
                    if !part.trim().is_empty() {
                        leaves(&format!("{before}{head}"), part, found);
                    }
                    start = at + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
    let mut parts: Module =
        format!("{before}{path}").split("::").map(|part| part.trim().to_owned()).collect();
    if parts.last().is_some_and(|last| last == "self") {
        parts.pop();
    }
    let name =
        if name.is_empty() { parts.last().cloned().unwrap_or_default() } else { name.trim().to_owned() };
    found.push((parts, name));
}

/// Returns the paths in the code itself, such as `super::format::encoder`.
fn inline_paths(code: &str) -> Vec<Module> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = code.split(|c: char| !is_part(c)).filter(|word| word.contains("::"));
    let paths = words.map(|word| word.split("::").map(str::to_owned).collect::<Module>());
    let begins_low = |path: &Module| path[0].starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    paths.filter(|path| path.iter().all(|part| !part.is_empty()) && begins_low(path)).collect()
}

/// Returns all modules that can be reached from a module.
fn reached(from: &Module, arrows: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut left = vec![from];
    while let Some(module) = left.pop() {
        for next in arrows.get(module).into_iter().flatten() {
            if found.insert(next.clone()) {
                left.push(next);
            }
        }
    }
    found
}

/// Returns the cycles, each as the imports between its files.
fn circles(sources: &[Source]) -> Vec<Vec<String>> {
    let arrows = Modules::from_sources(sources).arrows();
    let reach: BTreeMap<&Module, BTreeSet<Module>> =
        arrows.keys().map(|module| (module, reached(module, &arrows))).collect();
    let mut seen: BTreeSet<&Module> = BTreeSet::new();
    let mut circles = Vec::new();
    for (module, found) in reach.iter().filter(|(module, found)| found.contains(**module)) {
        if seen.contains(module) {
            continue;
        }
        let members: Vec<&Module> = reach
            .keys()
            .filter(|other| found.contains(**other) && reach[**other].contains(*module))
            .copied()
            .collect();
        let between = members.iter().flat_map(|from| {
            let to = members.iter().filter(|to| arrows[*from].contains(**to));
            to.map(|to| format!("{} -> {}", from.join("/"), to.join("/")))
        });
        circles.push(between.collect());
        seen.extend(members);
    }
    circles
}

#[test]
fn no_circle_among_files() {
    let found: Vec<String> = circles(&sources()).iter().map(|circle| circle.join("\n  ")).collect();
    assert!(found.is_empty(), "files import each other:\n  {}", found.join("\n\n  "));
}

#[test]
fn circles_are_found_through_re_exports() {
    let source = |path: &str, code: &str| Source::new(path, code);
    let sources = [
        source("lib.rs", "pub mod a;\npub mod b;\n"),
        source("a/mod.rs", "mod one;\nmod two;\npub use one::One;\nuse two::Two;\n"),
        source("a/one.rs", "use crate::b::{self, Bee};\n"),
        source("a/two.rs", "fn f() { super::one::g() }\n"),
        source("b.rs", "use crate::{\n    a::One,\n};\n"),
    ];
    assert_eq!(circles(&sources), [["a/one -> b", "b -> a/one"]]);
}
