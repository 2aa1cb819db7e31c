//! `parquote vet`: the child process in which a server reads new files. A malicious file ends this process, not the server. A task
//! is one line of JSON on standard input; its result is one line on standard output.

use std::io::{BufRead as _, Write as _};
use std::path::Path;

use clap::Args;

use super::catalogue;
use crate::refresh::{Task, limit_memory};

/// Arguments of `vet`.
#[derive(Debug, Args)]
pub(super) struct VetArgs {
    /// The bytes of memory that it may take.
    memory: u64,
}

pub(super) fn run(queries: Option<&Path>, args: &VetArgs) -> anyhow::Result<()> {
    let catalogue = catalogue::tables(queries)?;
    limit_memory(args.memory);
    let mut answers = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let task: Task = serde_json::from_str(&line?)?;
        writeln!(answers, "{}", serde_json::to_string(&task.run(&catalogue))?)?;
        answers.flush()?;
    }
    Ok(())
}
