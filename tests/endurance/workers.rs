//! Derivations over workers in separate processes: the set equals that of one process, even after kills; workers with other code or
//! callers without the key are refused.
//!
//! `PARQUOTE_KILLS` is the number of kills of a worker or a derivation.

use std::fs;
use std::io::{self, Read, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use parquote::operation::Market;
use parquote::set::{Home, hash_of};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::demo_market::SHIPPED;
use crate::running_server::RunningServer;

/// A folder with a key, in which workers and derivations run.
struct WorkersFolder(tempfile::TempDir);

impl WorkersFolder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self(folder);
        place.key("key", "k");
        place
    }

    /// Writes a key file that only its owner can read.
    fn key(&self, name: &str, letter: &str) {
        fs::write(self.path(name), letter.repeat(64)).unwrap();
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(self.path(name), permissions).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Starts a worker and returns its address.
    fn worker(&self, name: &str, more: &[&str]) -> (RunningServer, String) {
        let mut command = self.command(&["worker", "--data", "data", "--worker-key", "key"]);
        command.args(["--cache", name]).args(more);
        if !more.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        let log = self.path(&format!("{name}.log"));
        let mut worker = RunningServer::start(command, self.path(&format!("{name}.out")), &log);
        let address = worker.url();
        (worker, address)
    }

    fn derivation(&self, data: &str, workers: &[String], more: &[&str]) -> Command {
        let raw = SHIPPED.raw.to_str().unwrap();
        let mut command = self.command(&["derive", "--market", "india", "--raw", raw, "--data", data]);
        command.args(["--worker-key", "key", "--workers", &workers.join(",")]).args(more);
        command
    }

    fn derive(&self, data: &str, workers: &[String], more: &[&str]) -> Output {
        self.derivation(data, workers, more).output().unwrap()
    }
}

/// Returns the id of the newest set after checking the bytes of every file; `None` if there is no set.
fn newest(data: &Path) -> Option<String> {
    let home = Home::new(data);
    let set = home.newest(Market::India).unwrap()?;
    for (table, file) in set.files() {
        assert_eq!(hash_of(&home.file_path(Market::India, table, &file.hash)).unwrap(), file.hash);
    }
    Some(set.id)
}

fn done(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn refused(output: &Output, why: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains(why), "{said}");
    assert!(!said.contains("kkkk"), "the key was told: {said}");
}

/// Several numbers of workers in a long run, one in a plain run.
#[test]
fn any_number_of_workers_makes_the_set_of_one_process() {
    let place = WorkersFolder::new();
    let wanted = newest(&SHIPPED.sets);
    let counts: &[usize] = if std::env::var("PARQUOTE_KILLS").is_ok() { &[1, 2, 4, 7] } else { &[3] };
    let mut workers = Vec::new();
    for count in counts {
        while workers.len() < *count {
            workers.push(place.worker(&format!("worker-{}", workers.len()), &[]));
        }
        let addresses: Vec<String> = workers.iter().map(|(_, address)| address.clone()).collect();
        done(&place.derive("data", &addresses, &["--full"]));
        assert_eq!(newest(&place.path("data")), wanted, "{count} workers");
        asks(&place, &addresses);
        fs::remove_dir_all(place.path("data/india")).unwrap();
    }
    let logs =
        (0..workers.len()).map(|number| fs::read_to_string(place.path(&format!("worker-{number}.log"))));
    let logs: String = logs.map(Result::unwrap).collect();
    for file in ["prices", "statements"] {
        assert!(
            logs.lines().any(|line| line.contains("the rows of") && line.contains(file)),
            "{file}: {logs}"
        );
    }
    for (worker, _) in workers {
        worker.stop();
    }
    assert_eq!(fs::read_dir(place.path("worker-0")).unwrap().count(), 0, "a worker left files behind");
}

