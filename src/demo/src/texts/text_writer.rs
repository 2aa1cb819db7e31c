//! Fills text templates: picks one of several wordings and fills its placeholders in braces.
//!
//! A placeholder without a word is left unchanged, which a test on the finished market detects.

use std::collections::BTreeMap;

use crate::draw::Draw;

/// A writer of texts from templates: a substream for choices, and the words of placeholders.
pub(super) struct TextWriter {
    draw: Draw,
    words: BTreeMap<&'static str, String>,
}

impl TextWriter {
    /// Creates a writer without words.
    pub(super) fn new(draw: Draw) -> Self {
        Self { draw, words: BTreeMap::new() }
    }

    /// Sets the word of a placeholder, such as `{income}`. A capitalized placeholder, such as `{Income}`, gets the word capitalized.
    pub(super) fn set(&mut self, placeholder: &'static str, word: impl Into<String>) {
        self.words.insert(placeholder, word.into());
    }

    /// Picks one of the templates and fills it.
    pub(super) fn fill_one(&mut self, templates: &[&str]) -> String {
        let template = self.draw.pick(templates).copied().unwrap_or_default();
        self.fill(template)
    }

    /// Picks one of the templates, fills it and removes it, so that a text does not repeat it. Returns an empty text without templates.
    pub(super) fn fill_once(&mut self, templates: &mut Vec<&str>) -> String {
        let index = self.draw.below(templates.len());
        if templates.is_empty() { String::new() } else { self.fill(templates.swap_remove(index)) }
    }

    /// Returns the substream of choices.
    pub(super) fn draw(&mut self) -> &mut Draw {
        &mut self.draw
    }

    fn fill(&self, template: &str) -> String {
        let mut text = String::with_capacity(2 * template.len());
        let mut rest = template;
        while let Some((before, behind)) = rest.split_once('{') {
            text.push_str(before);
            let Some((placeholder, after)) = behind.split_once('}') else { break };
            text.push_str(&self.word(placeholder));
            // `Inc.` at the end of a sentence has one full stop.
            rest = if text.ends_with('.') { after.strip_prefix('.').unwrap_or(after) } else { after };
        }
        text.push_str(rest);
        text
    }

    fn word(&self, placeholder: &str) -> String {
        if let Some(word) = self.words.get(placeholder) {
            return word.clone();
        }
        match self.words.get(placeholder.to_lowercase().as_str()) {
            Some(word) => capitalize(word),
            None => format!("{{{placeholder}}}"),
        }
    }
}

/// Capitalizes the first letter.
fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Purpose;
    use parquote_catalogue::operation::Market;

    #[test]
    fn placeholders_are_replaced_by_their_words() {
        let mut writer = TextWriter::new(Draw::new(1, Market::India, Purpose::Names, 0));
        writer.set("income", "total income");
        let text = writer.fill_one(&["{Income} grew; {income} is {unknown}."]);
        assert_eq!(text, "Total income grew; total income is {unknown}.");
        let mut once = vec!["a", "b"];
        let both = [writer.fill_once(&mut once), writer.fill_once(&mut once), writer.fill_once(&mut once)];
        assert!(both == ["a", "b", ""].map(str::to_owned) || both == ["b", "a", ""].map(str::to_owned));
    }
}
