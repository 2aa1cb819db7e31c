//! The OpenAPI document against the answers and the declarations.

use parquote::operation::Market;
use serde_json::{Value as Json, json};

use crate::catalogue_rules::calls;
use crate::documented::{DOCUMENT, JUDGE};
use crate::server::SERVER;

fn schema<'a>(document: &'a Json, name: &str, status: &str) -> &'a Json {
    let response = &document["paths"][format!("/{name}")]["get"]["responses"][status];
    let response = match response["$ref"].as_str() {
        Some(pointer) => document.pointer(pointer.trim_start_matches('#')).unwrap(),
        None => response,
    };
    &response["content"]["application/json"]["schema"]
}

#[test]
fn every_named_schema_is_one_by_the_standard() {
    let schemas = DOCUMENT["components"]["schemas"].as_object().unwrap();
    assert!(schemas.len() > 100, "{}", schemas.len());
    for (name, schema) in schemas {
        jsonschema::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn the_health_payload_and_refusals_are_valid_under_theirs() {
    let status = SERVER.get("status").json();
    JUDGE.validate(&status, schema(&DOCUMENT, "status", "200"), "status").unwrap();
    for (path, code) in [("companies?limit=0", "400"), ("company/profile?symbol=::::", "404")] {
        let name = path.split('?').next().unwrap();
        JUDGE.validate(&SERVER.get(path).json(), schema(&DOCUMENT, name, code), path).unwrap();
    }
}

#[test]
fn every_declared_parameter_is_documented_as_declared() {
    for operation in calls() {
        let parameters =
            DOCUMENT["paths"][format!("/{}", operation.name)]["get"]["parameters"].as_array().unwrap();
        let (own, shared) = parameters.split_at(operation.params.len());
        let shared: Vec<&str> = shared.iter().map(|parameter| parameter["$ref"].as_str().unwrap()).collect();
        let id = operation.tool.clone().unwrap_or_else(|| operation.name.replace(['/', '-'], "_"));
        let fields = format!("fields_{id}");
        let is_drawn = operation.has_picture();
        let format = if is_drawn { "format_with_pictures" } else { "format" };
        let of_pictures = ["theme", "size"].into_iter().filter(|_| is_drawn);
        let offset = operation.has_rows().then_some("offset");
        let names = [format, fields.as_str()].into_iter().chain(offset).chain(["snapshot"]);
        let names = names.chain(of_pictures).chain(["IfNoneMatch", "XSnapshot"]);
        let expected: Vec<String> = names.map(|name| format!("#/components/parameters/{name}")).collect();
        assert_eq!(shared, expected, "{}", operation.name);
        for (param, documented) in operation.params.iter().zip(own) {
            let at = format!("{}: {}", operation.name, param.name);
            assert_eq!(documented["name"], json!(param.name), "{at}");
            assert_eq!(documented["in"], "query", "{at}");
            assert_eq!(documented["required"], json!(param.is_required()), "{at}");
            assert!(documented["description"].as_str().unwrap().starts_with(&param.words), "{at}");
            if let Some(words) = param.allowed_words() {
                assert_eq!(documented["schema"]["enum"], json!(words), "{at}");
            }
            let may_be_empty = !param.is_required() && !param.not_empty;
            assert_eq!(documented["allowEmptyValue"] == true, may_be_empty, "{at}");
            if let Some(example) = documented.get("example") {
                JUDGE.validate(example, &documented["schema"], &at).unwrap();
            }
        }
    }
}

/// The document describes the snapshot: it lists the values that exist.
#[test]
fn values_are_those_of_the_snapshot() {
    let schemas = &DOCUMENT["components"]["schemas"];
    for (market, name) in [(Market::India, "SectorIndia"), (Market::Us, "SectorUs")] {
        let known = SERVER.service().snapshot().values(market, "sectors");
        assert!(known.len() > 5);
        assert_eq!(schemas[name]["enum"], json!(known));
        let free = SERVER.service().snapshot().values(market, "free_symbols");
        let name = name.replace("Sector", "FreeSymbol");
        assert_eq!((free.len(), &schemas[&name]["enum"]), (25, &json!(free)));
    }
    for name in ["IndustryIndia", "IndexNameIndia", "QuarterIndia", "RatioCodeUs"] {
        assert!(schemas[name]["enum"].as_array().unwrap().len() > 5, "{name}");
    }
    let (first, last) = (&schemas["SessionDateIndia"]["x-first"], &schemas["SessionDateIndia"]["x-last"]);
    for (date, is_allowed) in [(first.clone(), true), (last.clone(), true), (json!("2031-01-01"), false)] {
        assert_eq!(JUDGE.validate(&date, &schemas["SessionDateIndia"], "date").is_ok(), is_allowed, "{date}");
    }
    let providers = &DOCUMENT["paths"]["/account/byo-key/test"]["get"]["parameters"][0]["schema"]["enum"];
    assert_eq!(providers.as_array().unwrap().len(), 6);
}

#[test]
fn the_version_is_that_of_the_contract_and_the_build_stands_beside_it() {
    let info = &DOCUMENT["info"];
    assert_eq!((&info["version"], &info["x-build"]), (&json!("1.0.0"), &json!(env!("CARGO_PKG_VERSION"))));
    let health = SERVER.get("status");
    assert_eq!(json!(health.headers["x-build"].to_str().unwrap()), info["x-build"]);
    assert_eq!(health.json()["version"], info["version"]);
    // The crate that writes the document defines the description a second time.
    let program = env!("CARGO_PKG_DESCRIPTION");
    assert!(info["description"].as_str().unwrap().starts_with(program), "{info}");
    assert_eq!(parquote::surface::wording::PROGRAM, program);
}
