//! Starts structured logs on standard error.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use tracing_subscriber::filter::{FilterExt as _, LevelFilter, filter_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

use super::log_writer::{Flush, LineTime, LogWriter};
use crate::config::{Common, LogFormat};
use crate::surface::http::{HttpSettings, RequestLog};

/// A library that logs whole messages, and with them whatever a caller wrote; how each request ended is in our own lines.
const SILENT: &str = "rmcp";

/// The log of the process, as it has one subscriber.
static WRITER: OnceLock<LogWriter> = OnceLock::new();

/// Starts logging; a filter that cannot be read falls back to `info`. What is returned writes the last lines when it is dropped.
///
/// # Errors
/// A thread that the system does not give.
pub(super) fn start(common: &Common) -> io::Result<Flush> {
    let filter = EnvFilter::try_new(&common.log).unwrap_or_else(|_| EnvFilter::new("info"));
    // With a hint of both filters, whatever is below the level costs a comparison where it is written, in libraries too.
    let speaks = filter_fn(|line| !line.target().starts_with(SILENT)).with_max_level_hint(LevelFilter::TRACE);
    let filter = filter.and(speaks);
    let (writer, flush) = LogWriter::start(io::stderr())?;
    let layer = fmt::layer().with_timer(LineTime).with_writer(WRITER.get_or_init(|| writer).clone());
    let layer = match common.log_format {
        LogFormat::Text => layer.with_ansi(io::stderr().is_terminal()).with_target(false).boxed(),
        LogFormat::Json => layer.json().boxed(),
    };
    tracing_subscriber::registry().with(layer.with_filter(filter)).init();
    Ok(flush)
}

/// Where servers log requests: on the thread of the log, once there is one.
pub(super) fn requests() -> RequestLog {
    WRITER.get().map_or_else(|| HttpSettings::default().log, LogWriter::requests)
}
