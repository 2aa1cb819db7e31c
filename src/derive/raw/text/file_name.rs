//! The name of a file in a path below the market's folder.

/// The last part of a path: a file, or a member of an archive behind a `!`.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\', '!']).next().unwrap_or(path)
}
