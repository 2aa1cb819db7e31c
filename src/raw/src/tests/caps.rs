//! Market caps: the share count that holds on each day.

use super::*;

/// Company facts of a filer: cover day, shares, day of filing, form.
fn covers(cik: u32, counts: &[(&str, f64, &str, &str)]) -> String {
    let counts: Vec<String> = (1..)
        .zip(counts)
        .map(|(number, (day, shares, filed, form))| {
            format!(
                r#"{{"end":"{day}","val":{shares},"accn":"0000000{cik}-25-{number:06}","filed":"{filed}","form":"{form}"}}"#
            )
        })
        .collect();
    format!(
        r#"{{"cik":{cik},"entityName":"X","facts":{{"dei":{{"EntityCommonStockSharesOutstanding":{{"label":"x","units":{{"shares":[{}]}}}}}}}}}}"#,
        counts.join(",")
    )
}

/// Prices by day and symbol.
fn prices(days: &[(&str, &[(&str, f64)])]) -> String {
    let rows = days.iter().flat_map(|(day, prices)| {
        prices
            .iter()
            .map(move |(symbol, price)| format!("{symbol},{day},{price},{price},{price},{price},5\n"))
    });
    format!("symbol,date,open,high,low,close,volume\n{}", rows.collect::<String>())
}

/// Returns caps in billions, true if assumed, bar by bar.
fn caps(market: &RawMarket, symbol: &str) -> Vec<(f64, bool)> {
    let stock = market.stock(symbol);
    let caps =
        stock.close.iter().zip(&stock.shares).map(|(close, shares)| (close * shares / 1e8).round() / 10.0);
    caps.zip(stock.shares_assumed.iter().copied()).collect()
}

const TICKERS: &str =
    r#"{"0":{"cik_str":101,"ticker":"AAPL","title":"A"},"1":{"cik_str":102,"ticker":"AMD","title":"B"}}"#;

/// The last session is Tuesday the 4th. One list is of the Thursday after it, another of two months later.
#[test]
fn the_newest_session_has_what_is_known_when_the_set_is_made() {
    let caps_with = |list: &str, as_of: Option<&str>| {
        let raw = Raw::new()
            .file("prices.csv", &prices(&[("2025-11-03", &[("AAPL", 100.0)]), ("2025-11-04", &[("AAPL", 200.0)])]))
            .file(list, "symbol,name,sector,industry,market_cap,price\nAAPL,Apple Inc. Common Stock,T,T,1500000000000,150\n");
        let as_of = as_of.map(|day| day.parse().unwrap());
        caps(&raw.read_with(RawOptions { as_of, ..RawOptions::for_market(Market::Us) }), "AAPL")
    };
    // The list implies 10 billion shares.
    assert_eq!(caps_with("listings_2025-11-06.csv", None), [(1_000.0, true), (2_000.0, false)]);
    assert_eq!(caps_with("listings_2026-01-06.csv", None), [(1_000.0, true), (2_000.0, true)]);
    assert_eq!(caps_with("listings_2025-11-06.csv", Some("2025-11-04")), [(1_000.0, true), (2_000.0, true)]);
}

/// The close of the last session is 200; the list is dated two days later.
#[test]
fn a_list_after_a_split_that_no_bar_shows_counts_the_shares_of_the_bars() {
    let caps_with = |cap: f64, price: f64| {
        let raw = Raw::new()
            .file("prices.csv", &prices(&[("2025-11-03", &[("AAPL", 190.0)]), ("2025-11-04", &[("AAPL", 200.0)])]))
            .file(
                "listings_2025-11-06.csv",
                &format!("symbol,name,sector,industry,market_cap,price\nAAPL,Apple Inc. Common Stock,T,T,{cap},{price}\n"),
            );
        caps(&raw.us(), "AAPL")[1]
    };
    // 10 billion shares at 210. A price of 450 is explained by no split.
    assert_eq!((caps_with(2.1e12, 210.0), caps_with(4.4e12, 450.0).1), ((2_000.0, false), false));
    // A split into two explains 105, ten shares merged into one explain 1,900: both imply 10 billion shares before.
    assert_eq!((caps_with(2.1e12, 105.0), caps_with(1.9e12, 1_900.0)), ((2_000.0, true), (2_000.0, true)));
}

