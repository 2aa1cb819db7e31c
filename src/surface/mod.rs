//! Adapters without rules: each door turns its protocol into a call and back.

pub(crate) mod embedded_pages;
pub(crate) mod example_request;
pub(crate) mod groups;
pub(crate) mod json_schema;
pub mod manual;
pub mod openapi;
pub mod sample;
pub(crate) mod wording;

pub mod http;
