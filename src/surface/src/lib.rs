//! Common parts of all protocols and pages: the OpenAPI document, the manual and its guides, schemas of answers, TLS, and the frame of
//! every HTML page. It handles no requests: protocol adapters build on it.
//!
//! Reading order: [`groups`], [`wording`] and [`json_schema`] (descriptions and schemas of operations), [`openapi`], [`manual`] and
//! [`guides`], [`html_page`] and [`asset`] (every page), [`tls`], [`log_fields`] (log fields of a request).

pub mod groups;
pub mod wording;
pub mod json_schema;
pub mod example_request;
pub mod served_symbols;
pub mod sample;
pub mod worked_example;

pub mod openapi;
pub mod manual;
pub mod guides;
pub mod table_reference;
pub mod embedded_pages;

pub mod html_page;
pub mod asset;
pub mod public_url;
pub mod tls;
pub mod log_fields;

#[cfg(test)]
mod fixture;
