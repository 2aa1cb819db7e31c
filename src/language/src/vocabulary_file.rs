//! Strict parser of the files of `queries/language` that names the line of a mistake. The built-in files are examples of the form. A file
//! may have entries of every kind, so that one overlay file adds fields, adjectives and names of sectors.
//!
//! `market` at the top of a file applies to its fields, adjectives and names of sectors, industries, exchanges and indices; other words
//! apply to both markets.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value as Json;
use toml::Spanned;

use super::field::Field;
use super::filter::Filter;
use super::lexer;
use super::vocabulary::{Adjective, CategoryNames, Family, Superlative, Vocabulary};
use super::written_vocabulary::{
    AdjectiveTable, Entries, Phrases, SuperlativeTable, VocabularyFile, WrittenField,
};
use parquote_catalogue::operation::{
    Catalogue, DeclarationError, Market, bracketed_hint, line_of, read_toml,
};

/// A file, from which the line of a mistake is computed.
#[derive(Clone, Copy)]
struct WordSource<'a> {
    path: &'a str,
    text: &'a str,
    market: Option<Market>,
}

/// The state of reading: the vocabulary so far, and the phrases that already have a meaning.
#[derive(Default)]
struct VocabularyReading<'a> {
    vocabulary: Vocabulary,
    /// For each market and phrase, its entry, and the file and byte offset of its first occurrence.
    phrase_owners: HashMap<(Market, String), (PhraseOwner, WordSource<'a>, usize)>,
    /// Number of entries other than categories so far.
    entries: usize,
}

/// An entry that a phrase belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PhraseOwner {
    Category,
    /// The entry of this number, from 1.
    Other(usize),
}

impl Vocabulary {
    /// Reads the words of the query files.
    ///
    /// # Errors
    /// The first mistake in a file, at its line.
    pub fn from_catalogue(catalogue: &Catalogue) -> Result<Self, DeclarationError> {
        Self::parse(catalogue.declarations("language/"))
    }

    /// Reads files, each as its path below `queries/` and its text.
    ///
    /// # Errors
    /// As for [`Vocabulary::from_catalogue`].
    pub fn parse<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, DeclarationError> {
        let mut parsed_files = Vec::new();
        for (path, text) in files {
            let mistake = |(line, message)| DeclarationError { file: path.to_owned(), line, message };
            let file: VocabularyFile = read_toml(text).map_err(mistake)?;
            parsed_files.push((WordSource { path, text, market: file.market }, file));
        }
        let mut reading = VocabularyReading::default();
        for (source, file) in &mut parsed_files {
            reading.grammar(source, file)?;
            reading.fields(source, std::mem::take(&mut file.number))?;
            reading.fields(source, std::mem::take(&mut file.text))?;
            reading.fields(source, std::mem::take(&mut file.flag))?;
        }
        for (source, file) in parsed_files {
            reading.families(&source, file.family)?;
            reading.adjectives(&source, file.adjective)?;
            reading.superlatives(&source, file.superlatives)?;
            for (field, entries) in [
                ("sector", file.sectors),
                ("industry", file.industries),
                ("exchange", file.exchanges),
                ("indices", file.indices),
            ] {
                reading.read_categories(&source, field, entries)?;
            }
        }
        Ok(reading.vocabulary)
    }
}

impl<'a> VocabularyReading<'a> {
    /// Adds the grammar words, numbers, scales and units.
    fn grammar(
        &mut self,
        source: &WordSource<'a>,
        file: &mut VocabularyFile,
    ) -> Result<(), DeclarationError> {
        for (word, phrases) in in_order(std::mem::take(&mut file.words)) {
            let phrases = self.phrases(source, None, phrases)?;
            self.vocabulary.words.push((word.into_inner(), phrases));
        }
        let scales = |scales: &mut HashMap<String, f64>, is_indian| {
            std::mem::take(scales).into_iter().map(move |(word, by)| (word, (by, is_indian)))
        };
        self.vocabulary.scales.extend(scales(&mut file.scales, false));
        self.vocabulary.scales.extend(scales(&mut file.indian_scales, true));
        self.vocabulary.numbers.extend(std::mem::take(&mut file.numbers));
        self.vocabulary.passed_over.append(&mut file.passed_over);
        self.vocabulary.shared_last_words.append(&mut file.row);
        for (unit, words) in std::mem::take(&mut file.units) {
            self.vocabulary.units.extend(words.into_iter().map(|word| (word, unit)));
        }
        Ok(())
    }

