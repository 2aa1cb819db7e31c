//! The beginning of a text, about two lines, with a link to the rest.

use maud::{Markup, html};
use serde_json::Value as Json;

use crate::column_title::title;
use crate::links::{fill_address, fill_words};
use crate::part_view::PartView;
use crate::view_spec::GistSpec;

/// Length of two lines on a wide page, in characters.
const LONGEST_GIST: usize = 220;

pub(super) fn gist(view: PartView<'_>, spec: &GistSpec) -> Markup {
    let Some(first) = view.rows.rows.first() else { return html! {} };
    let within = spec.within.as_ref().map(|column| view.rows.rows_within(column));
    let holder = within.as_ref().map_or(Some(first), |rows| rows.rows.first());
    let texts = spec.columns.iter().filter_map(|name| {
        let text = holder?.get(name).and_then(first_text)?;
        Some((title(name, view.rows.column(name)), beginning(&text)))
    });
    let (label, pattern) = &spec.more;
    html! {
        @for (heading, text) in texts {
            p.text { @if spec.columns.len() > 1 { b { (heading) } ": " } (text) }
        }
        @if let Some(path) = fill_address(pattern, first) { p.onward { a href=(view.request.market_address(&path)) { (fill_words(label, first)) } } }
    }
}

/// Returns a text, or the first of several.
fn first_text(value: &Json) -> Option<String> {
    let text = match value {
        Json::Array(items) => items.first()?.as_str()?,
        other => other.as_str()?,
    };
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns as many sentences as fit, or the first words of the first one.
fn beginning(text: &str) -> String {
    if text.chars().count() <= LONGEST_GIST {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LONGEST_GIST).collect();
    match cut.rfind(". ") {
        Some(end) => cut.chars().take(cut.get(..=end).unwrap_or_default().chars().count()).collect(),
        None => format!("{} …", cut.rsplit_once(' ').map_or(cut.as_str(), |(before, _)| before)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_with_a_sentence_or_says_that_it_goes_on() {
        assert_eq!(beginning("It makes glass."), "It makes glass.");
        let sentences = format!("{}. {}.", "a".repeat(200), "b".repeat(200));
        assert_eq!(beginning(&sentences), format!("{}.", "a".repeat(200)));
        let cut = beginning(&"glass ".repeat(100));
        assert!(cut.ends_with("glass …") && cut.chars().count() <= LONGEST_GIST + 2, "{cut}");
        assert_eq!(first_text(&serde_json::json!(["one", "two"])), Some("one".to_owned()));
        assert_eq!(first_text(&serde_json::json!("")), None);
    }
}
