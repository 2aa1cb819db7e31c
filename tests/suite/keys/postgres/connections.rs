//! What a connection may do to the server: bytes that are none of the protocol, too many connections, silence, and keys in clear text.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use parquote::operation::Tier;
use parquote::surface::postgres::{ClientBounds, PostgresDoor, Times};
use parquote::surface::tls::Tls;
use tokio::net::TcpListener;
use tokio_postgres::{Config, NoTls};

use super::super::fixture::{Fixture, new};
use super::{SERVED, asked, connected, opened, opened_at, state};

/// Sends bytes and waits until the server ends the connection.
fn sent(address: SocketAddr, bytes: &[u8]) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    let _ = stream.write_all(bytes);
    let ended = stream.read_to_end(&mut Vec::new());
    let is_open = ended.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(!is_open, "the server waits for more of {bytes:?}");
}

fn startup(pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut body = 196_608_u32.to_be_bytes().to_vec();
    for (name, value) in pairs {
        for text in [name, value] {
            body.extend_from_slice(text.as_bytes());
            body.push(0);
        }
    }
    body.push(0);
    [&u32::try_from(body.len() + 4).unwrap().to_be_bytes()[..], &body].concat()
}

fn message(kind: u8, length: u32, body: &[u8]) -> Vec<u8> {
    [&[kind][..], &length.to_be_bytes(), body].concat()
}

#[test]
fn hostile_bytes_end_their_own_connection_and_no_other() {
    let honest = asked(connected(SERVED.door, SERVED.max.reveal(), "india")).unwrap();
    let start = startup(&[("user", "x"), ("database", "india")]);
    let secret = SERVED.max.reveal();
    let password = message(b'p', u32::try_from(secret.len()).unwrap() + 5, format!("{secret}\0").as_bytes());
    let known = [start.clone(), password].concat();
    let mut random = 88_172_645_463_325_252_u64;
    let mut noise = |count: usize| -> Vec<u8> {
        let next = |_| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random.to_be_bytes()
        };
        (0..count.div_ceil(8)).flat_map(next).collect()
    };
    let mut attacks: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        start[..start.len() / 2].to_vec(),
        u32::MAX.to_be_bytes().to_vec(),
        2_000_000_000_u32.to_be_bytes().to_vec(),
        [start.clone(), message(b'p', 2_000_000_000, b"x")].concat(),
        [start.clone(), message(b'Q', 13, b"SELECT 1\0")].concat(),
        [start.clone(), message(b'p', 3, b"")].concat(),
        startup(&[("user", &"x".repeat(9_000))]),
        // A cancellation with a secret that nobody has.
        [
            &16_u32.to_be_bytes()[..],
            &80_877_102_u32.to_be_bytes(),
            &1_u32.to_be_bytes(),
            &7_u32.to_be_bytes(),
        ]
        .concat(),
        [&8_u32.to_be_bytes()[..], &80_877_102_u32.to_be_bytes()].concat(),
        [&8_u32.to_be_bytes()[..], &80_877_103_u32.to_be_bytes(), &start].concat(),
        [known.clone(), message(b'Q', 1 << 20, &vec![b'x'; 1 << 20])].concat(),
        [known.clone(), message(b'Q', 2_000_000_000, b"SELECT")].concat(),
        // Shorter than they say within: of parse, bind, execute, describe, close.
        [known.clone(), message(b'P', 8, b"a\0b\0")].concat(),
        [known.clone(), message(b'B', 8, b"\0\0\x7f\xff")].concat(),
        [known.clone(), message(b'B', 10, b"\0\0\0\0\x7f\xff")].concat(),
        [known.clone(), message(b'E', 4, b"")].concat(),
        [known.clone(), message(b'D', 4, b"")].concat(),
        [known.clone(), message(b'C', 5, b"S")].concat(),
        [known.clone(), message(b'!', 4, b"")].concat(),
    ];
    attacks.extend((0..20).map(|_| noise(512)));
    attacks.extend((0..20).map(|_| [known.clone(), noise(512)].concat()));
    std::thread::scope(|scope| {
        for attack in &attacks {
            scope.spawn(|| sent(SERVED.hasty, attack));
        }
    });
    assert_eq!(SERVED.fixture.lock().unwrap().get(&SERVED.max, "status").status, 200);
    // Many layers of brackets, and much of everything, as one statement.
    for sql in ["(".repeat(8_000), format!("SELECT {}1", "1+".repeat(6_000)), "SELECT 1;".repeat(1_500)] {
        let ended = asked(honest.simple_query(&format!("SELECT oid FROM pg_class WHERE {sql}")));
        assert!(ended.is_err());
    }
    let row = asked(honest.query_one("SELECT COUNT(*) AS n FROM stocks", &[])).unwrap();
    assert!(row.get::<_, i64>(0) > 1);
}

