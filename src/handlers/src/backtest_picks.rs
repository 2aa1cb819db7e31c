//! Picks of a back-test by date, from a scan, a SELECT, or a list of stocks. [`super::backtest_screen`] makes the picks of a screen.

use std::collections::BTreeMap;

use chrono::{Datelike, NaiveDate};
use serde_json::{Map, Value as Json};

use super::backtest_call::refusal;
use super::handler::HandlerCall;
use parquote_backtest::{Decision, Pick};
use parquote_catalogue::error::ClientError;
use parquote_engine::{AnswerRows, EncodedAnswer};

/// Maximum bytes of a symbol of a SELECT, and maximum characters of a value in a message, as a text of a caller may have megabytes.
const LONGEST_SYMBOL: usize = 60;

/// The source of the picks.
#[derive(Debug, Clone, Copy)]
pub(super) enum PickSource<'a> {
    /// The stocks of a scan.
    Scan,
    /// The stocks with these symbols, in every period.
    Symbols(&'a [String]),
    /// The rows of this SELECT.
    Select(&'a str),
    /// The stocks of the screen that this sentence describes.
    Screen(&'a str),
    /// The stocks of the saved screen with this name.
    SavedScreen(&'a str),
}

impl<'a> PickSource<'a> {
    /// Returns the source that a call names; a scan if it names none.
    pub(super) fn of_call(call: &'a HandlerCall<'_>) -> Result<Self, ClientError> {
        // The symbols of watchlists have replaced their names before.
        let lists = ["symbols", "list"].map(|name| call.list_sent(name).map(Self::Symbols));
        let texts = [
            call.text("sql").map(Self::Select),
            call.text("screen").map(Self::Screen),
            call.text("saved").map(Self::SavedScreen),
        ];
        let mut named = lists.into_iter().chain(texts).flatten();
        match (named.next(), named.next()) {
            (Some(_), Some(_)) => Err(refusal(
                "`symbols`, `list`, `sql`, `screen` and `saved` each name picks; give one of them",
            )),
            (source, _) => Ok(source.unwrap_or(Self::Scan)),
        }
    }

    /// Returns the parameters that have defaults and are of other sources.
    pub(super) const fn unused_parameters(self) -> &'static [&'static str] {
        match self {
            Self::Scan => &[],
            Self::Symbols(_) => &["scan", "top"],
            Self::Select(_) => &["scan", "top", "every"],
            Self::Screen(_) | Self::SavedScreen(_) => &["scan"],
        }
    }

    /// Returns the source as a word of the answer.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Symbols(_) => "symbols",
            Self::Select(_) => "sql",
            Self::Screen(_) | Self::SavedScreen(_) => "screen",
        }
    }
}

/// Returns the first `top` stocks of each session, or all for `None`. Rows must be in the order of sessions. A session without stocks has
/// one row without a symbol. Sessions before the first stock are left out.
pub(super) fn picks_of_scan(rows: &AnswerRows, top: Option<i64>) -> Vec<Decision> {
    let most = top.and_then(|top| usize::try_from(top).ok()).unwrap_or(usize::MAX);
    let mut decisions: Vec<Decision> = Vec::new();
    for (date, symbol) in rows.dates("session").into_iter().zip(rows.texts("symbol")) {
        let Some(date) = date.filter(|_| symbol.is_some() || !decisions.is_empty()) else { continue };
        if decisions.last().is_none_or(|last| last.date != date) {
            decisions.push(Decision { date, picks: Vec::new() });
        }
        let last = decisions.last_mut().filter(|last| last.picks.len() < most);
        if let (Some(last), Some(symbol)) = (last, symbol) {
            last.picks.push(Pick { symbol, weight: None });
        }
    }
    decisions
}

/// Parses the rows of a caller's SELECT, which have `date`, `symbol` and optionally `weight`, in any order of dates.
pub(super) fn picks_of_select(answer: &EncodedAnswer) -> Result<Vec<Decision>, ClientError> {
    if let Some(extent) = answer.extent.filter(|extent| extent.more) {
        return Err(refusal(format!(
            "`sql`: the SELECT has more than {} rows, which one answer of `query` has at most for this key; pick fewer stocks, or on fewer days",
            extent.rows
        )));
    }
    let rows: Vec<Map<String, Json>> = answer.parse_body("the SELECT of the picks")?;
    let mut by_date: BTreeMap<NaiveDate, Vec<Pick>> = BTreeMap::new();
    for row in &rows {
        let (date, pick) = parse_pick(row)?;
        by_date.entry(date).or_default().push(pick);
    }
    Ok(by_date.into_iter().map(|(date, picks)| Decision { date, picks }).collect())
}

/// Checks that the call uses the weights of a SELECT, as a result with other weights would look like the requested one.
pub(super) fn check_weights_used(decisions: &[Decision], weight: Option<&str>) -> Result<(), ClientError> {
    let has_weights = decisions.iter().flat_map(|decision| &decision.picks).any(|pick| pick.weight.is_some());
    match weight {
        Some(weight) if has_weights && weight != "given" => Err(refusal(format!(
            "`sql`: the column weight is for `weight=given`, and `weight` is {weight}; give `weight=given`, or leave the column out"
        ))),
        _ => Ok(()),
    }
}

