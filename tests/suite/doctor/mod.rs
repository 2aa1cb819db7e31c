//! `parquote doctor` and a first start: sound servers, broken servers, and this machine.

/// A host that acts as a sound Parquote except for one path.
mod broken_host;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;

use axum::http::StatusCode;
use serde_json::Value as Json;

use self::broken_host::{BrokenHost, KEY, reply};
use crate::demo_market::SHIPPED;
use crate::program::run;
use crate::running_server::{RunningServer, issue_key};
use crate::server::SERVER;

/// The apps, in the order of the report.
const APPS: [&str; 6] = ["claude.ai", "Claude Code", "Cursor", "VS Code", "ChatGPT", "Copilot Studio"];

/// Examines a server with a key; returns the exit code and the report.
fn examine(url: &str) -> (Option<i32>, String) {
    let (code, report, errors) = run(&["doctor", url, "--key", KEY, "--timeout-ms", "60000"]);
    assert!(errors.is_empty(), "{errors}");
    (code, report)
}

/// Returns the health and the remedy of each line of a report in JSON.
fn lines(report: &str) -> Vec<(String, String, String)> {
    let report: Json = serde_json::from_str(report).unwrap();
    let text = |line: &Json, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let lines = report["lines"].as_array().unwrap().iter();
    lines.map(|line| (text(line, "subject"), text(line, "health"), text(line, "remedy"))).collect()
}

#[test]
fn an_open_server_has_no_fault_and_every_app_calls_a_tool() {
    let url = format!("http://{}", SERVER.address());
    let (code, report) = examine(&url);
    assert_eq!(code, Some(0), "{report}");
    for app in APPS {
        let line = report.lines().find(|line| line.contains(&format!(" {app}: "))).unwrap();
        assert!(line.contains("/mcp/chat (") && line.contains("/mcp ("), "{line}");
    }
    assert!(report.contains("/v1/market/breadth answers"), "{report}");
    let (code, report, _) = run(&["doctor", &format!("{url}/sse"), "--json"]);
    let lines = lines(&report);
    assert_eq!((code, lines[0].1.as_str()), (Some(1), "fault"), "{report}");
    assert_eq!(lines[0].2, format!("in a client: {url}/mcp/chat"));
}

#[test]
fn a_sound_host_has_no_fault() {
    let host = BrokenHost::start(|_, _| None);
    let (code, report) = examine(&host.url);
    assert_eq!(code, Some(0), "{report}");
    assert!(
        report.contains("apps find OAuth") && report.contains("Claude Code: signs in by OAuth"),
        "{report}"
    );
    // Hosted apps do not reach a loopback address.
    assert_eq!(report.matches("does not reach").count(), 3, "{report}");
    assert!(report.contains("\nfaults: 0, warnings: 3"), "{report}");
    // One call at each of two paths, for all apps together.
    assert_eq!(host.calls.load(Ordering::SeqCst), 2, "{report}");
}

