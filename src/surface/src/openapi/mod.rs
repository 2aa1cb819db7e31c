//! The OpenAPI 3.1 document of the REST surface, generated from the catalogue and from facts of a snapshot: planned columns, allowed
//! values, sessions. It repeats nothing that is declared elsewhere; it adds the envelope, the errors and the authentication schemes. A call
//! that it allows is not refused for one of its parameters alone, and an answer contains nothing that it does not describe.

mod answers;
mod components;
mod dates;
mod facts;
mod parameters;
mod replies;

use serde_json::{Map, Value as Json, json};

use self::answers::Answers;
use self::components::Components;
pub use self::facts::DocumentFacts;
use self::parameters::Parameters;
use super::groups::groups;
use super::{example_request, json_schema};
use parquote_call::CONTRACT_VERSION;
use parquote_catalogue::operation::{Access, Catalogue, Operation, Tier};
use parquote_engine::Snapshot;

/// Returns the document as JSON text.
pub fn bytes(catalogue: &Catalogue, snapshot: &Snapshot) -> Vec<u8> {
    document(catalogue, snapshot).to_string().into_bytes()
}

/// Builds the document.
pub fn document(catalogue: &Catalogue, facts: &dyn DocumentFacts) -> Json {
    let mut paths = Map::new();
    let mut tags = Vec::new();
    let mut all = Components::default();
    let parameters = Parameters { catalogue, facts };
    for group in groups(catalogue) {
        let with_route: Vec<_> = group.operations.iter().filter(|operation| operation.has_route).collect();
        if !with_route.is_empty() {
            tags.push(json!({"name": group.name}));
        }
        for operation in with_route {
            let shown = facts.with_examples(operation);
            let entry = json!({"get": operation_entry(&shown, &parameters, &mut all)});
            paths.insert(format!("/{}", operation.name), entry);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Parquote",
            "version": CONTRACT_VERSION,
            "x-build": env!("CARGO_PKG_VERSION"),
            "description": crate::wording::PROGRAM,
            "license": {"name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE")},
        },
        "servers": [{"url": "/v1"}],
        "security": [{"ApiKeyHeader": []}, {"Bearer": []}, {"ApiKeyQuery": []}],
        "tags": tags,
        "paths": paths,
        "components": components(all),
    })
}

fn operation_entry(operation: &Operation, parameters: &Parameters<'_>, all: &mut Components) -> Json {
    let mut entry = Map::new();
    let id = operation.tool.clone().unwrap_or_else(|| operation.name.replace(['/', '-'], "_"));
    entry.insert("operationId".into(), id.as_str().into());
    entry.insert("tags".into(), json!([operation.group]));
    entry.insert("summary".into(), operation.title.as_str().into());
    if !operation.prose.is_empty() {
        entry.insert("description".into(), operation.prose.as_str().into());
    }
    if operation.deprecated.is_some() {
        entry.insert("deprecated".into(), true.into());
    }
    let content = match operation.access {
        Access::Public => {
            entry.insert("x-tier".into(), "none".into());
            entry.insert("security".into(), json!([]));
            entry.insert("parameters".into(), json!([]));
            health_path()
        }
        Access::From(tier) => {
            entry.insert("x-tier".into(), tier.word().into());
            entry.insert("parameters".into(), parameters.for_operation(operation, &id, all));
            Answers::for_operation(operation, &id, parameters.facts.columns(operation), all).content()
        }
    };
    entry.insert("responses".into(), replies::responses(operation, &content));
    let constraints = constraints(operation);
    if !constraints.is_empty() {
        entry.insert("x-constraints".into(), constraints.into());
    }
    let query = example_request::query(operation);
    if !query.is_empty() {
        entry.insert("x-example-query".into(), query.into());
    }
    Json::Object(entry)
}

/// Returns the constraints that no parameter schema can express: a call that violates one is refused with 400.
fn constraints(operation: &Operation) -> Vec<String> {
    let mut all = operation.constraints.clone();
    if operation.answers_from_select() && operation.selects.len() > 1 {
        all.push("`fields` names fields of the one form that answers.".to_owned());
    }
    if operation.has_picture() {
        all.push(
            "`theme` and `size` go with format=svg and format=png, `fields` with the other forms.".to_owned(),
        );
    }
    if operation.has_picture() && operation.selects.iter().any(|select| select.picture.is_none()) {
        all.push("Not every form of it has a picture.".to_owned());
    }
    all
}

