//! `parquote backtest` as its users see it.

use crate::command_line::fails;
use crate::demo_market::SHIPPED;
use crate::program::run;
use crate::refresh::past_screens::PAST_MONTHS;

#[test]
fn backtest_prints_figures_or_the_whole_answer() {
    let data = SHIPPED.data.to_str().unwrap();
    let printed = |words: &[&str]| {
        let rules = ["symbols=BAXIPAPOWR", "every=quarterly", "from=2026-08-01", "costs=none"];
        let (code, text, errors) =
            run(&[&["backtest", "--data", data, "slippage_bps=0"][..], &rules, words].concat());
        assert_eq!(code, Some(0), "{errors}");
        text
    };
    let table = printed(&[]);
    assert!(table.starts_with("2026-09-30 to 2026-10-30  back-test  NIFTYBEES\n"), "{table}");
    // Bought at 857.35, and worth 875.65.
    let figure =
        |head: &str| table.lines().find_map(|line| line.strip_prefix(head)?.split_whitespace().next());
    assert_eq!(figure("return %"), Some("2.13"));
    assert_eq!((figure("days of picks"), figure("growth % a year")), (Some("1"), Some("-")));
    assert!(table.contains("too few to tell skill from luck"), "{table}");
    let whole: serde_json::Value = serde_json::from_str(&printed(&["--json"])).unwrap();
    assert_eq!(whole["trades"][0]["symbol"], "BAXIPAPOWR");
    fails(&["backtest", "--data", data, "screen="], 1, &["`screen` is empty", "Screen in words"]);
    fails(&["backtest", "--data", data, "every=daily"], 1, &["`every`", "weekly"]);
    fails(&["backtest", "--data", data, "--market", "us", "symbols=BAXIPAPOWR"], 1, &["BAXIPAPOWR"]);
}

#[test]
fn backtest_reads_past_sets_for_a_screen() {
    let folder = tempfile::tempdir().unwrap();
    PAST_MONTHS.copy_to(folder.path());
    let data = folder.path().to_str().unwrap();
    let screen = "screen=ROE above 5, by market cap";
    let (code, text, errors) = run(&["backtest", "--data", data, screen, "from=2026-07-01", "top=3"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(text.starts_with("2026-08-31 to 2026-10-30  back-test"), "{text}");
    let picks = text.lines().find_map(|line| line.strip_prefix("picks ")?.split_whitespace().next());
    assert_eq!(picks, Some("6"), "{text}");
    assert!(text.contains("1 of 3 months have no past set"), "{text}");
    // The shipped market has none.
    let shipped = SHIPPED.data.to_str().unwrap();
    fails(
        &["backtest", "--data", shipped, screen],
        1,
        &["parquote derive --past-months 2025-", "--market india"],
    );
}
