//! Names of folders below a root.

/// The folder of manifests below a market's.
pub(super) const SETS: &str = "sets";
/// The folder of past sets; it has a folder for each market, like the root.
pub(super) const PAST: &str = "past";
/// The folder of content-named files below a market's.
pub(super) const FILES: &str = "files";
/// The folder of ledgers below a root.
pub(super) const LEDGER: &str = "ledger";
