//! The rules of `queries/checks`: the demo market passes them all, and each rule finds its planted fault.

use std::fmt::Write as _;
use std::sync::Arc;

use parquote::engine::{CheckResult, LoadScope, QueryLimits, Snapshot, named_tables};
use parquote::operation::{Check, Market};
use parquote::set::Root;

use crate::demo_market::{CATALOGUE, RUNTIME, SHIPPED, open_whole};
use crate::selected::select;

/// A rule, a table that it reads, a column of it, and the SQL expression that replaces the column to break the rule.
pub(crate) type Plant = (&'static str, &'static str, &'static str, &'static str);

const PLANTS: [Plant; 74] = [
    ("actions_have_factors", "corporate_actions", "factor", "0.0"),
    ("averages_and_alignment", "stocks", "ema_alignment", "'BULLISH'"),
    (
        "balance_sheets_balance",
        "statement_lines",
        "value",
        "CASE WHEN line = 'equity' THEN 2 * value + 1e9 ELSE value END",
    ),
    ("bars_on_sessions", "daily_prices", "session", "CAST(session + INTERVAL '1 day' AS DATE)"),
    ("breadth_of_the_day", "breadth", "advances", "advances + 1"),
    (
        "cash_rolls",
        "statement_lines",
        "value",
        "CASE WHEN line = 'net_cash_flow' THEN value + 1e12 ELSE value END",
    ),
    ("circuits_have_bands", "circuits", "session", "CAST(session - INTERVAL '900 days' AS DATE)"),
    (
        "circuits_of_the_day",
        "circuits",
        "limit_price",
        "CASE WHEN direction = 'upper' THEN 2 * limit_price ELSE limit_price / 2 END",
    ),
    ("classes_make_the_public", "shareholding", "fii_pct", "fii_pct + 40"),
    ("deals_within_the_day", "deals", "quantity", "1000 * quantity"),
    (
        "debt_is_short_and_long",
        "statement_lines",
        "value",
        "CASE WHEN line = 'total_debt' THEN 2 * value ELSE value END",
    ),
    (
        "earnings_per_share",
        "statement_lines",
        "value",
        "CASE WHEN line = 'eps_diluted' THEN 2 * value + 1 ELSE value END",
    ),
    ("factors_and_actions", "daily_prices", "cumulative_split_factor", "0.9 * cumulative_split_factor"),
    ("filings_after_their_period", "statement_lines", "filed_at", "period_end"),
    ("filings_of_the_usual_unit", "statements", "wrong_unit", "TRUE"),
    ("flows_add_up", "statement_lines", "value", "CASE WHEN line = 'cfo' THEN value + 1e12 ELSE value END"),
    ("holders_make_a_hundred", "shareholding", "promoter_pct", "promoter_pct + 40"),
    ("industries_count_their_stocks", "industry_stages", "stock_count", "stock_count + 1"),
    ("insiders_hold_what_they_sell", "insider_trades", "held_after", "held_after + 1"),
    ("insiders_value_is_price_times_shares", "insider_trades", "value_usd", "1.1 * value_usd"),
    ("portfolios_add_up", "investor_holdings", "value_usd", "3 * value_usd"),
    (
        "issue_size_and_shares",
        "statement_lines",
        "value",
        "CASE WHEN line = 'shares_outstanding' THEN 5 * value ELSE value END",
    ),
    (
        "lists_keep_their_size",
        "index_members",
        "list_date",
        "CASE WHEN symbol > 'K' THEN DATE '2000-01-01' ELSE list_date END",
    ),
    ("members_are_companies", "index_members", "symbol", "concat(symbol, 'NO')"),
    ("price_order", "daily_prices", "low", "high + 1"),
    ("prices_by_session", "session_prices", "adj_close", "1.01 * adj_close"),
    (
        "prices_stay_in_their_bands",
        "circuits",
        "limit_price",
        "CASE WHEN direction = 'upper' THEN limit_price / 2 ELSE 2 * limit_price END",
    ),
    (
        "quarters_make_the_year",
        "statement_lines",
        "value",
        "CASE WHEN period_type = 'annual' THEN 1.5 * value ELSE value END",
    ),
    (
        "neighbours_are_of_one_unit",
        "statement_lines",
        "value",
        "CASE WHEN line = 'revenue' AND date_part('month', period_end) = 9 THEN 1000 * value ELSE value END",
    ),
    // Under one symbol, the factors of 0.5 that two demo stocks have three weeks apart count twice.
    ("splits_count_once", "corporate_actions", "symbol", "'JOQADIHOME'"),
    ("rs_of_stocks", "stocks", "rs_rank", "rs_rank + 1"),
    ("rs_ranks_follow_scores", "rs_history", "rs_rating", "100 - rs_rating"),
    ("rs_ratings_in_bounds", "rs_history", "rs_rating", "0"),
    ("scans_count_themselves", "scans", "template_count", "template_count + 1"),
    ("scans_of_stocks", "scans", "in_near_high", "NOT in_near_high"),
    ("scores_in_bounds", "scans", "score", "101.0"),
    (
        "statements_have_usual_values",
        "statement_lines",
        "value",
        "CASE WHEN line = 'shares_outstanding' THEN 0.0 ELSE value END",
    ),
    ("stocks_are_companies", "latest_bars", "symbol", "concat(symbol, 'NO')"),
    ("stocks_have_their_bar", "stocks", "price_cmp", "1.01 * price_cmp"),
    ("trends_of_tones", "tone_history", "tone_before", "tone_before + 40"),
    ("turnover_of_the_day", "daily_prices", "turnover", "1.01 * turnover"),
    ("statements_of_their_lines", "statements", "pat", "1.01 * pat"),
    ("fundamentals_of_the_day", "fundamentals", "price_cmp", "1.01 * price_cmp"),
    ("fundamentals_in_bounds", "fundamentals", "pe", "1.01 * pe"),
    ("last_four_quarters", "fundamentals", "pat_ttm", "1.01 * pat_ttm"),
    ("ranks_of_earnings", "earnings", "ecs_rank", "1000 - ecs_rank"),
    ("announcements_after_quarters", "earnings", "announced_on", "period_end"),
    ("scorecards_are_means", "scorecards", "overall_score", "overall_score + 0.1"),
    ("dimensions_of_ratios", "scorecards", "financial_health", "financial_health + 0.1"),
    ("lenders_have_ratios_of_their_own", "fundamentals", "fcf_ttm", "1.0"),
    ("stances_follow_their_rule", "stances", "stance", "'COMPELLING'"),
    ("quarters_say_why_they_have_no_score", "earnings", "unscored_because", "'Because.'"),
    ("ratios_of_fundamentals", "ratios", "ratio_value", "1.1 * ratio_value"),
    ("screens_of_stocks", "screen", "pe", "1.1 * pe"),
    ("profiles_of_stocks", "company_profiles", "pe", "1.1 * pe"),
    ("us_profiles_of_stocks", "us_company_profiles", "pe", "1.1 * pe"),
    ("pledges_are_the_newest", "latest_pledges", "pledge_pct", "pledge_pct + 1"),
    ("bank_figures_of_statements", "banking_kpis", "advances_cr", "1.1 * advances_cr"),
    ("tones_of_a_call", "guidance_tones", "tone_score", "tone_score + 1"),
    ("portfolio_ranks_and_changes", "investor_holdings", "portfolio_pct", "portfolio_pct + 1"),
    ("order_wins_are_companies", "order_wins", "symbol", "concat(symbol, 'NO')"),
    ("tradable_stocks", "stocks", "is_tradable", "NOT is_tradable"),
    ("breakout_states_of_averages", "breakout_conditions", "above_ema_21", "NOT above_ema_21"),
    ("us_breakout_states_of_averages", "breakout_conditions", "above_sma_50", "NOT above_sma_50"),
    ("stage_0_is_a_broad_correction", "industry_stages", "stage", "COALESCE(stage, 0) + 1"),
    ("scans_are_their_conditions", "scans", "in_volume", "NOT COALESCE(in_volume, FALSE)"),
    ("order_wins_have_their_filing", "order_wins", "filed_on", "CAST(filed_on + INTERVAL '1 day' AS DATE)"),
    ("universe_is_rated", "universe", "universe", "'NOTHING'"),
    ("us_jumps_are_splits", "daily_prices", "price_segment", "price_segment + 1"),
    ("jumps_start_histories", "latest_bars", "price_segment", "price_segment + 1"),
    ("large_companies_have_sectors", "stocks", "sector", "CAST(NULL AS VARCHAR)"),
    ("sectors_say_their_source", "companies", "sector_source", "'NOTHING'"),
    ("sessions_without_files", "sessions", "missing_before", "'2026-10-14'"),
    ("share_classes_count_once", "sectors", "total_market_cap_b", "1.1 * total_market_cap_b"),
];

