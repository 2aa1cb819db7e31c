//! Screens in words over REST and MCP: the rows meet the shown criteria, and a failing model does no harm.

use std::collections::BTreeSet;
#[cfg(feature = "agents")]
use std::time::Duration;

use parquote::operation::{Market, Tier};
use serde_json::{Value as Json, json};

use super::fixture::Fixture;
#[cfg(feature = "agents")]
use super::fixture::Plan;
#[cfg(feature = "agents")]
use super::script::Mood;
use crate::definitions::TABLES;
#[cfg(feature = "agents")]
use crate::protocol_server::Spoken;
use crate::selected::select;
use crate::server::query;

/// Requests a screen of a market, over REST or MCP, whichever the market has.
fn screen(fixture: &Fixture, market: &str, sentence: &str, limit: i64) -> Json {
    if market == "us" {
        let query = query(&[("query", sentence), ("limit", &limit.to_string())]);
        fixture.data(0, &format!("us/screener/natural-language?{query}"))
    } else {
        fixture.tool_data(0, "screen_natural_language", &json!({"query": sentence, "limit": limit}))
    }
}

/// Returns true if a row meets criteria. A figure may be rounded onto its bound.
fn meets(row: &Json, criteria: &Json) -> bool {
    const ROUNDED: f64 = 0.006;
    if let Some(all) = criteria["all"].as_array() {
        return all.iter().all(|part| meets(row, part));
    }
    if let Some(any) = criteria["any"].as_array() {
        return any.iter().any(|part| meets(row, part));
    }
    if !criteria["not"].is_null() {
        return !meets(row, &criteria["not"]);
    }
    let cell = &row[criteria["field"].as_str().unwrap()];
    if let Some(words) = criteria["in"].as_array() {
        return words.contains(cell);
    }
    if let Some(is) = criteria["is"].as_bool() {
        // Booleans are not columns of the answer, except through the averages that they compare.
        let Some(average) = criteria["field"].as_str().unwrap().strip_prefix("above_") else {
            panic!("{criteria}")
        };
        return (row["price_cmp"].as_f64().unwrap() > row[average].as_f64().unwrap()) == is;
    }
    let Some(figure) = cell.as_f64() else { return false };
    let bound = |name: &str| criteria[name].as_f64().unwrap();
    match criteria["op"].as_str().unwrap() {
        ">" | ">=" => figure >= bound("value") - ROUNDED,
        "<" | "<=" => figure <= bound("value") + ROUNDED,
        "between" => figure >= bound("from") - ROUNDED && figure <= bound("to") + ROUNDED,
        "=" => (figure - bound("value")).abs() < ROUNDED,
        op => panic!("{op}"),
    }
}

#[test]
fn the_test_of_rows_can_fail() {
    let row = json!({"roe": 14, "sector": "Power", "pe": null});
    let at_least = |value: i64| json!({"field": "roe", "op": ">=", "value": value});
    assert!(meets(&row, &at_least(14)) && !meets(&row, &at_least(15)));
    assert!(!meets(&row, &json!({"all": [at_least(3), {"field": "pe", "op": "<", "value": 20}]})));
    assert!(!meets(&row, &json!({"field": "sector", "in": ["Energy"]})));
}

