//! The port, TLS, and the settings under which others reach the server.

use super::Diagnosis;
use crate::causes::with_causes;
use crate::cli::taken_port;
use crate::config::Serving;
use crate::surface::public_url::PublicUrl;
use crate::surface::tls::Tls;

pub(super) fn check(serving: &Serving, running: Option<&str>) -> Vec<Diagnosis> {
    [check_port(serving, running), check_tls(serving)].into_iter().chain(check_proxy(serving)).collect()
}

fn check_port(serving: &Serving, running: Option<&str>) -> Diagnosis {
    let address = serving.listen;
    match (running, taken_port::is_taken(address)) {
        (Some(url), _) => Diagnosis::ok("port", format!("a Parquote serves at {url}")),
        (None, false) => Diagnosis::ok("port", format!("{address} is free")),
        (None, true) if serving.tls_cert.is_some() => {
            let remedy = "if it is Parquote, examine it under its name: parquote doctor https://HOST";
            Diagnosis::warning("port", format!("a server listens at {address}"), remedy)
        }
        (None, true) => {
            let finding = format!("another program listens at {address}");
            Diagnosis::fault("port", finding, taken_port::remedy(address))
        }
    }
}

fn check_tls(serving: &Serving) -> Diagnosis {
    let is_public = serving.public_url.as_ref().is_some_and(PublicUrl::is_encrypted);
    match (&serving.tls_cert, &serving.tls_key) {
        (Some(certificate), Some(key)) => match Tls::read(certificate, key) {
            Ok(_) => Diagnosis::ok("tls", format!("{} is usable", certificate.display())),
            Err(error) => {
                Diagnosis::fault("tls", with_causes(&error), "name PEM files with --tls-cert and --tls-key")
            }
        },
        _ if is_public => Diagnosis::ok("tls", "a proxy encrypts, as --public-url says"),
        _ if serving.listen.ip().is_loopback() => {
            Diagnosis::ok("tls", "off, which is safe on an address of this machine alone")
        }
        _ => Diagnosis::warning(
            "tls",
            format!("off at {}: keys cross the network in clear text", serving.listen),
            "--tls-cert FILE --tls-key FILE, or a proxy with TLS and --public-url https://HOST",
        ),
    }
}

/// Reports settings that a server behind a proxy, or on the network, needs.
fn check_proxy(serving: &Serving) -> Option<Diagnosis> {
    let is_local = serving.listen.ip().is_loopback();
    match &serving.public_url {
        Some(url) if is_local && serving.tls_cert.is_none() && serving.trusted_proxy.is_empty() => {
            Some(Diagnosis::warning(
                "proxy",
                format!(
                    "all callers of {} have the address of the proxy, and share its limits",
                    url.as_str()
                ),
                "--trusted-proxy 127.0.0.1 (the address of your proxy)",
            ))
        }
        None if serving.listen.ip().is_unspecified() && serving.mcp_hosts.is_empty() => {
            Some(Diagnosis::warning(
                "proxy",
                "the tools answer under this machine's own names only",
                "--public-url https://HOST, or --mcp-hosts HOST",
            ))
        }
        _ => None,
    }
}
