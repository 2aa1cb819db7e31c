//! Checks the written statements with whole numbers, so that not even rounding errors are allowed.
//!
//! Accounting identities are the reference, not the model.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::{Datelike, Months, NaiveDate, Weekday};

use super::{MARKET, files, minor, options, rows, written};
use crate::{DemoOptions, MarketSize};

/// Symbol, basis, period type, period end, filing date.
type Key = (String, String, String, NaiveDate, NaiveDate);
/// Values by line: hundredths of crores or millions, of a currency unit or of a percent; whole shares.
type Lines = BTreeMap<String, i64>;

/// Filings by symbol, basis and period type.
type BySymbol<'a> = BTreeMap<(&'a str, &'a str, &'a str), Vec<(NaiveDate, &'a Lines)>>;

/// Returns all filings of a market.
fn filings(folder: &Path) -> BTreeMap<Key, Lines> {
    let mut filings: BTreeMap<Key, Lines> = BTreeMap::new();
    for path in files(&folder.join("statements")) {
        for row in rows(&path) {
            let [symbol, end, period, basis, _, line, value, unit, currency, filed, source] =
                <[String; 11]>::try_from(row).unwrap();
            assert_eq!(source, "invented");
            let is_known = matches!(
                (currency.as_str(), unit.as_str()),
                ("INR", "INR crore" | "per share" | "shares" | "pct")
                    | ("USD", "USD million" | "per share" | "shares" | "pct")
            );
            assert!(is_known, "{unit} {currency}");
            let value = if unit == "shares" { value.parse().unwrap() } else { hundredths(&value) };
            let key = (symbol, basis, period, end.parse().unwrap(), filed.parse().unwrap());
            let doubled = filings.entry(key.clone()).or_default().insert(line.clone(), value);
            assert!(doubled.is_none(), "{key:?} {line} is there twice");
        }
    }
    filings
}

fn hundredths(text: &str) -> i64 {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    minor(&format!("{whole}.{rest:0<2}"))
}

/// Returns the first filing of each period, by symbol, basis and period type, ordered by period end.
fn by_symbol(filings: &BTreeMap<Key, Lines>) -> BySymbol<'_> {
    let mut by_symbol = BySymbol::new();
    for ((symbol, basis, period, end, _), lines) in filings {
        let periods = by_symbol.entry((symbol.as_str(), basis.as_str(), period.as_str())).or_default();
        // Keeps the first filing of a period.
        if periods.last().is_none_or(|(last, _)| last != end) {
            periods.push((*end, lines));
        }
    }
    by_symbol
}

fn amount(lines: &Lines, line: &str) -> i64 {
    lines.get(line).copied().unwrap_or_default()
}

