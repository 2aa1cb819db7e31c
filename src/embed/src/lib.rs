//! Embeds the files of a folder into a crate, as a list of (path, text): what build scripts of Parquote share.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The root of the sources, which holds this crate.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes a Rust file into `OUT_DIR` with a list of the files in a folder below the root; a folder that is not there has none.
///
/// # Errors
/// A folder or file that cannot be read or written.
pub fn embed(folder: &str, extensions: &[&str], name: &str, code_file: &str) -> io::Result<()> {
    let root = root().join(folder);
    println!("cargo:rerun-if-changed={}", root.display());
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

/// Finds the files with these extensions below a folder. The build script runs again when a folder changes.
///
/// # Errors
/// A folder that cannot be read.
pub fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> io::Result<()> {
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
