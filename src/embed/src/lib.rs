//! Shared code of build scripts: embeds a folder's files as a list of (path, text), and hashes the code that makes rows.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Returns the root of the sources, which contains this crate.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes the Rust file `code_file` into `OUT_DIR`: a static `name` with the (path, text) of each file below a folder of the root. The list
/// is empty if the folder is missing.
///
/// # Errors
/// A folder or file cannot be read or written.
pub fn embed(folder: &str, extensions: &[&str], name: &str, code_file: &str) -> io::Result<()> {
    let root = root().join(folder);
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    if root.is_dir() {
        collect(&root, extensions, &mut files)?;
    }
    let with_path = |file: PathBuf| {
        let path = file.strip_prefix(&root).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        Ok((path, file))
    };
    let mut files = files.into_iter().map(with_path).collect::<io::Result<Vec<_>>>()?;
    // Sorts by the text of the path: `Path` compares by components, which orders a folder and a file with its name as prefix differently.
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

/// Sets `PARQUOTE_FIGURES` to a hash of the code in these crates, the declarations of formats, records, purposes, sectors and tone, the
/// calendar, and the versions of all crates: results with the same hash were made by the same code.
///
/// # Errors
/// A folder or file cannot be read.
pub fn set_figures(crates: &[&str]) -> io::Result<()> {
    let root = root();
    let mut files = vec![root.join("Cargo.lock"), root.join("sources/calendar.toml")];
    for name in crates {
        collect(&root.join("src").join(name).join("src"), &["rs", "csv"], &mut files)?;
    }
    for folder in ["queries/raw", "queries/records", "queries/purposes", "queries/sectors", "queries/tone"] {
        collect(&root.join(folder), &["sql", "toml"], &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for path in files {
        println!("cargo:rerun-if-changed={}", path.display());
        let relative = path.strip_prefix(&root).map_err(io::Error::other)?;
        (relative, fs::read(&path)?).hash(&mut hasher);
    }
    println!("cargo:rustc-env=PARQUOTE_FIGURES={:016x}", hasher.finish());
    Ok(())
}

/// Adds the files with these extensions below a folder to `files`. The build script runs again when a folder changes.
///
/// # Errors
/// A folder cannot be read.
pub fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, extensions, files)?;
        } else if path.extension().is_some_and(|it| extensions.iter().any(|extension| it == *extension)) {
            files.push(path);
        }
    }
    Ok(())
}
