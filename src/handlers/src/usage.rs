//! The usage of an owner's keys, by day and operation, from the state file.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use chrono::NaiveDate;
use serde_json::{Value as Json, json};

use super::handler::{Handler, HandlerCall, Owner};
use parquote_access::{Clock, Window};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_state::{Store, UseRow};

/// Default number of days in the answer.
const USUAL_DAYS: i64 = 30;

/// A reader of the usage of all owners, with a connection of its own to the state file.
pub struct AccountUsage {
    store: Arc<Mutex<Store>>,
    clock: Clock,
}

impl AccountUsage {
    /// Builds the reader of a state file. `clock` returns the current time, in seconds since 1970.
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store: Arc::new(Mutex::new(store)), clock }
    }

    async fn read_usage(&self, owner: Owner, from_day: i64) -> Result<Vec<UseRow>, ClientError> {
        let store = Arc::clone(&self.store);
        let read = move || {
            let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
            store.reopen_if_replaced()?;
            store.usage(Some(&owner.name), from_day).map(|mut rows| {
                // A dependent key gets only the usage of its own calls.
                if owner.key != owner.caller {
                    rows.retain(|row| Some(row.key_id) == owner.caller);
                }
                rows
            })
        };
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
            let message = "what was called cannot be read now; the fault is logged";
            ClientError::from_cause(ErrorKind::Unavailable, message, error)
        };
        let read = tokio::task::spawn_blocking(read).await.map_err(|error| failed(error.into()))?;
        read.map_err(|error| failed(error.into()))
    }
}

#[async_trait]
impl Handler for AccountUsage {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let days = call.int("days").unwrap_or(USUAL_DAYS);
        let today = Window::from_unix((self.clock)()).day;
        let rows = self.read_usage(call.owner.clone(), today.saturating_sub(days - 1)).await?;
        let usage: Vec<Json> = rows.iter().map(row_json).collect();
        Ok(call.ordered(json!({"count": usage.len(), "usage": usage})))
    }

    fn needs_data(&self) -> bool {
        false
    }

    fn waits_for_io(&self) -> bool {
        true
    }
}

fn row_json(row: &UseRow) -> Json {
    let date = i32::try_from(row.day).ok().and_then(NaiveDate::from_epoch_days);
    json!({
        "date": date.map(|date| date.to_string()),
        "operation": row.operation,
        "key": row.key_id,
        "answered": row.calls,
        "refused": row.refused,
    })
}
