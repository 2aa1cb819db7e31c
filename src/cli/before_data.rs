//! The service before data is loaded: it authenticates callers and answers what needs no table; the rest gets a retry time.
//!
//! It is created at the first such request, so a start without early requests does not pay for it.

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

/// The inputs of the early service.
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
    #[default]
    Unasked,
    /// Ends when it is dropped, with a last write.
    AtWork(#[expect(dead_code, reason = "it is held, and dropped")] StateSync),
    Over,
}

impl BeforeData {
    /// Creates the early routes of the server.
    pub(super) fn opening(self) -> OpeningRoutes {
        let before = Arc::new(self);
        OpeningRoutes::new(move || {
            let before = Arc::clone(&before);
            let made = async move { before.routes().await };
            made.map(|made| {
                made.map_err(|error| {
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
            .behind(access);
        let made = routes(&Arc::new(service), settings, &mcp_settings(&self.serving, None));
        self.early.keep(sync);
        Ok(made)
    }
}

impl EarlySync {
    /// Stores the synchronization, unless it has already been ended.
    fn keep(&self, sync: StateSync) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*state, SyncUntilData::Over) {
            *state = SyncUntilData::AtWork(sync);
        }
    }

    /// Ends the synchronization and writes its counts.
    pub(super) fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = SyncUntilData::Over;
    }
}
