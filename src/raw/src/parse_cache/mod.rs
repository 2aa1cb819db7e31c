//! The parse cache: the parsed rows of price and statement files, so that a new day requires only its own files to be parsed.
//!
//! Its content is a function of the file's version, the parser's version and the market; the rows to use are selected afterwards, in
//! memory. A missing, damaged or doubtful entry is parsed again and is never an error: the folder may be deleted at any time, and two
//! derivations may share it.

// A piece of a file as a batch.
pub(crate) mod piece_batch;
pub(crate) mod price_rows;
pub(crate) mod statement_rows;

// The cache of one raw file, and the folder that holds the caches.
mod cache_file;
pub(crate) mod cache_folder;
