//! The committed pages of the manual that the binary carries, for the answers on them: what the fictional demo market
//! answered when they were written. No page shows what is served here and now: that is for callers with a key.

use super::manual;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// What the demo market answered to the example of an operation, if a page says it.
pub fn answer(name: &str) -> Option<&'static str> {
    let (_, page) = PAGES.iter().find(|(page, _)| page.strip_suffix(".md") == Some(name))?;
    manual::answer_of(page)
}
