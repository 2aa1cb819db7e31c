//! Client documents, fetched from the web while an owner is about to consent.
//!
//! The address is untrusted input, so a request must not reach internal hosts: this module resolves names, and drops private and loopback
//! addresses. No proxy is used and no redirect followed; size and time are limited.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Url;

/// Longest document, in bytes.
const LONGEST_DOCUMENT: usize = 16 * 1024;
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// Networks that are not on the public internet.
const INTERNAL_NETWORKS: &str = "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 \
    192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 \
    224.0.0.0/4 240.0.0.0/4 ::/127 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 \
    fc00::/7 fe80::/10 ff00::/8";

/// A source of client documents.
pub trait ClientDocuments: Send + Sync {
    /// Returns the document at an address, or the reason for which there is none.
    fn fetch(&self, url: Url) -> BoxFuture<'static, Result<Bytes, String>>;
}

/// Fetches client documents from the web.
#[derive(Debug, Clone)]
pub struct WebDocuments(reqwest::Client);

impl WebDocuments {
    /// Builds the client.
    ///
    /// # Errors
    /// The system has no trusted certificates.
    pub fn new() -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .no_proxy()
            .https_only(true)
            .redirect(reqwest::redirect::Policy::none())
            .timeout(FETCH_TIMEOUT)
            .dns_resolver(std::sync::Arc::new(PublicResolver));
        Ok(Self(client.build()?))
    }
}

impl ClientDocuments for WebDocuments {
    fn fetch(&self, url: Url) -> BoxFuture<'static, Result<Bytes, String>> {
        let client = self.0.clone();
        Box::pin(async move {
            let sent = client.get(url).header("accept", "application/json").send().await;
            let mut reply = sent.map_err(|_| "it is not reached, or not on the web".to_owned())?;
            if reply.status().as_u16() != 200 {
                return Err(format!("it is answered with the status {}", reply.status().as_u16()));
            }
            let mut body = Vec::new();
            while let Some(chunk) = reply.chunk().await.map_err(|_| "it broke off".to_owned())? {
                body.extend_from_slice(&chunk);
                if body.len() > LONGEST_DOCUMENT {
                    return Err(format!("it is longer than {LONGEST_DOCUMENT} bytes"));
                }
            }
            Ok(body.into())
        })
    }
}

/// Resolver that drops internal addresses.
#[derive(Debug)]
struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = addresses.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err("no address of this name is on the web".into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// Returns true if an address is on the public internet.
fn is_public(address: IpAddr) -> bool {
    let address = address.to_canonical();
    // A network that does not parse lets no address through.
    INTERNAL_NETWORKS
        .split(' ')
        .all(|text| text.parse::<IpNet>().is_ok_and(|network| !network.contains(&address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_not_reached() {
        let networks: Result<Vec<IpNet>, _> = INTERNAL_NETWORKS.split(' ').map(str::parse).collect();
        assert_eq!(networks.unwrap().len(), 25);
        for inner in [
            "127.0.0.1", "10.1.2.3", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1",
            "0.0.0.0", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1",
            "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::",
        ] {
            assert!(!is_public(inner.parse().unwrap()), "{inner}");
        }
        for outer in ["8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"] {
            assert!(is_public(outer.parse().unwrap()), "{outer}");
        }
    }

    #[tokio::test]
    async fn a_name_of_this_machine_is_no_name_of_the_web() {
        let name = "localhost".parse::<Name>().unwrap();
        assert!(PublicResolver.resolve(name).await.is_err());
    }
}
