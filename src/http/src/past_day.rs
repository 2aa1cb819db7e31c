//! The past day that a reader chose for the pages of a market: a cookie until the browser is closed, which all these pages read.

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::NaiveDate;

use super::page_paths::{FIRST_PAGE, return_path};
use super::{cookies, page_reply, query};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;

/// Name of the cookie.
const NAME: &str = "parquote-day";

/// Returns the day that the reader chose, by the cookie of a request; `None` for the newest data.
pub(super) fn chosen_day(headers: &HeaderMap) -> Option<NaiveDate> {
    cookies::values(headers, NAME).next()?.parse().ok()
}

/// Stores the chosen day for the pages of a market, and redirects to the page of the form. Without a day, they show the newest data.
pub(super) fn choose_day(market: Market, request: &Request) -> Response {
    let pairs = query::arguments(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let field = |field: &str| {
        let pair = pairs.iter().find(|(name, _)| name == field);
        pair.map_or("", |(_, value)| value.trim())
    };
    let day = field("day");
    if !day.is_empty() && day.parse::<NaiveDate>().is_err() {
        let message =
            "`day` is a date such as 2026-10-30, or empty for the newest data; choose one above a page";
        return page_reply::refusal(ClientError::new(ErrorKind::BadRequest, message));
    }
    let mut response = page_reply::see_other(return_path(field("back")).unwrap_or(FIRST_PAGE));
    cookies::store_until_closed(&mut response, NAME, day, &format!("/{market}"));
    response
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::header::{COOKIE, HeaderValue, LOCATION, SET_COOKIE};

    use super::*;

    #[test]
    fn a_day_is_chosen_for_the_pages_of_one_market_and_nothing_else_is() {
        let sent = |query: &str| {
            let uri = format!("/india/day?{query}");
            let response =
                choose_day(Market::India, &Request::builder().uri(uri).body(Body::empty()).unwrap());
            let line = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
            (response.status().as_u16(), line(LOCATION), line(SET_COOKIE))
        };
        let (status, to, cookie) = sent("day=2026-10-27&back=%2Findia%2Fscreener%3Fmin_roe%3D20");
        assert_eq!((status, to.as_deref()), (303, Some("/india/screener?min_roe=20")));
        assert_eq!(cookie.unwrap(), "parquote-day=2026-10-27; Path=/india; HttpOnly; SameSite=Lax");
        let (_, _, removed) = sent("day=&back=/india");
        assert_eq!(removed.unwrap(), "parquote-day=; Max-Age=0; Path=/india; HttpOnly; SameSite=Lax");
        for day in ["yesterday", "2026-02-30", "2026-10-27%3B%20Path%3D/"] {
            let (status, _, cookie) = sent(&format!("day={day}&back=/india"));
            assert_eq!((status, cookie), (400, None), "{day}");
        }
        let (_, to, _) = sent("day=2026-10-27&back=https://example.org/");
        assert_eq!(to.as_deref(), Some(FIRST_PAGE));
        let read = |line: &'static str| {
            chosen_day(&HeaderMap::from_iter([(COOKIE, HeaderValue::from_static(line))]))
        };
        assert_eq!(read("parquote-day=2026-10-27"), "2026-10-27".parse().ok());
        assert_eq!(read("parquote-day=<script>"), None);
    }
}
