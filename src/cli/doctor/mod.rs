//! `parquote doctor`: finds what prevents this machine, or a server and the chat apps that connect to it, from working, and names the
//! remedy of each fault. It changes no data.
//!
//! Reading order: a line of the report (`diagnosis`), the checks of this machine (`machine`), and the requests to a server as its
//! clients send them (`server`).

mod diagnosis;
mod machine;
mod server;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use self::diagnosis::Health;
use super::output::say;
use crate::access::Secret;
use crate::config::{DataRoot, Serving, StateFile};

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// The address of a server, such as `https://api.example.com`, which is examined as its clients see it. Without it this machine is
    /// examined, with the flags of `serve`, and the server that runs at --listen.
    url: Option<String>,
    /// A key of the server, for one question and one call of a tool at each of two paths: about three calls of its quota.
    #[arg(long, value_name = "KEY", env = "PARQUOTE_KEY", hide_env_values = true)]
    key: Option<Secret>,
    /// The time limit of each request, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    timeout_ms: u64,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataRoot,
    #[command(flatten)]
    state: StateFile,
    #[command(flatten)]
    serving: Box<Serving>,
}

pub(super) async fn run(queries: Option<&Path>, args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let mut report = Vec::new();
    let url = if let Some(url) = &args.url {
        Some(url.clone())
    } else {
        let (found, running) = machine::examine(queries, args).await;
        report.extend(found);
        running
    };
    if let Some(url) = url {
        let key = args.key.as_ref().map(Secret::reveal).filter(|key| !key.is_empty());
        report.extend(server::examine(&url, key, Duration::from_millis(args.timeout_ms)).await);
    }
    let count = |health| report.iter().filter(|line| line.health == health).count();
    let (faults, warnings) = (count(Health::Fault), count(Health::Warning));
    if args.json {
        say!("{}", json!({"ok": faults == 0, "faults": faults, "warnings": warnings, "lines": report}));
    } else {
        for line in &report {
            say!("{line}");
        }
        say!("\nfaults: {faults}, warnings: {warnings}");
    }
    Ok(if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
