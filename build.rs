//! Embeds the manual's committed pages and guides into the binary, and sets a hash over the code and the declarations of formats that
//! decide the rows of tables.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

use parquote_embed::{collect, embed};

/// The code that decides the rows of tables, and the versions of the crates that it uses.
const MAKES_ROWS: [&str; 5] = ["src/catalogue/src", "src/engine", "src/raw", "src/derive", "Cargo.lock"];

fn main() -> io::Result<()> {
    embed("docs/operations", &["md"], "PAGES", "pages.rs")?;
    embed("docs/guides", &["md"], "GUIDES", "guides.rs")?;
    figures()
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
