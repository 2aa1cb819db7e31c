//! Where whoever asks is, for what is done on pages and by apps: it stands among the extensions of their requests.

use std::net::IpAddr;

/// Where whoever asks is, if that is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct VisitorAddress(pub Option<IpAddr>);
