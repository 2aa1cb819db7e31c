//! Parses files for a reader on another machine: only fills a parse cache with their rows.

use std::collections::BTreeMap;
use std::path::Path;

use crate::accounts::refused::RefusedCount;
use crate::accounts::row_accounts::RowAccounts;
use crate::error::RawError;
use crate::files::container::RawFileVersion;
use crate::files::find::{self, WantedFiles};
use crate::options::RawOptions;
use crate::price_files::{self, PriceReading};
use crate::progress::SilentProgress;
use crate::reference_files::{self, ReferenceReading};
use crate::remote_parse::{KnownSymbols, RemoteParser};
use crate::report::Report;
use crate::spool::Spool;
use crate::user_tables::file::UserTables;

/// Parses the price files in a folder into the parse cache or, if `known` is `None`, its files of statements. `versions` has the version of
/// each file, by name.
///
/// # Errors
/// As [`crate::read`], except read faults and missing bars.
pub fn parse(
    dir: &Path,
    options: &RawOptions<'_>,
    versions: &BTreeMap<String, RawFileVersion>,
    known: Option<&KnownSymbols>,
) -> Result<(), RawError> {
    let RawOptions { market, bounds, parse_cache: cache, .. } = *options;
    let user_tables = UserTables::new(options.user_tables, options.declared_formats, market);
    let user_tables = &user_tables.map_err(RawError::Declaration)?;
    let wanted = WantedFiles { versions: Some(versions), ..WantedFiles::all(market, user_tables, bounds) };
    let sources = find::find(dir, wanted, &SilentProgress)?.sources;
    let mut refused = RefusedCount::default();
    let accounts = &mut RowAccounts::new(Report::default(), &mut refused);
    let (as_of, remote) = (None, RemoteParser { parser: None, dir });
    let Some(known) = known else {
        let reading = ReferenceReading { market, as_of, cache, remote };
        return reference_files::read(&sources, reading, accounts, &SilentProgress).map(drop);
    };
    let (reference, spool) = (&known.reference(), &Spool::new(None, None));
    let isins = known.isins.iter().map(|(symbol, isin)| (symbol.clone(), *isin)).collect();
    let reading = PriceReading { market, as_of, reference, cache, spool, remote };
    price_files::read(&sources, reading, isins, accounts, &SilentProgress).map(drop)
}
