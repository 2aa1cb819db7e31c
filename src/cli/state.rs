//! `parquote state`: what an operator does with the state file as a whole.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::output::say;
use crate::config::StateFile;
use crate::state::Store;

/// Arguments of `state`.
#[derive(Debug, Args)]
pub(super) struct StateArgs {
    #[command(flatten)]
    state: StateFile,
    #[command(subcommand)]
    command: StateCommand,
}

#[derive(Debug, Subcommand)]
enum StateCommand {
    /// Copy the state file to a new file that only you can read, while servers run, and check the copy.
    Backup {
        /// The copy; no file may lie there.
        #[arg(value_name = "FILE")]
        copy: PathBuf,
    },
}

pub(super) fn run(args: &StateArgs) -> anyhow::Result<()> {
    let StateCommand::Backup { copy } = &args.command;
    let file = &args.state.state;
    let made = Store::open_present(file)?.back_up(copy)?;
    let (from, to) = (file.display(), copy.display());
    say!("{from} is copied to {to}: version {}, {} bytes, sound", made.version, made.bytes);
    for (table, count) in &made.rows {
        say!("{count:>9} {table}");
    }
    if made.rows.iter().any(|(table, count)| table == "provider_keys" && *count > 0) {
        eprintln!(
            "keys of model providers are opened by the master key alone, which is not in the copy; by default it is {}",
            file.with_extension("master-key").display()
        );
    }
    Ok(())
}
