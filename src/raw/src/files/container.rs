//! A file on disk with one source or several: plain, gzipped, or an archive whose list of members is read once.
//!
//! Members of an archive share the list. No file stays open between two reads: a folder may have more archives than a process may open
//! files.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use zip::ZipArchive;

use parquote_encodings::as_utf8::Utf8Reader;
use parquote_encodings::unpack_bounds::{UnpackBounds, UnpackReader, catch_panics, refusal};

/// Message of the archive reader for a member that unpacks to more than the archive declares. Damage does not cause it.
const LARGER: &str = "larger than its declared uncompressed size";

/// Version of a file: the metadata by which a change is detected without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RawFileVersion {
    bytes: u64,
    /// Nanoseconds since 1970.
    written: u64,
    /// The position of a member in its archive.
    member: Option<usize>,
}

impl RawFileVersion {
    fn from_path(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let written = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(Self { bytes: metadata.len(), written: u64::try_from(written).ok()?, member: None })
    }

    /// Returns the version of an archive's member, or of the file itself if `member` is `None`.
    pub(crate) fn with_member(self, member: Option<usize>) -> Self {
        Self { member, ..self }
    }
}

pub(crate) struct Container {
    path: PathBuf,
    /// `None` if the system does not report when the file was written.
    version: Option<RawFileVersion>,
    packing: Packing,
    bounds: UnpackBounds,
}

enum Packing {
    Plain,
    Gzip,
    Zip(ZipArchive<ReopeningFile>),
}

/// A file that each clone opens at its first read.
struct ReopeningFile {
    path: Arc<Path>,
    file: Option<BufReader<File>>,
}

impl Container {
    /// Opens a file and, of an archive, reads the list of members. A `version` of `None` is read from the file system.
    pub(crate) fn open(
        path: &Path,
        version: Option<RawFileVersion>,
        bounds: UnpackBounds,
    ) -> io::Result<Self> {
        let packing = match path.extension().unwrap_or_default().to_ascii_lowercase() {
            ending if ending == "gz" => Packing::Gzip,
            ending if ending == "zip" => {
                let reopened = ReopeningFile { path: path.into(), file: None };
                let archive = catch_panics(|| Ok(ZipArchive::new(reopened)?))?;
                check_all(path, &archive, bounds)?;
                // A clone has no file open.
                Packing::Zip(archive.clone())
            }
            _ => Packing::Plain,
        };
        let version = version.or_else(|| RawFileVersion::from_path(path));
        Ok(Self { path: path.to_owned(), version, packing, bounds })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) const fn version(&self) -> Option<RawFileVersion> {
        self.version
    }

    /// Returns the parts: the file itself, or the positions and names of an archive's members.
    pub(crate) fn members(&self) -> impl Iterator<Item = io::Result<(Option<usize>, String)>> + '_ {
        let (itself, members) = match &self.packing {
            Packing::Zip(archive) => (None, Some((archive, 0..archive.len()))),
            Packing::Plain | Packing::Gzip => (Some(Ok((None, String::new()))), None),
        };
        let members = members.into_iter().flat_map(|(archive, positions)| {
            positions.filter_map(|position| match archive.by_index_data(position) {
                Ok(member) if !member.is_file() => None,
                Ok(member) => Some(match member.name() {
                    Ok(name) => Ok((Some(position), name.to_string())),
                    Err(error) => Err(error.into()),
                }),
                Err(error) => Some(Err(error.into())),
            })
        });
        itself.into_iter().chain(members)
    }

    /// Opens the file or one of its members and passes the reader to `read`. Fails if `read` fails or a bound is exceeded.
    pub(crate) fn read<T>(
        &self,
        member: Option<usize>,
        read: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> io::Result<T> {
        let read = |reader: &mut dyn Read| read(&mut Utf8Reader::new(reader));
        catch_panics(|| match &self.packing {
            Packing::Plain => read(&mut File::open(&self.path)?),
            Packing::Gzip => {
                let file = File::open(&self.path)?;
                let packed = file.metadata()?.len();
                read(&mut UnpackReader::new(
                    MultiGzDecoder::new(file),
                    packed,
                    self.bounds.most_unpacked(packed),
                ))
            }
            Packing::Zip(archive) => {
                let mut archive = archive.clone();
                let mut member = archive.by_index(member.unwrap_or_default())?;
                let (packed, declared) = (member.compressed_size(), member.size());
                self.bounds.check(packed, declared)?;
                // The declared size may be wrong.
                read(&mut UnpackReader::new(&mut member, packed, self.bounds.most_unpacked(packed))).map_err(
                    |error| {
                        if error.to_string().contains(LARGER) {
                            refusal(format!("a member is {LARGER}"))
                        } else {
                            error
                        }
                    },
                )
            }
        })
    }
}

/// Checks the sum of the sizes that an archive declares for its members against the bounds: members may overlap.
fn check_all(path: &Path, archive: &ZipArchive<ReopeningFile>, bounds: UnpackBounds) -> io::Result<()> {
    let packed = fs::metadata(path)?.len();
    let sizes = (0..archive.len()).filter_map(|position| Some(archive.by_index_data(position).ok()?.size()));
    bounds.check(packed, sizes.fold(0, u64::saturating_add))
}

impl ReopeningFile {
    fn file(&mut self) -> io::Result<&mut BufReader<File>> {
        match &mut self.file {
            Some(file) => Ok(file),
            none => Ok(none.insert(BufReader::new(File::open(&self.path)?))),
        }
    }
}

impl Clone for ReopeningFile {
    fn clone(&self) -> Self {
        Self { path: Arc::clone(&self.path), file: None }
    }
}

impl Read for ReopeningFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.file()?.read(into)
    }
}

impl Seek for ReopeningFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file()?.seek(to)
    }
}