#[test]
fn rows_meet_the_criteria_that_are_shown_in_both_markets() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    for market in ["india", "us"] {
        for (sentence, fields) in [
            ("ROE above 12 and PE under 40, strongest RS first", vec!["roe", "pe"]),
            ("stocks with ROE above 18 or ROCE above 20", vec!["roe", "roce"]),
            ("RS between 60 and 90 with debt to equity below 1", vec!["rs_rating", "de"]),
            (
                "profit growth above 10% and revenue growth above 10%",
                vec!["pat_growth_1y", "revenue_growth_1y"],
            ),
        ] {
            // A tool's answer has room for about thirty of these wide rows.
            let found = screen(&fixture, market, sentence, 20);
            let criteria = found["criteria"].to_string();
            for field in fields {
                assert!(criteria.contains(&format!("\"{field}\"")), "{market} {sentence}: {criteria}");
            }
            assert_eq!(
                (&found["query"], &found["read_by"]),
                (&json!(sentence), &json!("grammar")),
                "{found}"
            );
            assert_eq!(found["not_understood"], json!([]), "{market} {sentence}: {found}");
            let rows = found["stocks"].as_array().unwrap();
            assert!(!rows.is_empty(), "{market} {sentence}");
            assert_eq!(found["count"], rows.len(), "{sentence}");
            for row in rows {
                assert!(meets(row, &found["criteria"]), "{market} {sentence}: {criteria} {row}");
            }
            // A smaller limit returns the first of these rows.
            let three = screen(&fixture, market, sentence, 3);
            assert_eq!(three["stocks"].as_array().unwrap()[..], rows[..rows.len().min(3)], "{sentence}");
            assert_eq!((&three["total"], &three["criteria"]), (&found["total"], &found["criteria"]));
        }
        let sorted = screen(&fixture, market, "ROE above 12, strongest RS first", 20);
        assert_eq!(sorted["sorted_by"], "rs_rating desc", "{sorted}");
        let ratings: Vec<i64> =
            sorted["stocks"].as_array().unwrap().iter().filter_map(|row| row["rs_rating"].as_i64()).collect();
        assert!(ratings.len() > 2 && ratings.is_sorted_by(|a, b| a >= b), "{market}: {ratings:?}");
        // The criteria exclude some stocks.
        let all = screen(&fixture, market, "ROE above -1000", 1)["total"].as_i64().unwrap();
        assert!(sorted["total"].as_i64().unwrap() < all, "{market}: {} of {all}", sorted["total"]);
    }
}

/// Sentences with equivalent SQL. Every screen covers stocks with a bar in the last five sessions.
const ROWS: [(&str, &str, &str); 14] = [
    ("india", "Nifty Bank stocks", "SELECT symbol FROM newest_lists WHERE index_name = 'NIFTYBANK'"),
    (
        "india",
        "Nifty 500 but not Nifty 50, RS above 90",
        "SELECT m.symbol FROM newest_lists m JOIN rs_history r ON r.symbol = m.symbol
         WHERE  m.index_name = 'NIFTY500' AND m.symbol NOT IN (SELECT symbol FROM newest_lists WHERE index_name = 'NIFTY50')
         AND    r.session = (SELECT MAX(session) FROM rs_history) AND r.rs_rating > 90",
    ),
    (
        "us",
        "S&P 500 or Dow stocks with PE below 10",
        "SELECT m.symbol FROM newest_lists m JOIN fundamentals f ON f.symbol = m.symbol
         WHERE  m.index_name IN ('SP500', 'DOW30') AND f.pe < 10",
    ),
    (
        "india",
        "FII holding above 25%",
        "SELECT symbol FROM (SELECT *, MAX(period_end) OVER (PARTITION BY symbol) AS newest FROM shareholding)
         WHERE  period_end = newest AND fii_pct > 25",
    ),
    (
        "india",
        "sales growth over 5 years above 15 and profit growth 3 years above 10",
        "SELECT symbol FROM fundamentals WHERE revenue_cagr_5y > 15 AND pat_cagr_3y > 10",
    ),
    ("us", "PEG below 0.5", "SELECT symbol FROM fundamentals WHERE pat_cagr_3y > 0 AND pe < 0.5 * pat_cagr_3y"),
    ("us", "EPS above $20", "SELECT symbol FROM fundamentals WHERE eps_ttm > 20"),
    (
        "india",
        "recent IPOs",
        "SELECT symbol FROM daily_prices GROUP BY symbol
         HAVING MIN(session) > (SELECT MIN(session) FROM sessions) AND COUNT(*) <= 252",
    ),
    ("india", "within 5% of the 52-week low", "SELECT symbol FROM latest_bars WHERE 100 * adj_close <= 105 * wk52_low"),
    ("us", "up more than 150% from 52 week low", "SELECT symbol FROM latest_bars WHERE adj_close > 2.5 * wk52_low"),
    ("us", "VCP stocks", "SELECT symbol FROM latest_bars WHERE vcp_pivot IS NOT NULL AND adj_close <= 1.05 * vcp_pivot"),
    ("india", "Minervini template stocks", "SELECT symbol FROM scans WHERE template_count = 8"),
    ("india", "liquid breakout stocks", "SELECT s.symbol FROM scans s JOIN latest_bars b ON b.symbol = s.symbol WHERE s.brs >= 70 AND b.median_turnover >= 5e6"),
    ("india", "thinly traded stocks", "SELECT symbol FROM latest_bars WHERE NOT COALESCE(median_turnover >= 5e6, FALSE)"),
];

