//! Callers' SELECTs with keys of several tiers: allowed tables and number of rows, cost, and limits of the work.

use std::time::{Duration, Instant};

use parquote::access::Secret;
use parquote::http::HttpSettings;
use parquote::operation::Tier;
use parquote::state::NewKey;

use super::fixture::{Fixture, Reply, new};
use crate::server::query;

/// Starts a server with keys of several tiers.
fn with_keys(hour: u32) -> (Fixture, Vec<Secret>) {
    let made = [Tier::Free, Tier::PremiumWeb, Tier::ApiPro, Tier::ApiMax].map(|tier| {
        let (secret, row) = new(tier);
        (secret, NewKey { quota_hour: Some(hour), quota_day: Some(hour), ..row })
    });
    let rows: Vec<&NewKey> = made.iter().map(|(_, row)| row).collect();
    let fixture = Fixture::with(&rows, 1_000, HttpSettings::default());
    (fixture, made.into_iter().map(|(secret, _)| secret).collect())
}

fn get_query(fixture: &Fixture, secret: &Secret, pairs: &[(&str, &str)]) -> Reply {
    fixture.get(secret, &format!("query?{}", query(pairs)))
}

#[test]
fn a_tier_reads_the_tables_of_its_operations_and_so_many_rows() {
    let (fixture, keys) = with_keys(1_000);
    let long = ("sql", "SELECT symbol, session FROM daily_prices");
    for (secret, tier) in keys.iter().zip(["free", "premium_web"]) {
        let refused = get_query(&fixture, secret, &[long]);
        assert_eq!(refused.status, 403);
        assert!(
            refused.message().contains("needs the tier api_pro or higher")
                && refused.message().contains(tier)
        );
    }
    let rows = |secret| {
        get_query(&fixture, secret, &[long, ("limit", "5000")]).json()["data"].as_array().unwrap().len()
    };
    assert_eq!((rows(&keys[2]), rows(&keys[3])), (1_000, 5_000));
    let filings = [("sql", "SELECT COUNT(*) AS n FROM us.full_reports")];
    let refused = get_query(&fixture, &keys[2], &filings);
    assert_eq!(refused.status, 403);
    assert!(refused.message().contains("`us.full_reports` needs the tier api_max"), "{}", refused.message());
    // A common table expression of the same name does not help.
    let hidden = [("sql", "WITH full_reports AS (SELECT * FROM us.full_reports) SELECT * FROM full_reports")];
    assert_eq!(get_query(&fixture, &keys[2], &hidden).status, 403);
    assert_eq!(get_query(&fixture, &keys[3], &filings).status, 200);
}

#[test]
fn work_is_paid_by_the_time_that_it_takes() {
    let (fixture, keys) = with_keys(200);
    let left = |reply: &Reply| reply.left().unwrap().0;
    let small = get_query(&fixture, &keys[3], &[("sql", "SELECT 1 AS one")]);
    assert_eq!((small.status, left(&small)), (200, 199));
    let wrong = get_query(&fixture, &keys[3], &[("sql", "SELECT nothing FROM stocks")]);
    assert_eq!((wrong.status, left(&wrong)), (400, 198));
    // All pairs of bars exceed the time limit, and cost their processor time.
    let crossed = "SELECT COUNT(*) AS n FROM daily_prices a JOIN daily_prices b ON a.volume + b.volume < 0";
    let mut before = 198;
    // On a busy machine it gets little processor time before its limit.
    for turn in 0.. {
        let began = Instant::now();
        let over = get_query(&fixture, &keys[3], &[("sql", crossed)]);
        assert_eq!(over.status, 503, "{}", over.body);
        assert!(over.message().contains("longer than 5000 ms"), "{}", over.message());
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        let spent = before - left(&over);
        assert!((1..=26).contains(&spent), "{spent} requests");
        if spent > 1 {
            break;
        }
        assert!(turn < 5, "five times five seconds cost nothing");
        before -= spent;
    }
    // The highest possible cost must be left before it runs.
    let (fixture, keys) = with_keys(20);
    let refused = get_query(&fixture, &keys[3], &[("sql", "SELECT 1 AS one")]);
    assert_eq!(refused.status, 429);
    assert!(refused.message().contains("may cost 25 requests more"), "{}", refused.message());
    assert_eq!(get_query(&fixture, &keys[2], &[("sql", "SELECT 1 AS one")]).status, 200);
}