    /// Adds fields, whose names must be unique in their market.
    fn fields<T: Into<WrittenField>>(
        &mut self,
        source: &WordSource<'a>,
        tables: Entries<String, T>,
    ) -> Result<(), DeclarationError> {
        for (name, table) in in_order(tables) {
            let WrittenField { mut field, phrases } = table.into();
            field.market = field.market.or(source.market);
            field.name.clone_from(name.get_ref());
            if !field.low.is_none_or(|low| field.high.is_some_and(|high| low <= high)) {
                return Err(source.error_at(&name, "`bounds` are two numbers, the smaller one first"));
            }
            let shares_market = |known: &Field| {
                known.market.is_none() || field.market.is_none() || known.market == field.market
            };
            if self.vocabulary.fields.iter().any(|known| known.name == field.name && shares_market(known)) {
                return Err(source.error_at(&name, format!("`{}` is declared already", field.name)));
            }
            field.phrases = self.phrases(source, field.market, phrases)?;
            self.vocabulary.fields.push(Arc::new(field));
        }
        Ok(())
    }

    fn families(
        &mut self,
        source: &WordSource<'a>,
        families: Vec<Spanned<Family>>,
    ) -> Result<(), DeclarationError> {
        for family in families {
            let Family { usual, over } = family.get_ref();
            if !over.contains_key(usual) {
                return Err(source.error_at(&family, "`usual` is none of the spans of `over`"));
            }
            over.values()
                .try_for_each(|name| self.check_field(name, Some("number")))
                .map_err(|why| source.error_at(&family, why))?;
            self.vocabulary.families.push(family.into_inner());
        }
        Ok(())
    }

    fn adjectives(
        &mut self,
        source: &WordSource<'a>,
        tables: Vec<AdjectiveTable>,
    ) -> Result<(), DeclarationError> {
        for AdjectiveTable { market, phrases, means, days: takes_days } in tables {
            if means.get_ref().is_empty() {
                return Err(source.error_at(&means, "`means` has at least one condition"));
            }
            let condition = |written: &Spanned<Json>| {
                self.condition(written.get_ref()).map_err(|why| source.error_at(written, why))
            };
            let meanings = means.get_ref().iter().map(condition).collect::<Result<_, _>>()?;
            let market = market.or(source.market);
            let phrases = self.phrases(source, market, phrases)?;
            self.vocabulary.adjectives.push(Arc::new(Adjective { market, phrases, meanings, takes_days }));
        }
        Ok(())
    }

    fn superlatives(
        &mut self,
        source: &WordSource<'a>,
        tables: Vec<SuperlativeTable>,
    ) -> Result<(), DeclarationError> {
        for SuperlativeTable { phrases, end, by, is_vague } in tables {
            for name in &by {
                self.check_field(name.get_ref(), Some("number")).map_err(|why| source.error_at(name, why))?;
            }
            let phrases = self.phrases(source, None, phrases)?;
            let default_fields = by.into_iter().map(Spanned::into_inner).collect();
            self.vocabulary.superlatives.push(Arc::new(Superlative {
                phrases,
                end,
                default_fields,
                is_vague,
            }));
        }
        Ok(())
    }

    fn read_categories(
        &mut self,
        source: &WordSource<'a>,
        field: &'static str,
        entries: Entries<String, Phrases>,
    ) -> Result<(), DeclarationError> {
        for (official, names) in in_order(entries) {
            let names = self.assign_phrases(source, source.market, names, PhraseOwner::Category)?;
            let official = official.into_inner().to_lowercase();
            let part = official.strip_prefix('*').and_then(|rest| rest.strip_suffix('*'));
            let (is_part, official) = (part.is_some(), part.unwrap_or(&official).to_owned());
            let category = CategoryNames { market: source.market, names, field, official, is_part };
            self.vocabulary.categories.push(category);
        }
        Ok(())
    }

