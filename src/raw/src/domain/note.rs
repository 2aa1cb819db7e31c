//! Figures of documents that are counted, but yield no row.

/// Reason why a record of a document is counted, but yields no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FigureNote {
    /// A tag that maps to no line.
    UnmappedTag(String),
    /// A tag defined by the filer.
    FilerTag,
    /// A figure of a part of the company: a segment or a subsidiary.
    PartFigure,
    /// An empty figure, or one of a period other than those of `PeriodSpan`.
    OtherSpan,
}
