//! The statuses and headers of replies.

use serde_json::{Map, Value as Json, json};

use parquote_catalogue::operation::{Access, Answer, Operation, Param, Tier};

/// A header of replies.
struct ReplyHeader {
    name: &'static str,
    ty: &'static str,
    words: &'static str,
}

/// A refusal: status, name of the response, description, and its specific headers.
struct DocumentedRefusal {
    status: &'static str,
    name: &'static str,
    words: &'static str,
    headers: &'static [&'static str],
}

const fn header(name: &'static str, ty: &'static str, words: &'static str) -> ReplyHeader {
    ReplyHeader { name, ty, words }
}

/// Headers on every reply.
const ON_ALL: [ReplyHeader; 8] = [
    header("X-Request-Id", "string", "The id of the request, kept from the request if it had one."),
    header("X-RateLimit-Limit-Daily", "integer", "Requests a day; 0 where no key is known."),
    header("X-RateLimit-Limit-Hourly", "integer", "Requests an hour; 0 where no key is known."),
    header("X-RateLimit-Remaining-Daily", "integer", "Requests left today."),
    header("X-RateLimit-Remaining-Hourly", "integer", "Requests left this hour."),
    header("Cache-Control", "string", "Whether the reply may be kept, and by whom."),
    header("Vary", "string", "The headers of the request on which the reply depends."),
    header("X-Content-Type-Options", "string", "Always `nosniff`."),
];

/// Headers on every answer of an operation that needs a key.
const X_SNAPSHOT: ReplyHeader = header(
    "X-Snapshot",
    "string",
    "The sets of both markets that answered; sent with a request, it asks for the same again.",
);
const X_AS_OF: ReplyHeader =
    header("X-As-Of", "string", "The market's last session in that snapshot, YYYY-MM-DD.");
const X_SESSIONS_BEHIND: ReplyHeader = header(
    "X-Sessions-Behind",
    "integer",
    "Sessions of the exchange after that one whose data should be out by now; 0 where it is the newest.",
);
const X_SOURCE_TERMS: ReplyHeader = header(
    "X-Source-Terms",
    "string",
    "Whose data may be behind the answer: for each owner its name, the page of its terms in <>, and whether they allow passing the data on; \
     absent where the operation reads no official files, and on the invented demo market.",
);
/// On answers to former symbols.
const X_RENAMED_FROM: ReplyHeader = header(
    "X-Renamed-From",
    "string",
    "Where a symbol of the call is a former one: it and the symbol of now that answers, as `OLD=NOW`, several separated by commas.",
);
/// On answers for one sector.
const X_WITHOUT_SECTOR: ReplyHeader = header(
    "X-Without-Sector",
    "integer",
    "Where `sector` is asked for and stocks of the market have none: how many these are; no answer for a sector has them.",
);
/// On the payload that needs no key.
const X_BUILD: ReplyHeader =
    header("X-Build", "string", "The version of the program; `version` is that of the contract.");
/// On answers from tables whose rows have a date.
const X_NEWEST_ROWS: ReplyHeader = header(
    "X-Newest-Rows",
    "string",
    "How old the rows are that the operation reads: each table with a date of its own as `TABLE=DATE` of its newest row, `TABLE=none` \
     without rows, `TABLE=missing` where it is not there, several separated by commas; absent where it reads no such table.",
);
/// On answers that are stable while the data is.
const ETAG: ReplyHeader =
    header("ETag", "string", "Names the data; send it as If-None-Match to get 304 while it is the same.");
/// On answers without an envelope.
const BARE: [ReplyHeader; 2] = [
    header("X-Tier", "string", "The tier of the key, where no envelope says it."),
    header("X-Answer", "string", "What is around the rows, as JSON, where no envelope holds it."),
];
/// On answers that are a picture.
const OF_PICTURES: [ReplyHeader; 1] =
    [header("Content-Security-Policy", "string", "On an SVG: opened as a page, it loads and runs nothing.")];
/// On answers that are lists.
const OF_LISTS: [ReplyHeader; 2] = [
    header("X-Total-Count", "integer", "Rows that match in all, where they were counted."),
    header("Link", "string", "Where the next rows are, as `<?...>; rel=\"next\"`; absent behind the last."),
];
/// On some refusals.
const OF_REFUSALS: [ReplyHeader; 3] = [
    header("Retry-After", "integer", "Seconds to wait before trying again."),
    header("WWW-Authenticate", "string", "How to bring a key."),
    header("Allow", "string", "The methods that are allowed."),
];

const fn refusal(status: &'static str, name: &'static str, words: &'static str) -> DocumentedRefusal {
    DocumentedRefusal { status, name, words, headers: &[] }
}

