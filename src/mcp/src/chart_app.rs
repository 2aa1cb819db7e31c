//! The page that shows a chart inside a chat: an MCP App of revision 2026-01-26 of `io.modelcontextprotocol/ui`.
//!
//! It is one document without any address in it: hosts give it no network. It shows the PNG of a result at once, then requests the SVG by a
//! `get_chart` call through its host. Clients without Apps ignore it.

use std::collections::BTreeMap;

use rmcp::model::{JsonObject, MetaObject, Resource, ResourceContents};
use serde_json::{Value as Json, json};

/// URI of the page.
pub(super) const URI: &str = "ui://parquote/chart.html";

const EXTENSION: &str = "io.modelcontextprotocol/ui";
const MIME_TYPE: &str = "text/html;profile=mcp-app";
const PAGE: &str = include_str!("chart_app.html");

/// Returns the capability of the server: tools with pages.
pub(super) fn extension() -> BTreeMap<String, JsonObject> {
    BTreeMap::from([(EXTENSION.to_owned(), object(json!({"mimeTypes": [MIME_TYPE]})))])
}

/// Returns the metadata of a tool whose results the page shows; hosts of earlier revisions read the flat key.
pub(super) fn tool_meta() -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert("ui".to_owned(), json!({"resourceUri": URI}));
    meta.insert("ui/resourceUri".to_owned(), URI.into());
    meta
}

/// Returns the list entry of the page.
pub(super) fn resource() -> Resource {
    Resource::new(URI, "chart")
        .with_title("Chart")
        .with_description("The page that shows a chart of get_chart in hosts with MCP Apps.")
        .with_mime_type(MIME_TYPE)
        .with_size(PAGE.len() as u64)
}

/// Returns the page. It declares no domain, so that a host gives it no network; the picture has a background and needs no border.
pub(super) fn contents() -> ResourceContents {
    let mut meta = MetaObject::new();
    meta.insert("ui".to_owned(), json!({"prefersBorder": false}));
    ResourceContents::text(PAGE, URI).with_mime_type(MIME_TYPE).with_meta(meta)
}

/// Returns the members of a JSON object; none for another value.
pub(super) fn object(json: Json) -> JsonObject {
    match json {
        Json::Object(object) => object,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page loads nothing, whatever a host's policy allows.
    #[test]
    fn the_page_is_one_document_that_asks_for_nothing() {
        assert!(PAGE.starts_with("<!doctype html>") && PAGE.trim_end().ends_with("</html>"));
        for word in [
            "src=", "url(", "@import", "fetch(", "XMLHttpRequest", "WebSocket", "innerHTML", "eval(",
            "<link", "onload=",
        ] {
            assert!(!PAGE.contains(word), "{word}");
        }
        let addresses: Vec<&str> =
            PAGE.match_indices("http").filter_map(|(at, _)| PAGE.get(at..at + 26)).collect();
        let harmless = ["http://www.w3.org/2000/svg", "https?:"];
        assert!(
            addresses.iter().all(|text| harmless.iter().any(|known| text.starts_with(known))),
            "{addresses:?}"
        );
    }
}
