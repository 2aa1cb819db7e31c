//! Words of columns, from `column_words.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use parquote_catalogue::operation::read_toml;

/// Meaning of a rise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Polarity {
    /// A rise is good.
    Good,
    /// A rise is bad.
    Bad,
    /// A rise is neither.
    Neither,
}

/// The words of `column_words.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnWords {
    /// Titles of names whose words are not clear enough.
    pub(super) titles: BTreeMap<String, String>,
    /// Short forms, and words with a special spelling.
    pub(super) words: BTreeMap<String, String>,
    /// The meaning of a rise, by column.
    pub(super) rises: BTreeMap<String, Polarity>,
}

/// The built-in words. Tests ensure that the file can be read.
pub(super) static COLUMN_WORDS: LazyLock<ColumnWords> =
    LazyLock::new(|| read_toml(include_str!("column_words.toml")).unwrap_or_default());
