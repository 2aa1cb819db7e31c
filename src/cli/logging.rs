//! Starts structured logs on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{Common, LogFormat};

/// Starts logging; a filter that cannot be read falls back to `info`.
pub(super) fn start(common: &Common) {
    let filter = EnvFilter::try_new(&common.log).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match common.log_format {
        LogFormat::Text => builder.with_ansi(std::io::stderr().is_terminal()).with_target(false).init(),
        LogFormat::Json => builder.json().init(),
    }
}
