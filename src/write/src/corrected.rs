//! Withdraws rows whose documents a person corrected: after a change of the day, period, company or text, the old row comes from no
//! document any more.
//!
//! Two kinds of rows remain: those whose document was deleted, if no other document has its day, since a folder of documents may be
//! cleared; and those whose document now has another kind.

use std::collections::BTreeSet;

use parquote_catalogue::operation::{Market, Table};

use crate::document::SourceDocument;
use crate::error::WriteError;
use crate::folders::WriteFolders;
use crate::job::{WriteJob, file_symbol, lacks_period};
use crate::prompt::Prompt;

/// Companies with all their documents.
#[derive(Debug, Clone, Copy)]
pub struct ListedCompanies<'a> {
    /// Symbols of the companies.
    pub symbols: &'a BTreeSet<String>,
    /// Documents of all kinds and days of these companies; the paragraphs are not read.
    pub documents: &'a [SourceDocument],
}

/// Deletes the rows that no person edited and whose document now gives another row, or was replaced by another document of its day. Returns
/// the names of their files, without `.json`.
///
/// # Errors
/// A file cannot be read, written or deleted.
pub fn withdraw_corrected(
    folders: &WriteFolders,
    prompt: &Prompt,
    table: &Table,
    market: Market,
    companies: ListedCompanies<'_>,
) -> Result<Vec<String>, WriteError> {
    let file_name = |document| WriteJob { prompt, table, market, document, title: String::new() }.stem();
    let (mut current_stems, mut days) = (BTreeSet::new(), BTreeSet::new());
    let (mut expected_rows, mut hashes) = (BTreeSet::new(), BTreeSet::new());
    for document in companies.documents {
        hashes.insert(document.hash.clone());
        if lacks_period(table, document) {
            continue;
        }
        let stem = file_name(document);
        if prompt.documents.contains(&document.kind) {
            // Rows of a document have a file named by the company and the day, then the hash.
            days.extend(stem.strip_suffix(document.hash.as_str()).map(str::to_owned));
            current_stems.insert(stem.clone());
        }
        expected_rows.insert((stem, document.hash.clone()));
    }
    let symbols: Vec<String> = companies.symbols.iter().map(|symbol| file_symbol(symbol)).collect();
    let mut withdrawn = Vec::new();
    for stem in folders.note_names(&prompt.table)? {
        if current_stems.contains(&stem) || !symbols.iter().any(|symbol| is_of_company(&stem, symbol)) {
            continue;
        }
        let Some(document) = folders.document_of_note(&prompt.table, &stem)? else { continue };
        let is_replaced = hashes.contains(&document) || days.iter().any(|day| stem.starts_with(day.as_str()));
        // A prompt that no longer reads the kind of a document does not delete the row that it wrote.
        let row = (stem, document);
        if is_replaced && !expected_rows.contains(&row) && folders.withdraw(&prompt.table, &row.0)? {
            withdrawn.push(row.0);
        }
    }
    withdrawn.sort();
    Ok(withdrawn)
}

/// Returns true if a file name belongs to a company: it is the symbol, alone or followed by a period or document.
fn is_of_company(stem: &str, symbol: &str) -> bool {
    stem.strip_prefix(symbol).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}
