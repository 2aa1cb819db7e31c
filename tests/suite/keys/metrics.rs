//! Metrics for operators: all metrics of the manual, no others, and no text from callers.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::json;

use super::fixture::Reply;
use super::program::{KeysFolder, Program};
use crate::demo_market::RUNTIME;

const GUIDE: &str = include_str!("../../../docs/guides/monitoring.md");

/// A server with an operators' address.
struct Operated {
    place: KeysFolder,
    server: Program,
    admin: String,
    key: String,
}

impl Operated {
    fn start() -> Self {
        let place = KeysFolder::new();
        // This port was free a moment ago.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let admin = free.local_addr().unwrap().to_string();
        drop(free);
        let server = place.serve("server", &["--admin", &admin]);
        let key = place.issue();
        Self { place, server, admin, key }
    }

    /// Requests a path of the operators' address.
    fn fetch(&self, path: &str) -> Reply {
        self.server.fetch(&format!("http://{}/{path}", self.admin), "")
    }

    /// Sends a request of any method for any path, with a key or without.
    fn ask(&self, method: &Method, path: &str, has_key: bool) -> u16 {
        let root = self.server.url().trim_end_matches("/v1");
        let asked = self.server.client.request(method.clone(), format!("{root}{path}"));
        let asked = if has_key { asked.header("x-api-key", &self.key) } else { asked };
        RUNTIME.block_on(async { asked.send().await.unwrap().status().as_u16() })
    }

    /// Returns the names and labels of all metrics.
    fn series(&self) -> BTreeSet<String> {
        let told = self.fetch("metrics").body;
        let lines = told.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
    }

    /// Sends many requests that contain a unique word.
    fn ask_at_random(&self, word: &str) {
        let places = [
            "/", "/v1/", "/v1/docs/", "/v1/market/", "/v1/docs/guides/", "/india/", "/portal/", "/oauth/",
            "/mcp/",
        ];
        for place in places.iter().chain(&["/.well-known/", "/login/", "/v1/market/sectors?", "/assets/"]) {
            for method in [Method::GET, Method::from_bytes(b"BREW").unwrap()] {
                self.ask(&method, &format!("{place}{word}"), true);
                self.ask(&method, &format!("{place}{word}"), false);
            }
        }
        let params = json!({"name": word, "arguments": {}});
        let headers = [("x-api-key", self.key.as_str()), ("accept", "application/json, text/event-stream")];
        for method in ["tools/call", word] {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            self.server.post("", &headers, &message);
        }
    }
}

/// Returns names and types of the metrics in the guide, as Prometheus names them.
fn documented() -> BTreeSet<(String, String)> {
    let rows = GUIDE.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `parquote_")?.split('|').map(str::trim);
        Some((cells.next()?.trim_end_matches('`').to_owned(), cells.next()?.to_owned()))
    });
    let rows = rows.map(|(name, kind)| {
        let family = match kind.as_str() {
            "counter" => name.strip_suffix("_total").unwrap(),
            "info" => name.strip_suffix("_info").unwrap(),
            _ => &name,
        };
        (format!("parquote_{family}"), kind)
    });
    rows.collect()
}

#[test]
fn operators_have_an_address_with_all_figures_of_the_guide() {
    let operated = Operated::start();
    operated.server.get(&operated.key, "market/sectors");
    operated.server.get(&operated.key, "market/sectors?nothing=1");
    assert_eq!((operated.fetch("healthz").status, operated.fetch("readyz").status), (200, 200));
    let figures = operated.fetch("metrics").body;
    for line in [
        r#"parquote_http_requests_total{operation="market/sectors",status="200"} 1"#,
        r#"parquote_http_requests_total{operation="market/sectors",status="400"} 1"#,
        r#"parquote_http_request_seconds_count{operation="market/sectors"} 2"#,
        r#"parquote_refusals_total{reason="bad_request"} 1"#,
        r#"parquote_queue_waiting{queue="queries"} 0"#,
        "parquote_http_requests_under_way 0",
        // The answer and its coverage.
        "parquote_answer_cache_misses_total 2",
        "parquote_jobs_queued 0",
        "parquote_jobs_running 0",
        "parquote_state_failures_total 0",
    ] {
        assert!(figures.lines().any(|written| written == line), "{line}\n{figures}");
    }
    assert!(!figures.contains(r#"operation="""#), "{figures}");
    // The number of waits depends on the machine's speed.
    assert!(
        figures.contains(r#"parquote_queue_wait_seconds_bucket{le="+Inf",queue="queries"} "#),
        "{figures}"
    );
    let types = figures.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let types: BTreeSet<_> = types.map(|(name, kind)| (name.to_owned(), kind.to_owned())).collect();
    assert_eq!(documented(), types);
    // Metrics are not on the callers' address, and a loopback address causes no warning.
    assert_eq!(operated.server.get(&operated.key, "../metrics").status, 404);
    let log = std::fs::read_to_string(operated.place.path().join("server.log")).unwrap();
    assert!(!log.contains("open to the network"), "{log}");

    for (path, traffic) in [
        ("/v1/status", "status"),
        ("/v1/us/screener", "operations"),
        ("/login", "portal"),
        ("/v1/docs", "documents"),
        ("/oauth/token", "oauth"),
    ] {
        operated.ask(&Method::GET, path, false);
        let named = |series: &String| series.contains(&format!("operation=\"{traffic}\""));
        let series = operated.series();
        assert!(series.iter().any(named), "{traffic}: {series:#?}");
    }
    operated.ask_at_random("quokka");
    let before = operated.series();
    operated.ask_at_random("numbat");
    let after = operated.series();
    assert_eq!(before, after);
    let words: Vec<_> = after
        .iter()
        .filter(|series| ["quokka", "numbat", "BREW"].iter().any(|word| series.contains(word)))
        .collect();
    assert!(words.is_empty(), "{words:?}");
}
