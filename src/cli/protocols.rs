//! Converts the server's command-line settings to those of its protocols.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;

use super::logging;
use crate::access::{AccessControl, Administration, unix_seconds};
use crate::config::{Serving, StateFile, WithoutState};
use crate::http::{AppSettings, HttpSettings, Metrics, SessionCookie, StrictTransport, WebDocuments};
use crate::mcp::McpSettings;
use crate::state::Store;
use crate::surface::public_url::PublicUrl;

/// Creates the access control from the state file.
pub(super) fn access(store: &Store, serving: &Serving) -> anyhow::Result<Arc<AccessControl>> {
    let access = AccessControl::open(store, serving.wrong_keys, Arc::new(unix_seconds))?;
    Ok(Arc::new(match serving.without_state {
        WithoutState::Refuse => access,
        WithoutState::Serve => access.serving_without_state(),
    }))
}

/// Returns the settings of REST, pages and the portal.
pub(super) fn http_settings(
    access: &Arc<AccessControl>,
    state: &StateFile,
    serving: &Serving,
    metrics: Arc<Metrics>,
) -> anyhow::Result<HttpSettings> {
    Ok(HttpSettings {
        concurrent_requests: serving.under_way,
        concurrent_requests_per_caller: serving.under_way_per_caller,
        free_a_second: serving.free_a_second,
        trusted_proxies: serving.trusted_proxy.clone().into(),
        log: logging::requests(),
        metrics,
        administration: Some(Arc::new(Administration::new(Store::open(&state.state)?, Arc::clone(access)))),
        cookie: session_cookie(serving),
        strict_transport: strict_transport(serving),
        apps: apps(serving)?,
        ..HttpSettings::default()
    })
}

/// Returns the settings of the tools. A server that only this machine can reach uses its listen address as its public URL.
pub(super) fn mcp_settings(serving: &Serving, url: Option<&str>) -> McpSettings {
    let listen_url = || url.filter(|_| serving.listen.ip().is_loopback()).map(str::to_owned);
    McpSettings {
        body_time: Duration::from_millis(serving.body_ms),
        hosts: mcp_hosts(serving),
        origins: serving.mcp_origins.clone(),
        public_url: serving.public_url.as_ref().map(|url| url.as_str().to_owned()).or_else(listen_url),
        ..McpSettings::default()
    }
}

/// Selects the session cookie. Connections without encryption may carry it only if this machine alone can reach the server.
fn session_cookie(serving: &Serving) -> SessionCookie {
    let is_public = serving.public_url.as_ref().is_some_and(PublicUrl::is_encrypted);
    let is_plain = serving.tls_cert.is_none() && serving.listen.ip().is_loopback() && !is_public;
    if is_plain { SessionCookie::Loopback } else { SessionCookie::Secure }
}

/// Selects the host names for which browsers must use HTTPS: all of them if this server encrypts connections, the public host if a
/// proxy does.
fn strict_transport(serving: &Serving) -> StrictTransport {
    match serving.public_url.as_ref().filter(|url| url.is_encrypted()) {
        _ if serving.tls_cert.is_some() => StrictTransport::EveryName,
        Some(url) => StrictTransport::Host(url.host().to_owned()),
        None => StrictTransport::Off,
    }
}

/// Returns the settings for apps; `None` without a public URL.
fn apps(serving: &Serving) -> anyhow::Result<Option<AppSettings>> {
    let Some(public_url) = serving.public_url.clone() else { return Ok(None) };
    let documents = WebDocuments::new().context("documents of apps cannot be fetched")?;
    Ok(Some(AppSettings { public_url, documents: Arc::new(documents) }))
}

/// Returns the host names of the tools' endpoint: those in the settings, the listen address, and the public host. This protects
/// against DNS rebinding: a page of another site cannot make its own name resolve to one of these.
fn mcp_hosts(serving: &Serving) -> Vec<String> {
    let address = match serving.listen.ip() {
        address if address.is_unspecified() => None,
        IpAddr::V4(address) => Some(address.to_string()),
        IpAddr::V6(address) => Some(format!("[{address}]")),
    };
    let public = serving.public_url.as_ref().map(|url| url.host().to_owned());
    serving.mcp_hosts.iter().cloned().chain(address).chain(public).collect()
}
