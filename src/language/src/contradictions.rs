//! Finds conditions that no stock can meet together.

use super::field::{FieldKind, TextValues};
use super::fields::Fields;
use super::filter::{Filter, Test};
use super::wording;

/// Returns one sentence for each pair of conditions that the filter requires and that cannot both hold.
pub(super) fn contradictions(filter: &Filter, fields: &Fields) -> Vec<String> {
    match filter {
        Filter::All(filters) => {
            let mut sentences: Vec<String> =
                filters.iter().flat_map(|filter| contradictions(filter, fields)).collect();
            for (position, first) in filters.iter().enumerate() {
                for second in filters
                    .iter()
                    .skip(position + 1)
                    .filter(|second| exclude_each_other(first, second, fields))
                {
                    let (first, second) =
                        (wording::filter_words(first, fields), wording::filter_words(second, fields));
                    sentences
                        .push(format!("{first} and {second} cannot both hold: no stock meets the screen"));
                }
            }
            sentences
        }
        Filter::Any(filters) => filters.iter().flat_map(|filter| contradictions(filter, fields)).collect(),
        _ => Vec::new(),
    }
}

fn exclude_each_other(first: &Filter, second: &Filter, fields: &Fields) -> bool {
    match (first, second) {
        (Filter::Number { field: a, test: first }, Filter::Number { field: b, test: second }) => {
            a == b && !overlap(*first, *second)
        }
        (Filter::Flag { field: a, is: first }, Filter::Flag { field: b, is: second }) => {
            a == b && first != second
        }
        (Filter::Text { field: a, one_of: first }, Filter::Text { field: b, one_of: second }) => {
            a == b && !has_several(a, fields) && !first.iter().any(|text| second.contains(text))
        }
        (Filter::Not(negated), Filter::Text { field: b, one_of })
        | (Filter::Text { field: b, one_of }, Filter::Not(negated)) => {
            matches!(&**negated, Filter::Text { field: a, one_of: excluded }
                if a == b && one_of.iter().all(|text| excluded.contains(text)))
        }
        _ => false,
    }
}

/// Returns true if a stock may have several texts of a field at once, such as several indices.
fn has_several(field: &str, fields: &Fields) -> bool {
    fields
        .declared_field(field)
        .is_some_and(|field| matches!(field.kind, FieldKind::Text(TextValues::Indices)))
}

/// Returns true if some number satisfies both tests.
fn overlap(first: Test, second: Test) -> bool {
    let ((low_a, high_a), (low_b, high_b)) = (bounds(first), bounds(second));
    let (low, high) = (low_a.max(low_b), high_a.min(high_b));
    low < high || (low <= high && first.holds(low) && second.holds(low))
}

/// Returns the smallest and the largest number that may satisfy a test; a bound itself may be excluded.
fn bounds(test: Test) -> (f64, f64) {
    match test {
        Test::AtLeast(bound) | Test::Above(bound) => (bound, f64::INFINITY),
        Test::AtMost(bound) | Test::Below(bound) => (f64::NEG_INFINITY, bound),
        Test::Equal(bound) => (bound, bound),
        Test::Between(low, high) => (low, high),
    }
}
