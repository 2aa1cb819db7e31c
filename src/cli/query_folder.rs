//! The files of a `--queries` folder.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

/// Reads them, as path below the folder and text; none without a folder.
pub(super) fn files(overlay: Option<&Path>) -> anyhow::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    if let Some(folder) = overlay {
        collect(folder, folder, &mut files)?;
    }
    Ok(files)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be listed", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "sql" || extension == "toml") {
            let text =
                fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
            let name = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            files.push((name, text));
        }
    }
    Ok(())
}
