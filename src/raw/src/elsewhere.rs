//! Files parsed by another process, which fills the parse cache for files that it lacks.
//!
//! The reader parses files that do not come back itself, so that the market is the same wherever its files were parsed.

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

/// Result of parsing elsewhere; an error ends the reading.
pub type ParsedElsewhere = Result<(), Box<dyn Error + Send + Sync>>;

/// Parses files for a reader, which then finds them in its parse cache.
pub trait ParseElsewhere: Debug + Send + Sync {
    /// Parses files into the parse cache in `cache`: price files if `known` is set, else files of statements. Files that it leaves out are
    /// parsed by the reader.
    ///
    /// # Errors
    /// Any error that should end the reading.
    fn parse(&self, files: Vec<UnparsedFile>, known: Option<KnownSymbols>, cache: &Path) -> ParsedElsewhere;
}

/// A raw file whose rows are not in the parse cache.
#[derive(Debug, Clone)]
pub struct UnparsedFile {
    /// Its path.
    pub path: PathBuf,
    /// Its path below the folder of its market, its key in the parse cache.
    pub name: String,
    /// Its version.
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
        let listed =
            |(symbol, of): (&String, &ListedCompany)| (symbol.clone(), (of.name.clone(), of.isin.clone()));
        let of_members = |(symbol, of): (&String, &ListedCompany)| Some((symbol.clone(), of.isin.clone()?));
        Self {
            funds: reference.funds.iter().cloned().collect(),
            test_issues: reference.test_issues.iter().cloned().collect(),
            listed: reference.listed.iter().map(listed).collect(),
            of_members: reference.of_members.iter().filter_map(of_members).collect(),
            isins: isins.iter().map(|(symbol, isin)| (symbol.clone(), *isin)).collect(),
        }
    }

    /// Returns the facts as the reader of price files needs them.
    pub(crate) fn reference(&self) -> ReferenceData {
        let company = |symbol: &String, name: Option<&String>, isin: Option<&String>| {
            let (name, isin) = (name.cloned(), isin.cloned());
            (symbol.clone(), ListedCompany { symbol: symbol.clone(), name, isin, ..ListedCompany::default() })
        };
        let listed = self.listed.iter();
        ReferenceData {
            funds: self.funds.iter().cloned().collect(),
            test_issues: self.test_issues.iter().cloned().collect(),
            listed: listed
                .map(|(symbol, (name, isin))| company(symbol, name.as_ref(), isin.as_ref()))
                .collect(),
            of_members: self
                .of_members
                .iter()
                .map(|(symbol, isin)| company(symbol, None, Some(isin)))
                .collect(),
            ..ReferenceData::default()
        }
    }
}

/// Parser of files elsewhere, if there is one.
#[derive(Clone, Copy)]
pub(crate) struct RemoteParser<'a> {
    pub(crate) parser: Option<&'a dyn ParseElsewhere>,
    /// The market's folder.
    pub(crate) dir: &'a Path,
}

impl<'a> RemoteParser<'a> {
    /// Builds it, without a parser if there is an as-of date: caches filled elsewhere have rows of all dates.
    pub(crate) fn up_to(
        as_of: Option<NaiveDate>,
        parser: Option<&'a dyn ParseElsewhere>,
        dir: &'a Path,
    ) -> Self {
        Self { parser: parser.filter(|_| as_of.is_none()), dir }
    }

    /// Has the files of `sources` parsed that `cache` lacks; `known` is set for price files.
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
