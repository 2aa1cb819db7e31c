//! Closes of several symbols on their common sessions, and the daily log returns between these.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use serde::Serialize;

use super::closes::ClosingPrices;
use super::{FEWEST_RETURNS, MOST_SYMBOLS, RiskError};

/// Closes of 1 to 50 symbols on their last common sessions: at least 31 of them, ascending, all closes positive.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignedPrices {
    symbols: Vec<String>,
    sessions: Vec<NaiveDate>,
    closes: Vec<Vec<f64>>,
    span: MeasuredSpan,
    lookback: usize,
    left_out: usize,
    laggard: Option<Laggard>,
}

/// The symbol whose closes end first, if others have newer ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Laggard {
    pub(super) symbol: String,
    /// Largest number of sessions that another symbol has after the last common session.
    pub(super) newer_sessions: usize,
}

/// Sessions over which figures were measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MeasuredSpan {
    /// Date of the first session.
    pub from: NaiveDate,
    /// Date of the last session.
    pub to: NaiveDate,
    /// Number of sessions; there is one return fewer.
    pub count: usize,
}

/// Selects the last `lookback + 1` sessions that all series have, so that there are at most `lookback` returns. A series is a symbol with
/// its closes by session, in any order; `market` has the market's sessions, including those on which no symbol traded.
///
/// # Errors
/// See [`RiskError`]: the number of symbols, repeated symbols or sessions, closes that are not positive, a lookback under
/// 30, fewer than 30 returns between common sessions, and a symbol that lacks more than a tenth of the last `lookback + 1` sessions.
pub fn align(
    series: &[(String, Vec<(NaiveDate, f64)>)],
    market: &[NaiveDate],
    lookback: usize,
) -> Result<AlignedPrices, RiskError> {
    if series.is_empty() || series.len() > MOST_SYMBOLS {
        return Err(RiskError::SymbolCount { count: series.len(), fewest: 1 });
    }
    if lookback < FEWEST_RETURNS {
        return Err(RiskError::Lookback(lookback));
    }
    let symbols: Vec<String> = series.iter().map(|(symbol, _)| symbol.clone()).collect();
    if let Some((_, repeated)) = symbols
        .iter()
        .enumerate()
        .find(|&(index, symbol)| symbols.iter().take(index).any(|earlier| earlier == symbol))
    {
        return Err(RiskError::RepeatedSymbol(repeated.clone()));
    }
    let all = series
        .iter()
        .map(|(symbol, rows)| ClosingPrices::parse(symbol, rows))
        .collect::<Result<Vec<_>, _>>()?;
    let sessions = common_sessions(&all, lookback.saturating_add(1));
    let (Some(&from), Some(&to), true) = (sessions.first(), sessions.last(), sessions.len() > FEWEST_RETURNS)
    else {
        return Err(too_short(&symbols, &all, sessions.len().saturating_sub(1)));
    };
    if let Some(error) = incomplete_prices(&symbols, &all, market, lookback.saturating_add(1)) {
        return Err(error);
    }
    let closes = all
        .iter()
        .map(|one| sessions.iter().filter_map(|&session| one.close_of(session)).collect())
        .collect();
    let span = MeasuredSpan { from, to, count: sessions.len() };
    let left_out = count_left_out(&all, span);
    let laggard = laggard(&symbols, &all, to);
    Ok(AlignedPrices { symbols, sessions, closes, span, lookback, left_out, laggard })
}

impl AlignedPrices {
    /// Returns the symbols, in the order of the request.
    pub fn symbols(&self) -> &[String] {
        &self.symbols
    }

    /// Returns the common sessions, ascending.
    pub fn sessions(&self) -> &[NaiveDate] {
        &self.sessions
    }

    /// Returns the closes of each symbol, one per session.
    pub fn closes(&self) -> &[Vec<f64>] {
        &self.closes
    }

    /// Returns the requested number of returns; there may be fewer.
    pub fn lookback(&self) -> usize {
        self.lookback
    }

    /// Returns a lower bound for the number of sessions within the span on which some but not all symbols have a close.
    pub fn left_out_sessions(&self) -> usize {
        self.left_out
    }

    /// Returns the first and the last session, and their number.
    pub fn span(&self) -> MeasuredSpan {
        self.span
    }

    /// Returns the symbol whose closes end first; `None` if no other symbol has newer closes.
    pub(super) fn laggard(&self) -> Option<&Laggard> {
        self.laggard.as_ref()
    }

    /// Returns the daily log returns of each symbol, one fewer than sessions.
    pub(super) fn returns(&self) -> Vec<Vec<f64>> {
        self.closes.iter().map(|closes| log_returns(closes)).collect()
    }

