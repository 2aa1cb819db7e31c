//! A server that is stopped while callers are connected: with time to drain it loses no request, incomplete requests do not
//! delay it, and a second signal ends it at once.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use crate::attack::frames::{GOAWAY, get, hello};
use crate::demo_market::SHIPPED;
use crate::running_server::{RunningServer, issue_key, wait_for};

/// Clients with persistent connections.
const CLIENTS: usize = 8;
/// Requests that each of them sends while the server drains.
const MORE: usize = 20;
/// Less than the server waits for requests under way, and more than it takes to end without any.
const SOON: Duration = Duration::from_secs(8);

struct DrainedServer {
    server: RunningServer,
    address: String,
    admin: String,
    key: String,
    _folder: tempfile::TempDir,
}

impl DrainedServer {
    fn start(more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
            command.current_dir(folder.path());
            command
        };
        let key = issue_key(program(), "Honest", &["--unmetered"]);
        // This port was free a moment ago.
        let admin = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let mut command = program();
        command.args(["serve", "--listen", "127.0.0.1:0", "--admin", &admin, "--data"]);
        command.arg(&SHIPPED.sets).args(more);
        let output = folder.path().join("server.out");
        let mut server = RunningServer::start(command, output, &folder.path().join("server.log"));
        let address = server.url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
        Self { server, address, admin, key, _folder: folder }
    }

    /// Opens a connection and sends bytes.
    fn say(&self, words: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(words).unwrap();
        stream
    }

    /// Returns the operators' readiness reply.
    fn ready(&self) -> String {
        let mut stream = TcpStream::connect(&self.admin).unwrap();
        stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        said
    }
}

/// A client that reuses its connection until a reply closes it.
struct Client {
    address: String,
    key: String,
    connection: Option<BufReader<TcpStream>>,
}

impl Client {
    /// Sends one request, on the open connection or on a new one; returns true if the reply closes it. Nothing is retried.
    fn ask(&mut self) -> bool {
        let connection =
            self.connection.get_or_insert_with(|| BufReader::new(TcpStream::connect(&self.address).unwrap()));
        let head =
            format!("GET /v1/market/sectors HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {}\r\n\r\n", self.key);
        connection.get_mut().write_all(head.as_bytes()).unwrap();
        let (mut length, mut closes, mut line) = (0, false, String::new());
        connection.read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 200 "), "{line:?}");
        loop {
            line.clear();
            connection.read_line(&mut line).unwrap();
            match line.trim_end().to_ascii_lowercase().split_once(": ") {
                Some(("content-length", value)) => length = value.parse().unwrap(),
                Some(("connection", value)) => closes = value == "close",
                Some(_) => {}
                None => break,
            }
        }
        connection.read_exact(&mut vec![0; length]).unwrap();
        if closes {
            self.connection = None;
        }
        closes
    }
}

/// Starts eight clients without pauses, which send `MORE` requests after the server begins to drain; each returns the number of
/// replies that closed a connection.
fn clients(
    place: &DrainedServer,
    asked: &Arc<AtomicUsize>,
    is_draining: &Arc<AtomicBool>,
) -> Vec<JoinHandle<usize>> {
    let client = || {
        let mut client = Client { address: place.address.clone(), key: place.key.clone(), connection: None };
        let (asked, is_draining) = (Arc::clone(asked), Arc::clone(is_draining));
        spawn(move || {
            while !is_draining.load(Ordering::Acquire) {
                client.ask();
                asked.fetch_add(1, Ordering::Relaxed);
            }
            (0..MORE).filter(|_| client.ask()).count()
        })
    };
    (0..CLIENTS).map(|_| client()).collect()
}

#[test]
fn no_client_loses_a_request_while_a_server_drains() {
    let mut place = DrainedServer::start(&["--drain-ms", "20000", "--deadline-ms", "60000"]);
    let (asked, is_draining) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
    let clients = clients(&place, &asked, &is_draining);
    let mut http2 = place.say(&[hello(65_535), get(1, "/v1/status", &[])].concat());
    wait_for("the clients", || asked.load(Ordering::Relaxed) > 10 * CLIENTS);
    assert!(place.ready().starts_with("HTTP/1.1 200 "));
    place.server.signal("TERM");
    wait_for("the end to begin", || place.ready().starts_with("HTTP/1.1 503 "));
    assert!(place.ready().contains("\"draining\":true"));
    is_draining.store(true, Ordering::Release);
    for client in clients {
        let closed = client.join().expect("a client lost a request");
        assert_eq!(closed, MORE, "not every reply sent the client away");
    }
    // HTTP/2: the request is answered, and the connection is closed.
    http2.write_all(&get(3, "/v1/status", &[])).unwrap();
    let mut said = Vec::new();
    http2.read_to_end(&mut said).unwrap();
    assert!(kinds(&said).contains(&GOAWAY), "{:?}", kinds(&said));
    assert_eq!(String::from_utf8_lossy(&said).matches("\"status\":\"ok\"").count(), 2);
    // It is still draining; a second signal ends that.
    place.server.signal("TERM");
    let took = place.server.ended();
    assert!(took < SOON, "{took:?}");
}

/// Returns the kinds of the frames that a server sent.
fn kinds(mut said: &[u8]) -> Vec<u8> {
    let mut kinds = Vec::new();
    while said.len() >= 9 {
        let length = usize::from(said[0]) << 16 | usize::from(said[1]) << 8 | usize::from(said[2]);
        kinds.push(said[3]);
        said = said.get(9 + length..).unwrap_or_default();
    }
    kinds
}

#[test]
fn half_a_head_holds_no_server_that_stops() {
    let mut place = DrainedServer::start(&[]);
    let mut held: Vec<TcpStream> =
        [&b""[..], b"GET /v1/status HTTP/1.1\r\nhost: localhost\r\nx-", &hello(65_535)]
            .map(|words| place.say(words))
            .into();
    // A second head on a connection with one answer.
    let mut again = place.say(b"GET /v1/status HTTP/1.1\r\nhost: localhost\r\n\r\nGET /v1");
    again.read_exact(&mut [0; 12]).unwrap();
    held.push(again);
    let began = Instant::now();
    place.server.signal("TERM");
    place.server.ended();
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[test]
fn told_twice_it_ends_at_once() {
    let mut place = DrainedServer::start(&[]);
    // A message whose body is missing is a request under way.
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nX-Api-Key: {}\r\nContent-Type: application/json\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\n",
        place.address, place.key
    );
    let mut stream = place.say(head.as_bytes());
    // It is being read from here on.
    stream.read_exact(&mut [0; 12]).unwrap();
    place.server.signal("TERM");
    wait_for("the end to begin", || place.ready().starts_with("HTTP/1.1 503 "));
    wait_for("the last connection", || TcpStream::connect(&place.address).is_err());
    assert!(place.server.lives(), "it does not wait for a request under way");
    place.server.signal("INT");
    let took = place.server.ended();
    assert!(took < SOON, "{took:?}");
}
