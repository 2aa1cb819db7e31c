//! Rules for every operation over HTTP: entity tags, HEAD, compression, methods, the `Host` header.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use parquote::operation::Tier;
use reqwest::Method;

use crate::catalogue_rules::{ask, calls, pairs, required};
use crate::demo_market::RUNTIME;
use crate::server::{Reply, SERVER, query};

#[test]
fn equal_questions_have_equal_tags() {
    for operation in calls() {
        let plain = ask(operation, &required(operation));
        assert_eq!(plain.status, 200, "{}", operation.name);
        let mut spelt_out = required(operation);
        for param in &operation.params {
            if let Some(default) = param.default_for(Tier::ApiMax) {
                let mut text = String::new();
                default.write(&mut text);
                spelt_out.push((param.name.clone(), text));
            }
        }
        let spelt_out = ask(operation, &spelt_out);
        assert_eq!(plain.header("etag"), spelt_out.header("etag"), "{}: defaults", operation.name);
        assert_eq!(plain.body, spelt_out.body, "{}: defaults", operation.name);

        let whole = pairs(operation, true);
        let reversed = whole.iter().rev().cloned().collect();
        let (whole, reversed) = (ask(operation, &whole), ask(operation, &reversed));
        assert_eq!(whole.header("etag"), reversed.header("etag"), "{}: order", operation.name);
        assert_eq!(whole.body, reversed.body, "{}: order", operation.name);

        let key = format!("{}?apiKey=k&{}", operation.name, query(&required(operation)));
        assert_eq!(
            SERVER.get(&key).header("etag"),
            plain.header("etag"),
            "{}: the key is no argument",
            operation.name
        );
    }
}

#[test]
fn different_questions_have_different_tags() {
    let mut tags = std::collections::BTreeMap::new();
    for operation in calls() {
        let mut questions = vec![required(operation)];
        for param in operation.params.iter().filter(|param| !param.is_required()) {
            let values: Vec<String> = match (param.allowed_words(), param.ty.word()) {
                (Some(words), _) => words.to_vec(),
                (None, "int") => vec!["2".into(), "3".into()],
                (None, "number") => vec!["2.5".into(), "3".into()],
                (None, "date") => vec!["2026-10-01".into(), "2026-10-05".into()],
                // `-` and separators are ordinary values and must differ from a missing value.
                _ => ["a", "b", "-", "a\u{1f}-", "\"a\""].map(String::from).to_vec(),
            };
            let default = param.default_for(Tier::ApiMax).map(|default| {
                let mut text = String::new();
                default.write(&mut text);
                text
            });
            for value in values.into_iter().filter(|value| Some(value) != default.as_ref()) {
                questions
                    .push(required(operation).into_iter().chain([(param.name.clone(), value)]).collect());
            }
        }
        for pairs in questions {
            let question = format!("{}?{}", operation.name, query(&pairs));
            let reply = ask(operation, &pairs);
            if reply.status != 200 {
                // A value that the market lacks, such as an unknown sector.
                continue;
            }
            let tag = reply.header("etag").to_owned();
            assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{question}: {tag}");
            if let Some(other) = tags.insert(tag, question.clone()) {
                panic!("{question} has the tag of {other}");
            }
        }
    }
}

#[test]
fn what_is_known_already_is_not_sent_again() {
    for operation in calls() {
        let path = format!("{}?{}", operation.name, query(&required(operation)));
        let first = SERVER.get(&path);
        let tag = first.header("etag");
        for header in [tag.to_owned(), tag.trim_start_matches("W/").to_owned(), format!("\"x\", {tag}")] {
            let again = SERVER.ask(&Method::GET, &path, &[("if-none-match", &header)]);
            assert_eq!(again.status, 304, "{path}: {header}");
            assert!(again.body.is_empty(), "{path}");
            assert_eq!(again.header("etag"), tag, "{path}");
            assert_eq!(again.header("cache-control"), first.header("cache-control"), "{path}");
        }
        // `*` does not match any answer.
        for header in ["\"other\"", "*"] {
            let other = SERVER.ask(&Method::GET, &path, &[("if-none-match", header)]);
            assert_eq!((other.status, &other.body), (200, &first.body), "{path}: {header}");
        }
    }
}

#[test]
fn a_refusal_has_no_tag_and_is_not_kept() {
    for path in ["companies?limit=0", "company/profile?symbol=::::", "nothing"] {
        let reply = SERVER.ask(&Method::GET, path, &[("if-none-match", "*")]);
        assert!(reply.status >= 400, "{path}");
        assert_eq!((reply.header("etag"), reply.header("cache-control")), ("", "no-store"), "{path}");
    }
}

#[test]
fn head_is_get_without_a_body() {
    for operation in calls() {
        let path = format!("{}?{}", operation.name, query(&required(operation)));
        let (get, head) = (SERVER.get(&path), SERVER.ask(&Method::HEAD, &path, &[]));
        assert_eq!(head.status, get.status, "{path}");
        assert!(head.body.is_empty(), "{path}");
        for name in
            ["content-length", "content-type", "etag", "x-as-of", "x-snapshot", "x-ratelimit-limit-daily"]
        {
            assert_eq!(head.header(name), get.header(name), "{path}: {name}");
        }
    }
}

