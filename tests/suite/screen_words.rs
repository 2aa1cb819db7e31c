//! The explorer's screen: sentences and limits as conditions. Its rows and counts are compared with `explore/screen`, which is only SQL,
//! and the bars of small pictures with `explore/chart`.

use parquote::operation::Market;
use serde_json::Value as Json;

use crate::server::SERVER;

fn answer(path: &str) -> Json {
    let reply = SERVER.get(path);
    assert_eq!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.body));
    let mut json: Json = serde_json::from_slice(&reply.body).unwrap();
    json["data"].take()
}

fn symbols(rows: &Json) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| row["symbol"].as_str().unwrap().to_owned()).collect()
}

/// Returns the number of stocks within limits, by SQL.
fn count(market: &str, limits: &[&str]) -> u64 {
    let reply = SERVER.get(&format!("{market}explore/screen?limit=1&{}", limits.join("&")));
    reply.header("x-total-count").parse().unwrap()
}

const MARKETS: [&str; 2] = ["", "us/"];

#[test]
fn limits_list_what_sql_lists_in_the_same_order() {
    for market in MARKETS {
        for asked in [
            "min_rs=60&sort_by=roe",
            "max_pe=40&min_roe=5&sort_by=pe&sort_dir=asc",
            "min_growth=10&max_de=1&min_opm=5&sort_by=rs_rating",
            "stage=2&min_score=4&sort_by=overall_score",
            "min_roce=10",
        ] {
            let by_sql = answer(&format!("{market}explore/screen?{asked}&limit=200"));
            let here = answer(&format!("{market}explore/screen-words?{asked}&limit=200"));
            assert!(symbols(&by_sql).len() > 3, "{market}{asked}");
            assert_eq!(symbols(&here["stocks"]), symbols(&by_sql), "{market}{asked}");
        }
    }
}

#[test]
fn a_sentence_and_limits_are_one_list_of_conditions() {
    let sentence = "explore/screen-words?query=ROE+at+least+10+and+RS+at+least+50+by+RS";
    let both = answer(&format!("{sentence}&max_pe=40&limit=200"));
    let by_sql = answer("explore/screen?min_roe=10&min_rs=50&max_pe=40&sort_by=rs_rating&limit=200");
    assert_eq!(symbols(&both["stocks"]), symbols(&by_sql));
    assert_eq!(both["sorted_by"], "rs_rating desc");
    let conditions = both["conditions"].as_array().unwrap();
    let told: Vec<(&Json, &Json)> = conditions.iter().map(|it| (&it["place"], &it["limited_by"])).collect();
    assert_eq!(told, [(&1.into(), &Json::Null), (&2.into(), &Json::Null), (&Json::Null, &"max_pe".into())]);
    assert_eq!(conditions[0]["condition"], "return on equity at least 10 %");
    assert_eq!(conditions[2]["fields"], serde_json::json!(["pe"]));
    // One condition of the sentence is left out, which the answer shows.
    let without = answer(&format!("{sentence}&max_pe=40&without=1&limit=200"));
    let by_sql = answer("explore/screen?min_rs=50&max_pe=40&sort_by=rs_rating&limit=200");
    assert_eq!(symbols(&without["stocks"]), symbols(&by_sql));
    assert_eq!(without["conditions"][0]["is_left_out"], true);
    let refused = SERVER.get(&format!("{sentence}&without=3"));
    assert_eq!(refused.status, 400);
    assert!(
        refused.message().contains("`3` is not a condition of `query`; it has those from 1 to 2"),
        "{}",
        refused.message()
    );
    assert!(SERVER.get("explore/screen-words?without=1").message().contains("`query` has none"));
}

#[test]
fn figures_take_the_place_of_those_in_the_sentence() {
    let sentence = "explore/screen-words?query=midcap+and+ROE+above+10+and+RS+at+least+50+by+RS";
    let replaced = answer(&format!("{sentence}&figures=3:70,2:15.5&max_pe=40&limit=200"));
    let said = answer(
        "explore/screen-words?query=midcap+and+ROE+above+15.5+and+RS+at+least+70+by+RS&max_pe=40&limit=200",
    );
    assert!(!symbols(&said["stocks"]).is_empty());
    assert_eq!(symbols(&replaced["stocks"]), symbols(&said["stocks"]));
    assert_eq!(replaced["words"], said["words"]);
    let conditions = replaced["conditions"].as_array().unwrap();
    let figures: Vec<Option<f64>> = conditions.iter().map(|condition| condition["figure"].as_f64()).collect();
    assert_eq!(figures, [None, Some(15.5), Some(70.0), Some(40.0)]);
    let tiny = answer(&format!("{sentence}&figures=2:1e-320"));
    assert!(tiny["words"].as_str().unwrap().contains("above 1e-320 %"), "{}", tiny["words"]);
    for (figures, told) in [
        ("4:1", "`4:1` replaces nothing; write the place of a condition with one figure (2, 3), a colon"),
        ("1:5", "`1:5` replaces nothing"),
        ("0:5", "`0:5` replaces nothing"),
        ("2:x", "`2:x` replaces nothing"),
        ("2", "as in `2:20`"),
        ("2:inf", "`2:inf` replaces nothing"),
    ] {
        let refused = SERVER.get(&format!("{sentence}&figures={figures}"));
        assert_eq!(refused.status, 400, "{figures}");
        assert!(refused.message().contains(told), "{figures}: {}", refused.message());
    }
    let none = SERVER.get("explore/screen-words?figures=1:5").message();
    assert!(none.contains("no condition of `query` has one figure; leave `figures` out"), "{none}");
}

