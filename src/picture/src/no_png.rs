//! PNG in a build without the feature: every call fails.

use parquote_catalogue::features::missing_feature;

/// This build draws no PNG.
#[derive(Debug, thiserror::Error)]
#[error("{}", missing_feature("a picture as PNG", "png"))]
pub struct PngError;

/// Returns the error.
pub const fn png(_: &str) -> Result<Vec<u8>, PngError> {
    Err(PngError)
}
