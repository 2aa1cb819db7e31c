//! Cases as files: every `tests/cases/**/*.http` is sent to the server, and all failures are reported by name.
//!
//! The folder of a file is the route that it requests: `market/momentum/edges.http`. Files below `across/` request several routes, and
//! `figures/` has the same folders for the files that `tests/independent/figures.py` writes. A part of the path selects files:
//! `PARQUOTE_CASE=market/momentum/edges cargo test --test suite every_case_holds`.
//!
//! A file has one or several exchanges, separated by a line `###`. An exchange has three blocks separated by empty lines:
//!
//! ```text
//! # The reason (comments are allowed anywhere; they start with `# `).
//! GET companies?limit=2&page=2
//! Accept-Encoding: gzip              headers of the request, any number
//!
//! 200
//! Content-Type: application/json     headers of the reply; `*` matches any text
//!
//! {"data": {"@len": 2}}              a pattern of the whole body (see `pattern.rs`); may be left out
//! ```
//!
//! If the reply is not JSON, the last block is its lines: all of them, with any line ending.
//!
//! Paths are below `/v1/`, and a space in a path is written as a space. The envelope of every 200 except that of `status`, and of
//! every refusal, is always checked.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use reqwest::Method;

use crate::documented;
use crate::pattern::matches;
use crate::server::{NOW, Reply, SERVER};

struct Exchange {
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    status: u16,
    reply_headers: Vec<(String, String)>,
    body: Option<String>,
}

/// A file of cases.
struct File {
    /// Its path below the folder of all cases, without the ending.
    name: String,
    text: String,
}

impl File {
    fn exchanges(&self) -> impl Iterator<Item = Result<Exchange, String>> {
        self.text.split("\n###").map(parse)
    }

    /// Returns the routes that it requests.
    fn routes(&self) -> BTreeSet<String> {
        self.exchanges().map(|exchange| exchange.unwrap().route().to_owned()).collect()
    }
}

#[test]
fn every_case_holds() {
    let chosen = std::env::var("PARQUOTE_CASE").unwrap_or_default();
    let files: Vec<File> = files().into_iter().filter(|file| file.name.contains(&chosen)).collect();
    assert!(!files.is_empty(), "no case has `{chosen}` in its path");
    let mut failed = Vec::new();
    for file in &files {
        for (number, exchange) in file.exchanges().enumerate() {
            let is_built =
                |exchange: &Exchange| cfg!(feature = "png") || !exchange.path.contains("format=png");
            let run_built = |exchange: Exchange| if is_built(&exchange) { run(&exchange) } else { Ok(()) };
            if let Err(problem) = exchange.and_then(run_built) {
                failed.push(format!("{} (exchange {}): {problem}", file.name, number + 1));
            }
        }
    }
    assert!(failed.is_empty(), "{} of {} files:\n  {}", failed.len(), files.len(), failed.join("\n  "));
}

#[test]
fn every_case_lies_where_its_route_says() {
    let misplaced = files().into_iter().filter_map(|file| {
        let name = file.name.strip_prefix("figures/").unwrap_or(&file.name);
        let (folder, _) = name.rsplit_once('/').unwrap_or(("", name));
        let routes = Vec::from_iter(file.routes());
        let belongs = match routes.as_slice() {
            [route] => folder == route,
            _ => folder == "across",
        };
        (!belongs).then(|| format!("{}.http asks {}", file.name, routes.join(", ")))
    });
    assert_eq!(misplaced.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Returns the paths that cases request without headers or other methods, each with the name of its file.
pub(crate) fn plain_paths() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for file in files() {
        let plain = file
            .exchanges()
            .filter_map(Result::ok)
            .filter(|exchange| exchange.method == Method::GET && exchange.headers.is_empty());
        paths.extend(plain.map(|exchange| (file.name.clone(), exchange.path)));
    }
    paths
}

#[test]
fn every_operation_has_cases() {
    let asked: BTreeSet<String> = files().iter().flat_map(File::routes).collect();
    for operation in SERVER.service().catalogue().operations().iter().filter(|operation| operation.has_route)
    {
        assert!(asked.contains(&operation.name), "no case asks for {}", operation.name);
    }
}

/// Reads all files of cases, sorted by name.
fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    assert!(paths.len() > 50, "only {} files were found", paths.len());
    let file = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap().with_extension("");
        File { name: name.to_str().unwrap().to_owned(), text: fs::read_to_string(&path).unwrap() }
    };
    paths.into_iter().map(file).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "http") {
            files.push(path);
        }
    }
}

