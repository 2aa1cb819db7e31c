//! The address of the user of a page or an app, as an extension of the request.

use std::net::IpAddr;

/// Address of the user, if known.
#[derive(Debug, Clone, Copy)]
pub(super) struct VisitorAddress(pub Option<IpAddr>);
