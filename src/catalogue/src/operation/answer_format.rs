//! The formats in which the rows of an answer are written.

use serde::{Deserialize, Serialize};

crate::word_enum! {
    /// A format of rows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    pub enum AnswerFormat {
        /// JSON in the envelope, one object per row.
        #[default]
        Json = "json",
        /// JSON in the envelope: column names once, then one array per row.
        Columns = "columns",
        /// One object per line and row, without an envelope.
        Ndjson = "ndjson",
        /// Comma-separated values, with a header line.
        Csv = "csv",
        /// An Arrow IPC stream, with types.
        Arrow = "arrow",
        /// A workbook with typed cells.
        Xlsx = "xlsx",
        /// A picture, as SVG.
        Svg = "svg",
        /// A picture, as PNG.
        Png = "png",
    }
    const ALL "All formats, the default first.";
    fn word "Returns its word in a request.";
}

impl AnswerFormat {
    /// The formats of rows, which every reading operation has.
    pub const ROWS: [Self; 6] = [Self::Json, Self::Columns, Self::Ndjson, Self::Csv, Self::Arrow, Self::Xlsx];

    /// Returns the media type of replies.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json | Self::Columns => "application/json",
            Self::Ndjson => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Arrow => "application/vnd.apache.arrow.stream",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
        }
    }

    /// Returns true for pictures of rows.
    pub const fn is_picture(self) -> bool {
        matches!(self, Self::Svg | Self::Png)
    }

    /// Returns the format with a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.word() == word)
    }

    /// Returns true for JSON with the answer under `data`; all other formats contain only rows.
    pub const fn is_enveloped(self) -> bool {
        matches!(self, Self::Json | Self::Columns)
    }
}
