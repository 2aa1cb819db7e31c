//! The address of whoever uses a page or an app, as an extension of the request.

use std::net::IpAddr;

/// Where whoever asks is, if that is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct VisitorAddress(pub Option<IpAddr>);
