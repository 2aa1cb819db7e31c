//! Paths that do not belong to an operation.

/// Root of the versioned paths.
pub(super) const ROOT: &str = "/v1";
/// Path of the health payload.
pub(super) const STATUS: &str = "/v1/status";
/// Path of the manual.
pub(super) const DOCS: &str = "/v1/docs";
/// Root of exported files; each has an address that cannot be guessed.
pub(super) const FILES: &str = "/v1/files/";
/// Path of the OpenAPI document.
pub(super) const OPENAPI: &str = "/v1/openapi.json";
