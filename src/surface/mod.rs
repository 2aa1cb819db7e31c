//! Adapters without rules: each door turns its protocol into a call and back.

pub(crate) mod example_request;
pub(crate) mod groups;
pub(crate) mod json_schema;
pub mod openapi;

pub mod http;
