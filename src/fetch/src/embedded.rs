//! Source declarations embedded in the binary. A file in the user's folder replaces the embedded one with the same path.

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// Returns all embedded files as (path below `sources/`, text), sorted by path.
pub fn embedded_sources() -> &'static [(&'static str, &'static str)] {
    SOURCES
}
