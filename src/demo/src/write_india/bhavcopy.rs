//! `sec_bhavdata_full_DDMMYYYY.csv`: the full bhavcopy, one file per session.
//!
//! Long markets are packed as one zip per year, to limit the number of files. As in the official files a space follows each comma, prices
//! and the previous close are unadjusted, and BE rows have no delivery figure.

use chrono::Datelike;

use super::super::output::{Archive, OutputFolder, push_hundredths, push_whole};
use super::super::pending_bars::PendingBars;
use super::super::prices::{NseSeries, SimulatedBar};
use super::super::tick::{Minor, tick};
use super::super::world::World;
use super::super::{DemoError, MarketProgress};
use parquote_catalogue::operation::Market;

const HEADER: &str = "SYMBOL, SERIES, DATE1, PREV_CLOSE, OPEN_PRICE, HIGH_PRICE, LOW_PRICE, LAST_PRICE, CLOSE_PRICE, \
                      AVG_PRICE, TTL_TRD_QNTY, TURNOVER_LACS, NO_OF_TRADES, DELIV_QTY, DELIV_PER\n";

/// Least number of sessions of a market whose files are packed by year.
const PACK_FROM_SESSIONS: usize = 501;

/// Writes the files of all sessions under `prices/`.
pub(super) fn write(
    world: &World,
    output: &mut OutputFolder,
    step: &mut MarketProgress<'_>,
) -> Result<(), DemoError> {
    let mut readers = PendingBars::from_world(world);
    let mut text = Vec::new();
    let mut archive: Option<(i32, Archive)> = None;
    let is_packed = world.sessions() >= PACK_FROM_SESSIONS;
    for (session, date) in world.calendar.dates().iter().enumerate() {
        session_text(world, session, &mut readers, &mut text);
        let name = format!("sec_bhavdata_full_{}.csv", date.format("%d%m%Y"));
        if is_packed {
            let mut open = match archive.take() {
                Some((year, open)) if year == date.year() => open,
                finished => {
                    finished.map_or(Ok(()), |(_, done)| output.close(done))?;
                    output.archive(&format!("prices/{}.zip", date.year()))?
                }
            };
            open.member(&name, &text)?;
            archive = Some((date.year(), open));
        } else {
            output.file(&format!("prices/{name}"), &text)?;
        }
        step.report("price files", session as u64 + 1, world.sessions() as u64);
    }
    archive.map_or(Ok(()), |(_, done)| output.close(done))
}

/// Writes one session's file into `text`.
fn session_text(world: &World, session: usize, readers: &mut [PendingBars<'_>], text: &mut Vec<u8>) {
    let date = world.calendar.date(session);
    let date_text = date.format("%d-%b-%Y").to_string();
    text.clear();
    text.extend_from_slice(HEADER.as_bytes());
    for reader in readers {
        if let Some((previous, bar)) = reader.take_bar(session) {
            let tick = tick(Market::India, date, f64::from(bar.close));
            push_row(reader.symbol, &date_text, previous, bar, last_price(bar, tick), text);
        }
    }
}

/// Returns the last trade's price, at most a tick from the close; sometimes `None`, as in official files.
fn last_price(bar: &SimulatedBar, tick: Minor) -> Option<Minor> {
    let price = match bar.volume % 4 {
        0 => bar.close.saturating_sub(tick),
        1 => bar.close.saturating_add(tick),
        _ => bar.close,
    };
    (bar.volume % 4_001 != 17).then_some(price.clamp(bar.low, bar.high))
}

fn push_row(
    symbol: &str,
    date: &str,
    previous: Minor,
    bar: &SimulatedBar,
    last: Option<Minor>,
    text: &mut Vec<u8>,
) {
    for cell in [symbol, bar.series.word(), date] {
        text.extend_from_slice(cell.as_bytes());
        text.extend_from_slice(b", ");
    }
    let average = bar.average_price().clamp(u64::from(bar.low), u64::from(bar.high));
    for price in [Some(previous), Some(bar.open), Some(bar.high), Some(bar.low), last, Some(bar.close)] {
        if let Some(price) = price {
            push_hundredths(text, u64::from(price));
        }
        text.extend_from_slice(b", ");
    }
    let volume = u64::from(bar.volume);
    push_hundredths(text, average);
    text.extend_from_slice(b", ");
    push_whole(text, volume);
    text.extend_from_slice(b", ");
    // Paise x shares to hundredths of a lakh: 1 lakh is 10^7 paise.
    push_hundredths(text, average * volume / 100_000);
    text.extend_from_slice(b", ");
    push_whole(text, trade_count(average, volume));
    push_delivery(bar, text);
    text.push(b'\n');
}

/// Returns the number of trades, for an average trade of some ten thousand rupees.
fn trade_count(average: u64, volume: u64) -> u64 {
    let ticket = 1_000_000 + volume % 17 * 150_000;
    (average * volume / ticket).clamp(1, volume.max(1))
}

fn push_delivery(bar: &SimulatedBar, text: &mut Vec<u8>) {
    if bar.series == NseSeries::Be {
        text.extend_from_slice(b", -, -");
    } else {
        text.extend_from_slice(b", ");
        push_whole(text, u64::from(bar.delivered));
        text.extend_from_slice(b", ");
        push_hundredths(text, u64::from(bar.delivered) * 10_000 / u64::from(bar.volume.max(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_official_columns() {
        let bar = SimulatedBar {
            session: 0,
            series: NseSeries::Eq,
            open: 10_000,
            high: 10_400,
            low: 9_900,
            close: 10_100,
            volume: 1_000,
            delivered: 400,
        };
        let mut text = Vec::new();
        push_row("ABC", "02-Jan-2026", 9_950, &bar, Some(10_105), &mut text);
        // The average is (100 + 104 + 99 + 101)/4 = 101; 1,000 shares make 101,000 rupees, 1.01 lakh.
        let expected =
            "ABC, EQ, 02-Jan-2026, 99.50, 100.00, 104.00, 99.00, 101.05, 101.00, 101.00, 1000, 1.01, ";
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with(", 400, 40.00\n"), "{text}");
        assert_eq!(text.split(", ").count(), HEADER.split(", ").count());
    }
}
