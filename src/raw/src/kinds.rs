//! Detects the kinds of raw files in a folder: reads their headers, and none of their rows.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::RawError;
use crate::files::find::{self, WantedFiles};
use crate::formats;
use crate::options::RawOptions;
use crate::progress::SilentProgress;
use crate::records::raw_format::Layout;
use crate::user_tables::file::UserTables;

/// Maximum number of members of an archive that are opened: an archive of all companies has a million of one kind.
const MOST_MEMBERS: usize = 64;

/// Kinds of raw files in a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawKinds {
    /// Formats, by their labels.
    pub formats: BTreeSet<&'static str>,
    /// User-supplied tables.
    pub tables: BTreeSet<String>,
}

impl RawKinds {
    /// Opens every file under `dir`, the market's folder; a missing folder is empty.
    ///
    /// # Errors
    /// The folder cannot be listed, or a declaration has a mistake.
    pub fn scan(dir: &Path, options: &RawOptions<'_>) -> Result<Self, RawError> {
        let mut kinds = Self::default();
        if !dir.is_dir() {
            return Ok(kinds);
        }
        formats::all().map_err(RawError::Declaration)?;
        let RawOptions { market, bounds, .. } = *options;
        let user_tables = UserTables::new(options.user_tables, options.declared_formats, market);
        let user_tables = &user_tables.map_err(RawError::Declaration)?;
        let wanted = WantedFiles { members: MOST_MEMBERS, ..WantedFiles::all(market, user_tables, bounds) };
        for source in find::find(dir, wanted, &SilentProgress)?.sources {
            kinds.formats.insert(source.label());
            if let Layout::UserTable(file) = &source.layout {
                kinds.tables.insert(file.table.name.clone());
            }
        }
        Ok(kinds)
    }
}
