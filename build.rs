//! Embeds every file under `queries/` and `sources/` and the manual's committed pages into the binary, as lists of (path, text), and a hash
//! over the code and the declarations of formats that decide the rows of tables.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The code that decides the rows of tables, and the versions of the crates that it uses.
const MAKES_ROWS: [&str; 6] =
    ["src/digits.rs", "src/engine", "src/operation", "src/raw", "src/derive", "Cargo.lock"];

fn main() -> io::Result<()> {
    embed("queries", &["sql", "toml"], "FILES", "queries.rs")?;
    embed("docs/operations", &["md"], "PAGES", "pages.rs")?;
    embed("docs/guides", &["md"], "GUIDES", "guides.rs")?;
    embed("sources", &["toml"], "SOURCES", "sources.rs")?;
    figures()
}

/// Writes a Rust file with a list of the files in a folder; a folder that is not there has none.
fn embed(folder: &str, extensions: &[&str], name: &str, code_file: &str) -> io::Result<()> {
    println!("cargo:rerun-if-changed={folder}");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join(folder);
    let mut files = Vec::new();
    if root.is_dir() {
        collect(&root, extensions, &mut files)?;
    }
    let below = |file: PathBuf| {
        let path = file.strip_prefix(&root).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        Ok((path, file))
    };
    let mut files = files.into_iter().map(below).collect::<io::Result<Vec<_>>>()?;
    // By the text of the path: paths themselves are in another order, where a folder has the name of a file.
    files.sort();
    let mut code = format!("pub(crate) static {name}: &[(&str, &str)] = &[\n");
    for (path, file) in &files {
        writeln!(code, "    ({path:?}, include_str!({:?})),", file.display().to_string())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join(code_file), code)
}

/// Sets `PARQUOTE_FIGURES`: it tells whether tables that are there were made by the same code and the same declarations of formats.
fn figures() -> io::Result<()> {
    let mut files = Vec::new();
    for place in MAKES_ROWS.map(Path::new) {
        println!("cargo:rerun-if-changed={}", place.display());
        if place.is_dir() {
            collect(place, &["rs", "csv"], &mut files)?
        } else {
            files.push(place.to_owned())
        }
    }
    for folder in ["queries/raw", "queries/purposes"] {
        collect(Path::new(folder), &["toml"], &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for path in files {
        (&path, fs::read(&path)?).hash(&mut hasher);
    }
    println!("cargo:rustc-env=PARQUOTE_FIGURES={:016x}", hasher.finish());
    Ok(())
}

fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, extensions, files)?;
        } else if path.extension().is_some_and(|found| extensions.iter().any(|known| found == *known)) {
            files.push(path);
        }
    }
    Ok(())
}
