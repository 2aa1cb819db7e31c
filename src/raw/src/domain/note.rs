//! What a document has that is counted, but makes no row.

/// Why a record of a document is counted, but no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FigureNote {
    /// A tag that makes no line.
    UnmappedTag(String),
    /// A tag that the filer made for itself.
    OwnTag,
    /// A figure of a part of the company.
    OfAPart,
    /// A figure of a span that is none of ours, or no figure.
    OtherSpan,
}
