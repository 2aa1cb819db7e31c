//! The paths that are not those of operations. What lies there is not known here.

/// The path below which everything lies.
pub(super) const ROOT: &str = "/v1";
/// Where the health payload lies.
pub(super) const STATUS: &str = "/v1/status";
/// Where the manual page lies.
pub(super) const DOCS: &str = "/v1/docs";
/// Below it lie files that callers had made; each has an address that nobody can guess.
pub(super) const FILES: &str = "/v1/files/";
/// Where the OpenAPI document lies.
pub(super) const OPENAPI: &str = "/v1/openapi.json";
