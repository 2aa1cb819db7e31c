//! What a set must hold before it is served, and what is told of its tables.

pub(crate) mod casts;
pub(crate) mod digests;
pub(crate) mod inspection;
pub(crate) mod checking;
pub(crate) mod vetting;
