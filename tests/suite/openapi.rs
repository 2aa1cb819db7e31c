//! What the OpenAPI document promises, held against what is answered and what is declared.

use std::sync::LazyLock;

use parquote::operation::Answer;
use serde_json::{Value as Json, json};

use crate::catalogue_rules::{ask, calls, pairs, required};
use crate::schema::validate;
use crate::server::SERVER;

static DOCUMENT: LazyLock<Json> = LazyLock::new(|| SERVER.get("openapi.json").json());

fn schema<'a>(document: &'a Json, name: &str, status: &str) -> &'a Json {
    let response = &document["paths"][format!("/{name}")]["get"]["responses"][status];
    let response = match response["$ref"].as_str() {
        Some(pointer) => document.pointer(pointer.trim_start_matches('#')).unwrap(),
        None => response,
    };
    &response["content"]["application/json"]["schema"]
}

#[test]
fn every_answer_is_valid_under_its_schema() {
    valid(|answer| answer != Answer::Stocks);
}

#[test]
fn every_answer_with_fields_around_its_rows_is_valid_under_its_schema() {
    valid(|answer| answer == Answer::Stocks);
}

fn valid(keep: impl Fn(Answer) -> bool) {
    let mut problems = Vec::new();
    for (_, operation) in calls().filter(|(_, operation)| operation.statements.iter().any(|s| keep(s.answer)))
    {
        let schema = schema(&DOCUMENT, &operation.name, "200");
        let mut all = vec![pairs(operation, false), pairs(operation, true)];
        for param in operation.params.iter().filter(|param| param.example.is_some() && !param.required()) {
            let example = (param.name.clone(), param.example.clone().unwrap());
            all.push(required(operation).into_iter().chain([example]).collect());
        }
        for pairs in all {
            let reply = ask(operation, &pairs);
            if reply.status != 200 {
                problems.push(format!("{}?{pairs:?}: {}", operation.name, reply.status));
            } else if let Err(problem) = validate(&reply.json(), schema, &DOCUMENT, "body") {
                problems.push(format!("{}?{pairs:?}: {problem}", operation.name));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_health_payload_and_refusals_are_valid_under_theirs() {
    let status = SERVER.get("status").json();
    validate(&status, schema(&DOCUMENT, "status", "200"), &DOCUMENT, "status").unwrap();
    for (path, code) in [("companies?limit=0", "400"), ("company/profile?symbol=::::", "404")] {
        let name = path.split('?').next().unwrap();
        validate(&SERVER.get(path).json(), schema(&DOCUMENT, name, code), &DOCUMENT, path).unwrap();
    }
}

#[test]
fn every_declared_parameter_is_documented_as_declared() {
    for (_, operation) in calls() {
        let parameters =
            DOCUMENT["paths"][format!("/{}", operation.name)]["get"]["parameters"].as_array().unwrap();
        let (own, shared) = parameters.split_at(operation.params.len());
        let shared: Vec<&str> = shared.iter().map(|parameter| parameter["$ref"].as_str().unwrap()).collect();
        let expected = ["format", "fields", "snapshot"].map(|name| format!("#/components/parameters/{name}"));
        assert_eq!(shared, expected, "{}", operation.name);
        for (param, documented) in operation.params.iter().zip(own) {
            let at = format!("{}: {}", operation.name, param.name);
            assert_eq!(documented["name"], json!(param.name), "{at}");
            assert_eq!(documented["in"], "query", "{at}");
            assert_eq!(documented["required"], json!(param.required()), "{at}");
            assert!(documented["description"].as_str().unwrap().starts_with(&param.words), "{at}");
            if let Some(words) = param.words_allowed() {
                assert_eq!(documented["schema"]["enum"], json!(words), "{at}");
            }
            if let Some(example) = documented.get("example") {
                validate(example, &documented["schema"], &DOCUMENT, &at).unwrap();
            }
        }
    }
}

#[test]
fn every_header_that_is_promised_comes() {
    for (_, operation) in calls() {
        let reply = ask(operation, &required(operation));
        let promised =
            DOCUMENT["paths"][format!("/{}", operation.name)]["get"]["responses"]["200"]["headers"].clone();
        for name in promised.as_object().unwrap().keys() {
            assert!(!reply.header(name).is_empty(), "{}: {name}", operation.name);
        }
    }
}