/// Faults that a proxy or a wrong setting causes: the path, its reply, and words of the finding and of the remedy.
#[test]
fn each_fault_of_a_server_is_named_with_its_remedy() {
    let page = || reply(StatusCode::OK, "text/html", "<html>");
    let json = |body: &str| reply(StatusCode::OK, "application/json", body);
    let none = || reply(StatusCode::NOT_FOUND, "application/json", "{}");
    let refused = || reply(StatusCode::UNAUTHORIZED, "application/json", r#"{"message": "no"}"#);
    let resource = "/.well-known/oauth-protected-resource/mcp";
    let at = |wanted: &'static str, answer: Box<dyn Fn() -> axum::response::Response + Send + Sync>| {
        BrokenHost::start(move |path, _| (path == wanted).then(&answer))
    };
    let moved = || {
        let mut moved = reply(StatusCode::MOVED_PERMANENTLY, "text/plain", "");
        moved.headers_mut().insert("location", "https://api.example.com/mcp/chat".parse().unwrap());
        moved
    };
    for (host, finding, remedy) in [
        (at("/v1/status", Box::new(page)), "a page of HTML", "let the proxy pass /v1/status"),
        (
            at("/v1/status", Box::new(move || json("{}"))),
            "another program answers",
            "the address of a Parquote",
        ),
        (
            at("/v1/status", Box::new(|| reply(StatusCode::BAD_GATEWAY, "text/plain", "no"))),
            "does not reach the server (502)",
            "--listen",
        ),
        (at("/v1/market/breadth", Box::new(refused)), "the key is refused: no", "parquote keys list"),
        (at("/mcp/chat", Box::new(none)), "nothing at /mcp/chat (404)", "/mcp/chat, and let the proxy"),
        (at("/mcp", Box::new(page)), "/mcp is answered with a page of HTML (200)", "without a sign-in page"),
        (
            at("/mcp/chat", Box::new(moved)),
            "redirects to https://api.example.com",
            "use https://api.example.com",
        ),
        (at("/mcp", Box::new(refused)), "401 without WWW-Authenticate", "pass the header WWW-Authenticate"),
        (at(resource, Box::new(none)), "is answered with 404", "pass /.well-known/"),
        (at(resource, Box::new(page)), "without a JSON object", "pass /.well-known/"),
        (
            at(resource, Box::new(move || json(r#"{"resource": "http://10.0.0.7:8080/mcp"}"#))),
            "names `http://10.0.0.7:8080/mcp`",
            "start the server with --public-url http://127.0.0.1",
        ),
        (at("/oauth/token", Box::new(page)), "answers a wrong code with 200", "pass POST /oauth/token"),
        (at("/oauth/register", Box::new(none)), "registration is answered with 404", "POST /oauth/register"),
    ] {
        let (code, report) = examine(&host.url);
        assert_eq!(code, Some(1), "{finding}: {report}");
        let fault = report.split("\nfault").find(|part| part.contains(finding));
        let fault = fault.unwrap_or_else(|| panic!("no {finding}: {report}"));
        assert!(fault.contains(remedy), "{remedy}: {report}");
    }
}

/// Replies that some apps cannot use are warnings.
#[test]
fn each_limit_of_a_server_is_a_warning_with_its_remedy() {
    let stripped = BrokenHost::start(|_, request| {
        // A proxy that removes the query, and with it the key.
        let has_query = request.uri.query().is_some();
        has_query.then(|| reply(StatusCode::UNAUTHORIZED, "application/json", r#"{"message": "no key"}"#))
    });
    let streams = BrokenHost::start(|path, request| {
        (path == "/mcp" && request.method == "GET").then(|| reply(StatusCode::NOT_FOUND, "text/plain", ""))
    });
    let origins = BrokenHost::start(|_, request| {
        let has_origin = request.headers.contains_key("origin");
        has_origin.then(|| reply(StatusCode::FORBIDDEN, "application/json", r#"{"message": "no"}"#))
    });
    for (host, finding, remedy) in [
        (stripped, "a key in the URL fails: the key is refused", "pass the query of the URL"),
        (streams, "a GET is answered with 404", "pass GET /mcp"),
        (origins, "are refused (403)", "--mcp-origins http://127.0.0.1"),
    ] {
        let (_, report) = examine(&host.url);
        let warning = report.split("\nwarning").find(|part| part.contains(finding));
        let warning = warning.unwrap_or_else(|| panic!("no {finding}: {report}"));
        assert!(warning.contains(remedy), "{remedy}: {report}");
    }
}

#[test]
fn a_silent_peer_a_held_back_reply_and_a_closed_port_end_the_report() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let (code, report, _) = run(&["doctor", &url, "--timeout-ms", "50"]);
    assert!(code == Some(1) && report.contains("does not reply within 50 ms"), "{report}");
    let (code, report, _) = run(&["doctor", "http://127.0.0.1:1"]);
    assert!(code == Some(1) && report.contains("do: start the server (`parquote serve`)"), "{report}");
    let held = BrokenHost::start(|_, _| Some(broken_host::unfinished()));
    let (code, report, _) = run(&["doctor", &held.url, "--timeout-ms", "2000"]);
    assert!(code == Some(1) && report.contains("proxy_buffering off"), "{report}");
}

#[test]
fn a_key_that_a_client_did_not_fill_in_is_named() {
    let host = BrokenHost::start(|_, _| None);
    for (key, word) in [("${env:PARQUOTE_KEY}", "placeholder"), ("pq_12", "copy it whole")] {
        let (code, report, _) = run(&["doctor", &host.url, "--key", key]);
        assert!(code == Some(1) && report.contains(word), "{report}");
        assert!(!report.contains("pq_12"), "{report}");
    }
}

/// Returns a command of the program in a folder with its own state.
fn in_folder(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
    for name in ["PARQUOTE_DATA", "PARQUOTE_LISTEN", "PARQUOTE_STATE", "PARQUOTE_KEY"] {
        command.env_remove(name);
    }
    command.args(arguments).current_dir(folder);
    command
}

/// Runs a command to its end; returns its exit code and its whole output.
fn ended(mut command: Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), text.concat())
}

#[cfg(feature = "demo")]
#[test]
fn a_start_without_any_data_makes_the_demo_market_first() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let (code, report) = ended(in_folder(here, &["doctor", "--listen", "127.0.0.1:0"]));
    assert!(code == Some(0) && report.contains("is made in data/demo at the first start"), "{report}");
    let command = in_folder(here, &["--listen", "127.0.0.1:0"]);
    let mut server = RunningServer::start(command, here.join("out"), &here.join("log"));
    crate::running_server::wait_for("the demo market", || {
        assert!(server.lives(), "it ended: {}", fs::read_to_string(here.join("log")).unwrap());
        server.said().contains("the demo market, which is fictional, is made in data/demo first")
    });
}

/// The demo market is in the folder, so that no flag names it.
#[cfg(unix)]
#[test]
fn a_bare_start_serves_the_demo_and_says_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::create_dir(here.join("data")).unwrap();
    std::os::unix::fs::symlink(&SHIPPED.sets, here.join("data/demo")).unwrap();
    // The port is known to the public address before the server listens.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (listen, url) = (format!("127.0.0.1:{port}"), format!("http://127.0.0.1:{port}"));
    let command = in_folder(here, &["--listen", &listen, "--public-url", &url]);
    let mut server = RunningServer::start(command, here.join("out"), &here.join("log"));
    assert_eq!(server.url(), format!("{url}/v1"));
    let said = server.said();
    for words in [
        "this market is fictional",
        "parquote fetch india",
        "parquote serve --data data/mine",
        &format!("claude mcp add --transport http parquote {url}/mcp/chat --header"),
        "`parquote doctor`",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // A second start names the first.
    let (code, message) = ended(in_folder(here, &["--listen", &listen]));
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains(&format!("a Parquote serves at {listen} already: open {url}/")), "{message}");
    assert!(message.contains("--listen 127.0.0.1:") && !message.contains("os error"), "{message}");
    // OAuth, keys and tools of the real server, found on this machine.
    let key = issue_key(in_folder(here, &[]), "Ann", &[]);
    let (code, report) = ended(in_folder(here, &["doctor", "--listen", &listen, "--key", &key]));
    assert_eq!(code, Some(0), "{report}");
    for words in [
        "a Parquote serves at",
        "1 of 1 key is valid",
        "apps find OAuth",
        "/mcp/chat: asks for a key",
        "VS Code: signs in by OAuth, and uses /mcp/chat (",
        "Cursor: sends the key, and uses /mcp/chat (",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
    assert!(!report.contains(&key), "{report}");
    let wrong = format!("pq_{}", "0".repeat(32));
    let (code, report) = ended(in_folder(here, &["doctor", &url, "--key", &wrong]));
    assert!(code == Some(1) && report.contains("the key is refused"), "{report}");
    server.stop();
}

#[test]
fn a_port_of_another_program_is_named_with_a_free_one() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let data = SHIPPED.sets.to_str().unwrap();
    // It answers nothing, as a program that speaks no HTTP.
    std::thread::spawn(move || other.incoming().for_each(drop));
    let (code, message) = ended(in_folder(folder.path(), &["serve", "--data", data, "--listen", &address]));
    assert!(code == Some(1) && message.contains("another program listens at"), "{message}");
    assert!(message.contains("choose another address with --listen 127.0.0.1:"), "{message}");
}

#[test]
fn faults_of_this_machine_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    // A state file of a version before the first release.
    let old = rusqlite::Connection::open(here.join("old.db")).unwrap();
    old.execute_batch("CREATE TABLE keys (id); PRAGMA application_id = 1347507028; PRAGMA user_version = 8")
        .unwrap();
    drop(old);
    let data = SHIPPED.sets.to_str().unwrap();
    let report = |more: &[&str]| {
        let fixed = ["doctor", "--listen", "127.0.0.1:0", "--data"];
        ended(in_folder(here, &[&fixed[..], more].concat()))
    };
    let (code, text) = report(&[data, "--state", "old.db"]);
    assert!(code == Some(1) && text.contains("state: old.db was made by a development version"), "{text}");
    assert!(text.contains("do: start with a new state"), "{text}");
    let (code, text) = report(&["nothing"]);
    assert!(code == Some(1) && text.contains("fault    data: `nothing` holds no tables"), "{text}");
    let (code, text) = report(&[data, "--tls-cert", "no.pem", "--tls-key", "no.pem"]);
    assert!(code == Some(1) && text.contains("tls: no.pem holds no certificate"), "{text}");
    // Settings that `serve` refuses.
    for (flags, fault) in [
        (["--service-provider", "nope", "--service-key", "sk-01234567"], "`nope` is not one of"),
        (
            ["--provider-url", "nope=http://127.0.0.1:1/v1", "--poll-ms", "1000"],
            "fault    model of screens: ",
        ),
        (["--master-key-file", "old.db", "--poll-ms", "1000"], "fault    provider keys: "),
    ] {
        let (code, text) = report(&[&[data][..], &flags[..]].concat());
        assert!(code == Some(1) && text.contains(fault), "{fault}: {text}");
    }
    if !cfg!(feature = "agents") {
        let model = ["--service-provider", "openai", "--service-key", "sk-01234567"];
        let (code, text) = report(&[&[data][..], &model[..]].concat());
        assert!(code == Some(1) && text.contains("--service-provider needs the feature `agents`"), "{text}");
    }
    let (code, text) = ended(in_folder(here, &["doctor", "--listen", "0.0.0.0:0", "--data", data]));
    assert!(code == Some(1) && text.contains("fault    keys: none of 0 keys is valid"), "{text}");
    // An empty file is no state yet, and stays empty.
    fs::write(here.join("empty.db"), "").unwrap();
    let (code, text) = report(&[data, "--state", "empty.db"]);
    assert!(code == Some(0) && text.contains("empty.db is made at the first start"), "{text}");
    assert_eq!(fs::metadata(here.join("empty.db")).unwrap().len(), 0);
    // No fault: no state yet, and old data.
    let (code, text) = report(&[data]);
    assert_eq!(code, Some(0), "{text}");
    for words in
        ["ok       state: state/parquote.db is made at the first start", "ok       clock: 20", "disk: "]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    // A set whose file is gone.
    let copy = here.join("copy");
    let copied = Command::new("cp").arg("-r").arg(&SHIPPED.sets).arg(&copy).status().unwrap();
    assert!(copied.success());
    let table = fs::read_dir(copy.join("india/files/breadth")).unwrap().next().unwrap().unwrap().path();
    fs::write(table, "cut").unwrap();
    let (code, text) = report(&["copy"]);
    assert!(code == Some(1) && text.contains("files are missing or cut"), "{text}");
}