/// All refusals.
const REFUSALS: [DocumentedRefusal; 13] = [
    refusal(
        "400",
        "BadRequest",
        "A parameter is missing, unknown, repeated or out of range; the message names it.",
    ),
    DocumentedRefusal {
        headers: &["WWW-Authenticate"],
        ..refusal("401", "Unauthorized", "The key is missing, wrong, expired or revoked.")
    },
    refusal(
        "403",
        "Forbidden",
        "The tier has no access, or sees these rows only when they are older; the message names the tier or the day.",
    ),
    refusal("404", "NotFound", "The symbol or resource does not exist; the message names the nearest."),
    DocumentedRefusal {
        headers: &["Allow"],
        ..refusal("405", "MethodNotAllowed", "Every operation is read with GET or HEAD.")
    },
    refusal("406", "NotAcceptable", "None of the encodings in Accept-Encoding can be served."),
    refusal("410", "Gone", "The set that `snapshot` or `X-Snapshot` names is not kept any more."),
    refusal("413", "ContentTooLarge", "The request has a body that is too long; none is read."),
    refusal("414", "UriTooLong", "The URL is too long."),
    DocumentedRefusal {
        headers: &["Retry-After"],
        ..refusal(
            "429",
            "TooManyRequests",
            "The hourly or daily allowance is used up; Retry-After says when the count starts again.",
        )
    },
    refusal("431", "HeadersTooLarge", "The headers are too long."),
    refusal("500", "Internal", "A fault of the server; it is logged under the request's id."),
    DocumentedRefusal {
        headers: &["Retry-After"],
        ..refusal("503", "Unavailable", "The data cannot be read now; try again later.")
    },
];

/// Returns the replies of an operation, whose success has this body.
pub(super) fn responses(operation: &Operation, content: &Json) -> Json {
    let mut responses = Map::new();
    let keyed = operation.access != Access::Public;
    let mut headers: Vec<&ReplyHeader> = ON_ALL.iter().collect();
    if keyed {
        headers.extend([&X_SNAPSHOT, &X_AS_OF, &X_SESSIONS_BEHIND, &X_SOURCE_TERMS]);
    } else {
        headers.push(&X_BUILD);
    }
    if operation.params.iter().any(|param| param.is_symbol() || param.is_symbols()) {
        headers.push(&X_RENAMED_FROM);
    }
    if operation.params.iter().any(|param| param.name == "sector") {
        headers.push(&X_WITHOUT_SECTOR);
    }
    if !operation.selects.is_empty() {
        headers.push(&X_NEWEST_ROWS);
    }
    if operation.is_read() {
        headers.push(&ETAG);
    }
    let lasting: Map<String, Json> = headers.iter().copied().map(reference).collect();
    headers.extend(BARE.iter().filter(|_| operation.is_formatted()));
    headers.extend(OF_PICTURES.iter().filter(|_| operation.has_picture()));
    headers.extend(OF_LISTS.iter().filter(|_| operation.has_rows()));
    let of_success: Map<String, Json> = headers.into_iter().map(reference).collect();
    let words = if keyed { "The answer." } else { "The service is up." };
    responses.insert("200".into(), json!({"description": words, "headers": of_success, "content": content}));
    if operation.is_read() {
        let words = "What If-None-Match names is still right; there is no body.";
        responses.insert("304".into(), json!({"description": words, "headers": lasting}));
    }
    for refusal in REFUSALS.iter().filter(|refusal| comes(operation, refusal.status)) {
        let reference = json!({"$ref": format!("#/components/responses/{}", refusal.name)});
        responses.insert(refusal.status.into(), reference);
    }
    Json::Object(responses)
}

/// Returns true if an operation may be refused with this status.
fn comes(operation: &Operation, status: &str) -> bool {
    let Access::From(tier) = operation.access else {
        return matches!(status, "405" | "406" | "413" | "414" | "431" | "500" | "503");
    };
    match status {
        "403" => tier != Tier::Free || operation.free_symbols,
        "404" => {
            let names = |param: &Param| {
                param.is_symbol()
                    || param.is_symbols()
                    || param.own_list
                    || param.lookup.as_ref().is_some_and(|of| of.names)
            };
            operation.run.is_some()
                || operation.params.iter().any(names)
                || operation.selects.iter().any(|select| select.answer == Answer::One)
        }
        _ => true,
    }
}

/// Returns the refusals, by name.
pub(super) fn refusals() -> Map<String, Json> {
    let response = |refusal: &DocumentedRefusal| {
        let named = |name: &&str| OF_REFUSALS.iter().find(|header| header.name == *name);
        let own = refusal.headers.iter().filter_map(named);
        let headers: Map<String, Json> = ON_ALL.iter().chain(own).map(reference).collect();
        json!({
            "description": refusal.words,
            "headers": headers,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        })
    };
    REFUSALS.iter().map(|refusal| (refusal.name.to_owned(), response(refusal))).collect()
}

/// Returns the headers, by name.
pub(super) fn headers() -> Map<String, Json> {
    let sometimes = || BARE.iter().chain(&OF_PICTURES).chain(&OF_LISTS);
    let known = ON_ALL
        .iter()
        .chain([
            &X_SNAPSHOT,
            &X_AS_OF,
            &X_SESSIONS_BEHIND,
            &X_SOURCE_TERMS,
            &X_RENAMED_FROM,
            &X_WITHOUT_SECTOR,
            &X_BUILD,
            &X_NEWEST_ROWS,
            &ETAG,
        ])
        .chain(sometimes())
        .chain(&OF_REFUSALS);
    let made = known.map(|header| {
        let is_always = !sometimes().any(|bare| bare.name == header.name)
            && ![
                X_AS_OF.name,
                X_SESSIONS_BEHIND.name,
                X_SOURCE_TERMS.name,
                X_RENAMED_FROM.name,
                X_WITHOUT_SECTOR.name,
                X_NEWEST_ROWS.name,
            ]
            .contains(&header.name);
        let schema = json!({"type": header.ty});
        (
            header.name.to_owned(),
            json!({"description": header.words, "required": is_always, "schema": schema}),
        )
    });
    made.collect()
}

fn reference(header: &ReplyHeader) -> (String, Json) {
    (header.name.to_owned(), json!({"$ref": format!("#/components/headers/{}", header.name)}))
}
