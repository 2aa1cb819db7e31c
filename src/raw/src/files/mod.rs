//! Files: location, packing and format.

pub(crate) mod container;
mod source_notes;
mod unused_file;
mod partition;
pub(crate) mod source;
mod order_of_days;
pub(crate) mod find;
