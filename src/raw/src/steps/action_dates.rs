//! Moves an action of a list to the session in which prices have its move, if they contradict its ex-date and one session alone fits.
//!
//! The list may have the record date, or the first day on which a vendor saw the new price. Without this, prices would be adjusted on a
//! day on which they did not move, by the whole ratio of the action.

use chrono::{Days, NaiveDate};

use crate::domain::bar::Bar;
use crate::error::RawError;
use crate::records::positioned_row::PositionedRow;
use crate::reference_data::WrittenAction;
use crate::report::examples;
use crate::steps::one_date::{ConfirmingPrices, MOST_OPEN_RATIO, ORDINARY_FACTORS};
use parquote_catalogue::digits::counted;

/// Maximum number of days between the written date and the session of the move.
const MOST_DAYS: u64 = 45;
/// Maximum ratio between the price that an action implies and the close of the day of the move, or an open that agrees with the written
/// date.
const MOST_LIKELY_RATIO: f64 = 1.25;

/// Moves rows of lists to the session in which prices have their move, and returns a sentence on them for the report. The rows are sorted
/// by symbol and date; those of one date are moved together.
pub(crate) fn date_by_prices(
    list_rows: &mut [PositionedRow<WrittenAction>],
    prices: &ConfirmingPrices<'_>,
) -> Result<Option<String>, RawError> {
    let mut moved = Vec::new();
    for of_symbol in list_rows.chunk_by_mut(|a, b| a.row.symbol == b.row.symbol) {
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
                placed.row.is_moved = true;
            }
        }
    }
    Ok(report_moves(&moved))
}

fn report_moves(moved: &[String]) -> Option<String> {
    (!moved.is_empty()).then(|| {
        let dates = counted(moved.len(), "date of an action is", "dates of actions are");
        format!("{dates} moved to the session in which prices have the move: {}", examples(moved, ", "))
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
    let (mut is_contradicted, mut candidate) = (false, None);
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
            if candidate.is_some() {
                return None;
            }
            candidate = Some(bar.date);
        }
    }
    candidate.filter(|_| is_contradicted)
}
