//! Whether the dates of a file have the day or the month first, where its source writes days first: people save such files again with
//! programs that write them as their country does.

use std::io::Read;

use chrono::NaiveDate;

use crate::raw::encodings::rows::{self, RowEncoding};
use crate::raw::text::cells::CellRecord;
use crate::raw::text::dates::{self, DayOrder, SeenDays};

/// Which number is the day in the dates of these columns: by a day over 12, else by the day in the path, to which rows are near.
pub(super) fn order_of_days(
    (encoding, reader): (RowEncoding, &mut dyn Read),
    places: &[usize],
    named: Option<NaiveDate>,
) -> DayOrder {
    let mut seen = SeenDays::default();
    // How far the days are from that of the path, read either way.
    let (mut day_first, mut month_first) = (0, 0);
    let mut see = |record: &CellRecord| {
        let mut is_written = false;
        for cell in places.iter().map(|place| record.cell(*place)) {
            is_written |= !seen.see(cell) && dates::in_cell(cell).is_some();
            if let (Some(date), Some(named)) = (dates::numbered(cell), named) {
                let far = |date: Option<NaiveDate>| date.map_or(0, |date| (date - named).num_days().abs());
                day_first += far(date.day_first);
                month_first += far(date.month_first);
            }
        }
        !is_written && !seen.is_settled()
    };
    rows::records(encoding, true, reader, &mut see).ok();
    match seen.order() {
        Some(DayOrder::Either) if named.is_some() => {
            // Where every day is that of the path with its numbers swapped, the format says what becomes of it.
            if (1..day_first).contains(&month_first) { DayOrder::Second } else { DayOrder::First }
        }
        order => order.unwrap_or(DayOrder::Either),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of days in a file with these dates, in whose path this day stands.
    fn order(dates: &[&str], named: &str) -> DayOrder {
        let text = format!("SYMBOL,DATE\nA,{}\n", dates.join("\nA,"));
        order_of_days((RowEncoding::Csv, &mut text.as_bytes()), &[1], dates::in_name(named))
    }

    #[test]
    fn a_day_over_twelve_or_the_day_in_the_path_says_it() {
        assert_eq!(order(&["12/11/2025", "13/11/2025"], ""), DayOrder::First);
        assert_eq!(order(&["12/11/2025", "11/13/2025"], ""), DayOrder::Second);
        assert_eq!(order(&["12/11/2025", "01/12/2025"], ""), DayOrder::Either);
        // Events that are announced on 10 December are of that month.
        assert_eq!(order(&["12/11/2025", "12/12/2025"], "10122025"), DayOrder::Second);
        assert_eq!(order(&["11/12/2025", "12/12/2025"], "10122025"), DayOrder::First);
        // The swapped day itself is the format's to tell.
        assert_eq!(order(&["12-10-2025"], "10122025"), DayOrder::First);
        assert_eq!(order(&["10-Dec-2025", "12/13/2025"], ""), DayOrder::Either);
    }
}
