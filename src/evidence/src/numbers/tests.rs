//! Tests of texts against the evidence of one run; the expected strikes were written by hand.

use serde_json::{Map, Value as Json, json};

use super::{CitedFigure, RunEvidence, STRUCK, UnsupportedNumber};

fn evidence() -> RunEvidence {
    let mut evidence = RunEvidence::default();
    let call = |symbol: &str| Map::from_iter([("symbol".to_owned(), Json::from(symbol))]);
    evidence.add_answer(
        "get_company_profile",
        &call("TCS"),
        &json!({
            "symbol": "TCS", "company_name": "Tata Consultancy Services Limited", "market_cap_cr": 123_456.78,
            "price_cmp": 3_412.65, "pe": 28.37, "roce": 51.2, "de": 0.08, "opm_pct": 26.45, "rs_rating": 87,
            "change_pct": -3.2, "ema_21": 3_390.1, "ema_50": 3_350.0, "wk52_high": 3_650.0, "profitable_years_10y": 10,
            "revenue_cagr_5y": 11.84, "fcf_yield": null, "pat_margin": 0.1934, "session": "2026-08-21", "stage": 2,
        }),
    );
    evidence.add_answer(
        "get_financials",
        &call("TCS"),
        &json!([
            {"period": "Q1 FY26", "period_end": "2025-06-30", "sales_cr": 63_437.0, "pat_cr": 12_760.0},
            {"period": "Q4 FY25", "period_end": "2025-03-31", "sales_cr": 64_479.0, "pat_cr": 12_224.0},
        ]),
    );
    evidence.add_answer(
        "us_get_company_profile",
        &call("MMM"),
        &json!({"symbol": "MMM", "company_name": "3M Company", "market_cap_b": 71.4, "sma_200": 132.5, "total_usd": 2_300_000_000.0_f64}),
    );
    evidence.add_answer(
        "get_order_wins",
        &call("20MICRONS"),
        &json!([{"company_name": "20 Microns Limited", "headline": "Wins an order of Rs 450 crore, 12-15% of sales, over 36 months, to be supplied from Vadodara", "factor": 0.2}]),
    );
    evidence.add_answer(
        "screen_stocks",
        &Map::from_iter([("min_mcap".to_owned(), json!(7_500)), ("days".to_owned(), json!(90))]),
        &json!({"stocks": [], "count": 0}),
    );
    evidence.add_goal("Is TCS good for 18 months? I think ROCE is 777 %.");
    evidence.add_counts([3, 5]);
    evidence
}

/// Strikes a text and returns the struck numbers, joined by `|`.
fn struck(text: &str) -> String {
    let mut list: Vec<UnsupportedNumber> = Vec::new();
    let checked = evidence().strike(text, "summary", &mut list);
    assert_eq!(checked.matches(STRUCK).count(), list.len(), "{checked}");
    list.into_iter().map(|one| one.text).collect::<Vec<_>>().join("|")
}

