//! Folder names below a root. This module does not know their content.

/// The folder of manifests below a market's.
pub(super) const SETS: &str = "sets";
/// The folder of content-named files below a market's.
pub(super) const FILES: &str = "files";
