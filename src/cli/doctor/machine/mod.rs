//! The checks of this machine: one file for each kind.

mod clock;
mod data_folder;
mod disk;
mod model_keys;
mod network;
mod state_file;

use std::path::Path;

use super::DoctorArgs;
use super::diagnosis::Diagnosis;
use crate::cli::taken_port;
use crate::state::Store;

/// Runs all checks; also returns the address of the server that listens here without TLS, `None` if there is none.
pub(super) async fn examine(queries: Option<&Path>, args: &DoctorArgs) -> (Vec<Diagnosis>, Option<String>) {
    let running = taken_port::parquote_at(args.serving.listen).await;
    let mut found = data_folder::check(args).await;
    let store = Store::open_existing(&args.state.state);
    found.extend(disk::check(args));
    found.extend(state_file::check(args, &store));
    found.push(clock::check());
    found.extend(network::check(&args.serving, running.as_deref()));
    found.extend(model_keys::check(queries, args, store.ok().as_ref()));
    (found, running)
}
