//! Invented texts about companies, like those of analysts and language models: summaries, profiles, analysed calls, tones, reports.
//!
//! Every figure in a text is one of the company's statements, and the content follows from it; only the wording is random. Each row is
//! marked as invented, and none gives advice. Texts exist for a part of the companies, like real coverage.

/// The words of lines of business.
mod line_of_business;

/// Templates and their words.
mod voice;

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

/// Their files.
mod files;

pub(crate) use self::calls::generate_calls;
pub(crate) use self::files::write;
