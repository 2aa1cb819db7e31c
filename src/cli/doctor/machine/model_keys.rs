//! Keys of vendors and of model providers: set or not, never shown.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Diagnosis, DoctorArgs};
use crate::cli::{catalogue, handlers, message};
use crate::config::{EnvironmentKeys, FetchOptions, Models};
use crate::digits::counted;
use crate::fetch::VendorKeys as _;
use crate::state::Store;

pub(super) fn check(queries: Option<&Path>, args: &DoctorArgs, store: Option<&Store>) -> Vec<Diagnosis> {
    let models = &args.serving.models;
    let mut found = vec![vendor_keys(&args.serving.fetching)];
    found.extend(service_model(queries, models));
    found.extend(saved_keys(args, store.map_or(0, count_saved)));
    found
}

fn vendor_keys(fetching: &FetchOptions) -> Diagnosis {
    const SUBJECT: &str = "vendor keys";
    let sources = match fetching.source_catalogue() {
        Ok(sources) => sources,
        Err(error) => return Diagnosis::error(SUBJECT, &message(&error)),
    };
    let names: BTreeSet<&str> = sources.sources().iter().flat_map(|source| source.key_names()).collect();
    let (set, open): (Vec<&str>, Vec<&str>) =
        names.into_iter().partition(|name| EnvironmentKeys.key(name).is_some());
    let list = |names: &[&str]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Diagnosis::ok(SUBJECT, format!("set: {}; not set: {}", list(&set), list(&open)))
}

/// Describes the model that reads the sentences of screens; `None` if a grammar reads them.
fn service_model(queries: Option<&Path>, models: &Models) -> Option<Diagnosis> {
    const SUBJECT: &str = "model of screens";
    let catalogue = match catalogue::read(queries) {
        Ok(catalogue) => catalogue,
        Err(error) => return Some(Diagnosis::error("query files", &message(&error))),
    };
    if let Err(error) = handlers::language_models(&catalogue, models) {
        return Some(Diagnosis::error(SUBJECT, &message(&error)));
    }
    let provider = models.service_provider.as_ref()?;
    Some(Diagnosis::ok(SUBJECT, format!("{provider}, with a key")))
}

/// Describes the saved keys of model providers, and the master key that opens them.
fn saved_keys(args: &DoctorArgs, saved: usize) -> Option<Diagnosis> {
    const SUBJECT: &str = "provider keys";
    let (models, state) = (&args.serving.models, &args.state.state);
    let file = handlers::master_key_file(models, state);
    let keys = counted(saved, "key of a model provider is", "keys of model providers are");
    if models.master_key.is_some() || file.is_file() {
        // An existing file is read; the server would create a missing one.
        if let Err(error) = handlers::master_key(models, state) {
            return Some(Diagnosis::error(SUBJECT, &message(&error)));
        }
    } else if saved > 0 {
        return Some(Diagnosis::fault(
            SUBJECT,
            format!("{keys} saved, and {} is missing", file.display()),
            "restore that file, or set PARQUOTE_MASTER_KEY; otherwise their owners save them again",
        ));
    }
    (saved > 0).then(|| Diagnosis::ok(SUBJECT, format!("{keys} saved")))
}

/// Counts the saved keys of model providers.
fn count_saved(store: &Store) -> usize {
    let keys = store.keys().unwrap_or_default();
    let owners: BTreeSet<&str> = keys.iter().map(|key| key.owner.as_str()).collect();
    owners.into_iter().map(|owner| store.provider_keys(owner).map_or(0, |keys| keys.len())).sum()
}
