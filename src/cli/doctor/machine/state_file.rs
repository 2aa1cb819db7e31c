//! The state: readable, of this version, with a valid key, and closed to other users.

use std::path::Path;

use super::{Diagnosis, DoctorArgs};
use crate::access::unix_seconds;
use crate::causes::with_causes;
use crate::digits::counted;
use crate::state::{GUEST_HINT, KeyRow, StateError, Store};

pub(super) fn check(args: &DoctorArgs, store: &Result<Store, StateError>) -> Vec<Diagnosis> {
    const SUBJECT: &str = "state";
    let location = &args.state.state;
    let keys = match store {
        Ok(store) => store.keys(),
        Err(StateError::Absent(_)) => {
            let made = Diagnosis::ok(SUBJECT, format!("{location} is made at the first start"));
            // On an address of this machine alone, the first start issues a key.
            let needs_key = !args.serving.listen.ip().is_loopback();
            return std::iter::once(made).chain(needs_key.then(|| key_line(args, &[]))).collect();
        }
        Err(error) => return vec![Diagnosis::error(SUBJECT, &with_causes(error))],
    };
    let keys = match keys {
        Ok(keys) => keys,
        Err(error) => return vec![Diagnosis::error(SUBJECT, &with_causes(&error))],
    };
    let readable = Diagnosis::ok(SUBJECT, format!("{location} is readable and of this version"));
    let open = location.file().and_then(open_to_others);
    [readable, key_line(args, &keys)].into_iter().chain(open).collect()
}

/// Describes the keys. Without a valid one, a server that other machines can reach does not start.
fn key_line(args: &DoctorArgs, keys: &[KeyRow]) -> Diagnosis {
    let keys = keys.iter().filter(|key| key.hint != GUEST_HINT);
    let (all, valid) = (keys.clone().count(), keys.filter(|key| key.works(unix_seconds())).count());
    if valid > 0 {
        return Diagnosis::ok("keys", format!("{valid} of {} valid", counted(all, "key is", "keys are")));
    }
    let finding = format!("none of {} is valid", counted(all, "key", "keys"));
    let remedy = format!("parquote keys{} issue --tier api_max --owner NAME", args.state.flag());
    if args.serving.listen.ip().is_loopback() {
        Diagnosis::warning("keys", finding, remedy)
    } else {
        Diagnosis::fault("keys", finding, remedy)
    }
}

/// Reports a file that other users of the machine can read.
fn open_to_others(path: &Path) -> Option<Diagnosis> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).ok()?.permissions());
        let path = path.display();
        let finding = || format!("other users can read or write {path} (mode {:o})", mode & 0o777);
        (mode & 0o077 != 0).then(|| Diagnosis::warning("state", finding(), format!("chmod 600 {path}")))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}
