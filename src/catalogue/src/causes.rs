//! The text of an error with its causes.

use std::error::Error;

/// Returns the text of an error and of its causes, outermost first. A cause is left out if the text so far contains its text.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        next = cause.source();
    }
    text
}
