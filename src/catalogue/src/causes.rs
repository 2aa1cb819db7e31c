//! An error with its causes, as people read it.

use std::error::Error;

/// The text of an error and of its causes, outermost first. Some errors repeat their cause in their own words; the second time is left
/// out.
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
