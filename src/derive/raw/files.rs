//! Finds raw files: plain, gzipped, or as members of a zip archive.
//!
//! Every file under the folder is looked into; its header says what it is. A file that is none of ours stays as it is
//! and is named in the report; a `source.txt` says where the others are from. The order of the sources is their age, so that a later source is a newer one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::NaiveDate;

use super::bounds::Bounds;
use super::cells::{Header, Record};
use super::container::{Container, Stamp};
use super::dates;
use super::format::{self, Format, Layout};
use super::given_file::{GivenFile, GivenTables};
use super::in_order::map_in_order;
use super::last_line::LastLine;
use super::provenance::{Provenance, Sayings};
use super::read_faults;
use super::rows::{self, Encoding, Head};
use super::{Progress, RawError};
use crate::derive::report::Unreadable;
use crate::operation::Market;

/// A raw file, or a member of an archive, whose format is known.
pub(crate) struct Source {
    container: Arc<Container>,
    /// The position of a member in its archive.
    member: Option<usize>,
    encoding: Encoding,
    /// Relative to the market's folder; a member follows a `!`.
    pub(crate) name: String,
    /// The position by age: a higher one is newer.
    pub(crate) rank: u32,
    /// The date in the file's own name.
    pub(crate) dated: Option<NaiveDate>,
    pub(crate) format: Format,
    /// Empty where the file has none.
    pub(crate) header: Header,
    pub(crate) layout: Layout,
    /// Where its rows are from, but for those that say it themselves.
    pub(crate) provenance: Provenance,
}

/// What files are looked for.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) market: Market,
    /// The tables that files of their name give.
    pub(crate) given: &'a GivenTables,
    pub(crate) bounds: Bounds,
}

/// A file on the disk, or a member of it.
type Part<'a> = (&'a Arc<Container>, Option<usize>);

/// What lies under a folder.
#[derive(Default)]
pub(crate) struct Found {
    /// Oldest first: by the date in the name (none is oldest), then by path.
    pub(crate) sources: Vec<Source>,
    /// Files of no known format.
    pub(crate) unused: Vec<String>,
    /// Files without a byte.
    pub(crate) empty: Vec<String>,
    pub(crate) unreadable: Vec<Unreadable>,
}

impl Source {
    /// What tells the file from what it was before.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.container.stamp().map(|stamp| stamp.of_member(self.member))
    }

    /// The name of the file itself, without folders and archive.
    pub(crate) fn file_name(&self) -> &str {
        file_name(&self.name)
    }

    /// What the report counts its rows under: the format, or the table that it gives.
    pub(crate) fn words(&self) -> String {
        match &self.layout {
            Layout::Given(file) => format!("table {}", file.table()),
            _ => self.format.words().to_owned(),
        }
    }

    /// Hands each record after the header to `each` until it says stop. An error is one of reading: what came before it holds.
    pub(crate) fn records(&self, mut each: impl FnMut(&Record) -> bool) -> io::Result<LastLine> {
        let has_header = self.header.len() > 0;
        self.container.read(self.member, |reader| {
            if let Layout::Given(file) = &self.layout {
                return file.records(reader, &mut each);
            }
            rows::records(self.encoding, has_header, reader, &mut each)
        })
    }
}

/// The last part of a name: a file, or a member of an archive.
pub(crate) fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\', '!']).next().unwrap_or(name)
}

/// Looks into every file under `dir`.
pub(crate) fn find(dir: &Path, wanted: Wanted<'_>, progress: &dyn Progress) -> Result<Found, RawError> {
    let mut paths = Vec::new();
    walk(dir, &mut paths)?;
    progress.start("files", paths.len() as u64);
    let mut found = Found::default();
    let named = |path: &Path| path.strip_prefix(dir).unwrap_or(path).to_string_lossy().replace('\\', "/");
    let (says, paths): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| Sayings::is_one(path));
    let mut sayings = Sayings::default();
    for path in says {
        if let Err(error) = sayings.read(&path) {
            found.unreadable.push(read_faults::unreadable(named(&path), &with_link(&path, error)));
        }
    }
    let looked_into = map_in_order(paths, |path| {
        let mut found = Found::default();
        let name = named(&path);
        if let Err(error) = look_into(wanted, &path, &name, &mut found) {
            found.unreadable.push(read_faults::unreadable(name, &with_link(&path, error)));
        }
        progress.advance(1);
        found
    });
    progress.finish();
    for one in looked_into {
        found.append(one);
    }
    found.sources.sort_by(|a, b| (a.dated, &a.name).cmp(&(b.dated, &b.name)));
    for (rank, source) in (0..).zip(&mut found.sources) {
        source.rank = rank;
        let kind = (source.format != Format::Given).then(|| source.format.words());
        source.provenance = sayings.of(source.container.path(), kind);
    }
    found.unused.sort();
    found.empty.sort();
    Ok(found)
}

