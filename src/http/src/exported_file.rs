//! An exported file: an answer that a caller saved as a file, for everyone who has its address.

use std::time::Instant;

use axum::http::StatusCode;
use axum::response::Response;

use super::reply;
use parquote_call::Service;
use parquote_catalogue::error::{ClientError, ErrorKind};

/// Returns the file under a token.
pub(super) fn file(service: &Service, token: &str) -> Response {
    let Some(file) = service.files().find(token, Instant::now()) else {
        let message = "there is no such file any more: files are stored for 15 minutes; repeat the call to create it again";
        return reply::refusal(ClientError::new(ErrorKind::NotFound, message));
    };
    let mut response = reply::uncached_reply(StatusCode::OK, file.format.media_type(), file.body);
    reply::name_file(response.headers_mut(), &file.name, file.format);
    response
}
