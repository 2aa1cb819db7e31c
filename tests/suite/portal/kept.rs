//! Lists and screens of owners: over REST and on pages, separate for each owner; as universe of screens; shared and unshared; bounds; and
//! the search's suggestions.

use parquote::access::Secret;
use parquote::operation::Tier;
use parquote::state::{NewKey, SavedItemKey, SavedItemKind};
use serde_json::{Value as Json, json};

use super::fixture::{Fixture, Reply, key};

/// Returns a key with a practically unlimited allowance.
fn unmetered(owner: &str, tier: Tier) -> (Secret, NewKey) {
    let (secret, row) = key(owner, tier);
    (secret, NewKey { quota_day: Some(1_000_000), quota_hour: Some(1_000_000), ..row })
}

/// Starts a server with two owners.
pub(super) fn of_two() -> (Fixture, Secret, Secret) {
    let ((anu, of_anu), (ben, of_ben)) = (unmetered("Anu", Tier::ApiMax), unmetered("Ben", Tier::ApiMax));
    (Fixture::with(&[&of_anu, &of_ben]), anu, ben)
}

pub(super) fn data(reply: &Reply) -> Json {
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()["data"].clone()
}

pub(super) fn refusal(reply: &Reply, status: u16) -> String {
    assert_eq!(reply.status, status, "{}", reply.body);
    reply.json()["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_list_is_made_filled_emptied_and_deleted_by_its_owner_alone() {
    let (fixture, anu, ben) = of_two();
    let call = |path: &str| fixture.call(anu.reveal(), path);
    let others = |path: &str| fixture.call(ben.reveal(), path);
    assert_eq!(data(&call("lists/list"))["count"], 0);
    // The default list is Starred; symbols are converted to capitals and stored once.
    let starred = data(&call("lists/add?symbols=baxipapowr,DEXENIELEC,BAXIPAPOWR"));
    assert_eq!(
        (&starred["name"], &starred["symbols"]),
        (&json!("Starred"), &json!(["BAXIPAPOWR", "DEXENIELEC"]))
    );
    let more = data(&call("lists/add?symbols=DEXENIELEC,FEXOMAPAY&name=starred"));
    assert_eq!(more["symbols"], json!(["BAXIPAPOWR", "DEXENIELEC", "FEXOMAPAY"]));
    let less = data(&call("lists/remove?symbols=BAXIPAPOWR&name=STARRED"));
    assert_eq!((&less["name"], &less["count"]), (&json!("Starred"), &json!(2)));
    // Another owner has no access to it.
    assert_eq!(data(&others("lists/list"))["count"], 0);
    for path in [
        "lists/remove?symbols=DEXENIELEC&name=Starred",
        "lists/delete?name=Starred",
        "lists/share?name=Starred",
    ] {
        refusal(&others(path), 404);
    }
    assert!(refusal(&others("lists/get?list=Starred"), 404).contains("there is none yet"));
    assert_eq!(data(&call("lists/list"))["lists"][0]["symbols"], json!(["DEXENIELEC", "FEXOMAPAY"]));
    // The figures of its stocks, and screens within it.
    assert_eq!(data(&call("lists/get?list=starred")).as_array().unwrap().len(), 2);
    for path in [
        "explore/screen?list=Starred",
        "explore/screen-words?list=Starred",
        "market/trader-scan?list=Starred&scan_type=stage2&liquidity=all",
    ] {
        let answer = data(&call(path));
        let rows = answer.get("stocks").unwrap_or(&answer).as_array().unwrap().clone();
        assert!((1..=2).contains(&rows.len()), "{path}: {rows:?}");
        assert!(
            rows.iter().all(|row| ["DEXENIELEC", "FEXOMAPAY"].contains(&row["symbol"].as_str().unwrap()))
        );
    }
    let counted = data(&call("explore/screen?list=Starred&facet=sector"));
    assert_eq!(
        counted.as_array().unwrap().iter().map(|row| row["stock_count"].as_i64().unwrap()).sum::<i64>(),
        2
    );
    // A stock outside the list is no near miss, and is not counted.
    let screened = data(&call("explore/screen-words?list=Starred&query=RS+above+98"));
    assert_eq!((&screened["total"], &screened["conditions"][0]["without_it"]), (&json!(0), &json!(2)));
    let counted =
        screened["facets"].as_array().unwrap().iter().map(|row| row["stock_count"].as_i64().unwrap());
    assert_eq!(counted.sum::<i64>(), 0);
    // A list of India is not found in the US; two lists form one universe.
    assert!(refusal(&call("us/lists/get?list=Starred"), 404).contains("list of us"));
    data(&call("lists/set?name=Power&symbols=BAXIPAPOWR"));
    assert_eq!(data(&call("lists/get?list=Power,Starred")).as_array().unwrap().len(), 3);
    // The changes of a list or of named stocks are a subset of the changes of all stocks.
    let changed = |asked: &str| {
        let rows = data(&call(&format!("lists/changes?limit=400&since=2026-10-20{asked}")));
        rows.as_array().unwrap().clone()
    };
    let (power, starred) = (["BAXIPAPOWR"], ["DEXENIELEC", "FEXOMAPAY"]);
    let pages = [0, 400, 800, 1_200].map(|offset| changed(&format!("&offset={offset}")));
    assert!(pages[3].len() < 400, "there are more rows");
    let all = pages.concat();
    let of = |symbols: &[&str]| {
        let is_of = |row: &&Json| symbols.contains(&row["symbol"].as_str().unwrap());
        all.iter().filter(is_of).cloned().collect::<Vec<_>>()
    };
    assert!(!of(&power).is_empty() && !of(&starred).is_empty());
    assert_eq!((changed("&list=Power"), changed("&list=Starred")), (of(&power), of(&starred)));
    let of_us = |asked: &str| data(&call(&format!("us/lists/changes?limit=400&since=2026-10-28{asked}")));
    let all_of_us = of_us("");
    assert!(all_of_us.as_array().unwrap().len() < 400, "there are more rows");
    let first = all_of_us[0]["symbol"].as_str().unwrap();
    let expected = all_of_us.as_array().unwrap().iter().filter(|row| row["symbol"] == first).cloned();
    assert_eq!(of_us(&format!("&symbols={first}")), Json::from(expected.collect::<Vec<_>>()));
    let of_both = of(&[&power[..], &starred[..]].concat());
    for both in
        ["&list=Power,Starred", "&list=Starred&symbols=BAXIPAPOWR", "&list=Starred,Power&symbols=FEXOMAPAY"]
    {
        assert_eq!(changed(both), of_both, "{both}");
    }
    // An empty list returns no rows; it is not a missing list.
    data(&call("lists/set?name=Power"));
    assert_eq!(data(&call("lists/get?list=Power")), json!([]));
    assert!(changed("&list=Power").is_empty());
    assert_eq!(data(&call("explore/screen?list=Power")), json!([]));
    assert_eq!(data(&call("explore/screen-words?list=Power"))["total"], 0);
    assert_eq!(data(&call("lists/delete?name=power"))["removed"], true);
    let left = refusal(&call("lists/delete?name=Power"), 404);
    assert!(left.contains("`Power`") && left.contains("yours are Starred"), "{left}");
}

#[test]
fn a_saved_screen_has_the_stocks_that_entered_and_left_since_the_session_before() {
    let (fixture, anu, _) = of_two();
    let call = |path: &str| fixture.call(anu.reveal(), path);
    let listed = |path: &str| data(&call(path))["screens"][0].clone();
    data(&call("screens/save?name=Leaders&query=min_rs%3D95%26view%3Dcharts"));
    let plain = listed("screens/list");
    assert_eq!(
        (&plain["page"], &plain["screen_count"]),
        (&json!("screener?min_rs=95&view=charts"), &Json::Null)
    );
    let stocks = data(&call("explore/screen-words?min_rs=95&limit=200"))["stocks"].clone();
    let symbol = |row: &Json| row["symbol"].as_str().unwrap().to_owned();
    let now: Vec<String> = stocks.as_array().unwrap().iter().map(symbol).collect();
    assert!(now.len() > 2, "{now:?}");
    let first = listed("screens/list?changes=true");
    assert_eq!(
        (&first["screen_count"], &first["since_session"], &first["entered_symbols"]),
        (&json!(now.len()), &Json::Null, &Json::Null)
    );
    // The session before it listed the same but the first, and one that is gone.
    let place = SavedItemKey {
        owner: "Anu".to_owned(),
        kind: SavedItemKind::Screen,
        market: "india".to_owned(),
        name: "Leaders".to_owned(),
    };
    let stored = format!("screener?min_rs=95&view=charts\n2026-10-30 {}", now.join(","));
    let before = format!("screener?min_rs=95&view=charts\n2026-10-29 GONE,{}", now[1..].join(","));
    let changed = fixture.store.lock().unwrap().change_saved_item(&place, 50, 0, |present| {
        assert_eq!(present, Some(stored.as_str()));
        Ok::<_, ()>(before)
    });
    changed.unwrap().unwrap();
    // A second look at the same session says the same.
    for _ in 0..2 {
        let later = listed("screens/list?changes=true");
        assert_eq!(later["since_session"], "2026-10-29");
        assert_eq!((&later["entered_symbols"], &later["left_symbols"]), (&json!([now[0]]), &json!(["GONE"])));
        assert_eq!(later["page"], "screener?min_rs=95&view=charts");
    }
    // The same page saved again is still followed, another one begins without an earlier session.
    data(&call("screens/save?name=leaders&query=min_rs%3D95%26view%3Dcharts"));
    assert_eq!(listed("screens/list?changes=true")["since_session"], "2026-10-29");
    data(&call("screens/save?name=leaders&query=min_rs%3D90"));
    assert_eq!(listed("screens/list?changes=true")["since_session"], Json::Null);
}

#[test]
fn what_is_no_symbol_no_name_or_too_much_is_refused_in_words() {
    let (fixture, anu, _) = of_two();
    let call = |path: &str| fixture.call(anu.reveal(), path);
    assert!(refusal(&call("lists/add?symbols=BAXIPAPOW"), 404).contains("BAXIPAPOWR"));
    assert!(refusal(&call("lists/add?symbols=BAQEBO"), 404).contains("us"));
    for name in ["a%2Cb", "~x", "%3Cb%3E"] {
        assert!(refusal(&call(&format!("lists/set?name={name}")), 400).contains("`name`"));
    }
    assert!(refusal(&call(&format!("lists/set?name={}", "a".repeat(41))), 400).contains("40"));
    assert!(refusal(&call("lists/add"), 400).contains("`symbols` is required"));
    // The bound on lists counts both markets together.
    for n in 0..30 {
        let market = if n % 2 == 0 { "india" } else { "us" };
        data(&call(&format!("lists/set?name=l{n}&market={market}")));
    }
    assert!(refusal(&call("lists/set?name=one+more"), 400).contains("30 lists"));
    data(&call("lists/set?name=l0&symbols=BAXIPAPOWR"));
    for n in 0..50 {
        data(&call(&format!("screens/save?name=s{n}&query=min_rs%3D{n}")));
    }
    assert!(refusal(&call("screens/save?name=more&words=banks+by+roe"), 400).contains("50 screens"));
    // The bound on symbols.
    let all: Vec<String> = data(&call("explore/screen?limit=200"))
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["symbol"].as_str().unwrap().to_owned())
        .collect();
    data(&call(&format!("lists/set?name=l0&symbols={}", all[..150].join(","))));
    if all.len() > 200 - 1 {
        let more = call(&format!("lists/add?name=l0&symbols={}", all.join(",")));
        assert_eq!(data(&more)["count"], 200);
    }
}

