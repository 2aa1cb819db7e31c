//! One name, one type: no two structs, enums, traits or type aliases of `src` share a name.
//!
//! Types of tests (`#[cfg(test)]`) and the associated types of traits and impls do not count.

use std::collections::BTreeMap;

use crate::architecture::{Source, sources};

/// The keywords that declare a type.
const DECLARATIONS: [&str; 5] = ["struct ", "enum ", "trait ", "type ", "union "];

/// Returns the name of the type that a line of code declares.
fn declared(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let is_indented = code.len() < line.len();
    let code = match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => code,
    };
    let code = code.strip_prefix("unsafe ").unwrap_or(code);
    let word = DECLARATIONS.into_iter().find(|word| code.starts_with(word))?;
    // An indented `type` is an associated type, named by its trait.
    if word == "type " && is_indented {
        return None;
    }
    let name = code[word.len()..].split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    name.starts_with(|c: char| c.is_uppercase()).then_some(name)
}

#[test]
fn no_type_name_stands_for_two_things() {
    let sources = sources();
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    // The stub of a feature that a build lacks has the same names as the feature.
    let stands_in = |source: &&Source| source.path.rsplit('/').next().unwrap().starts_with("no_");
    for source in sources.iter().filter(|source| !stands_in(source)) {
        for name in source.code.lines().filter_map(declared) {
            places.entry(name).or_default().push(&source.path);
        }
    }
    let twice = places.iter().filter(|(_, places)| places.len() > 1);
    let problems: Vec<String> = twice
        .map(|(name, places)| format!("`{name}` is declared in src/{}", places.join(", src/")))
        .collect();
    assert!(problems.is_empty(), "name each type for what it is:\n{}", problems.join("\n"));
}

#[test]
fn declarations_are_found_as_they_should_be() {
    let found = |line: &str| declared(line).map(str::to_owned);
    assert_eq!(found("pub(crate) struct Plan<'a> {").as_deref(), Some("Plan"));
    assert_eq!(found("    enum Local {").as_deref(), Some("Local"));
    assert_eq!(found("pub trait Runner: Send {").as_deref(), Some("Runner"));
    assert_eq!(found("type Pair = (u32, u32);").as_deref(), Some("Pair"));
    assert_eq!(found("    type Err = String;"), None);
    assert_eq!(found("let structure = 1;"), None);
}
