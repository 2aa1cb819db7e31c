//! A PostgreSQL server of a test's own, in a folder of its own; a test without one says that it did not run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A server that ends with this.
pub(crate) struct PostgresServer {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
}

/// The one of the newest version that is installed.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<PathBuf> = versions.flatten().map(|version| version.path().join("bin")).collect();
    found.retain(|programs| programs.join("postgres").exists());
    found.sort();
    found.pop()
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|done| done.stdout.starts_with(b"0"))
}

impl PostgresServer {
    /// Starts one; none where it is not installed, or a root has no user `postgres` to run it as.
    pub(crate) fn start() -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("pg").tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Self { folder, programs: programs()?, port };
        if is_root() && !run(Command::new("chown").arg("postgres").arg(server.folder.path())) {
            return None;
        }
        let data = server.data();
        let made = run(server
            .command("initdb")
            .args(["-A", "trust", "-U", "postgres", "-E", "UTF8", "-D"])
            .arg(&data));
        assert!(made, "initdb failed");
        server.resume();
        Some(server)
    }

    /// What `--state` takes, for one schema of its own.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Ends it at once, as a crash would.
    pub(crate) fn stop(&self) {
        run(self.command("pg_ctl").args(["stop", "-m", "immediate", "-w", "-D"]).arg(self.data()));
    }

    /// Starts it again. What it committed outlives its own end, if not that of the machine: that costs tests no disk.
    pub(crate) fn resume(&self) {
        let options = format!(
            "-p {} -k '' -c listen_addresses=127.0.0.1 -c max_connections=300 -c fsync=off",
            self.port
        );
        let mut command = self.command("pg_ctl");
        command.args(["start", "-w", "-o", &options, "-l"]).arg(self.folder.path().join("log"));
        assert!(run(command.arg("-D").arg(self.data())), "PostgreSQL does not start");
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// It refuses to run as root.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        if !is_root() {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Says where a test did not run, and why.
pub(crate) fn not_there(test: &str) {
    eprintln!(
        "{test} did not run: PostgreSQL is not installed in /usr/lib/postgresql, or has no user to run as"
    );
}

fn run(command: &mut Command) -> bool {
    command.current_dir(Path::new("/")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
