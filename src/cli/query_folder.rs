//! The files of a `--queries` folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Reads the SQL and TOML files, each as its path below the folder and its text; none without a folder.
pub(super) fn files(overlay: Option<&Path>) -> anyhow::Result<Vec<(String, String)>> {
    let Some(folder) = overlay else { return Ok(Vec::new()) };
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    let is_read =
        |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "sql" || extension == "toml");
    let read = |path: &PathBuf| -> anyhow::Result<(String, String)> {
        let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let name = path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/");
        Ok((name, text))
    };
    paths.iter().filter(is_read).map(read).collect()
}

/// Adds the paths of all files below a folder.
pub(super) fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be listed", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}
