//! Finds raw files: plain, gzipped, or as members of a zip archive.
//!
//! The header of every file under the folder decides its format. A file of no format is not used, and the report names it; a `source.txt`
//! declares the origin of the others, and a `documents.csv` describes the documents beside it. Sources are ordered by age: a later source
//! is a newer one.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use crate::accounts::ending::unreadable;
use crate::domain::provenance::Provenance;
use crate::error::RawError;
use crate::files::container::{Container, RawFileVersion};
use crate::files::document_lists::{self, DocumentFile, DocumentLists};
use crate::files::folders::FolderWalk;
use crate::files::order_of_days::order_of_days;
use crate::files::partition;
use crate::files::source::RawSource;
use crate::files::source_notes::SourceNotes;
use crate::files::unused_file;
use crate::formats;
use crate::formats::user_supplied::USER_SUPPLIED;
use crate::in_order::map_in_order;
use crate::progress::Progress;
use crate::records::raw_format::{Layout, ListedFormat};
use crate::report::{FileNote, UnreadableFile};
use crate::user_tables::file::{UserTableFile, UserTables};
use parquote_catalogue::operation::Market;
use parquote_encodings::rows::{self, Head, RowEncoding};
use parquote_encodings::text::cells::HeaderLine;
use parquote_encodings::text::dates::{self, DayOrder};
use parquote_encodings::text::file_head::FileHead;
use parquote_encodings::text::file_name::file_name;
use parquote_encodings::unpack_bounds::UnpackBounds;

/// Selection of files to find.
#[derive(Clone, Copy)]
pub(crate) struct WantedFiles<'a> {
    pub(crate) market: Market,
    pub(crate) user_tables: &'a UserTables,
    pub(crate) bounds: UnpackBounds,
    /// Maximum number of members of an archive that are opened.
    pub(crate) members: usize,
    /// Versions by file name, if they are not to be read from the folder.
    pub(crate) versions: Option<&'a BTreeMap<String, RawFileVersion>>,
    /// Lists of documents; `None` until they are read.
    pub(crate) documents: Option<&'a DocumentLists>,
}

impl<'a> WantedFiles<'a> {
    /// Selects all files, with all members of archives.
    pub(crate) const fn all(market: Market, user_tables: &'a UserTables, bounds: UnpackBounds) -> Self {
        Self { market, user_tables, bounds, members: usize::MAX, versions: None, documents: None }
    }
}

/// A file on disk, or a member of it.
type FilePart<'a> = (&'a Arc<Container>, Option<usize>);

/// The encoding of a file's rows, their header, and the number of their fields.
struct FoundRows {
    encoding: RowEncoding,
    header: HeaderLine,
    fields: usize,
}

/// Files found under a folder.
#[derive(Default)]
pub(crate) struct FoundFiles {
    /// Sorted by the date in the name (files without one first), then by path: oldest first.
    pub(crate) sources: Vec<RawSource>,
    /// Files of no known format.
    pub(crate) unused: Vec<String>,
    /// Empty files, and web-service responses without a row.
    pub(crate) empty: Vec<String>,
    pub(crate) unreadable: Vec<UnreadableFile>,
    /// Files without anything usable, if the reason is known.
    pub(crate) gave_nothing: Vec<FileNote>,
}

/// Opens every file under `dir`.
pub(crate) fn find(
    dir: &Path,
    wanted: WantedFiles<'_>,
    progress: &dyn Progress,
) -> Result<FoundFiles, RawError> {
    let FolderWalk { files: paths, repeated, special_files, .. } = FolderWalk::walk(dir)?;
    progress.start("files", paths.len() as u64);
    let mut found = FoundFiles::default();
    let relative_name =
        |path: &Path| path.strip_prefix(dir).unwrap_or(path).to_string_lossy().replace('\\', "/");
    for (paths, why) in [
        (repeated, "it is a link to a folder that is read already, or to one around it: take the link away"),
        (special_files, "it is a pipe, a socket or a device, or a link to one: save its content as a file"),
    ] {
        let note = |path: &PathBuf| FileNote { file: relative_name(path), why: why.to_owned() };
        found.gave_nothing.extend(paths.iter().map(note));
    }
    let (lists, paths): (Vec<_>, Vec<_>) =
        paths.into_iter().partition(|path| DocumentLists::is_list(&relative_name(path)));
    let documents = found.read_lists(&lists, wanted.bounds, relative_name);
    let wanted = WantedFiles { documents: Some(&documents), ..wanted };
    let (note_files, paths): (Vec<_>, Vec<_>) =
        paths.into_iter().partition(|path| SourceNotes::is_note(path));
    let mut notes = SourceNotes::default();
    for path in note_files {
        if let Err(error) = notes.read(&path) {
            found.unreadable.push(unreadable(relative_name(&path), &with_link(&path, error)));
        }
    }
    let inspected = map_in_order(paths, |path| {
        let mut found = FoundFiles::default();
        let name = relative_name(&path);
        if let Err(error) = inspect_file(wanted, &path, &name, &mut found) {
            found.unreadable.push(unreadable(name, &with_link(&path, error)));
        }
        progress.advance(1);
        found
    });
    progress.finish();
    for files in inspected {
        found.append(files);
    }
    found.sources.sort_by(|a, b| (a.date_in_name, &a.name).cmp(&(b.date_in_name, &b.name)));
    for (rank, source) in (0..).zip(&mut found.sources) {
        source.rank = rank;
        let kind = (!source.is_user_table()).then(|| source.label());
        source.provenance = notes.provenance(source.container.path(), kind);
    }
    found.unused.sort();
    found.empty.sort();
    Ok(found)
}

