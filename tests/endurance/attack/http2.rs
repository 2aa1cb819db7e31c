//! Streams with a closed window, resets, settings, endless heads.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::flood::Bytes;
use super::frames::{
    self, CONTINUATION, END_HEADERS, HEADERS, PING, SETTINGS, frame, get, head, hello, reset,
};
use super::target::Target;

/// Returns true if the other side closes the connection within this time.
fn is_ended(stream: &mut TcpStream, within: Duration) -> bool {
    let began = Instant::now();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let mut sink = [0; 4096];
    while began.elapsed() < within {
        match stream.read(&mut sink) {
            Ok(0) => return true,
            Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return true;
            }
            _ => {}
        }
    }
    false
}

#[test]
fn streams_that_take_nothing_hold_little_and_not_for_ever() {
    // Fewer requests under way than streams: a stream with a closed window must not occupy one.
    let target = Target::start(&["--under-way", "64", "--stalled-ms", "4000"]);
    let packed = [("accept-encoding", "zstd")];
    // Memory that the first request for the document fills is not part of the attack.
    assert_eq!(target.get(&target.honest, "/v1/openapi.json", &packed), 200);
    let mut held = target.withstands(32, || {
        let requests: Vec<u8> =
            (0..100).flat_map(|number| get(2 * number + 1, "/v1/openapi.json", &packed)).collect();
        let all = [hello(0), requests].concat();
        (0..20).map(|_| target.say(&all)).collect::<Vec<TcpStream>>()
    });
    assert!(is_ended(held.first_mut().unwrap(), Duration::from_secs(20)), "a stalled connection stays");
    drop(held);
    assert_eq!(target.get(&target.honest, "/v1/openapi.json", &packed), 200);
}

#[test]
fn requests_that_are_taken_back_at_once_slow_nobody_down() {
    let target = Target::start(&[]);
    let key = target.hostile.clone();
    let again = move |round: u32| {
        let numbers = (0..20).map(|number| 2 * (round * 20 + number) + 1);
        let key = [("x-api-key", key.as_str())];
        numbers.flat_map(|number| [get(number, "/v1/market/sectors", &key), reset(number)].concat()).collect()
    };
    drop(target.withstands(32, || Bytes::repeat(&target, 2, &hello(65_535), again.clone())));
}

#[test]
fn settings_and_pings_without_end_slow_nobody_down() {
    let target = Target::start(&[]);
    let again = |_: u32| {
        let both = [frame(SETTINGS, 0, 0, &[]), frame(PING, 0, 0, &[7; 8])].concat();
        both.repeat(50)
    };
    drop(target.withstands(32, || Bytes::repeat(&target, 2, &hello(65_535), again)));
}

#[test]
fn heads_without_an_end_are_refused() {
    let target = Target::start(&[]);
    let first = [hello(65_535), frame(HEADERS, 0, 1, &head("/v1/status", &[]))].concat();
    let filler = frames::header("x-filler", &"a".repeat(120));
    let piece = frame(CONTINUATION, 0, 1, &filler.repeat(100));
    let again = {
        let piece = piece.clone();
        move |_: u32| piece.clone()
    };
    drop(target.withstands(32, || Bytes::repeat(&target, 4, &first, again.clone())));
    let mut stream = target.say(&first);
    for _ in 0..200 {
        if stream.write_all(&piece).is_err() {
            break;
        }
    }
    assert!(is_ended(&mut stream, Duration::from_secs(10)), "a head of megabytes is read on");
    // Empty frames do not enlarge the head, but are counted too.
    let mut stream = target.say(&first);
    for _ in 0..20_000 {
        if stream.write_all(&frame(CONTINUATION, 0, 1, &[])).is_err() {
            break;
        }
    }
    let _ = stream.write_all(&frame(CONTINUATION, END_HEADERS, 1, &[]));
    assert!(is_ended(&mut stream, Duration::from_secs(10)), "a head of any number of pieces is read on");
}
