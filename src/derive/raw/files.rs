//! Finds raw files and opens them: plain, gzipped, or as members of a zip archive.
//!
//! Every file under the folder is looked into; its header says what it is. A file that is none of ours stays as it is
//! and is named in the report; a `source.txt` says where the others are from. The order of the sources is their age, so that a later source is a newer one.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use chrono::NaiveDate;
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use zip::ZipArchive;

use super::cells::{Header, Record};
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
    path: PathBuf,
    packing: Packing,
    encoding: Encoding,
    /// Nothing where the system does not say when the file was written.
    stamp: Option<Stamp>,
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

/// What tells a file from what it was before, as far as the system knows without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Stamp {
    bytes: u64,
    /// Nanoseconds since 1970.
    written: u64,
    /// The position of a member in its archive.
    member: Option<usize>,
}

/// The market whose files are looked for, and its tables that files of their name give.
type Wanted<'a> = (Market, &'a GivenTables);

#[derive(Clone, Copy)]
enum Packing {
    Plain,
    Gzip,
    /// The position of a member in its archive.
    Zip(usize),
}

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
        let member = match self.packing {
            Packing::Zip(position) => Some(position),
            Packing::Plain | Packing::Gzip => None,
        };
        self.stamp.map(|stamp| Stamp { member, ..stamp })
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
        with_reader(&self.path, self.packing, |reader| {
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

/// Looks into every file under `dir`; `given` are the tables that files of their name give.
pub(crate) fn find(
    dir: &Path,
    market: Market,
    given: &GivenTables,
    progress: &dyn Progress,
) -> Result<Found, RawError> {
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
        if let Err(error) = look_into((market, given), &path, &name, &mut found) {
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
        source.provenance = sayings.of(&source.path, kind);
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

/// Adds what a file holds: itself, or the members of an archive.
fn look_into(of: Wanted<'_>, path: &Path, name: &str, found: &mut Found) -> io::Result<()> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    if extension != "zip" {
        let packing = if extension == "gz" { Packing::Gzip } else { Packing::Plain };
        return look_at(of, path, packing, name.to_owned(), found);
    }
    let mut archive = ZipArchive::new(BufReader::new(File::open(path)?))?;
    for position in 0..archive.len() {
        let member = archive.by_index(position)?;
        if member.is_file() {
            let name = format!("{name}!{}", member.name()?);
            drop(member);
            look_at(of, path, Packing::Zip(position), name, found)?;
        }
    }
    Ok(())
}

/// Reads the header of one file or member.
///
/// A file that is named after a table but has not its columns is looked at like any other; it is reported as unreadable when
/// it turns out to be nothing else.
fn look_at(of: Wanted<'_>, path: &Path, packing: Packing, name: String, found: &mut Found) -> io::Result<()> {
    let (market, given) = of;
    let opened = match given.table_of(&name) {
        None => None,
        Some(table) => Some(with_reader(path, packing, |reader| GivenFile::open(table, reader))?),
    };
    if let Some(Ok(file)) = opened {
        found.add(
            path,
            packing,
            name,
            (file.encoding(), Header::none()),
            (Format::Given, Layout::Given(file)),
        );
        return Ok(());
    }
    let (encoding, header) = match with_reader(path, packing, rows::head)? {
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
    match (format::recognise(market, &header, &name), opened) {
        (Some(known), _) => {
            let header = if known.0.has_header() { header } else { Header::none() };
            found.add(path, packing, name, (encoding, header), known);
        }
        (None, Some(Err(why))) => found.unreadable.push(Unreadable { file: name, why, is_fault: false }),
        (None, _) => found.unused.push(name),
    }
    Ok(())
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok()?;
        let written = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(Self { bytes: about.len(), written: u64::try_from(written).ok()?, member: None })
    }
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
        path: &Path,
        packing: Packing,
        name: String,
        (encoding, header): (Encoding, Header),
        (format, layout): (Format, Layout),
    ) {
        let dated = dates::in_name(file_name(&name));
        let (stamp, path) = (Stamp::of(path), path.to_owned());
        self.sources.push(Source {
            path,
            packing,
            encoding,
            stamp,
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

/// Opens a file or member for the length of a call.
fn with_reader<T>(
    path: &Path,
    packing: Packing,
    read: impl FnOnce(&mut dyn Read) -> io::Result<T>,
) -> io::Result<T> {
    let mut file = File::open(path)?;
    match packing {
        Packing::Plain => read(&mut file),
        Packing::Gzip => read(&mut MultiGzDecoder::new(file)),
        Packing::Zip(position) => {
            let mut archive = ZipArchive::new(BufReader::new(file))?;
            let mut member = archive.by_index(position)?;
            read(&mut member)
        }
    }
}
