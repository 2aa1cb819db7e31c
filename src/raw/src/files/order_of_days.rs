//! Detects whether the dates of a file have the day or the month first, if its source writes days first: files saved again by other
//! programs may have the order of the user's country.

use std::io::Read;

use chrono::NaiveDate;

use parquote_encodings::rows::{self, RowEncoding};
use parquote_encodings::text::cells::CellRecord;
use parquote_encodings::text::dates::{self, DayOrder, SeenDays};

/// Returns the order of day and month in these columns. A number above 12 decides it, else the file's name if all dates equal its date.
pub(super) fn order_of_days(
    encoding: RowEncoding,
    reader: &mut dyn Read,
    columns: &[usize],
    date_in_name: Option<NaiveDate>,
) -> DayOrder {
    let (mut seen, mut all_match_name) = (SeenDays::default(), true);
    let mut see = |record: &CellRecord| {
        let mut is_written = false;
        for cell in columns.iter().map(|position| record.cell(*position)) {
            is_written |= !seen.add(cell) && dates::in_cell(cell).is_some();
            all_match_name &= dates::parse_numbered(cell).is_none_or(|date| date.day_first == date_in_name);
        }
        !is_written && !seen.is_settled()
    };
    // Read errors are reported when the rows are read.
    rows::records(encoding, true, reader, &mut see).ok();
    match seen.order() {
        Some(DayOrder::Either) if all_match_name => DayOrder::First,
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
