//! The declarations of sources that the binary carries. A file in the user's folder replaces the one with the same path.

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// All embedded files as (path below `sources/`, text), sorted by path.
pub fn embedded_sources() -> &'static [(&'static str, &'static str)] {
    SOURCES
}
