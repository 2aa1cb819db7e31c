//! Checks the numbers in a model's text: a number stays only if a tool or an input of the run supports it.
//!
//! [`RunEvidence`] collects the evidence of a run; [`RunEvidence::strike`] checks a text against it. It does not check the subject of a
//! number: the correct figure of one company passes where a text attributes it to another. Cited figures do not have that gap, as they
//! name operation, symbol and field. [`PassageEvidence`] checks a sentence against paragraphs of a document.

mod agreement;
mod calendar;
mod denied_word;
mod mark_kind;
mod measure;
mod parsed_text;
mod parts;
mod party;
mod passage;
mod passage_words;
mod period_mention;
mod phrases;
mod run_evidence;
mod seen_figure;
mod sentence_part;
mod stated;
mod stated_mark;
mod statement;
mod statement_reader;
mod statement_words;
mod strike;
mod support;
mod text_token;
mod written;

pub use parts::is_invisible;
pub use passage::PassageEvidence;
pub use run_evidence::{CitedFigure, RunEvidence};
pub use seen_figure::{FigureKind, SeenFigure};
pub use stated::MoneyUnit;
pub use strike::{STRUCK, UnsupportedNumber};

#[cfg(test)]
mod measure_tests;
#[cfg(test)]
mod passage_tests;
#[cfg(test)]
mod statement_tests;
#[cfg(test)]
mod tests;
