//! REST over HTTP: routes, headers, envelope, logs.
//! It has no rules about tiers, limits or params, and never touches rows: `data` arrives as ready bytes.
//!
//! Reading order: the listeners (`router`, `opening`, `connections`, `admin`, with `readiness` and `metrics`), the middleware
//! (`middleware`), the answers (`operation`, `document`, `unknown`), then the parts of a request and of a reply.

mod metrics;
mod watched_figures;
mod traffic;
mod settings;

mod readiness;
mod admin;
mod address;
mod host;
mod connections;
mod connection_figures;
mod connection_table;
mod guarded_body;
mod mount;
mod io_timeout;
mod opening;
mod app_state;
mod paths;
mod page_paths;
mod router;
mod routes;
mod route_table;
mod trailing_slash;

mod middleware;
mod page_guard;
mod people;
mod panics;
mod log;
mod caller_limits;
mod cross_origin;
mod strict_transport;

mod docs;
mod document;
mod manual_routes;
mod asset_route;
mod header_list;
mod cookies;
mod colour_form;
mod colours;
mod explorer;
mod past_day;
mod data_pages;
mod exported_file;
mod operation;
mod flash_messages;
mod page_calls;
mod page_change;
mod page_columns;
mod page_files;
mod page_route;
mod served_set;
mod suggest;
mod tour;
mod unknown;
mod portal;
mod oauth;

mod accept;
mod credentials;
mod encoding;
mod entity_tag;
mod envelope_body;
mod paging;
mod policy;
mod page_form;
mod page_reply;
mod query;
mod request_body;
mod reply;
mod request_id;
mod session_cookie;
mod visitor_address;

mod parts;

#[cfg(test)]
pub(crate) mod fixture;

pub use admin::{RefreshHandle, admin};
pub use connection_figures::ConnectionFigures;
pub use connections::{Connections, serve};
pub use cross_origin::CrossOrigin;
pub use data_pages::{AcceptTerms, ReadSources, SetsAndSources};
pub use log::{LoggedRequest, RequestLog};
pub use metrics::Metrics;
pub use mount::Mount;
pub use oauth::{AppSettings, ClientDocuments, WebDocuments};
pub use opening::OpeningRoutes;
pub use parts::{preferred_format, query_pairs};
pub use readiness::{DrainFlag, Readiness};
pub use router::{router, router_with};
pub use routes::Routes;
pub use session_cookie::SessionCookie;
pub use settings::{Clock, HttpSettings};
pub use strict_transport::StrictTransport;
