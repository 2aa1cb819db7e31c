//! An export: a file that a caller had made from an answer, for anyone who has its address.

use std::time::Instant;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use super::reply;
use parquote_call::Service;
use parquote_catalogue::error::{ClientError, ErrorKind};

/// Returns the file under a token.
pub(super) fn file(service: &Service, token: &str) -> Response {
    let Some(file) = service.files().find(token, Instant::now()) else {
        let message = "there is no such file any more: files are kept for 15 minutes; have it made again";
        return reply::refusal(ClientError::new(ErrorKind::NotFound, message));
    };
    let mut response = reply::fresh(StatusCode::OK, file.format.media_type(), file.body);
    let name = format!("attachment; filename=\"{}.{}\"", file.name, file.format.word());
    if let Ok(name) = HeaderValue::try_from(name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    response
}