/// Checks every identity within a filing.
fn assert_identities_within(key: &Key, lines: &Lines) {
    let sum = |names: &[&str]| names.iter().map(|name| amount(lines, name)).sum::<i64>();
    let net = |name: &str| amount(lines, name);
    if lines.contains_key("total_assets") {
        assert_eq!(
            net("total_assets"),
            sum(&["total_liabilities", "equity", "minority_interest"]),
            "{key:?}"
        );
        assert_eq!(net("total_debt"), sum(&["short_term_debt", "long_term_debt"]), "{key:?}");
        let parts = if lines.contains_key("current_assets") {
            sum(&["current_assets", "investments", "fixed_assets", "intangibles"])
        } else {
            // Other assets of banks are 0 here.
            sum(&["cash", "investments", "advances", "fixed_assets"])
        };
        assert_eq!(net("total_assets"), parts, "{key:?}");
        assert!(sum(&["current_assets"]) >= sum(&["receivables", "inventories"]), "{key:?}");
        if lines.contains_key("reserves") {
            assert_eq!(net("equity"), sum(&["share_capital", "reserves"]), "{key:?}");
        } else {
            assert_eq!(net("equity"), sum(&["share_capital", "retained_earnings"]), "{key:?}");
        }
        for line in
            ["total_assets", "fixed_assets", "cash", "total_debt", "shares_outstanding", "total_liabilities"]
        {
            assert!(net(line) >= 0, "{key:?} {line}: {lines:?}");
        }
        assert!(net("net_npa") <= net("gross_npa") && net("gross_npa") <= net("advances"), "{key:?}");
    }
    if lines.contains_key("net_cash_flow") {
        assert_eq!(net("net_cash_flow"), sum(&["cfo", "cfi", "cff"]), "{key:?}");
    }
    let cost = sum(&[
        "cost_of_goods", "employee_cost", "other_expenses", "depreciation", "interest", "provisions", "tax",
    ]);
    let gain = sum(&["revenue", "other_income", "exceptional_items"]);
    // The profit of minority owners is the difference.
    assert!(amount(lines, "pat") == gain - cost || key.1 == "consolidated", "{key:?}: {lines:?}");
    assert!((gain - cost - net("pat")).abs() <= (gain - cost).abs() * 13 / 100 + 1, "{key:?}: {lines:?}");
    assert_eq!(net("profit_before_tax"), gain - cost + net("tax"), "{key:?}");
    if lines.contains_key("ebitda") {
        assert_eq!(
            net("ebitda"),
            net("revenue") - sum(&["cost_of_goods", "employee_cost", "other_expenses"])
        );
        assert_eq!(net("ebit"), net("ebitda") - net("depreciation"));
    } else {
        assert_eq!(net("net_interest_income"), net("interest_earned") - net("interest_expended"));
    }
}

/// Checks that balances roll from period to period and that quarters add up to their year; returns the numbers of compared pairs and years.
fn assert_identities_between(filings: &BTreeMap<Key, Lines>) -> (usize, usize) {
    let (mut rolled, mut added) = (0, 0);
    let by_symbol = by_symbol(filings);
    for ((symbol, basis, period), periods) in &by_symbol {
        let months = if *period == "annual" { 12 } else { 3 };
        for pair in periods.windows(2) {
            let [(end, before), (next, after)] = [pair[0], pair[1]];
            let follows =
                end.with_day(1).unwrap().checked_add_months(Months::new(months)) == next.with_day(1);
            if !follows || !before.contains_key("total_assets") || !after.contains_key("cfo") {
                continue;
            }
            let balances = |line: &str| (amount(before, line), amount(after, line));
            assert_eq!(
                balances("cash").1 - balances("cash").0,
                balances("net_cash_flow").1,
                "{symbol} {next}"
            );
            let retained = balances("pat").1 - balances("dividends_paid").1;
            assert_eq!(
                balances("retained_earnings").1 - balances("retained_earnings").0,
                retained,
                "{symbol} {next}"
            );
            let built = balances("capex").1 - balances("depreciation").1;
            assert_eq!(balances("fixed_assets").1 - balances("fixed_assets").0, built, "{symbol} {next}");
            rolled += 1;
        }
        if *period != "annual" {
            continue;
        }
        let empty = Vec::new();
        let quarters = by_symbol.get(&(*symbol, *basis, "quarterly")).unwrap_or(&empty);
        for (end, year) in periods {
            let began = end.with_day(1).unwrap().checked_sub_months(Months::new(11)).unwrap();
            let within: Vec<_> = quarters.iter().filter(|(it, _)| (began..=*end).contains(it)).collect();
            if within.len() < 4 {
                continue;
            }
            let flows = [
                "revenue", "other_income", "cost_of_goods", "employee_cost", "other_expenses",
                "depreciation", "interest", "exceptional_items", "provisions", "tax", "pat",
                "interest_earned", "profit_before_tax",
            ];
            for line in flows {
                let together: i64 = within.iter().map(|(_, lines)| amount(lines, line)).sum();
                assert_eq!(together, amount(year, line), "{symbol} {end} {line}");
            }
            added += 1;
        }
    }
    (rolled, added)
}

