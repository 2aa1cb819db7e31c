//! Writes a filter in words, so that a person can check it.

use super::field::{Field, FieldKind, FieldUnit, FlagSource};
use super::fields::Fields;
use super::filter::{ComparisonOperand, Filter, Test};
use parquote_catalogue::digits;
use parquote_catalogue::operation::Market;

/// Describes the filter in words, such as `price to earnings at most 15 and sector Power`.
pub fn filter_words(filter: &Filter, fields: &Fields) -> String {
    match filter {
        Filter::All(filters) if filters.is_empty() => "every stock".to_owned(),
        Filter::All(filters) => join_words(filters, " and ", fields),
        Filter::Any(filters) => join_words(filters, " or ", fields),
        Filter::Not(filter) => format!("not ({})", filter_words(filter, fields)),
        Filter::Number { field, test } => match fields.find(field) {
            Some(field) => limit(field, *test, fields.market()),
            None => format!("{field} {}", bounds(*test, |number| group_digits(number, Market::Us))),
        },
        Filter::Against { field, test, than } => {
            let other = match than {
                ComparisonOperand::Field(other) => label(other, fields).to_owned(),
                ComparisonOperand::MedianOf(group) => format!("the median of its {group}"),
            };
            let multiple = |times: f64| {
                if (times - 1.0).abs() > 0.0 {
                    format!("{} times {other}", digits::shortest(times))
                } else {
                    other.clone()
                }
            };
            format!("{} {}", label(field, fields), bounds(*test, multiple))
        }
        Filter::Text { field, one_of } => format!("{} {}", label(field, fields), one_of.join(" or ")),
        Filter::Flag { field, is } => flag(field, *is, fields),
    }
}

/// Describes a limit on a number.
pub(super) fn limit(field: &Field, test: Test, market: Market) -> String {
    format!("{} {}", field.label, bounds(test, |number| figure(number, &field.kind, market)))
}

fn join_words(filters: &[Filter], between: &str, fields: &Fields) -> String {
    let part = |filter: &Filter| match filter {
        Filter::All(parts) | Filter::Any(parts) if parts.len() > 1 => {
            format!("({})", filter_words(filter, fields))
        }
        filter => filter_words(filter, fields),
    };
    filters.iter().map(part).collect::<Vec<_>>().join(between)
}

fn label<'a>(name: &'a str, fields: &'a Fields) -> &'a str {
    fields.find(name).map_or(name, |field| &field.label)
}

fn flag(name: &str, is: bool, fields: &Fields) -> String {
    let label = label(name, fields);
    match (is, fields.find(name).map(|field| &field.kind)) {
        (true, _) => label.to_owned(),
        (false, Some(FieldKind::Flag(FlagSource::Above(..)))) => label.replacen(" above ", " not above ", 1),
        (false, _) => format!("not {label}"),
    }
}

fn bounds(test: Test, figure: impl Fn(f64) -> String) -> String {
    match test {
        Test::AtLeast(bound) => format!("at least {}", figure(bound)),
        Test::Above(bound) => format!("above {}", figure(bound)),
        Test::AtMost(bound) => format!("at most {}", figure(bound)),
        Test::Below(bound) => format!("below {}", figure(bound)),
        Test::Equal(bound) => format!("equal to {}", figure(bound)),
        Test::Between(low, high) => format!("between {} and {}", figure(low), figure(high)),
    }
}

fn figure(number: f64, kind: &FieldKind, market: Market) -> String {
    let digits = group_digits(number, market);
    match (kind, market) {
        (FieldKind::Number(FieldUnit::Percent), _) => format!("{digits} %"),
        (FieldKind::Number(FieldUnit::Crore), _) => format!("{digits} crore"),
        (FieldKind::Number(FieldUnit::BillionUsd), _) => format!("${digits} billion"),
        (FieldKind::Number(FieldUnit::Price), Market::India) => format!("Rs {digits}"),
        (FieldKind::Number(FieldUnit::Price), Market::Us) => format!("${digits}"),
        _ => digits,
    }
}

/// Groups the digits of a number by the market's rules.
fn group_digits(number: f64, market: Market) -> String {
    digits::group_number(number, market.digit_groups())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_as_the_market_does() {
        for (number, india, us) in [
            (500_000.0, "5,00,000", "500,000"),
            (33_000.0, "33,000", "33,000"),
            (1_234_567.5, "12,34,567.5", "1,234,567.5"),
            (-1_000.0, "-1,000", "-1,000"),
            (0.25, "0.25", "0.25"),
        ] {
            assert_eq!(group_digits(number, Market::India), india);
            assert_eq!(group_digits(number, Market::Us), us);
        }
    }
}
