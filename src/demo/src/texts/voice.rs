//! Fills text templates: picks one of several wordings and fills its placeholders in braces.
//!
//! A placeholder without a word is left unchanged, which a test on the finished market detects.

use std::collections::BTreeMap;

use crate::draw::Draw;

/// A template engine: a substream for choices, and the words of placeholders.
pub(super) struct Voice {
    draw: Draw,
    words: BTreeMap<&'static str, String>,
}

impl Voice {
    /// Creates a voice without words.
    pub(super) fn new(draw: Draw) -> Self {
        Self { draw, words: BTreeMap::new() }
    }

    /// Sets the word of a placeholder, such as `{income}`. A capitalized placeholder, such as `{Income}`, gets the word capitalized.
    pub(super) fn set(&mut self, placeholder: &'static str, word: impl Into<String>) {
        self.words.insert(placeholder, word.into());
    }

    /// Fills one of the templates.
    pub(super) fn say(&mut self, templates: &[&str]) -> String {
        let template = self.draw.pick(templates).copied().unwrap_or_default();
        self.fill(template)
    }

    /// Fills one of the templates and removes it, so that a text does not repeat it.
    pub(super) fn fill_once(&mut self, templates: &mut Vec<&str>) -> String {
        let at = self.draw.below(templates.len());
        if templates.is_empty() { String::new() } else { self.fill(templates.swap_remove(at)) }
    }

    /// Returns its substream.
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
    fn places_take_their_words() {
        let mut voice = Voice::new(Draw::new(1, Market::India, Purpose::Names, 0));
        voice.set("income", "total income");
        let text = voice.say(&["{Income} grew; {income} is {unknown}."]);
        assert_eq!(text, "Total income grew; total income is {unknown}.");
        let mut once = vec!["a", "b"];
        let both = [voice.fill_once(&mut once), voice.fill_once(&mut once), voice.fill_once(&mut once)];
        assert!(both == ["a", "b", ""].map(str::to_owned) || both == ["b", "a", ""].map(str::to_owned));
    }
}
