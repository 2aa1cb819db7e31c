//! The tour on the first page of the demo market: a cookie of the browser hides it. Nothing else depends on the cookie.

use axum::http::HeaderMap;
use axum::response::Response;

use super::{cookies, page_reply};
use parquote_catalogue::operation::Market;
use parquote_explorer::request::{PageRequest, Tour};

const NAME: &str = "parquote-tour";

/// Value of the cookie that hides the tour.
pub(super) const HIDDEN_VALUE: &str = "hidden";
/// Value that removes the cookie.
pub(super) const SHOWN_VALUE: &str = "";

/// Returns the tour for the first page of an invented market; `None` for other pages and for real data.
pub(super) fn tour(requested: &PageRequest, is_invented: bool, headers: &HeaderMap) -> Option<Tour> {
    let is_hidden = cookies::values(headers, NAME).next() == Some(HIDDEN_VALUE);
    let is_first_page = requested.page.path.is_empty();
    (is_invented && is_first_page).then_some(if is_hidden { Tour::Hidden } else { Tour::Shown })
}

/// Sets the cookie to one of the values above and leads back to the first page.
pub(super) fn set_cookie(market: Market, value: &str) -> Response {
    let mut response = page_reply::see_other(&format!("/{market}"));
    cookies::store_choice(&mut response, NAME, value, "/");
    response
}
