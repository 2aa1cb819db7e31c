//! Random input to all that reads what others wrote: a few seconds a target in a plain run, as many as `PARQUOTE_FUZZ_SECONDS`
//! says in a long one; another seed by `PARQUOTE_FUZZ_SEED`. Nothing panics, and whatever is refused is refused in words.
//!
//! Own code is built with checks of overflow here, dependencies without. Damaged tables under a running server are in
//! `refresh::fuzz`.

mod harness;
pub(crate) use self::harness::number;

mod raw_files;
mod requests;
mod words;
