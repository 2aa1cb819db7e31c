//! Checks a reply of any format against the OpenAPI document: status, headers, content type, body. A refused call must also be invalid
//! by the document.

use std::sync::LazyLock;

use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::schema::Judge;
use crate::server::{Reply, SERVER};

/// The OpenAPI document of the server over the shipped demo market.
pub(crate) static DOCUMENT: LazyLock<Json> = LazyLock::new(|| SERVER.get("openapi.json").json());

/// The schema validator of the document.
pub(crate) static JUDGE: LazyLock<Judge> = LazyLock::new(|| Judge::for_document(&DOCUMENT).unwrap());

/// Headers that HTTP itself defines for body and connection.
const OF_HTTP: [&str; 6] =
    ["content-type", "content-length", "content-encoding", "transfer-encoding", "connection", "date"];

/// Checks a reply against the document, for a path with its query string; a path that the document lacks is skipped.
pub(crate) fn check(method: &Method, path: &str, reply: &Reply) -> Result<(), String> {
    let (name, query) = path.split_once('?').unwrap_or((path, ""));
    let get = &DOCUMENT["paths"][format!("/{}", name.trim_end_matches('/'))]["get"];
    if get.is_null() {
        return Ok(());
    }
    let documented = resolved(&get["responses"][reply.status.to_string()]);
    if documented.is_null() {
        return Err(format!("the status {} is not in the document", reply.status));
    }
    headers(documented, reply)?;
    if reply.status == 400 && allows(get, query) {
        return Err(format!("refused, but the document allows it: {}", String::from_utf8_lossy(&reply.body)));
    }
    if method != Method::GET
        || documented["content"].is_null()
        || !reply.header("content-encoding").is_empty()
    {
        return Ok(());
    }
    body(documented, reply)
}

fn resolved(json: &'static Json) -> &'static Json {
    match json["$ref"].as_str() {
        Some(pointer) => DOCUMENT.pointer(pointer.trim_start_matches('#')).unwrap(),
        None => json,
    }
}

fn headers(documented: &'static Json, reply: &Reply) -> Result<(), String> {
    let known = documented["headers"].as_object().unwrap();
    for (name, header) in known {
        let header = resolved(header);
        let Some(value) = reply.headers.get(name) else {
            if header["required"] == true {
                return Err(format!("the header {name} is promised and not there"));
            }
            continue;
        };
        let text = value.to_str().unwrap();
        let value =
            if header["schema"]["type"] == "integer" { json!(text.parse::<i64>().ok()) } else { json!(text) };
        JUDGE.validate(&value, &header["schema"], name)?;
    }
    for name in reply.headers.keys().map(reqwest::header::HeaderName::as_str) {
        let is_known = known.keys().any(|known| known.eq_ignore_ascii_case(name));
        if !is_known && !OF_HTTP.contains(&name) {
            return Err(format!("the header {name} is not in the document"));
        }
    }
    Ok(())
}

fn body(documented: &'static Json, reply: &Reply) -> Result<(), String> {
    let media_type = reply.header("content-type").split(';').next().unwrap().trim();
    let content = &documented["content"][media_type];
    if content.is_null() {
        return Err(format!("the content type {media_type} is not in the document"));
    }
    let row = &content["x-row"];
    match media_type {
        "application/json" => JUDGE.validate(&reply.json(), &content["schema"], "body"),
        "application/x-ndjson" => String::from_utf8_lossy(&reply.body)
            .lines()
            .try_for_each(|line| JUDGE.validate(&serde_json::from_str(line).unwrap(), row, "line")),
        "text/csv" => {
            let text = String::from_utf8_lossy(&reply.body);
            let named: serde_json::Map<String, Json> =
                text.lines().next().unwrap().split(',').map(|name| (name.to_owned(), Json::Null)).collect();
            let rows = row["anyOf"].as_array().unwrap();
            let known = |row: &'static Json| {
                let properties = resolved(row)["properties"].as_object();
                properties.is_some_and(|known| named.keys().all(|name| known.contains_key(name)))
            };
            if rows.iter().any(known) { Ok(()) } else { Err(format!("no row has the fields {named:?}")) }
        }
        "application/vnd.apache.arrow.stream"
        | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
            if content["schema"]["format"] == "binary" =>
        {
            Ok(())
        }
        "image/svg+xml" if reply.body.starts_with(b"<svg ") => Ok(()),
        "image/png" if content["schema"]["format"] == "binary" && reply.body.starts_with(b"\x89PNG") => {
            Ok(())
        }
        other => Err(format!("{other} is not a form that is known here")),
    }
}

/// Returns true if the document allows a call: each parameter is known, occurs once and is valid, no required one is missing, and
/// the operation has no constraints beyond schemas.
fn allows(get: &'static Json, query: &str) -> bool {
    // An invalid percent-encoding or UTF-8 text cannot be expressed in a schema.
    let is_text = |rest: &str| rest.get(..2).is_some_and(|hex| u8::from_str_radix(hex, 16).is_ok());
    if !get["x-constraints"].is_null() || query.contains("%ff") || !query.split('%').skip(1).all(is_text) {
        return false;
    }
    let mut params: Vec<&Json> = get["parameters"].as_array().unwrap().iter().map(resolved).collect();
    params.retain(|param| param["in"] == "query");
    let mut seen: Vec<String> = Vec::new();
    for (name, text) in url::form_urlencoded::parse(query.as_bytes()) {
        if name == "apiKey" {
            continue;
        }
        let Some(param) = params.iter().find(|param| param["name"] == *name) else { return false };
        let is_empty = text.is_empty() && param["allowEmptyValue"] == true;
        if seen.contains(&name.clone().into_owned())
            || !is_empty && JUDGE.validate(&typed(&param["schema"], &text), &param["schema"], "it").is_err()
        {
            return false;
        }
        seen.push(name.into_owned());
    }
    params.iter().all(|param| param["required"] != true || seen.iter().any(|name| param["name"] == **name))
}

/// Converts a query string value to JSON of the schema's type.
fn typed(schema: &Json, text: &str) -> Json {
    let number = || serde_json::from_str::<Json>(text).ok().filter(Json::is_number);
    match schema["type"].as_str() {
        // In JSON `2.0` is the integer 2; a query string must write `2`.
        Some("integer") => text.parse::<i64>().map_or_else(|_| text.into(), Json::from),
        Some("number") => number().unwrap_or_else(|| text.into()),
        Some("boolean") => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        Some("array") => text.split(',').filter(|item| !item.is_empty()).collect(),
        _ => text.into(),
    }
}
