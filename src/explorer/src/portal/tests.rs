//! Foreign text appears in pages as text, whatever it contains.

#[path = "../../../../tests/support/new_key.rs"]
mod new_key;

use std::sync::Arc;

use maud::Markup;

use super::usage::{UsageView, usage_page};
use super::*;
use crate::age::DataAge;
use parquote_access::{AccessControl, IssuedKey, Key, ManagedKey, ManagedSession, Secret};
use parquote_catalogue::operation::{Market, Tier};
use parquote_state::{ActivityRow, KeyRow, NewKey, Store, UseRow, WebSessionRow};

/// Text that would be a script, end an attribute, or end an element.
const EVIL: &str = r#"</td><script>alert(1)</script>"'><img src=x onerror=alert(2)>"#;
const NOW: i64 = 1_793_500_000;

fn new_key(secret: &Secret) -> NewKey {
    NewKey {
        hash: secret.hash(),
        hint: secret.hint().to_owned(),
        tier: Tier::ApiPro.word().to_owned(),
        owner: EVIL.to_owned(),
        note: EVIL.to_owned(),
        created_at: NOW,
        expires_at: Some(NOW + 86_400),
        is_admin: true,
        ..new_key::new_key(0)
    }
}

/// A key as access control holds it.
fn key() -> (Arc<Key>, KeyRow, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("state.db")).unwrap();
    let secret = Secret::generate().unwrap();
    let id = store.insert_key(&new_key(&secret)).unwrap();
    let access = AccessControl::open(&store, 9, Arc::new(|| NOW)).unwrap();
    (access.key(id).unwrap(), store.key(id).unwrap().unwrap(), folder)
}

/// A reader with data of one market, two sessions behind.
fn reader() -> PortalReader {
    let as_of = "2026-10-30".parse().unwrap();
    PortalReader {
        owner: EVIL.to_owned(),
        ages: vec![DataAge { market: Market::India, as_of, sessions_behind: 2, unserved: None }],
    }
}

fn assert_clean(page: &Markup) {
    let text = page.0.as_str();
    assert!(text.contains("&lt;script&gt;alert(1)"), "the text is gone: {text}");
    assert!(!text.contains("<script>alert") && !text.contains("<img"), "{text}");
    assert!(!text.contains(" style="), "{text}");
    for (name, count) in [("script", 1), ("html", 1), ("body", 1), ("main", 1)] {
        assert_eq!(text.matches(&format!("<{name}")).count(), count, "{name}");
        assert_eq!(text.matches(&format!("</{name}>")).count(), count, "{name}");
    }
}

#[test]
fn markup_in_names_is_text_on_every_page() {
    let ((key, row, _folder), reader) = (key(), reader());
    let listed = ManagedKey { row, counter: None, is_managed: true };
    let view = KeysView { key: &key, keys: &[listed], now: NOW, problem: Some(EVIL), told: Some(EVIL) };
    assert_clean(&keys_page(&reader, view));
    let secret = Secret::generate().unwrap();
    let issued = IssuedKey { id: 1, stored: new_key(&secret), secret };
    assert_clean(&issued_page(&reader, "Key issued", &issued));
    let (hash, browser) = ([0; 32], EVIL.to_owned());
    let row = WebSessionRow { number: 1, hash, key_id: 1, browser, made_at: NOW, last_used_at: NOW };
    let session = ManagedSession { row, hint: EVIL.to_owned(), owner: EVIL.to_owned(), is_own: false };
    assert_clean(&sessions_page(&reader, &[session], Some(EVIL)));
    let (owner, what, detail) = (EVIL.to_owned(), EVIL.to_owned(), EVIL.to_owned());
    let line = ActivityRow { at: NOW, owner, actor: None, what, key_id: None, detail };
    assert_clean(&activity_page(&reader, &[line]));
    let called = UseRow { key_id: 1, day: 20_758, operation: EVIL.to_owned(), calls: 3, refused: 1 };
    let view = UsageView { rows: &[called], today: 20_758, days: 7, choices: &[7] };
    assert_clean(&usage_page(&reader, view));
    let view = SignInView { next: Some(EVIL), problem: Some(EVIL), signed_in: Some(EVIL), has_guests: true };
    assert_clean(&sign_in_page(view));
    assert_clean(&notice_page(EVIL, EVIL));
}

#[test]
fn the_top_bar_of_who_is_signed_in_says_how_old_the_data_is() {
    let page = sessions_page(&reader(), &[], None).into_string();
    let age = "<a href=\"/india\">India</a> <span class=\"age\">as of <time datetime=\"2026-10-30\">30 Oct 2026</time> \
               <span class=\"late\">2 sessions behind</span></span>";
    assert!(page.contains(age) && page.contains("<a href=\"/us\">US</a></span>"), "{page}");
}

#[test]
fn a_sign_in_link_is_sent_by_itself_only_when_nobody_is_signed_in() {
    let page = |signed_in| sign_in_page(SignInView { signed_in, ..SignInView::default() }).into_string();
    assert!(page(None).contains("data-send=\"now\"") && !page(Some("A")).contains("data-send"));
    for part in ["autocomplete=\"current-password\"", "autocomplete=\"one-time-code\""] {
        assert!(page(None).contains(part), "{part}");
    }
}

#[test]
fn usage_is_a_picture_and_the_same_in_tables() {
    let called = |day, operation: &str, calls, refused| UseRow {
        key_id: 4,
        day,
        operation: operation.to_owned(),
        calls,
        refused,
    };
    let rows = [
        called(20_757, "companies", 5, 0),
        called(20_758, "companies", 2, 1),
        called(20_758, "screener", 9, 0),
    ];
    let view = UsageView { rows: &rows, today: 20_758, days: 7, choices: &[7, 30] };
    let page = usage_page(&reader(), view).into_string();
    assert!(
        page.contains("<svg") && page.contains("16 calls answered in 7 days; the most, 11, on 2026-11-01")
    );
    let cells = |name: &str, a: u32, b: u32| {
        format!("<td>{name}</td><td class=\"number\">{a}</td><td class=\"number\">{b}</td>")
    };
    for line in [
        cells("screener", 9, 0),
        cells("companies", 7, 1),
        cells("4", 16, 1),
        cells("2026-11-01", 11, 1),
        cells("2026-10-26", 0, 0),
    ] {
        assert!(page.contains(&line), "{line}");
    }
    assert!(page.find("screener").unwrap() < page.find("companies").unwrap());
}