fn health_path() -> Json {
    let names = ["status", "version", "service", "docs"];
    let properties: Map<String, Json> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let schema = json!({"type": "object", "properties": properties, "required": names});
    json!({"application/json": {"schema": schema}})
}

fn components(all: Components) -> Json {
    let mut schemas = Map::from_iter([
        ("Meta".to_owned(), meta_schema()),
        ("Error".to_owned(), error_schema()),
        ("Columns".to_owned(), json_schema::columns_schema()),
    ]);
    schemas.extend(all.schemas);
    json!({
        "schemas": schemas,
        "parameters": all.parameters,
        "headers": replies::headers(),
        "responses": replies::refusals(),
        "securitySchemes": {
            "ApiKeyHeader": {
                "type": "apiKey", "in": "header", "name": "X-Api-Key", "description": "The usual way to bring a key.",
            },
            "Bearer": {"type": "http", "scheme": "bearer", "description": "The key as a bearer token."},
            "ApiKeyQuery": {
                "type": "apiKey", "in": "query", "name": "apiKey",
                "description": "For clients that can set no header; it is never logged.",
            },
        },
    })
}

fn meta_schema() -> Json {
    let tiers: Vec<&str> = Tier::ALL.iter().map(|tier| tier.word()).collect();
    json!({
        "type": "object",
        "properties": {
            "tier": {"type": "string", "enum": tiers, "description": "The tier of the calling key."},
            "requests_remaining_today": {"type": "integer", "description": "What is left of the day's allowance."},
            "requests_remaining_hour": {"type": "integer", "description": "What is left of the hour's allowance."},
            "timestamp": {"type": "integer", "description": "When the reply was made, in Unix seconds."},
        },
        "required": ["tier", "requests_remaining_today", "requests_remaining_hour", "timestamp"],
    })
}

