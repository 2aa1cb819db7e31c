//! Invented texts about companies, as analysts and language models write them: summaries, profiles, analysed calls, tones,
//! reports.
//!
//! Every figure in a text is one of the company's statements, and what is said follows from it; only the wording is random.
//! Each row says that it is invented, and none gives advice. Texts are written for a part of the companies, as coverage is in
//! real life.

/// What companies do, in words.
mod line_of_business;
mod business_of_industry;
mod goods_businesses;
mod service_businesses;

/// Templates and their words.
mod voice;

/// The figures of a quarter.
mod facts;

/// The earnings calls of a company: when they were and how they sounded.
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

pub(crate) use self::calls::calls;
pub(crate) use self::files::write;
