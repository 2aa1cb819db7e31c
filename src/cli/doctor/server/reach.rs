//! The address: a Parquote server answers there, with encryption if that is required, and with the time of this machine.

use chrono::{DateTime, Utc};
use serde_json::Value as Json;

use super::Diagnosis;
use super::requests::{ExaminedServer, Trouble};
use crate::cli::taken_port::is_parquote;

const STATUS: &str = "/v1/status";

/// Checks the address.
///
/// # Errors
/// The fault without which nothing else answers.
pub(super) async fn check(server: &ExaminedServer) -> Result<Vec<Diagnosis>, Diagnosis> {
    let fault = |trouble: Trouble| trouble.fault("address");
    let reply = server.get(server.url_of(STATUS), &[]).await.map_err(fault)?;
    if let Some(trouble) = server.trouble(STATUS, &reply) {
        return Err(fault(trouble));
    }
    let status: Json = reply.json().unwrap_or_default();
    let address = server.address();
    if !is_parquote(&status) {
        let finding = format!("another program answers at {address}");
        return Err(Diagnosis::fault("address", finding, "name the address of a Parquote"));
    }
    let mut found = vec![Diagnosis::ok("address", format!("a Parquote answers at {address}"))];
    if !server.is_encrypted() && !server.is_local() {
        found.push(Diagnosis::warning(
            "tls",
            "keys cross the network in clear text, and hosted chat apps refuse http://",
            "--tls-cert FILE --tls-key FILE, or a proxy with TLS and --public-url https://HOST",
        ));
    }
    found.extend(check_clock(reply.header("date"), Utc::now()));
    Ok(found)
}

/// Compares the clock of the server with that of this machine.
fn check_clock(date: &str, now: DateTime<Utc>) -> Option<Diagnosis> {
    /// Access tokens are valid for minutes.
    const MOST_SKEW_S: i64 = 60;
    let theirs = DateTime::parse_from_rfc2822(date).ok()?.to_utc();
    let apart = (now - theirs).num_seconds();
    let finding = format!("the server says {theirs}, this machine {apart} s more");
    (apart.abs() > MOST_SKEW_S)
        .then(|| Diagnosis::warning("clock", finding, "timedatectl set-ntp true, on both"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_differ_by_minutes_are_reported() {
        let now = "2026-11-29T15:00:00Z".parse().unwrap();
        assert_eq!(check_clock("Sun, 29 Nov 2026 14:59:30 GMT", now), None);
        assert_eq!(check_clock("no date", now), None);
        let line = check_clock("Sun, 29 Nov 2026 14:50:00 GMT", now).unwrap().to_string();
        assert!(line.contains("600 s more"), "{line}");
    }
}
