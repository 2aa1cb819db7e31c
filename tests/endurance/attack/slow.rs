//! Slow or oversized heads and bodies.

use std::io::Read as _;
use std::net::TcpStream;

use super::target::Target;

/// Returns a message to the tools that stops after the first byte of its body.
fn head(target: &Target) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-api-key: {}\r\ncontent-type: application/json\r\n\
         content-length: 1000\r\n\r\n{{",
        target.hostile
    )
}

#[test]
fn bodies_that_come_slowly_take_no_place_from_others() {
    // Fewer requests under way than slow callers; with the default settings it takes some thousands of them.
    let settings = ["--under-way", "64", "--under-way-per-caller", "48", "--body-ms", "60000"];
    let target = Target::start(&settings);
    let head = head(&target);
    let callers: Vec<TcpStream> =
        target.withstands(32, || (0..300).map(|_| target.say(head.as_bytes())).collect());
    assert_eq!(target.get(&target.honest, "/v1/market/sectors", &[]), 200);
    assert_eq!(
        target.get(&target.hostile, "/v1/market/sectors", &[]),
        429,
        "the slow one has enough under way"
    );
    drop(callers);
}

#[test]
fn a_body_that_does_not_come_is_given_up() {
    let target = Target::start(&["--body-ms", "500"]);
    let mut stream = target.say(head(&target).as_bytes());
    let mut buffer = [0; 4096];
    let read = stream.read(&mut buffer).expect("the body is given up");
    let said = String::from_utf8_lossy(&buffer[..read]);
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
}

#[test]
fn heads_that_are_too_large_are_refused() {
    let target = Target::start(&[]);
    let status = |head: String| {
        let mut stream = target.say(head.as_bytes());
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).unwrap_or(0);
        String::from_utf8_lossy(&buffer[..read]).split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let huge = format!("GET /v1/status HTTP/1.1\r\nhost: a\r\nx-a: {}\r\n\r\n", "a".repeat(200_000));
    let many = format!("GET /v1/status HTTP/1.1\r\nhost: a\r\n{}\r\n", "x-a: b\r\n".repeat(5_000));
    for bomb in [huge, many] {
        target.withstands(32, || {
            for _ in 0..50 {
                let status = status(bomb.clone());
                // A caller that still writes may lose the refusal.
                assert!(["431", "414", ""].contains(&status.as_str()), "{status}");
            }
        });
    }
}
