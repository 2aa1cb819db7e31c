//! The built-in demo market, for benches that need tables of any kind. It is read in place and never written to.

/// The folder that holds the tables of both markets.
pub(crate) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/demo");