/// Apple's and AMD's covers of November 2025, and the screener of August 2026 with its caps and prices.
#[test]
fn a_day_in_the_past_has_the_shares_on_its_newest_covers() {
    let market = Raw::new()
        .file(
            "prices.csv",
            &prices(&[
                ("2025-10-30", &[("AAPL", 271.40), ("AMD", 254.84)]),
                ("2025-11-14", &[("AAPL", 272.41), ("AMD", 246.81)]),
            ]),
        )
        .file("company_tickers.json", TICKERS)
        .file(
            "CIK101.json",
            &covers(
                101,
                &[
                    ("2025-07-18", 14_840_390_000.0, "2025-08-01", "10-Q"),
                    ("2025-10-17", 14_776_353_000.0, "2025-10-31", "10-K"),
                ],
            ),
        )
        .file("CIK102.json", &covers(102, &[("2025-10-31", 1_628_000_000.0, "2025-11-05", "10-Q")]))
        .file(
            "listings_2026-08-22/nasdaq.json",
            r#"[{"symbol":"AAPL","name":"Apple Inc. Common Stock","lastsale":"$309.35","marketCap":"4514709583000.00","industry":"","sector":""},
            {"symbol":"AMD","name":"Advanced Micro Devices Inc. Common Stock","lastsale":"$473.25","marketCap":"772568813627.00","industry":"","sector":""}]"#,
        )
        .us();
    // 271.40 x 14,840,390,000 and 272.41 x 14,776,353,000; on the 30th AMD's cover of the 5th of November was not filed.
    assert_eq!(caps(&market, "AAPL"), [(4027.7, false), (4025.2, false)]);
    assert_eq!(caps(&market, "AMD"), [(414.9, true), (401.8, false)]);
}

/// Without covers the list's own price yields the shares, and a list of a later day is only assumed.
#[test]
fn a_list_has_the_shares_of_its_own_price() {
    let row = r#"[{"symbol":"AMD","name":"Advanced Micro Devices Inc. Common Stock","lastsale":"$473.25","marketCap":"772568813627.00","industry":"","sector":""}]"#;
    let raw = |path: &str| {
        Raw::new()
            .file(
                "prices.csv",
                &prices(&[("2025-11-14", &[("AMD", 246.81)]), ("2026-08-21", &[("AMD", 500.0)])]),
            )
            .file(path, row)
    };
    // 772,568,813,627 / 473.25 = 1,632,475,042 shares.
    let listed = raw("listings_2026-08-21/nasdaq.json").us();
    assert_eq!(caps(&listed, "AMD"), [(402.9, true), (816.2, false)]);
    // A list fetched on a weekend has the state of Friday.
    assert_eq!(caps(&raw("listings_2026-08-22/nasdaq.json").us(), "AMD"), caps(&listed, "AMD"));
    // Five weeks after the last session the share count may have changed.
    let later = raw("listings_2026-09-25/nasdaq.json").us();
    assert_eq!(caps(&later, "AMD"), [(402.9, true), (816.2, true)]);
    let message = later.report.exceptions.join("\n");
    assert!(
        message.contains("1 symbol has a number of shares that became known after the last session"),
        "{message}"
    );
    let old =
        RawOptions { as_of: NaiveDate::from_ymd_opt(2025, 11, 14), ..RawOptions::for_market(Market::Us) };
    assert_eq!(caps(&raw("listings_2026-08-22/nasdaq.json").read_with(old), "AMD"), [(402.9, true)]);
}

