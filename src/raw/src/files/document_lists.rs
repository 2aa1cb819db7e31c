//! The `documents.csv` files: symbol, kind, day, period, title and address of the documents beside them; and the symbol and kind in the
//! path of a document. Both become cells of every paragraph; the table `documents` decides which has precedence.

use std::collections::BTreeMap;
use std::io::{self, Read};

use parquote_encodings::unpack_bounds::refusal;

/// The folder of documents in a market's folder.
const FOLDER: &str = "documents/";
const NAME: &str = "documents.csv";
/// Possible separators of a list's cells; the one that is most frequent in the header is used.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];
/// Maximum bytes of a list.
const MOST_BYTES: u64 = 16 << 20;

/// Endings of documents that are read.
const READABLE_ENDINGS: [&str; 5] = ["txt", "text", "html", "htm", "pdf"];
/// Endings of documents whose text cannot be read.
const UNREADABLE_ENDINGS: [&str; 7] = ["doc", "docx", "ppt", "pptx", "rtf", "odt", "epub"];

/// Columns of a list other than `file`.
const LIST_COLUMNS: [&str; 6] = ["symbol", "kind", "day", "period_end", "title", "url"];

/// Columns that a paragraph gets from lists and from its path.
pub(super) const COLUMNS: [&str; 8] = [
    "LISTED SYMBOL", "LISTED KIND", "LISTED DAY", "LISTED PERIOD", "LISTED TITLE", "LISTED URL",
    "PATH SYMBOL", "PATH KIND",
];

/// Kinds of documents by the words of a path, in which all characters but letters and digits are dashes.
const KINDS: [(&str, &str); 12] = [
    ("-press-release", "press_release"),
    ("-transcript", "transcript"),
    ("-concall", "transcript"),
    ("-presentation", "presentation"),
    ("-announcement", "announcement"),
    ("-8-k-", "8-K"),
    ("-8k-", "8-K"),
    ("-10-k-", "10-K"),
    ("-10k-", "10-K"),
    ("-10-q-", "10-Q"),
    ("-10q-", "10-Q"),
    ("-results-release", "press_release"),
];

/// Longest symbol in a path.
const LONGEST_SYMBOL: usize = 20;

/// Role of a file by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentFile {
    /// A document of text.
    Text,
    /// A document whose text cannot be read.
    Unreadable,
}

impl DocumentFile {
    /// Returns the role of a file; `None` if it is no document.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        let below = path_in_documents(path)?.to_ascii_lowercase();
        let ending = below.trim_end_matches(".gz").rsplit_once('.')?.1;
        if READABLE_ENDINGS.contains(&ending) {
            Some(Self::Text)
        } else {
            UNREADABLE_ENDINGS.contains(&ending).then_some(Self::Unreadable)
        }
    }
}

/// Entries of all lists, by the name of the document: its path below the market's folder, in which a member of an archive follows a `!`.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentLists(BTreeMap<String, [String; LIST_COLUMNS.len()]>);

impl DocumentLists {
    /// Returns true if a file with this name is a list, which is no raw file.
    pub(super) fn is_list(name: &str) -> bool {
        let (folder, file) = name.split_at(name.rfind(['/', '!']).map_or(0, |at| at + 1));
        file.eq_ignore_ascii_case(NAME) && path_in_documents(folder).is_some()
    }

    /// Reads the list with this name.
    ///
    /// # Errors
    /// The list cannot be read, is too long, or has no column `file`.
    pub(super) fn read(&mut self, name: &str, list: &mut dyn Read) -> io::Result<()> {
        let mut text = Vec::new();
        list.take(MOST_BYTES + 1).read_to_end(&mut text)?;
        if text.len() as u64 > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            return Err(refusal(format!(
                "it is longer than {most} MiB: list the documents of each folder in it"
            )));
        }
        let header = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let count = |sign: &u8| header.split(|byte| byte == sign).count();
        let delimiter = SEPARATORS.into_iter().max_by_key(count).unwrap_or(b',');
        let mut reader = csv::ReaderBuilder::new();
        reader.flexible(true).trim(csv::Trim::All).delimiter(delimiter);
        let mut reader = reader.from_reader(text.as_slice());
        let header = reader.headers()?.clone();
        let position = |name: &str| header.iter().position(|known| known.eq_ignore_ascii_case(name));
        let Some(file) = position("file") else {
            let known = LIST_COLUMNS.join(", ");
            return Err(refusal(format!("it lacks the column `file`; beside it there may be {known}")));
        };
        let positions = LIST_COLUMNS.map(position);
        let folder = name.get(..name.len() - NAME.len()).unwrap_or_default();
        for record in reader.records() {
            let record = record?;
            let cell = |position: Option<usize>| {
                position.and_then(|at| record.get(at)).unwrap_or_default().to_owned()
            };
            if let Some(file) = record.get(file).filter(|file| !file.is_empty()) {
                self.0.insert(format!("{folder}{file}"), positions.map(cell));
            }
        }
        Ok(())
    }

    pub(super) fn append(&mut self, mut lists: Self) {
        self.0.append(&mut lists.0);
    }

    /// Returns the names of the documents that lists describe.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the cells of [`COLUMNS`] of the document with this name.
    pub(super) fn cells(&self, name: &str) -> Vec<String> {
        let listed = self.0.get(name).cloned().unwrap_or_default();
        let below = path_in_documents(name).unwrap_or_default();
        let path_cells = [symbol_in(below), kind_in(below)].map(|text| text.unwrap_or_default().to_owned());
        listed.into_iter().chain(path_cells).collect()
    }
}

