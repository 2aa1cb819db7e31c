//! Keys and codes exchanged for sessions, and how sessions end.

use std::fs;
use std::time::{Duration, Instant};

use parquote::access::{IDLE_S, LONGEST_S, new_sign_in_code};
use parquote::http::SessionCookie;
use parquote::operation::Tier;
use parquote::state::{NewKey, Store};
use reqwest::Method;

use super::fixture::{Fixture, NOON, key};

#[test]
fn a_key_is_exchanged_for_a_cookie_that_is_not_it() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_cookie(&[&row], SessionCookie::Secure, 9);
    let mut browser = fixture.browser();
    let reply = browser.post("/login", &[("key", &format!(" {} ", secret.reveal()))]);
    assert_eq!((reply.status, reply.header("location")), (303, "/india"));
    let line = reply.header("set-cookie");
    let token = line.strip_prefix("__Host-parquote=").unwrap().split(';').next().unwrap().to_owned();
    assert!(token.len() == 64 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
    for mark in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax", "; Max-Age=604800"] {
        assert!(line.contains(mark), "{mark} is not in {line}");
    }
    let page = browser.get("/portal");
    assert_eq!(page.status, 200);
    assert!(!page.body.contains(secret.reveal()) && !page.body.contains(&token));
    for file in ["state.db", "state.db-wal"] {
        let Ok(bytes) = fs::read(fixture.file().with_file_name(file)) else { continue };
        for text in [secret.reveal(), &token] {
            assert!(!bytes.windows(text.len()).any(|part| part == text.as_bytes()), "{file}");
        }
    }
    // Under the cookie name for loopback the same token is not accepted here.
    let plain = format!("parquote={token}");
    assert_eq!(fixture.send(Method::GET, "/portal", &[("cookie", &plain)], &[]).status, 303);
}

#[test]
fn every_page_forbids_what_stands_in_it_and_is_kept_by_nobody() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    for path in ["/login", "/portal", "/portal/usage", "/portal/sessions", "/portal/log", "/portal/none"] {
        let reply = browser.get(path);
        let policy = reply.header("content-security-policy");
        for part in [
            "default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(reply.header("cache-control"), "no-store", "{path}");
        assert_eq!(reply.header("referrer-policy"), "same-origin", "{path}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
        assert!(!reply.body.contains(" style=\"") && !reply.body.contains("onclick"), "{path}");
    }
    let page = browser.get("/login").body;
    for part in page.split('"').filter(|part| part.starts_with("/assets/")) {
        let file = fixture.send(Method::GET, part, &[], &[]);
        assert_eq!(file.status, 200, "{part}");
        assert!(file.header("cache-control").contains("immutable"), "{part}");
    }
}

#[test]
fn who_is_not_signed_in_is_led_there_and_back_to_a_page_of_ours_alone() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.browser();
    let reply = browser.get("/portal/usage?days=7");
    let led = "/login?next=%2Fportal%2Fusage%3Fdays%3D7";
    assert_eq!((reply.status, reply.header("location")), (303, led));
    assert!(browser.get(led).body.contains("name=\"next\" value=\"/portal/usage?days=7\""));
    assert_eq!(browser.post("/portal/keys/revoke", &[("id", "1")]).status, 401);
    assert_eq!(fixture.working(), [1]);
    let sign_in = |next: &str| {
        let reply = fixture.browser().post("/login", &[("key", secret.reveal()), ("next", next)]);
        assert_eq!(reply.status, 303);
        reply.header("location").to_owned()
    };
    assert_eq!(sign_in("/portal/usage?days=7"), "/portal/usage?days=7");
    for next in [
        "https://evil.example/portal",
        "//evil.example/portal",
        "/\\evil.example",
        "/portal//evil.example",
        "/portal/../v1",
        "javascript:alert(1)",
        "/v1/docs",
        "/portal\r\nX-Evil: 1",
        "/logout",
    ] {
        assert_eq!(sign_in(next), "/india", "{next}");
        let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
        assert!(!browser.get(&format!("/login?{query}")).body.contains("name=\"next\""), "{next}");
    }
}

