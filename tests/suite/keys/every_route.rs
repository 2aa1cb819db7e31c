//! All routes, all tiers, all positions of a key, against the contract's table. Missing routes are skipped; every
//! existing route must be in the table.

use std::collections::BTreeMap;

use parquote::access::{Secret, UNMETERED};
use parquote::http::HttpSettings;
use parquote::operation::{Market, Operation, Tier};
use parquote::state::NewKey;
use reqwest::Method;
use serde_json::Value as Json;

use super::fixture::{Fixture, NOON, Reply, UNKNOWN, new};
use crate::demo_market::{CATALOGUE, first_value};

/// Positions in which a key is sent.
const PLACES: [&str; 3] = ["header", "bearer", "query"];

/// Tier of the routes that the contract does not have, and true if free keys see only their list of symbols.
const OURS: [(&str, Tier, bool); 79] = [
    ("account/usage", Tier::Free, false),
    ("backtest", Tier::ApiPro, false),
    ("backtest/tried", Tier::ApiPro, false),
    ("drawings/add", Tier::Free, false),
    ("drawings/list", Tier::Free, false),
    ("drawings/remove", Tier::Free, false),
    ("explore/breadth", Tier::Free, false),
    ("explore/calendar", Tier::ApiPro, false),
    ("explore/chart", Tier::Free, true),
    ("explore/company-deals", Tier::ApiPro, false),
    ("explore/compare", Tier::ApiPro, false),
    ("explore/coverage", Tier::ApiPro, false),
    ("explore/deals", Tier::ApiPro, false),
    ("explore/deals-by-stock", Tier::ApiPro, false),
    ("explore/document", Tier::ApiMax, false),
    ("explore/documents", Tier::ApiMax, false),
    ("explore/event-study", Tier::ApiPro, false),
    ("explore/heat-map", Tier::ApiPro, false),
    ("explore/index-chart", Tier::Free, false),
    ("explore/indices", Tier::Free, false),
    ("explore/ledger", Tier::ApiPro, false),
    ("explore/peers", Tier::Free, true),
    ("explore/rotation", Tier::ApiPro, false),
    ("explore/rs-changes", Tier::ApiPro, false),
    ("explore/screen", Tier::PremiumWeb, false),
    ("explore/screen-file", Tier::PremiumWeb, false),
    ("explore/screen-words", Tier::PremiumWeb, false),
    ("explore/sector-ratios", Tier::Free, true),
    ("explore/sparks", Tier::PremiumWeb, false),
    ("explore/statements", Tier::Free, true),
    ("explore/stock-rotation", Tier::ApiPro, false),
    ("explore/text-evidence", Tier::ApiMax, false),
    ("explore/universe", Tier::Free, false),
    ("explore/week-ahead", Tier::ApiPro, false),
    ("explore/year-highs", Tier::ApiPro, false),
    ("lists/add", Tier::Free, false),
    ("lists/changes", Tier::ApiPro, false),
    ("lists/delete", Tier::Free, false),
    ("lists/get", Tier::PremiumWeb, false),
    ("lists/list", Tier::Free, false),
    ("lists/remove", Tier::Free, false),
    ("lists/set", Tier::Free, false),
    ("lists/share", Tier::Free, false),
    ("notes/list", Tier::Free, false),
    ("notes/set", Tier::Free, false),
    ("query", Tier::ApiPro, false),
    ("screens/ledger", Tier::Free, false),
    ("screens/list", Tier::Free, false),
    ("screens/remove", Tier::Free, false),
    ("screens/save", Tier::Free, false),
    ("us/backtest", Tier::ApiPro, false),
    ("us/explore/breadth", Tier::Free, false),
    ("us/explore/calendar", Tier::ApiPro, false),
    ("us/explore/chart", Tier::ApiPro, false),
    ("us/explore/compare", Tier::ApiPro, false),
    ("us/explore/coverage", Tier::ApiPro, false),
    ("us/explore/document", Tier::ApiMax, false),
    ("us/explore/documents", Tier::ApiMax, false),
    ("us/explore/event-study", Tier::ApiPro, false),
    ("us/explore/heat-map", Tier::ApiPro, false),
    ("us/explore/index-chart", Tier::Free, false),
    ("us/explore/indices", Tier::Free, false),
    ("us/explore/ledger", Tier::ApiPro, false),
    ("us/explore/peers", Tier::ApiPro, false),
    ("us/explore/rotation", Tier::ApiPro, false),
    ("us/explore/rs-changes", Tier::ApiPro, false),
    ("us/explore/screen", Tier::PremiumWeb, false),
    ("us/explore/screen-file", Tier::PremiumWeb, false),
    ("us/explore/screen-words", Tier::PremiumWeb, false),
    ("us/explore/sector-ratios", Tier::ApiPro, false),
    ("us/explore/sparks", Tier::PremiumWeb, false),
    ("us/explore/statements", Tier::ApiPro, false),
    ("us/explore/stock-rotation", Tier::ApiPro, false),
    ("us/explore/text-evidence", Tier::ApiMax, false),
    ("us/explore/week-ahead", Tier::ApiPro, false),
    ("us/explore/year-highs", Tier::ApiPro, false),
    ("us/lists/changes", Tier::ApiPro, false),
    ("us/lists/get", Tier::PremiumWeb, false),
    ("write/start", Tier::ApiPro, false),
];

