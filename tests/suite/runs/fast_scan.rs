//! The fast scan: its figures equal those of other operations, its votes follow from them, and it is free of charge.

use parquote::operation::Tier;
use serde_json::{Map, Value as Json, json};

use super::fixture::{Fixture, Plan};
use super::script::{AMERICAN, INDIAN};

fn symbols(fixture: &Fixture, prefix: &str, count: usize) -> Vec<String> {
    let page = |page: usize| {
        let later = if page > 1 { format!("&page={page}") } else { String::new() };
        fixture.data(0, &format!("{prefix}companies?limit=50{later}"))
    };
    let companies = (1..=count.div_ceil(50)).flat_map(|n| page(n).as_array().unwrap().clone());
    companies.take(count).map(|row| row["symbol"].as_str().unwrap().to_owned()).collect()
}

/// Returns figures of a stock, keyed by the names of the scan.
fn figures(fixture: &Fixture, symbol: &str, market: &str) -> Map<String, Json> {
    let mut known = Map::new();
    if market == "india" {
        known
            .extend(fixture.data(0, &format!("company/ratios?symbol={symbol}")).as_object().unwrap().clone());
        let momentum = fixture.data(0, &format!("company/momentum?symbol={symbol}"));
        known.extend(momentum.as_object().unwrap().clone());
    } else {
        let ratios = fixture.data(0, &format!("us/company/ratios?symbol={symbol}"));
        let rows = ratios.as_array().cloned().unwrap_or_default();
        known.extend(
            rows.iter()
                .map(|row| (row["ratio_code"].as_str().unwrap().to_owned(), row["ratio_value"].clone())),
        );
        let momentum = fixture.data(0, &format!("us/company/momentum?symbol={symbol}"));
        known.extend(momentum.as_object().unwrap().clone());
    }
    known
}

/// Checks gates against figures of other operations, and votes against gates; returns the number of compared figures.
fn check(scan: &Json, known: &Map<String, Json>) -> usize {
    let mut compared = 0;
    let mut votes = Vec::new();
    for lens in scan["lenses"].as_array().unwrap() {
        let gates = lens["gates"].as_array().unwrap();
        for gate in gates {
            let name = gate["name"].as_str().unwrap();
            let field = match name {
                "pledge" => "pledge_pct",
                "altman" => "altman_zone",
                name => name,
            };
            if let (Some(shown), Some(own)) =
                (gate["value"].as_f64(), known.get(field).and_then(Json::as_f64))
            {
                assert!((shown - own).abs() < 0.011, "{}: {field} {shown}, {own}", scan["symbol"]);
                compared += 1;
            }
            if let (Some(word), Some(own)) = (gate["word"].as_str(), known.get(field).and_then(Json::as_str))
            {
                assert_eq!(word, own, "{}", scan["symbol"]);
                compared += 1;
            }
            let pass =
                match (gate["value"].as_f64(), gate["threshold"].as_f64(), gate["op"].as_str().unwrap()) {
                    // A figure rounded onto its threshold may be on either side of it.
                    (Some(value), Some(threshold), _)
                        if (value - threshold).abs() < 0.011 && gate["op"] != "=" =>
                    {
                        gate["pass"] == true
                    }
                    (Some(value), Some(threshold), ">=") => value >= threshold,
                    (Some(value), Some(threshold), "<=") => value <= threshold,
                    (Some(value), Some(threshold), _) => (value - threshold).abs() < 1e-9,
                    _ => gate["word"].is_string() && gate["word"] == gate["threshold_word"],
                };
            assert_eq!(gate["pass"], pass, "{} {gate}", scan["symbol"]);
        }
        let passed = gates.iter().filter(|gate| gate["pass"] == true).count();
        assert_eq!((&lens["passed"], &lens["of"]), (&json!(passed), &json!(gates.len())), "{lens}");
        let is_known = |gate: &&Json| {
            let known = |number: &str, word: &str| gate[number].is_number() || gate[word].is_string();
            known("value", "word") && known("threshold", "threshold_word")
        };
        let known = gates.iter().filter(is_known).count();
        assert_eq!(lens["gates_known"], json!(known), "{lens}");
        let vote = match passed {
            _ if 2 * known < gates.len() => "INSUFFICIENT_DATA",
            _ if passed == gates.len() => "BUY",
            // 60 % of five are three, of six four.
            _ if 10 * passed >= 6 * gates.len() => "WATCH",
            _ => "AVOID",
        };
        assert_eq!(lens["vote"], vote, "{lens}");
        votes.push(vote);
    }
    votes.retain(|vote| *vote != "INSUFFICIENT_DATA");
    let count = |vote: &&str| votes.iter().filter(|other| *other == vote).count();
    let most = votes.iter().map(count).max().unwrap_or_default();
    let mut leading: Vec<&str> = votes.iter().filter(|vote| count(vote) == most).copied().collect();
    leading.dedup();
    let signal = match (votes.len(), leading.as_slice()) {
        (0 | 1, _) => "INSUFFICIENT_DATA",
        (_, [only]) => only,
        (_, [first, rest @ ..]) if rest.iter().all(|vote| vote == first) => first,
        _ => "WATCH",
    };
    assert_eq!(scan["committee_signal"], signal, "{scan}");
    match scan["agreement_score"].as_f64() {
        None => assert!(votes.len() < 2, "{scan}"),
        Some(score) => assert!((score - 100.0 * most as f64 / votes.len() as f64).abs() < 0.06, "{scan}"),
    }
    compared
}