#[test]
fn statements_add_up_at_any_seed_and_size() {
    let sizes = [(1, 1), (1, 30), (2, 3), (30, 1), (12, 300), (40, 700)];
    for (seed, (companies, sessions)) in (1_u64..).zip(sizes) {
        let size = Some(MarketSize { companies, sessions });
        let folder = written(&DemoOptions { seed, india: size, us: size, ..options() });
        for market in ["india", "us"] {
            let filings = filings(&folder.path().join(market));
            assert!(!filings.is_empty(), "{companies} x {sessions}");
            for (key, lines) in &filings {
                assert_identities_within(key, lines);
            }
            assert_identities_between(&filings);
        }
    }
}

#[test]
fn years_roll_and_quarters_make_them() {
    for (market, least) in [("india", 900), ("us", 2_000)] {
        let filings = filings(&MARKET.path().join(market));
        for (key, lines) in &filings {
            assert_identities_within(key, lines);
        }
        let (rolled, added) = assert_identities_between(&filings);
        assert!(rolled > least && added > 300, "{market}: {rolled} rolled, {added} added");
    }
}

#[test]
fn earnings_a_share_times_shares_are_the_profit() {
    for (market, unit) in [("india", 1e5), ("us", 1e4)] {
        for (key, lines) in filings(&MARKET.path().join(market)) {
            let Some(shares) = lines.get("shares_diluted").map(|shares| *shares as f64) else { continue };
            let figure = |line: &str| amount(&lines, line) as f64;
            let profit = figure("pat") * unit;
            let rounding = 0.0051 * shares;
            assert!(
                (figure("eps_diluted") / 100.0 * shares - profit).abs() <= rounding,
                "{key:?}: {lines:?}"
            );
            assert!(figure("eps_basic").abs() >= figure("eps_diluted").abs(), "{key:?}");
        }
    }
}

#[test]
fn results_are_filed_on_sessions_in_time() {
    for market in ["india", "us"] {
        let filings = filings(&MARKET.path().join(market));
        let first_filed: BTreeSet<_> = by_symbol(&filings)
            .into_iter()
            .flat_map(|(key, ends)| ends.into_iter().map(move |end| (key, end.0)))
            .collect();
        assert!(first_filed.len() > 1_000);
        let mut seen = BTreeSet::new();
        let (mut late, mut again) = (0, 0);
        for (symbol, basis, period, end, filed) in filings.keys() {
            assert!(!matches!(filed.weekday(), Weekday::Sat | Weekday::Sun), "{symbol} {filed}");
            let days = (*filed - *end).num_days();
            if !seen.insert((symbol, basis, period, end)) {
                again += 1;
                assert!(days > 330, "{symbol} {end}");
                continue;
            }
            let most =
                if period == "annual" || days > 44 && [3, 6, 9, 12].contains(&end.month()) { 58 } else { 44 };
            assert!(days >= 20, "{symbol} {end} {filed}");
            // Periods before a listing are in its prospectus.
            late += usize::from(days > most);
        }
        assert!(late * 8 < seen.len(), "{market}: {late} of {}", seen.len());
        assert!(market == "us" || again > 0);
    }
}

/// Returns today's market caps in hundredths of a crore, by symbol.
fn caps() -> BTreeMap<String, f64> {
    let caps = super::india("mcap_30102026.csv");
    caps.into_iter().map(|row| (row[1].clone(), minor(&row[9]) as f64 / 100.0 / 1e5)).collect()
}

#[test]
fn shares_are_those_of_the_market_caps() {
    let issued: BTreeMap<String, i64> = super::india("mcap_30102026.csv")
        .into_iter()
        .map(|row| (row[1].clone(), row[7].parse().unwrap()))
        .collect();
    let acted: BTreeSet<_> =
        super::india("corporate_actions.csv").into_iter().map(|row| row[0].clone()).collect();
    let filings = filings(&MARKET.path().join("india"));
    let mut compared = 0;
    for ((symbol, _, _, end, _), lines) in &filings {
        let recent = NaiveDate::from_ymd_opt(2026, 3, 31).unwrap();
        if let (true, Some(shares), Some(known)) =
            (*end == recent, lines.get("shares_outstanding"), issued.get(symbol))
            && !acted.contains(symbol)
        {
            // A listing after March sold new shares.
            assert!(shares == known || *shares < *known, "{symbol}");
            compared += usize::from(shares == known);
        }
    }
    assert!(compared > 80, "{compared}");
}