/// The routes behind the chat tools, below `chat` and `us/chat`.
const OF_BOTH_CHATS: [&str; 14] = [
    "companies", "correlations", "drawdowns", "events", "history", "levels", "market-history", "movers",
    "moves", "scans", "sectors", "statements", "texts", "texts-on-file",
];

fn of_chats() -> impl Iterator<Item = (String, Promise)> {
    let both = ["chat", "us/chat"].into_iter().flat_map(|chat| OF_BOTH_CHATS.map(|name| (chat, name)));
    both.chain([("chat", "owners"), ("us/chat", "holders")]).map(|(chat, name)| {
        let tier = match name {
            "movers" => Tier::Free,
            "texts" | "texts-on-file" => Tier::ApiMax,
            _ => Tier::ApiPro,
        };
        (format!("{chat}/{name}"), Promise { tier: Some(tier), free_symbols: false })
    })
}

/// The contract's promise about a route.
struct Promise {
    /// `None` if no key is needed.
    tier: Option<Tier>,
    /// True if free keys see only the symbols of their list.
    free_symbols: bool,
}

/// A server with a key of each tier, and with keys that do not work.
struct Walk {
    fixture: Fixture,
    keys: Vec<(Tier, Secret)>,
    revoked: Secret,
    expired: Secret,
}

fn contract() -> BTreeMap<String, Promise> {
    let table: Json = serde_json::from_str(include_str!("../../contract/operations.json")).unwrap();
    let routes = table["operations"].as_array().unwrap().iter().filter_map(|operation| {
        let path = operation["path"].as_str()?.trim_start_matches('/').to_owned();
        let word = operation["tier"].as_str().unwrap();
        let tier = (word != "none").then(|| word.parse().unwrap());
        Some((path, Promise { tier, free_symbols: operation["free_symbols"] == Json::Bool(true) }))
    });
    routes
        .chain(
            OURS.map(|(name, tier, free_symbols)| {
                (name.to_owned(), Promise { tier: Some(tier), free_symbols })
            }),
        )
        .chain(of_chats())
        .collect()
}

fn walk() -> Walk {
    let unmetered = |tier| {
        let (secret, key) = new(tier);
        (secret, NewKey { quota_day: Some(UNMETERED), quota_hour: Some(UNMETERED), ..key })
    };
    let keys: Vec<_> = Tier::ALL.into_iter().map(|tier| (tier, unmetered(tier))).collect();
    let (revoked, revoked_key) = unmetered(Tier::ApiMax);
    let (expired, expired_key) = unmetered(Tier::ApiMax);
    let expired_key = NewKey { expires_at: Some(NOON), ..expired_key };
    let mut stored: Vec<&NewKey> = keys.iter().map(|(_, (_, key))| key).collect();
    stored.extend([&expired_key, &revoked_key]);
    // Each route is asked a dozen times without a right key, which are free requests.
    let settings = HttpSettings { free_a_second: 1_000, ..HttpSettings::default() };
    let mut fixture = Fixture::with(&stored, 100_000, settings);
    let last = fixture.store.keys().unwrap().last().unwrap().id;
    fixture.store.revoke_key(last, NOON).unwrap();
    // The server is started again, so that it reads the revocation at once.
    let fixture = fixture.reopened();
    Walk {
        fixture,
        keys: keys.into_iter().map(|(tier, (secret, _))| (tier, secret)).collect(),
        revoked,
        expired,
    }
}

