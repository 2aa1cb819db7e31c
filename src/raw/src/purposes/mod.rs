//! Parser of the exchange's words for a corporate action: `FV SPLT FRM RS 10 TO RS 2/BONUS 1:1`, `INTDIV - RS 5 PER SH`.
//!
//! The words are in the files of `queries/purposes`; the code interprets the figures after them. If a part cannot be read, the whole factor
//! or amount is unknown; words that no file has are reported.

mod pieces;
mod words;

use std::sync::LazyLock;

use self::pieces::{Number, PurposePiece, pieces};
pub use self::words::PurposeWords;
use self::words::{WordRole, WordsFile};
use crate::domain::event_kind::EventKind;
use parquote_catalogue::operation::{Catalogue, DeclarationError, embedded_files, read_toml};

/// A parsed purpose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedPurpose {
    /// The splits and bonuses, each with the factor that multiplies earlier prices; `None` if one cannot be read.
    pub(crate) parts: Option<Vec<(EventKind, f64)>>,
    /// Sum of the dividends per share; `Some(None)` if a dividend has no amount.
    #[expect(clippy::option_option, reason = "there is none, it has no amount, or it has one")]
    pub dividend: Option<Option<f64>>,
    /// Amount of the special dividends per share.
    pub(crate) special: f64,
    /// True if shareholders get shares of another company.
    pub(crate) is_demerger: bool,
    /// The words that are in no file.
    pub(crate) unknown: Vec<String>,
    kinds: Vec<EventKind>,
}

/// The folder of the files of words.
const FOLDER: &str = "purposes/";

/// Effect of an action on prices.
enum PriceEffect {
    None,
    Factor(EventKind, f64),
    Unread,
}

impl PurposeWords {
    /// Reads the words of a catalogue.
    ///
    /// # Errors
    /// A file is no valid list of words.
    pub fn from_catalogue(catalogue: &Catalogue) -> Result<Self, DeclarationError> {
        let mut words = Self::default();
        for (path, text) in catalogue.declarations(FOLDER) {
            let file: WordsFile = read_toml(text).map_err(|(line, message)| DeclarationError {
                file: path.to_owned(),
                line,
                message,
            })?;
            words.add(&file);
        }
        Ok(words)
    }

    /// Returns the built-in words.
    pub fn built_in() -> &'static Self {
        static SHIPPED_WORDS: LazyLock<PurposeWords> = LazyLock::new(|| {
            let files = embedded_files().iter().filter(|(path, _)| path.starts_with(FOLDER));
            let mut words = PurposeWords::default();
            files.filter_map(|(_, text)| read_toml(text).ok()).for_each(|file| words.add(&file));
            words
        });
        &SHIPPED_WORDS
    }

    /// Parses a purpose.
    pub fn read(&self, purpose: &str) -> ParsedPurpose {
        let pieces = pieces(purpose, self);
        let mut parsed = ParsedPurpose { parts: Some(Vec::new()), ..ParsedPurpose::default() };
        let actions: Vec<(usize, WordRole)> = pieces.iter().enumerate().filter_map(action_role).collect();
        if actions.is_empty() {
            parsed.add_effect(effect_without_word(&pieces));
        }
        let mut from = 0;
        for (n, (at, role)) in actions.iter().enumerate() {
            let next = actions.get(n + 1);
            let end = next.map_or(pieces.len(), |(at, _)| *at);
            let before = pieces.get(from..*at).unwrap_or_default();
            let mut span = pieces.get(at + 1..end).unwrap_or_default();
            // `1:1 BONUS`, `RS 5 DIVIDEND`: the figures come before the first word.
            if n == 0
                && numbers(span).next().is_none()
                && (!role.may_be_dividend() || money(before).next().is_some())
            {
                span = before;
            }
            parsed.add_action(*role, before, span, next.map(|(_, role)| *role));
            from = at + 1;
        }
        let reports_unknown = actions.is_empty()
            || !matches!(parsed.kind(), EventKind::Merger | EventKind::Rights | EventKind::Buyback);
        let unknown = pieces.iter().filter_map(|piece| match piece {
            PurposePiece::Unknown(word) if reports_unknown && word.len() > 1 => Some(word.clone()),
            _ => None,
        });
        parsed.unknown = unknown.collect();
        parsed
    }
}

impl ParsedPurpose {
    /// Returns the kind; of several the first of split, bonus, rights, buyback, merger.
    pub(crate) fn kind(&self) -> EventKind {
        self.kinds.iter().min().copied().unwrap_or(EventKind::Other)
    }

