//! Parses arguments, runs the command, prints the error chain, and sets the exit code.

use std::process::ExitCode;

use parquote::cli::{Cli, message, run};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run(Cli::read()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {}", message(&error));
            ExitCode::FAILURE
        }
    }
}