    /// Returns a benchmark's log returns between the same sessions; `None` where it lacks a close at either end.
    pub(super) fn benchmark_returns(
        &self,
        benchmark: &[(NaiveDate, f64)],
    ) -> Result<Vec<Option<f64>>, RiskError> {
        let closes = ClosingPrices::parse("benchmark", benchmark)?;
        let logs: Vec<_> =
            self.sessions.iter().map(|&session| closes.close_of(session).map(f64::ln)).collect();
        Ok(logs.iter().zip(logs.iter().skip(1)).map(|(before, after)| Some((*after)? - (*before)?)).collect())
    }
}

/// Returns differences of logarithms, which unlike the logarithm of a ratio cannot overflow.
fn log_returns(closes: &[f64]) -> Vec<f64> {
    closes.iter().zip(closes.iter().skip(1)).map(|(before, after)| after.ln() - before.ln()).collect()
}

/// Returns the newest sessions that all series have, ascending.
fn common_sessions(all: &[ClosingPrices<'_>], most: usize) -> Vec<NaiveDate> {
    let Some(shortest) = all.iter().min_by_key(|one| one.len()) else { return Vec::new() };
    let has_all = |session: &NaiveDate| all.iter().all(|one| one.close_of(*session).is_some());
    let mut sessions: Vec<_> = shortest.newest_first().filter(has_all).take(most).collect();
    sessions.reverse();
    sessions
}

/// Returns an error for the symbol with the most missing closes in the newest `most` sessions, if they are more than a tenth: a return
/// across a gap would count as a daily one.
fn incomplete_prices(
    symbols: &[String],
    all: &[ClosingPrices<'_>],
    market: &[NaiveDate],
    most: usize,
) -> Option<RiskError> {
    let all_sessions = all.iter().flat_map(ClosingPrices::newest_first).chain(market.iter().copied());
    let sessions: Vec<NaiveDate> =
        all_sessions.collect::<BTreeSet<_>>().into_iter().rev().take(most).collect();
    let missed = |closes: &ClosingPrices<'_>| {
        sessions.iter().filter(|session| closes.close_of(**session).is_none()).count()
    };
    let (symbol, missed) = symbols.iter().zip(all.iter().map(missed)).max_by_key(|(_, missed)| *missed)?;
    let (from, to) = (*sessions.last()?, *sessions.first()?);
    (10 * missed > sessions.len()).then(|| RiskError::Patchy {
        symbol: symbol.clone(),
        missed,
        sessions: sessions.len(),
        from,
        to,
    })
}

fn laggard(symbols: &[String], all: &[ClosingPrices<'_>], to: NaiveDate) -> Option<Laggard> {
    let newer = all.iter().map(|one| one.newest_first().take_while(|session| *session > to).count()).max()?;
    let (symbol, _) = symbols.iter().zip(all).min_by_key(|(_, closes)| closes.newest_first().next())?;
    (newer > 0).then(|| Laggard { symbol: symbol.clone(), newer_sessions: newer })
}

fn count_left_out(all: &[ClosingPrices<'_>], MeasuredSpan { from, to, count }: MeasuredSpan) -> usize {
    let most = all.iter().map(|one| one.count_between(from, to)).max().unwrap_or(0);
    most.saturating_sub(count)
}

fn too_short(symbols: &[String], all: &[ClosingPrices<'_>], returns: usize) -> RiskError {
    let shortest = symbols.iter().zip(all).min_by_key(|(_, closes)| closes.len());
    let (symbol, closes, span) = shortest
        .map_or_else(Default::default, |(symbol, closes)| (symbol.clone(), closes.len(), closes.span()));
    RiskError::TooShort { returns, shortest: symbol, closes, span }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: u64) -> NaiveDate {
        NaiveDate::from_ymd_opt(2025, 1, 1).unwrap() + chrono::Days::new(number)
    }

    fn series(symbol: &str, days: impl Iterator<Item = u64>) -> (String, Vec<(NaiveDate, f64)>) {
        (symbol.to_owned(), days.map(|number| (day(number), 100.0 + number as f64)).collect())
    }

    #[test]
    fn the_last_common_sessions_are_taken_in_order() {
        let (a, mut b) = (series("A", 0..100), series("B", (0..102).filter(|day| day % 20 != 5)));
        b.1.reverse();
        let prices = align(&[a, b], &[], 40).unwrap();
        assert_eq!(prices.sessions().len(), 41);
        // Days 57 to 99 without 65 and 85: 43 - 2 = 41 sessions.
        assert_eq!(prices.span(), MeasuredSpan { from: day(57), to: day(99), count: 41 });
        assert_eq!(prices.left_out_sessions(), 2);
        // The longer series continues to day 101.
        assert_eq!(prices.laggard(), Some(&Laggard { symbol: "A".to_owned(), newer_sessions: 2 }));
        assert!(prices.sessions().is_sorted());
        assert_eq!(prices.closes()[0], prices.closes()[1]);
        assert_eq!(prices.closes()[1][7..9], [164.0, 166.0]);
        assert!((prices.returns()[1][7] - (166.0_f64 / 164.0).ln()).abs() < 1e-15);
    }

    #[test]
    fn a_short_history_is_named() {
        let refused = align(&[series("LONG", 0..300), series("YOUNG", 270..300)], &[], 252).unwrap_err();
        let words = refused.to_string();
        for part in ["only 29 returns", "`YOUNG` with 30 closes", "2025-09-28 to 2025-10-27"] {
            assert!(words.contains(part), "{words}");
        }
        assert!(align(&[series("LONG", 0..300), series("YOUNG", 269..300)], &[], 30).is_ok());
        let disjoint = align(&[series("A", 0..100), series("B", 200..310)], &[], 252).unwrap_err();
        assert!(matches!(disjoint, RiskError::TooShort { returns: 0, closes: 100, .. }), "{disjoint}");
        assert!(matches!(align(&[series("A", 0..0)], &[], 252), Err(RiskError::TooShort { closes: 0, .. })));
    }

    #[test]
    fn a_symbol_that_lacks_many_sessions_is_named() {
        // 300 sessions; one symbol lacks 25 of the last 251, another 26.
        let complete = series("WHOLE", 0..300);
        let patchy =
            |lacks: u64| series("PATCHY", (0..300).filter(move |day| !(100..100 + lacks).contains(day)));
        assert!(align(&[complete.clone(), patchy(25)], &[], 250).is_ok());
        let refused = align(&[complete.clone(), patchy(26)], &[], 250).unwrap_err();
        assert!(
            matches!(&refused, RiskError::Patchy { symbol, missed: 26, sessions: 251, .. } if symbol == "PATCHY")
        );
        assert!(refused.to_string().contains("leave it out"), "{refused}");
        // Alone it is compared with the sessions of the market.
        let market: Vec<NaiveDate> = (0..300).map(day).collect();
        assert!(align(&[patchy(26)], &market, 250).is_err());
        assert!(align(&[patchy(26)], &[], 250).is_ok());
        // A young listing lacks the earlier sessions, unless the lookback is shorter.
        let young = [complete, series("YOUNG", 200..300)];
        let refused = align(&young, &[], 250).unwrap_err();
        assert!(matches!(&refused, RiskError::Patchy { missed: 151, .. }), "{refused}");
        assert!(align(&young, &[], 99).is_ok());
    }

    #[test]
    fn wrong_input_is_refused_by_name() {
        assert_eq!(align(&[], &[], 252), Err(RiskError::SymbolCount { count: 0, fewest: 1 }));
        let many: Vec<_> = (0..51).map(|n| series(&format!("S{n}"), 0..40)).collect();
        assert_eq!(align(&many, &[], 252), Err(RiskError::SymbolCount { count: 51, fewest: 1 }));
        assert!(align(&many[..50], &[], 252).is_ok());
        assert_eq!(align(&many[..1], &[], 29), Err(RiskError::Lookback(29)));
        let twice = align(&[series("A", 0..40), series("A", 0..40)], &[], 252);
        assert_eq!(twice, Err(RiskError::RepeatedSymbol("A".to_owned())));
        for close in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut bad = series("BAD", 0..40);
            bad.1[7].1 = close;
            let words = align(&[bad], &[], 252).unwrap_err().to_string();
            assert!(words.contains("`BAD`") && words.contains("2025-01-08"), "{words}");
        }
        let mut doubled = series("D", 0..40);
        doubled.1.push((day(3), 5.0));
        let refused = align(&[doubled], &[], 252);
        assert_eq!(refused, Err(RiskError::RepeatedSession { symbol: "D".to_owned(), session: day(3) }));
        assert!(align(&[series("A", 0..40)], &[], usize::MAX).is_ok());
    }

    #[test]
    fn a_benchmark_gives_returns_only_between_its_own_closes() {
        let prices = align(&[series("A", 0..40)], &[], 252).unwrap();
        let (_, benchmark) = series("I", (0..40).filter(|&day| day != 20));
        let returns = prices.benchmark_returns(&benchmark).unwrap();
        let missing: Vec<_> = (0..39).filter(|&index| returns[index].is_none()).collect();
        assert_eq!(missing, [19, 20]);
        let words = prices.benchmark_returns(&[(day(0), -3.0)]).unwrap_err().to_string();
        assert!(words.contains("`benchmark`"), "{words}");
    }
}
