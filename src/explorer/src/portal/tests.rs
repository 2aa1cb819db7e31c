//! Foreign text appears in pages as text, whatever it contains.

#[path = "../../../../tests/support/new_key.rs"]
mod new_key;

use std::sync::Arc;

use maud::Markup;

use super::usage::{UsageView, usage_page};
use super::*;
use crate::age::DataAge;
use crate::menu::MenuEntry;
use crate::spec::Section;
use parquote_access::{AccessControl, IssuedKey, Key, ManagedKey, ManagedSession, Secret};
use parquote_catalogue::operation::{Market, Tier};
use parquote_refresh::{MarketSets, MarketStatus};
use parquote_state::{ActivityRow, KeyRow, NewKey, Store, UseRow, WebSessionRow};
use parquote_surface::asset::ColourScheme;

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

/// A reader with data of one market, two sessions behind, and a page that needs a higher tier.
fn reader() -> PortalReader {
    let as_of = "2026-10-30".parse().unwrap();
    let entry = |path: &str, lock| MenuEntry {
        section: Some(Section::Market),
        title: path.to_uppercase(),
        href: format!("/india/{path}"),
        lock,
    };
    PortalReader {
        owner: EVIL.to_owned(),
        tier: Tier::Free,
        menus: [vec![entry("heat", Some(Tier::ApiPro)), entry("sectors", None)], Vec::new()],
        scheme: ColourScheme::Auto,
        ages: vec![DataAge { market: Market::India, as_of, sessions_behind: 2, newer_set: None }],
        is_operator: true,
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
    let view = KeysView {
        key: &key,
        keys: std::slice::from_ref(&listed),
        now: NOW,
        problem: Some(EVIL),
        message: Some(EVIL),
    };
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
    let view = UsageView { rows: &[called], keys: &[listed], today: 20_758, days: 7, choices: &[7] };
    assert_clean(&usage_page(&reader, view));
    let (market, unreadable) = (Market::India, vec![EVIL.to_owned()]);
    let mut status = MarketStatus::default();
    status.trouble = Some(EVIL.to_owned());
    let sets = [MarketSets { market, status, sets: Vec::new(), unreadable, derivation: None }];
    let (progress, problem, message) = (Some(EVIL), Some(EVIL), Some(EVIL));
    assert_clean(&sets_page(&reader, SetsView { markets: &sets, progress, problem, message }));
    let (needs, commands) = (vec![EVIL.to_owned()], vec![("Fetch", EVIL.to_owned())]);
    let evil = || EVIL.to_owned();
    let terms = vec![TermsLine { group: evil(), host: evil(), terms: evil(), summary: evil() }];
    let view = SourcesView { terms, needs, commands, ..SourcesView::default() };
    assert_clean(&sources_page(&reader, &view, progress, Err(EVIL)));
    let view = SignInView {
        next: Some(EVIL),
        problem: Some(EVIL),
        current_owner: Some(EVIL),
        has_guests: true,
        ..SignInView::default()
    };
    assert_clean(&sign_in_page(view));
    assert_clean(&notice_page(EVIL, EVIL, ColourScheme::default()));
}

#[test]
fn the_top_bar_of_who_is_signed_in_says_how_old_the_data_is() {
    let page = sessions_page(&reader(), &[], None).into_string();
    let age = "<span class=\"age\">as of <time datetime=\"2026-10-30\">30 Oct 2026</time> \
               <span class=\"late\">2 sessions behind</span></span>";
    assert!(page.contains(age) && page.contains("<a href=\"/us\">US</a>"), "{page}");
    assert!(page.contains("<a href=\"/portal/sessions\" aria-current=\"page\">Sessions</a>"), "{page}");
    assert_eq!(page.matches("Times of day are IST.").count(), 1);
}

#[test]
fn the_page_of_keys_says_what_the_key_reaches() {
    let (key, ..) = key();
    let view = KeysView { key: &key, keys: &[], now: NOW, problem: None, message: None };
    let page = keys_page(&reader(), view).into_string();
    assert!(page.contains("<h3>India: 1 of 2 pages with the tier free</h3>"), "{page}");
    let locked = page.split("<li>").find(|item| item.starts_with("<a href=\"/india/heat\">")).unwrap();
    assert!(locked.contains("class=\"lock\"") && locked.contains("api_pro"), "{locked}");
    // The section leads to the tab that is open.
    assert!(page.contains("href=\"/india/sectors\"><svg"), "{page}");
}

#[test]
fn a_sign_in_link_is_sent_by_itself_only_when_nobody_is_signed_in() {
    let page =
        |current_owner| sign_in_page(SignInView { current_owner, ..SignInView::default() }).into_string();
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
    let view = UsageView { rows: &rows, keys: &[], today: 20_758, days: 7, choices: &[7, 30] };
    let page = usage_page(&reader(), view).into_string();
    assert!(
        page.contains("<svg") && page.contains("16 calls answered in 7 days; the most, 11, on 1 Nov 2026")
    );
    let cells = |name: &str, a: u32, b: u32| {
        format!("<td>{name}</td><td class=\"n\">{a}</td><td class=\"n\">{b}</td>")
    };
    for line in
        [cells("screener", 9, 0), cells("companies", 7, 1), cells("4", 16, 1), cells("1 Nov 2026", 11, 1)]
    {
        assert!(page.contains(&line), "{line}");
    }
    // A day without a call is a bar of the picture alone.
    assert!(!page.contains("<td>26 Oct 2026"));
    assert!(page.find("<td>screener").unwrap() < page.find("<td>companies").unwrap());
}