#[test]
fn a_key_has_so_many_connections_and_who_is_silent_loses_his() {
    let (secret, row) = new(Tier::ApiMax);
    let fixture = Fixture::of(&row);
    asked(async {
        let short = Duration::from_millis(500);
        let bounds = ClientBounds { at_once: 3, per_address: 3, per_key: 1 };
        let times = Times { start: short, stalled: short, idle: short };
        let door = PostgresDoor::new(Arc::clone(&fixture.service), None, bounds, times);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let serving = tokio::spawn(door.serve(listener, async move { stopped.await.unwrap() }));
        let first = connected(address, secret.reveal(), "india").await.unwrap();
        let (code, message) = state(&connected(address, secret.reveal(), "india").await.unwrap_err());
        assert!(code == "53300" && message.contains("as many connections"), "{code}: {message}");
        // Nothing is asked for too long: the connection ends, and the next is taken.
        while !first.is_closed() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let second = connected(address, secret.reveal(), "india").await.unwrap();
        // The server ends, and with it what does nothing.
        stop.send(()).unwrap();
        serving.await.unwrap().unwrap();
        assert!(second.query("SELECT 1", &[]).await.is_err());
    });
}

fn file(name: &str) -> String {
    format!("{}/tests/suite/keys/tls/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn certificate() -> Tls {
    Tls::read(file("cert.pem").as_ref(), file("key.pem").as_ref()).unwrap()
}

/// The address by which this machine reaches others, which is none of the loopback; nothing is sent for it.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|own| !own.is_loopback())
}

#[test]
fn no_key_comes_in_clear_text_from_elsewhere_where_there_is_a_certificate() {
    let Some(own) = own_address() else {
        return eprintln!("not run: this machine has no address but those of the loopback");
    };
    let service = Arc::clone(&SERVED.fixture.lock().unwrap().service);
    let door = PostgresDoor::new(service, Some(certificate()), ClientBounds::default(), Times::default());
    let address = opened_at(own, door);
    let (code, message) = state(&asked(connected(address, SERVED.max.reveal(), "india")).unwrap_err());
    assert!(code == "28000" && message.contains("sslmode=require"), "{code}: {message}");
    // Without one it is the owner's choice, of which the log warns.
    let service = Arc::clone(&SERVED.fixture.lock().unwrap().service);
    let door = PostgresDoor::new(service, None, ClientBounds::default(), Times::default());
    let client = asked(connected(opened_at(own, door), SERVED.max.reveal(), "india")).unwrap();
    assert_eq!(asked(client.query_one("SELECT 1", &[])).unwrap().get::<_, i32>(0), 1);
}

#[test]
fn the_door_encrypts_where_the_server_has_a_certificate() {
    use tokio_postgres::config::SslMode;
    use tokio_rustls::rustls::pki_types::CertificateDer;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;
    use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

    let tls = Some(certificate());
    let door = opened(&SERVED.fixture.lock().unwrap(), tls, ClientBounds::default(), Times::default());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(file("cert.pem")).unwrap()).unwrap();
    let trusting = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let trusting = trusting.with_safe_default_protocol_versions().unwrap();
    let trusting = trusting.with_root_certificates(roots).with_no_client_auth();
    asked(async {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let mut stream = tokio::net::TcpStream::connect(door).await.unwrap();
        let asks = [&8_u32.to_be_bytes()[..], &80_877_103_u32.to_be_bytes()].concat();
        stream.write_all(&asks).await.unwrap();
        assert_eq!(stream.read_u8().await.unwrap(), b'S');
        let connector = tokio_rustls::TlsConnector::from(Arc::new(trusting));
        let stream = connector.connect("localhost".try_into().unwrap(), stream).await.unwrap();
        let mut config = Config::new();
        config.user("anyone").password(SERVED.max.reveal()).dbname("india").ssl_mode(SslMode::Disable);
        let (client, connection) = config.connect_raw(stream, NoTls).await.unwrap();
        tokio::spawn(connection);
        assert_eq!(client.query_one("SELECT 1", &[]).await.unwrap().get::<_, i32>(0), 1);
    });
}
