//! The words of a text as a search compares them: upper case and digits, without punctuation, "and" and "the".

/// Words of legal forms: a search ignores these words if it has other words.
const LEGAL_FORMS: [&str; 9] =
    ["CO", "COMPANY", "CORP", "CORPORATION", "INC", "INCORPORATED", "LIMITED", "LTD", "PLC"];

/// Words, joined in one text.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// All words without spaces.
    pub(super) joined: String,
    /// End of each word in that text.
    ends: Vec<usize>,
}

impl Words {
    /// Replaces the words by the words of a text.
    ///
    /// A full stop or an apostrophe does not separate words: `J.P.` is `JP`, `Lowe's` is `LOWES`. All other characters except letters and
    /// digits do.
    pub(super) fn read(&mut self, text: &str) {
        self.joined.clear();
        self.ends.clear();
        for letter in text.chars() {
            match letter {
                'a'..='z' | 'A'..='Z' | '0'..='9' => self.joined.push(letter.to_ascii_uppercase()),
                '.' | '\'' | '\u{2019}' | '`' => {}
                _ if letter.is_alphanumeric() => self.joined.extend(letter.to_uppercase()),
                _ => self.end_word(),
            }
        }
        self.end_word();
    }

    /// Adds a word unless it is empty, "and" or "the": `Oil & Gas` has the words of `The Oil and Gas`.
    fn end_word(&mut self) {
        let start = self.ends.last().copied().unwrap_or_default();
        match self.joined.get(start..) {
            Some("") | None => {}
            Some("AND" | "THE") => self.joined.truncate(start),
            Some(_) => self.ends.push(self.joined.len()),
        }
    }

    /// Returns the words except the names of legal forms, or all words if there are no others.
    pub(super) fn without_legal_forms(&self) -> Self {
        let mut retained = Self::default();
        for word in self.iter().filter(|word| !LEGAL_FORMS.contains(word)) {
            retained.joined.push_str(word);
            retained.end_word();
        }
        if retained.ends.is_empty() {
            Self { joined: self.joined.clone(), ends: self.ends.clone() }
        } else {
            retained
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).filter_map(|(start, end)| self.joined.get(start..*end))
    }

    /// Returns the joined text from each word on; the first is the whole text.
    pub(super) fn tails(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied()).take(self.ends.len());
        starts.filter_map(|start| self.joined.get(start..))
    }

    /// Returns true if a word ends after `letters` letters and only words of legal forms follow it.
    pub(super) fn only_legal_forms_follow(&self, letters: usize) -> bool {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let mut later_words = starts.zip(self.iter()).skip_while(|(start, _)| *start < letters);
        let is_at_a_word = self.ends.contains(&letters);
        is_at_a_word && later_words.all(|(_, word)| LEGAL_FORMS.contains(&word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Words::default();
        words.read(text);
        words.iter().map(str::to_owned).collect()
    }

    #[test]
    fn punctuation_parts_words_but_for_stops_and_apostrophes() {
        assert_eq!(words("Dr. Reddy's Labs"), ["DR", "REDDYS", "LABS"]);
        assert_eq!(words("J.P. Morgan & Co."), ["JP", "MORGAN", "CO"]);
        assert_eq!(words("coca-cola/BRK"), ["COCA", "COLA", "BRK"]);
        assert_eq!(words("Larsen and Toubro"), words("Larsen & Toubro"));
        assert_eq!(words("Estée"), ["ESTÉE"]);
        assert_eq!(words(" -%_& "), Vec::<String>::new());
    }

    #[test]
    fn words_of_law_are_left_out_where_there_are_others() {
        let without = |text: &str| {
            let mut all = Words::default();
            all.read(text);
            all.without_legal_forms().joined
        };
        assert_eq!(without("The Tata Steel Co Ltd"), "TATASTEEL");
        assert_eq!(without("ltd"), "LTD");
    }
}
