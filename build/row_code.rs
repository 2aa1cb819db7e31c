//! What decides the rows of tables beside their declarations and what they are made from: code, and crates that compute.

/// The module that makes tables. What it reaches is what decides rows.
pub(crate) const MODULE: &str = "derive";

/// Files that are reached and decide no row.
pub(crate) const LEFT_OUT: [&str; 11] = [
    // Words for people.
    "derive/error.rs",
    "derive/report.rs",
    "engine/error.rs",
    // The map of a room, which names all of it.
    "engine/mod.rs",
    // What is served: derivation has a name from a file that it shares with it.
    "engine/snapshot.rs",
    // Values of callers; derivation has none.
    "operation/arguments.rs",
    "operation/value.rs",
    // Where files lie and how they are published.
    "set",
    "derive/publish.rs",
    // It counts what rows break, and decides none.
    "derive/identities.rs",
    // What it reads of a table is in the fingerprint of that table.
    "operation/catalogue.rs",
];

/// Crates that read raw cells or compute figures, each with those whose names go on with a dash. What packs, stores or sends
/// bytes changes no row, so that its version is not looked at.
const CRATES: [&str; 18] = [
    "arrow",
    "datafusion",
    "parquet",
    "sqlparser",
    // Numbers and dates from text, and arithmetic.
    "bigdecimal",
    "chrono",
    "fast-float2",
    "half",
    "lexical",
    "libm",
    "num",
    "regex",
    // Raw files.
    "calamine",
    "csv",
    "quick-xml",
    "serde_json",
    // Digests by which rows are taken for the same.
    "blake3",
    "xxhash-rust",
];

/// Name and version of each such crate that a lock file has.
pub(crate) fn versions(lock: &str) -> Vec<String> {
    let of_line = |line: &str, key: &str| {
        Some(line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned())
    };
    let computes = |name: &str| {
        CRATES.iter().any(|known| {
            name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    };
    let pairs = lock.lines().zip(lock.lines().skip(1));
    let packages =
        pairs.filter_map(|(name, version)| Some((of_line(name, "name")?, of_line(version, "version")?)));
    packages.filter(|(name, _)| computes(name)).map(|(name, version)| format!("{name} {version}")).collect()
}