/// Checks that a SELECT with workers has the same rows as one without, and that parts of its plan run on workers.
fn asks(place: &WorkersFolder, workers: &[String]) {
    let ask = |sql: &str, with_workers: bool| {
        let mut command = place.command(&["query", "--data", "data", sql]);
        if with_workers {
            command.args(["--workers", &workers.join(","), "--worker-key", "key"]);
        }
        let output = command.output().unwrap();
        done(&output);
        String::from_utf8(output.stdout).unwrap()
    };
    let sql = "SELECT symbol, COUNT(*) AS bars, MAX(close) AS highest, MAX(session) = as_of() AS trades \
               FROM daily_prices WHERE session_ago(300) < session GROUP BY symbol ORDER BY highest DESC, symbol LIMIT 7";
    assert_eq!(ask(sql, true), ask(sql, false));
    let mut planned = place.command(&["query", "--log", "parquote_workers=debug", "--data", "data", sql]);
    planned.args(["--workers", &workers.join(","), "--worker-key", "key"]);
    let planned = String::from_utf8(planned.output().unwrap().stderr).unwrap();
    // A machine with many cores reads these files in one task.
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() <= 8) {
        assert!(planned.contains("DistributedExec") && planned.contains("NetworkShuffleExec"), "{planned}");
    }
    let refused = |sql: &str, why: &str| {
        let asked = ["query", "--data", "data", "--workers", &workers[0], "--worker-key", "key", sql];
        refused(&place.command(&asked).output().unwrap(), why);
    };
    let with_one_lost = [lost_after(2048, &workers[0]), workers[0].clone()].join(",");
    let asked = ["query", "--data", "data", "--workers", &with_one_lost, "--worker-key", "key", sql];
    let output = place.command(&asked).output().unwrap();
    done(&output);
    assert!(String::from_utf8_lossy(&output.stderr).contains("a worker was lost"));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), ask(sql, false));
    refused("DROP TABLE daily_prices", "DDL not supported");
    refused("SELECT nothing FROM daily_prices", "nothing");
}

/// Returns the address of a proxy to a worker, which breaks the connection after this number of bytes.
fn lost_after(bytes: u64, worker: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut worker = TcpStream::connect(worker).unwrap();
    std::thread::spawn(move || {
        let (mut caller, _) = listener.accept().unwrap();
        drop(listener);
        let (mut replies, mut back) = (worker.try_clone().unwrap(), caller.try_clone().unwrap());
        std::thread::spawn(move || io::copy(&mut replies, &mut back));
        let _ = io::copy(&mut Read::by_ref(&mut caller).take(bytes), &mut worker);
        for end in [caller, worker] {
            // The other side may have closed it already.
            let _ = end.shutdown(Shutdown::Both);
        }
    });
    address
}

#[test]
fn whoever_is_killed_no_half_set_is_there_and_the_next_derivation_makes_the_same() {
    let kills = std::env::var("PARQUOTE_KILLS").map_or(2, |text| text.parse().unwrap());
    let place = WorkersFolder::new();
    let wanted = newest(&SHIPPED.sets);
    let mut chance = ChaCha8Rng::seed_from_u64(33);
    let mut workers: Vec<(RunningServer, String)> =
        (0..3).map(|number| place.worker(&format!("worker-{number}"), &[])).collect();
    let addresses: Vec<String> = workers.iter().map(|(_, address)| address.clone()).collect();
    let began = Instant::now();
    done(&place.derive("data", &addresses, &[]));
    let span = began.elapsed();
    let begin_anew = || {
        for gone in ["india", ".parse_cache"] {
            let _ = fs::remove_dir_all(place.path("data").join(gone));
        }
    };
    for round in 0..kills {
        begin_anew();
        let mut derivation = place.derivation("data", &addresses, &[]);
        let log = fs::File::create(place.path("derivation.log")).unwrap();
        let mut derivation = derivation.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let pause = span.mul_f64(chance.random_range(0.1..0.9));
        let began = Instant::now();
        while began.elapsed() < pause && derivation.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if round % 2 == 0 {
            // Two of three workers are killed; one of them is started again.
            for number in [0, 1] {
                workers.remove(0).0.kill();
                if number == 0 {
                    let more = ["--listen", &addresses[number]];
                    workers.push(place.worker(&format!("worker-{number}"), &more));
                }
            }
            let ended = derivation.wait().unwrap();
            let said = fs::read_to_string(place.path("derivation.log")).unwrap();
            assert!(ended.success(), "round {round}, with a worker left: {said}");
            workers.push(place.worker("worker-1", &["--listen", &addresses[1]]));
            workers.sort_by_key(|(_, address)| addresses.iter().position(|known| known == address));
        } else {
            let _ = derivation.kill();
            derivation.wait().unwrap();
            assert!([None, wanted.clone()].contains(&newest(&place.path("data"))), "round {round}");
            done(&place.derive("data", &addresses, &[]));
        }
        assert_eq!(newest(&place.path("data")), wanted, "round {round}");
    }
    // A killed derivation may leave files that the next one does not need, such as raw files that are parsed by now.
    begin_anew();
    done(&place.derive("data", &addresses, &[]));
    let transfer = place.path("data/.transfer/india");
    let left: Vec<_> =
        transfer.read_dir().into_iter().flatten().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "files were left behind: {left:?}");
}