#[test]
fn rows_are_those_of_a_select_over_the_tables() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    let mut seen = 0;
    for (market, sentence, sql) in ROWS {
        let asked = if market == "us" { Market::Us } else { Market::India };
        let whole = format!(
            "WITH newest_lists AS (SELECT * FROM (SELECT *, MAX(list_date) OVER (PARTITION BY index_name) AS newest FROM index_members)
                                   WHERE list_date = newest),
                  wanted AS ({sql}),
                  traded AS (SELECT symbol FROM daily_prices GROUP BY symbol
                             HAVING MAX(session) >= (SELECT MIN(session) FROM (SELECT session FROM sessions ORDER BY session DESC LIMIT 5)))
             SELECT DISTINCT w.symbol FROM wanted w JOIN traded t ON t.symbol = w.symbol"
        );
        let wanted: BTreeSet<String> = select(&TABLES, asked, &whole)
            .into_iter()
            .map(|row| row["symbol"].as_str().unwrap().to_owned())
            .collect();
        let found = screen(&fixture, market, sentence, 10);
        assert_eq!(found["not_understood"], json!([]), "{sentence}: {found}");
        assert_eq!(found["total"], wanted.len(), "{market} {sentence}: {}", found["criteria"]);
        for row in found["stocks"].as_array().unwrap() {
            assert!(wanted.contains(row["symbol"].as_str().unwrap()), "{market} {sentence}: {row}");
        }
        let word = if sentence.starts_with("liquid") { "tradable" } else { "all" };
        let said = found["words"].as_str().unwrap();
        assert_eq!(found["liquidity"], word, "{sentence}");
        assert_eq!(said.ends_with("among stocks that can be traded"), word == "tradable", "{said}");
        seen += wanted.len().min(1);
    }
    assert!(seen > 10, "only {seen} sentences have a row to show");
}

#[test]
fn what_is_no_screen_is_refused_in_words() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax), ("Bob", Tier::ApiPro)]);
    let rest = |sentence: &str| {
        fixture.refusal(0, &format!("us/screener/natural-language?{}", query(&[("query", sentence)])))
    };
    let tool =
        |sentence: &str| fixture.tool_refusal(0, "screen_natural_language", &json!({"query": sentence}));
    let long = "ROE above 10 and ".repeat(12)[..201].to_owned();
    assert_eq!((rest(&long).0, tool(&long).0), (400, 400));
    assert!(rest(&long).1.contains("200"), "{}", rest(&long).1);
    // The limit of 200 counts characters, not bytes.
    let umlauts = format!("ROE above 10 {}", "é".repeat(187));
    let found = screen(&fixture, "us", &umlauts, 5);
    assert!(found["total"] == 0 && found["not_understood"] != json!([]), "{found}");
    assert_eq!(rest(&format!("{umlauts}é")).0, 400);
    for sentence in ["zebra quux flim", "?!", "please"] {
        let (status, said) = rest(sentence);
        assert!(status == 400 && said.contains("for example `"), "{status} {said}");
        let (status, said) = tool(sentence);
        assert!(status == 400 && said.contains("for example `midcap"), "{status} {said}");
    }
    assert_eq!(fixture.refusal(1, "us/screener/natural-language?query=ROE+above+10").0, 403);
    assert_eq!(
        fixture.refusal(0, "screener/natural-language?query=ROE+above+10").0,
        404,
        "India has the tool alone"
    );
}

