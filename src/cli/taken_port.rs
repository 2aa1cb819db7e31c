//! An address that another program listens on: the program, if it is Parquote, and the remedy.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use serde_json::Value as Json;

/// Returns true if another program listens on an address.
pub(super) fn is_taken(address: SocketAddr) -> bool {
    address.port() != 0 && TcpListener::bind(address).is_err_and(|error| error.kind() == ErrorKind::AddrInUse)
}

/// Returns the URL of the Parquote that listens on an address without TLS; `None` if there is none.
pub(super) async fn parquote_at(address: SocketAddr) -> Option<String> {
    const TIMEOUT: Duration = Duration::from_secs(2);
    if !is_taken(address) {
        return None;
    }
    let ip = if address.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { address.ip() };
    let url = format!("http://{}", SocketAddr::new(ip, address.port()));
    let client = reqwest::Client::builder().no_proxy().timeout(TIMEOUT).build().ok()?;
    let reply = client.get(format!("{url}/v1/status")).send().await.ok()?;
    let status: Json = serde_json::from_slice(&reply.bytes().await.ok()?).ok()?;
    is_parquote(&status).then_some(url)
}

/// Returns true for the reply of a Parquote to `/v1/status`.
pub(super) fn is_parquote(status: &Json) -> bool {
    status.get("service").and_then(Json::as_str) == Some("parquote")
}

/// Describes an address on which the server cannot listen, with the remedy.
pub(super) async fn description(address: SocketAddr) -> String {
    match parquote_at(address).await {
        Some(url) => format!(
            "a Parquote serves at {address} already: open {url}/, stop it, or start this one beside it with {}",
            flag(address)
        ),
        None => format!("another program listens at {address}; {}", remedy(address)),
    }
}

/// Returns advice: the command that shows the other program, and the flag for another address.
pub(super) fn remedy(address: SocketAddr) -> String {
    let port = address.port();
    let command = match std::env::consts::OS {
        "linux" => format!("ss -ltnp 'sport = :{port}'"),
        "windows" => format!("netstat -ano | findstr :{port}"),
        _ => format!("lsof -i :{port}"),
    };
    format!("`{command}` names it; stop it, or choose another address with {}", flag(address))
}

/// Returns the flag for the next free port.
fn flag(address: SocketAddr) -> String {
    const PORTS_TRIED: u16 = 20;
    let ports = (1..=PORTS_TRIED).filter_map(|more| address.port().checked_add(more));
    let free = ports.map(|port| SocketAddr::new(address.ip(), port)).find(|other| !is_taken(*other));
    format!("--listen {}", free.unwrap_or(SocketAddr::new(address.ip(), 0)))
}
