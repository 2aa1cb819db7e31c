//! Files parsed elsewhere: somebody else fills the parse cache for files that it lacks, and reading finds them there.
//!
//! What does not come back is parsed by the reading itself, so that the market is the same whoever parsed its files.

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

/// What comes of it; an error ends the reading.
pub type ParsedElsewhere = Result<(), Box<dyn Error + Send + Sync>>;

/// Parses files for a reading, which then finds them in its parse cache.
pub trait ParseElsewhere: Debug + Send + Sync {
    /// Parses files into the parse cache in a folder: price files where something is `known` of symbols, else files of statements. Files
    /// that it leaves out are parsed by the reading.
    ///
    /// # Errors
    /// Whatever should end the reading.
    fn parse(&self, files: Vec<UnparsedFile>, known: Option<KnownSymbols>, cache: &Path) -> ParsedElsewhere;
}

/// A raw file whose rows are not in the parse cache.
#[derive(Debug, Clone)]
pub struct UnparsedFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its path below the folder of its market, by which the parse cache knows it.
    pub name: String,
    /// What tells it from what it was before.
    pub version: RawFileVersion,
}

/// What lists and other files say of symbols, by which bars are used or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownSymbols {
    funds: BTreeSet<String>,
    test_issues: BTreeSet<String>,
    /// By symbol: name and ISIN, as lists of the exchange say them.
    listed: BTreeMap<String, (Option<String>, Option<String>)>,
    /// By symbol: ISINs in lists of members.
    of_members: BTreeMap<String, String>,
    /// By symbol: ISINs in price files.
    pub(crate) isins: BTreeMap<String, DatedIsin>,
}

impl KnownSymbols {
    fn of(reference: &ReferenceData, isins: &HashMap<String, DatedIsin>) -> Self {
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

    /// What is known, as price files are read by it.
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

/// Who parses files for a reading, if anybody does.
#[derive(Clone, Copy)]
pub(crate) struct Elsewhere<'a> {
    pub(crate) parser: Option<&'a dyn ParseElsewhere>,
    /// The market's folder.
    pub(crate) dir: &'a Path,
}

impl<'a> Elsewhere<'a> {
    /// Nobody where rows after some date are left out: what is cached elsewhere is of all rows.
    pub(crate) fn up_to(
        as_of: Option<NaiveDate>,
        parser: Option<&'a dyn ParseElsewhere>,
        dir: &'a Path,
    ) -> Self {
        Self { parser: parser.filter(|_| as_of.is_none()), dir }
    }

    /// Has the files of sources parsed that a cache lacks; `known` where they are price files.
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
        let known = known.map(|(reference, isins)| KnownSymbols::of(reference, isins));
        parser.parse(files.into_values().collect(), known, folder).map_err(RawError::Elsewhere)
    }
}
