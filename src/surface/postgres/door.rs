//! What the connections of the door have in common: the service, the places, how long a client may take, and when all of it ends.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::places::{ClientBounds, ClientPlaces};
use crate::call::Service;
use crate::surface::tls::Tls;

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// From the connection to the password.
    pub start: Duration,
    /// For the rest of a message, and for what is written to it.
    pub stalled: Duration,
    /// From one statement to the next.
    pub idle: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            stalled: Duration::from_secs(20),
            idle: Duration::from_mins(30),
        }
    }
}

impl Default for ClientBounds {
    fn default() -> Self {
        Self { at_once: 256, per_address: 64, per_key: 16 }
    }
}

/// A door for clients of Postgres.
pub struct PostgresDoor {
    pub(super) service: Arc<Service>,
    pub(super) places: Arc<ClientPlaces>,
    pub(super) times: Times,
    pub(super) tls: Option<Tls>,
    pub(super) ending: watch::Sender<bool>,
}

impl PostgresDoor {
    /// A door to a service, which encrypts where there is a certificate.
    pub fn new(service: Arc<Service>, tls: Option<Tls>, bounds: ClientBounds, times: Times) -> Self {
        let (ending, _) = watch::channel(false);
        Self { service, places: ClientPlaces::new(bounds), times, tls, ending }
    }

    /// Whether a client at this address must encrypt.
    pub(super) fn is_encryption_needed(&self, peer: IpAddr) -> bool {
        self.tls.is_some() && !peer.is_loopback()
    }

    /// Comes when the server ends.
    pub(super) fn ending(&self) -> impl Future<Output = ()> + use<> {
        let mut ending = self.ending.subscribe();
        async move {
            let _ = ending.wait_for(|ending| *ending).await;
        }
    }
}
