//! `parquote state`: backup and copy of the state file or database.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::output::say;
use crate::access::unix_seconds;
use crate::config::StateFile;
use crate::state::{StateLocation, Store, copy_state};

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
        /// The copy; no file may exist there.
        #[arg(value_name = "FILE")]
        copy: PathBuf,
    },
    /// Copy everything to a file or database without a state, from a file to PostgreSQL or back, and count the rows on both sides.
    Copy {
        /// A file or URL, as --state takes it; no server uses it.
        #[arg(value_name = "FROM")]
        from: StateLocation,
        /// A file that is not there, or the URL of an empty database.
        #[arg(value_name = "TO")]
        to: StateLocation,
    },
}

pub(super) fn run(args: &StateArgs) -> anyhow::Result<()> {
    match &args.command {
        StateCommand::Backup { copy } => back_up(&args.state.state, copy),
        StateCommand::Copy { from, to } => {
            let copied = copy_state(from, to, unix_seconds())?;
            say!("{from} is copied to {to}; all rows are there");
            print_rows(from, copied);
            Ok(())
        }
    }
}

fn back_up(file: &StateLocation, copy: &Path) -> anyhow::Result<()> {
    let backup = Store::open_existing(file)?.back_up(copy)?;
    let to = copy.display();
    say!("{file} is copied to {to}: version {}, {} bytes, sound", backup.version, backup.bytes);
    print_rows(file, backup.rows.iter().map(|(table, count)| (table.as_str(), *count)));
    Ok(())
}

/// Prints the row count of each table of a copy, and a note on keys that need the master key.
fn print_rows<'a>(from: &StateLocation, tables: impl IntoIterator<Item = (&'a str, i64)>) {
    let mut has_sealed = false;
    for (table, count) in tables {
        say!("{count:>9} {table}");
        has_sealed |= table == "provider_keys" && count > 0;
    }
    if has_sealed {
        eprintln!(
            "keys of model providers are opened by the master key alone, which is not in the copy; by default it is {}",
            from.with_extension("master-key").display()
        );
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct StateTestArgs {
        #[command(flatten)]
        state: StateFile,
    }

    #[test]
    fn a_url_on_the_command_line_is_a_server_and_its_password_is_not_shown() {
        let args =
            StateTestArgs::parse_from(["parquote", "--state", "postgres://ann:secret@db.lan/market"]).state;
        let shown =
            if cfg!(feature = "postgres-state") { "postgres://ann@db.lan:5432/market" } else { "--state" };
        assert_eq!(args.state.to_string(), shown);
        assert!(!format!("{args:?} {}", args.flag()).contains("secret"));
    }
}
