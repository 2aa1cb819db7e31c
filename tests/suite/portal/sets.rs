//! The pages of sets and sources: open to admin keys only, with a rollback that deletes no set.

use std::sync::Arc;

use parquote::explorer::portal::SourcesView;
use parquote::http::{AcceptTerms, HttpSettings, ReadSources, SessionCookie, SetsAndSources};
use parquote::operation::Tier;
use parquote::state::NewKey;
use reqwest::Method;

use super::fixture::{Fixture, key};
use crate::plain_folder::plain_market;
use crate::refresh::earlier::EARLIER;
use crate::refreshed_server::{Fixture as ServedFolder, on_request};

/// Starts a portal over the sets of another server.
fn portal(served: &ServedFolder, keys: &[&NewKey]) -> Fixture {
    let needs = || vec!["NSE waits for your consent".to_owned()];
    let sources: ReadSources = Arc::new(move || Ok(SourcesView { needs: needs(), ..SourcesView::default() }));
    let accept_terms: AcceptTerms = Arc::new(|group: &str| match group {
        "nse" => Ok(()),
        _ => Err(format!("`{group}` is no host of a source")),
    });
    let data = Some(SetsAndSources { sets: Arc::new(served.administration()), sources, accept_terms });
    let cookie = SessionCookie::Loopback;
    Fixture::built(keys, HttpSettings { cookie, data, ..HttpSettings::default() }, 100)
}

/// Returns a server with a set of an earlier day and the one that is served.
fn two_sets() -> ServedFolder {
    let served = ServedFolder::over(on_request(), |data| EARLIER.plain(data));
    plain_market(&served.data());
    served.refresh();
    assert_eq!((served.refused().as_str(), served.set()), ("", 2));
    served
}

#[test]
fn an_admin_key_goes_back_to_an_earlier_set_and_no_set_is_deleted() {
    let served = two_sets();
    let (secret, row) = key("Root", Tier::ApiMax);
    let fixture = portal(&served, &[&NewKey { is_admin: true, ..row }]);
    let mut browser = fixture.signed_in(&secret);
    let page = browser.get("/portal/sets");
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains("Go back to set 1") && !page.body.contains("Go back to set 2"));

    let changes = browser.get("/portal/sets/changes?market=india&before=1&after=2");
    assert_eq!(changes.status, 200, "{}", changes.body);
    // Three more sessions.
    assert!(changes.body.contains("sessions: ") && changes.body.contains("3 added, 0 removed"));
    for wrong in
        ["", "?market=mars&before=1&after=2", "?market=india&before=1", "?market=india&before=-1&after=2"]
    {
        let reply = browser.get(&format!("/portal/sets/changes{wrong}"));
        assert_eq!(reply.status, 400, "{wrong}");
        assert!(reply.body.contains("market=india"), "{wrong}: {}", reply.body);
    }
    let missing = browser.get("/portal/sets/changes?market=india&before=1&after=9");
    assert!(missing.status == 400 && missing.body.contains("india has no set 9"), "{}", missing.body);

    let form = |newest| [("market", "india"), ("to", "1"), ("newest", newest)];
    let late = browser.post("/portal/sets/rollback", &form("1"));
    assert!(late.status == 400 && late.body.contains("set 2 of india was published"), "{}", late.body);
    assert_eq!(served.set(), 2);
    let back = browser.post("/portal/sets/rollback", &form("2"));
    assert_eq!((back.status, back.header("location")), (303, "/portal/sets"), "{}", back.body);
    assert_eq!(served.set(), 3);
    assert_eq!(served.get("companies").header("x-as-of"), EARLIER.as_of.to_string());
    let page = browser.get("/portal/sets").body;
    assert!(page.contains("india: set 3 has the content of set 1. No set was deleted."), "{page}");
    assert!(page.contains("Go back to set 2"), "{page}");
    assert!(browser.get("/portal/log").body.contains("rolled back a set"));
    assert!(browser.get("/portal/sources").body.contains("NSE waits for your consent"));
    for (form, said) in [
        (&[("group", "nse")][..], "tick that you have read the terms"),
        (&[("group", "other"), ("agreed", "yes")][..], "`other` is no host of a source"),
    ] {
        let refused = browser.post("/portal/sources/agree", form);
        assert!(refused.status == 400 && refused.body.contains(said), "{}", refused.body);
    }
    let agreed = browser.post("/portal/sources/agree", &[("group", "nse"), ("agreed", "yes")]);
    assert_eq!((agreed.status, agreed.header("location")), (303, "/portal/sources"), "{}", agreed.body);
    assert!(browser.get("/portal/sources").body.contains("You agreed to the terms of nse."));
    assert!(browser.get("/portal/log").body.contains("agreed to terms"));
}

#[test]
fn sets_and_sources_need_an_admin_key_and_the_pages_of_this_server() {
    let served = two_sets();
    let ((secret, row), (root, admin)) = (key("Anu", Tier::ApiMax), key("Root", Tier::Free));
    let fixture = portal(&served, &[&row, &NewKey { is_admin: true, ..admin }]);
    let form = [("market", "india"), ("to", "1"), ("newest", "2")];
    let paths = ["/portal/sets", "/portal/sets/changes?market=india&before=1&after=2", "/portal/sources"];
    let mut browser = fixture.signed_in(&secret);
    for path in paths {
        assert_eq!(browser.get(path).status, 403, "{path}");
        assert_eq!(fixture.browser().get(path).status, 303, "{path}");
    }
    assert_eq!(browser.post("/portal/sets/rollback", &form).status, 403);
    assert_eq!(fixture.browser().post("/portal/sets/rollback", &form).status, 401);
    assert_eq!(browser.post("/portal/sources/agree", &[("group", "nse"), ("agreed", "yes")]).status, 403);
    assert!(!browser.get("/portal").body.contains("/portal/sets"));
    // An admin's cookie in a form of another site changes nothing.
    let cookie = fixture.signed_in(&root).cookie.unwrap();
    let headers = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
    assert_eq!(fixture.send(Method::POST, "/portal/sets/rollback", &headers, &form).status, 403);
    assert_eq!(served.set(), 2);
}
