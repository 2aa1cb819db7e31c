//! Connections that do nothing.

use std::io::Read as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::frames::hello;
use super::target::Target;

/// Settings that make some hundreds of connections equivalent to thousands with the defaults.
const FEW: [&str; 4] = ["--connections", "200", "--connections-per-address", "200"];

/// Returns what idle connections send first: nothing, half a head, the start of HTTP/2.
fn hordes() -> [Vec<u8>; 3] {
    [Vec::new(), b"GET /v1/status HTTP/1.1\r\nhost: localhost\r\nx-".to_vec(), hello(65_535)]
}

/// Returns the number of connections that the attack opens.
fn many() -> usize {
    let asked = std::env::var("PARQUOTE_ATTACK_CONNECTIONS").ok();
    asked.map_or(600, |number| number.parse().unwrap())
}

#[test]
fn a_horde_that_says_nothing_shuts_nobody_out() {
    raise_limit();
    let target = Target::start(&FEW);
    for words in hordes() {
        let horde =
            target.withstands(32, || (0..many()).map(|_| target.say(&words)).collect::<Vec<TcpStream>>());
        drop(horde);
        assert_eq!(target.get(&target.honest, "/v1/market/sectors", &[]), 200);
    }
}

#[test]
fn a_connection_without_a_request_is_ended() {
    let target = Target::start(&["--idle-ms", "500"]);
    for mut stream in hordes().map(|words| target.say(&words)) {
        let mut said = Vec::new();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.read_to_end(&mut said).expect("the server ends the connection");
    }
}

/// The server is stopped and accepts no connections: the system queues as many as the server's backlog allows.
#[cfg(target_os = "linux")]
#[test]
fn thousands_of_connections_at_once_wait_to_be_taken() {
    /// The backlog of the server, and more than four times that of usual servers.
    const MANY: usize = 4_000;
    raise_limit();
    let target = Target::start(&[]);
    let most = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap().trim().parse().unwrap();
    target.server.signal("STOP");
    let horde: Vec<TcpStream> = (0..MANY.min(most)).map(|_| target.say(b"")).collect();
    let connect = || {
        let began = Instant::now();
        let stream = target.say(b"GET /v1/status HTTP/1.0\r\n\r\n");
        (stream, began.elapsed())
    };
    // On a busy machine one of them waits for the processor.
    let (mut honest, took) = std::iter::repeat_with(connect).take(3).min_by_key(|(_, took)| *took).unwrap();
    target.server.signal("CONT");
    // A connection that is not queued is retried after a second.
    assert!(
        took < Duration::from_millis(950),
        "{} were there, and the next came after {took:?}",
        horde.len()
    );
    let mut said = String::new();
    honest.read_to_string(&mut said).unwrap();
    assert!(said.contains(" 200 OK\r\n"), "{said}");
}

/// Raises the limit of open files, because each connection is one in this process too.
#[cfg(unix)]
fn raise_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
}

#[cfg(not(unix))]
fn raise_limit() {}
