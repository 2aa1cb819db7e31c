//! Every case of REST through the tools: the same data, refusals and statuses.

use parquote::operation::{Operation, ParamType};
use serde_json::{Map, Value as Json, json};

use super::client::call;
use crate::cases::plain_paths;
use crate::server::SERVER;

/// The tools whose answers are short unless `detail` is `full`.
const SHORTENED: [&str; 2] = ["compute_committee_risk", "fast_scan_committee"];

type Pairs = Vec<(String, String)>;

#[test]
fn every_case_is_answered_alike() {
    let (mut tried, mut failed) = (0, Vec::new());
    for (file, path) in plain_paths() {
        let (name, query) = path.split_once('?').unwrap_or((&path, ""));
        let Some(operation) = SERVER.service().catalogue().operation(name) else { continue };
        let pairs: Pairs = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let (Some(tool), true) = (&operation.tool, can_be_said(operation, query, &pairs)) else { continue };
        tried += 1;
        if let Err(problem) = alike(operation, tool, &path, &pairs) {
            failed.push(format!("{file}: {path}: {problem}"));
        }
    }
    assert!(tried > 200, "only {tried} cases were tried");
    assert!(failed.is_empty(), "{} of {tried} cases:\n  {}", failed.len(), failed.join("\n  "));
}

/// Returns true if a tool's arguments can express the query: no repeated name, no REST-only parameter, a JSON format.
fn can_be_said(operation: &Operation, query: &str, pairs: &Pairs) -> bool {
    let once = |name: &str| pairs.iter().filter(|(known, _)| known == name).count() == 1;
    let of_rest = |name: &str| name == "apiKey" || operation.param(name).is_some_and(|param| param.rest_only);
    let in_json = |(name, value): &(String, String)| {
        name != "format" || ["json", "columns", ""].contains(&value.as_str())
    };
    // Invalid percent-encoding or UTF-8 cannot be expressed in JSON.
    let is_text = query
        .split('%')
        .skip(1)
        .all(|rest| rest.get(..2).is_some_and(|hex| u8::from_str_radix(hex, 16).is_ok()));
    is_text
        && !query.contains("%ff")
        && pairs.iter().all(|pair| once(&pair.0) && !of_rest(&pair.0) && in_json(pair))
}

fn alike(operation: &Operation, tool: &str, path: &str, pairs: &Pairs) -> Result<(), String> {
    let rest = SERVER.get(path);
    let arguments: Map<String, Json> =
        pairs.iter().map(|(name, text)| (name.clone(), value(operation, name, text))).collect();
    let mut arguments = arguments;
    if SHORTENED.contains(&tool) {
        arguments.insert("detail".to_owned(), "full".into());
    }
    let answer = call(tool, &arguments.clone().into());
    // A tool accepts the other market's name of a parameter; a route accepts only its own.
    let has_twin = ["q", "query", "limit", "periods", "min_scans", "min_matches", "index", "index_name"];
    if (rest.status == 400).then(|| rest.message()).is_some_and(|said| {
        has_twin.iter().any(|name| said.starts_with(&format!("`{name}` is not a parameter")))
    }) {
        return Ok(());
    }
    if rest.status != 200 {
        let detail = &answer["_meta"]["parquote/error"];
        // The list of parameters is shorter if some are REST-only.
        let differs =
            operation.params.iter().any(|param| param.rest_only) && rest.message().contains("It takes");
        let same = without_hint(detail["message"].as_str().unwrap_or_default())
            == without_hint(&rest.message())
            || differs;
        let is_refused = answer["isError"] == true && detail["status"] == json!(rest.status);
        return if same && is_refused {
            Ok(())
        } else {
            Err(format!("{detail} where REST says {}", rest.message()))
        };
    }
    if answer["isError"] != false {
        return Err(format!("{} where REST answers", answer["content"][0]["text"]));
    }
    let mut expected = rest.data();
    let data = whole(tool, &arguments, &answer["structuredContent"], &expected);
    if tool == "compute_committee_risk" {
        // The pairs have another form, which the tests of `detail` check.
        expected["correlations"] = data["correlations"].clone();
    }
    if same(&data, &expected) { Ok(()) } else { Err("other data than REST".to_owned()) }
}

/// Returns a refusal without its hint: REST names paths there, and tools name tools.
fn without_hint(message: &str) -> &str {
    let ends = ["; find it", ": call ", ": give it"].iter().filter_map(|hint| message.find(hint));
    &message[..ends.min().unwrap_or(message.len())]
}

/// Converts a value to JSON of its type if that loses nothing.
fn value(operation: &Operation, name: &str, text: &str) -> Json {
    let typed = match operation.param(name).map(|param| param.ty) {
        Some(ParamType::Int | ParamType::Number) => serde_json::from_str::<Json>(text).ok(),
        _ => None,
    };
    // `2.0` is an integer in JSON, but not in a query string.
    typed
        .filter(|json| json.is_number() && format!("{json}") == text && !text.ends_with(".0"))
        .unwrap_or_else(|| text.into())
}

/// Returns the data with the omitted rows added, up to the number that REST returns.
fn whole(tool: &str, arguments: &Map<String, Json>, first: &Json, rest: &Json) -> Json {
    let mut data = first["data"].clone();
    if first.get("next").is_none() {
        return data;
    }
    let mut next = first["next"].clone();
    while let Some(offset) =
        offset_of(&next).filter(|_| rows(&mut data).len() < rows(&mut rest.clone()).len())
    {
        let mut arguments = arguments.clone();
        arguments.insert("offset".to_owned(), offset.into());
        let mut part = call(tool, &arguments.into())["structuredContent"].take();
        let more = std::mem::take(rows(&mut part["data"]));
        assert!(!more.is_empty(), "{tool} stands still");
        rows(&mut data).extend(more);
        next = part["next"].take();
    }
    // The last part may contain more rows than REST's answer.
    let most = rows(&mut rest.clone()).len();
    rows(&mut data).truncate(most);
    data
}

/// Returns the offset of the next part, if the answer has one.
fn offset_of(next: &Json) -> Option<u64> {
    let (_, behind) = next.as_str()?.split_once("with `offset` ")?;
    behind.split('.').next()?.parse().ok()
}

fn rows(data: &mut Json) -> &mut Vec<Json> {
    let place = ["rows", "stocks"].into_iter().find(|name| data.get(name).is_some());
    let rows = match place {
        Some(name) => &mut data[name],
        None => data,
    };
    rows.as_array_mut().unwrap()
}

/// Returns true if two documents are equal, except for fields that depend on the clock.
fn same(a: &Json, b: &Json) -> bool {
    let without = |json: &Json| {
        let mut json = json.clone();
        json.as_object_mut().map(|fields| fields.remove("is_stale"));
        json
    };
    without(a) == without(b)
}
