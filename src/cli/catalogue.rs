//! The catalogue of a command: the built-in query files, overridden by the user-supplied ones.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use super::live_declarations::LiveDeclarations;
use super::query_folder::files;
use crate::engine::Snapshot;
use crate::language::Vocabulary;
use crate::mcp::ChatTools;
use crate::operation::{Catalogue, missing_lines, with_lines};

const UNSOUND_FILES: &str = "the query files are not sound; `parquote check` also tells the lines to write";

pub(super) fn read(overlay: Option<&Path>) -> anyhow::Result<Arc<Catalogue>> {
    let catalogue = Catalogue::with_overlay(&files(overlay)?).context(UNSOUND_FILES)?;
    Vocabulary::from_catalogue(&catalogue).context("the words of screens are not sound")?;
    if let Err(mistakes) = ChatTools::from_catalogue(&catalogue) {
        let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        anyhow::bail!("the tools of chats are not sound: {}", mistakes.join("; "));
    }
    LiveDeclarations::read(&catalogue).context("the pages and prompts are not sound")?;
    Ok(Arc::new(catalogue))
}

/// Reads the catalogue and plans the user-supplied operations. The error has all faults of their files, and the lines that these lack.
pub(super) async fn load_checked(overlay: Option<&Path>) -> anyhow::Result<Arc<Catalogue>> {
    let wrong = match read(overlay) {
        Ok(catalogue) => {
            let faults = planning_faults(&catalogue).await;
            anyhow::ensure!(faults.is_empty(), "the query files are not sound: {}", faults.join("\n"));
            return Ok(catalogue);
        }
        Err(wrong) => wrong,
    };
    let mut files = files(overlay)?;
    let mut report = format!("{}", wrong.root_cause());
    for (path, text) in files.iter_mut().filter(|(path, _)| path.starts_with("api/")) {
        let missing = missing_lines(path, text);
        if !missing.is_empty() {
            let lines = missing.iter().flat_map(|line| ["\n  ", &line.text]);
            report.extend(["\nwrite into ", path.as_str(), ":"].into_iter().chain(lines));
            *text = with_lines(text, &missing);
        }
    }
    if let Ok(whole) = Catalogue::with_overlay(&files) {
        report.extend(planning_faults(&whole).await.into_iter().map(|fault| format!("\n{fault}")));
    }
    anyhow::bail!("the query files are not sound: {report}")
}

/// Returns the faults of user-supplied operations that only planning detects.
async fn planning_faults(catalogue: &Catalogue) -> Vec<String> {
    let mut faults = Vec::new();
    for operation in catalogue.operations().iter().filter(|operation| !catalogue.is_shipped(operation)) {
        let alone = catalogue.with_operations(|other| other.name == operation.name);
        let planned = Snapshot::declared(Arc::new(alone)).await;
        faults.extend(planned.err().map(|fault| format!("{:#}", anyhow::Error::from(fault))));
    }
    faults
}

/// Reads only the tables of the catalogue.
pub(super) fn tables(overlay: Option<&Path>) -> anyhow::Result<Catalogue> {
    Catalogue::tables_with_overlay(&files(overlay)?).context(UNSOUND_FILES)
}
