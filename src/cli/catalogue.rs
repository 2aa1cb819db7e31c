//! The catalogue that a command works with: the built-in query files, with the user-supplied ones over them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use crate::language::Vocabulary;
use crate::operation::Catalogue;
use crate::surface::mcp::ChatTools;

const NOT_SOUND: &str = "the query files are not sound";

/// Reads the catalogue.
pub(super) fn read(overlay: Option<&Path>) -> anyhow::Result<Arc<Catalogue>> {
    let catalogue = Catalogue::with_overlay(&files(overlay)?).context(NOT_SOUND)?;
    Vocabulary::of(&catalogue).context("the words of screens are not sound")?;
    if let Err(mistakes) = ChatTools::of(&catalogue) {
        let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        anyhow::bail!("the tools of chats are not sound: {}", mistakes.join("; "));
    }
    Ok(Arc::new(catalogue))
}

/// Reads its tables alone.
pub(super) fn tables(overlay: Option<&Path>) -> anyhow::Result<Catalogue> {
    Catalogue::tables_with_overlay(&files(overlay)?).context(NOT_SOUND)
}

/// The user-supplied files.
fn files(overlay: Option<&Path>) -> anyhow::Result<Vec<(String, String)>> {
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
