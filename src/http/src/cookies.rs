//! Cookies: their values in a request, and the lines that store a choice of the reader, such as colours. Such a choice does not identify
//! the reader and needs no sign-in.

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, HeaderValue, SET_COOKIE};
use axum::response::Response;

use super::header_list;

/// Time for which a browser stores a choice.
const YEAR_S: u32 = 365 * 24 * 60 * 60;

/// Returns the values of the cookies with a name; browsers send the cookie of the longest path first.
pub(super) fn values<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let pairs = header_list::items(headers, COOKIE, b';').filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(other, _)| *other == name).map(|(_, value)| value)
}

/// Adds the line that stores a choice for a year on the pages below a path; an empty value removes it.
pub(super) fn store_choice(response: &mut Response, name: &str, value: &str, path: &str) {
    let age = if value.is_empty() { 0 } else { YEAR_S };
    store(response, &format!("{name}={value}; Max-Age={age}"), path);
}

/// Adds the line that stores a choice until the browser is closed; an empty value removes it.
pub(super) fn store_until_closed(response: &mut Response, name: &str, value: &str, path: &str) {
    let age = if value.is_empty() { "; Max-Age=0" } else { "" };
    store(response, &format!("{name}={value}{age}"), path);
}

fn store(response: &mut Response, cookie: &str, path: &str) {
    let line = format!("{cookie}; Path={path}; HttpOnly; SameSite=Lax");
    if let Ok(line) = HeaderValue::try_from(line) {
        response.headers_mut().append(SET_COOKIE, line);
    }
}