/// Extends an error of opening a file if the file is a broken link.
fn with_link(path: &Path, error: io::Error) -> io::Error {
    let broken_target = fs::read_link(path).ok().filter(|_| !path.exists());
    match broken_target {
        Some(to) => io::Error::new(
            error.kind(),
            format!("it is a link to {}, which cannot be opened: {error}", to.display()),
        ),
        None => error,
    }
}

/// Adds the parts of a file: itself, or the members of an archive. An unreadable member does not affect the others.
fn inspect_file(wanted: WantedFiles<'_>, path: &Path, name: &str, found: &mut FoundFiles) -> io::Result<()> {
    // A plain file is not opened here; this finds a link whose target is missing.
    fs::metadata(path)?;
    let version = wanted.versions.and_then(|versions| versions.get(name)).copied();
    let container = Arc::new(Container::open(path, version, wanted.bounds)?);
    let lists = found.read_packed_lists(wanted, &container, name);
    let wanted = WantedFiles { documents: lists.as_ref().or(wanted.documents), ..wanted };
    if container.members().next().is_none() {
        let why = "it is an archive without a file: fetch it again, or take it away".to_owned();
        found.gave_nothing.push(FileNote { file: name.to_owned(), why });
    }
    for member in container.members().take(wanted.members) {
        let (position, member) = member?;
        if position.is_none() {
            return inspect_part(wanted, (&container, None), name.to_owned(), found);
        }
        let name = format!("{name}!{member}");
        if DocumentLists::is_list(&name) {
            continue;
        }
        if let Err(error) = inspect_part(wanted, (&container, position), name.clone(), found) {
            found.unreadable.push(unreadable(name, &error));
        }
    }
    Ok(())
}

/// Reads the header of one file or member.
///
/// A file that is named after a table but lacks its columns is tried like any other; it is reported as unreadable if it is of no other
/// format.
fn inspect_part(
    wanted: WantedFiles<'_>,
    part: FilePart<'_>,
    name: String,
    found: &mut FoundFiles,
) -> io::Result<()> {
    let (container, member) = part;
    match DocumentFile::from_path(&name) {
        Some(DocumentFile::Text) => {
            found.add_document(wanted, part, name);
            return Ok(());
        }
        Some(DocumentFile::Unreadable) => {
            let why =
                "no text is read from such a file: save its text as .txt, or its page as .html".to_owned();
            found.add_unused(name, Some(why));
            return Ok(());
        }
        None => {}
    }
    let opened = match wanted.user_tables.table_of(&name) {
        None => None,
        Some(table) => Some(container.read(member, |reader| UserTableFile::open(table, reader))?),
    };
    if let Some(Ok(file)) = opened {
        let rows = FoundRows { encoding: file.encoding, header: HeaderLine::none(), fields: 0 };
        found.add(part, name, rows, USER_SUPPLIED, Layout::UserTable(file));
        return Ok(());
    }
    let (encoding, header) = match container.read(member, rows::head)? {
        Head::Rows(encoding, header) => (encoding, header),
        Head::Unknown if opened.is_none() => {
            let why = container
                .read(member, |reader| unused_file::explain(&name, None, wanted.user_tables, reader))?;
            found.add_unused(name, why);
            return Ok(());
        }
        Head::Unknown => (RowEncoding::Csv, HeaderLine::none()),
        Head::Empty => {
            found.empty.push(name);
            return Ok(());
        }
    };
    let (names, partition): (Vec<_>, Vec<_>) = partition::columns(&name, &header).into_iter().unzip();
    let header = if header.is_empty() { header } else { header.with(names.iter().map(String::as_str)) };
    let days = |columns: &[usize]| {
        let date_in_name = dates::only_day_in_name(file_name(&name));
        let read =
            container.read(member, |reader| Ok(order_of_days(encoding, reader, columns, date_in_name)));
        read.unwrap_or(DayOrder::Either)
    };
    let head = FileHead { market: wanted.market, header: &header, path: &name, days: &days };
    let declared = || {
        let file = wanted.user_tables.open_declared(&head, encoding, None)?;
        Some((USER_SUPPLIED, Layout::UserTable(file)))
    };
    match (formats::recognise(&head, encoding, wanted.user_tables).or_else(declared), opened) {
        (Some((kind, layout)), _) => {
            let headerless = kind.format.headerless();
            let fields = headerless.unwrap_or(header.len());
            let header = if headerless.is_some() { HeaderLine::none() } else { header };
            found.add(part, name, FoundRows { encoding, header, fields }, kind, layout);
            if let Some(source) = found.sources.last_mut().filter(|source| !source.header.is_empty()) {
                source.partition = partition;
            }
        }
        (None, Some(Err(why))) => found.unreadable.push(UnreadableFile { file: name, why, is_fault: false }),
        (None, _) => {
            let why = container.read(member, |reader| {
                unused_file::explain(&name, Some(&head), wanted.user_tables, reader)
            })?;
            found.add_unused(name, why);
        }
    }
    Ok(())
}

