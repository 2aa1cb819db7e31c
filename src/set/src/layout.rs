//! Folder names below a root. This module does not know their content.

/// The folder of manifests below a market's.
pub(super) const SETS: &str = "sets";
/// The folder of past sets, which has folders of markets as the root has.
pub(super) const PAST: &str = "past";
/// The folder of content-named files below a market's.
pub(super) const FILES: &str = "files";
/// The folder of ledgers below a root.
pub(super) const LEDGER: &str = "ledger";
