//! The form by which a reader chooses colours.

use axum::extract::Request;
use axum::response::Response;

use super::page_form::PageForm;
use super::page_paths::{FIRST_PAGE, return_path};
use super::{colours, cookies, page_reply};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_surface::asset::ColourScheme;

/// Stores the chosen colours, and redirects to the page of the form.
pub(super) fn choose(request: &Request) -> Response {
    let form = PageForm::from_request(request);
    let Some(scheme) = ColourScheme::from_word(form.get("scheme")) else {
        let message = "`scheme` is one of auto, light, dark; choose one in the menu of a page";
        return page_reply::refusal(ClientError::new(ErrorKind::BadRequest, message));
    };
    let mut response = page_reply::see_other(return_path(form.get("back")).unwrap_or(FIRST_PAGE));
    cookies::store_choice(&mut response, colours::NAME, scheme.word(), "/");
    response
}