    /// Returns the product of the factors of splits and bonuses, which multiplies earlier prices.
    pub(crate) fn factor(&self) -> Option<f64> {
        let parts = self.parts.as_ref().filter(|parts| !parts.is_empty())?;
        let factor: f64 = parts.iter().map(|(_, factor)| factor).product();
        // A factor outside this range is a misprint.
        (1e-3..=1e3).contains(&factor).then_some(factor).filter(|factor| (factor - 1.0).abs() > f64::EPSILON)
    }

    /// Returns the parts that could not be read; empty if all were.
    pub fn unread(&self) -> String {
        let factor = self.parts.is_none().then_some("factor");
        let dividend = (self.dividend == Some(None)).then_some("dividend");
        let words = self.unknown.iter().map(String::as_str);
        factor.into_iter().chain(dividend).chain(words).collect::<Vec<_>>().join(", ")
    }

    fn add_action(
        &mut self,
        role: WordRole,
        before: &[PurposePiece],
        span: &[PurposePiece],
        next: Option<WordRole>,
    ) {
        match role {
            // `SPLIT (SUB-DIVISION)` names the split twice.
            WordRole::Split | WordRole::Consolidation
                if numbers(span).next().is_none()
                    && matches!(next, Some(WordRole::Split | WordRole::Consolidation)) => {}
            WordRole::Split | WordRole::Consolidation => {
                self.kinds.push(EventKind::Split);
                self.add_effect(split_effect(span, role == WordRole::Consolidation));
            }
            WordRole::Special if money(span).count() > 1 && has(span, WordRole::To) => {
                self.add_action(WordRole::Split, before, span, next);
            }
            WordRole::Bonus => {
                self.kinds.push(EventKind::Bonus);
                self.add_effect(bonus_effect(before, span));
            }
            WordRole::Rights => self.kinds.push(EventKind::Rights),
            WordRole::Buyback => self.kinds.push(EventKind::Buyback),
            WordRole::Merger => self.kinds.push(EventKind::Merger),
            WordRole::Demerger => {
                self.kinds.push(EventKind::Merger);
                self.is_demerger = true;
            }
            _ if role.may_be_dividend() => {
                self.add_dividend(role, before, span, next);
            }
            _ => {}
        }
    }

    fn add_effect(&mut self, effect: PriceEffect) {
        match (effect, &mut self.parts) {
            (PriceEffect::Factor(kind, factor), Some(parts)) => {
                self.kinds.push(kind);
                parts.push((kind, factor));
            }
            (PriceEffect::Unread, parts) => *parts = None,
            _ => {}
        }
    }

    fn add_dividend(
        &mut self,
        role: WordRole,
        before: &[PurposePiece],
        span: &[PurposePiece],
        next: Option<WordRole>,
    ) {
        if has(span, WordRole::Foreign) {
            self.dividend = Some(None);
            return;
        }
        let paid = amounts(span);
        let goes_on = next.is_some_and(WordRole::may_be_dividend) && !span.contains(&PurposePiece::Break);
        let is_special = matches!(role, WordRole::Special | WordRole::SpecialDividend);
        self.special += paid.filter(|_| is_special).unwrap_or_default();
        let own_words = before.iter().rev().take_while(|piece| matches!(piece, PurposePiece::Role(_)));
        let is_part = own_words.take(3).any(|piece| *piece == PurposePiece::Role(WordRole::Within));
        match (paid, self.dividend) {
            (Some(_), Some(Some(_))) if is_part => {}
            // `SPECIAL INTERIM DIVIDEND` is one dividend.
            (None, _) if goes_on || !matches!(role, WordRole::Dividend | WordRole::SpecialDividend) => {}
            (None, _) | (_, Some(None)) => self.dividend = Some(None),
            (Some(paid), before) => self.dividend = Some(Some(paid + before.flatten().unwrap_or_default())),
        }
    }
}

fn action_role((at, piece): (usize, &PurposePiece)) -> Option<(usize, WordRole)> {
    match piece {
        PurposePiece::Role(role) if role.is_action() => Some((at, *role)),
        _ => None,
    }
}

fn has(span: &[PurposePiece], role: WordRole) -> bool {
    span.contains(&PurposePiece::Role(role))
}

fn numbers(span: &[PurposePiece]) -> impl Iterator<Item = Number> {
    span.iter().filter_map(|piece| match piece {
        PurposePiece::Number(number) if !number.is_percent => Some(*number),
        _ => None,
    })
}