impl Exchange {
    /// Returns the path without arguments.
    fn route(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }
}

fn parse(text: &str) -> Result<Exchange, String> {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("# ") && *line != "#" && !line.starts_with("###"))
        .collect();
    let text = lines.join("\n");
    let mut blocks = text.trim().splitn(3, "\n\n").map(str::trim);
    let mut request = blocks.next().unwrap_or_default().lines();
    let (method, path) =
        request.next().and_then(|line| line.split_once(' ')).ok_or("a request line is missing")?;
    let mut expected = blocks.next().ok_or("the expected status is missing")?.lines();
    let status = expected.next().unwrap_or_default();
    let header = |line: &str| {
        let (name, value) = line.split_once(':').ok_or_else(|| format!("`{line}` is no header"))?;
        Ok::<_, String>((name.trim().to_owned(), value.trim().to_owned()))
    };
    let body = blocks.next().filter(|body| !body.is_empty());
    Ok(Exchange {
        method: method.parse().map_err(|_| format!("`{method}` is no method"))?,
        path: path.replace(' ', "%20"),
        headers: request.map(header).collect::<Result<_, _>>()?,
        status: status.parse().map_err(|_| format!("`{status}` is no status"))?,
        reply_headers: expected.map(header).collect::<Result<_, _>>()?,
        body: body.map(str::to_owned),
    })
}

fn run(exchange: &Exchange) -> Result<(), String> {
    let headers: Vec<(&str, &str)> = exchange.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let reply = SERVER.ask(&exchange.method, &exchange.path, &headers);
    if reply.status != exchange.status {
        let body = String::from_utf8_lossy(&reply.body);
        return Err(format!("{} where {} is expected: {body}", reply.status, exchange.status));
    }
    for (name, wanted) in &exchange.reply_headers {
        let found = reply.headers.get(name).map(|value| value.to_str().unwrap());
        if !found.is_some_and(|found| like(wanted, found)) {
            return Err(format!("the header {name} is {found:?} where {wanted} is expected"));
        }
    }
    let is_json = reply.header("content-type") == "application/json";
    if exchange.method == Method::GET && reply.header("content-encoding").is_empty() && is_json {
        envelope(exchange, &reply)?;
    }
    // A refusal may be caused by a header, which the document's parameters do not cover.
    if reply.status != 400 || headers.is_empty() {
        documented::check(&exchange.method, &exchange.path, &reply)?;
    }
    match &exchange.body {
        Some(pattern) if is_json => {
            let pattern = serde_json::from_str(pattern).map_err(|error| format!("the pattern: {error}"))?;
            matches(&pattern, &reply.json(), "body")
        }
        Some(lines) => {
            let body = String::from_utf8_lossy(&reply.body);
            let same = body.lines().eq(lines.lines());
            if same { Ok(()) } else { Err(format!("the body is\n{body}\nwhere this is expected:\n{lines}")) }
        }
        None => Ok(()),
    }
}

/// Checks the envelope that every reply has.
fn envelope(exchange: &Exchange, reply: &Reply) -> Result<(), String> {
    use serde_json::json;
    let path = exchange.route();
    let is_operation = !["status", "openapi.json", "docs"].contains(&path) && !path.starts_with("docs/");
    let pattern = match reply.status {
        200 if is_operation => json!({
            "@keys": ["data", "meta"],
            "@exactly": {"data": reply.json()["data"], "meta": {
                "tier": "api_max",
                "requests_remaining_today": 5000,
                "requests_remaining_hour": 1000,
                "timestamp": NOW,
            }},
        }),
        400.. => json!({"@keys": ["error", "status", "message"], "@not": {"error": {"@not": true}}}),
        _ => return Ok(()),
    };
    matches(&pattern, &reply.json(), "body")?;
    if reply.status >= 400 {
        let status = json!({"status": reply.status, "message": {"@not": ""}});
        matches(&status, &reply.json(), "body")?;
    }
    Ok(())
}

fn like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, end)) => {
            text.len() >= start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
        }
    }
}
