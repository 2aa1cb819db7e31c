//! The statuses and headers of replies.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use parquote_catalogue::operation::{Access, Answer, Operation, Param, Tier, read_toml};

/// The headers and refusals of `replies.toml`; none if they cannot be read, which a test excludes.
static REPLIES: LazyLock<Replies> =
    LazyLock::new(|| read_toml(include_str!("replies.toml")).unwrap_or_default());

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Replies {
    headers: Vec<ReplyHeader>,
    refusals: Vec<DocumentedRefusal>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyHeader {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    on: HeaderPlace,
    #[serde(default)]
    optional: bool,
    words: String,
}

/// The replies that have a header; the file describes each of them.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HeaderPlace {
    All,
    Keyed,
    Public,
    Symbols,
    Sector,
    Tables,
    Covered,
    Read,
    Bare,
    Picture,
    List,
    Refusal,
}

impl HeaderPlace {
    /// Returns true if answers of an operation have the header.
    fn is_on_answers(self, operation: &Operation) -> bool {
        let has_param = |is: &dyn Fn(&Param) -> bool| operation.params.iter().any(is);
        match self {
            Self::All => true,
            Self::Keyed => operation.access != Access::Public,
            Self::Public => operation.access == Access::Public,
            Self::Symbols => has_param(&|param| param.is_symbol() || param.is_symbols()),
            Self::Sector => has_param(&|param| param.name == "sector"),
            Self::Tables => !operation.selects.is_empty(),
            Self::Covered => operation.coverage.is_some(),
            Self::Read => operation.answers_from_select(),
            Self::Bare => operation.is_formatted() || operation.has_workbook,
            Self::Picture => operation.has_picture(),
            Self::List => operation.has_rows(),
            Self::Refusal => false,
        }
    }

    /// Returns true if the header depends on the form of the answer, so that a 304 lacks it.
    const fn is_of_body(self) -> bool {
        matches!(self, Self::Bare | Self::Picture | Self::List)
    }
}

/// A refusal: status, name of the response, its specific header if it has one, and description.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentedRefusal {
    status: String,
    name: String,
    header: Option<String>,
    words: String,
}

/// Returns the replies of an operation by status. `content` is the body of its success.
pub(super) fn responses(operation: &Operation, content: &Json) -> Json {
    let mut responses = Map::new();
    let headers = || REPLIES.headers.iter().filter(move |header| header.on.is_on_answers(operation));
    let lasting: Map<String, Json> =
        headers().filter(|header| !header.on.is_of_body()).map(reference).collect();
    let all_headers: Map<String, Json> = headers().map(reference).collect();
    let keyed = operation.access != Access::Public;
    let words = if keyed { "The answer." } else { "The service is up." };
    responses.insert("200".into(), json!({"description": words, "headers": all_headers, "content": content}));
    if operation.answers_from_select() {
        let words = "The answer that If-None-Match names is still current; there is no body.";
        responses.insert("304".into(), json!({"description": words, "headers": lasting}));
    }
    for refusal in REPLIES.refusals.iter().filter(|refusal| may_have_status(operation, &refusal.status)) {
        let reference = json!({"$ref": format!("#/components/responses/{}", refusal.name)});
        responses.insert(refusal.status.clone(), reference);
    }
    Json::Object(responses)
}

/// Returns true if an operation may be refused with this status.
fn may_have_status(operation: &Operation, status: &str) -> bool {
    let Access::From(tier) = operation.access else {
        return matches!(status, "405" | "406" | "413" | "414" | "431" | "500" | "503");
    };
    match status {
        "403" => tier != Tier::Free || operation.free_symbols,
        "404" => {
            let names = |param: &Param| {
                param.is_symbol()
                    || param.is_symbols()
                    || param.takes_watchlists
                    || param.lookup.as_ref().is_some_and(|of| of.names_item)
            };
            operation.run.is_some()
                || operation.params.iter().any(names)
                || operation.selects.iter().any(|select| select.answer == Answer::One)
        }
        _ => true,
    }
}

pub(super) fn refusals() -> Map<String, Json> {
    let response = |refusal: &DocumentedRefusal| {
        let has_header = |header: &&ReplyHeader| {
            header.on == HeaderPlace::All || refusal.header.as_ref() == Some(&header.name)
        };
        let headers: Map<String, Json> = REPLIES.headers.iter().filter(has_header).map(reference).collect();
        json!({
            "description": refusal.words,
            "headers": headers,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        })
    };
    REPLIES.refusals.iter().map(|refusal| (refusal.name.clone(), response(refusal))).collect()
}

pub(super) fn headers() -> Map<String, Json> {
    let described = |header: &ReplyHeader| {
        let schema = json!({"type": header.ty});
        let described = json!({"description": header.words, "required": !header.optional, "schema": schema});
        (header.name.clone(), described)
    };
    REPLIES.headers.iter().map(described).collect()
}

fn reference(header: &ReplyHeader) -> (String, Json) {
    (header.name.clone(), json!({"$ref": format!("#/components/headers/{}", header.name)}))
}
