//! The shipped demo market is plausible: its tables pass an analyst's queries.

use parquote::operation::Market;

use crate::demo_market::{SHIPPED, first_value, open_whole};

/// Checks rules, each a name, a market and an expression over one row that must be true.
fn each_holds(rules: &[(&str, Market, &str)]) {
    let tables = open_whole(&SHIPPED.data);
    let broken: Vec<String> = rules
        .iter()
        .filter_map(|(what, market, sql)| {
            let found = first_value(&tables, *market, sql);
            (found.as_deref() != Some("true")).then(|| format!("{what} ({market}): {found:?}"))
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn most_industries_have_three_companies_and_every_sector_several() {
    let three = "SELECT avg(CASE WHEN n >= 3 THEN 1.0 ELSE 0.0 END) >= 0.7 FROM (SELECT count(*) AS n FROM stocks GROUP BY industry)";
    let sectors =
        "SELECT min(n) >= 2 FROM (SELECT count(*) AS n FROM stocks WHERE sector IS NOT NULL GROUP BY sector)";
    each_holds(&[
        ("three companies in most industries", Market::India, three),
        ("three companies in most industries", Market::Us, three),
        ("no lonely company", Market::India, sectors),
        ("no lonely company", Market::Us, sectors),
    ]);
}

#[test]
fn circuits_have_two_sides_on_the_last_session_and_over_the_year() {
    let last = "SELECT count(DISTINCT direction) = 2 FROM circuits WHERE session = (SELECT max(session) FROM sessions)";
    let year = "SELECT count(DISTINCT session) > 150 FROM circuits WHERE direction = ";
    each_holds(&[
        ("both sides on the last session", Market::India, last),
        ("upper limits on most sessions of the year", Market::India, &format!("{year}'upper'")),
        ("lower limits on most sessions of the year", Market::India, &format!("{year}'lower'")),
    ]);
}

#[test]
fn growth_over_five_years_is_known_for_most() {
    let known = "SELECT count(revenue_cagr_5y) >= 0.8 * count(*) FROM fundamentals";
    let profit = "SELECT count(pat_cagr_5y) >= 0.6 * count(*) FROM fundamentals";
    each_holds(&[
        ("revenue", Market::India, known),
        ("revenue", Market::Us, known),
        ("profit", Market::India, profit),
        ("profit", Market::Us, profit),
    ]);
}

#[test]
fn lenders_show_what_their_scores_need() {
    let kpis = "SELECT count(*) > 60 AND count(*) = count(gnpa_pct) AND count(*) = count(nnpa_pct) \
                AND count(*) = count(capital_adequacy_pct) AND min(gnpa_pct) > 0 AND max(nim_pct) < 20 FROM banking_kpis";
    // A lender's cost of funds: interest paid over deposits and debt.
    let cost = "SELECT min(cost) > 1 AND max(cost) < 15 FROM (SELECT 100 * max(CASE WHEN line = 'interest_expended' THEN value END) \
                / (sum(CASE WHEN line IN ('deposits', 'total_debt') THEN value END)) AS cost FROM statement_lines \
                WHERE period_type = 'annual' AND basis = 'consolidated' GROUP BY symbol, period_end, filed_at \
                HAVING max(CASE WHEN line = 'interest_expended' THEN value END) > 0)";
    each_holds(&[
        ("bad loans and capital", Market::India, kpis),
        ("cost of funds", Market::India, cost),
        ("cost of funds", Market::Us, cost),
    ]);
}