/// Rules over the tables of a ledger, which the demo market lacks; `ledger` tests them.
const OF_LEDGERS: [&str; 2] = ["ledger_closes_are_of_the_bars", "ledger_picks_are_of_the_scans"];

/// Returns the rules over tables that the demo market has.
fn rules() -> impl Iterator<Item = &'static Check> {
    CATALOGUE.checks().iter().filter(|check| !OF_LEDGERS.contains(&check.name.as_str()))
}

/// Returns the check with one column of one table replaced.
pub(crate) fn planted(check: &Check, (_, table, column, instead): &Plant) -> Check {
    let changed = format!("(SELECT * REPLACE ({instead} AS {column}) FROM {table})");
    let mut sql = String::new();
    for line in check.sql.lines() {
        let Some((before, read)) = line.split_once("FROM") else {
            writeln!(sql, "{line}").unwrap();
            continue;
        };
        let mut words = read.split_whitespace();
        let is_it = words.next() == Some(table);
        let alias = if words.next() == Some("AS") { String::new() } else { format!(" AS {table}") };
        let read = if is_it { read.replacen(table, &(changed.clone() + &alias), 1) } else { read.to_owned() };
        writeln!(sql, "{before}FROM{read}").unwrap();
    }
    Check { sql, ..check.clone() }
}