#[test]
fn a_list_is_read_by_others_under_its_address_until_that_is_taken_away() {
    let (fixture, anu, ben) = of_two();
    let call = |path: &str| fixture.call(anu.reveal(), path);
    data(&call("lists/set?name=Mine&symbols=BAXIPAPOWR"));
    let shared = data(&call("lists/share?name=Mine"));
    let share = shared["share"].as_str().unwrap().to_owned();
    assert!(share.starts_with('~') && share.len() == 65, "{share}");
    assert_eq!(shared["page"], format!("/india/list?list={share}"));
    let read = |share: &str| fixture.call(ben.reveal(), &format!("lists/get?list={share}"));
    assert_eq!(data(&read(&share))[0]["symbol"], "BAXIPAPOWR");
    // The shared address shows later changes of the list, belongs to its market, and is read-only.
    data(&call("lists/add?name=Mine&symbols=DEXENIELEC"));
    assert_eq!(data(&read(&share)).as_array().unwrap().len(), 2);
    refusal(&fixture.call(ben.reveal(), &format!("us/lists/get?list={share}")), 404);
    refusal(&fixture.call(ben.reveal(), &format!("lists/add?symbols=FEXOMAPAY&name={share}")), 400);
    let page = fixture.signed_in(&ben).get(&format!("/india/list?list={share}"));
    assert!(page.status == 200 && page.body.contains("A shared list") && !page.body.contains("Take out of"));
    // A new address ends the previous one; unsharing ends all.
    let again = data(&call("lists/share?name=Mine"))["share"].as_str().unwrap().to_owned();
    refusal(&read(&share), 404);
    data(&read(&again));
    assert_eq!(data(&call("lists/list"))["lists"][0]["is_shared"], true);
    assert_eq!(data(&call("lists/share?name=Mine&revoke=true"))["share"], Json::Null);
    assert!(refusal(&read(&again), 404).contains("no list of india is shared under this address"));
}

