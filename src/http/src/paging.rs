//! Paging headers of a partial answer: `X-Total-Count`, and `Link` with `rel="next"` (RFC 8288).
//!
//! The link is relative to the request: the same query with another `offset`, and without the key.

use axum::http::header::{HeaderName, LINK};
use axum::http::{HeaderMap, HeaderValue};
use url::form_urlencoded::Serializer;

use super::query::Pair;
use parquote_engine::Extent;

const X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");
const OFFSET: &str = "offset";

/// Sets the headers for the number of matching rows, if counted, and for the link to the next rows.
pub(super) fn write_extent(headers: &mut HeaderMap, extent: Extent, requested: &[Pair<'_>]) {
    if let Some(total) = extent.total {
        headers.insert(X_TOTAL_COUNT, HeaderValue::from(total));
    }
    if let Some(offset) = extent.next_offset()
        && let Ok(link) = HeaderValue::try_from(format!("<?{}>; rel=\"next\"", query(requested, offset)))
    {
        headers.insert(LINK, link);
    }
}

/// Returns the query with this offset, which replaces a page number.
fn query(requested: &[Pair<'_>], offset: usize) -> String {
    const PAGE: &str = "page";
    let others = requested.iter().filter(|(name, _)| name != OFFSET && name != PAGE);
    Serializer::new(String::new()).extend_pairs(others).append_pair(OFFSET, &offset.to_string()).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(extent: Extent, requested: &[(&str, &str)]) -> (Option<String>, Option<String>) {
        let requested: Vec<Pair<'_>> =
            requested.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let mut headers = HeaderMap::new();
        write_extent(&mut headers, extent, &requested);
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        (text(X_TOTAL_COUNT), text(LINK))
    }

    #[test]
    fn a_whole_answer_tells_its_number_alone() {
        let whole = Extent { offset: 0, rows: 3, total: Some(3), more: false };
        assert_eq!(headers(whole, &[("limit", "3")]), (Some("3".to_owned()), None));
    }

    #[test]
    fn the_next_rows_are_asked_with_the_same_query() {
        let part = Extent { offset: 20, rows: 20, total: Some(330), more: true };
        let requested = [("sector", "Oil, Gas & Fuels"), ("offset", "20"), ("q", "é"), ("limit", "20")];
        let link = "<?sector=Oil%2C+Gas+%26+Fuels&q=%C3%A9&limit=20&offset=40>; rel=\"next\"";
        assert_eq!(headers(part, &requested), (Some("330".to_owned()), Some(link.to_owned())));
    }

    #[test]
    fn a_page_becomes_an_offset() {
        let part = Extent { offset: 6, rows: 3, total: None, more: true };
        assert_eq!(headers(part, &[("page", "3")]), (None, Some("<?offset=9>; rel=\"next\"".to_owned())));
    }
}
