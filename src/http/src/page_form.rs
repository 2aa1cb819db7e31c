//! A form that a page sent. Its size and its time are limited, and it must be URL-encoded, as the forms of this server are.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, header};
use tokio::time::timeout;

use parquote_catalogue::error::{ClientError, ErrorKind};

/// Longest form, in bytes: a note of 2,000 characters of four bytes, each of which is sent as three.
const LONGEST_FORM: usize = 32 * 1024;
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
const ENCODING: &str = "application/x-www-form-urlencoded";

/// The fields of a form; empty for a request without one.
#[derive(Clone, Default)]
pub(super) struct PageForm(Vec<(String, String)>);

impl PageForm {
    /// Reads the form of a request and adds it to the request's extensions. An error if the body is not a form, is too long, or does not
    /// arrive in time.
    pub(super) async fn read_body(request: Request) -> Result<Request, ClientError> {
        let (mut parts, body) = request.into_parts();
        if parts.method != Method::POST {
            return Ok(Request::from_parts(parts, Body::empty()));
        }
        let bad_request = |message: &str| ClientError::new(ErrorKind::BadRequest, message);
        let read = timeout(BODY_TIMEOUT, to_bytes(body, LONGEST_FORM)).await;
        let bytes = match read {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => {
                return Err(bad_request("the form is longer than 32 KiB, or incomplete; send it again"));
            }
            Err(_) => return Err(bad_request("the form took longer than 10 s to come; send it again")),
        };
        let content_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_form = content_type.is_some_and(|content_type| {
            content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(ENCODING))
        });
        if !is_form && !bytes.is_empty() {
            return Err(bad_request("the body is not a form: send application/x-www-form-urlencoded"));
        }
        // Browsers send each line break of a text as two characters.
        let pairs = url::form_urlencoded::parse(&bytes)
            .map(|(name, value)| (name.into_owned(), value.replace("\r\n", "\n")))
            .collect();
        parts.extensions.insert(Self(pairs));
        Ok(Request::from_parts(parts, Body::from(bytes)))
    }

    pub(super) fn from_request(request: &Request) -> Self {
        request.extensions().get::<Self>().cloned().unwrap_or_default()
    }

    /// Returns the text of a field, trimmed; empty if there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value.trim())
    }

    /// Returns all fields, untrimmed.
    pub(super) fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// Returns the first of these fields that occurs more than once.
    pub(super) fn first_repeated_field<'a>(&self, names: &[&'a str]) -> Option<&'a str> {
        let count = |name: &str| self.0.iter().filter(|(field, _)| field == name).count();
        names.iter().copied().find(|name| count(name) > 1)
    }

    /// Returns the number in a field; `None` if there is none.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.get(name).parse().ok()
    }
}