#[test]
fn pages_show_and_change_what_the_reader_keeps() {
    let (fixture, anu, ben) = of_two();
    let (mut browser, mut other) = (fixture.signed_in(&anu), fixture.signed_in(&ben));
    let company = "/india/company/BAXIPAPOWR";
    assert!(browser.get(company).body.contains("☆ Star"));
    let star = "/india/lists?operation=lists%2Fadd&back=%2Findia%2Fcompany%2FBAXIPAPOWR";
    let reply = browser.post(star, &[("symbols", "BAXIPAPOWR"), ("name", "Starred")]);
    assert_eq!((reply.status, reply.header("location")), (303, company));
    assert!(
        browser.get(company).body.contains("★ Starred") && !other.get(company).body.contains("★ Starred")
    );
    // Ticked rows arrive as one field each.
    let ticked = [("symbols", "DEXENIELEC"), ("symbols", "FEXOMAPAY"), ("name", "Starred")];
    let away = "/india/lists?operation=lists%2Fadd&back=https%3A%2F%2Fevil.example%2Findia";
    let reply = browser.post(away, &ticked);
    assert_eq!((reply.status, reply.header("location")), (303, "/india/list?list=Starred"));
    let list = browser.get("/india/list?list=Starred");
    for part in [
        "<h1>Starred</h1>",
        "DEXENIELEC",
        "Take out of Starred",
        "/india/screener?list=Starred",
        "What changed",
    ] {
        assert!(list.body.contains(part), "{part}: {}", list.body);
    }
    assert!(list.body.contains("tick\"") && list.body.contains("form=\"rows-ticked\""));
    // A screen is saved from its page, and is shown there and on the page of lists.
    let save = "/india/lists?operation=screens%2Fsave&back=%2Findia%2Fscreener%3Fmin_rs%3D80";
    assert!(browser.get("/india/screener?min_rs=80").body.contains("Name of this screen"));
    let reply = browser.post(save, &[("query", "min_rs=80"), ("name", "Strong")]);
    assert_eq!((reply.status, reply.header("location")), (303, "/india/screener?min_rs=80"));
    for page in ["/india/screener", "/india/lists"] {
        assert!(browser.get(page).body.contains("/india/screener?min_rs=80"), "{page}");
        assert!(!other.get(page).body.contains("Strong"), "{page}");
    }
    // Both pages have a link that tests it.
    for (page, link) in [
        ("/india/lists", "/india/backtest?saved=Strong"),
        ("/india/screener?query=RS+above+60", "/india/backtest?screen=RS%20above%2060"),
    ] {
        assert!(browser.get(page).body.contains(link), "{page}");
    }
    // Requests from another site change nothing, and the page shows the reason of a refusal.
    let cookie = browser.cookie.clone().unwrap();
    let foreign = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
    let form = [("symbols", "BAXIPAPOWR"), ("name", "Starred")];
    let forged =
        fixture.send(reqwest::Method::POST, "/india/lists?operation=lists%2Fremove", &foreign, &form);
    assert_eq!(forged.status, 403);
    let wrong = browser.post(star, &[("name", "Starred")]);
    assert!(wrong.status == 400 && wrong.body.contains("`symbols` is required"), "{}", wrong.body);
    assert!(browser.get(company).body.contains("★ Starred"));
}