#[test]
fn a_formula_is_a_column_that_orders_the_stocks() {
    for market in MARKETS {
        let path = format!("{market}explore/screen-words?formula=roce+-+pe+*+2&sort_by=formula&limit=5000");
        let answered = answer(&path);
        assert_eq!(answered["sorted_by"], "formula desc");
        let rows = answered["stocks"].as_array().unwrap();
        let mut last = f64::INFINITY;
        let (mut known, mut unknown) = (0, 0);
        for row in rows {
            match (row["roce"].as_f64().zip(row["pe"].as_f64()), row["formula"].as_f64()) {
                (Some((roce, pe)), Some(value)) => {
                    // The figures of an answer have two decimals, and the formula is over those without rounding.
                    assert!((roce - 2.0 * pe - value).abs() < 0.02, "{row}");
                    assert!(value <= last && unknown == 0, "{row}");
                    last = value;
                    known += 1;
                }
                (None, None) => unknown += 1,
                _ => panic!("{row}"),
            }
        }
        assert!(known > 50 && unknown > 0, "{market}: {known} {unknown}");
        // A limit, a page and a file go on in that order.
        let page = answer(&format!("{path}&min_rs=60&offset=3&limit=4").replace("&limit=5000", ""));
        let rated: Vec<String> = symbols(&answered["stocks"])
            .into_iter()
            .zip(rows)
            .filter(|(_, row)| row["rs_rating"].as_f64() >= Some(60.0))
            .map(|(symbol, _)| symbol)
            .collect();
        assert_eq!(symbols(&page["stocks"]), rated[3..7]);
        let csv = SERVER.get(&format!("{path}&format=csv&fields=symbol,formula"));
        let csv = String::from_utf8(csv.body).unwrap();
        assert!(csv.lines().next().unwrap().ends_with("formula"), "{csv:.80}");
        assert_eq!(csv.lines().count(), rows.len() + 1);
        // Without a formula there is no such column, and no order by it.
        let plain = answer(&format!("{market}explore/screen-words?sort_by=formula&limit=30"));
        let usual = answer(&format!("{market}explore/screen-words?limit=30"));
        assert_eq!(plain["stocks"], usual["stocks"]);
        assert!(usual["stocks"][0].get("formula").is_none());
    }
    // Three at once, one with a name; the order is by one of them.
    let path = "explore/screen-words?formula=gap+%3D+roce+-+pe&second_formula=roe+%2B+1&third_formula=2+*+pb&limit=5000";
    let answered = answer(&format!("{path}&sort_by=second_formula&sort_dir=asc"));
    assert_eq!(answered["sorted_by"], "second_formula asc");
    let mut last = f64::NEG_INFINITY;
    for row in answered["stocks"].as_array().unwrap() {
        let figure = |name: &str| row[name].as_f64();
        let near = |value: Option<f64>, expected: Option<f64>| match (value, expected) {
            (Some(value), Some(expected)) => (value - expected).abs() < 0.02,
            (value, expected) => value.is_none() && expected.is_none(),
        };
        let gap = figure("roce").zip(figure("pe")).map(|(roce, pe)| roce - pe);
        assert!(near(figure("formula"), gap), "{row}");
        assert!(near(figure("second_formula"), figure("roe").map(|roe| roe + 1.0)), "{row}");
        assert!(near(figure("third_formula"), figure("pb").map(|pb| 2.0 * pb)), "{row}");
        let value = figure("second_formula").unwrap_or(f64::INFINITY);
        assert!(value >= last, "{row}");
        last = value;
    }
    let alone = SERVER.get("explore/screen-words?second_formula=roce").message();
    assert!(
        alone.contains("`second_formula`: a formula before it is missing; write this one as `formula`"),
        "{alone}"
    );
    for (formula, told) in [
        (
            "roce+-+growth",
            "`formula`: `growth` is not a column with numbers; near to it: `revenue_growth_1y`",
        ),
        ("sector+*+2", "`sector` is not a column with numbers"),
        ("roce+-", "is expected at the end; a formula is written like `(roce + roe) / pe`"),
        ("roce;+DROP+TABLE+stocks", "is expected where `;` is"),
        ("formula", "`formula` is not a column with numbers"),
        ("%3D+roce", "the name of a formula, before its `=`, has 1 to 30 characters"),
        ("gap%00+%3D+roce", "`formula`: a formula is one line without tabs and invisible characters"),
        ("gap%E2%80%AE+%3D+roce", "`formula`: a formula is one line without tabs and invisible characters"),
        ("Gap+%3D+roce&second_formula=gap+%3D+pe", "`second_formula`: its name is that of `formula`"),
        ("roce&second_formula=pe&third_formula=roce", "`third_formula`: its name is that of `formula`"),
    ] {
        let refused = SERVER.get(&format!("explore/screen-words?formula={formula}"));
        assert_eq!(refused.status, 400, "{formula}");
        assert!(refused.message().contains(told), "{formula}: {}", refused.message());
    }
}