#[test]
fn the_demo_market_keeps_every_rule() {
    let snapshot = open_whole(&SHIPPED.data);
    for check in rules() {
        for market in Market::ALL.into_iter().filter(|market| check.is_in(*market)) {
            let verdict = RUNTIME.block_on(snapshot.check(market, check)).unwrap();
            assert_eq!(verdict, CheckResult::Passed, "{} on {market}: {}", check.name, check.title);
        }
    }
}

/// `scan_conditions` is a view: the tables behind it are loaded too.
#[test]
fn a_select_loads_the_tables_that_it_reads_alone() {
    let sql = "WITH these AS (SELECT * FROM scan_conditions) SELECT count(*) AS rows FROM these";
    let (root, limits) = (Root::folder(&SHIPPED.data), QueryLimits::default());
    let tables = named_tables(Market::India, sql).unwrap();
    assert_eq!(tables, ["scan_conditions"]);
    let opened = Snapshot::open(Arc::clone(&CATALOGUE), &root, LoadScope::Named(&tables), &limits);
    let (snapshot, whole) = (RUNTIME.block_on(opened).unwrap(), open_whole(&SHIPPED.data));
    let rows = |of: &Snapshot| select(of, Market::India, sql)[0]["rows"].as_i64().unwrap();
    assert_eq!(rows(&snapshot), rows(&whole));
    assert!(rows(&whole) > 0);
    let loaded = snapshot.market(Market::India).unwrap().counts();
    let names: Vec<&str> = loaded.iter().map(|(name, _)| name.as_str()).collect();
    assert!((2..8).contains(&names.len()) && !names.contains(&"daily_prices"), "{names:?}");
}

