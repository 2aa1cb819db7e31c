//! Recorded screens of owners: what is recorded, who sees it, and what followed the picks, computed again here from the closes.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use parquote::handlers::LedgerName;
use parquote::operation::{Market, Tier};
use parquote::set::{Ledger, LedgerModel, ModelVerdict, ScanPicks};
use parquote::state::{SavedItemKey, SavedItemKind};
use serde_json::{Value as Json, json};

use super::fixture::{Fixture, key};
use super::kept::{data, of_two, refusal};
use crate::demo_market::SNAPSHOTS;
use crate::selected::{first_column, select};

const PAGE: &str = "screener?min_rs=95";

fn text(value: &Json) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn a_marked_screen_has_a_line_for_the_session_that_its_owner_alone_sees() {
    let (fixture, anu, ben) = of_two();
    let call = |path: &str| fixture.call(anu.reveal(), path);
    let empty = json!({"ledgers": [], "figures": [], "count": 0});
    let saved = |more: &str| data(&call(&format!("screens/save?name=Leaders&query=min_rs%3D95{more}")));
    assert_eq!(saved("")["is_recorded"], false);
    assert_eq!(data(&call("screens/ledger")), empty);
    let stocks = data(&call("explore/screen-words?min_rs=95&limit=200"))["stocks"].clone();
    let stocks = stocks.as_array().unwrap().iter();
    let closes: BTreeMap<String, f64> =
        stocks.map(|row| (text(&row["symbol"]), row["price_cmp"].as_f64().unwrap())).collect();
    // Saved again with the mark, or without another word, it is still recorded, and the session has one line.
    for more in ["&ledger=on", "&ledger=on", ""] {
        assert_eq!(saved(more)["is_recorded"], true, "{more}");
        let ledgers = data(&call("screens/ledger?lines=true&name=leaders"))["ledgers"].clone();
        assert_eq!(ledgers.as_array().unwrap().len(), 1);
        let ledger = &ledgers[0];
        let counts = (&ledger["name"], &ledger["is_recorded"], &ledger["line_count"], &ledger["late_count"]);
        assert_eq!(counts, (&json!("Leaders"), &json!(true), &json!(1), &json!(0)));
        assert_eq!(
            (&ledger["first_session"], &ledger["last_session"]),
            (&json!("2026-10-30"), &json!("2026-10-30"))
        );
        let line: Json = serde_json::from_str(ledger["lines"][0].as_str().unwrap()).unwrap();
        let entered = line["entered"][PAGE].as_object().unwrap();
        assert!(entered.keys().eq(closes.keys()), "{line}");
        let is_same =
            |(symbol, close): (&String, &Json)| (close.as_f64().unwrap() - closes[symbol]).abs() < 0.006;
        assert!(entered.iter().all(is_same), "{line}");
        assert_eq!(line["hash"], ledger["ledger_head"]);
    }
    assert_eq!(data(&call("screens/ledger"))["ledgers"][0]["lines"], Json::Null);
    assert_eq!(data(&call("screens/ledger?market=us")), empty);
    assert_eq!(data(&fixture.call(ben.reveal(), "screens/ledger")), empty);
    assert!(
        refusal(&fixture.call(ben.reveal(), "screens/ledger?name=Leaders"), 404)
            .contains("there is none yet")
    );
    // The page has a button that ends the recording, and then one that begins it.
    let mut browser = fixture.signed_in(&anu);
    let body = browser.get("/india/lists").body;
    assert!(
        body.contains("name=\"ledger\" value=\"off\"") && body.contains("href=\"/india/picks\""),
        "{body}"
    );
    assert!(browser.get("/india/picks").body.contains(">Late lines<"));
    // The page of the morning shows what changed, and manages nothing.
    let morning = browser.get("/india").body;
    assert!(morning.contains("backtest?saved=Leaders") && !morning.contains("Picks recorded"), "{morning}");
    assert!(fixture.signed_in(&ben).get("/india/picks").body.contains("No picks are recorded yet."));
    assert_eq!(saved("&ledger=off")["is_recorded"], false);
    assert!(browser.get("/india/lists").body.contains("name=\"ledger\" value=\"on\""));
    // The ledger remains without the mark, and without the screen.
    for removed in ["screens/list", "screens/remove?name=Leaders"] {
        data(&call(removed));
        let ledger = data(&call("screens/ledger"))["ledgers"][0].clone();
        assert_eq!((&ledger["is_recorded"], &ledger["line_count"]), (&json!(false), &json!(1)), "{removed}");
    }
}