fn money(span: &[PurposePiece]) -> impl Iterator<Item = f64> {
    numbers(span).filter(|number| number.is_money).map(|number| number.value)
}

/// Interprets two face values with a `to` between them as a split.
fn effect_without_word(pieces: &[PurposePiece]) -> PriceEffect {
    if has(pieces, WordRole::To) && money(pieces).count() == 2 {
        split_effect(pieces, false)
    } else {
        PriceEffect::None
    }
}

/// Returns new over old face value; without face values the numbers of shares, where a split increases and a consolidation reduces them.
fn split_effect(span: &[PurposePiece], is_consolidation: bool) -> PriceEffect {
    let values: Vec<f64> = money(span).collect();
    let factor = if let [before, .., after] = values.as_slice() {
        after / before
    } else {
        let shares: Vec<f64> = numbers(span).map(|number| number.value).collect();
        let [one, other] = shares.as_slice() else { return PriceEffect::Unread };
        if values.len() == 1 {
            other / one
        } else if is_consolidation {
            one.max(*other) / one.min(*other)
        } else {
            one.min(*other) / one.max(*other)
        }
    };
    factor_effect(EventKind::Split, factor)
}

/// Returns old over all shares: a bonus `a:b` gives `a` new shares for `b` old ones.
fn bonus_effect(before: &[PurposePiece], span: &[PurposePiece]) -> PriceEffect {
    let own_words = before.rsplit(|piece| *piece == PurposePiece::Break).next().unwrap_or_default();
    if has(span, WordRole::NoShares) || has(own_words, WordRole::NoShares) {
        return PriceEffect::None;
    }
    let first =
        span.split(|piece| *piece == PurposePiece::Break).find(|words| numbers(words).next().is_some());
    let shares: Vec<f64> = numbers(first.unwrap_or_default()).map(|number| number.value).collect();
    let is_ratio = span.contains(&PurposePiece::Colon) || has(span, WordRole::For) || has(span, WordRole::To);
    // `1 BONUS SHARE FOR EVERY 2`.
    let (new, old) = match (shares.as_slice(), numbers(own_words).last()) {
        ([new, old, ..], _) if is_ratio => (*new, *old),
        ([old], Some(new)) if is_ratio => (new.value, *old),
        _ => return PriceEffect::Unread,
    };
    factor_effect(EventKind::Bonus, old / (new + old))
}

fn factor_effect(kind: EventKind, factor: f64) -> PriceEffect {
    if factor.is_finite() && factor > 0.0 { PriceEffect::Factor(kind, factor) } else { PriceEffect::Unread }
}

/// Sums the amounts paid per share: amounts of money, or plain figures if there are none. Face values, years and percents are no amounts.
fn amounts(span: &[PurposePiece]) -> Option<f64> {
    let is_money = money(span).next().is_some();
    let (mut sum, mut role_before, mut is_face) = (None, None, false);
    for (at, piece) in span.iter().enumerate() {
        match piece {
            PurposePiece::Break => (role_before, is_face) = (None, false),
            PurposePiece::Role(WordRole::Share) if sum.is_some() => is_face = true,
            PurposePiece::Role(role) => {
                role_before = Some(*role).filter(|role| !matches!(role, WordRole::Filler)).or(role_before);
            }
            PurposePiece::Number(number) => {
                let is_year = !number.is_money
                    && (1990.0..2100.0).contains(&number.value)
                    && number.value.fract() == 0.0;
                let is_of_ratio = span.get(at + 1) == Some(&PurposePiece::Colon)
                    || at.checked_sub(1).and_then(|at| span.get(at)) == Some(&PurposePiece::Colon);
                let is_amount = number.is_money == is_money
                    && !(number.is_percent || is_year || is_of_ratio || is_face)
                    && !(is_no_amount(span, at) || role_before == Some(WordRole::Year));
                if is_amount && number.value > 0.0 {
                    sum = Some(sum.unwrap_or_default() + number.value);
                }
                role_before = None;
            }
            _ => {}
        }
    }
    sum
}

/// Returns true if the words right before a figure make it a face value, or a part of the amount before.
fn is_no_amount(span: &[PurposePiece], at: usize) -> bool {
    let before = span.get(..at).unwrap_or_default().iter().rev();
    let mut words = before.take_while(|piece| matches!(piece, PurposePiece::Role(_)));
    words.any(|piece| matches!(piece, PurposePiece::Role(WordRole::Face | WordRole::Within)))
}

#[cfg(test)]
mod tests;
