//! The source tables that a folder of raw files would fill, found from file headers before a derivation.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::DeriveError;
use super::user_supplied;
use parquote_catalogue::operation::{Catalogue, Market, Table};
use parquote_raw::{DeclaredFormat, RawError, RawKinds, RawOptions};

/// Returns the names of the source tables of a market that the files under `raw` would fill.
///
/// # Errors
/// The folder cannot be listed, or the declaration of a file format is invalid.
pub fn covered_tables(
    catalogue: &Catalogue,
    market: Market,
    raw: &Path,
) -> Result<BTreeSet<String>, DeriveError> {
    let declared = DeclaredFormat::table_formats(catalogue).map_err(RawError::Declaration)?;
    let options = RawOptions {
        user_tables: &user_supplied::tables(catalogue, market),
        declared_formats: &declared,
        ..RawOptions::for_market(market)
    };
    let kinds = RawKinds::scan(&raw.join(market.word()), &options)?;
    let is_filled = |table: &&Table| {
        let mut market_files = table.filled_by.iter().filter(|files| files.is_in(market));
        kinds.tables.contains(&table.name) || market_files.any(|files| kinds.formats.contains(&*files.format))
    };
    Ok(catalogue.tables_in(market).filter(is_filled).map(|table| table.name.clone()).collect())
}
