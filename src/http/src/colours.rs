//! The colours that a reader chose: a cookie with one of three words, which all pages read.

use axum::http::HeaderMap;

use super::cookies;
use parquote_surface::asset::ColourScheme;

/// Name of the cookie.
pub(super) const NAME: &str = "parquote-colours";

tokio::task_local! {
    /// Colours of the current request, for refusals by code that does not have the headers of the request.
    pub(super) static CURRENT_SCHEME: ColourScheme;
}

/// Returns the colours of the current request; the default outside of a request.
pub(super) fn current_scheme() -> ColourScheme {
    CURRENT_SCHEME.try_with(|scheme| *scheme).unwrap_or_default()
}

/// Returns the colours that the reader chose, by the cookie of a request.
pub(super) fn requested_scheme(headers: &HeaderMap) -> ColourScheme {
    cookies::values(headers, NAME).next().and_then(ColourScheme::from_word).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use axum::http::header::COOKIE;

    use super::*;

    #[test]
    fn a_cookie_with_another_word_leaves_the_colours_to_the_browser() {
        let read = |line: &'static str| {
            requested_scheme(&HeaderMap::from_iter([(COOKIE, HeaderValue::from_static(line))]))
        };
        assert_eq!(read("a=b; parquote-colours=dark"), ColourScheme::Dark);
        assert_eq!(read("parquote-colours=<script>"), ColourScheme::Auto);
        assert_eq!(read("x-parquote-colours=dark; parquote=1"), ColourScheme::Auto);
    }
}
