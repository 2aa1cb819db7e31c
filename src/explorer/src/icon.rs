//! Icons of the bars: paths on a square of 24 units, drawn in the colour of the text around them. Words follow each of them.

use maud::{Markup, html};

use super::spec::Section;

/// A closed lock.
pub(super) const LOCK: &str = "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3";
/// A magnifying glass.
pub(super) const SEARCH: &str = "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.3 15.3 20 20";
/// Two links of a chain.
pub(super) const LINK: &str =
    "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1";

/// Draws an icon.
pub(super) fn icon(path: &str) -> Markup {
    html! { svg.icon viewBox="0 0 24 24" aria-hidden="true" { path d=(path) {} } }
}

/// Returns the path of a section's icon.
pub(super) const fn for_section(section: Section) -> &'static str {
    match section {
        Section::Today => "M4 11 12 4l8 7v9h-5v-6H9v6H4z",
        Section::Screen => "M4 5h16l-6 8v6l-4-2v-4z",
        Section::Lists => "M4 6h16M4 12h16M4 18h10",
        Section::Market => "M4 19h16M5 15l5-6 4 3 5-7",
        Section::Events => "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
        Section::Research => "M9 3h6M10 3v6L4 20h16L14 9V3",
    }
}