#[test]
fn what_is_kept_is_sent_again_only_when_it_changed_and_a_page_costs_one_request() {
    let (anu, row) = key("Anu", Tier::ApiMax);
    let fixture = Fixture::with(&[&row]);
    let mut browser = fixture.signed_in(&anu);
    browser.post("/india/lists?operation=lists%2Fset", &[("name", "Mine"), ("symbols", "BAXIPAPOWR")]);
    let first = browser.get("/india/lists");
    let (tag, left) = (first.header("etag").to_owned(), first.left_today());
    assert!(!tag.is_empty(), "{}", first.body);
    let cookie = browser.cookie.clone().unwrap();
    let again = || {
        let headers = [("cookie", cookie.as_str()), ("if-none-match", tag.as_str())];
        fixture.send(reqwest::Method::GET, "/india/lists", &headers, &[])
    };
    let unchanged = again();
    assert_eq!((unchanged.status, unchanged.left_today()), (304, left));
    assert_eq!(browser.get("/india/list?list=Mine").left_today(), left - 1);
    browser.post("/india/lists?operation=lists%2Fdelete", &[("name", "Mine")]);
    assert_eq!(again().status, 200);
}

#[test]
fn the_search_offers_companies_of_both_markets_pages_and_what_is_kept() {
    let (fixture, anu, _) = of_two();
    let mut browser = fixture.signed_in(&anu);
    browser.post("/india/lists?operation=lists%2Fset", &[("name", "Bank ideas")]);
    let mut offered = |path: &str| -> Vec<(String, String)> {
        let reply = browser.get(path);
        assert_eq!(reply.status, 200, "{}", reply.body);
        let found = reply.json();
        let word = |one: &Json, name: &str| one[name].as_str().unwrap().to_owned();
        found.as_array().unwrap().iter().map(|one| (word(one, "label"), word(one, "href"))).collect()
    };
    let has = |found: &[(String, String)], href: &str| found.iter().any(|(_, led)| led == href);
    let bank = offered("/india/suggest?q=bank&at=BAXIPAPOWR");
    assert!(bank.len() <= 20 && has(&bank, "/india/list?list=Bank%20ideas"), "{bank:?}");
    assert!(bank.iter().any(|(label, _)| label.starts_with("Compare BAXIPAPOWR with ")), "{bank:?}");
    assert!(bank.iter().any(|(label, _)| label.starts_with("Ask the committee about ")), "{bank:?}");
    let exact = offered("/india/suggest?q=baxipapowr");
    assert_eq!(exact[0], ("BAXIPAPOWR".to_owned(), "/india/company/BAXIPAPOWR".to_owned()));
    assert!(has(&offered("/india/suggest?q=baqebo"), "/us/company/BAQEBO"));
    assert!(has(&offered("/india/suggest?q=baxpia"), "/india/company/BAXIPAPOWR"));
    assert!(has(&offered("/india/suggest?q=baxipa+powr"), "/india/company/BAXIPAPOWR"));
    assert!(has(&offered("/us/suggest?q=scre"), "/us/screener"));
    assert!(has(&offered("/india/suggest?q="), "/india/screener"));
    for (text, href) in [
        ("results", "/india/calendar"),
        ("bulk", "/india/deals"),
        ("healthc", "/india/screener?sector=Healthcare"),
        ("nifty50", "/india/indices?index=NIFTY50"),
        ("rs+above+90", "/india/screener?query=rs%20above%2090"),
    ] {
        let found = offered(&format!("/india/suggest?q={text}"));
        assert!(has(&found, href), "{text}: {found:?}");
    }
    assert!(offered(&format!("/india/suggest?q={}", "a".repeat(5_000))).is_empty());
    // A field of symbols is offered companies of its market alone.
    let companies = offered("/india/suggest?q=bank&only=companies");
    assert!(!companies.is_empty() && companies.iter().all(|(_, led)| led.starts_with("/india/company/")));
    assert!(offered("/india/suggest?q=&only=companies").is_empty());
    // Suggestions need a sign-in.
    assert_eq!(fixture.browser().get("/india/suggest?q=bank").status, 303);
    // Without scripts the form leads to the same page.
    let leads = |path: &str| fixture.signed_in(&anu).get(path).header("location").to_owned();
    assert_eq!(leads("/india/search?q=baxipapowr"), "/india/company/BAXIPAPOWR");
    assert_eq!(leads("/us/search?q=baqebo"), "/us/company/BAQEBO");
    assert_eq!(leads("/india/search?q=bank"), "");
    let near = fixture.signed_in(&anu).get("/india/search?q=baxpia").body;
    assert!(near.contains("Did you mean:") && near.contains("/india/company/BAXIPAPOWR"), "{near}");
    let other = fixture.signed_in(&anu).get("/india/search?q=baqebo").body;
    assert!(other.contains("In the market US:") && other.contains("/us/company/BAQEBO"), "{other}");
    for (text, href) in
        [("results", "/india/earnings"), ("capital+goods", "/india/screener?sector=Capital%20Goods")]
    {
        let page = fixture.signed_in(&anu).get(&format!("/india/search?q={text}")).body;
        assert!(
            page.contains(&format!("Also:<a href=\"{href}\">")) && page.contains("Show all rows"),
            "{page}"
        );
    }
}

