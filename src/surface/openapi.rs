//! The OpenAPI 3.1 document of the REST surface, made from the catalogue and the columns of a snapshot's plans.
//! It repeats nothing that is declared elsewhere; what it adds is the envelope, the errors and the ways to bring a key.

use serde_json::{Map, Value as Json, json};

use super::groups::groups;
use super::{example_request, json_schema};
use crate::engine::{ResultColumn, Snapshot};
use crate::operation::{Access, Catalogue, Form, Offer, Operation, Param, ParamType};

/// Refusals that any keyed operation may answer with: status, name of the response, what it says.
const REFUSALS: [(&str, &str, &str); 8] = [
    ("400", "BadRequest", "A parameter is missing, unknown, repeated or out of range; the message names it."),
    ("401", "Unauthorized", "The key is missing, wrong or revoked."),
    ("403", "Forbidden", "The tier has no access; the message names the tier needed."),
    ("404", "NotFound", "The symbol or resource does not exist; the message names the nearest."),
    ("405", "MethodNotAllowed", "Every operation is read with GET or HEAD."),
    ("410", "Gone", "The set that `snapshot` or `X-Snapshot` names is not kept any more."),
    (
        "429",
        "TooManyRequests",
        "The hourly or daily allowance is used up; Retry-After says when it is counted anew.",
    ),
    ("503", "Unavailable", "The data cannot be read now; try again later."),
];

/// Headers of successful replies: name, type, what it says.
const HEADERS: [(&str, &str, &str); 8] = [
    ("ETag", "string", "Names the data; send it as If-None-Match to get 304 while it is the same."),
    (
        "X-Snapshot",
        "string",
        "The sets of both markets that answered; sent with a request, it asks for the same again.",
    ),
    ("X-As-Of", "string", "The market's last session in that snapshot, YYYY-MM-DD."),
    ("X-Request-Id", "string", "The id of the request, kept from the request if it had one."),
    ("X-RateLimit-Limit-Daily", "integer", "Requests a day."),
    ("X-RateLimit-Limit-Hourly", "integer", "Requests an hour."),
    ("X-RateLimit-Remaining-Daily", "integer", "Requests left today."),
    ("X-RateLimit-Remaining-Hourly", "integer", "Requests left this hour."),
];

/// The document, encoded.
pub fn bytes(catalogue: &Catalogue, snapshot: &Snapshot) -> Vec<u8> {
    document(catalogue, |index| snapshot.columns(index)).to_string().into_bytes()
}

/// The document; `columns` gives those of each statement of the operation at a place in the catalogue.
pub fn document<'a>(catalogue: &Catalogue, columns: impl Fn(usize) -> &'a [Vec<ResultColumn>]) -> Json {
    let mut paths = Map::new();
    let mut tags = Vec::new();
    for group in groups(catalogue) {
        let with_route: Vec<_> =
            group.operations.iter().filter(|(_, operation)| operation.has_route).collect();
        if !with_route.is_empty() {
            tags.push(json!({"name": group.name}));
        }
        for (index, operation) in with_route {
            let entry = json!({"get": entry(operation, columns(*index))});
            paths.insert(format!("/{}", operation.name), entry);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Parquote",
            "version": env!("CARGO_PKG_VERSION"),
            "description": env!("CARGO_PKG_DESCRIPTION"),
            "license": {"name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE")},
        },
        "servers": [{"url": "/v1"}],
        "security": [{"ApiKeyHeader": []}, {"Bearer": []}, {"ApiKeyQuery": []}],
        "tags": tags,
        "paths": paths,
        "components": components(),
    })
}

fn entry(operation: &Operation, columns: &[Vec<ResultColumn>]) -> Json {
    let mut entry = Map::new();
    let id = operation.tool.clone().unwrap_or_else(|| operation.name.replace(['/', '-'], "_"));
    entry.insert("operationId".into(), id.into());
    entry.insert("tags".into(), json!([operation.group]));
    entry.insert("summary".into(), operation.title.as_str().into());
    if !operation.prose.is_empty() {
        entry.insert("description".into(), operation.prose.as_str().into());
    }
    if operation.deprecated.is_some() {
        entry.insert("deprecated".into(), true.into());
    }
    entry.insert("parameters".into(), parameters(operation));
    match operation.access {
        Access::Public => {
            entry.insert("x-tier".into(), "none".into());
            entry.insert("security".into(), json!([]));
            entry.insert("responses".into(), json!({"200": health(), "405": refusal("MethodNotAllowed")}));
        }
        Access::From(tier) => {
            entry.insert("x-tier".into(), tier.word().into());
            let bare = operation.is_read().then(bare_contents).unwrap_or_default();
            entry.insert("responses".into(), responses(&json_schema::of_answer(operation, columns), bare));
        }
    }
    let query = example_request::query(operation);
    if !query.is_empty() {
        entry.insert("x-example-query".into(), query.into());
    }
    Json::Object(entry)
}

/// Its own parameters, then those that every operation takes that reads.
fn parameters(operation: &Operation) -> Json {
    let shared = operation.presentation_params(Offer::any(Form::Json));
    let reference = |param: &Param| json!({"$ref": format!("#/components/parameters/{}", param.name)});
    operation.params.iter().map(parameter).chain(shared.iter().map(reference)).collect()
}

/// The forms that come without an envelope. The schema under `application/json` is that of the usual presentation.
fn bare_contents() -> Map<String, Json> {
    let content = |form: Form| {
        let media_type = form.media_type().split(';').next().unwrap_or_default().to_owned();
        let schema = match form {
            Form::Arrow => json!({"type": "string", "format": "binary"}),
            _ => json!({"type": "string"}),
        };
        (media_type, json!({"schema": schema}))
    };
    Form::ALL.into_iter().filter(|form| !form.is_enveloped()).map(content).collect()
}

