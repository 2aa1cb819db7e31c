//! Invented identifiers in place of those of the SEC and CUSIP Global Services: filers, submissions, securities.
//!
//! Companies, persons and investors have separate ranges, all above 9,000,000,000.

use chrono::{Datelike, NaiveDate};

/// Returns the CIK of a company.
pub(super) const fn company_cik(ordinal: usize) -> u64 {
    9_000_000_001 + ordinal as u64
}

/// Returns the CIK of an insider of a company.
pub(super) const fn insider_cik(ordinal: usize, number: usize) -> u64 {
    9_100_000_001 + (ordinal * 10 + number) as u64
}

/// Returns the CIK of an institutional investor.
pub(super) const fn investor_cik(number: usize) -> u64 {
    9_900_000_001 + number as u64
}

/// Formats a CIK with ten digits.
pub(super) fn format_cik(cik: u64) -> String {
    format!("{cik:010}")
}

/// Returns an accession number: the filer, the year, and the number of the filing within both.
pub(super) fn accession(cik: u64, filed: NaiveDate, number: usize) -> String {
    format!("{cik:010}-{:02}-{number:06}", filed.year() % 100)
}

/// Returns a well-formed CUSIP: an issuer that begins with Z, the first issue of shares, the check digit.
pub(super) fn cusip(ordinal: usize) -> String {
    let body = format!("Z{ordinal:05}10");
    format!("{body}{}", check_digit(&body))
}

/// Returns the check digit of a CUSIP (ANSI X9.6): every second value doubled, digits summed.
fn check_digit(body: &str) -> u32 {
    let values = body.chars().filter_map(|letter| letter.to_digit(36));
    let sum: u32 = values
        .enumerate()
        .map(|(index, value)| if index % 2 == 1 { 2 * value } else { value })
        .map(|value| value / 10 + value % 10)
        .sum();
    (10 - sum % 10) % 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_those_of_published_cusips() {
        // Apple 037833100, Alphabet class C 02079K107, Cisco 17275R102.
        assert_eq!(["03783310", "02079K10", "17275R10"].map(check_digit), [0, 7, 2]);
        assert_eq!(cusip(7).len(), 9);
    }
}
