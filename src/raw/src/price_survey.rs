//! Survey of a whole price file: whether its dates have the day or the month first, and whether a file without a column of symbols is of
//! one stock.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use chrono::NaiveDate;

use crate::domain::reason::Reason;
use crate::files::source::RawSource;
use crate::records::price_columns::{PriceColumns, written_day};
use parquote_encodings::text::dates::{self, DayOrder, SeenDays};

pub(crate) struct FileSurvey {
    pub(crate) columns: PriceColumns,
    /// True if its rows are of several stocks, or of shorter periods than days.
    pub(crate) has_several_stocks: bool,
}

#[derive(Default)]
struct SeenRows {
    dates: SeenDays,
    days: HashSet<Vec<u8>>,
    rows: HashSet<u64>,
}

impl FileSurvey {
    /// Reads the dates of a file, unless the first one shows that no survey is needed.
    pub(crate) fn scan(source: &RawSource, columns: &PriceColumns) -> Self {
        let (is_written, is_of_one) = (columns.has_written_days, columns.is_of_one_symbol());
        let mut seen = SeenRows::default();
        if is_written || is_of_one {
            // Read errors are reported when the rows are read.
            source
                .records(|record| {
                    let cell = record.cell(columns.date);
                    let is_other = seen.dates.add(cell) || written_day(cell).is_err();
                    if is_of_one && !record.repeats(&source.header, columns.date) {
                        let mut hasher = DefaultHasher::new();
                        record.cells().iter().for_each(|cell| cell.trim_ascii().hash(&mut hasher));
                        seen.rows.insert(hasher.finish());
                        seen.days.insert(cell.to_vec());
                    }
                    is_of_one || is_other && !seen.dates.is_settled()
                })
                .ok();
        }
        let columns = match seen.dates.order().filter(|_| is_written) {
            Some(order) => columns.with_days(date_parser(order)),
            None => columns.clone(),
        };
        // A repeated day is a mistake of a row; if most are repeated, the file is no history of a stock.
        Self { columns, has_several_stocks: 2 * seen.rows.len() > 3 * seen.days.len() }
    }
}

type ParseDate = fn(&[u8]) -> Result<NaiveDate, Reason>;

/// Returns the parser of dates in numbers of this order.
fn date_parser(order: DayOrder) -> ParseDate {
    match order {
        DayOrder::First => parse_day_first,
        DayOrder::Second => parse_month_first,
        DayOrder::Either => parse_either_order,
    }
}

fn parse_day_first(cell: &[u8]) -> Result<NaiveDate, Reason> {
    written_day(cell)
        .or_else(|_| dates::parse_numbered(cell).and_then(|it| it.day_first).ok_or(Reason::BadDate))
}

fn parse_month_first(cell: &[u8]) -> Result<NaiveDate, Reason> {
    written_day(cell)
        .or_else(|_| dates::parse_numbered(cell).and_then(|it| it.month_first).ok_or(Reason::BadDate))
}

fn parse_either_order(cell: &[u8]) -> Result<NaiveDate, Reason> {
    written_day(cell).map_err(|_| match dates::parse_numbered(cell) {
        Some(_) => Reason::AmbiguousDate,
        None => Reason::BadDate,
    })
}