#[test]
fn a_cookie_opens_pages_alone_and_a_key_opens_none() {
    let (secret, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with(&[&row]);
    let browser = fixture.signed_in(&secret);
    let cookie = browser.cookie.clone().unwrap();
    let token = cookie.split('=').nth(1).unwrap();
    let bearer = format!("Bearer {token}");
    for headers in [[("cookie", cookie.as_str())], [("x-api-key", token)], [("authorization", &bearer)]] {
        for path in ["/v1/market/sectors", "/v1/account/usage", "/v1/portal"] {
            assert_eq!(fixture.send(Method::GET, path, &headers, &[]).status, 401, "{path} {headers:?}");
        }
        assert_eq!(fixture.send(Method::POST, "/mcp", &headers, &[("a", "b")]).status, 401, "{headers:?}");
    }
    let by_url = format!("/portal?apiKey={}", secret.reveal());
    for (path, headers) in [("/portal", vec![("x-api-key", secret.reveal())]), (by_url.as_str(), vec![])] {
        let reply = fixture.send(Method::GET, path, &headers, &[]);
        assert_eq!((reply.status, reply.header("location")), (303, "/login"), "{path}");
    }
}

#[test]
fn a_session_ends_idle_after_a_day_and_old_after_seven() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let mut idle = fixture.signed_in(&secret);
    fixture.at(NOON + IDLE_S - 1);
    assert!(idle.is_in());
    fixture.at(NOON + 2 * IDLE_S - 1);
    assert!(!idle.is_in());
    fixture.at(NOON);
    let mut used = fixture.signed_in(&secret);
    for day in 1..=7 {
        fixture.at(NOON + day * (IDLE_S - 1));
        assert!(used.is_in(), "day {day}");
    }
    fixture.at(NOON + LONGEST_S);
    assert!(!used.is_in());
}

#[test]
fn a_session_ends_with_its_key_at_once() {
    let (anus, first) = key("Anu", Tier::ApiPro);
    let (bos, second) = key("Anu", Tier::ApiPro);
    let (cleos, third) = key("Anu", Tier::ApiPro);
    let third = NewKey { expires_at: Some(NOON + 100), ..third };
    let fixture = Fixture::with(&[&first, &second, &third]);
    // Revoked by another session.
    let (mut revoked, mut other) = (fixture.signed_in(&anus), fixture.signed_in(&bos));
    assert_eq!(other.post("/portal/keys/revoke", &[("id", "1")]).status, 303);
    assert!(!revoked.is_in() && other.is_in());
    // Rotated with a grace period: the old key still works, its sessions end.
    let form = [("id", "2"), ("grace", "24h"), ("again", bos.reveal())];
    assert_eq!(other.post("/portal/keys/rotate", &form).status, 200);
    assert!(!other.is_in());
    assert_eq!(fixture.call(bos.reveal(), "market/sectors").status, 200);
    // Expired.
    let mut expiring = fixture.signed_in(&cleos);
    fixture.at(NOON + 99);
    assert!(expiring.is_in());
    fixture.at(NOON + 100);
    assert!(!expiring.is_in());
}

#[test]
fn a_revocation_by_another_program_is_followed() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    Store::open(&fixture.file()).unwrap().revoke_key(1, NOON).unwrap();
    let began = Instant::now();
    while browser.is_in() {
        assert!(began.elapsed() < Duration::from_secs(30), "the session goes on");
    }
}

#[test]
fn signing_out_ends_the_session_on_the_server() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&secret);
    let kept = browser.cookie.clone();
    assert_eq!(browser.get("/logout").status, 405);
    assert!(browser.is_in());
    let reply = browser.post("/logout", &[]);
    assert_eq!((reply.status, reply.header("location")), (303, "/login"));
    assert!(reply.header("clear-site-data").contains("\"cache\"") && browser.cookie.is_none());
    browser.cookie = kept;
    assert!(!browser.is_in(), "a cookie that was kept still works");
}