#[test]
fn what_tools_gave_stands_in_every_way_it_is_written() {
    for text in [
        "ROCE is 51.2%, ROCE of 51 %, ROCE 51.20 per cent and 51.2 percent.",
        "PE 28.37, a P/E of 28.4x, about 28 times, 28× earnings.",
        "Market cap Rs 1,23,457 crore; ₹123,456.78 cr; INR 1.23 lakh crore; Rs. 1.235 trillion.",
        "Rs 1234.6 billion of market value.",
        "Price 3,412.65 or Rs3,413 or about 3,400.",
        "Down 3.2%, a change of -3.2 %, of −3.2%, of (3.2%).",
        "Margin 19.34%, or 19.3 percent, 0.19 as a ratio, 1934 bps.",
        "The operating margin of 26.45% is 2645 basis points.",
        "Above the 21-day EMA of 3,390.1 and the 50 day average of 3350; EMA-50, EMA50, EMA(21).",
        "Ten of ten years; 10 of 10 years profitable; 5-year CAGR of 11.8%.",
        "Near the 52-week high of 3,650.",
        "In Q1 FY26, Q1FY26, Q1 FY2026, 1QFY26, FY26 Q1 and FY25, FY2025-26, 2025-26.",
        "On 2026-08-21, 21 August 2026, August 21, 2026, 21st Aug 2026, 21-Aug-2026, 21/08/2026, Aug 2026, 21 August.",
        "The June 2025 quarter; in 2025; during 2026; by 30 June 2025.",
        "H1 and Q3 are names, and so is FY26.",
        "3M is worth $71.4B, $71.4 billion, USD 71,400 million, US$71bn; 3M Company.",
        "Net 2.3 billion dollars; $2,300 million; $2.3bn.",
        "20 Microns (20MICRONS) won Rs 450 crore, 12 to 15 % of sales; 12-15%; 12–15 %; over 36 months.",
        "A 1:5 split.",
        "Three lenses, 3 lenses, all 5 findings.",
        "1. First\n2) Second\n   11. Third",
        "Reasons: (1) growth, (2) margin, (4) none.".replace("(4)", "(3)").as_str(),
        "An 18-month horizon; 18 months.",
        "Stocks above Rs 7,500 crore over 90 days.",
        "NIFTY 50, Nifty Midcap 150, S&P 500, Russell 2000, NIFTY Next 50.",
        "Form 10-K, an 8-K, 13F and B2B, 5G, P2P, H2O.",
        "Stage 2, RS 87, RS87, rs_rating 87, wk52_high.",
        "५१.२% and ５１.２％.",
        "`revenue_cagr_5y` = 11.84",
        "Sales of 63,437-64,479 crore; Rs 63,437 crore to Rs 64,479 crore; 63,437 and 64,479 crore.",
        "No digits, two words, a dozen.",
        "The 200-day moving average lies at 132.5.",
        "**51.2%**, (51.2%), \"51.2%\", 51.2%-ish.",
        "TCS ranks 87th.",
        "Finding 1: fine. Risk #42, Tier-1 capital, Form 4, Section 80C.",
        "RS: 87/99, 87 out of 99, on a scale of 1-99.",
        "RSI(14) and the EMA (21); the top 25; NIFTY500, RUSSELL2000, EMA200.",
        "Above 3,400, more than 3,400, >3,400, ~3,413.",
        "Since 2026-08; grew at 11.8 % p.a.; EMA(10)/EMA(21); the 10/21/50-day EMAs.",
        "Revenue from Rs 64,479 cr to Rs 63,437 cr; Rs.450cr; Rs450Cr.",
        "Quarter ended 30th June, 2025 (30.06.2025); FY25-FY26; Q1'26; 4QFY25.",
        "",
    ] {
        assert_eq!(struck(text), "", "{text}");
    }
}

