//! The parse cache: the rows of files of prices and statements as they were parsed, so that a day more costs a day's parsing.
//!
//! What it holds of a file is a function of the file's version, of the version of what parses it, and of the market; which rows
//! are used is decided after it, in memory. Whatever is missing, damaged or doubtful is parsed again, and nothing here is ever an
//! error: the folder may be deleted at any time, and two derivations may share it.

// A piece of a file as a batch.
pub(crate) mod piece_batch;
pub(crate) mod price_rows;
pub(crate) mod statement_rows;

// The file of a raw file, and the folder of these.
mod cache_file;
pub(crate) mod cache_folder;
