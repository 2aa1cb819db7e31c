//! Embeds every file under `sources/` into the binary, as a list of (path, text).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    embed("sources", &["toml"], "SOURCES", "sources.rs")
}

/// Writes a Rust file with a list of the files in a folder; a folder that is not there has none.
fn embed(folder: &str, extensions: &[&str], name: &str, code_file: &str) -> io::Result<()> {
    println!("cargo:rerun-if-changed={folder}");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join(folder);
    let mut files = Vec::new();
    if root.is_dir() {
        collect(&root, extensions, &mut files)?;
    }
    files.sort();
    let mut code = format!("pub(crate) static {name}: &[(&str, &str)] = &[\n");
    for file in &files {
        let path = file.strip_prefix(&root).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        writeln!(code, "    ({path:?}, include_str!({:?})),", file.display().to_string())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join(code_file), code)
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
