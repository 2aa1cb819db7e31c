//! Checks and profiles of a set before it is served.

pub(crate) mod casts;
pub(crate) mod digests;
pub(crate) mod inspection;
pub(crate) mod checking;
pub(crate) mod vetting;
