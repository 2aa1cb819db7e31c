//! A service with a few operations and no tables, for the tests of HTTP.

use std::sync::Arc;

use parquote_call::Service;
use parquote_engine::Snapshot;

#[path = "../../surface/src/fixture.rs"]
mod operations;

pub(crate) use operations::catalogue;

pub(super) async fn service() -> Arc<Service> {
    let catalogue = Arc::new(catalogue());
    let snapshot = Snapshot::declared(Arc::clone(&catalogue)).await.unwrap();
    Arc::new(Service::new(catalogue, snapshot))
}
