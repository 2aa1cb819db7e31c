//! Writes log lines to standard error on a separate thread, so that no caller waits for a slow terminal or a full pipe. If lines
//! arrive faster than they can be written, some are dropped, and a line states their number.
//!
//! A request passes its log fields, and its line is formatted on the log thread: formatting takes a microsecond, which would
//! otherwise delay its caller and the next one.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

use crate::digits::counted;
use crate::http::{LoggedRequest, RequestLog};

/// Maximum number of waiting lines; a few megabytes.
const MOST_LINES: usize = 16_384;
/// Time limit for the last lines at exit: a pipe without a reader must not block the exit.
const LAST_LINES_TIMEOUT: Duration = Duration::from_secs(2);

thread_local! {
    /// Buffer of the lines that the log thread formats; `None` on other threads.
    static LINE_BUFFER: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
    /// Time of the reply to the request whose line the log thread formats.
    static REPLY_TIME: Cell<Option<SystemTime>> = const { Cell::new(None) };
}

/// Sender of lines, and of requests that become lines, to the log thread.
#[derive(Clone, Debug)]
pub struct LogWriter {
    lines: SyncSender<LogMessage>,
    /// Number of dropped lines.
    dropped: Arc<AtomicU64>,
}

/// Guard that writes the remaining lines when it is dropped.
#[derive(Debug)]
pub struct Flush {
    lines: SyncSender<LogMessage>,
    thread: Option<JoinHandle<()>>,
}

/// Timestamp of a line: the time of its request's reply, or the current time.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineTime;

enum LogMessage {
    Line(Vec<u8>),
    Request(Box<LoggedRequest>),
    End,
}

impl LogWriter {
    /// Starts the thread that writes to `out`.
    ///
    /// # Errors
    /// A thread that cannot be started.
    pub fn start(out: impl Write + Send + 'static) -> io::Result<(Self, Flush)> {
        Self::with_room_for(MOST_LINES, out)
    }

    fn with_room_for(lines: usize, out: impl Write + Send + 'static) -> io::Result<(Self, Flush)> {
        let (lines, waiting) = sync_channel(lines);
        let dropped = Arc::new(AtomicU64::new(0));
        let thread_dropped = Arc::clone(&dropped);
        let thread = std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_all(&waiting, &thread_dropped, out))?;
        Ok((Self { lines: lines.clone(), dropped }, Flush { lines, thread: Some(thread) }))
    }

    /// Returns a request log that formats lines on the log thread.
    pub fn requests(&self) -> RequestLog {
        let this = self.clone();
        Arc::new(move |request| this.send(LogMessage::Request(Box::new(request))))
    }

    fn send(&self, message: LogMessage) {
        if let Err(TrySendError::Full(_)) = self.lines.try_send(message) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Writes lines in batches: waking this thread for each line would cost callers more than the line itself.
fn write_all(waiting: &Receiver<LogMessage>, dropped: &AtomicU64, mut out: impl Write) {
    const BATCH_TIME: Duration = Duration::from_millis(10);
    let mut is_over = false;
    while !is_over {
        let Ok(first) = waiting.recv() else { break };
        is_over = matches!(first, LogMessage::End);
        if !is_over {
            std::thread::sleep(BATCH_TIME);
        }
        LINE_BUFFER.set(Some(Vec::new()));
        for message in std::iter::once(first).chain(waiting.try_iter()) {
            match message {
                LogMessage::Line(line) => _ = format_here(&line),
                LogMessage::Request(request) => {
                    REPLY_TIME.set(Some(request.at()));
                    request.write();
                    REPLY_TIME.set(None);
                }
                LogMessage::End => is_over = true,
            }
        }
        let lines = LINE_BUFFER.take().unwrap_or_default();
        // A failure of the log cannot be reported anywhere.
        let _ = out.write_all(&lines);
        write_dropped_count(dropped, &mut out);
        let _ = out.flush();
    }
}

fn write_dropped_count(dropped: &AtomicU64, out: &mut impl Write) {
    let count = dropped.swap(0, Ordering::Relaxed);
    if count > 0 {
        let lines = counted(count, "log line was", "log lines were");
        let _ = writeln!(out, "{lines} dropped: lines came faster than they could be written");
    }
}

/// Appends a line to the buffer; `None` if this is not the log thread.
fn format_here(line: &[u8]) -> Option<()> {
    LINE_BUFFER.with_borrow_mut(|lines| lines.as_mut().map(|lines| lines.extend_from_slice(line)))
}

impl FormatTime for LineTime {
    fn format_time(&self, out: &mut Writer<'_>) -> fmt::Result {
        let at = REPLY_TIME.get().unwrap_or_else(SystemTime::now);
        out.write_str(&DateTime::<Utc>::from(at).to_rfc3339_opts(SecondsFormat::Micros, true))
    }
}

/// The formatter writes each event in one call, so a line is never split.
impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if format_here(line).is_none() {
            self.send(LogMessage::Line(line.to_vec()));
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Drop for Flush {
    fn drop(&mut self) {
        const WRITE_PAUSE: Duration = Duration::from_millis(5);
        let began = Instant::now();
        while matches!(self.lines.try_send(LogMessage::End), Err(TrySendError::Full(_))) {
            if began.elapsed() > LAST_LINES_TIMEOUT {
                return;
            }
            std::thread::sleep(WRITE_PAUSE);
        }
        let Some(thread) = self.thread.take() else { return };
        while !thread.is_finished() && began.elapsed() < LAST_LINES_TIMEOUT {
            std::thread::sleep(WRITE_PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use super::*;

    /// Writes only when signalled.
    struct Slow {
        go: mpsc::Receiver<()>,
        written: Arc<Mutex<String>>,
    }

    impl Write for Slow {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            let _ = self.go.recv();
            self.written.lock().unwrap().push_str(std::str::from_utf8(line).unwrap());
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nobody_waits_for_a_slow_reader_and_what_is_dropped_is_counted() {
        let (go, gone) = mpsc::channel();
        let written = Arc::default();
        let slow = Slow { go: gone, written: Arc::clone(&written) };
        let (mut writer, flush) = LogWriter::with_room_for(2, slow).unwrap();
        for _ in 0..100 {
            writer.write_all(b"line\n").unwrap();
        }
        // The output accepts all lines from here on.
        drop(go);
        drop(flush);
        let written = written.lock().unwrap();
        let kept = written.matches("line\n").count();
        assert!((2..=3).contains(&kept), "{written}");
        assert!(written.contains(&format!("{} log lines were dropped", 100 - kept)), "{written}");
    }
}
