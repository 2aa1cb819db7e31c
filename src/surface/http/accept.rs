//! The header `Accept`: which form of an answer a caller would rather have.
//!
//! Who asks for nothing that there is gets JSON, not a 406: the contract knows no such refusal, and RFC 9110 (12.5.1) leaves
//! the choice to the server.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::operation::Form;

/// The forms that have a media type of their own, and other names of these.
const NAMES: [(Form, &str); 8] = [
    (Form::Json, "application/json"),
    (Form::Ndjson, "application/x-ndjson"),
    (Form::Ndjson, "application/ndjson"),
    (Form::Ndjson, "application/jsonl"),
    (Form::Csv, "text/csv"),
    (Form::Csv, "application/csv"),
    (Form::Arrow, "application/vnd.apache.arrow.stream"),
    (Form::Arrow, "application/vnd.apache.arrow"),
];

/// How much a caller would like a form: the weight it gave, then how exactly it named it.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Preference {
    weight: f32,
    exactness: u8,
}

/// The form that is liked best; of forms that are liked alike, the first of [`Form::ALL`].
pub(super) fn preferred(headers: &HeaderMap) -> Form {
    let lines = headers.get_all(header::ACCEPT);
    let ranges: Vec<(&str, f32)> = lines
        .iter()
        .filter_map(|line: &HeaderValue| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .filter_map(range)
        .collect();
    if ranges.is_empty() {
        return Form::Json;
    }
    let mut best = (Form::Json, Preference { weight: 0.0, exactness: 0 });
    for form in Form::ALL {
        let found = preference(form, &ranges);
        if found.weight > 0.0 && found > best.1 {
            best = (form, found);
        }
    }
    best.0
}

/// What is said of a form: by the range that names it most exactly, so that `*/*` does not raise what is refused by name.
fn preference(form: Form, ranges: &[(&str, f32)]) -> Preference {
    let mut said = Preference { weight: 0.0, exactness: 0 };
    for (_, name) in NAMES.iter().filter(|(named, _)| *named == form) {
        let kind = name.split('/').next().unwrap_or_default();
        for (range, weight) in ranges {
            let exactness = match range.split_once('/') {
                Some(("*", "*")) => 1,
                Some((of, "*")) if of.eq_ignore_ascii_case(kind) => 2,
                _ if range.eq_ignore_ascii_case(name) => 3,
                _ => continue,
            };
            if exactness > said.exactness || (exactness == said.exactness && *weight > said.weight) {
                said = Preference { weight: *weight, exactness };
            }
        }
    }
    said
}

/// A media range and its weight, 1 where none is given; `None` for a weight that is no number. Other parameters of a media
/// type make no difference here.
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
    use super::*;

    fn of(lines: &[&'static str]) -> Form {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::ACCEPT, HeaderValue::from_static(line));
        }
        preferred(&headers)
    }

    #[test]
    fn each_form_is_had_by_its_media_type() {
        assert_eq!(of(&["application/json"]), Form::Json);
        assert_eq!(of(&["application/x-ndjson"]), Form::Ndjson);
        assert_eq!(of(&["Text/CSV; header=present"]), Form::Csv);
        assert_eq!(of(&["application/vnd.apache.arrow.stream"]), Form::Arrow);
    }

    #[test]
    fn browsers_and_tools_that_take_anything_get_json() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
        assert_eq!(of(&[]), Form::Json);
        assert_eq!(of(&["*/*"]), Form::Json);
        assert_eq!(of(&[browser]), Form::Json);
        assert_eq!(of(&["application/json, text/plain, */*"]), Form::Json);
        assert_eq!(of(&["application/*"]), Form::Json);
    }

    #[test]
    fn weights_decide_then_exactness() {
        assert_eq!(of(&["application/json;q=0.5, text/csv"]), Form::Csv);
        assert_eq!(of(&["application/json;q=0.9", "text/csv;q=0.8"]), Form::Json);
        assert_eq!(of(&["text/csv, */*"]), Form::Csv);
        assert_eq!(of(&["*/*, application/json;q=0"]), Form::Ndjson);
        assert_eq!(of(&["text/*"]), Form::Csv);
        assert_eq!(of(&["text/csv;q=0, */*;q=0.1"]), Form::Json);
    }

    #[test]
    fn what_there_is_not_is_json() {
        assert_eq!(of(&["application/xml"]), Form::Json);
        assert_eq!(of(&["application/json;q=0"]), Form::Json);
        assert_eq!(of(&["text/csv;q=x", "text/csv;q=7", ",, ;"]), Form::Json);
    }
}
