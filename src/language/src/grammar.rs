//! Parses a sentence into a screen.

use super::check::check;
use super::contradictions::contradictions;
use super::fields::Fields;
use super::lexer::{self, Token};
use super::lexicon::Lexicon;
use super::pieces;
use super::reader::{ReadingNote, SentenceReader};
use super::screen::{QueryError, Screen, UnreadWords};
use super::spans;
use super::vocabulary::SharedLastWord;

/// Maximum length of a sentence, in characters.
const MOST_CHARACTERS: usize = 200;

/// The parser of sentences, with the fields of a snapshot and every phrase for them. It is built once per snapshot.
#[derive(Debug)]
pub struct Grammar {
    fields: Fields,
    lexicon: Lexicon,
}

impl Grammar {
    /// Builds the grammar for the fields of a snapshot.
    pub fn new(fields: Fields) -> Self {
        let lexicon = Lexicon::new(&fields);
        Self { fields, lexicon }
    }

    /// Returns the fields of the snapshot.
    pub const fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Reads a sentence.
    ///
    /// # Errors
    /// The sentence is empty or too long, has more conditions than a filter may have, or nothing in it was understood.
    pub fn read(&self, sentence: &str) -> Result<Screen, QueryError> {
        let market = self.fields.market();
        let characters = sentence.chars().count();
        if sentence.trim().is_empty() {
            return Err(QueryError::Empty(market));
        }
        if characters > MOST_CHARACTERS {
            return Err(QueryError::TooLong { characters, most: MOST_CHARACTERS });
        }
        let mut tokens = lexer::tokens(sentence);
        let mut notes = self.correct(&mut tokens);
        repeat_shared_last_words(&mut tokens, &self.fields.vocabulary().shared_last_words);
        let mut pieces = pieces::pieces(&tokens, &self.lexicon, &self.fields);
        spans::apply_spans(&mut pieces, &self.fields);
        let mut reader = SentenceReader::new(&pieces, &self.fields);
        reader.read();
        let per = reader.row_group();
        let written = WrittenSentence { sentence, tokens: &tokens };
        notes.extend(reader.notes.iter().filter_map(|note| written.note_text(note)));
        let limit = reader.limit;
        let (filter, sort, unread) = reader.finish();
        let not_understood = written.words_not_understood(&unread);
        if filter.is_everything() && sort.is_none() && limit.is_none() {
            return Err(QueryError::NothingUnderstood(market, notes));
        }
        check(&filter, &self.fields)?;
        notes.extend(contradictions(&filter, &self.fields));
        Ok(Screen { filter, sort, limit, per, not_understood, notes })
    }

    /// Corrects typing errors and replaces number words by numbers. Returns a note for each correction.
    fn correct(&self, tokens: &mut [Token]) -> Vec<String> {
        let mut notes = Vec::new();
        for token in tokens.iter_mut().filter(|token| token.number.is_none()) {
            if let Some(corrected) = self.lexicon.correct_spelling(&token.text) {
                notes.push(format!("`{}` was read as `{corrected}`", token.text));
                corrected.clone_into(&mut token.text);
            }
            if let Some(number) = self.fields.vocabulary().numbers.get(&token.text) {
                token.number = Some(*number);
                token.text = number.to_string();
            }
        }
        notes
    }
}

/// Repeats a shared last word: `mid and small caps` becomes `mid caps and small caps`, and `sales and profit growth` likewise.
fn repeat_shared_last_words(tokens: &mut Vec<Token>, pairs: &[SharedLastWord]) {
    const JOINING_WORDS: [&str; 5] = ["and", "or", ",", "to", "-"];
    let is_one_of = |token: &Token, words: &[String]| words.contains(&token.text);
    for SharedLastWord { firsts, lasts } in pairs {
        let missing = tokens.windows(4).position(|window| {
            matches!(window, [first, joint, second, last] if is_one_of(first, firsts)
                && JOINING_WORDS.contains(&joint.text.as_str()) && is_one_of(second, firsts) && is_one_of(last, lasts))
        });
        if let Some(at) = missing
            && let (Some(first), Some(last)) = (tokens.get(at).cloned(), tokens.get(at + 3).cloned())
        {
            tokens.insert(at + 1, Token { text: last.text, ..first });
        }
    }
}

struct WrittenSentence<'a> {
    sentence: &'a str,
    tokens: &'a [Token],
}

impl WrittenSentence<'_> {
    /// Returns the words in ranges of tokens; overlapping and neighbouring ranges are merged.
    fn words_not_understood(&self, ranges: &[(usize, usize)]) -> Vec<UnreadWords> {
        let mut ranges = ranges.to_vec();
        ranges.sort_unstable();
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for (start, end) in ranges {
            match merged.last_mut() {
                Some((_, last)) if start <= *last => *last = end.max(*last),
                _ => merged.push((start, end)),
            }
        }
        merged.into_iter().filter_map(|(start, end)| self.unread_words(start, end)).collect()
    }

    fn note_text(&self, note: &ReadingNote) -> Option<String> {
        match note {
            ReadingNote::Text(note) => Some(note.clone()),
            ReadingNote::AssumedMeaning(start, end, meaning) => {
                let words = self.unread_words(*start, *end)?.words;
                Some(format!("`{words}` was taken as {meaning}"))
            }
        }
    }

    fn unread_words(&self, start: usize, end: usize) -> Option<UnreadWords> {
        let (first, last) = (self.tokens.get(start)?, self.tokens.get(end.checked_sub(1)?)?);
        let length = last.end.saturating_sub(first.start);
        let words = self.sentence.chars().skip(first.start).take(length).collect();
        Some(UnreadWords { words, at: first.start })
    }
}
