//! The program as a child process that runs to its end.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Returns a command of the program that ignores the settings of the environment.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
    for name in ["PARQUOTE_DATA", "PARQUOTE_QUERIES", "PARQUOTE_LISTEN", "PARQUOTE_LOG"] {
        command.env_remove(name);
    }
    // Keys of these servers are stored in a folder that no test reads.
    command.env("PARQUOTE_STATE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("command_line.db"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs a command to its end and returns its exit code, standard output and standard error.
pub(crate) fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command(arguments).output().unwrap();
    let (out, errors) =
        (String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr).into_owned());
    assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
    (status.code(), out, errors)
}