#[test]
fn a_screen_that_cannot_be_followed_is_not_saved_with_the_mark() {
    let (fixture, anu, _) = of_two();
    let reply = fixture.call(anu.reveal(), "screens/save?name=Odd&words=flurble+gnarf&ledger=on");
    assert!(refusal(&reply, 400).contains("`ledger`: a screen is recorded if"));
    assert_eq!(data(&fixture.call(anu.reveal(), "screens/list"))["count"], 0);
    let (free, row) = key("Cy", Tier::Free);
    let fixture = Fixture::with(&[&row]);
    let reply = fixture.call(free.reveal(), "screens/save?name=Leaders&query=min_rs%3D95&ledger=on");
    assert!(refusal(&reply, 400).contains("this key does not reach the screener"));
}

#[test]
fn other_conditions_of_a_recorded_screen_are_recorded_under_the_key_that_saves_them() {
    let ((anu, row), (free, free_row)) = (key("Anu", Tier::ApiMax), key("Anu", Tier::Free));
    let fixture = Fixture::with(&[&row, &free_row]);
    let saved = |key: &str, more: &str| fixture.call(key, &format!("screens/save?name=Leaders&{more}"));
    data(&saved(anu.reveal(), "query=min_rs%3D95&ledger=on"));
    for (key, more, reason) in [
        (&anu, "words=flurble+gnarf", "flurble gnarf"),
        (&anu, "query=flurble%3D1", "`flurble` is not a parameter"),
        (&free, "query=min_rs%3D90", "this key does not reach the screener"),
    ] {
        let message = refusal(&saved(key.reveal(), more), 400);
        assert!(message.contains(reason) && message.contains("ledger=off"), "{message}");
        let screens = data(&fixture.call(anu.reveal(), "screens/list"))["screens"].clone();
        assert_eq!((&screens[0]["page"], &screens[0]["is_recorded"]), (&json!(PAGE), &json!(true)), "{more}");
    }
    // The same conditions keep the mark, whichever key saves them.
    assert_eq!(data(&saved(free.reveal(), "query=min_rs%3D95"))["is_recorded"], true);
    assert_eq!(data(&saved(free.reveal(), "query=min_rs%3D90&ledger=off"))["is_recorded"], false);
    assert_eq!(data(&saved(free.reveal(), "query=min_rs%3D80"))["is_recorded"], false);
}

/// The closes of the demo market by stock and session, each with its price segment.
struct Closes {
    sessions: Vec<NaiveDate>,
    bars: BTreeMap<String, BTreeMap<usize, (i64, f64)>>,
}

impl Closes {
    fn read() -> Self {
        let tables = SNAPSHOTS.current();
        let sql = "SELECT session FROM sessions ORDER BY session";
        let sessions = first_column(&tables, Market::India, sql);
        let sessions: Vec<NaiveDate> = sessions.iter().map(|day| text(day).parse().unwrap()).collect();
        let sql = format!(
            "SELECT symbol, session, price_segment, close * cumulative_split_factor AS adj_close FROM daily_prices
             WHERE session >= '{}'",
            sessions[sessions.len() - 80]
        );
        let mut bars: BTreeMap<String, BTreeMap<usize, (i64, f64)>> = BTreeMap::new();
        for row in select(&tables, Market::India, &sql) {
            let session: NaiveDate = text(&row["session"]).parse().unwrap();
            let bar = (row["price_segment"].as_i64().unwrap(), row["adj_close"].as_f64().unwrap());
            let at = sessions.binary_search(&session).unwrap();
            bars.entry(text(&row["symbol"])).or_default().insert(at, bar);
        }
        Self { sessions, bars }
    }

    /// Returns the return of a stock over a horizon: to its last close of the same price segment within it.
    fn return_pct(&self, symbol: &str, at: usize, horizon: usize) -> Option<f64> {
        let bars = &self.bars[symbol];
        let (segment, close) = bars.get(&at)?;
        let mut within = bars.range(at..=at + horizon).filter(|(_, (of, _))| of == segment);
        Some(100.0 * (within.next_back()?.1.1 / close - 1.0))
    }

