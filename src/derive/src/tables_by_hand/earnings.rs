//! Quarterly and annual results: undefined growth, late prospectuses, splits missing from files, negative equity.

use super::SmallMarket;
use parquote_catalogue::operation::Market;

const QUARTERS: &str = "symbol, quarter_index, period_end, announced_on, pat, eps_diluted, shares_diluted, period_type, basis, \
    filed_assumed, wrong_unit";

/// Returns a quarter that ended `back` quarters before June 2026.
fn quarter(symbol: &str, back: i64, announced: &str, pat: f64, eps: &str, shares: &str) -> String {
    format!(
        "'{symbol}', {}, '2026-06-30', '{announced}', {pat:?}, {eps}, {shares}, 'quarterly', 'consolidated', FALSE, FALSE",
        100 - back
    )
}

#[tokio::test]
async fn swings_are_the_ends_of_growth_and_a_late_prospectus_moves_nobody() {
    // Symbol, profit of the year-ago quarter, profit of the current quarter, and day of the results. 28 October is 120 days after the
    // quarter.
    let companies = [
        ("A", 100.0, 110.0, "2026-07-30"),
        ("B", 100.0, 120.0, "2026-08-14"),
        ("C", 100.0, -5.0, "2026-08-14"),
        ("D", -10.0, 5.0, "2026-08-14"),
        ("E", 100.0, 150.0, "2026-10-28"),
        ("F", 100.0, 130.0, "2026-10-29"),
        ("G", 100.0, -1.0, "2026-12-01"),
        ("H", 0.0, -1.0, "2026-08-14"),
    ];
    let rows = companies.iter().flat_map(|(symbol, before, now, announced)| {
        [
            quarter(symbol, 4, "2025-08-14", *before, "NULL", "NULL"),
            quarter(symbol, 0, announced, *now, "NULL", "NULL"),
        ]
    });
    let given =
        SmallMarket::sessions(Market::India, &["2026-12-31"]).await.rows("statements", QUARTERS, rows).await;
    let given = given.made("quarter_changes").await.made("compared_quarters").await;
    let sql =
        "SELECT symbol, is_timely, pat_growth_yoy IS NULL, pat_swing_yoy, pat_yoy_pct FROM compared_quarters
        WHERE quarter_index = 100 ORDER BY symbol";
    // C, A, B, E, D are ranked, in this order. F has three of them below it, (3 + 1/2 - 1) / 4; G is as bad as C.
    assert_eq!(
        given.lines(sql).await,
        [
            "A true false - 25.0",
            "B true false - 50.0",
            "C true true to loss 0.0",
            "D true true to profit 100.0",
            "E true false - 75.0",
            "F false false - 62.5",
            "G false true to loss 0.0",
            "H true true - -",
        ]
    );
}

/// Two companies with the same profits: one always had 400 shares, the other split each of its 100 into four. A third reports no share
/// count.
#[tokio::test]
async fn a_split_that_no_file_has_changes_no_surprise() {
    let profit = |back: i64| 400.0 + 8.0 * ((13 - back) * (13 - back) % 13) as f64;
    let rows = (0..=13).flat_map(|back| {
        let pat = profit(back);
        let split = if back >= 3 { 100.0 } else { 400.0 };
        let row = |symbol: &str, shares: f64, note: String| {
            quarter(symbol, back, "2026-07-30", pat, &format!("{:?}", pat / shares), &note)
        };
        [
            row("A", 400.0, "400.0".to_owned()),
            row("B", split, format!("{split:?}")),
            row("C", split, "NULL".to_owned()),
        ]
    });
    let given =
        SmallMarket::sessions(Market::Us, &["2026-12-31"]).await.rows("statements", QUARTERS, rows).await;
    let given = given.made("quarter_changes").await;
    let surprises = async |symbol: &str| {
        let sql = "SELECT sue FROM quarter_changes WHERE sue IS NOT NULL AND symbol = ";
        given.figures(&format!("{sql}'{symbol}' ORDER BY quarter_index")).await
    };
    let right = surprises("A").await;
    assert_eq!(right.len(), 2);
    for symbol in ["B", "C"] {
        let found = surprises(symbol).await;
        assert!(
            found.iter().zip(&right).all(|(one, other)| (one - other).abs() < 1e-9),
            "{found:?} {right:?}"
        );
    }
    let changes =
        "SELECT symbol, round(eps_change, 4) FROM quarter_changes WHERE quarter_index = 100 ORDER BY symbol";
    let change = (profit(0) - profit(4)) / 400.0;
    assert_eq!(given.lines(changes).await, ["A", "B", "C"].map(|symbol| format!("{symbol} {change:?}")));
}

