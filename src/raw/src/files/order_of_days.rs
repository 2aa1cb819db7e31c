//! Detects whether the dates of a file have the day or the month first, if its source writes days first: files saved again by other
//! programs may have the order of the user's country.

use std::io::Read;

use chrono::NaiveDate;

use parquote_encodings::rows::{self, RowEncoding};
use parquote_encodings::text::cells::CellRecord;
use parquote_encodings::text::dates::{self, DayOrder, SeenDays};

/// Returns which number is the day in these columns: decided by a day above 12, else by all being the day in the file's name.
pub(super) fn order_of_days(
    encoding: RowEncoding,
    reader: &mut dyn Read,
    places: &[usize],
    named: Option<NaiveDate>,
) -> DayOrder {
    let (mut seen, mut are_named) = (SeenDays::default(), true);
    let mut see = |record: &CellRecord| {
        let mut is_written = false;
        for cell in places.iter().map(|position| record.cell(*position)) {
            is_written |= !seen.see(cell) && dates::in_cell(cell).is_some();
            are_named &= dates::parse_numbered(cell).is_none_or(|date| date.day_first == named);
        }
        !is_written && !seen.is_settled()
    };
    // Read errors are reported when the rows are read.
    rows::records(encoding, true, reader, &mut see).ok();
    match seen.order() {
        Some(DayOrder::Either) if are_named => DayOrder::First,
        order => order.unwrap_or(DayOrder::Either),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the order of days in a file with these dates and the name `named`.
    fn order(dates: &[&str], named: &str) -> DayOrder {
        let text = format!("SYMBOL,DATE\nA,{}\n", dates.join("\nA,"));
        order_of_days(RowEncoding::Csv, &mut text.as_bytes(), &[1], dates::only_day_in_name(named))
    }

    #[test]
    fn a_day_over_twelve_or_the_day_in_the_name_says_it() {
        assert_eq!(order(&["12/11/2025", "13/11/2025"], ""), DayOrder::First);
        assert_eq!(order(&["12/11/2025", "11/13/2025"], ""), DayOrder::Second);
        assert_eq!(order(&["12/11/2025", "01/12/2025"], ""), DayOrder::Either);
        assert_eq!(order(&["10/12/2025", "10/12/2025"], "10122025"), DayOrder::First);
        // A day close to that of the name fits both orders: nothing is guessed.
        assert_eq!(order(&["10/12/2025", "11/12/2025"], "10122025"), DayOrder::Either);
        assert_eq!(order(&["12-10-2025"], "10122025"), DayOrder::Either);
        assert_eq!(order(&["10-Dec-2025", "12/13/2025"], ""), DayOrder::Either);
    }
}
