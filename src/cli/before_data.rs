//! What answers while no data is there: who asks is known, what needs no table is answered, and the rest is refused with the time to retry.
//!
//! It is made for the first request that comes so early; a start for which nobody waits does without it.

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
use crate::http::{HttpSettings, Opening, Routes};
use crate::routes;
use crate::state::Store;

/// What it is made from.
pub(super) struct BeforeData {
    pub engine: Arc<Engine>,
    pub handlers: Box<dyn Fn() -> anyhow::Result<Handlers> + Send + Sync>,
    pub state: StateFile,
    pub serving: Serving,
    pub state_failures: Arc<StateFailures>,
    pub early: EarlySync,
}

/// What keeps the keys of early requests those of the state file, from the first of them until the server has data.
#[derive(Clone, Default)]
pub(super) struct EarlySync(Arc<Mutex<SyncUntilData>>);

#[derive(Default)]
enum SyncUntilData {
    #[default]
    Unasked,
    /// It ends when it is dropped, with its last write.
    AtWork(#[expect(dead_code, reason = "it is held, and dropped")] StateSync),
    Over,
}

impl BeforeData {
    /// The server before it has data.
    pub(super) fn opening(self) -> Opening {
        let before = Arc::new(self);
        Opening::new(move || {
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
        let of = (&self.state, &self.serving);
        let store = Store::open(&self.state.state)?;
        let access = access(&store, &self.serving)?;
        let sync = StateSync::start(Arc::clone(&access), store, Arc::clone(&self.state_failures))
            .context("the state file cannot be kept")?;
        let settings = http_settings(&access, of, HttpSettings::default().metrics)?;
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
    /// Keeps it until the end, where that has not come.
    fn keep(&self, sync: StateSync) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*state, SyncUntilData::Over) {
            *state = SyncUntilData::AtWork(sync);
        }
    }

    /// Writes what was counted until now.
    pub(super) fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = SyncUntilData::Over;
    }
}