fn walk(dir: &Path, paths: &mut Vec<PathBuf>) -> Result<(), RawError> {
    let wrap = |source| RawError::Folder { path: dir.to_owned(), source };
    for entry in fs::read_dir(dir).map_err(wrap)? {
        let entry = entry.map_err(wrap)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(wrap)?);
        if kind.is_dir() || kind.is_symlink() && path.is_dir() {
            walk(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// An error of opening a file, which says so where the file is a link to nothing.
fn with_link(path: &Path, error: io::Error) -> io::Error {
    let leads_nowhere = fs::read_link(path).ok().filter(|_| !path.exists());
    match leads_nowhere {
        Some(to) => io::Error::new(
            error.kind(),
            format!("it is a link to {}, which cannot be opened: {error}", to.display()),
        ),
        None => error,
    }
}

/// Adds what a file holds: itself, or the members of an archive. A member that cannot be read costs no other.
fn look_into(of: Wanted<'_>, path: &Path, name: &str, found: &mut Found) -> io::Result<()> {
    let container = Arc::new(Container::open(path, of.bounds)?);
    for member in container.members() {
        let (position, member) = member?;
        if position.is_none() {
            return look_at(of, (&container, None), name.to_owned(), found);
        }
        let name = format!("{name}!{member}");
        if let Err(error) = look_at(of, (&container, position), name.clone(), found) {
            found.unreadable.push(read_faults::unreadable(name, &error));
        }
    }
    Ok(())
}

/// Reads the header of one file or member.
///
/// A file that is named after a table but has not its columns is looked at like any other; it is reported as unreadable when
/// it turns out to be nothing else.
fn look_at(of: Wanted<'_>, part: Part<'_>, name: String, found: &mut Found) -> io::Result<()> {
    let (container, member) = part;
    let opened = match of.given.table_of(&name) {
        None => None,
        Some(table) => Some(container.read(member, |reader| GivenFile::open(table, reader))?),
    };
    if let Some(Ok(file)) = opened {
        found.add(part, name, (file.encoding(), Header::none()), (Format::Given, Layout::Given(file)));
        return Ok(());
    }
    let (encoding, header) = match container.read(member, rows::head)? {
        Head::Known(encoding, header) => (encoding, header),
        Head::Unknown if opened.is_none() => {
            found.unused.push(name);
            return Ok(());
        }
        Head::Unknown => (Encoding::Csv, Header::none()),
        Head::Empty => {
            found.empty.push(name);
            return Ok(());
        }
    };
    match (format::recognise(of.market, &header, &name), opened) {
        (Some(known), _) => {
            let header = if known.0.has_header() { header } else { Header::none() };
            found.add(part, name, (encoding, header), known);
        }
        (None, Some(Err(why))) => found.unreadable.push(Unreadable { file: name, why, is_fault: false }),
        (None, _) => found.unused.push(name),
    }
    Ok(())
}

impl Found {
    fn append(&mut self, other: Self) {
        self.sources.extend(other.sources);
        self.unused.extend(other.unused);
        self.empty.extend(other.empty);
        self.unreadable.extend(other.unreadable);
    }

    fn add(
        &mut self,
        (container, member): Part<'_>,
        name: String,
        (encoding, header): (Encoding, Header),
        (format, layout): (Format, Layout),
    ) {
        let dated = dates::in_name(file_name(&name));
        self.sources.push(Source {
            container: Arc::clone(container),
            member,
            encoding,
            name,
            rank: 0,
            dated,
            format,
            header,
            layout,
            provenance: Provenance::default(),
        });
    }
}
