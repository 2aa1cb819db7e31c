//! What a `source.txt` says of the files beside and below it: where their rows are from.
//!
//! A row that names its own source keeps it. Nothing is guessed from names of files or from the market.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::domain::provenance::Provenance;

/// The name of a file that says where the files of its folder, and of the folders in it, are from.
const NAME: &str = "source.txt";

/// The most that such a file may say, in bytes: a sentence, which every row of the folder repeats.
const MOST: u64 = 300;

/// What the files named `source.txt` of a market's folder say, by their folder.
#[derive(Debug, Default)]
pub(crate) struct SourceNotes(BTreeMap<PathBuf, Arc<str>>);

impl SourceNotes {
    /// Whether a file says where others are from, and is no raw file itself.
    pub(crate) fn is_one(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(NAME))
    }

    /// Reads what such a file says.
    ///
    /// # Errors
    /// A file that cannot be read, or says nothing or more than a sentence.
    pub(crate) fn read(&mut self, path: &Path) -> io::Result<()> {
        let mut text = String::new();
        File::open(path)?.take(MOST + 1).read_to_string(&mut text)?;
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() || text.len() as u64 > MOST {
            return Err(io::Error::other(format!(
                "it should say where the files of its folder are from, in 1 to {MOST} bytes"
            )));
        }
        self.0.insert(path.parent().unwrap_or(Path::new("")).to_owned(), words.into());
        Ok(())
    }

    /// What the nearest such file above says, together with the kind of file.
    ///
    /// A file that gives a table has no kind: it is whatever its owner wrote.
    pub(crate) fn of(&self, path: &Path, kind: Option<&str>) -> Provenance {
        let said = path.ancestors().skip(1).find_map(|folder| self.0.get(folder));
        Provenance::of(match (said, kind) {
            (Some(said), Some(kind)) => Some(format!("{said}: {kind}").into()),
            (Some(said), None) => Some(Arc::clone(said)),
            (None, kind) => kind.map(Arc::from),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_note_holds_and_the_kind_stands_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("deals/old")).unwrap();
        std::fs::write(at("source.txt"), "from\n afar\n").unwrap();
        std::fs::write(at("deals/SOURCE.TXT"), "typed by hand").unwrap();
        let mut notes = SourceNotes::default();
        for name in ["source.txt", "deals/SOURCE.TXT"] {
            assert!(SourceNotes::is_one(&at(name)));
            notes.read(&at(name)).unwrap();
        }
        let of = |name: &str, kind| notes.of(&at(name), kind).words().map(str::to_owned);
        assert_eq!(of("bc.csv", Some("actions")).as_deref(), Some("from afar: actions"));
        assert_eq!(of("deals/old/bulk.csv", Some("deals")).as_deref(), Some("typed by hand: deals"));
        assert_eq!(of("pledges.csv", None).as_deref(), Some("from afar"));
        let nothing = SourceNotes::default();
        assert_eq!(nothing.of(&at("bc.csv"), Some("actions")).words(), Some("actions"));
        assert_eq!(nothing.of(&at("pledges.csv"), None).words(), None);
    }

    #[test]
    fn what_says_nothing_or_too_much_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("source.txt");
        for text in [" \n".to_owned(), "a".repeat(301)] {
            std::fs::write(&path, text).unwrap();
            assert!(SourceNotes::default().read(&path).unwrap_err().to_string().contains("1 to 300"));
        }
        assert!(!SourceNotes::is_one(Path::new("a/sources.txt")));
    }
}
