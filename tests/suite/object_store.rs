//! The same tables from an object store: a `file:///` URL, and an S3 that is a small server of this test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use parquote::engine::Limits;
use tokio::net::TcpListener;

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, open, open_with};
use crate::server::Server;

#[test]
fn a_url_answers_as_the_folder_does() {
    let root = format!("file://{}", LITTLE.data.display());
    let store = open_with(&CATALOGUE, &root, &Limits::default()).unwrap();
    let folder = open(&LITTLE.data).unwrap();
    assert_eq!(store.id(), folder.id());
    let (store, folder) = (Server::start(&CATALOGUE, store), Server::start(&CATALOGUE, folder));
    let symbol = folder.get("companies?limit=1").data()[0]["symbol"].as_str().unwrap().to_owned();
    for path in
        ["companies", "market/breadth", "market/top-movers", &format!("company/daily-prices?symbol={symbol}")]
    {
        assert_eq!(store.get(path).body, folder.get(path).body, "{path}");
    }
}

#[test]
fn a_url_that_is_not_understood_is_refused() {
    for (root, words) in [
        ("nosuch://bucket/x", "nosuch://bucket/x"),
        ("http://[", "http://["),
        ("file:///nothing/at/all", "holds no tables"),
    ] {
        let Err(error) = open_with(&CATALOGUE, root, &Limits::default()) else { panic!("{root} is served") };
        let text = crate::broken_data::chain(&error);
        assert!(text.contains(words), "{root}: {text}");
    }
}

#[test]
fn a_bucket_answers_as_the_folder_does() {
    let endpoint = bucket(&LITTLE.data);
    let run = |data: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
        command.args(arguments).args(["--data", data]);
        command.env("AWS_ENDPOINT", &endpoint).env("AWS_ALLOW_HTTP", "true").env("AWS_REGION", "us-east-1");
        command.env("AWS_ACCESS_KEY_ID", "id").env("AWS_SECRET_ACCESS_KEY", "secret").env("NO_PROXY", "*");
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), text, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let folder = LITTLE.data.to_str().unwrap();
    for arguments in [&["query", "market/breadth"][..], &["query", "companies", "limit=3"]] {
        let (ok, text, errors) = run("s3://bucket/demo", arguments);
        assert!(ok, "{errors}");
        assert_eq!(text, run(folder, arguments).1);
    }
    let (ok, _, errors) = run("s3://bucket/elsewhere", &["check"]);
    assert!(!ok && errors.contains("holds no tables"), "{errors}");
    let (ok, _, errors) = run("s3://other/demo", &["check"]);
    assert!(!ok && errors.contains("s3://other/demo") && !errors.contains("panicked"), "{errors}");
}

/// Serves a folder as `s3://bucket/demo`; returns the endpoint.
fn bucket(folder: &Path) -> String {
    let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let mut objects = Vec::new();
    collect(folder, "demo", &mut objects);
    let router = Router::new()
        .route("/bucket", get(list))
        .route("/bucket/{*key}", get(fetch))
        .with_state(Arc::new(objects));
    RUNTIME.spawn(async move { axum::serve(listener, router).await });
    endpoint
}

type Objects = Arc<Vec<(String, PathBuf)>>;

fn collect(folder: &Path, prefix: &str, objects: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let key = format!("{prefix}/{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() { collect(&path, &key, objects) } else { objects.push((key, path)) }
    }
}

/// `ListObjectsV2`, a page of seven keys at a time.
async fn list(State(objects): State<Objects>, Query(query): Query<Vec<(String, String)>>) -> Response {
    const PAGE: usize = 7;
    let asked = |name: &str| query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let prefix = asked("prefix").unwrap_or_default();
    let start: usize = asked("continuation-token").and_then(|token| token.parse().ok()).unwrap_or(0);
    let all: Vec<_> = objects.iter().filter(|(key, _)| key.starts_with(prefix)).collect();
    let page = all.iter().skip(start).take(PAGE).map(|(key, path)| {
        let size = std::fs::metadata(path).map_or(0, |stat| stat.len());
        format!(
            "<Contents><Key>{key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>\"e\"</ETag><Size>{size}</Size></Contents>"
        )
    });
    let page: String = page.collect();
    let next = start + PAGE;
    let more = if next < all.len() {
        format!("<IsTruncated>true</IsTruncated><NextContinuationToken>{next}</NextContinuationToken>")
    } else {
        "<IsTruncated>false</IsTruncated>".to_owned()
    };
    let body = format!(
        "<?xml version=\"1.0\"?><ListBucketResult><Name>bucket</Name>{more}{page}</ListBucketResult>"
    );
    ([(header::CONTENT_TYPE, "application/xml")], body).into_response()
}

async fn fetch(
    State(objects): State<Objects>,
    axum::extract::Path(key): axum::extract::Path<String>,
    headers: HeaderMap,
) -> Response {
    if !headers.contains_key(header::AUTHORIZATION) {
        return StatusCode::FORBIDDEN.into_response();
    }
    match objects.iter().find(|(known, _)| *known == key).map(|(_, path)| std::fs::read(path)) {
        Some(Ok(bytes)) => {
            ([(header::ETAG, "\"e\""), (header::LAST_MODIFIED, "Fri, 02 Jan 2026 03:04:05 GMT")], bytes)
                .into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}