impl Walk {
    /// Sends a key in one of the positions.
    fn ask(&self, place: &str, key: &str, path: &str) -> Reply {
        match place {
            "header" => self.fixture.ask(Method::GET, path, &[("x-api-key", key)]),
            "bearer" => self.fixture.ask(Method::GET, path, &[("authorization", &format!("Bearer {key}"))]),
            _ => {
                let mark = if path.contains('?') { '&' } else { '?' };
                self.fixture.ask(Method::GET, &format!("{path}{mark}apiKey={key}"), &[])
            }
        }
    }

    /// Returns the first symbol that fulfils a condition.
    fn symbol(&self, market: Market, condition: &str) -> String {
        let sql = format!(
            "SELECT symbol FROM companies WHERE symbol {condition} (SELECT symbol FROM free_symbols) ORDER BY 1"
        );
        let snapshot = self.fixture.service.snapshot();
        first_value(&snapshot, market, &sql).unwrap()
    }

    /// Returns an example of a call, with this symbol if free keys see only some symbols.
    fn example(operation: &Operation, symbol: &str) -> String {
        let pairs = operation.example_pairs(false).into_iter().map(|(name, value)| {
            (name, if name == "symbol" && operation.free_symbols { symbol.to_owned() } else { value })
        });
        let mut text = url::form_urlencoded::Serializer::new(String::new());
        format!("{}?{}", operation.name, text.extend_pairs(pairs).finish())
    }
}

/// Returns true if the operation answers from stored user data, which it may scale by tables.
fn keeps_things(operation: &Operation) -> bool {
    let is_stored = operation.selects.is_empty()
        || ["drawings/list", "screens/ledger"].contains(&operation.name.as_str());
    operation.run.is_some() && is_stored && !operation.run_returns_rows
}

#[test]
fn every_route_keeps_the_table_of_tiers() {
    let (walk, contract) = (walk(), contract());
    let routes = CATALOGUE.operations().iter().filter(|operation| operation.has_route);
    for operation in routes {
        let promise =
            contract.get(&operation.name).unwrap_or_else(|| panic!("{} is no route", operation.name));
        assert_eq!(operation.free_symbols, promise.free_symbols, "{}", operation.name);
        let path = Walk::example(operation, &walk.symbol(operation.market, "IN"));
        let Some(needed) = promise.tier else {
            assert_eq!(walk.fixture.ask(Method::GET, &path, &[]).status, 200);
            continue;
        };
        let none = walk.fixture.ask(Method::GET, &path, &[]);
        assert_eq!((none.status, none.left()), (401, Some((0, 0))), "{path}");
        assert!(none.message().contains("X-Api-Key"));
        for place in PLACES {
            for (key, word) in [
                (UNKNOWN, "not known"),
                ("pq_", "not known"),
                (walk.revoked.reveal(), "revoked"),
                (walk.expired.reveal(), "expired"),
            ] {
                let reply = walk.ask(place, key, &path);
                assert_eq!((reply.status, reply.left()), (401, Some((0, 0))), "{path} {place} {word}");
                assert!(reply.message().contains(word), "{path} {place} {word}: {}", reply.body);
            }
            for (tier, key) in &walk.keys {
                let reply = walk.ask(place, key.reveal(), &path);
                assert!(reply.left().is_some(), "{path} {place} {tier}");
                if tier.reaches(needed) && keeps_things(operation) {
                    // The key is accepted; this fixture stores no user data.
                    assert_eq!(reply.status, 503, "{path} {place} {tier}: {}", reply.body);
                } else if tier.reaches(needed) {
                    assert_eq!(reply.status, 200, "{path} {place} {tier}: {}", reply.body);
                    let meta = &reply.json()["meta"];
                    assert_eq!(meta["tier"], Json::from(tier.word()));
                    let left = reply.left().unwrap();
                    assert_eq!(meta["requests_remaining_today"], Json::from(left.0));
                    assert_eq!(meta["requests_remaining_hour"], Json::from(left.1));
                    assert_eq!(meta.as_object().unwrap().len(), 4);
                    let kept = if operation.answers_from_select() { "private, no-cache" } else { "no-store" };
                    assert_eq!(reply.headers["cache-control"], kept);
                } else {
                    assert_eq!(reply.status, 403, "{path} {place} {tier}");
                    let message = reply.message();
                    assert!(message.contains(needed.word()) && message.contains(tier.word()), "{message}");
                }
            }
        }
    }
}

