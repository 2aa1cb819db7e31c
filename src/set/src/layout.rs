//! The names of the folders of a root. What lies in them is not known here.

/// The folder of manifests below a market's.
pub(super) const SETS: &str = "sets";
/// The folder of content-named files below a market's.
pub(super) const FILES: &str = "files";
