//! Figures of documents that are counted, but make no row.

/// Reason why a record of a document is counted, but makes no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FigureNote {
    /// A tag that maps to no line.
    UnmappedTag(String),
    /// A tag defined by the filer.
    OwnTag,
    /// A figure of a part of the company.
    OfAPart,
    /// A figure of an unsupported span, or an empty figure.
    OtherSpan,
}