fn parameter(param: &Param) -> Json {
    let mut parameter = Map::new();
    parameter.insert("name".into(), param.name.as_str().into());
    parameter.insert("in".into(), "query".into());
    parameter.insert("required".into(), param.required().into());
    parameter.insert("description".into(), param.full_words().into());
    if param.ty == ParamType::List {
        parameter.insert("style".into(), "form".into());
        parameter.insert("explode".into(), false.into());
    }
    parameter.insert("schema".into(), param.schema());
    if let Some(example) = json_schema::param_example(param) {
        parameter.insert("example".into(), example);
    }
    Json::Object(parameter)
}

fn responses(data: &Json, bare: Map<String, Json>) -> Json {
    let headers: Map<String, Json> = HEADERS
        .iter()
        .map(|(name, _, _)| ((*name).to_owned(), json!({"$ref": format!("#/components/headers/{name}")})))
        .collect();
    let envelope = json!({
        "type": "object",
        "properties": {"data": data, "meta": {"$ref": "#/components/schemas/Meta"}},
        "required": ["data", "meta"],
    });
    let mut content = Map::from_iter([("application/json".to_owned(), json!({"schema": envelope}))]);
    content.extend(bare);
    let mut responses = Map::new();
    let ok = json!({"description": "The answer.", "headers": headers, "content": content});
    responses.insert("200".into(), ok);
    responses.insert("304".into(), refusal("NotModified"));
    for (status, name, _) in REFUSALS {
        responses.insert(status.into(), refusal(name));
    }
    Json::Object(responses)
}

fn refusal(name: &str) -> Json {
    json!({"$ref": format!("#/components/responses/{name}")})
}

fn health() -> Json {
    let names = ["status", "version", "service", "docs"];
    let properties: Map<String, Json> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let schema = json!({"type": "object", "properties": properties, "required": names});
    json!({"description": "The service is up.", "content": {"application/json": {"schema": schema}}})
}

fn components() -> Json {
    let mut responses = Map::new();
    responses
        .insert("NotModified".into(), json!({"description": "What If-None-Match names is still right."}));
    for (status, name, words) in REFUSALS {
        let mut response = json!({
            "description": words,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        });
        if let Some(response) = response.as_object_mut() {
            response.insert("headers".into(), Json::Object(refusal_headers(status)));
        }
        responses.insert(name.into(), response);
    }
    let retry = ("Retry-After", "integer", "Seconds to wait before trying again.");
    let headers: Map<String, Json> = HEADERS
        .iter()
        .chain([&retry])
        .map(|(name, ty, words)| ((*name).to_owned(), json!({"description": words, "schema": {"type": ty}})))
        .collect();
    json!({
        "schemas": {"Meta": meta(), "Error": error(), "Columns": json_schema::of_columns()},
        "parameters": shared_parameters(),
        "headers": headers,
        "responses": responses,
        "securitySchemes": {
            "ApiKeyHeader": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
            "Bearer": {"type": "http", "scheme": "bearer"},
            "ApiKeyQuery": {"type": "apiKey", "in": "query", "name": "apiKey"},
        },
    })
}

fn shared_parameters() -> Map<String, Json> {
    let mut parameters: Map<String, Json> =
        Offer::any(Form::Json).params().iter().map(|param| (param.name.clone(), parameter(param))).collect();
    let more = " Without it, `Accept` chooses. The data of `columns` is a `Columns` of the schemas; of the forms without \
                an envelope, `X-Tier` says the tier and `X-Answer` what is around the rows, as JSON.";
    if let Some(Json::String(words)) = parameters.get_mut("format").and_then(|it| it.get_mut("description")) {
        words.push_str(more);
    }
    parameters
}

/// The headers of a refusal: the allowance of whoever is known, and when to try again where that is known.
fn refusal_headers(status: &str) -> Map<String, Json> {
    let known = HEADERS.iter().map(|(name, _, _)| *name).filter(|name| match *name {
        "X-Request-Id" => true,
        name => name.starts_with("X-RateLimit-") && status != "401",
    });
    let retry = matches!(status, "429" | "503").then_some("Retry-After");
    let reference = |name: &str| (name.to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
    known.chain(retry).map(reference).collect()
}

fn meta() -> Json {
    let tiers: Vec<&str> = crate::operation::Tier::ALL.iter().map(|tier| tier.word()).collect();
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

fn error() -> Json {
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
    use super::*;
    use crate::operation::{ColumnType, Unit};
    use crate::surface::http::fixture;

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

    fn made() -> Json {
        let columns = columns();
        document(&fixture::catalogue(), |_| &columns)
    }

    /// Every place in the document, by its JSON pointer.
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
        let document = made();
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
        let document = made();
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
        let document = made();
        let data = |path: &str| {
            document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]["properties"]
                ["data"]
                .clone()
        };
        assert_eq!(data("/company/profile")["type"], "object");
        let forms = data("/market/rs-changes")["anyOf"].as_array().unwrap().clone();
        assert_eq!(forms.len(), 2);
        assert_eq!(forms[0]["items"]["properties"]["rs_delta"]["type"], json!(["integer", "null"]));
        assert_eq!(forms[1]["required"], json!(["stocks", "count", "sorted_by", "scan_type"]));
        assert_eq!(forms[1]["properties"]["scan_type"]["enum"], json!(["gainers", "losers", "all"]));
    }

    #[test]
    fn the_example_is_percent_encoded() {
        let document = made();
        assert_eq!(document["paths"]["/company/profile"]["get"]["x-example-query"], "symbol=M%26M");
    }
}
