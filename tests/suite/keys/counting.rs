//! Counted requests, the size of the allowance, and its reset.

use parquote::access::{Allowance, Secret};
use parquote::operation::{Quota, Tier};
use parquote::state::NewKey;
use reqwest::Method;

use super::fixture::{Fixture, NOON, new};
use crate::demo_market::RUNTIME;

/// Returns a fixture for one free key: 50 a day, 10 an hour.
fn free() -> (Fixture, Secret) {
    let (secret, key) = new(Tier::Free);
    (Fixture::for_key(&key), secret)
}

#[test]
fn a_thousand_at_once_on_fifty_are_fifty_answers() {
    let (secret, key) = new(Tier::Free);
    let fixture = Fixture::for_key(&NewKey { quota_hour: Some(1_000), ..key });
    let headers = [("x-api-key", secret.reveal())];
    let replies = RUNTIME.block_on(futures::future::join_all(
        (0..1_000).map(|_| fixture.send(Method::GET, "market/sectors", &headers)),
    ));
    let mut answers: Vec<i64> =
        replies.iter().filter(|reply| reply.status == 200).map(|reply| reply.left().unwrap().0).collect();
    answers.sort_unstable();
    // Each answer has a different remainder: no call was counted twice or missed.
    assert_eq!(answers, (0..50).collect::<Vec<i64>>());
    assert_eq!(replies.iter().filter(|reply| reply.status == 429).count(), 950);
}

#[test]
fn an_answer_and_what_is_wrong_with_a_call_count_and_nothing_else_does() {
    let (fixture, key) = free();
    let first = fixture.get(&key, "market/sectors");
    assert_eq!((first.status, first.left()), (200, Some((49, 9))));
    let tag = first.headers["etag"].to_str().unwrap();
    let headers = [("x-api-key", key.reveal()), ("if-none-match", tag)];
    let unchanged = fixture.ask(Method::GET, "market/sectors", &headers);
    assert_eq!((unchanged.status, unchanged.left()), (304, Some((49, 9))));
    for (path, status, left) in [
        ("market/rs-changes", 403, (49, 9)),
        ("market/sectors?nothing=1", 400, (48, 8)),
        ("company/profile?symbol=%ff", 400, (47, 7)),
        ("company/profile?symbol=NOSUCH", 403, (47, 7)),
        ("nothing", 404, (46, 6)),
        ("market/sectors", 200, (45, 5)),
    ] {
        let reply = fixture.get(&key, path);
        assert_eq!((reply.status, reply.left()), (status, Some(left)), "{path}");
    }
    assert_eq!(fixture.ask(Method::POST, "market/sectors", &headers[..1]).left(), Some((45, 5)));
    assert_eq!(fixture.ask(Method::HEAD, "market/sectors", &headers[..1]).left(), Some((44, 4)));
    let (paid, key) = new(Tier::PremiumWeb);
    let fixture = Fixture::for_key(&key);
    let reply = fixture.get(&paid, "company/profile?symbol=NOSUCH");
    assert_eq!((reply.status, reply.left()), (404, Some((499, 99))));
}

#[test]
fn a_used_up_allowance_is_429_with_the_time_to_wait() {
    let (fixture, key) = free();
    for _ in 0..10 {
        assert_eq!(fixture.get(&key, "market/sectors").status, 200);
    }
    fixture.at(NOON + 600);
    let reply = fixture.get(&key, "market/sectors");
    assert_eq!((reply.status, reply.left()), (429, Some((40, 0))));
    assert_eq!(reply.header("retry-after"), Some(3_000));
    assert!(reply.message().contains("hourly limit of 10"), "{}", reply.body);
    // Key, route and tier are checked before the allowance; the arguments after it.
    assert_eq!(fixture.get(&key, "nothing").status, 404);
    assert_eq!(fixture.get(&key, "market/rs-changes").status, 403);
    assert_eq!(fixture.get(&key, "market/sectors?nothing=1").status, 429);
    assert_eq!(fixture.get(&key, "market/sectors").left(), Some((40, 0)));
}

#[test]
fn the_hour_turns_on_the_hour_and_the_day_at_midnight_in_india() {
    let (fixture, key) = free();
    // Ten in each of five hours, from 19:00 to midnight, use up the fifty of the day.
    for hour in 7..12 {
        fixture.at(NOON + hour * 3_600);
        for left in (0..10).rev() {
            let reply = fixture.get(&key, "market/sectors");
            assert_eq!((reply.status, reply.left()), (200, Some(((11 - hour) * 10 + left, left))));
        }
    }
    let midnight = NOON + 43_200;
    fixture.at(midnight - 1);
    let reply = fixture.get(&key, "market/sectors");
    assert_eq!((reply.status, reply.header("retry-after")), (429, Some(1)));
    assert!(reply.message().contains("daily limit of 50"), "{}", reply.body);
    fixture.at(midnight);
    assert_eq!(fixture.get(&key, "market/sectors").left(), Some((49, 9)));
    fixture.at(midnight + 3_599);
    assert_eq!(fixture.get(&key, "market/sectors").left(), Some((48, 8)));
    fixture.at(midnight + 3_600);
    assert_eq!(fixture.get(&key, "market/sectors").left(), Some((47, 9)));
}

#[test]
fn a_key_has_the_allowance_of_its_tier_or_its_own() {
    // The contract's table of allowances.
    for (tier, day, hour) in [
        (Tier::Free, 50, 10),
        (Tier::PremiumWeb, 500, 100),
        (Tier::ProfessionalWeb, 2_000, 400),
        (Tier::ApiPro, 1_000, 200),
        (Tier::ApiMax, 5_000, 1_000),
    ] {
        let (secret, key) = new(tier);
        let reply = Fixture::for_key(&key).get(&secret, "market/sectors");
        assert_eq!(reply.header("x-ratelimit-limit-daily"), Some(day));
        assert_eq!(reply.header("x-ratelimit-limit-hourly"), Some(hour));
    }
    let (secret, key) = new(Tier::Free);
    let reply = Fixture::for_key(&NewKey { quota_hour: Some(3), ..key }).get(&secret, "market/sectors");
    assert_eq!(reply.left(), Some((49, 2)));
}

#[test]
fn a_panic_costs_nothing_and_hanging_up_is_paid() {
    let (secret, key) = new(Tier::Free);
    let fixture = Fixture::for_key(&key);
    let caller = fixture.service.identify([secret.reveal()], None).unwrap();
    let operation = fixture.service.catalogue().operation("market/sectors").unwrap();
    let left = || fixture.service.allowance(&caller).left;
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _metered = RUNTIME.block_on(fixture.service.enter(operation, &caller)).unwrap();
        assert_eq!(left().hour, 9);
        panic!("as an operation might");
    }));
    assert!(failed.is_err());
    assert_eq!(left(), Quota { day: 50, hour: 10 });
    drop(RUNTIME.block_on(fixture.service.enter(operation, &caller)).unwrap());
    assert_eq!(left(), Quota { day: 49, hour: 9 });
    let entered = RUNTIME.block_on(fixture.service.enter(operation, &caller)).unwrap();
    let Allowance { left: after, .. } = entered.refund();
    assert_eq!(after, left());
}
