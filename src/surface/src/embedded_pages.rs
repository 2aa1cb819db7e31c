//! The committed pages of the manual, embedded in the binary for the example answers on them. The answers are those of the fictional demo
//! market when the pages were written, and have no current data, which needs a key.

use super::manual;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Returns the demo market's answer to the example of an operation, if its page has one.
pub fn answer(name: &str) -> Option<&'static str> {
    let (_, page) = PAGES.iter().find(|(page, _)| page.strip_suffix(".md") == Some(name))?;
    manual::answer_of(page)
}