#[test]
fn every_sign_in_makes_a_new_token_and_adopts_none() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with(&[&row]);
    let planted = format!("parquote={}", "ab".repeat(32));
    let mut browser = fixture.browser();
    browser.cookie = Some(planted.clone());
    assert_eq!(browser.post("/login", &[("key", secret.reveal())]).status, 303);
    let first = browser.cookie.clone().unwrap();
    assert_ne!(first, planted);
    assert_eq!(browser.post("/login", &[("key", secret.reveal())]).status, 303);
    assert_ne!(browser.cookie.as_ref(), Some(&first));
    assert!(browser.is_in());
    for old in [first, planted] {
        let mut other = fixture.browser();
        other.cookie = Some(old);
        assert!(!other.is_in());
    }
    // Two tokens at once are invalid, and so is a part of one.
    let good = browser.cookie.clone().unwrap();
    for cookie in [
        format!("{good}; parquote={}", "0".repeat(64)),
        good[..good.len() - 1].to_owned(),
        format!("{good}0"),
    ] {
        let mut other = fixture.browser();
        other.cookie = Some(cookie);
        assert!(!other.is_in());
    }
}

#[test]
fn guesses_are_held_up_and_right_keys_are_not() {
    let (secret, row) = key("Anu", Tier::ApiPro);
    let fixture = Fixture::with_cookie(&[&row], SessionCookie::Loopback, 3);
    let wrong = format!("pq_{}", "0".repeat(32));
    let guesses: [(&str, &str); 5] =
        [("key", &wrong), ("code", "1"), ("code", &"0".repeat(64)), ("key", &wrong), ("code", "2")];
    let statuses = guesses.map(|guess| fixture.browser().post("/login", &[guess]).status);
    assert_eq!(statuses, [401, 401, 401, 429, 429]);
    let reply = fixture.browser().post("/login", &[("key", &wrong)]);
    assert!(!reply.header("retry-after").is_empty() && !reply.body.contains(&wrong));
    fixture.signed_in(&secret);
    let mut browser = fixture.signed_in(&secret);
    fixture.at(NOON + 60);
    // Wrong keys in the confirmation count too.
    let again = |key: &str| {
        browser.post("/portal/keys/issue", &[("again", key), ("tier", "free"), ("lifetime", "90")]).status
    };
    assert_eq!([&*wrong, "", &wrong, "x", &wrong].map(again), [401, 401, 401, 401, 429]);
    assert_eq!(fixture.working(), [1]);
}

#[test]
fn a_code_signs_in_once_and_in_its_ten_minutes() {
    let (_, row) = key("Anu", Tier::ApiPro);
    let (_, revoked) = key("Bo", Tier::ApiPro);
    let fixture = Fixture::with(&[&row, &revoked]);
    let code = |id| new_sign_in_code(&mut fixture.store.lock().unwrap(), id, NOON).unwrap();
    let (used, late, dead) = (code(1), code(1), code(2));
    let mut browser = fixture.browser();
    let reply = browser.post("/login", &[("code", used.reveal()), ("next", "/portal/log")]);
    assert_eq!((reply.status, reply.header("location")), (303, "/portal/log"));
    assert!(browser.get("/portal/log").body.contains("signed in with a code"));
    let again = |code: &str| {
        let reply = fixture.browser().post("/login", &[("code", code)]);
        assert!(!reply.body.contains(code));
        reply.status
    };
    assert_eq!(again(used.reveal()), 401);
    fixture.store.lock().unwrap().revoke_key(2, NOON).unwrap();
    assert_eq!(again(dead.reveal()), 401);
    fixture.at(NOON + 600);
    assert_eq!(again(late.reveal()), 401);
    assert!(browser.is_in());
}
