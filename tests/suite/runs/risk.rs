//! Risk: volatility and beta recomputed from closes, allocations as weights, and messages of refusals.

use parquote::operation::{Market, Tier};
use serde_json::{Value as Json, json};

use super::fixture::Fixture;
use super::script::{AMERICAN, INDIAN};
use crate::demo_market::{SHIPPED, open_whole};
use crate::selected::select;

/// Returns rows of a session and a number, the newest first.
fn series(market: Market, sql: &str) -> Vec<(String, f64)> {
    let tables = open_whole(&SHIPPED.data);
    let rows = select(&tables, market, sql).into_iter();
    rows.filter_map(|row| {
        let mut cells = row.as_object()?.values();
        Some((cells.next()?.as_str()?.to_owned(), cells.next()?.as_f64()?))
    })
    .collect()
}

fn returns(newest_first: &[f64]) -> Vec<f64> {
    newest_first.windows(2).map(|pair| (pair[0] / pair[1]).ln()).collect()
}

fn mean(series: &[f64]) -> f64 {
    series.iter().sum::<f64>() / series.len() as f64
}

fn covariance(one: &[f64], other: &[f64]) -> f64 {
    let (a, b) = (mean(one), mean(other));
    let products = one.iter().zip(other).map(|(x, y)| (x - a) * (y - b));
    products.sum::<f64>() / (one.len() - 1) as f64
}

fn near(found: &Json, expected: f64, what: &str) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{what}: {found}"));
    assert!((found - expected).abs() < 0.02, "{what}: {found}, by hand {expected}");
}

#[test]
fn volatility_and_beta_of_a_stock_are_those_of_its_closes() {
    const RETURNS: usize = 252;
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    for (market, symbol) in [(Market::India, INDIAN), (Market::Us, AMERICAN)] {
        let closes: Vec<(String, f64)> = if market == Market::India {
            let rows =
                fixture.data(0, &format!("company/daily-prices?symbol={symbol}&limit={}", RETURNS + 1));
            let close =
                |row: &Json| (row["session"].as_str().unwrap().to_owned(), row["close"].as_f64().unwrap());
            rows.as_array().unwrap().iter().map(close).collect()
        } else {
            let sql = format!(
                "SELECT session, close * cumulative_split_factor AS close FROM daily_prices WHERE symbol = '{symbol}' ORDER BY session DESC LIMIT {}",
                RETURNS + 1
            );
            series(market, &sql)
        };
        assert_eq!(closes.len(), RETURNS + 1, "{symbol}");
        let benchmark =
            series(market, "SELECT session, benchmark_close FROM benchmark ORDER BY session DESC");
        let beside: Vec<f64> = closes
            .iter()
            .map(|(session, _)| {
                let found = benchmark.iter().find(|(other, _)| other == session);
                found.unwrap_or_else(|| panic!("{session} has no benchmark")).1
            })
            .collect();
        let own = returns(&closes.iter().map(|(_, close)| *close).collect::<Vec<_>>());
        let beside = returns(&beside);
        let volatility = 100.0 * (252.0 * covariance(&own, &own)).sqrt();
        let beta = covariance(&own, &beside) / covariance(&beside, &beside);
        let found = fixture
            .data(0, &format!("committee/risk-audit/compute?symbols={symbol}&market={}", market.word()));
        assert_eq!((&found["sessions"], &found["as_of"]), (&json!(RETURNS), &json!(closes[0].0)), "{found}");
        near(&found["stocks"][0]["volatility_pct"], volatility, "volatility");
        near(&found["stocks"][0]["beta"], beta, "beta");
        near(&found["portfolio"]["volatility_pct"], volatility, "volatility of the whole");
        near(&found["portfolio"]["beta"], beta, "beta of the whole");
        near(&found["stocks"][0]["weight"], 1.0, "weight");
        assert_eq!(found["correlations"], json!([]), "{found}");
        println!("{symbol}: volatility {volatility:.2} %, beta {beta:.2}");
    }
}

/// Stocks that lack some sessions get the requested number of common ones from further back.
#[test]
fn sessions_that_stocks_lack_are_made_up_for_by_earlier_ones() {
    const RETURNS: usize = 30;
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    let tables = open_whole(&SHIPPED.data);
    let of_days = |sql: &str| -> Vec<String> {
        let rows = select(&tables, Market::India, sql).into_iter();
        rows.map(|row| row.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned())
            .collect()
    };
    let newest = format!("(SELECT session FROM sessions ORDER BY session DESC LIMIT {})", RETURNS + 1);
    let patchy = of_days(&format!(
        "SELECT symbol FROM daily_prices WHERE session IN {newest} GROUP BY symbol HAVING COUNT(*) BETWEEN {} AND {RETURNS}",
        RETURNS - 2
    ));
    let quoted: Vec<String> = patchy.iter().map(|symbol| format!("'{symbol}'")).collect();
    let common = of_days(&format!(
        "SELECT session FROM daily_prices WHERE symbol IN ({}) GROUP BY session HAVING COUNT(*) = {} ORDER BY session DESC LIMIT {}",
        quoted.join(", "),
        patchy.len(),
        RETURNS + 1
    ));
    let read_first =
        format!("SELECT session FROM sessions ORDER BY session DESC LIMIT 1 OFFSET {}", RETURNS + 3);
    assert!(common.last().unwrap() < &of_days(&read_first)[0], "they lack too few sessions: {common:?}");
    let found = fixture.data(
        0,
        &format!("committee/risk-audit/compute?symbols={}&lookback={RETURNS}&market=india", patchy.join(",")),
    );
    assert_eq!(
        (&found["sessions"], &found["as_of"], &found["from"]),
        (&json!(RETURNS), &json!(common[0]), &json!(common[RETURNS])),
        "{found}"
    );
}

