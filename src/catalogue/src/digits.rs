//! Numbers in text: digit groups with commas, the shortest form of a number, and counts with their nouns.

use std::fmt::Display;

/// The sizes of digit groups in the integer part of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DigitGroups {
    /// Groups of three: 1,234,567.
    Thousands,
    /// Groups of two above the thousands, as in India: 12,34,567.
    Lakhs,
}

/// Groups the digits of the integer part of a decimal number; sign and fraction are unchanged.
pub fn group_digits(number: &str, groups: DigitGroups) -> String {
    let start = number.find(|c: char| c.is_ascii_digit()).unwrap_or(number.len());
    let (sign, digits) = number.split_at(start);
    let (whole, fraction) =
        digits.split_at(digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()));
    let upper = if groups == DigitGroups::Lakhs { 2 } else { 3 };
    let mut text = String::with_capacity(number.len() + whole.len() / upper);
    text.push_str(sign);
    for (position, digit) in whole.chars().enumerate() {
        let left = whole.len() - position;
        if position > 0 && (left == 3 || (left > 3 && (left - 3).is_multiple_of(upper))) {
            text.push(',');
        }
        text.push(digit);
    }
    text.push_str(fraction);
    text
}

/// Writes a number in the fewest digits that parse to the same number. From 1e15 on and below 1e-15 it has a power of ten, as in `1e-320`.
pub fn shortest(number: f64) -> String {
    if number == 0.0 || (1e-15..1e15).contains(&number.abs()) {
        return number.to_string();
    }
    format!("{number:e}")
}

/// Writes a number in its shortest form, with the digits grouped.
pub fn group_number(number: f64, groups: DigitGroups) -> String {
    group_digits(&shortest(number), groups)
}

/// Writes a count with the words for one or for many, such as `1 file is` or `1,200 files are`.
pub fn counted(count: impl Display + Copy, one: &str, many: &str) -> String {
    let number = count.to_string();
    let words = if number == "1" { one } else { many };
    format!("{} {words}", group_digits(&number, DigitGroups::Thousands))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_hundreds_of_places_is_a_power_of_ten() {
        for (number, expected) in [
            (0.0, "0"),
            (-1_234_567.5, "-1,234,567.5"),
            (0.000_25, "0.00025"),
            (999_999_999_999_999.0, "999,999,999,999,999"),
            (1e-320, "1e-320"),
            (-2.5e300, "-2.5e300"),
        ] {
            assert_eq!(group_number(number, DigitGroups::Thousands), expected);
            assert_eq!(shortest(number).parse(), Ok(number));
        }
    }

    #[test]
    fn one_has_the_singular_and_every_other_count_the_plural() {
        for (count, expected) in
            [(0, "0 dates are"), (1, "1 date is"), (21, "21 dates are"), (1_001, "1,001 dates are")]
        {
            assert_eq!(counted(count, "date is", "dates are"), expected);
        }
    }

    #[test]
    fn digits_are_grouped_as_a_market_writes_them() {
        for (number, thousands, lakhs) in [
            ("0", "0", "0"),
            ("999", "999", "999"),
            ("1000", "1,000", "1,000"),
            ("100000", "100,000", "1,00,000"),
            ("1234567", "1,234,567", "12,34,567"),
            ("-1234567.8912", "-1,234,567.8912", "-12,34,567.8912"),
            ("−0.25", "−0.25", "−0.25"),
            ("", "", ""),
        ] {
            assert_eq!(group_digits(number, DigitGroups::Thousands), thousands);
            assert_eq!(group_digits(number, DigitGroups::Lakhs), lakhs);
        }
    }
}
