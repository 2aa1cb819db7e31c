//! The query files that the binary carries. What lies in `--queries DIR` is laid over them by path.

include!(concat!(env!("OUT_DIR"), "/queries.rs"));

/// All embedded files as (path below `queries/`, text), sorted by path.
pub fn embedded_files() -> &'static [(&'static str, &'static str)] {
    FILES
}
