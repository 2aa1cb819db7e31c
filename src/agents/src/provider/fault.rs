//! Classifies every failed exchange: error statuses, unreadable bodies, broken connections.

use std::error::Error as _;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value as Json;

use super::key::ProviderKey;
use super::model::{ProviderError, Usage};
use super::scrub;

/// Maximum wait: a longer one is a mistake of the provider, or means never.
const LONGEST_WAIT: Duration = Duration::from_hours(7 * 24);

/// Maps faults of an exchange to errors that name the provider and contain no key.
#[derive(Debug, Clone)]
pub(super) struct Faults {
    /// Display name of the provider.
    pub(super) provider: String,
    /// The key, which is removed from messages.
    pub(super) key: ProviderKey,
}

impl Faults {
    /// Maps an error status; the body may be truncated.
    pub(super) fn status(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> ProviderError {
        let message = self.provider_message(status, body);
        let after = retry_after(headers, Utc::now()).or_else(|| gemini_retry_delay(body));
        self.error_for_code(status.as_u16(), after, message, body)
    }

    /// Returns the error in the body of a successful response, if it has one: gateways report failures of the servers behind them like
    /// that.
    pub(super) fn envelope(&self, body: &Json) -> Option<ProviderError> {
        let error = body.get("error").filter(|error| error.is_object() || error.is_string())?;
        let code = error
            .get("code")
            .and_then(|code| code.as_u64().or_else(|| code.as_str().and_then(|text| text.parse().ok())));
        let code = code.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
        let text = body.to_string();
        let message = self.provider_message(StatusCode::OK, &text);
        Some(match code {
            Some(code) => self.error_for_code(code, None, message, &text),
            None => self.unreadable_reply(&format!("an error instead of a reply: {message}")),
        })
    }

    /// Maps a failed or broken connection.
    pub(super) fn transport(&self, error: &reqwest::Error, waited: Duration) -> ProviderError {
        let provider = self.provider.clone();
        if error.is_connect() {
            return ProviderError::Unreachable { provider, message: self.innermost_cause(error) };
        }
        if error.is_timeout() {
            return ProviderError::Silent { provider, after: waited };
        }
        if error.is_builder() {
            return self.unreadable_reply("the request cannot be made; look at the provider's address");
        }
        ProviderError::Cut(provider)
    }

    /// Builds the error for a timeout: no byte arrived within the time `after`.
    pub(super) fn timed_out(&self, after: Duration) -> ProviderError {
        ProviderError::Silent { provider: self.provider.clone(), after }
    }

    /// Builds the error for an unreadable reply.
    pub(super) fn unreadable_reply(&self, message: &str) -> ProviderError {
        ProviderError::Garbage {
            provider: self.provider.clone(),
            message: scrub::clean_line(message, &self.key),
            usage: Usage::default(),
        }
    }

    /// Builds the error for a reply that declines to answer; a retry would be declined too.
    pub(super) fn declined_reply(&self, message: &str) -> ProviderError {
        let message = scrub::clean_line(message, &self.key);
        ProviderError::Refused {
            provider: self.provider.clone(),
            status: 200,
            message,
            usage: Usage::default(),
        }
    }

    fn error_for_code(
        &self,
        status: u16,
        after: Option<Duration>,
        message: String,
        body: &str,
    ) -> ProviderError {
        let provider = self.provider.clone();
        match status {
            401 | 403 => ProviderError::KeyRefused { provider, message },
            // Gemini reports an invalid key with a 400.
            400 if body.contains("API_KEY_INVALID") => ProviderError::KeyRefused { provider, message },
            429 => ProviderError::Limited { provider, after, message },
            // 408: the provider itself timed out; a retry may succeed.
            408 | 500.. => ProviderError::Failing { provider, status, after, message },
            400..500 => ProviderError::Refused { provider, status, message, usage: Usage::default() },
            300..400 => self.unreadable_reply(&format!(
                "it sends requests elsewhere (status {status}), which is not followed; give its new address"
            )),
            _ => self.unreadable_reply(&format!("the status {status}")),
        }
    }

    /// Returns the provider's error message in a body.
    fn provider_message(&self, status: StatusCode, body: &str) -> String {
        let json: Option<Json> = serde_json::from_str(body).ok();
        let words = json.as_ref().and_then(error_message);
        let words = match words {
            Some(words) if !words.trim().is_empty() => words.to_owned(),
            _ if body.trim_start().starts_with('<') => "a page of HTML instead of words".to_owned(),
            // Truncated JSON, or plain text.
            _ if json.is_none() && !body.trim().is_empty() => body.to_owned(),
            _ => status.canonical_reason().unwrap_or("no words").to_owned(),
        };
        scrub::clean_line(&words, &self.key)
    }

    /// Returns the innermost and most specific cause of an error, such as `Connection refused`.
    fn innermost_cause(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() {
            return "no connection came about in time".to_owned();
        }
        // The text of the error itself contains the URL; the texts of its causes do not.
        let mut message = "no connection came about".to_owned();
        let mut cause = error.source();
        while let Some(inner) = cause {
            message = inner.to_string();
            cause = inner.source();
        }
        scrub::clean_line(&message, &self.key)
    }
}

/// Finds the error message in a body of any protocol.
fn error_message(body: &Json) -> Option<&str> {
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    // OpenRouter nests the message of its upstream one level deeper.
    ["/error/metadata/raw", "/error/message", "/error", "/message", "/detail", "/detail/message"]
        .iter()
        .find_map(|path| body.pointer(path).and_then(Json::as_str))
}

/// Returns the wait that the provider requests in `Retry-After`, as seconds or a date; `None` without a valid one.
fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        Err(_) => (DateTime::parse_from_rfc2822(text).ok()?.to_utc() - now).to_std().unwrap_or_default(),
    };
    Some(wait.min(LONGEST_WAIT))
}

