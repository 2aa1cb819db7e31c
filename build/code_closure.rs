//! Which source files a module reaches, and what they say.
//!
//! It knows no types: a path in the code is followed to the module that it names, or to the one that a `pub use` of that module
//! names in turn, and a module brings its own children. So a file is reached where something in it may be used. A method that
//! stands in another file than its type, beside it, is not found; the project has none of a type that decides rows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::code_tokens::code;

/// A file that is reached.
pub(crate) struct Reached {
    pub(crate) path: PathBuf,
    /// Of a file of Rust its tokens, of another one its text.
    pub(crate) says: Vec<String>,
}

/// The files that a module reaches, with its own, but for these files and folders. `src` is the folder of the crate's root.
pub(crate) fn closure(src: &Path, module: &str, left_out: &[&str]) -> io::Result<Vec<Reached>> {
    let (mut waiting, mut seen, mut reached) = (vec![vec![module.to_owned()]], BTreeSet::new(), Vec::new());
    while let Some(module) = waiting.pop() {
        let Some(path) = file_of(src, &module) else { continue };
        let is_left_out = left_out.iter().any(|name| path.starts_with(src.join(name)));
        if is_left_out || !seen.insert(path.clone()) {
            continue;
        }
        let says = code(&fs::read_to_string(&path)?);
        for named in paths(&says) {
            waiting.extend(target(src, &module, &named)?);
        }
        for words in
            says.windows(3).filter(|words| matches!(words, [module, _, end] if module == "mod" && end == ";"))
        {
            waiting
                .extend(words.get(1).map(|child| [module.as_slice(), std::slice::from_ref(child)].concat()));
        }
        for text in included(&says) {
            let path = path.parent().unwrap_or(src).join(text);
            reached.push(Reached { says: vec![fs::read_to_string(&path)?], path });
        }
        reached.push(Reached { path, says });
    }
    reached.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(reached)
}

/// The file of a module.
fn file_of(src: &Path, module: &[String]) -> Option<PathBuf> {
    let folder = module.iter().fold(src.to_owned(), |folder, part| folder.join(part));
    [folder.with_extension("rs"), folder.join("mod.rs")].into_iter().find(|path| path.is_file())
}

/// The module that a path names, as it stands in another; none where it names nothing of this crate.
fn target(src: &Path, within: &[String], path: &[String]) -> io::Result<Option<Vec<String>>> {
    let (mut module, mut rest) = (within.to_vec(), path);
    while let [first, more @ ..] = rest {
        match first.as_str() {
            "crate" => module.clear(),
            "super" => drop(module.pop()),
            "self" => {}
            _ => break,
        }
        rest = more;
    }
    let (is_relative, from) = (rest.len() == path.len(), module.len());
    while let [next, more @ ..] = rest {
        module.push(next.clone());
        if file_of(src, &module).is_none() {
            module.pop();
            break;
        }
        rest = more;
    }
    if module.is_empty() || is_relative && module.len() == from {
        return Ok(None);
    }
    let (Some(item), Some(file)) = (rest.first(), file_of(src, &module)) else { return Ok(Some(module)) };
    match exports(&code(&fs::read_to_string(file)?)).get(item) {
        Some(exported) => target(src, &module, exported),
        None => Ok(Some(module)),
    }
}

/// The paths that tokens name. Those within the braces of another one are there for themselves too, which finds nothing more.
fn paths(tokens: &[String]) -> Vec<Vec<String>> {
    let token = |at: usize| tokens.get(at).map_or("", String::as_str);
    let mut paths = Vec::new();
    for at in (0..tokens.len()).filter(|at| is_name(token(*at)) && token(at + 1) == "::") {
        if at.checked_sub(1).is_none_or(|before| token(before) != "::") {
            tree(tokens, at, &[], &mut paths);
        }
    }
    paths
}

/// What a module exports of others by `pub use`, by name.
fn exports(tokens: &[String]) -> BTreeMap<String, Vec<String>> {
    let mut paths = Vec::new();
    for (at, words) in tokens.windows(2).enumerate() {
        if matches!(words, [before, word] if word == "use" && (before == "pub" || before == ")")) {
            tree(tokens, at + 2, &[], &mut paths);
        }
    }
    paths.into_iter().filter_map(|path| Some((path.last()?.clone(), path))).collect()
}

/// Adds the paths of a tree that begins at a token; the place behind it is returned.
fn tree(tokens: &[String], mut at: usize, before: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let token = |at: usize| tokens.get(at).map_or("", String::as_str);
    let mut path = before.to_vec();
    while is_name(token(at)) {
        path.push(token(at).to_owned());
        at += 1;
        if token(at) != "::" {
            paths.push(path);
            // Whatever it is called from here on.
            return if token(at) == "as" { at + 2 } else { at };
        }
        at += 1;
    }
    if token(at) != "{" {
        // `a::*` and `a::<T>`: the module, and what is in it.
        paths.push(path);
        return at + 1;
    }
    at += 1;
    while !matches!(token(at), "}" | "") {
        at = tree(tokens, at, &path, paths);
        at += usize::from(token(at) == ",");
    }
    at + 1
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The files of which `include_str!` takes the text.
fn included(tokens: &[String]) -> Vec<String> {
    let calls = tokens.windows(4).filter_map(|window| match window {
        [name, bang, open, text] if name == "include_str" && bang == "!" && open == "(" => Some(text),
        _ => None,
    });
    calls.filter_map(|text| Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned())).collect()
}