#[test]
fn text_of_sql_is_a_text() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    for market in ["india", "us"] {
        let before = screen(&fixture, market, "ROE above 12", 50);
        for sentence in [
            "ROE above 12'; DROP TABLE stocks; --",
            "ROE above 12 UNION SELECT * FROM stocks",
            "ROE above 12) OR (1=1",
            "sector = ' OR ''=''",
        ] {
            let reply = if market == "us" {
                fixture
                    .get(0, &format!("us/screener/natural-language?{}", query(&[("query", sentence)])))
                    .json()
            } else {
                fixture.tool(0, "screen_natural_language", &json!({"query": sentence}))
            };
            let text = reply.to_string().to_lowercase();
            assert!(
                !text.contains("datafusion") && !text.contains("sql error") && !text.contains("parsererror"),
                "{text}"
            );
            let status = reply["status"].as_u64().or(reply["_meta"]["parquote/error"]["status"].as_u64());
            assert!(status.is_none_or(|status| status == 400), "{sentence}: {reply}");
            let data =
                if reply["data"].is_null() { &reply["structuredContent"]["data"] } else { &reply["data"] };
            for row in data["stocks"].as_array().into_iter().flatten() {
                assert!(meets(row, &data["criteria"]), "{sentence}: {row}");
            }
        }
        assert_eq!(screen(&fixture, market, "ROE above 12", 50), before);
    }
}

#[cfg(feature = "agents")]
#[test]
fn a_model_reads_where_there_is_one_and_the_grammar_where_it_fails() {
    for spoken in [Spoken::OpenAi, Spoken::DeepSeek, Spoken::Gemini] {
        let plan = Plan { service: Some(spoken), request: Duration::from_secs(3), ..Plan::default() };
        let fixture = Fixture::with(&[("Alice", Tier::ApiMax)], &plan);
        for market in ["india", "us"] {
            fixture.model.be(Mood::Good);
            let found = screen(&fixture, market, "good businesses by return on equity", 20);
            let criteria = json!({"field": "roe", "op": ">=", "value": 12});
            assert_eq!((&found["read_by"], &found["notes"]), (&json!("model"), &json!([])), "{found}");
            assert_eq!(
                (&found["criteria"], &found["sorted_by"]),
                (&criteria, &json!("rs_rating desc")),
                "{found}"
            );
            let rows = found["stocks"].as_array().unwrap();
            assert!(!rows.is_empty() && rows.iter().all(|row| meets(row, &criteria)), "{found}");
            let by_grammar = |mood| {
                fixture.model.be(mood);
                let found = screen(&fixture, market, "PE under 30", 5);
                assert_eq!(found["read_by"], "grammar", "{mood:?} {found}");
                let notes = found["notes"].to_string();
                assert!(notes.contains("the language model could not be asked"), "{mood:?}: {notes}");
                assert!(found["criteria"].to_string().contains("\"pe\""), "{mood:?}: {found}");
            };
            [Mood::Garbage, Mood::Silent, Mood::KeyRefused, Mood::Busy].into_iter().for_each(by_grammar);
        }
        let requests = fixture.server.requests();
        assert!(requests.iter().all(|asked| asked.wrong.is_none() && asked.tools.is_empty()));
        // The sentence is in the message as JSON text, never in the instructions.
        assert!(requests.iter().all(|asked| !asked.system.contains("good businesses")));
        assert!(
            requests[0].last().contains("\"good businesses by return on equity\""),
            "{}",
            requests[0].last()
        );
    }
}
