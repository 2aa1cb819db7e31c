//! Digit grouping of numbers with commas, by market. The input is an already formatted number.

/// Sizes of digit groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DigitGroups {
    /// Groups of three: 1,234,567.
    Thousands,
    /// Groups of two above the thousands, as in India: 12,34,567.
    Lakhs,
}

/// Groups the digits of a decimal number's whole part; sign and fraction are unchanged.
pub fn grouped(number: &str, groups: DigitGroups) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(grouped(number, DigitGroups::Thousands), thousands);
            assert_eq!(grouped(number, DigitGroups::Lakhs), lakhs);
        }
    }
}
