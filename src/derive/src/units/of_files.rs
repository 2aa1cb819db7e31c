//! Parses raw files in work units, which return the rows as files of the parse cache.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Handle;

use super::path_below::PathBelow;
use super::unit_error::UnitError;
use super::work_unit::{UnitRunner, Work, WorkUnit};
use crate::error::DeriveError;
use crate::user_supplied;
use parquote_catalogue::blocking;
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_raw::{
    self, DeclaredFormat, FileParser, KnownSymbols, RawError, RawFileVersion, RawOptions, RemoteParseResult,
    UnpackBounds, UnparsedFile,
};
use parquote_set::Blob;

/// Name of the folder with the raw files of a unit, in its working folder.
const RAW: &str = "raw";
/// Name of the file with the known symbols, in the working folder of a unit.
const KNOWN_SYMBOLS_FILE: &str = "known.json";
/// Maximum bytes of raw files in one unit. A larger file is a unit by itself.
const UNIT_BYTES: u64 = 32 << 20;

/// Parser of raw files of a market that uses work units.
#[derive(Debug)]
pub(crate) struct UnitFileParser<'a> {
    pub market: Market,
    pub bounds: UnpackBounds,
    /// The folder of the set being built, for temporary files.
    pub folder: &'a Path,
    pub rebuild_id: String,
    pub runner: &'a Arc<dyn UnitRunner>,
}

struct UnitFiles {
    bytes: u64,
    versions: BTreeMap<String, RawFileVersion>,
    reads: BTreeMap<PathBelow, Blob>,
}

impl FileParser for UnitFileParser<'_> {
    fn parse(
        &self,
        files: Vec<UnparsedFile>,
        known: Option<KnownSymbols>,
        cache: &Path,
    ) -> RemoteParseResult {
        // The calling thread waits until the units are done.
        Ok(blocking::wait(|| Handle::current().block_on(self.parse_by_units(files, known, cache)))?)
    }
}

impl UnitFileParser<'_> {
    async fn parse_by_units(
        &self,
        files: Vec<UnparsedFile>,
        known: Option<KnownSymbols>,
        cache: &Path,
    ) -> Result<(), DeriveError> {
        let mut shared = BTreeMap::new();
        if let Some(known) = known {
            let below = PathBelow::try_from(KNOWN_SYMBOLS_FILE.to_owned()).map_err(UnitError::Path)?;
            shared.insert(below, self.store_known_symbols(&known).await?);
        }
        let mut pieces: Vec<UnitFiles> = Vec::new();
        for UnparsedFile { path, name, version } in files {
            // A file that is skipped here is reported later, when the derivation reads the raw files.
            let (Ok(below), Ok(_)) = (PathBelow::try_from(format!("{RAW}/{name}")), File::open(&path)) else {
                continue;
            };
            let blob = self.runner.store_file(&path).await?;
            if pieces.last().is_none_or(|piece| piece.bytes + blob.bytes > UNIT_BYTES) {
                pieces.push(UnitFiles { bytes: 0, versions: BTreeMap::new(), reads: shared.clone() });
            }
            if let Some(piece) = pieces.last_mut() {
                piece.bytes += blob.bytes;
                piece.versions.insert(name, version);
                piece.reads.insert(below, blob);
            }
        }
        let units = pieces.into_iter().map(|piece| self.unit(piece)).collect();
        for unit in self.runner.run(units).await? {
            for file in unit.files {
                self.runner.download(&file.blob, &file.path.below(cache)).await?;
            }
        }
        Ok(())
    }

    /// Stores the known symbols in the transfer store.
    async fn store_known_symbols(&self, known: &KnownSymbols) -> Result<Blob, DeriveError> {
        let path = self.folder.join(format!(".{KNOWN_SYMBOLS_FILE}"));
        let failed = |source| DeriveError::Write { path: path.clone(), source };
        serde_json::to_vec(known)
            .map_err(Into::into)
            .and_then(|text| fs::write(&path, text))
            .map_err(failed)?;
        let blob = self.runner.store_file(&path).await?;
        fs::remove_file(&path).map_err(failed)?;
        Ok(blob)
    }

    fn unit(&self, UnitFiles { bytes, versions, reads }: UnitFiles) -> WorkUnit {
        let is_archive = |name: &String| name.to_ascii_lowercase().ends_with(".zip");
        let is_large = bytes > UNIT_BYTES && versions.keys().all(is_archive);
        let work = Work::Files { versions, bounds: self.bounds, is_large };
        WorkUnit { market: self.market, work, reads, rebuild_id: self.rebuild_id.clone() }
    }
}

/// Parses the raw files below `from`. Returns the paths of the files that are written below `into`, each with 0 as its number of rows.
pub(super) fn parse(
    catalogue: &Catalogue,
    market: Market,
    versions: &BTreeMap<String, RawFileVersion>,
    bounds: UnpackBounds,
    from: &Path,
    into: &Path,
) -> Result<Vec<(PathBuf, u64)>, DeriveError> {
    let unread = |path: &Path| {
        let path = path.to_owned();
        move |source| DeriveError::Write { path: path.clone(), source }
    };
    let path = from.join(KNOWN_SYMBOLS_FILE);
    let text = path.exists().then(|| fs::read(&path)).transpose().map_err(unread(&path))?;
    let known = text.map(|text| serde_json::from_slice::<KnownSymbols>(&text)).transpose();
    let known = known.map_err(io::Error::from).map_err(unread(&path))?;
    let declared = DeclaredFormat::table_formats(catalogue).map_err(RawError::Declaration)?;
    let options = RawOptions {
        user_tables: &user_supplied::tables(catalogue, market),
        declared_formats: &declared,
        parse_cache: Some(into),
        bounds,
        ..RawOptions::for_market(market)
    };
    parquote_raw::parse(&from.join(RAW), &options, versions, known.as_ref())?;
    let entries = fs::read_dir(into).map_err(unread(into))?;
    let paths = entries.map(|entry| entry.map(|entry| (entry.path(), 0))).collect::<Result<_, _>>();
    paths.map_err(unread(into))
}
