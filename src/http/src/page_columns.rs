//! The columns that a reader chose for a list, in a cookie of its page. A later visit is redirected to the address that names them, so that
//! the address still reproduces the view.

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::cookies;
use parquote_explorer::request::{EXPLAIN, FIELDS, PageRequest};

/// Beginning of the name of the cookie. The rest names the page, because browsers send the cookie also to the pages below it.
const NAME_PREFIX: &str = "columns";

/// Character between two names; a comma is not allowed in a cookie.
const NAME_SEPARATOR: &str = ".";

/// Longest list of names, in bytes.
const LONGEST_LIST: usize = 2_000;

/// Returns the address of the view with the columns that the reader chose before; `None` if the request names columns, explains stocks, or
/// none were chosen.
pub(super) fn address_with_saved_columns(request: &PageRequest, headers: &HeaderMap) -> Option<String> {
    let part =
        request.page.deciding_part(request.market).and_then(|position| request.page.parts.get(position))?;
    let is_list = part.takes_query && part.has_whole_table();
    if !is_list || request.get(FIELDS).is_some() || request.get(EXPLAIN).is_some() {
        return None;
    }
    let chosen = saved_names(headers, &cookie_name(&request.page.path))?;
    Some(request.address_with(&[(FIELDS, Some(chosen.as_str()))]))
}

/// Adds a header to the reply: one that sets the cookie if the reader chose columns; one that removes it if the reader wants the usual
/// columns, or if the chosen ones are refused, as one of them may no longer exist.
pub(super) fn update_cookie(request: &PageRequest, headers: &HeaderMap, response: &mut Response) {
    let (name, columns) = (cookie_name(&request.page.path), request.get(FIELDS));
    let is_refused = response.status() == StatusCode::BAD_REQUEST
        && columns.is_some()
        && columns == saved_names(headers, &name).as_deref();
    if !request.chooses_columns && !is_refused {
        return;
    }
    let value = columns.filter(|_| !is_refused).map(|columns| columns.replace(',', NAME_SEPARATOR));
    let value = value.filter(|value| is_name_list(value)).unwrap_or_default();
    cookies::store_choice(response, &name, &value, &request.path());
}

fn cookie_name(page: &str) -> String {
    format!("{NAME_PREFIX}.{}", page.replace(|c: char| !c.is_ascii_alphanumeric(), "."))
}

/// Returns the names in the cookie, with commas between them.
fn saved_names(headers: &HeaderMap, cookie: &str) -> Option<String> {
    let value = cookies::values(headers, cookie).next()?;
    is_name_list(value).then(|| value.replace(NAME_SEPARATOR, ","))
}

/// Returns true if a text may be a list of names.
fn is_name_list(value: &str) -> bool {
    let is_name_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || NAME_SEPARATOR.as_bytes() == [byte];
    !value.is_empty() && value.len() <= LONGEST_LIST && value.bytes().all(is_name_byte)
}

#[cfg(test)]
mod tests {
    use axum::http::header::{COOKIE, HeaderValue};

    use super::*;

    fn read(line: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(line).unwrap());
        saved_names(&headers, "columns.deals")
    }

    #[test]
    fn only_names_are_read() {
        assert_eq!(read("a=1; columns.deals=symbol.pe; b=2").as_deref(), Some("symbol,pe"));
        assert_eq!(read("columns.deals=symbol; columns.deals=pe").as_deref(), Some("symbol"));
        for line in ["a=1", "columns.deals=", "columns.deals=a%2Cb", "columns.deals=a b", "xcolumns.deals=a"]
        {
            assert_eq!(read(line), None, "{line}");
        }
        assert_eq!(read(&format!("columns.deals={}", "a".repeat(LONGEST_LIST + 1))), None);
    }

    #[test]
    fn a_page_below_another_has_a_cookie_of_its_own() {
        assert_eq!(cookie_name("deals/net"), "columns.deals.net");
        assert_eq!(cookie_name("company/{symbol}/ratios"), "columns.company..symbol..ratios");
        assert_eq!(read("columns.deals.net=symbol"), None);
    }
}