/// Rules over bars read them as a stream: their memory does not grow with the number of bars.
#[test]
fn rules_over_bars_hold_in_little_memory() {
    let limits = QueryLimits { check_bytes: 16 << 20, ..QueryLimits::default() };
    let root = Root::folder(&SHIPPED.data);
    let opened = Snapshot::open(Arc::clone(&CATALOGUE), &root, LoadScope::All, &limits);
    let snapshot = RUNTIME.block_on(opened).unwrap();
    let over_bars = |check: &&Check| {
        ["daily_prices", "session_prices", "rs_history"].iter().any(|table| check.sql.contains(table))
    };
    let mut problems = Vec::new();
    for check in rules().filter(over_bars) {
        for market in Market::ALL.into_iter().filter(|market| check.is_in(*market)) {
            match RUNTIME.block_on(snapshot.check(market, check)) {
                Ok(CheckResult::Passed) => {}
                other => problems.push(format!("{} on {market}: {other:?}", check.name)),
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_rule_finds_what_it_is_for() {
    let snapshot = open_whole(&SHIPPED.data);
    for check in rules() {
        let plant = PLANTS.iter().find(|plant| plant.0 == check.name);
        let plant = plant.unwrap_or_else(|| panic!("nothing breaks {}: add a line to PLANTS", check.name));
        let market = if check.is_in(Market::India) { Market::India } else { Market::Us };
        let verdict = RUNTIME.block_on(snapshot.check(market, &planted(check, plant))).unwrap();
        assert!(matches!(verdict, CheckResult::Broken { rows: 1.., .. }), "{}: {verdict:?}", check.name);
    }
    assert_eq!(PLANTS.len(), rules().count());
}

/// DataFusion has pushed filters above outer joins down to one side if both sides have columns of the same name.
#[test]
fn rules_over_outer_joins_find_what_is_missing_on_either_side() {
    let snapshot = open_whole(&SHIPPED.data);
    for (name, table) in [
        ("prices_by_session", "daily_prices"),
        ("prices_by_session", "session_prices"),
        ("profiles_of_stocks", "company_profiles"),
        ("profiles_of_stocks", "stocks"),
        ("scans_of_stocks", "scans"),
        ("scans_of_stocks", "stocks"),
        ("stances_follow_their_rule", "stances"),
        ("us_profiles_of_stocks", "stocks"),
        ("us_profiles_of_stocks", "us_company_profiles"),
    ] {
        let check = CATALOGUE.checks().iter().find(|check| check.name == name).unwrap();
        let market = if check.is_in(Market::India) { Market::India } else { Market::Us };
        let one = "(SELECT MIN(symbol) FROM stocks WHERE is_tradable)";
        let left = format!(" (SELECT * FROM {table} WHERE symbol <> {one}) AS ");
        let sql = check.sql.replacen(&format!(" {table} AS "), &left, 1);
        assert_ne!(sql, check.sql, "{name}");
        let verdict = RUNTIME.block_on(snapshot.check(market, &Check { sql, ..check.clone() })).unwrap();
        assert!(
            matches!(verdict, CheckResult::Broken { rows: 1, .. }),
            "{name} without {table}: {verdict:?}"
        );
    }
}

/// A market that was made again beside the one before has two sets, of which a reader of all files of a table sees both.
#[test]
fn the_shipped_market_has_one_set() {
    for market in ["india", "us"] {
        let sets = format!("{}/data/demo/{market}/sets", env!("CARGO_MANIFEST_DIR"));
        let files = std::fs::read_dir(sets).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        assert_eq!(names, ["1.admission.json", "1.json"]);
    }
}