    /// Returns the mean return of all stocks with a bar on a session, and the share that rose, in percent.
    fn base(&self, at: usize, horizon: usize) -> (f64, f64) {
        let returns: Vec<f64> =
            self.bars.keys().filter_map(|symbol| self.return_pct(symbol, at, horizon)).collect();
        let rising = returns.iter().filter(|one| **one > 0.0).count();
        (mean(&returns), 100.0 * rising as f64 / returns.len() as f64)
    }
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

fn ledger_of(text: &str) -> Ledger {
    LedgerName { owner: "Anu", market: Market::India, name: "Leaders" }.ledger(text).unwrap()
}

#[test]
fn figures_are_those_of_the_closes_after_the_picks() {
    let closes = Closes::read();
    let last = closes.sessions.len() - 1;
    let wide: Vec<&String> =
        closes.bars.iter().filter(|(_, of)| of.len() == 80).map(|(name, _)| name).collect();
    let [a, b, c, d] = [0, 1, 2, 3].map(|at| wide[at * wide.len() / 4].as_str());
    // B stays in the second session, A enters again in the third, and the last line is written after the close of the next session.
    let lines: [(usize, &[&str], usize); 4] =
        [(last - 70, &[a, b], 0), (last - 40, &[b, c], 0), (last - 10, &[a], 0), (last - 8, &[a, d], 1)];
    let mut stored = String::new();
    for (at, symbols, late) in lines {
        let picks = symbols.iter().map(|symbol| ((*symbol).to_owned(), closes.bars[*symbol][&at].1));
        let picks = ScanPicks::from([(PAGE.to_owned(), picks.collect())]);
        let noon: DateTime<Utc> = closes.sessions[at + late].and_hms_opt(12, 0, 0).unwrap().and_utc();
        let line = ledger_of(&stored).line_after(closes.sessions[at], noon, "set", &picks).unwrap();
        stored.push_str(&line.unwrap());
    }
    let entered: [(usize, &[&str]); 3] = [(last - 70, &[a, b]), (last - 40, &[c]), (last - 10, &[a])];

    let (fixture, anu, _) = of_two();
    let place = SavedItemKey {
        owner: "Anu".to_owned(),
        kind: SavedItemKind::Ledger,
        market: "india".to_owned(),
        name: "Leaders".to_owned(),
    };
    let store = |content: String| {
        let changed = fixture.store.lock().unwrap().change_saved_item(&place, 9, 0, |_| Ok::<_, ()>(content));
        changed.unwrap().unwrap();
    };
    store(stored.clone());
    let answer = |more: &str| data(&fixture.call(anu.reveal(), &format!("screens/ledger?{more}")));
    let found = answer("");
    let ledger = &found["ledgers"][0];
    assert_eq!((&ledger["line_count"], &ledger["late_count"]), (&json!(4), &json!(1)));
    assert_eq!(ledger["ledger_head"], ledger_of(&stored).head());
    assert_eq!(found["figures"].as_array().unwrap().len(), 3);
    for (row, (horizon, days)) in found["figures"].as_array().unwrap().iter().zip([(5, 3), (21, 2), (63, 1)])
    {
        /// The returns of the picks of a session, and the mean and the rising share of all stocks.
        type PickDay = (Vec<f64>, (f64, f64));
        let of_days: Vec<PickDay> = entered[..days]
            .iter()
            .map(|(at, symbols)| {
                let returns = symbols.iter().map(|symbol| closes.return_pct(symbol, *at, horizon).unwrap());
                (returns.collect(), closes.base(*at, horizon))
            })
            .collect();
        let of = |figure: fn(&PickDay) -> f64| mean(&of_days.iter().map(figure).collect::<Vec<_>>());
        let all: Vec<f64> = of_days.iter().flat_map(|(returns, _)| returns.clone()).collect();
        let rising = all.iter().filter(|one| **one > 0.0).count();
        for (name, expected) in [
            ("sessions_after", horizon as f64),
            ("pick_count", all.len() as f64),
            ("pick_days", days as f64),
            ("mean_return_pct", of(|(returns, _)| mean(returns))),
            ("base_return_pct", of(|(_, base)| base.0)),
            ("rising_pct", 100.0 * rising as f64 / all.len() as f64),
            ("base_rising_pct", of(|(_, base)| base.1)),
            ("excess_pct", of(|(returns, base)| mean(returns) - base.0)),
        ] {
            let figure = row[name].as_f64().unwrap();
            assert!((figure - expected).abs() < 0.006, "{name}: {figure} is not {expected} in {row}");
        }
        assert_eq!((&row["name"], &row["picked_by"]), (&json!("Leaders"), &json!(PAGE)));
        let blocks: BTreeSet<usize> = entered[..days].iter().map(|(at, _)| (at + 1) / horizon).collect();
        assert_eq!(row["block_count"].as_u64(), Some(blocks.len() as u64));
        assert!(row["excess_low_pct"].is_null() && row["excess_high_pct"].is_null(), "{row}");
    }
    let of_a = answer(&format!("symbols={a}"));
    let counts: Vec<&Json> =
        of_a["figures"].as_array().unwrap().iter().map(|row| &row["pick_count"]).collect();
    assert_eq!(counts, [2, 1, 1]);
    assert_eq!(answer("sessions=9")["figures"], json!([]));

    // A changed close is not answered as if nothing had happened.
    let at = stored.find('.').unwrap() + 1;
    let digit = if &stored[at..=at] == "1" { "2" } else { "1" };
    store(format!("{}{digit}{}", &stored[..at], &stored[at + 1..]));
    let named = fixture.call(anu.reveal(), "screens/ledger?name=Leaders");
    assert!(refusal(&named, 500).contains("`Leaders` is damaged"));
    // Among all ledgers of the owner it is named, and the others are read.
    let all = data(&fixture.call(anu.reveal(), "screens/ledger"));
    let of_leaders = |ledger: &&Json| ledger["name"] == "Leaders";
    let ledger = all["ledgers"].as_array().unwrap().iter().find(of_leaders).unwrap();
    assert_eq!((&ledger["is_damaged"], &ledger["line_count"]), (&json!(true), &json!(0)), "{all}");
}

#[test]
fn verdicts_are_scored_after_the_training_of_their_model() {
    const NAME: &str = "committee: p/m";
    let closes = Closes::read();
    let last = closes.sessions.len() - 1;
    let stock = closes.bars.iter().find(|(_, of)| of.len() == 80).map(|(name, _)| name.clone()).unwrap();
    let ledger_of =
        |text: &str| LedgerName { owner: "Anu", market: Market::India, name: NAME }.ledger(text).unwrap();
    let mut stored = String::new();
    // Trained up to the day before, up to the session itself, and up to an unknown day.
    let trained = [Some(closes.sessions[last - 31]), Some(closes.sessions[last - 29]), None];
    for (at, trained_until) in [last - 30, last - 29, last - 28].into_iter().zip(trained) {
        let verdict = ModelVerdict {
            session: closes.sessions[at],
            at: closes.sessions[at].and_hms_opt(12, 0, 0).unwrap().and_utc(),
            formulas: "set".to_owned(),
            verdict: "BUY".to_owned(),
            stocks: [(stock.clone(), 1.0)].into(),
            model: LedgerModel {
                provider: "p".to_owned(),
                model: "m".to_owned(),
                trained_until,
                ranked: Vec::new(),
            },
        };
        stored.push_str(&ledger_of(&stored).verdict_line(verdict).unwrap().unwrap());
    }
    let (fixture, anu, _) = of_two();
    let place = SavedItemKey {
        owner: "Anu".to_owned(),
        kind: SavedItemKind::Ledger,
        market: "india".to_owned(),
        name: NAME.to_owned(),
    };
    let changed = fixture.store.lock().unwrap().change_saved_item(&place, 9, 0, |_| Ok::<_, ()>(stored));
    changed.unwrap().unwrap();
    let found = data(&fixture.call(anu.reveal(), "screens/ledger"));
    let ledger = &found["ledgers"][0];
    assert_eq!((&ledger["line_count"], &ledger["unscored_count"]), (&json!(3), &json!(2)), "{ledger}");
    assert_eq!((&ledger["is_recorded"], &ledger["trained_until"]), (&json!(true), &Json::Null));
    let figures = found["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 2);
    for (row, horizon) in figures.iter().zip([5, 21]) {
        assert_eq!((&row["picked_by"], &row["pick_count"]), (&json!("BUY"), &json!(1)), "{row}");
        let expected = closes.return_pct(&stock, last - 30, horizon).unwrap();
        assert!((row["mean_return_pct"].as_f64().unwrap() - expected).abs() < 0.006, "{row}");
    }
}