fn error_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "error": {"const": true},
            "status": {"type": "integer", "description": "The HTTP status."},
            "message": {"type": "string", "description": "What is wrong, what is allowed, what to try."},
        },
        "required": ["error", "status", "message"],
    })
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;
    use crate::fixture;
    use parquote_catalogue::operation::{ColumnType, Market, Unit};
    use parquote_engine::ResultColumn;

    /// Two statements of one column, two symbols for free keys, and no sessions.
    struct Few(Vec<Vec<ResultColumn>>);

    impl DocumentFacts for Few {
        fn columns(&self, _: &Operation) -> &[Vec<ResultColumn>] {
            &self.0
        }

        fn values(&self, _: Market, _: &str) -> Vec<String> {
            vec!["A".to_owned(), "M&M".to_owned()]
        }

        fn sessions(&self, _: Market) -> Option<(NaiveDate, NaiveDate)> {
            None
        }
    }

    fn columns() -> Vec<Vec<ResultColumn>> {
        let name = "rs_delta".to_owned();
        let words = "Change of the rating.".to_owned();
        let column = ResultColumn {
            name,
            ty: ColumnType::Int,
            nullable: true,
            unit: Unit::Points,
            words,
            fields: Vec::new(),
        };
        vec![vec![column.clone()], vec![column]]
    }

    fn document_of_fixture() -> Json {
        document(&fixture::catalogue(), &Few(columns()))
    }

    /// Visits every field of the document, with its name.
    fn walk<'a>(json: &'a Json, visit: &mut dyn FnMut(&'a str, &'a Json)) {
        match json {
            Json::Object(fields) => fields.iter().for_each(|(key, value)| {
                visit(key, value);
                walk(value, visit);
            }),
            Json::Array(items) => items.iter().for_each(|item| walk(item, visit)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_resolves() {
        let document = document_of_fixture();
        let mut seen = 0;
        walk(&document, &mut |key, value| {
            if key == "$ref" {
                let pointer = value.as_str().unwrap().strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{pointer}");
                seen += 1;
            }
        });
        assert!(seen > 20);
    }

    #[test]
    fn every_operation_with_a_route_is_there_with_its_responses() {
        let document = document_of_fixture();
        let paths = document["paths"].as_object().unwrap();
        let names: Vec<&str> = paths.keys().map(String::as_str).collect();
        assert_eq!(names, ["/company/profile", "/status", "/market/rs-changes"]);
        for (path, item) in paths {
            let get = &item["get"];
            assert!(get["responses"]["200"]["description"].is_string(), "{path}");
            assert!(
                get["operationId"].is_string() && get["x-tier"].is_string() && get["tags"][0].is_string()
            );
            if get["x-tier"] != "none" {
                for status in ["304", "400", "401", "403", "404", "405", "410", "429", "503"] {
                    assert!(get["responses"][status].is_object(), "{path} {status}");
                }
            }
        }
    }

    #[test]
    fn answers_take_their_shape_from_the_statement() {
        let document = document_of_fixture();
        let schemas = &document["components"]["schemas"];
        let data = |path: &str| {
            let content = &document["paths"][path]["get"]["responses"]["200"]["content"];
            content["application/json"]["schema"]["properties"]["data"]["anyOf"].as_array().unwrap().clone()
        };
        let reference = |name: &str| json!(format!("#/components/schemas/{name}"));
        let profile: Vec<Json> = data("/company/profile").iter().map(|form| form["$ref"].clone()).collect();
        let of_profile = ["GetCompanyProfileRow", "GetCompanyProfilePart", "Columns"].map(reference);
        assert_eq!(profile, of_profile);
        let forms = data("/market/rs-changes");
        assert_eq!(forms.len(), 5, "{forms:?}");
        assert_eq!(forms[0]["items"]["$ref"], reference("GetRsChangesWithSymbolRow"));
        assert_eq!(forms[0]["description"], "When symbol present.");
        assert_eq!(forms[3]["$ref"], reference("GetRsChangesWithoutSymbol"));
        assert_eq!(schemas["GetRsChangesWithSymbolRow"]["required"], json!(["rs_delta"]));
        let part = &schemas["GetRsChangesWithSymbolPart"];
        assert_eq!(part["properties"]["rs_delta"]["type"], json!(["integer", "null"]));
        assert!(part["required"].is_null());
        let stocks = &schemas["GetRsChangesWithoutSymbol"];
        assert_eq!(stocks["required"], json!(["stocks", "count", "total", "sorted_by", "scan_type"]));
        assert_eq!(stocks["properties"]["scan_type"]["enum"], json!(["gainers", "losers", "all"]));
        let columns = &schemas["GetRsChangesWithoutSymbolColumns"];
        assert_eq!(
            columns["required"],
            json!(["columns", "rows", "count", "total", "sorted_by", "scan_type"])
        );
    }

    #[test]
    fn parameters_say_what_is_allowed_and_what_the_snapshot_knows() {
        let document = document_of_fixture();
        let get = &document["paths"]["/market/rs-changes"]["get"];
        let param = |name: &str| {
            let all = get["parameters"].as_array().unwrap();
            all.iter().find(|param| param["name"] == name).unwrap().clone()
        };
        assert_eq!(param("symbol")["schema"]["pattern"], "^[A-Za-z0-9&._-]{1,20}$");
        assert_eq!(
            (&param("symbol")["required"], &param("symbol")["allowEmptyValue"]),
            (&json!(false), &json!(true))
        );
        let fields = &document["components"]["parameters"]["fields_get_rs_changes"]["schema"];
        assert_eq!(fields["items"]["enum"], json!(["rs_delta"]));
        assert_eq!(get["x-constraints"], json!(["`fields` names fields of the one form that answers."]));
        let profile = &document["paths"]["/company/profile"]["get"]["parameters"][0];
        assert_eq!(profile["schema"]["x-free-key"]["$ref"], "#/components/schemas/FreeSymbolIndia");
        assert!(profile["allowEmptyValue"].is_null());
    }

    #[test]
    fn the_example_is_percent_encoded() {
        let document = document_of_fixture();
        assert_eq!(document["paths"]["/company/profile"]["get"]["x-example-query"], "symbol=M%26M");
    }
}
