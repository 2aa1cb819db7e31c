//! HSTS: replies over encrypted connections tell browsers to use only HTTPS, and no other replies do.

use parquote::http::{HttpSettings, StrictTransport};
use parquote::operation::Tier;
use reqwest::Method;
use serde_json::json;

use super::fixture::{Fixture, Reply, key};

const TOLD: &str = "max-age=31536000";

fn fixture(strict_transport: StrictTransport) -> Fixture {
    let (_, row) = key("Anu", Tier::ApiPro);
    Fixture::built(&[&row], HttpSettings { strict_transport, ..HttpSettings::default() }, 100)
}

fn transport_header(reply: &Reply) -> &str {
    reply.header("strict-transport-security")
}

/// A page, a redirect, an operation, a document, a file, and a missing path.
const PATHS: [&str; 6] = ["/login", "/portal", "/v1/market/sectors", "/v1/status", "/v1/docs", "/nothing"];

#[test]
fn every_reply_says_it_where_this_server_encrypts() {
    let fixture = fixture(StrictTransport::EveryName);
    for path in PATHS {
        for host in ["quotes.example", "other.example:8443"] {
            assert_eq!(
                transport_header(&fixture.send(Method::GET, path, &[("host", host)], &[])),
                TOLD,
                "{path} {host}"
            );
        }
        // Another server on this machine may not encrypt.
        for host in ["localhost:8443", "127.0.0.1:8443"] {
            assert_eq!(
                transport_header(&fixture.send(Method::GET, path, &[("host", host)], &[])),
                "",
                "{path} {host}"
            );
        }
    }
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(transport_header(&fixture.post_json("/mcp", &[("host", "quotes.example")], &list)), TOLD);
}

#[test]
fn behind_a_proxy_it_is_said_under_the_public_name_alone() {
    let fixture = fixture(StrictTransport::Host("quotes.example".to_owned()));
    for path in PATHS {
        let under = |host: &str| fixture.send(Method::GET, path, &[("host", host)], &[]);
        assert_eq!(transport_header(&under("quotes.example")), TOLD, "{path}");
        for host in ["127.0.0.1:8080", "localhost", "10.0.0.7:8080", "quotes.example.evil.example"] {
            assert_eq!(transport_header(&under(host)), "", "{path} {host}");
        }
    }
}

#[test]
fn without_encryption_it_is_not_said() {
    let fixture = fixture(StrictTransport::Off);
    for path in PATHS {
        for host in ["127.0.0.1:8080", "quotes.example"] {
            assert_eq!(
                transport_header(&fixture.send(Method::GET, path, &[("host", host)], &[])),
                "",
                "{path} {host}"
            );
        }
    }
}