/// The split is of the 4th; a cover of the 2nd that is filed on the 6th counts the shares before it.
#[test]
fn covers_are_carried_over_splits_and_count_no_receipts() {
    let day = |day: u32| format!("2025-01-{day:02}");
    let days: Vec<(String, f64)> =
        [(3, 100.0), (4, 20.0), (6, 20.0)].map(|(at, price)| (day(at), price)).to_vec();
    let bars: Vec<[(&str, f64); 2]> =
        days.iter().map(|(_, price)| [("AMD", *price), ("AAPL", 50.0)]).collect();
    let days: Vec<(&str, &[(&str, f64)])> =
        days.iter().zip(&bars).map(|((day, _), bars)| (day.as_str(), &bars[..])).collect();
    let raw = |form: &str, name: &str| {
        Raw::new()
            .file("prices.csv", &prices(&days))
            .file("actions.csv", "symbol,ex_date,action,factor\nAMD,2025-01-04,split 1:5,0.2\n")
            .file("company_tickers.json", TICKERS)
            .file(
                "CIK102.json",
                &covers(
                    102,
                    &[("2024-10-18", 90e6, "2024-11-01", form), ("2025-01-02", 1e8, "2025-01-06", form)],
                ),
            )
            .file("listings.csv", &format!("symbol,name,sector,industry,market_cap\nAMD,{name},T,T,\n"))
            .us()
    };
    // Caps in billions: 100 x 90 million shares, 20 x 450 million, 20 x 500 million.
    assert_eq!(caps(&raw("10-Q", "A Inc. Common Stock"), "AMD"), [(9.0, false), (9.0, false), (10.0, false)]);
    for market in [raw("20-F", "A Inc. Common Stock"), raw("10-Q", "A Ltd. American Depositary Shares")] {
        assert!(market.stock("AMD").shares.iter().all(|shares| shares.is_nan()));
    }
}

/// Ten shares become one, and no file has the split: the count of the cover follows the prices.
#[test]
fn a_cover_is_carried_over_a_jump_that_is_taken_for_a_split() {
    let days: Vec<(String, [(&str, f64); 1])> = (1..=9)
        .map(|day| (format!("2025-01-{day:02}"), [("AMD", if day < 8 { 3.0 } else { 30.3 })]))
        .collect();
    let days: Vec<(&str, &[(&str, f64)])> =
        days.iter().map(|(day, bars)| (day.as_str(), &bars[..])).collect();
    let market = Raw::new()
        .file("prices.csv", &prices(&days))
        .file("company_tickers.json", TICKERS)
        .file("CIK102.json", &covers(102, &[("2024-12-02", 3e9, "2024-12-20", "10-Q")]))
        .us();
    assert_eq!(market.jumps.len(), 1);
    // 3 x 3,000 million, then 30.30 x 300 million.
    assert_eq!(caps(&market, "AMD")[6..], [(9.0, false), (9.1, false), (9.1, false)]);
}

/// A data set has the shares of each class on the cover; their sum is the company's, at the price of any class near the others.
#[test]
fn the_classes_on_a_cover_are_summed() {
    let sub =
        "adsh\tcik\tname\tform\tperiod\tfiled\n0000000101-25-000001\t101\tA\t10-Q\t20240930\t20241101\n";
    let count = |class: &str, shares: &str| {
        format!(
            "0000000101-25-000001\tEntityCommonStockSharesOutstanding\tdei/2024\t20241031\t0\tshares\t{class}\t\t{shares}\t\n"
        )
    };
    let num = format!(
        "adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue\tfootnote\n{}{}{}",
        count("ClassOfStock=CommonClassA;", "5800000000"),
        count("ClassOfStock=CommonClassC;", "5400000000"),
        count("ClassOfStock=CommonClassA;", "5800000000"),
    );
    let tickers =
        r#"{"0":{"cik_str":101,"ticker":"GA","title":"A"},"1":{"cik_str":101,"ticker":"GC","title":"A"}}"#;
    let raw = |of_class: f64| {
        Raw::new()
            .file("prices.csv", &prices(&[("2025-01-02", &[("GA", 100.0), ("GC", of_class)])]))
            .file("company_tickers.json", tickers)
            .bytes("2024q4.zip", &zip(&[("num.txt", &num), ("sub.txt", sub)]))
            .us()
    };
    let market = raw(101.0);
    assert_eq!((caps(&market, "GA"), caps(&market, "GC")), (vec![(1120.0, false)], vec![(1131.2, false)]));
    assert_eq!(market.company("GC").cap_counted_in_symbol.as_deref(), Some("GA"));
    // The price of one class is too far from the other's.
    assert!(raw(1500.0).stock("GA").shares[0].is_nan());
}