#[test]
fn another_program_another_key_and_nobody_are_refused() {
    let place = WorkersFolder::new();
    // A changed rule of one table is other code.
    fs::create_dir_all(place.path("other/tables")).unwrap();
    let rules = fs::read_to_string("queries/tables/rs_ratings.sql").unwrap();
    let rules = rules.replace("SELECT", "SELECT /* not the same */ DISTINCT");
    fs::write(place.path("other/tables/rs_ratings.sql"), rules).unwrap();
    let (_same, same) = place.worker("same", &[]);
    let (_other, other) = place.worker("other-worker", &["--queries", "other"]);
    let output = place.derive("data", &[same.clone(), other.clone()], &[]);
    refused(&output, &format!("{other} runs other code (figures "));
    assert!(String::from_utf8_lossy(&output.stderr).contains("DataFusion"), "both are named");

    // Invalid requests are dropped; the worker answers the next one.
    for bytes in [b"GET / HTTP/1.1\r\n\r\n".to_vec(), vec![0; 1 << 16]] {
        let mut stranger = std::net::TcpStream::connect(&same).unwrap();
        let _cut = stranger.write_all(&bytes);
    }
    place.key("key-2", "x");
    let raw = SHIPPED.raw.to_str().unwrap();
    let asked = ["derive", "--market", "india", "--raw", raw, "--data", "data", "--workers", &same];
    refused(
        &place.command(&asked).args(["--worker-key", "key-2"]).output().unwrap(),
        "missing or another one",
    );
    refused(&place.command(&asked).output().unwrap(), "--worker-key");

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    refused(
        &place.derive("data", std::slice::from_ref(&nobody), &[]),
        &format!("the worker at {nobody} cannot be used"),
    );
    refused(&place.derive("data", &["10.0.0.2:7700".to_owned()], &[]), "not sent in clear text");
    refused(&place.derive("data", &["worker.example/x".to_owned()], &[]), "write HOST:PORT");
    let mut open =
        place.command(&["worker", "--data", "data", "--worker-key", "key", "--listen", "0.0.0.0:0"]);
    refused(&open.output().unwrap(), "not sent in clear text");
    assert_eq!(newest(&place.path("data")), None);
}

#[test]
fn each_side_shows_a_certificate_that_the_other_trusts() {
    let place = WorkersFolder::new();
    let file = |name: &str| format!("{}/tests/suite/keys/tls/{name}", env!("CARGO_MANIFEST_DIR"));
    let with = |authority: &str, own: &str| {
        let names = [authority.to_owned(), format!("{own}cert.pem"), format!("{own}key.pem")];
        let flags = ["--tls-ca", "--tls-cert", "--tls-key"].map(str::to_owned);
        flags.into_iter().zip(names).flat_map(|(flag, name)| [flag, file(&name)]).collect::<Vec<String>>()
    };
    let own = with("cert.pem", "");
    let (_worker, address) = place.worker("worker", &own.iter().map(String::as_str).collect::<Vec<_>>());
    let ask = |more: &[String]| {
        let sets = SHIPPED.sets.to_str().unwrap();
        let mut command =
            place.command(&["query", "--data", sets, "--worker-key", "key", "--workers", &address]);
        command.args(more).arg("SELECT COUNT(*) AS stocks FROM stocks").output().unwrap()
    };
    let answered = ask(&own);
    done(&answered);
    assert!(String::from_utf8_lossy(&answered.stdout).contains("stocks"));
    let cannot = format!("the worker at {address} cannot be used");
    refused(&ask(&[]), &cannot);
    // Neither side trusts the issuer of the other's certificate.
    refused(&ask(&with("cert.pem", "renewed_")), &cannot);
    refused(&ask(&with("renewed_cert.pem", "")), &cannot);
    refused(&ask(&own[..2]), "--tls-cert");
}