#[test]
fn gates_show_the_figures_of_the_other_operations_and_votes_follow_from_them() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    for (market, prefix, known) in [("india", "", INDIAN), ("us", "us/", AMERICAN)] {
        let mut symbols = symbols(&fixture, prefix, 24);
        symbols.retain(|symbol| symbol != known);
        symbols.insert(0, known.to_owned());
        let path = format!("committee/fast-scan?symbols={}&market={market}", symbols.join(","));
        let answer = fixture.data(0, &path);
        assert_eq!((&answer["market"], &answer["as_of"]), (&json!(market), &json!("2026-10-30")));
        let scans = answer["scans"].as_array().unwrap();
        let order: Vec<&str> = scans.iter().map(|scan| scan["symbol"].as_str().unwrap()).collect();
        assert_eq!(order, symbols, "{market}");
        let mut compared = 0;
        for scan in scans {
            compared += check(scan, &figures(&fixture, scan["symbol"].as_str().unwrap(), market));
        }
        println!("{market}: {} stocks, {compared} figures", scans.len());
        assert!(compared > 5 * scans.len(), "{market}: {compared}");
        let again = fixture.data(0, &path);
        assert_eq!(answer, again, "{market}");
        // A tool's answer has room for only a few of them.
        let arguments = json!({"symbols": symbols[..4], "market": market, "detail": "full"});
        let few = fixture.tool_data(0, "fast_scan_committee", &arguments);
        assert_eq!(few["scans"].as_array().unwrap()[..], scans[..4], "{market}");
    }
}

#[test]
fn a_scan_costs_nothing_and_works_when_nothing_is_left() {
    let plan = Plan { quota_hour: Some(3), ..Plan::default() };
    let fixture = Fixture::with(&[("Alice", Tier::ApiPro), ("Bob", Tier::Free)], &plan);
    let left = |path: &str| {
        let reply = fixture.get(0, path);
        assert_eq!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.body));
        ["x-ratelimit-remaining-hourly", "x-ratelimit-remaining-daily"]
            .map(|name| reply.header(name).parse::<i64>().unwrap())
    };
    let scan = "committee/fast-scan?symbols=FAQINETRAC&market=india";
    let first = left("market/sectors");
    for _ in 0..5 {
        assert_eq!(left(scan), first);
    }
    assert_eq!(left("market/sectors"), first.map(|left| left - 1));
    assert_eq!(left("market/sectors")[0], 0);
    assert_eq!(fixture.get(0, "market/sectors").status, 429);
    assert_eq!(left(scan)[0], 0);
    assert_eq!(fixture.tool_data(0, "fast_scan_committee", &json!({"symbols": [INDIAN]}))["count"], 1);
    // It is free of charge, but still needs its tier.
    assert_eq!(fixture.get(1, scan).status, 403);
    assert!(fixture.server.requests().is_empty(), "no model was asked");
}

#[test]
fn fifty_stocks_are_scanned_and_what_is_none_is_refused() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    let mut symbols = symbols(&fixture, "", 51);
    assert_eq!(symbols.len(), 51);
    let path = |symbols: &[String]| format!("committee/fast-scan?symbols={}&market=india", symbols.join(","));
    let (status, said) = fixture.refusal(0, &path(&symbols));
    assert!(status == 400 && said.contains("50"), "{status} {said}");
    symbols.truncate(50);
    assert_eq!(fixture.data(0, &path(&symbols))["count"], 50);
    symbols[7] = "FAQINETRAK".to_owned();
    let (status, said) = fixture.refusal(0, &path(&symbols));
    assert!(status == 404 && said.contains("FAQINETRAK") && said.contains(INDIAN), "{status} {said}");
    // A stock of the other market is not found here.
    let (status, _) = fixture.refusal(0, "committee/fast-scan?symbols=FAQINETRAC&market=us");
    assert_eq!(status, 404);
    assert_eq!(fixture.refusal(0, "committee/fast-scan?symbols=&market=us").0, 400);
}