    /// Parses a condition of an adjective; its fields must be declared.
    fn condition(&self, written: &Json) -> Result<Filter, String> {
        let filter = Filter::from_json(written)?;
        let leaves = filter.leaves();
        if leaves.is_empty() {
            return Err("the condition names no figure".to_owned());
        }
        let check = |leaf: &&Filter| self.check_field(leaf.field().unwrap_or_default(), leaf.kind_word());
        leaves.iter().try_for_each(check)?;
        Ok(filter)
    }

    /// Checks that a field is declared, and has the type of its use.
    fn check_field(&self, name: &str, kind: Option<&'static str>) -> Result<(), String> {
        let Some(field) = self.vocabulary.field(name) else {
            let names = self.vocabulary.fields.iter().map(|field| field.name.as_str());
            return Err(format!("no figure `{name}` is declared{}", bracketed_hint(name, names)));
        };
        match kind.filter(|kind| *kind != field.kind_word()) {
            None => Ok(()),
            Some(kind) => Err(format!("`{name}` is a {}; it is used as a {kind}", field.kind_word())),
        }
    }

    /// Returns the phrases of the next entry, with choices expanded.
    fn phrases(
        &mut self,
        source: &WordSource<'a>,
        market: Option<Market>,
        phrases: Phrases,
    ) -> Result<Vec<String>, DeclarationError> {
        self.entries += 1;
        self.assign_phrases(source, market, phrases, PhraseOwner::Other(self.entries))
    }

    /// Assigns phrases to an entry and returns them with choices expanded. A phrase of two entries in one market is an error.
    fn assign_phrases(
        &mut self,
        source: &WordSource<'a>,
        market: Option<Market>,
        phrases: Phrases,
        owner: PhraseOwner,
    ) -> Result<Vec<String>, DeclarationError> {
        let mut expanded = Vec::new();
        for phrase in phrases {
            for choice in choices(phrase.get_ref()) {
                let words: Vec<String> = lexer::tokens(&choice).into_iter().map(|token| token.text).collect();
                if words.is_empty() || choice.contains(['(', ')']) {
                    return Err(
                        source.error_at(&phrase, "a phrase is of words, with choices as in `(big|) bank`")
                    );
                }
                for market in Market::ALL.into_iter().filter(|it| market.is_none_or(|only| only == *it)) {
                    let occurrence = (owner, *source, phrase.span().start);
                    let (first_owner, first, at) =
                        *self.phrase_owners.entry((market, words.join(" "))).or_insert(occurrence);
                    if first_owner != owner {
                        let first = format!("{}:{}", first.path, line_of(first.text, at));
                        let why = format!("`{choice}` has a meaning in {first} already; a phrase has one");
                        return Err(source.error_at(&phrase, why));
                    }
                }
                expanded.push(choice);
            }
        }
        Ok(expanded)
    }
}

impl WordSource<'_> {
    fn error_at<T>(&self, at: &Spanned<T>, why: impl Into<String>) -> DeclarationError {
        let line = line_of(self.text, at.span().start);
        DeclarationError { file: self.path.to_owned(), line, message: why.into() }
    }
}

/// Returns the entries in file order.
fn in_order<K: Ord, T>(entries: Entries<K, T>) -> Vec<(Spanned<K>, T)> {
    let mut entries: Vec<_> = entries.into_iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries
}

/// Expands the choices within a phrase: `(big|) bank` gives `big bank` and ` bank`.
fn choices(phrase: &str) -> Vec<String> {
    let group = phrase.split_once('(').and_then(|(before, rest)| Some((before, rest.split_once(')')?)));
    let Some((before, (group, after))) = group else { return vec![phrase.to_owned()] };
    group.split('|').flat_map(|choice| choices(&format!("{before}{choice}{after}"))).collect()
}
