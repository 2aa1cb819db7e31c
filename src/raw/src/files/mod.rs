//! Files: location, packing and format.

pub(crate) mod container;
mod folders;
mod source_notes;
mod document_lists;
mod unused_file;
mod partition;
pub(crate) mod source;
mod order_of_days;
pub(crate) mod find;
