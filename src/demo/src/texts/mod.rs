//! Invented texts about companies, like those of analysts and language models: summaries, profiles, analysed calls, tones, reports.
//!
//! Every figure in a text comes from the company's statements, and the content follows from the figures; only the wording is random. Each
//! row is marked as invented, and none gives advice. Texts exist for a part of the companies, like real coverage.

/// The words of lines of business.
mod line_of_business;

/// Text templates and the words of their placeholders.
mod text_writer;

/// The figures of a quarter.
mod facts;

/// The earnings calls of a company: dates and tones.
mod calls;
mod tone;

/// The texts.
mod call;
mod profile;
mod report;
mod summary;

/// Contracts on Form 8-K.
pub(crate) mod orders;

/// The files of all texts.
mod files;

pub(crate) use self::calls::generate_calls;
pub(crate) use self::files::write;
