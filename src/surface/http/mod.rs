//! REST over HTTP: routes, headers, envelope, logs.
//! It knows nothing of tiers, limits or params, and never touches rows: `data` arrives as ready bytes.
//!
//! Reading order: the doors ([`router()`], [`serve()`]), what surrounds each request ([`frame`]), what answers it
//! ([`operation`], [`document`], [`unknown`]), then the parts of a request and of a reply.

mod settings;

mod router;
mod serve;

mod frame;
mod log;

mod docs;
mod document;
mod operation;
mod unknown;

mod entity_tag;
mod query;
mod reply;
mod request_id;

#[cfg(test)]
pub(crate) mod fixture;

pub use router::router;
pub use serve::serve;
pub use settings::{Clock, HttpSettings};