#[test]
fn multiples_are_believable_and_stories_differ() {
    let (caps, filings) = (caps(), filings(&MARKET.path().join("india")));
    let by_symbol = by_symbol(&filings);
    let (mut multiples, mut losses, mut below_nil, mut growing) = (Vec::new(), 0, 0, 0);
    for (symbol, cap) in &caps {
        let of_basis = |basis, period| by_symbol.get(&(symbol.as_str(), basis, period));
        let of_period = |period| of_basis("consolidated", period).or_else(|| of_basis("standalone", period));
        let (Some(quarters), Some(years)) = (of_period("quarterly"), of_period("annual")) else { continue };
        let earned: i64 = quarters.iter().rev().take(4).map(|(_, lines)| amount(lines, "pat")).sum();
        if earned > 0 {
            multiples.push(cap / earned as f64);
        } else {
            losses += 1;
        }
        below_nil += usize::from(amount(years.last().unwrap().1, "equity") < 0);
        if let [.., (_, old), _, _, (_, new)] = years.as_slice() {
            growing +=
                usize::from(amount(new, "revenue") as f64 > 1.25_f64.powi(3) * amount(old, "revenue") as f64);
        }
    }
    multiples.sort_by(f64::total_cmp);
    let quantile = |part: f64| multiples[(part * multiples.len() as f64) as usize];
    assert!((15.0..40.0).contains(&quantile(0.5)), "median {}", quantile(0.5));
    assert!(quantile(0.05) > 5.0 && quantile(0.95) < 120.0, "{} to {}", quantile(0.05), quantile(0.95));
    assert!(
        losses >= 4 && below_nil >= 1 && growing >= 5,
        "{losses} losses, {below_nil} below nil, {growing} growing"
    );
}

#[test]
fn stocks_move_with_their_surprises() {
    let closes = super::us_closes();
    let filings = filings(&MARKET.path().join("us"));
    let (mut up, mut down) = (Vec::new(), Vec::new());
    for ((symbol, _, period), quarters) in by_symbol(&filings) {
        if period == "annual" {
            continue;
        }
        for (position, (end, lines)) in quarters.iter().enumerate().skip(4) {
            let (old, then) = quarters[position - 4];
            if old.checked_add_months(Months::new(12)).map(|day| day.month()) != Some(end.month())
                || amount(then, "pat") <= 0
            {
                continue;
            }
            let filed = filings
                .keys()
                .find(|key| key.0 == symbol && key.2 == "quarterly" && key.3 == *end)
                .unwrap()
                .4;
            let Some(days) = closes.get(symbol) else { continue };
            let after: Vec<f64> = days.range(filed..).take(3).map(|(_, close)| *close).collect();
            let Some((_, before)) = days.range(..filed).next_back() else { continue };
            let stock_return = after.last().map_or(0.0, |close| (close / before).ln());
            if after.len() == 3 && stock_return.abs() < 0.4 {
                let grew = amount(lines, "pat") as f64 / amount(then, "pat") as f64;
                if grew > 1.1 {
                    up.push(stock_return);
                } else if grew < 1.0 {
                    down.push(stock_return);
                }
            }
        }
    }
    let mean = |moves: &[f64]| moves.iter().sum::<f64>() / moves.len() as f64;
    assert!(up.len() > 60 && down.len() > 40, "{} up, {} down", up.len(), down.len());
    assert!(mean(&up) > mean(&down) + 0.005, "{} and {}", mean(&up), mean(&down));
}