#[test]
fn free_keys_see_the_symbols_of_their_list_where_the_contract_says_so() {
    let walk = walk();
    for operation in CATALOGUE.operations().iter().filter(|operation| operation.free_symbols) {
        let market = operation.market;
        for (symbol, free, paid) in [
            (walk.symbol(market, "IN"), 200, 200),
            (walk.symbol(market, "NOT IN"), 403, 200),
            ("NOSUCH".to_owned(), 403, 404),
        ] {
            let path = Walk::example(operation, &symbol.to_lowercase());
            for (tier, key) in &walk.keys {
                let reply = walk.fixture.get(key, &path);
                let expected = if *tier == Tier::Free { free } else { paid };
                assert_eq!(reply.status, expected, "{path} {tier}: {}", reply.body);
                if expected == 403 {
                    assert!(reply.message().contains("premium_web"), "{}", reply.body);
                }
            }
        }
        // Arguments are checked before the symbols that the key may see.
        let path = format!("{}&nothing=1", Walk::example(operation, "NOSUCH"));
        assert_eq!(walk.fixture.get(&walk.keys[0].1, &path).status, 400);
    }
}

#[test]
fn several_keys_must_be_the_same() {
    let walk = walk();
    let (_, key) = &walk.keys[4];
    let (same, bearer) = (key.reveal(), format!("Bearer {}", key.reveal()));
    let path = format!("market/sectors?apiKey={same}");
    let reply = walk.fixture.ask(Method::GET, &path, &[("x-api-key", same), ("authorization", &bearer)]);
    assert_eq!(reply.status, 200);
    // Another scheme is ignored; an empty value counts as missing.
    let reply = walk.fixture.ask(Method::GET, &path, &[("authorization", "Basic YTpi"), ("x-api-key", "")]);
    assert_eq!(reply.status, 200);
    for other in [walk.keys[0].1.reveal(), UNKNOWN, "x"] {
        let bearer = format!("Bearer {other}");
        for headers in [[("x-api-key", other)], [("authorization", bearer.as_str())]] {
            let reply = walk.fixture.ask(Method::GET, &path, &headers);
            assert_eq!((reply.status, reply.left()), (400, Some((0, 0))));
            assert!(reply.message().contains("differ") && !reply.body.contains("pq_"));
        }
        assert_eq!(walk.fixture.ask(Method::GET, &format!("{path}&apiKey={other}"), &[]).status, 400);
    }
}

#[test]
fn documents_and_health_need_no_key_and_nothing_else_is_without() {
    let walk = walk();
    for path in ["status", "status/", "docs", "openapi.json"] {
        assert_eq!(walk.fixture.ask(Method::GET, path, &[]).status, 200, "{path}");
        assert_eq!(walk.fixture.ask(Method::GET, path, &[("x-api-key", UNKNOWN)]).status, 200, "{path}");
        let known = walk.fixture.get(&walk.keys[0].1, path);
        assert!(known.status == 200 && known.left().is_some(), "{path}");
    }
    for path in ["nothing", "company", "status/more", "docs/more", "../etc", "market%2Fsectors"] {
        assert_eq!(walk.fixture.ask(Method::GET, path, &[]).status, 401, "{path}");
        let known = walk.fixture.get(&walk.keys[0].1, path);
        assert!(known.status == 404 && known.left().is_some(), "{path}");
    }
    assert_eq!(walk.fixture.ask(Method::POST, "market/sectors", &[]).status, 401);
    let known = walk.fixture.ask(Method::POST, "market/sectors", &[("x-api-key", walk.keys[0].1.reveal())]);
    assert!(known.status == 405 && known.left().is_some());
}