impl FoundFiles {
    fn append(&mut self, other: Self) {
        self.sources.extend(other.sources);
        self.unused.extend(other.unused);
        self.empty.extend(other.empty);
        self.unreadable.extend(other.unreadable);
        self.gave_nothing.extend(other.gave_nothing);
    }

    /// Reads the lists of documents, and notes the listed documents whose files are missing.
    fn read_lists(
        &mut self,
        lists: &[PathBuf],
        bounds: UnpackBounds,
        relative_name: impl Fn(&Path) -> String,
    ) -> DocumentLists {
        let mut documents = DocumentLists::default();
        for path in lists {
            let (name, mut list) = (relative_name(path), DocumentLists::default());
            let read = Container::open(path, None, bounds)
                .and_then(|container| container.read(None, |reader| list.read(&name, reader)));
            if let Err(error) = read {
                self.unreadable.push(unreadable(name.clone(), &with_link(path, error)));
            }
            let folder = path.parent().unwrap_or(Path::new(""));
            let length = name.rfind('/').map_or(0, |at| at + 1);
            // A member of an archive follows a `!`.
            let exists = |document: &str| {
                let file = document.get(length..).and_then(|file| file.split('!').next());
                folder.join(file.unwrap_or_default()).is_file()
            };
            self.note_missing(&list, exists);
            documents.append(list);
        }
        documents
    }

    /// Reads the lists of documents in an archive and adds them to the lists beside it; `None` if the archive has none.
    fn read_packed_lists(
        &mut self,
        wanted: WantedFiles<'_>,
        container: &Container,
        name: &str,
    ) -> Option<DocumentLists> {
        let mut lists: Option<DocumentLists> = None;
        for (position, member) in container.members().flatten() {
            let list_name = format!("{name}!{member}");
            if position.is_none() || !DocumentLists::is_list(&list_name) {
                continue;
            }
            let mut list = DocumentLists::default();
            if let Err(error) = container.read(position, |reader| list.read(&list_name, reader)) {
                self.unreadable.push(unreadable(list_name, &error));
            }
            let members: HashSet<String> =
                container.members().flatten().map(|(_, member)| format!("{name}!{member}")).collect();
            self.note_missing(&list, |document| members.contains(document));
            lists.get_or_insert_with(|| wanted.documents.cloned().unwrap_or_default()).append(list);
        }
        lists
    }

    /// Notes the documents of a list whose files are missing.
    fn note_missing(&mut self, list: &DocumentLists, exists: impl Fn(&str) -> bool) {
        let why = "a documents.csv lists it, and it is not there: correct the name, or save the file";
        let missing = list.names().filter(|name| !exists(name));
        self.gave_nothing.extend(missing.map(|name| FileNote { file: name.to_owned(), why: why.to_owned() }));
    }

    /// Adds a document of running text, with the cells of lists and of its path in each of its rows.
    fn add_document(&mut self, wanted: WantedFiles<'_>, part: FilePart<'_>, name: String) {
        let (encoding, of_text) = RowEncoding::running_text();
        let header = of_text.with(document_lists::COLUMNS.into_iter());
        let head =
            FileHead { market: wanted.market, header: &header, path: &name, days: &|_| DayOrder::Either };
        let Some((kind, layout)) = formats::recognise(&head, encoding, wanted.user_tables) else {
            return self.add_unused(name, None);
        };
        let cells = wanted.documents.map(|lists| lists.cells(&name)).unwrap_or_default();
        let fields = header.len();
        self.add(part, name, FoundRows { encoding, header, fields }, kind, layout);
        if let Some(source) = self.sources.last_mut() {
            source.partition = cells;
        }
    }

    fn add_unused(&mut self, file: String, why: Option<String>) {
        self.gave_nothing.extend(why.map(|why| FileNote { file: file.clone(), why }));
        self.unused.push(file);
    }

    fn add(
        &mut self,
        (container, member): FilePart<'_>,
        name: String,
        FoundRows { encoding, header, fields }: FoundRows,
        kind: ListedFormat,
        layout: Layout,
    ) {
        let date_in_name = dates::in_name(file_name(&name));
        self.sources.push(RawSource {
            container: Arc::clone(container),
            member,
            encoding,
            name,
            rank: 0,
            date_in_name,
            kind,
            header,
            fields,
            partition: Vec::new(),
            layout,
            provenance: Provenance::default(),
        });
    }
}
