//! Investor holdings: shares held a quarter before, over splits, changed CUSIPs and jumps without a corporate action.

use super::SmallMarket;
use parquote_catalogue::operation::Market;

#[tokio::test]
async fn shares_are_compared_over_splits_and_changed_numbers() {
    let given = SmallMarket::sessions(Market::Us, &["2026-08-14"]).await;
    let given = given.rows("investors", "cik, investor", ["'1', 'Omega'"]).await;
    let position = |quarter: &str, cusip: &str, symbol: &str, shares: u32| {
        format!("'1', '{quarter}', '{quarter}', '{cusip}', 'none', '{symbol}', '{symbol}', {shares}, 100")
    };
    let (before, now) = ("2026-03-31", "2026-06-30");
    let rows = [
        // A reverse split, ten into one, under a new CUSIP.
        position(before, "A1", "REVERSE", 10_000),
        position(now, "A2", "REVERSE", 1_000),
        position(before, "B", "GREW", 100),
        position(now, "B", "GREW", 120),
        // Prices suggest a split one into four, but no list has it.
        position(before, "C", "JUMPED", 100),
        position(now, "C", "JUMPED", 400),
        position(now, "D", "NEW", 7),
        // Two share classes have one symbol: the class held before cannot be determined.
        position(before, "E1", "TWO", 5),
        position(before, "E2", "TWO", 5),
        position(now, "E3", "TWO", 9),
    ];
    let columns = "cik, report_date, filed_on, cusip, option_type, symbol, issuer, shares, value_usd";
    let given = given.rows("investor_positions", columns, rows).await;
    let action = "'REVERSE', '2026-05-01', 'split', 10";
    let given = given.rows("corporate_actions", "symbol, ex_date, action_type, factor", [action]).await;
    let given = given
        .rows("price_jumps", "symbol, session", ["'JUMPED', '2026-05-04'", "'GREW', '2026-02-02'"])
        .await;
    let made = given.made("investor_holdings").await;
    let sql = "SELECT symbol, shares, prior_shares, position_change FROM investor_holdings ORDER BY 1";
    assert_eq!(
        made.lines(sql).await,
        [
            "GREW 120 100 increased",
            "JUMPED 400 - -",
            "NEW 7 0 new",
            "REVERSE 1000 1000 unchanged",
            "TWO 9 0 new",
        ]
    );
}
