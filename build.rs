//! Embeds every file under `queries/` into the binary, as a list of (path, text), and a hash over the code behind figures.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=queries");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("queries");
    let mut files = Vec::new();
    collect(&root, "sql", &mut files)?;
    files.sort();
    figures(&root.with_file_name("src"))?;
    let mut code = String::from("pub(crate) static FILES: &[(&str, &str)] = &[\n");
    for file in &files {
        let name = file.strip_prefix(&root).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        writeln!(code, "    ({name:?}, include_str!({:?})),", file.display().to_string())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join("queries.rs"), code)
}

/// Sets `PARQUOTE_FIGURES`: it tells whether tables that are there were made by the same code.
fn figures(src: &Path) -> io::Result<()> {
    let mut files = Vec::new();
    for folder in ["derive", "engine/functions"] {
        collect(&src.join(folder), "rs", &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        fs::read(file)?.hash(&mut hasher);
    }
    println!("cargo:rustc-env=PARQUOTE_FIGURES={:016x}", hasher.finish());
    Ok(())
}

fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, extension, files)?;
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    Ok(())
}