#[test]
fn a_histogram_counts_the_stocks_that_meet_all_other_conditions() {
    for market in MARKETS {
        let path = format!("{market}explore/screen-words?query=RS+above+20&max_pe=30&histograms=true");
        let answered = answer(&path);
        let all = answer(&format!("{market}explore/screen-words?query=RS+above+20&limit=5000"));
        let known: Vec<f64> =
            all["stocks"].as_array().unwrap().iter().filter_map(|row| row["pe"].as_f64()).collect();
        let bars = answered["histograms"].as_array().unwrap();
        let own: Vec<&Json> = bars.iter().filter(|bar| bar["of_condition"] == 2).collect();
        assert_eq!((bars.len(), own.len()), (40, 20), "{market}");
        let mut counted = 0;
        for (bar, next) in own.iter().zip(own.iter().skip(1)) {
            assert_eq!(bar["bar_to"], next["bar_from"]);
            let (from, to) = (bar["bar_from"].as_f64().unwrap(), bar["bar_to"].as_f64().unwrap());
            assert_eq!(bar["is_within"], f64::midpoint(from, to) <= 30.0, "{bar}");
            counted += bar["stock_count"].as_u64().unwrap();
            // The figures of an answer have two decimals, so one of them may be at the other side of an edge.
            let expected = known.iter().filter(|pe| **pe < to).count() as u64;
            assert!(counted.abs_diff(expected) <= 1, "{market} {bar}: {counted} {expected}");
        }
        counted += own[19]["stock_count"].as_u64().unwrap();
        assert_eq!(counted, known.len() as u64, "{market}");
        assert_eq!(answer(&path.replace("&histograms=true", ""))["histograms"], serde_json::json!([]));
    }
}

#[test]
fn few_matches_are_told_what_each_condition_costs() {
    let mut told = 0;
    for market in MARKETS {
        for limits in [
            ["min_rs=90", "min_roe=15", "max_de=1"],
            ["min_rs=80", "max_pe=15", "min_growth=20"],
            ["min_score=7", "min_rs=70", "max_pe=30"],
        ] {
            let total = count(market, &limits);
            let here = answer(&format!("{market}explore/screen-words?{}", limits.join("&")));
            assert_eq!(here["total"], total, "{market}{limits:?}");
            for limit in limits {
                let name = limit.split('=').next().unwrap();
                let condition = here["conditions"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|it| it["limited_by"] == name)
                    .unwrap();
                if total > 20 {
                    assert_eq!(condition["without_it"], Json::Null);
                    continue;
                }
                let others: Vec<&str> = limits.into_iter().filter(|other| *other != limit).collect();
                assert_eq!(
                    condition["without_it"],
                    count(market, &others),
                    "{market}{limits:?} without {limit}"
                );
                told += 1;
            }
        }
    }
    assert!(told >= 9, "{told}");
}