/// Returns the part of a path below the folder of documents.
fn path_in_documents(path: &str) -> Option<&str> {
    let at = path.to_ascii_lowercase().rfind(FOLDER)?;
    let is_folder = path.get(..at)?.chars().next_back().is_none_or(|before| matches!(before, '/' | '!'));
    path.get(at + FOLDER.len()..).filter(|_| is_folder)
}

/// Returns the symbol in a path: the first of its folders and then of the words of its file name that is in capitals and is neither a kind
/// nor a period.
fn symbol_in(below: &str) -> Option<&str> {
    let (folders, file) = below.rsplit_once(['/', '!']).unwrap_or(("", below));
    let stem = file.trim_end_matches(".gz");
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let words = folders.split(['/', '!']).chain(stem.split(['_', ' ']));
    words.map(without_date).find(|word| is_symbol(word))
}

/// Cuts a date such as `-2026-08-05` off a word.
fn without_date(word: &str) -> &str {
    let at = ["-20", "-19"].iter().filter_map(|century| word.find(century)).min();
    at.and_then(|at| word.get(..at)).unwrap_or(word)
}

fn is_symbol(word: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '&' | '.' | '-');
    let is_period = word
        .trim_start_matches(['Q', 'H', 'F', 'Y', '-'])
        .chars()
        .all(|c| matches!(c, '0'..='9' | 'F' | 'Y' | '-'));
    (1..=LONGEST_SYMBOL).contains(&word.len())
        && word.chars().all(is_sign)
        && word.contains(|c: char| c.is_ascii_uppercase())
        && !(is_period && word.contains(|c: char| c.is_ascii_digit()))
        && kind_in(word).is_none()
}

/// Returns the kind of document that a path names.
fn kind_in(below: &str) -> Option<&'static str> {
    let plain: String = format!("-{below}-")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    KINDS.iter().find(|(words, _)| plain.contains(words)).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_symbol_and_kind() {
        for (path, symbol, kind) in [
            ("ACME/press_release/2026-08-05.txt", "ACME", "press_release"),
            ("ACME/Q1FY27/2026-08-05 transcript.html", "ACME", "transcript"),
            ("Q1FY27/BAJAJ-AUTO_2026-08-05_concall.txt.gz", "BAJAJ-AUTO", "transcript"),
            ("8-K/BRK.B-2026-08-05.htm", "BRK.B", "8-K"),
            ("2026/M&M_2026-08-05_10k.txt", "M&M", "10-K"),
            ("FY27/3M_2026-08-05_announcement.txt", "3M", "announcement"),
            ("Alfa Inc/2026-08-05.txt", "", ""),
        ] {
            let found = (symbol_in(path).unwrap_or_default(), kind_in(path).unwrap_or_default());
            assert_eq!(found, (symbol, kind), "{path}");
        }
    }

    #[test]
    fn only_texts_below_the_folder_of_documents_are_documents() {
        for (path, role) in [
            ("documents/a.txt", Some(DocumentFile::Text)),
            ("saved/Documents/x/a.HTM.gz", Some(DocumentFile::Text)),
            ("x.zip!documents/a.txt", Some(DocumentFile::Text)),
            ("documents/a.PDF", Some(DocumentFile::Text)),
            ("documents/a.docx", Some(DocumentFile::Unreadable)),
            ("documents/a.csv", None),
            ("my_documents/a.txt", None),
            ("a.txt", None),
        ] {
            assert_eq!(DocumentFile::from_path(path), role, "{path}");
        }
        for (name, expected) in [
            ("documents/2026/Documents.csv", true),
            ("saved.zip!documents/documents.csv", true),
            ("documents/saved.zip!documents.csv", true),
            ("documents.csv", false),
            ("saved.zip!documents.csv", false),
            ("documents/my_documents.csv", false),
        ] {
            assert_eq!(DocumentLists::is_list(name), expected, "{name}");
        }
    }

    #[test]
    fn a_list_names_the_documents_beside_it() {
        let mut lists = DocumentLists::default();
        let name = "documents/x.zip!2026/documents.csv";
        let list = "File,Kind,symbol\n a.txt , 8-K,ALFA\nb.txt,x\n,,\n";
        lists.read(name, &mut list.as_bytes()).unwrap();
        assert_eq!(lists.cells("documents/x.zip!2026/a.txt"), ["ALFA", "8-K", "", "", "", "", "", ""]);
        let names: Vec<_> = lists.names().collect();
        assert_eq!(names, ["documents/x.zip!2026/a.txt", "documents/x.zip!2026/b.txt"]);
        lists.read(name, &mut &b"symbol;file;title\nBETA;c.txt;Alfa, Beta\n"[..]).unwrap();
        assert_eq!(lists.cells("documents/x.zip!2026/c.txt")[..5], ["BETA", "", "", "", "Alfa, Beta"]);
        let refused = lists.read(name, &mut &b"name,symbol\n"[..]).unwrap_err().to_string();
        assert!(refused.contains("lacks the column `file`"), "{refused}");
        let refused = lists.read(name, &mut io::repeat(b'a')).unwrap_err().to_string();
        assert!(refused.contains("longer than 16 MiB"), "{refused}");
    }
}
