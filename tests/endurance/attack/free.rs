//! Requests that are free of charge.

use futures::future::join_all;

use super::target::{Target, client};
use crate::demo_market::RUNTIME;

/// An operation that is free of charge.
const FREE_OF_CHARGE: &str = "/v1/committee/fast-scan?symbols=BAXIPAPOWR";

#[test]
fn a_star_is_no_validator() {
    let target = Target::start(&[]);
    for path in ["/v1/market/sectors", "/v1/openapi.json"] {
        assert_eq!(target.get(&target.hostile, path, &[("if-none-match", "*")]), 200, "{path}");
    }
}

#[test]
fn what_is_free_is_answered_so_often_and_what_is_paid_goes_on() {
    let target = Target::start(&["--free-a-second", "1"]);
    let client = client(true);
    let status = |key: &str, path: &str, headers: &[(&'static str, &str)]| {
        RUNTIME.block_on(async {
            let mut request = client.get(target.url(path)).header("x-api-key", key);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let reply = request.send().await.unwrap();
            let after = reply.headers().get("retry-after").map(|after| after.to_str().unwrap().to_owned());
            let tag = reply.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
            (reply.status().as_u16(), after, tag.unwrap_or_default(), reply.text().await.unwrap())
        })
    };
    // Paid answers do not use up the limit.
    for _ in 0..60 {
        assert_eq!(status(&target.hostile, "/v1/market/sectors", &[]).0, 200);
    }
    let tag = status(&target.hostile, "/v1/market/sectors", &[]).2;
    let unchanged = || status(&target.hostile, "/v1/market/sectors", &[("if-none-match", &tag)]);
    let answered = (0..100).take_while(|_| unchanged().0 == 304).count();
    assert!((15..60).contains(&answered), "{answered}");
    let (code, after, _, words) = unchanged();
    assert_eq!((code, after.as_deref()), (429, Some("1")));
    assert!(words.contains("too many free requests"), "{words}");
    // Other callers are not affected, with or without a key.
    assert_eq!(status(&target.honest, "/v1/openapi.json", &[]).0, 200);
    // An operation that is free of charge has the same limit as a document.
    let answered = (0..100).take_while(|_| status(&target.honest, FREE_OF_CHARGE, &[]).0 == 200).count();
    assert!((15..60).contains(&answered), "{answered}");
    assert_eq!(status("", "/v1/openapi.json", &[]).0, 200);
}

#[test]
fn documents_and_answers_in_every_encoding_cost_little() {
    let target = Target::start(&[]);
    let all = ["gzip", "zstd", "gzip;q=0.1, zstd;q=0.2, identity;q=0.3, *;q=0", "*", "br, deflate;q=1"];
    let long = all.join(",").repeat(100);
    let client = client(false);
    target.withstands(64, || {
        for encoding in all.into_iter().chain([long.as_str()]) {
            let ask = || client.get(target.url("/v1/openapi.json")).header("accept-encoding", encoding);
            let replies = RUNTIME.block_on(async { join_all((0..40).map(|_| ask().send())).await });
            for reply in replies {
                assert_eq!(reply.unwrap().status(), 200, "{encoding}");
            }
        }
    });
}

#[test]
fn a_line_in_the_log_says_who_asks() {
    let target = Target::start(&["--trusted-proxy", "127.0.0.0/8"]);
    let hops = [("x-forwarded-for", "198.51.100.1, 203.0.113.9, 127.0.0.7")];
    assert_eq!(target.get(&target.honest, "/v1/market/sectors", &hops), 200);
    let began = std::time::Instant::now();
    let line = loop {
        let log = target.log();
        if let Some(line) = log.lines().find(|line| line.contains("market/sectors")) {
            break line.to_owned();
        }
        assert!(began.elapsed().as_secs() < 20, "{log}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    assert!(line.contains("from=203.0.113.9") && line.contains("key=1"), "{line}");
}