#[test]
fn head_names_the_encoding_of_get_and_no_other_length() {
    for encoding in ["gzip", "zstd"] {
        let [get, head] = [Method::GET, Method::HEAD]
            .map(|method| SERVER.ask(&method, "companies", &[("accept-encoding", encoding)]));
        assert_eq!((get.header("content-encoding"), head.header("content-encoding")), (encoding, encoding));
        assert_eq!(head.header("vary"), get.header("vary"));
        let length = head.header("content-length");
        assert!(length.is_empty() || length == get.body.len().to_string(), "{length}");
        assert!(head.body.is_empty());
    }
}

#[test]
fn other_methods_are_refused_with_what_is_allowed() {
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
        for operation in calls() {
            let path = format!("{}?{}", operation.name, query(&required(operation)));
            let reply = SERVER.ask(&method, &path, &[]);
            assert_eq!((reply.status, reply.header("allow")), (405, "GET, HEAD"), "{method} {path}");
        }
    }
}

#[test]
fn compressed_bodies_are_the_plain_one() {
    let mut compressed = 0;
    for operation in calls() {
        let path = format!("{}?{}", operation.name, query(&required(operation)));
        let plain = SERVER.get(&path);
        assert!(plain.header("vary").contains("accept-encoding"), "{path}");
        for encoding in ["gzip", "zstd"] {
            let packed = SERVER.ask(&Method::GET, &path, &[("accept-encoding", encoding)]);
            assert_eq!(packed.header("etag"), plain.header("etag"), "{path}: a tag holds for every encoding");
            if packed.header("content-encoding").is_empty() {
                assert!(plain.body.len() <= 1024, "{path}: {} bytes are sent plain", plain.body.len());
                continue;
            }
            compressed += 1;
            assert_eq!(packed.header("content-encoding"), encoding, "{path}");
            assert!(packed.body.len() < plain.body.len(), "{path}");
            assert_eq!(unpacked(encoding, &packed.body), plain.body, "{path}: {encoding}");
        }
    }
    assert!(compressed >= 4);
}

fn unpacked(encoding: &str, body: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    match encoding {
        "gzip" => flate2::read::GzDecoder::new(body).read_to_end(&mut plain).map(drop).unwrap(),
        _ => zstd::stream::copy_decode(body, &mut plain).unwrap(),
    }
    plain
}

#[test]
fn many_at_once_get_the_same() {
    let paths: Vec<String> =
        calls().map(|operation| format!("{}?{}", operation.name, query(&required(operation)))).collect();
    let alone: Vec<Vec<u8>> = paths.iter().map(|path| SERVER.get(path).body).collect();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for (path, alone) in paths.iter().zip(&alone) {
                    assert_eq!(&SERVER.get(path).body, alone, "{path}");
                }
            });
        }
    });
}

/// Returns a server's response to a request that is sent byte for byte.
fn said(head: &str) -> String {
    let mut stream = TcpStream::connect(SERVER.address()).unwrap();
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

#[test]
fn a_request_over_http_1_1_names_one_host() {
    for path in ["/v1/status", "/v1/market/sectors", "/v1/docs", "/v1/nothing", "/login", "/mcp"] {
        for (hosts, words) in [
            ("", "names no host"),
            ("Host: localhost\r\nHost: localhost\r\n", "more than one header `Host`"),
            ("Host: a.example\r\nHost: b.example\r\n", "more than one header `Host`"),
            ("Host: a b\r\n", "not a name or address"),
            ("Host: http://localhost\r\n", "not a name or address"),
            ("Host: \r\n", "not a name or address"),
        ] {
            let said = said(&format!("GET {path} HTTP/1.1\r\n{hosts}"));
            assert!(said.starts_with("HTTP/1.1 400 ") && said.contains(words), "{path} {hosts:?}: {said}");
            assert!(said.contains("x-request-id: "), "{path} {hosts:?}: {said}");
        }
    }
    for version in ["GET /v1/status HTTP/1.0\r\n", "GET /v1/status HTTP/1.1\r\nHost: localhost\r\n"] {
        let said = said(version);
        assert!(said.contains(" 200 OK\r\n"), "{version}: {said}");
    }
}

#[test]
fn over_http2_host_and_authority_are_one_and_head_says_the_length() {
    let client = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let status = |host: &str| {
        let asked = client.get(format!("http://{}/v1/status", SERVER.address())).header("host", host);
        RUNTIME.block_on(Reply::to(asked)).unwrap()
    };
    assert_eq!(status(&SERVER.address().to_string()).status, 200);
    let url = format!("http://{}/v1/status", SERVER.address());
    let [whole, head] = [Method::GET, Method::HEAD]
        .map(|method| RUNTIME.block_on(Reply::to(client.request(method, &url))).unwrap());
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), whole.body.len().to_string());
    let refused = status("evil.example");
    assert_eq!(refused.status, 400);
    assert!(refused.message().contains("`:authority` name different hosts"), "{}", refused.message());
}
