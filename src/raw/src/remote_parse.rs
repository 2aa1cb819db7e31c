//! Files parsed by another process, which fills the parse cache for files that it lacks.
//!
//! The reader itself parses the files that the other process leaves out, so that the market does not depend on where files are parsed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::error::RawError;
use crate::files::container::RawFileVersion;
use crate::files::source::RawSource;
use crate::instrument_filter::DatedIsin;
use crate::parse_cache::cache_folder::ParseCache;
use crate::records::listed::ListedCompany;
use crate::reference_data::ReferenceData;

/// Result of parsing in another process; an error ends the reading.
pub type RemoteParseResult = Result<(), Box<dyn Error + Send + Sync>>;

/// Parses files for a reader, which then finds them in its parse cache.
pub trait FileParser: Debug + Send + Sync {
    /// Parses files into the parse cache in `cache`: price files if `known` is set, else files of statements. The reader parses the files
    /// that it leaves out.
    ///
    /// # Errors
    /// Any error that should end the reading.
    fn parse(&self, files: Vec<UnparsedFile>, known: Option<KnownSymbols>, cache: &Path)
    -> RemoteParseResult;
}

/// A raw file whose rows are not in the parse cache.
#[derive(Debug, Clone)]
pub struct UnparsedFile {
    /// Path of the file on this machine.
    pub path: PathBuf,
    /// Path below the folder of the market: the key in the parse cache.
    pub name: String,
    /// Version by which the parse cache detects a change.
    pub version: RawFileVersion,
}

/// Facts on symbols in lists and other files that decide which bars are used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownSymbols {
    funds: BTreeSet<String>,
    test_issues: BTreeSet<String>,
    /// Names and ISINs in lists of the exchange, by symbol.
    listed: BTreeMap<String, (Option<String>, Option<String>)>,
    /// ISINs in lists of members, by symbol.
    of_members: BTreeMap<String, String>,
    /// ISINs in price files, by symbol.
    pub(crate) isins: BTreeMap<String, DatedIsin>,
}

impl KnownSymbols {
    fn from_reference(reference: &ReferenceData, isins: &HashMap<String, DatedIsin>) -> Self {
        let listed = |(symbol, facts): (&String, &ListedCompany)| {
            (symbol.clone(), (facts.name.clone(), facts.isin.clone()))
        };
        let isin_of_member =
            |(symbol, facts): (&String, &ListedCompany)| Some((symbol.clone(), facts.isin.clone()?));
        Self {
            funds: reference.funds.iter().cloned().collect(),
            test_issues: reference.test_issues.iter().cloned().collect(),
            listed: reference.listings.iter().map(listed).collect(),
            of_members: reference.member_facts.iter().filter_map(isin_of_member).collect(),
            isins: isins.iter().map(|(symbol, isin)| (symbol.clone(), *isin)).collect(),
        }
    }

    /// Returns the facts as the reader of price files needs them.
    pub(crate) fn reference(&self) -> ReferenceData {
        let company = |symbol: &String, name: Option<&String>, isin: Option<&String>| {
            let (name, isin) = (name.cloned(), isin.cloned());
            (symbol.clone(), ListedCompany { symbol: symbol.clone(), name, isin, ..ListedCompany::default() })
        };
        let listings = self.listed.iter();
        ReferenceData {
            funds: self.funds.iter().cloned().collect(),
            test_issues: self.test_issues.iter().cloned().collect(),
            listings: listings
                .map(|(symbol, (name, isin))| company(symbol, name.as_ref(), isin.as_ref()))
                .collect(),
            member_facts: self
                .of_members
                .iter()
                .map(|(symbol, isin)| company(symbol, None, Some(isin)))
                .collect(),
            ..ReferenceData::default()
        }
    }
}

/// Parser of files in another process, if there is one.
#[derive(Clone, Copy)]
pub(crate) struct RemoteParser<'a> {
    pub(crate) parser: Option<&'a dyn FileParser>,
    /// The market's folder.
    pub(crate) dir: &'a Path,
}

impl<'a> RemoteParser<'a> {
    /// Builds the parser; with an as-of date it parses nothing, as caches that other processes fill have rows of all dates.
    pub(crate) fn new(as_of: Option<NaiveDate>, parser: Option<&'a dyn FileParser>, dir: &'a Path) -> Self {
        Self { parser: parser.filter(|_| as_of.is_none()), dir }
    }

    /// Requests the parsing of the files of `sources` that `cache` lacks; `known` is set for price files.
    pub(crate) fn fill(
        self,
        cache: &ParseCache,
        sources: &[&RawSource],
        known: Option<(&ReferenceData, &HashMap<String, DatedIsin>)>,
    ) -> Result<(), RawError> {
        let Some((parser, folder)) = self.parser.zip(cache.folder()) else { return Ok(()) };
        let mut files = BTreeMap::new();
        for source in sources.iter().filter(|source| cache.pieces(source).is_none()) {
            let path = source.container.path();
            let name = path.strip_prefix(self.dir).unwrap_or(path).to_string_lossy().replace('\\', "/");
            if let Some(version) = source.container.version() {
                let path = path.to_owned();
                files.entry(name.clone()).or_insert(UnparsedFile { path, name, version });
            }
        }
        if files.is_empty() {
            return Ok(());
        }
        let known = known.map(|(reference, isins)| KnownSymbols::from_reference(reference, isins));
        parser.parse(files.into_values().collect(), known, folder).map_err(RawError::Elsewhere)
    }
}