#[test]
fn what_no_tool_gave_is_struck() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("ROCE is 52.2%.", "52.2%"),
        ("ROCE is 51.3 percent.", "51.3 percent"),
        ("ROCE of 777 %.", "777 %"),
        ("PE 28.38x against 31x", "28.38x|31x"),
        ("Market cap of Rs 123,457 million", "123,457 million"),
        ("Market cap of $71.4 crore", "71.4 crore"),
        ("Market cap of 71.4 million", "71.4 million"),
        ("Worth Rs 1,23,999 crore", "1,23,999 crore"),
        ("Up +3.2 %", "+3.2 %"),
        ("ROCE is -51.2%", "-51.2%"),
        ("₹-3,412.65 is no price, nor -₹3,412.65", "-3,412.65|3,412.65"),
        ("About 3,500", "3,500"),
        ("In Q3 FY27 and FY28", "Q3 FY27|FY28"),
        ("On 2026-08-22 or 22 August 2026, in September 2027", "2026-08-22|22 August 2026|September 2027"),
        ("In 2031 it will be so", "2031"),
        ("A target of 4,100 in 12 months", "4,100|12 months"),
        ("5M shares of 3M", "5M"),
        ("99percent and ROE99%", "99percent|99%"),
        ("5 years: no, 7 years", "7 years"),
        ("Ranks 412th", "412th"),
        ("Market cap of 7,500 crore", "7,500 crore"),
        ("NIFTY at 24,500", "24,500"),
        ("RS95, RSI 72, RSI72, DOW40000, P9999, EMA9999", "95|72|72|40000|9999|9999"),
        ("९९% or ½ or Ⅳ", "९९%|½|ⅳ"),
        ("51\u{200b}2%", "512%"),
        ("gains of 16-18%", "16|18%"),
        (".75 of it", ".75"),
        ("A 7:9 split", "7|9"),
        ("1. Up 44%\n2. Down 45%", "44%|45%"),
        ("- 66 % is no list", "66 %"),
        ("41,42 and 43,44,46", "41|42|43|44|46"),
        ("$123456.78", ""),
        ("123,456.781", "123,456.781"),
        ("target9999, target_9999, 9999target and 8.75x", "9999|9999|9999|8.75x"),
        ("Risk 412, a note of 44, gate 44 %", "412|44|44 %"),
        ("92/99 and 14 of 99", "92|14|99"),
        ("In 2027-08 on a scale of 1-99 at 61", "2027-08|61"),
        ("It fell by 3.4 % , not 3 %", "3.4 %"),
    ] {
        let got = struck(text);
        if got != expected {
            wrong.push(format!("{text}: {got} instead of {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_text_around_a_struck_number_is_kept() {
    let mut list = Vec::new();
    let checked =
        evidence().strike("ROCE of 52.2%, not 51.2%; Rs 999 crore in Q3 FY29.", "risks[0]", &mut list);
    assert_eq!(checked, "ROCE of [unsupported], not 51.2%; Rs [unsupported] crore in [unsupported].");
    let listed: Vec<_> =
        list.iter().map(|one| (one.text.as_str(), one.value, one.location.as_str())).collect();
    assert_eq!(
        listed,
        [
            ("52.2%", Some(52.2), "risks[0]"),
            ("999 crore", Some(999.0), "risks[0]"),
            ("Q3 FY29", None, "risks[0]")
        ]
    );
    assert_eq!(
        serde_json::to_value(&list[1]).unwrap(),
        json!({"text": "999 crore", "value": 999.0, "where": "risks[0]"})
    );
}

#[test]
fn a_cited_figure_is_the_tools_own() {
    let cite = |operation: &str, symbol: &str, field: &str, value: Json| {
        let cited =
            CitedFigure { operation: operation.into(), symbol: symbol.into(), field: field.into(), value };
        evidence().find(&cited).map(|figure| (figure.symbol, figure.value))
    };
    let own = |value: Json| Some(("TCS".to_owned(), value));
    assert_eq!(cite("get_company_profile", "tcs", "roce", json!("51.2")), own(json!(51.2)));
    assert_eq!(cite("get_company_profile", "TCS", "roce", json!(51)), own(json!(51.2)));
    assert_eq!(cite("get_company_profile", "", "market_cap_cr", json!("1,23,457")), own(json!(123_456.78)));
    assert_eq!(cite("get_financials", "TCS", "period", json!("q1 fy26")), own(json!("Q1 FY26")));
    assert_eq!(cite("get_company_profile", "MMM", "roce", json!(51.2)), None);
    assert_eq!(cite("get_company_profile", "TCS", "roe", json!(51.2)), None);
    assert_eq!(cite("get_ratios", "TCS", "roce", json!(51.2)), None);
    assert_eq!(cite("get_company_profile", "TCS", "roce", json!(52)), None);
    assert_eq!(cite("get_company_profile", "TCS", "fcf_yield", Json::Null), None);
}

#[test]
fn a_model_cannot_make_support_up_by_its_own_arguments() {
    let mut evidence = RunEvidence::default();
    let arguments =
        Map::from_iter([("q".to_owned(), json!("ROCE of 99%")), ("min_roce".to_owned(), json!(88))]);
    evidence.add_answer("search_companies", &arguments, &json!([]));
    let mut list = Vec::new();
    let checked = evidence.strike("ROCE of 99%, ROCE 88, and screened above 88.", "", &mut list);
    assert_eq!(checked, "ROCE of [unsupported], ROCE [unsupported], and screened above 88.");
}

#[test]
fn any_text_can_be_read() {
    // Random texts of a few marks and digits must be unchanged except for struck numbers.
    let marks =
        ["1", "9", ",", ".", "-", " ", "%", "₹", "(", "q", "fy", "x", "é", ":", "/", "'", "st", "mar"];
    let mut seed = 7_u64;
    let evidence = RunEvidence::default();
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..9 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(marks[(seed >> 33) as usize % marks.len()]);
        }
        let mut list = Vec::new();
        let checked = evidence.strike(&text, "", &mut list);
        assert_eq!(checked.matches(STRUCK).count(), list.len(), "{text}");
        let rest = checked.replace(STRUCK, "").chars().count();
        assert!(rest <= text.chars().count(), "{text}");
    }
}

#[test]
fn one_bare_digit_is_no_rounded_figure() {
    let mut evidence = RunEvidence::default();
    evidence.add_answer(
        "get_ratios",
        &Map::new(),
        &json!({"pe": 6.6, "growth_pct": 4.2, "stage": 2, "price_cmp": 5.3}),
    );
    let mut list = Vec::new();
    evidence.strike(
        "7 plants and 4 mills in stage 2; a P/E of 6.6, growth of 4 %, at Rs 5.",
        "summary",
        &mut list,
    );
    let list: Vec<&str> = list.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(list, ["7", "4"]);
}
