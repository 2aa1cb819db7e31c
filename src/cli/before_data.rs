//! The service before data is loaded: it authenticates callers, answers requests that need no table, and refuses others with a retry time.
//!
//! The first such request creates it, so that a start without early requests does not pay for it.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use futures::FutureExt as _;

use super::protocols::{access, http_settings, mcp_settings};
use crate::access::{StateFailures, StateSync};
use crate::call::Service;
use crate::config::{Serving, StateFile};
use crate::engine::{Engine, Snapshot};
use crate::error::{ClientError, ErrorKind};
use crate::handlers::Handlers;
use crate::http::{HttpSettings, OpeningRoutes, Routes};
use crate::routes;
use crate::state::Store;

/// The parts from which the early service is built.
pub(super) struct BeforeData {
    pub engine: Arc<Engine>,
    pub handlers: Box<dyn Fn() -> anyhow::Result<Handlers> + Send + Sync>,
    pub state: StateFile,
    pub serving: Serving,
    pub state_failures: Arc<StateFailures>,
    pub early: EarlySync,
}

/// Synchronizes the keys of early requests with the state file, from the first of them until the server has data.
#[derive(Clone, Default)]
pub(super) struct EarlySync(Arc<Mutex<SyncUntilData>>);

#[derive(Default)]
enum SyncUntilData {
    /// No early request has come yet.
    #[default]
    NotStarted,
    /// Ends when it is dropped, with a last write.
    Running(#[expect(dead_code, reason = "it is held, and dropped")] StateSync),
    /// The server has data, or stops.
    Ended,
}

impl BeforeData {
    /// Creates the early routes of the server.
    pub(super) fn opening_routes(self) -> OpeningRoutes {
        let before = Arc::new(self);
        OpeningRoutes::new(move || {
            let before = Arc::clone(&before);
            let routes = async move { before.routes().await };
            routes
                .map(|routes| {
                    routes.map_err(|error| {
                        tracing::error!("what answers before there is data cannot be made: {error:#}");
                        ClientError::new(ErrorKind::Unavailable, "the server is starting; ask again")
                    })
                })
                .boxed()
        })
    }

    async fn routes(&self) -> anyhow::Result<Routes> {
        let store = Store::open(&self.state.state)?;
        let access = access(&store, &self.serving)?;
        let sync = StateSync::start(Arc::clone(&access), store, Arc::clone(&self.state_failures))
            .context("the state cannot be synchronized")?;
        let settings = http_settings(&access, &self.state, &self.serving, HttpSettings::default().metrics)?;
        let catalogue = Arc::clone(self.engine.catalogue());
        let service = Service::new(catalogue, Snapshot::before_data(&self.engine).await?)
            .with_handlers(Arc::new((self.handlers)()?))
            .with_access_control(access);
        let early_routes = routes(&Arc::new(service), settings, &mcp_settings(&self.serving, None));
        self.early.store(sync);
        Ok(early_routes)
    }
}

impl EarlySync {
    /// Stores the synchronization, unless it has already been ended.
    fn store(&self, sync: StateSync) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*state, SyncUntilData::Ended) {
            *state = SyncUntilData::Running(sync);
        }
    }

    /// Ends the synchronization and writes its counts.
    pub(super) fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = SyncUntilData::Ended;
    }
}
