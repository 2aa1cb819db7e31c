//! Starts structured logs on standard error.

use std::io::IsTerminal;

use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

use crate::config::{Common, LogFormat};

/// A library that logs whole messages, and with them whatever a caller wrote; how each request ended is in our own lines.
const SILENT: &str = "rmcp";

/// Starts logging; a filter that cannot be read falls back to `info`.
pub(super) fn start(common: &Common) {
    let filter = EnvFilter::try_new(&common.log).unwrap_or_else(|_| EnvFilter::new("info"));
    let filter = filter.and(filter_fn(|line| !line.target().starts_with(SILENT)));
    let layer = fmt::layer().with_writer(std::io::stderr);
    let layer = match common.log_format {
        LogFormat::Text => layer.with_ansi(std::io::stderr().is_terminal()).with_target(false).boxed(),
        LogFormat::Json => layer.json().boxed(),
    };
    tracing_subscriber::registry().with(layer.with_filter(filter)).init();
}