#[test]
fn a_deleted_list_and_a_removed_screen_are_restored_by_undo() {
    let (fixture, anu, _) = of_two();
    let call = |path: &str| data(&fixture.call(anu.reveal(), path));
    call("lists/add?symbols=DEXENIELEC,BAXIPAPOWR");
    call("screens/save?name=Strong&query=min_rs%3D60%26stage%3D2");
    let mut browser = fixture.signed_in(&anu);
    for (operation, name, said, restored) in [
        ("lists/delete", "Starred", "Starred is deleted.", ("lists/set", "DEXENIELEC,BAXIPAPOWR")),
        ("screens/remove", "Strong", "Strong is removed.", ("screens/save", "min_rs=60&amp;stage=2")),
    ] {
        let gone = browser.post(&format!("/india/lists?operation={operation}"), &[("name", name)]);
        assert_eq!((gone.status, gone.header("location")), (303, "/india/lists"), "{}", gone.body);
        let page = browser.get("/india/lists").body;
        let (_, undo) = page.split_once("class=\"undo\"").unwrap_or_else(|| panic!("no undo: {page}"));
        let (form, _) = undo.split_once("</form>").unwrap();
        let (operation, content) = restored;
        assert!(page.contains(said) && form.contains(&operation.replace('/', "%2F")), "{form}");
        assert!(form.contains(&format!("value=\"{content}\"")), "{form}");
        // The page that follows has no message.
        assert!(!browser.get("/india/lists").body.contains("class=\"undo\""));
    }
    let fields = [("name", "Starred"), ("symbols", "DEXENIELEC,BAXIPAPOWR")];
    let back = browser.post("/india/lists?operation=lists%2Fset&back=%2Findia%2Flists", &fields);
    assert_eq!((back.status, back.header("location")), (303, "/india/lists"), "{}", back.body);
    assert!(browser.get("/india/lists").body.contains("Stocks in Starred now: 2."));
    assert_eq!(call("lists/list")["lists"][0]["symbols"], json!(["DEXENIELEC", "BAXIPAPOWR"]));
}