/// Returns five liquid stocks of a market with a long history.
fn five(fixture: &Fixture, prefix: &str) -> Vec<String> {
    let rows = fixture.data(0, &format!("{prefix}market/momentum?limit=30"));
    let rows = rows["stocks"].as_array().unwrap_or_else(|| panic!("{rows}"));
    let symbols = rows.iter().map(|row| row["symbol"].as_str().unwrap().to_owned());
    let market = if prefix.is_empty() { "india" } else { "us" };
    // Stocks with a short history would shorten the lookback of all.
    let whole = symbols.filter(|symbol| {
        let found =
            fixture.data(0, &format!("committee/risk-audit/compute?symbols={symbol}&market={market}"));
        found["sessions"] == 252
    });
    whole.take(5).collect()
}

#[test]
fn allocations_are_weights_under_their_cap_in_both_markets() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    for (market, prefix) in [("india", ""), ("us", "us/")] {
        let symbols = five(&fixture, prefix);
        assert_eq!(symbols.len(), 5, "{market}");
        let path = |more: &str| {
            format!("committee/risk-audit/allocate?symbols={}&market={market}{more}", symbols.join(","))
        };
        for method in
            ["inverse_volatility", "equal_risk_contribution", "hierarchical_risk_parity", "equal_weight"]
        {
            for cap in [None, Some(0.24)] {
                let cap_text = cap.map(|cap| format!("&max_weight={cap}")).unwrap_or_default();
                let found = fixture.data(0, &path(&format!("&method={method}{cap_text}")));
                assert_eq!(found["method"], method);
                let rows = found["weights"].as_array().unwrap();
                let order: Vec<&str> = rows.iter().map(|row| row["symbol"].as_str().unwrap()).collect();
                assert_eq!(order, symbols, "{method}");
                let weights: Vec<f64> = rows.iter().map(|row| row["weight"].as_f64().unwrap()).collect();
                let sum: f64 = weights.iter().sum();
                assert!((sum - 1.0).abs() < 5e-4, "{market} {method}: {weights:?} sum to {sum}");
                assert!(
                    weights.iter().all(|weight| *weight > 0.0 && *weight <= cap.unwrap_or(1.0) + 1e-4),
                    "{method}: {weights:?}"
                );
                if method == "equal_weight" {
                    assert!(weights.iter().all(|weight| (weight - 0.2).abs() < 1e-9), "{weights:?}");
                }
                let shares: Vec<f64> =
                    rows.iter().map(|row| row["risk_contribution_pct"].as_f64().unwrap()).collect();
                assert!((shares.iter().sum::<f64>() - 100.0).abs() < 0.1, "{method}: {shares:?}");
                if method == "equal_risk_contribution" && cap.is_none() {
                    assert!(shares.iter().all(|share| (share - 20.0).abs() < 0.1), "{market}: {shares:?}");
                }
                if method == "inverse_volatility" && cap.is_none() {
                    let products: Vec<f64> = rows
                        .iter()
                        .map(|row| row["weight"].as_f64().unwrap() * row["volatility_pct"].as_f64().unwrap())
                        .collect();
                    assert!(
                        products.iter().all(|product| (product / products[0] - 1.0).abs() < 0.01),
                        "{products:?}"
                    );
                }
            }
        }
        // The audit of an allocation gives the same volatility.
        let allocated = fixture.data(0, &path("&method=equal_weight"));
        let audited = fixture.data(0, &path("").replace("allocate", "compute"));
        near(
            &allocated["portfolio"]["volatility_pct"],
            audited["portfolio"]["volatility_pct"].as_f64().unwrap(),
            market,
        );
        assert_eq!(audited["correlations"].as_array().unwrap().len(), 10);
        near(&audited["portfolio"]["hhi"], 0.2, "hhi");
        near(&audited["portfolio"]["effective_names"], 5.0, "effective names");
    }
}

#[test]
fn what_cannot_be_weighed_is_refused_in_words() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiPro), ("Bob", Tier::Free)]);
    let symbols = five(&fixture, "")[..3].join(",");
    let compute = |more: &str| {
        fixture.refusal(0, &format!("committee/risk-audit/compute?symbols={symbols}&market=india{more}"))
    };
    let allocate = |symbols: &str, more: &str| {
        fixture.refusal(0, &format!("committee/risk-audit/allocate?symbols={symbols}&market=india{more}"))
    };
    for (reply, status, words) in [
        (compute("&weights=50,50"), 400, "2 are given for 3 symbols"),
        (compute("&weights=50,50,x"), 400, "`x`"),
        (compute("&weights=50,60,-10"), 400, "0 or more"),
        (compute("&weights=10,10,10"), 400, "30"),
        (compute("&weights=NaN,1,0"), 400, ""),
        (compute("&lookback=29"), 400, "30"),
        (allocate(&symbols, "&max_weight=0.3"), 400, "0.333334"),
        (allocate(&symbols, "&max_weight=1.5"), 400, "1"),
        (allocate(&symbols, "&method=magic"), 400, "equal_weight"),
        (allocate(INDIAN, ""), 400, "2"),
        (allocate("FAQINETRAK,FAQINETRAC", ""), 404, INDIAN),
    ] {
        assert!(reply.0 == status && reply.1.contains(words), "{words}: {reply:?}");
    }
    // Percentages and fractions are the same weights.
    let of = |weights: &str| {
        fixture.data(
            0,
            &format!("committee/risk-audit/compute?symbols={symbols}&market=india&weights={weights}"),
        )
    };
    assert_eq!(of("50,30,20"), of("0.5,0.3,0.2"));
    assert_eq!(
        fixture.refusal(1, &format!("committee/risk-audit/compute?symbols={symbols}&market=india")).0,
        403
    );
}
