//! The header `Accept`: the answer format that a caller prefers.
//!
//! If no requested format is available, the answer is JSON, not a 406: the API contract has no such refusal, and RFC 9110 (12.5.1) leaves
//! the choice to the server.

use axum::http::{HeaderMap, header};

use super::header_list;
use parquote_catalogue::operation::AnswerFormat;
use parquote_engine::lacking_feature;

/// Formats and their media types, aliases included.
const NAMES: [(AnswerFormat, &str); 9] = [
    (AnswerFormat::Json, "application/json"),
    (AnswerFormat::Ndjson, "application/x-ndjson"),
    (AnswerFormat::Ndjson, "application/ndjson"),
    (AnswerFormat::Ndjson, "application/jsonl"),
    (AnswerFormat::Csv, "text/csv"),
    (AnswerFormat::Csv, "application/csv"),
    (AnswerFormat::Arrow, "application/vnd.apache.arrow.stream"),
    (AnswerFormat::Arrow, "application/vnd.apache.arrow"),
    (AnswerFormat::Xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
];

/// A caller's preference for a format: its weight, then the exactness of the range that matched.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Preference {
    weight: f32,
    exactness: u8,
}

/// Returns the preferred format; among equals, the first of [`AnswerFormat::ALL`].
pub(super) fn preferred(headers: &HeaderMap) -> AnswerFormat {
    let ranges: Vec<(&str, f32)> =
        header_list::items(headers, header::ACCEPT, b',').filter_map(range).collect();
    // Most callers accept anything, explicitly or by sending no header.
    if matches!(*ranges, [] | [("*/*", _)]) {
        return AnswerFormat::Json;
    }
    let mut best = (AnswerFormat::Json, Preference { weight: 0.0, exactness: 0 });
    for format in AnswerFormat::ALL.into_iter().filter(|format| lacking_feature(*format).is_none()) {
        let found = preference(format, &ranges);
        if found.weight > 0.0 && found > best.1 {
            best = (format, found);
        }
    }
    best.0
}

/// Returns the weight of a format from the range that names it most exactly, so that `*/*` does not raise a format refused by name.
fn preference(format: AnswerFormat, ranges: &[(&str, f32)]) -> Preference {
    let mut best = Preference { weight: 0.0, exactness: 0 };
    for (_, name) in NAMES.iter().filter(|(named, _)| *named == format) {
        let kind = name.split('/').next().unwrap_or_default();
        for (range, weight) in ranges {
            let exactness = match range.split_once('/') {
                Some(("*", "*")) => 1,
                Some((of, "*")) if of.eq_ignore_ascii_case(kind) => 2,
                _ if range.eq_ignore_ascii_case(name) => 3,
                _ => continue,
            };
            if exactness > best.exactness || (exactness == best.exactness && *weight > best.weight) {
                best = Preference { weight: *weight, exactness };
            }
        }
    }
    best
}

/// Parses a media range and its weight, 1 by default; `None` for a weight that is not a number from 0 to 1. Other media type parameters are
/// ignored.
fn range(text: &str) -> Option<(&str, f32)> {
    let mut parts = text.split(';').map(str::trim);
    let range = parts.next().filter(|range| range.contains('/'))?;
    let weight =
        parts.filter_map(|part| part.split_once('=')).find(|(name, _)| name.eq_ignore_ascii_case("q"));
    let weight = weight.map_or(Some(1.0), |(_, weight)| weight.trim().parse().ok())?;
    (0.0..=1.0).contains(&weight).then_some((range, weight))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn preferred_format(lines: &[&'static str]) -> AnswerFormat {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::ACCEPT, HeaderValue::from_static(line));
        }
        preferred(&headers)
    }

    #[test]
    fn each_form_is_had_by_its_media_type() {
        assert_eq!(preferred_format(&["application/json"]), AnswerFormat::Json);
        assert_eq!(preferred_format(&["application/x-ndjson"]), AnswerFormat::Ndjson);
        assert_eq!(preferred_format(&["Text/CSV; header=present"]), AnswerFormat::Csv);
        assert_eq!(preferred_format(&["application/vnd.apache.arrow.stream"]), AnswerFormat::Arrow);
    }

    #[test]
    fn browsers_and_tools_that_take_anything_get_json() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
        assert_eq!(preferred_format(&[]), AnswerFormat::Json);
        assert_eq!(preferred_format(&["*/*"]), AnswerFormat::Json);
        assert_eq!(preferred_format(&[browser]), AnswerFormat::Json);
        assert_eq!(preferred_format(&["application/json, text/plain, */*"]), AnswerFormat::Json);
        assert_eq!(preferred_format(&["application/*"]), AnswerFormat::Json);
    }

    #[test]
    fn weights_decide_then_exactness() {
        assert_eq!(preferred_format(&["application/json;q=0.5, text/csv"]), AnswerFormat::Csv);
        assert_eq!(preferred_format(&["application/json;q=0.9", "text/csv;q=0.8"]), AnswerFormat::Json);
        assert_eq!(preferred_format(&["text/csv, */*"]), AnswerFormat::Csv);
        assert_eq!(preferred_format(&["*/*, application/json;q=0"]), AnswerFormat::Ndjson);
        assert_eq!(preferred_format(&["text/*"]), AnswerFormat::Csv);
        assert_eq!(preferred_format(&["text/csv;q=0, */*;q=0.1"]), AnswerFormat::Json);
    }

    #[test]
    fn what_there_is_not_is_json() {
        assert_eq!(preferred_format(&["application/xml"]), AnswerFormat::Json);
        assert_eq!(preferred_format(&["application/json;q=0"]), AnswerFormat::Json);
        assert_eq!(preferred_format(&["text/csv;q=x", "text/csv;q=7", ",, ;"]), AnswerFormat::Json);
    }
}
