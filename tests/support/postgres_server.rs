//! A temporary PostgreSQL server for one test, in a temporary folder; where PostgreSQL is missing, the test reports that it did not run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A PostgreSQL server that stops when this value is dropped.
pub(crate) struct PostgresServer {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
    /// Further server options.
    options: String,
}

/// Returns the programs of the newest installed version.
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

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl PostgresServer {
    /// Starts a server; `None` if PostgreSQL is not installed, or if the tests run as root and there is no user `postgres`.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(None)
    }

    /// Starts a server that encrypts connections with this certificate and key, both PEM.
    pub(crate) fn start_encrypted(certificate: &[u8], key: &[u8]) -> Option<Self> {
        Self::start_with(Some([("server.pem", certificate), ("server.key", key)]))
    }

    fn start_with(encryption: Option<[(&str, &[u8]); 2]>) -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("pg").tempdir().unwrap();
        let mut server = Self { folder, programs: programs()?, port: free_port(), options: String::new() };
        if is_root() && !run(Command::new("chown").arg("postgres").arg(server.folder.path())) {
            return None;
        }
        let data = server.data();
        let made = run(server
            .command("initdb")
            .args(["-A", "trust", "-U", "postgres", "-E", "UTF8", "-D"])
            .arg(&data));
        assert!(made, "initdb failed");
        if let Some(files) = encryption {
            for (name, content) in files {
                // Written as PostgreSQL's user, who alone may read the key.
                let mut put = as_its_user(Path::new("/bin/sh"));
                put.args(["-c", "umask 077; printf %s \"$1\" > \"$0\""]).arg(server.data().join(name));
                assert!(run(put.arg(std::str::from_utf8(content).unwrap())), "{name} is not there");
            }
            " -c ssl=on -c ssl_cert_file=server.pem -c ssl_key_file=server.key"
                .clone_into(&mut server.options);
        }
        if !server.starts() {
            // Another process took the port.
            server.port = free_port();
            server.resume();
        }
        Some(server)
    }

    /// Returns the value for `--state`.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops the server at once, as a crash would.
    pub(crate) fn stop(&self) {
        run(self.command("pg_ctl").args(["stop", "-m", "immediate", "-w", "-D"]).arg(self.data()));
    }

    /// Starts the server again. Because of `fsync=off`, commits survive a crash of the server but not of the machine.
    pub(crate) fn resume(&self) {
        let log = || std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        assert!(self.starts(), "PostgreSQL does not start: {}", log());
    }

    fn starts(&self) -> bool {
        let options = format!(
            "-p {} -k '' -c listen_addresses=127.0.0.1 -c max_connections=300 -c fsync=off{}",
            self.port, self.options
        );
        let mut command = self.command("pg_ctl");
        command.args(["start", "-w", "-o", &options, "-l"]).arg(self.folder.path().join("log"));
        run(command.arg("-D").arg(self.data()))
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        as_its_user(&self.programs.join(program))
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Runs a statement on a server. Failures are ignored, because one of two concurrent CREATE statements may fail.
pub(crate) fn run_sql(url: &str, sql: &str) {
    let psql = programs().unwrap().join("psql");
    run(Command::new(psql).args(["-q", url, "-c", sql]));
}

/// Reports that a test did not run, and why.
pub(crate) fn not_there(test: &str) {
    eprintln!(
        "{test} did not run: PostgreSQL is not installed in /usr/lib/postgresql, or has no user to run as"
    );
}

fn run(command: &mut Command) -> bool {
    command.current_dir(Path::new("/")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns a command that runs as PostgreSQL's user, because PostgreSQL refuses to run as root.
fn as_its_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
    command
}