#[test]
fn counts_are_those_of_sql_and_leave_out_the_limit_of_their_own() {
    for market in MARKETS {
        for facet in ["sector", "industry", "stage"] {
            let by_sql = answer(&format!("{market}explore/screen?min_rs=40&facet={facet}&limit=200"));
            let mut expected: Vec<(String, u64)> = by_sql
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|row| {
                    Some((row["facet_value"].as_str()?.to_owned(), row["stock_count"].as_u64()?))
                })
                .collect();
            let Some((value, count)) = expected.first().cloned() else { continue };
            expected.sort();
            for more in [String::new(), format!("&{facet}={}", value.replace('&', "%26").replace(' ', "+"))] {
                let here = answer(&format!("{market}explore/screen-words?min_rs=40{more}"));
                let mut counted: Vec<(String, u64)> = here["facets"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|one| one["facet"] == facet)
                    .map(|one| {
                        (
                            one["facet_value"].as_str().unwrap().to_owned(),
                            one["stock_count"].as_u64().unwrap(),
                        )
                    })
                    .collect();
                counted.sort();
                assert_eq!(counted, expected, "{market}{facet}{more}");
                if !more.is_empty() {
                    assert_eq!(here["total"], count, "{market}{more}");
                }
            }
        }
    }
}

#[test]
fn sizes_are_those_of_sentences() {
    for (market, words) in [("", "mid"), ("", "large"), ("us/", "mid"), ("us/", "small")] {
        let limited = answer(&format!("{market}explore/screen-words?cap={words}&limit=5000"));
        let said =
            answer(&format!("{market}explore/screen-words?query={words}cap&sort_by=market_cap&limit=5000"));
        assert!(!symbols(&said["stocks"]).is_empty(), "{market}{words}");
        assert_eq!(symbols(&limited["stocks"]), symbols(&said["stocks"]), "{market}{words}");
    }
}

#[test]
fn of_what_is_not_understood_no_stock_is_listed() {
    for (sentence, unread) in [("pharma with vorpal above 3", "vorpal"), ("qwertz zuiop", "qwertz zuiop")] {
        let here = answer(&format!("explore/screen-words?query={}", sentence.replace(' ', "+")));
        assert_eq!((here["total"].as_u64(), symbols(&here["stocks"]).len()), (Some(0), 0), "{sentence}");
        assert!(here["not_understood"][0].as_str().unwrap().starts_with(unread), "{here}");
        assert!(!here["notes"].as_array().unwrap().is_empty());
    }
}

#[test]
fn pages_and_files_of_a_sentence_have_all_its_rows() {
    let path = "explore/screen-words?query=stocks+with+RS+above+40+by+ROE";
    let whole = symbols(&answer(&format!("{path}&limit=5000"))["stocks"]);
    assert!(whole.len() > 60);
    let mut pages = Vec::new();
    while pages.len() < whole.len() {
        let reply = SERVER.get(&format!("{path}&limit=50&offset={}", pages.len()));
        assert_eq!(reply.header("x-total-count"), whole.len().to_string());
        let page: Json = serde_json::from_slice(&reply.body).unwrap();
        let page = symbols(&page["data"]["stocks"]);
        assert!(!page.is_empty());
        pages.extend(page);
    }
    assert_eq!(pages, whole);
    let csv = SERVER.get(&format!("{path}&limit=5000&format=csv&fields=symbol"));
    let lines: Vec<&str> = std::str::from_utf8(&csv.body).unwrap().lines().skip(1).collect();
    assert_eq!(lines, whole);
    // A sentence may contain the number of rows.
    let few = answer("explore/screen-words?query=top+7+by+RS");
    assert_eq!((symbols(&few["stocks"]).len(), &few["total"]), (7, &7.into()));
}

#[test]
fn bars_for_small_pictures_are_those_of_the_chart() {
    for (market, path) in [(Market::India, ""), (Market::Us, "us/")] {
        let named = symbols(&answer(&format!("{path}explore/screen?limit=3&sort_by=market_cap")));
        let bars = answer(&format!("{path}explore/sparks?symbols={}&bars=60", named.join(",")));
        let bars = &bars["stocks"];
        for symbol in &named {
            let own: Vec<&Json> =
                bars.as_array().unwrap().iter().filter(|bar| bar["symbol"] == **symbol).collect();
            let chart = answer(&format!("{path}explore/chart?symbol={symbol}&range=6m"));
            let chart = chart.as_array().unwrap();
            assert!((1..=60).contains(&own.len()), "{market} {symbol}: {}", own.len());
            for (bar, drawn) in own.iter().zip(&chart[chart.len() - own.len()..]) {
                for name in ["session", "open", "high", "low", "close", "volume", "rs_line"] {
                    assert_eq!(bar[name], drawn[name], "{market} {symbol} {name}");
                }
            }
        }
    }
    let many: Vec<String> = (0..51).map(|n| format!("S{n}")).collect();
    assert_eq!(SERVER.get(&format!("explore/sparks?symbols={}", many.join(","))).status, 400);
    assert_eq!(SERVER.get("explore/sparks?symbols=BAXIPAPOWR,NONE").status, 404);
}
