//! What all protocols and pages have in common: the OpenAPI document, the manual and its guides, schemas of answers, TLS, and what surrounds
//! every HTML page.
//!
//! It knows no request: adapters of protocols stand above it.
//!
//! Reading order: [`groups`], [`wording`] and [`json_schema`] (what an operation is in words and in a schema), [`openapi`], [`manual`]
//! and [`guides`], [`html_page`] and [`asset`] (every page), [`tls`], [`trail`] (what is known of a request when it is logged).

pub mod groups;
pub mod wording;
pub mod json_schema;
pub mod example_request;
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
pub mod trail;

#[cfg(test)]
mod fixture;
