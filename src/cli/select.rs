//! `parquote select`: the child process in which a server runs callers' SELECTs. A SELECT that exceeds its limits ends this
//! process, not the server. A request is one line of JSON on standard input; the result goes to standard output.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::Args;

use super::catalogue;
use crate::config::DataRoot;
use crate::select_process::{SelectProcesses, SelectProgram, child};

/// Planning recurses as deep as a SELECT is nested; deeper nesting ends this process.
const STACK_BYTES: usize = 64 << 20;

/// Arguments of `select`.
#[derive(Debug, Args)]
pub(super) struct SelectArgs {
    #[command(flatten)]
    data: DataRoot,
}

pub(super) fn run(queries: Option<&Path>, args: &SelectArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::tables(queries)?;
    let root = if is_store(&args.data) { Some(args.data.open()?) } else { None };
    let served = std::thread::Builder::new()
        .name("select".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || child::serve(&catalogue, root))?;
    match served.join() {
        Ok(served) => Ok(served?),
        Err(_) => bail!("a SELECT ended its thread"),
    }
}

/// Returns the processes that run SELECTs over a root.
pub(super) fn processes(queries: Option<&Path>, root: &DataRoot) -> anyhow::Result<Arc<SelectProcesses>> {
    // This path opens the running program even if its file has been replaced.
    let running = std::path::PathBuf::from("/proc/self/exe");
    let program = if running.exists() {
        running
    } else {
        std::env::current_exe().context("this program cannot be found")?
    };
    let mut arguments = Vec::new();
    if let Some(queries) = queries {
        arguments.extend(["--queries".to_owned(), std::path::absolute(queries)?.display().to_string()]);
    }
    arguments.push("select".to_owned());
    let inherits_environment = is_store(root);
    if inherits_environment {
        let DataRoot { data, cache, cache_disk_mib } = root;
        let flags = [("--data", data.clone()), ("--cache", cache.display().to_string())];
        let flags = flags.into_iter().chain([("--cache-disk-mib", cache_disk_mib.to_string())]);
        arguments.extend(flags.flat_map(|(name, value)| [name.to_owned(), value]));
    }
    Ok(SelectProcesses::new(SelectProgram { program, arguments, inherits_environment }))
}

/// Returns true for an object store, which the process opens itself; local files are passed by path.
fn is_store(root: &DataRoot) -> bool {
    root.data.contains("://") && !root.data.starts_with("file://")
}
