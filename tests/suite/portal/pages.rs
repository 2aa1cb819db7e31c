//! Pages of the explorer under keys: who has none is led to where one signs in, and a page costs what its operations cost.

use parquote::access::Secret;
use parquote::operation::Tier;
use parquote::state::NewKey;

use super::house::{House, Reply, UNKNOWN, new};

fn show(house: &House, key: &Secret, path: &str) -> Reply {
    house.page(path, &[("x-api-key", key.reveal())])
}

#[test]
fn who_is_not_signed_in_is_led_to_the_door_and_back() {
    let (_, key) = new(Tier::Free);
    let house = House::of(&key);
    for headers in [&[][..], &[("x-api-key", UNKNOWN)]] {
        let reply = house.page("/india/screener?min_roe=15&sector=Power", headers);
        assert_eq!(reply.status, 303);
        assert_eq!(reply.headers["location"], "/login?next=%2Findia%2Fscreener%3Fmin_roe%3D15%26sector%3DPower");
        assert!(reply.body.is_empty());
        assert_eq!(house.page("/india/screener.csv", headers).status, 303);
    }
    // What pages load is for everyone.
    assert_eq!(house.page("/", &[]).headers["location"], "/india");
}

#[test]
fn a_page_costs_what_its_operations_cost_and_304_nothing() {
    let (secret, key) = new(Tier::ApiMax);
    let house = House::of(&key);
    let first = show(&house, &secret, "/india/sectors");
    assert_eq!((first.status, first.left()), (200, Some((4_999, 999))));
    let tag = first.headers["etag"].to_str().unwrap();
    let again = house.page("/india/sectors", &[("x-api-key", secret.reveal()), ("if-none-match", tag)]);
    assert_eq!((again.status, again.left()), (304, Some((4_999, 999))));
    // The profile, the prices, the momentum, the scorecard.
    let company = show(&house, &secret, "/india/company/BAXIPAPOWR");
    assert_eq!((company.status, company.left()), (200, Some((4_995, 995))));
    // The committee's quick scan is free of charge.
    let scan = show(&house, &secret, "/india/committee/scan?symbols=BAXIPAPOWR");
    assert_eq!((scan.status, scan.left()), (200, Some((4_995, 995))));
    // A page whose form asks nothing yet asks nothing.
    assert_eq!(show(&house, &secret, "/india/compare").left(), Some((4_995, 995)));
    let two = show(&house, &secret, "/india/compare?symbols=BAXIPAPOWR,GEXALUBANK");
    assert_eq!((two.status, two.left()), (200, Some((4_993, 993))));
    let file = show(&house, &secret, "/india/sectors.csv");
    assert_eq!((file.status, file.left()), (200, Some((4_992, 992))));
}

#[test]
fn what_a_tier_does_not_reach_is_said_and_not_charged() {
    let (secret, key) = new(Tier::Free);
    let house = House::of(&key);
    let page = show(&house, &secret, "/india/rs-changes");
    assert_eq!((page.status, page.left()), (403, Some((50, 10))));
    assert!(page.body.contains("needs the tier api_pro"), "{}", page.body);
    let symbol = house.get(&secret, "companies?limit=1").json()["data"][0]["symbol"].as_str().unwrap().to_owned();
    // A free key reaches the profile and the momentum of the largest companies; the rest of the page says what it needs.
    let company = show(&house, &secret, &format!("/india/company/{symbol}"));
    assert_eq!((company.status, company.left()), (200, Some((47, 7))));
    assert!(company.body.contains("needs the tier api_pro"));
    let tag = company.headers["etag"].to_str().unwrap();
    let again = house.page(&format!("/india/company/{symbol}"), &[("x-api-key", secret.reveal()), ("if-none-match", tag)]);
    assert_eq!((again.status, again.left()), (304, Some((47, 7))));
}

#[test]
fn a_page_over_the_allowance_is_429_with_the_words() {
    let (secret, key) = new(Tier::Free);
    let house = House::of(&NewKey { quota_hour: Some(1), ..key });
    assert_eq!(show(&house, &secret, "/india/sectors").status, 200);
    let page = show(&house, &secret, "/india/sectors");
    assert_eq!(page.status, 429);
    assert!(page.header("retry-after").is_some() && page.body.contains("<h1>"), "{}", page.body);
}
