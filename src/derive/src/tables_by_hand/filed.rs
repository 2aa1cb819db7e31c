//! Loan figures that banks file, and sectors in place of missing industries.

use super::SmallMarket;
use parquote_catalogue::operation::Market;

#[tokio::test]
async fn bad_loans_are_in_percent_of_the_loans_before_provisions_of_the_company_alone() {
    let line = |basis: &str, end: &str, line: &str, crore: f64| {
        format!("'BANK', '{end}', '{end}', '{basis}', 'quarterly', '{line}', {}", crore * 1e7)
    };
    let rows = [
        line("standalone", "2024-03-31", "advances", 9_600.0),
        line("standalone", "2024-03-31", "gross_npa", 500.0),
        line("standalone", "2024-03-31", "net_npa", 100.0),
        line("standalone", "2023-03-31", "advances", 8_000.0),
        line("consolidated", "2024-03-31", "advances", 12_000.0),
        // Ratios stated by the bank have priority: 6.3 %, but not 99 %, about a hundred times the ratio of the amounts.
        line("standalone", "2023-12-31", "advances", 9_400.0),
        line("standalone", "2023-12-31", "gross_npa", 600.0),
        line("standalone", "2023-12-31", "net_npa", 94.0),
        line("standalone", "2023-12-31", "gross_npa_pct", 6.3 / 1e7),
        line("standalone", "2023-12-31", "net_npa_pct", 99.0 / 1e7),
        // 1.9 % and 17.5 % of the assets: no bank has as little capital as the first.
        line("standalone", "2023-12-31", "tier1_pct", 1.9 / 1e7),
        line("standalone", "2024-03-31", "tier1_pct", 17.5 / 1e7),
    ];
    let columns = "symbol, period_end, known_from, basis, period_type, line, value";
    let market = SmallMarket::sessions(Market::India, &["2024-05-31"])
        .await
        .rows("business_kinds", "symbol, business_kind", ["'BANK', 'bank'"])
        .await
        .rows("statement_lines", columns, rows)
        .await
        .made("filed_bank_figures")
        .await;
    let newest = "FROM filed_bank_figures WHERE period_end = DATE '2024-03-31'";
    // 500 of the 9,600 plus 400 of provisions; 400 of 500; 9,600 after 8,000.
    for (figure, wanted) in [
        ("gnpa_pct", 5.0),
        ("nnpa_pct", 100.0 / 96.0),
        ("pcr_pct", 80.0),
        ("credit_growth_pct", 20.0),
        ("tier1_pct", 17.5),
    ] {
        let found = market.figures(&format!("SELECT {figure} {newest}")).await;
        assert!(found.len() == 1 && (found[0] - wanted).abs() < 1e-9, "{figure}: {found:?}");
    }
    let stated =
        "SELECT gnpa_pct, nnpa_pct, tier1_pct FROM filed_bank_figures WHERE period_end = DATE '2023-12-31'";
    assert_eq!(market.lines(stated).await, ["6.3 1.0 -"]);
}

#[tokio::test]
async fn sectors_stand_for_industries_where_no_company_has_one() {
    for (industry, wanted) in [("NULL", ["A Realty", "B Power"]), ("'Towers'", ["A Towers", "B -"])] {
        let companies = [format!("'A', 'Realty', {industry}"), "'B', 'Power', NULL".to_owned()];
        let market = SmallMarket::sessions(Market::India, &["2024-05-31"])
            .await
            .rows("latest_bars", "symbol, first_bar", ["'A', '2024-05-31'", "'B', '2024-05-31'"])
            .await
            .rows("companies", "symbol, sector, industry", companies)
            .await
            .made("listings")
            .await;
        let lines = market.lines("SELECT symbol, industry FROM listings ORDER BY symbol").await;
        assert_eq!(lines, wanted);
    }
}