fn parse_pick(row: &Map<String, Json>) -> Result<(NaiveDate, Pick), ClientError> {
    let (Some(day), Some(symbol)) = (row.get("date"), row.get("symbol")) else {
        return Err(refusal(format!(
            "`sql`: each row has a date in the column date and a text in the column symbol, such as SELECT session AS date, symbol \
             FROM ...; the columns are {}",
            row.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
        )));
    };
    let date = day.as_str().and_then(|day| day.parse::<NaiveDate>().ok());
    let text = symbol.as_str().filter(|symbol| symbol.len() <= LONGEST_SYMBOL);
    let (Some(date), Some(symbol)) = (date, text) else {
        return Err(refusal(format!(
            "`sql`: a row has the date {} and the symbol {}; a date is a DATE such as 2026-09-30, or a time with CAST(... AS DATE), \
             a symbol is a text of at most {LONGEST_SYMBOL} bytes, and neither is null",
            excerpt(day),
            excerpt(symbol)
        )));
    };
    let weight = match row.get("weight") {
        None | Some(Json::Null) => None,
        Some(weight) => Some(weight.as_f64().ok_or_else(|| {
            refusal(format!(
                "`sql`: the weight of {symbol} on {date} is {}; a weight is a number",
                excerpt(weight)
            ))
        })?),
    };
    Ok((date, Pick { symbol: symbol.to_owned(), weight }))
}

/// Returns the beginning of a value, for a message.
fn excerpt(value: &Json) -> String {
    value.to_string().chars().take(LONGEST_SYMBOL).collect()
}

/// Returns the last session of each week, month or quarter that has ended, which are the sessions before one of another period.
pub(super) fn period_ends(sessions: &[NaiveDate], every: &str) -> Vec<NaiveDate> {
    let period = |date: NaiveDate| match every {
        "weekly" => (date.iso_week().year(), date.iso_week().week()),
        "quarterly" => (date.year(), date.month0() / 3),
        _ => (date.year(), date.month0()),
    };
    let pairs = sessions.iter().zip(sessions.iter().skip(1));
    pairs.filter(|(one, next)| period(**one) != period(**next)).map(|(one, _)| *one).collect()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use parquote_engine::Extent;

    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn answer(body: &str, more: bool) -> EncodedAnswer {
        let extent = Extent { more, ..Extent::default() };
        EncodedAnswer { body: body.to_owned().into(), wrapper: Bytes::new(), extent: Some(extent) }
    }

    #[test]
    fn a_period_ends_before_the_first_session_of_the_next() {
        // Monday 29 December 2025 is in the first week of 2026.
        let sessions =
            ["2025-12-26", "2025-12-29", "2026-01-02", "2026-01-05", "2026-03-31", "2026-04-01"].map(date);
        assert_eq!(period_ends(&sessions, "weekly"), ["2025-12-26", "2026-01-02", "2026-01-05"].map(date));
        assert_eq!(period_ends(&sessions, "monthly"), ["2025-12-29", "2026-01-05", "2026-03-31"].map(date));
        assert_eq!(period_ends(&sessions, "quarterly"), ["2025-12-29", "2026-03-31"].map(date));
    }

    #[test]
    fn rows_of_a_select_are_picks_by_date() {
        let rows = r#"[{"date":"2026-02-02","symbol":"B","weight":0.5},{"date":"2026-01-05","symbol":"A"},
            {"date":"2026-02-02","symbol":"A","weight":null}]"#;
        let decisions = picks_of_select(&answer(rows, false)).unwrap();
        let found: Vec<_> = decisions
            .iter()
            .map(|one| (one.date, one.picks.iter().map(|pick| pick.symbol.as_str()).collect::<Vec<_>>()))
            .collect();
        assert_eq!(found, [(date("2026-01-05"), vec!["A"]), (date("2026-02-02"), vec!["B", "A"])]);
        assert_eq!(decisions[1].picks[0].weight, Some(0.5));
        for (rows, word) in [
            (r#"[{"day":"2026-02-02","symbol":"B"}]"#, "day, symbol"),
            (r#"[{"date":"soon","symbol":"B"}]"#, "the date \"soon\""),
            (r#"[{"date":null,"symbol":"B"}]"#, "the date null"),
            (r#"[{"date":"2026-02-02T00:00:00","symbol":"B"}]"#, "CAST(... AS DATE)"),
            (r#"[{"date":"2026-02-02","symbol":null}]"#, "the symbol null"),
            (r#"[{"date":"2026-02-02","symbol":"B","weight":"big"}]"#, "is a number"),
        ] {
            let message = picks_of_select(&answer(rows, false)).unwrap_err().message;
            assert!(message.contains(word), "{message}");
        }
        assert!(picks_of_select(&answer("[]", true)).unwrap_err().message.contains("more than 0 rows"));
    }

    #[test]
    fn a_message_shows_the_beginning_of_a_long_text() {
        let long = "A".repeat(1_000_000);
        for row in [
            format!(r#"[{{"date":"2026-02-02","symbol":"{long}"}}]"#),
            format!(r#"[{{"date":"{long}","symbol":"B"}}]"#),
            format!(r#"[{{"date":"2026-02-02","symbol":"B","weight":"{long}"}}]"#),
        ] {
            let message = picks_of_select(&answer(&row, false)).unwrap_err().message;
            assert!(message.contains("AAAA") && message.len() < 400, "{message}");
        }
    }

    #[test]
    fn weights_that_would_not_be_used_are_refused() {
        let picks = |rows: &str| picks_of_select(&answer(rows, false)).unwrap();
        let weighted = picks(r#"[{"date":"2026-02-02","symbol":"A","weight":0.5}]"#);
        let plain = picks(r#"[{"date":"2026-02-02","symbol":"A","weight":null}]"#);
        let message = check_weights_used(&weighted, Some("equal")).unwrap_err().message;
        assert!(message.contains("`weight=given`") && message.contains("is equal"), "{message}");
        assert!(check_weights_used(&weighted, Some("cap")).is_err());
        assert!(check_weights_used(&weighted, Some("given")).is_ok());
        assert!(check_weights_used(&plain, Some("equal")).is_ok());
    }
}
