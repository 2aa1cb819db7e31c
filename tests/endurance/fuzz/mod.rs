//! Random input to all parsers of outside text: a few seconds per target in a plain run, or `PARQUOTE_FUZZ_SECONDS`;
//! `PARQUOTE_FUZZ_SEED` chooses another seed. Nothing panics, and every refusal has a message.
//!
//! Own code is built with overflow checks here, dependencies without. Damaged tables under a running server are in
//! `refresh::fuzz`.

mod harness;
pub(crate) use self::harness::number;

mod raw_files;
mod requests;
mod words;
