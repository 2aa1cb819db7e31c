//! Dates an action of a list by the prices, if they contradict its ex-date and have its move in one other session of that time.
//!
//! The list may have the record date, or the first day on which a vendor saw the new price. Without this, prices would be adjusted on a
//! day on which they did not move, by the whole ratio of the action.

use std::ops::RangeInclusive;

use chrono::{Days, NaiveDate};

use crate::domain::bar::Bar;
use crate::error::RawError;
use crate::records::placed::PositionedRow;
use crate::reference_data::WrittenAction;
use crate::steps::one_date::ConfirmingPrices;
use parquote_catalogue::digits::counted;

/// Maximum number of days between the written date and the session of the move.
const MOST_DAYS: u64 = 45;
/// Factors near one: an ordinary session may have such a move.
const ORDINARY_FACTORS: RangeInclusive<f64> = 0.70..=1.45;
/// Maximum ratio of an open to the one that the action implies, on the day of its move.
const MOST_OPEN_RATIO: f64 = 1.05;
/// Maximum such ratio of the close of that day, and of an open by which the written date is not contradicted.
const MOST_LIKELY_RATIO: f64 = 1.25;

/// Moves rows of lists to the session in which prices have their move, and returns a sentence on them for the report. The rows are sorted
/// by symbol and date; those of one date are judged together.
pub(crate) fn date_by_prices(
    written: &mut [PositionedRow<WrittenAction>],
    prices: &ConfirmingPrices<'_>,
) -> Result<Option<String>, RawError> {
    let mut moved = Vec::new();
    for of_symbol in written.chunk_by_mut(|a, b| a.row.symbol == b.row.symbol) {
        let restated = of_symbol.first().map(|placed| prices.restated_from(&placed.row.symbol));
        let mut dates: Vec<NaiveDate> =
            of_symbol.iter().map(|placed| placed.row.ex_date).chain(restated.into_iter().flatten()).collect();
        for of_date in of_symbol.chunk_by_mut(|a, b| a.row.ex_date == b.row.ex_date) {
            let factor: f64 = of_date.iter().map(|placed| placed.row.factor).product();
            let Some(WrittenAction { symbol, ex_date, .. }) = of_date.first().map(|placed| &placed.row)
            else {
                continue;
            };
            let bars = if ORDINARY_FACTORS.contains(&factor) { None } else { prices.bars(symbol)? };
            let session = bars.and_then(|bars| session_of_move(&bars, *ex_date, factor, &dates));
            let Some(session) = session else { continue };
            moved.push(format!("{symbol} from {ex_date} to {session}"));
            dates.push(session);
            for placed in of_date {
                placed.row.ex_date = session;
            }
        }
    }
    Ok(report_moves(&moved))
}

fn report_moves(moved: &[String]) -> Option<String> {
    const MOST_SHOWN: usize = 8;
    let more = if moved.len() > MOST_SHOWN { ", ..." } else { "" };
    let named = moved.iter().take(MOST_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    (!moved.is_empty()).then(|| {
        let dates = counted(moved.len(), "date of an action is", "dates of actions are");
        format!("{dates} moved to the session in which prices have the move: {named}{more}")
    })
}

/// Returns the only session near the date `written` whose prices move as an action with this factor moves them. Returns `None` if prices
/// agree with `written`, if several sessions have such a move, or if another event explains it. `dates` are those of such events: the
/// symbol's other actions, and the days from which a newer file restates its prices.
fn session_of_move(bars: &[Bar], written: NaiveDate, factor: f64, dates: &[NaiveDate]) -> Option<NaiveDate> {
    let most = Days::new(MOST_DAYS);
    let (first, last) = (written.checked_sub_days(most)?, written.checked_add_days(most)?);
    let start = bars.partition_point(|bar| bar.date < first);
    let around = bars.get(start..)?;
    let around = around.get(..around.partition_point(|bar| bar.date <= last))?;
    let (mut is_contradicted, mut found) = (false, None);
    for (before, bar) in around.iter().zip(around.iter().skip(1)) {
        let is_within = |price: f64, most: f64| (price / (before.close() * factor)).ln().abs() <= most.ln();
        let [open, .., close] = bar.prices;
        let is_explained = dates.iter().any(|date| before.date < *date && *date <= bar.date);
        if before.date < written && written <= bar.date {
            if is_within(open, MOST_LIKELY_RATIO) {
                return None;
            }
            is_contradicted = true;
        } else if is_within(open, MOST_OPEN_RATIO) && is_within(close, MOST_LIKELY_RATIO) && !is_explained {
            if found.is_some() {
                return None;
            }
            found = Some(bar.date);
        }
    }
    found.filter(|_| is_contradicted)
}
