//! Connections that do nothing.

use std::io::Read as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::frames::hello;
use super::target::Target;

/// Settings for which some hundreds of connections are as many as thousands are for the usual ones.
const FEW: [&str; 4] = ["--connections", "200", "--connections-per-address", "200"];

/// What an idle connection said before it went silent: nothing, half a head, all that HTTP/2 begins with.
fn hordes() -> [Vec<u8>; 3] {
    [Vec::new(), b"GET /v1/status HTTP/1.1\r\nhost: localhost\r\nx-".to_vec(), hello(65_535)]
}

/// How many connections the attack opens.
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

/// The server stands still, so that nobody takes the connections: what the system takes in its place is what the server asked for.
#[cfg(target_os = "linux")]
#[test]
fn thousands_of_connections_at_once_wait_to_be_taken() {
    /// As many as the server lets wait, and one more than the usual servers do four times over.
    const MANY: usize = 4_000;
    raise_limit();
    let target = Target::start(&[]);
    let most = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap().trim().parse().unwrap();
    target.server.signal("STOP");
    let horde: Vec<TcpStream> = (0..MANY.min(most)).map(|_| target.say(b"")).collect();
    let began = Instant::now();
    let mut honest = target.say(b"GET /v1/status HTTP/1.0\r\n\r\n");
    let took = began.elapsed();
    target.server.signal("CONT");
    // One that finds no place is tried again after a second.
    assert!(
        took < Duration::from_millis(950),
        "{} were there, and the next came after {took:?}",
        horde.len()
    );
    let mut said = String::new();
    honest.read_to_string(&mut said).unwrap();
    assert!(said.contains(" 200 OK\r\n"), "{said}");
}

/// Each connection is an open file of this process, too.
#[cfg(unix)]
fn raise_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
}

#[cfg(not(unix))]
fn raise_limit() {}
