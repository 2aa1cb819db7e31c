//! Starts structured logs on standard error.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use tracing::Level;
use tracing_subscriber::filter::{FilterExt as _, LevelFilter, filter_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

use super::log_writer::{Flush, LineTime, LogWriter};
use crate::config::{CommonOptions, LogFormat};
use crate::http::{HttpSettings, RequestLog};

/// A library that logs complete messages, including callers' text; the result of each request is in our own lines.
const MUTED_LIBRARY: &str = "rmcp";

/// A library that logs each watched folder at every publication; only its warnings are written.
const NOISY_LIBRARY: &str = "notify";

/// The log writer; the process has one subscriber.
static WRITER: OnceLock<LogWriter> = OnceLock::new();

/// Starts logging; an invalid filter falls back to `info`. The returned guard writes the last lines when dropped.
///
/// # Errors
/// A thread that cannot be started.
pub(super) fn start(common: &CommonOptions) -> io::Result<Flush> {
    let filter = EnvFilter::try_new(&common.log).unwrap_or_else(|_| EnvFilter::new("info"));
    // With a level hint from both filters, lines below the level cost one comparison at the call site, in libraries too.
    let speaks = filter_fn(|line| !is_left_out(line.target(), *line.level()));
    let speaks = speaks.with_max_level_hint(LevelFilter::TRACE);
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

/// Returns true for a line of a library that is dropped whatever the filter says.
fn is_left_out(target: &str, level: Level) -> bool {
    target.starts_with(MUTED_LIBRARY) || target.starts_with(NOISY_LIBRARY) && level >= Level::INFO
}

/// Returns the request log of servers, which is that of the log thread once it is started.
pub(super) fn requests() -> RequestLog {
    WRITER.get().map_or_else(|| HttpSettings::default().log, LogWriter::requests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_library_says_of_every_watched_folder_is_not_logged() {
        for (target, level, is_out) in [
            ("notify::inotify", Level::INFO, true),
            ("notify::inotify", Level::DEBUG, true),
            ("notify::inotify", Level::WARN, false),
            ("rmcp::service", Level::ERROR, true),
            ("parquote_refresh", Level::TRACE, false),
        ] {
            assert_eq!(is_left_out(target, level), is_out, "{target} {level}");
        }
    }
}
