//! The tables that raw files fill, by their headers alone: what a derivation could make, before it makes anything.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::DeriveError;
use super::user_supplied;
use parquote_catalogue::operation::{Catalogue, Market, Table};
use parquote_raw::{DeclaredFormat, RawError, RawKinds, RawOptions};

/// The source tables of a market that files under `raw` fill.
///
/// # Errors
/// A folder that cannot be listed, a declaration with a mistake.
pub fn covered(catalogue: &Catalogue, market: Market, raw: &Path) -> Result<BTreeSet<String>, DeriveError> {
    let declared = DeclaredFormat::of_tables(catalogue).map_err(RawError::Declaration)?;
    let how = RawOptions {
        user_tables: &user_supplied::tables(catalogue, market),
        declared_formats: &declared,
        ..RawOptions::of(market)
    };
    let kinds = RawKinds::of(&raw.join(market.word()), &how)?;
    let is_filled = |table: &&Table| {
        let mut of_market = table.filled_by.iter().filter(|files| files.is_in(market));
        kinds.tables.contains(&table.name) || of_market.any(|files| kinds.formats.contains(&*files.format))
    };
    Ok(catalogue.tables_in(market).filter(is_filled).map(|table| table.name.clone()).collect())
}