/// The annual report of A counts new shares, four for each old share. The reports of its first two quarters counted old shares.
#[tokio::test]
async fn the_fourth_quarter_is_told_in_the_shares_of_the_year() {
    let columns =
        "symbol, period_type, period_end, pat, eps_diluted, eps_basic, basis, currency, filed_first";
    let row = |symbol: &str, period: &str, end: &str, pat: f64, eps: f64| {
        format!("'{symbol}', '{period}', '{end}', {pat:?}, {eps:?}, {eps:?}, 'consolidated', 'USD', '{end}'")
    };
    let rows = [
        row("A", "quarterly", "2025-03-31", 4.0, 4.0),
        row("A", "quarterly", "2025-06-30", 4.0, 4.0),
        row("A", "quarterly", "2025-09-30", 4.0, 1.0),
        row("A", "annual", "2025-12-31", 18.0, 4.5),
        row("B", "quarterly", "2025-03-31", 4.0, 1.0),
        row("B", "quarterly", "2025-06-30", 4.0, 1.0),
        row("B", "quarterly", "2025-09-30", 4.0, 1.0),
        row("B", "annual", "2025-12-31", 18.0, 4.4),
    ];
    let given = SmallMarket::sessions(Market::Us, &["2026-03-31"])
        .await
        .rows("reported_periods", columns, rows)
        .await;
    let given = given.made("statements").await;
    let sql = "SELECT symbol, round(eps_diluted, 6), round(eps_basic, 6) FROM statements
        WHERE period_type = 'quarterly' AND period_end = '2025-12-31' ORDER BY symbol";
    // A: profit 6 of 18, times 4.50. B: 4.40 less three times 1.
    assert_eq!(given.lines(sql).await, ["A 1.5 1.5", "B 1.4 1.4"]);
}

#[tokio::test]
async fn returns_on_a_mean_need_both_ends_to_be_positive() {
    let columns = "symbol, period_type, period_end, age, months, basis, currency, wrong_unit, filed_assumed, announced_on, \
        revenue, pat, equity, total_assets";
    let row = |symbol: &str, year: i32, age: i32, equity: f64, assets: f64| {
        format!(
            "'{symbol}', 'annual', '{year}-03-31', {age}, 12, 'consolidated', 'INR', FALSE, FALSE, '{year}-05-15', 100.0, 30.0, \
             {equity:?}, {assets:?}"
        )
    };
    let rows = [
        ("A", [38.0, -29.0], [400.0, 500.0]),
        ("B", [-29.0, 38.0], [400.0, 500.0]),
        ("C", [40.0, 20.0], [400.0, 200.0]),
        ("D", [40.0, 0.0], [400.0, 0.0]),
    ]
    .iter()
    .flat_map(|(symbol, equity, assets)| {
        [row(symbol, 2026, 1, equity[0], assets[0]), row(symbol, 2025, 2, equity[1], assets[1])]
    })
    .collect::<Vec<_>>();
    let symbols = ["A", "B", "C", "D"];
    let given =
        SmallMarket::sessions(Market::India, &["2026-06-30"]).await.rows("statements", columns, rows).await;
    let given = given
        .rows(
            "stocks",
            "symbol, session, price_cmp",
            symbols.map(|symbol| format!("'{symbol}', '2026-06-30', 10.0")),
        )
        .await
        .rows("companies", "symbol", symbols.map(|symbol| format!("'{symbol}'")))
        .await
        .rows(
            "business_kinds",
            "symbol, business_kind, is_financial",
            symbols.map(|symbol| format!("'{symbol}', 'other', FALSE")),
        )
        .await
        .made("fundamentals")
        .await;
    let sql = "SELECT symbol, roe, round(roa, 4), round(asset_turnover, 4) FROM fundamentals ORDER BY symbol";
    assert_eq!(
        given.lines(sql).await,
        ["A - 6.6667 0.2222", "B - 6.6667 0.2222", "C 100.0 10.0 0.3333", "D - - -"]
    );
}