/// Returns the wait in Gemini's form: `"retryDelay": "34.5s"` among the details of an error.
fn gemini_retry_delay(body: &str) -> Option<Duration> {
    let body: Json = serde_json::from_str(body).ok()?;
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(&body);
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay"))?;
    let seconds = delay.as_str()?.strip_suffix('s')?.parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds).ok()?.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults() -> Faults {
        Faults { provider: "Example".to_owned(), key: "sk-test-0123456789".parse().unwrap() }
    }

    fn error_for_status(status: u16, body: &str) -> ProviderError {
        faults().status(StatusCode::from_u16(status).unwrap(), &HeaderMap::new(), body)
    }

    #[test]
    fn each_status_has_its_error_and_the_providers_words() {
        let openai = r#"{"error": {"message": "no such\nmodel", "type": "x"}}"#;
        assert_eq!(
            error_for_status(404, openai).to_string(),
            "Example refuses the request (404): no such model"
        );
        assert_eq!(error_for_status(401, "").to_string(), "Example refuses the key: Unauthorized");
        assert_eq!(
            error_for_status(403, r#"{"detail": "not yours"}"#).to_string(),
            "Example refuses the key: not yours"
        );
        let gemini =
            r#"[{"error": {"message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}]"#;
        assert_eq!(error_for_status(400, gemini).to_string(), "Example refuses the key: API key not valid.");
        assert_eq!(
            error_for_status(529, "<html>").to_string(),
            "Example fails (529): a page of HTML instead of words"
        );
        assert_eq!(
            error_for_status(402, r#"{"error": "no money"}"#).to_string(),
            "Example refuses the request (402): no money"
        );
        assert!(
            error_for_status(429, "{}").is_retryable()
                && error_for_status(408, "{}").is_retryable()
                && !error_for_status(422, "{}").is_retryable()
        );
        assert!(error_for_status(302, "").to_string().contains("not followed"));
        let behind = r#"{"error": {"message": "Provider returned error", "metadata": {"raw": "too long"}}}"#;
        assert!(error_for_status(400, behind).to_string().ends_with("too long"));
    }

    #[test]
    fn an_error_under_a_success_counts_as_what_its_code_says() {
        let envelope = |text: &str| faults().envelope(&serde_json::from_str(text).unwrap());
        let limited = envelope(r#"{"error": {"code": 429, "message": "slow down"}}"#).unwrap();
        assert_eq!(limited.to_string(), "Example has no capacity now: slow down");
        let other = envelope(r#"{"error": {"code": "server_error", "message": "oh"}}"#).unwrap();
        assert_eq!(
            other.to_string(),
            "Example sent a reply that cannot be read: an error instead of a reply: oh"
        );
        assert_eq!(envelope(r#"{"choices": [], "error": null}"#), None);
    }

    #[test]
    fn the_wait_is_read_as_seconds_or_as_a_date() {
        let now = DateTime::parse_from_rfc3339("2026-11-22T10:00:00Z").unwrap().to_utc();
        let wait = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());
            retry_after(&headers, now)
        };
        assert_eq!(wait("7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(wait("Sun, 22 Nov 2026 10:01:30 GMT"), Some(Duration::from_secs(90)));
        assert_eq!(wait("Sun, 22 Nov 2026 09:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(wait("1e12"), Some(LONGEST_WAIT));
        let body = r#"{"error": {"details": [{"reason": "x"}, {"retryDelay": "34.5s"}]}}"#;
        assert_eq!(error_for_status(429, body).retry_after(), Some(Duration::from_millis(34_500)));
        assert_eq!(
            error_for_status(429, r#"{"error": {"details": [{"retryDelay": "-1s"}]}}"#).retry_after(),
            None
        );
        for text in ["-3", "soon", "nan", "inf"] {
            assert_eq!(wait(text), None, "{text}");
        }
    }
}
