//! Figures against figures: `ROCE above ROE`, `PE below the sector's median`, `ROE above 1.5 times the industry median`.

use super::bounds::opposite;
use super::field::{Field, FieldKind, FieldUnit};
use super::filter::{ComparisonOperand, Filter, Test};
use super::moves::is_extreme;
use super::quantities::NumberSuffix;
use super::reader::SentenceReader;
use super::word::Word;
use super::wording;

/// A comparison with another figure, with the index of the piece after it.
type FigureComparison = (Test, ComparisonOperand, usize);

impl<'a> SentenceReader<'a> {
    /// Reads a comparison of fields with another figure; `None` if there is none at this piece.
    pub(super) fn read_figure_comparison(&self, fields: &[&'a Field], at: usize) -> Option<FigureComparison> {
        let (word, at) = match (self.word(at)?, self.word(at + 1)) {
            (Word::Not, Some(word)) => (opposite(word)?, at + 2),
            (word, _) => (word, at + 1),
        };
        let times = self.quantity(at).filter(|quantity| quantity.suffix == NumberSuffix::Times);
        let at = at + usize::from(times.is_some());
        let times = times.map_or(1.0, |quantity| quantity.number);
        let test = match word {
            Word::Above => Test::Above(times),
            Word::AtLeast => Test::AtLeast(times),
            Word::Below => Test::Below(times),
            Word::AtMost => Test::AtMost(times),
            _ => return None,
        };
        let median = |group| {
            // The name of the compared figure may follow, as in `the industry PE`.
            let is_named =
                self.field(at + 1).is_some_and(|named| fields == [named] && !self.starts_condition(at + 1));
            Some((test, ComparisonOperand::MedianOf(group), at + 1 + usize::from(is_named)))
        };
        match self.word(at) {
            Some(Word::SectorMedian) => median("sector"),
            Some(Word::IndustryMedian) => median("industry"),
            _ => {
                let other = self.field(at).filter(|other| other.is_number() && !is_extreme(other))?;
                (!self.starts_condition(at))
                    .then(|| (test, ComparisonOperand::Field(other.name.clone()), at + 1))
            }
        }
    }

    /// Returns true if a bound follows the field at a piece, so that the field starts another condition.
    fn starts_condition(&self, at: usize) -> bool {
        self.bound(at + 1).is_some()
    }

    /// Adds the comparison of fields with another figure.
    pub(super) fn add_comparison(
        &mut self,
        fields: &[&'a Field],
        any: bool,
        compared: &FigureComparison,
        start: usize,
    ) {
        let (test, than, end) = compared;
        self.position = *end;
        let mut built = Vec::new();
        for field in fields {
            if let Some(missing) = self.incomparable_reason(field, than) {
                self.add_note(missing);
                return self.mark_unread(start, *end);
            }
            built.push(Filter::Against { field: field.name.clone(), test: *test, than: than.clone() });
        }
        if let ComparisonOperand::MedianOf(_) = than {
            let words: Vec<String> =
                built.iter().map(|filter| wording::filter_words(filter, self.fields)).collect();
            self.note_meaning(start, *end, words.join(" and "));
        }
        self.add_conditions(built, any);
    }

    /// Returns the reason why two figures cannot be compared, if there is one.
    fn incomparable_reason(&self, field: &Field, than: &ComparisonOperand) -> Option<String> {
        let missing = |label: &str| Some(format!("{label} is known of no stock in this data"));
        if self.fields.find(&field.name).is_none() {
            return missing(&field.label);
        }
        let name = than.name();
        match than {
            ComparisonOperand::MedianOf(group) if self.fields.find(group).is_none() => missing(group),
            ComparisonOperand::MedianOf(_) => None,
            ComparisonOperand::Field(_) => match self.fields.find(&name) {
                None => missing(self.fields.declared_field(&name).map_or(&name, |other| &other.label)),
                Some(other) if other.name != field.name && have_comparable_units(field, other) => None,
                Some(other) => Some(format!("{} cannot be compared with {}", field.label, other.label)),
            },
        }
    }
}

/// Returns true if two figures have comparable units. A ratio is comparable with a percentage, as in a P/E below the growth.
fn have_comparable_units(field: &Field, other: &Field) -> bool {
    match (&field.kind, &other.kind) {
        (FieldKind::Number(one), FieldKind::Number(two)) => {
            let is_share = |unit: FieldUnit| matches!(unit, FieldUnit::Percent | FieldUnit::Ratio);
            one == two || (is_share(*one) && is_share(*two))
        }
        _ => false,
    }
}
