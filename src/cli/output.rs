//! Writes to standard output. When the reader closes the pipe, as `head` does, the process ends with success.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Writes a line.
pub(super) fn line(text: Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    let written = out.write_fmt(text).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    end_if_unwritable(&written);
}

/// Writes bytes without a line end.
pub(super) fn bytes(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    end_if_unwritable(&out.write_all(bytes).and_then(|()| out.flush()));
}

fn end_if_unwritable(written: &std::io::Result<()>) {
    if let Err(error) = written {
        let code = i32::from(error.kind() != ErrorKind::BrokenPipe);
        std::process::exit(code);
    }
}

/// Writes a formatted line to standard output.
macro_rules! say {
    ($($text:tt)*) => { $crate::cli::output::line(format_args!($($text)*)) };
}
pub(crate) use say;
