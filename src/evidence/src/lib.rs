//! Evidence: checks texts of language models against the figures and passages on which they rest. Pure: no I/O, and no knowledge of models
//! or documents.
//!
//! [`RunEvidence`] checks the numbers of a report against the answers of tools, with the tolerance that reports need.
//! [`PassageEvidence`] checks a sentence against paragraphs of a document, without tolerance. [`mark_as_data`] marks text as data in a
//! prompt, and [`objects_in_order`] finds the JSON in a reply.

mod json_text;
mod marks;
mod numbers;

pub use json_text::{fit_to_schema, objects_in_order, without_thoughts};
pub use marks::mark_as_data;
pub use numbers::{
    CitedFigure, FigureKind, MoneyUnit, PassageEvidence, RunEvidence, STRUCK, SeenFigure, UnsupportedNumber,
    is_invisible,
};
