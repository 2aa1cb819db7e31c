//! Provider keys: saved, listed, tested, preferred and removed, over REST and MCP, and never revealed.

#[cfg(feature = "agents")]
use std::time::Duration;

use parquote::operation::Tier;
use serde_json::json;

use super::fixture::Fixture;
#[cfg(feature = "agents")]
use super::fixture::Plan;
#[cfg(feature = "agents")]
use super::script::Mood;
use crate::protocol_server::Spoken;
use crate::server::query;

/// Keys that look like no provider's, so that only their exact values can remove them from a text. Their characters need no escaping
/// in URLs.
const ALICES: &str = "Xw9.Lm4-Qz7_Pk2-Tn8.Vb5_Rc3";
const BOBS: &str = "Hj6.Fd1-Yg8_Nc4-Sa7.Ze2_Ku9";
const MASKED: &str = "Xw9..._Rc3";

/// Returns true if a text contains a usable part of a key.
fn tells(text: &[u8]) -> bool {
    [ALICES, BOBS]
        .iter()
        .any(|key| key.as_bytes().windows(9).any(|part| text.windows(9).any(|window| window == part)))
}

/// Checks that the keys are in no reply and in no file.
fn nothing_is_told(fixture: &Fixture) {
    let told: Vec<String> = fixture.replies().into_iter().filter(|told| tells(told.as_bytes())).collect();
    assert!(told.is_empty(), "{told:#?}");
    let kept = fixture.kept();
    assert!(kept.iter().any(|(name, _)| name.ends_with("state.db")) && kept.len() > 1);
    for (name, bytes) in kept {
        assert!(!tells(&bytes), "{name}");
    }
}

#[test]
fn the_test_of_secrecy_finds_a_key() {
    assert!(
        tells(format!("x{ALICES}y").as_bytes()) && tells(&BOBS.as_bytes()[..9]) && !tells(MASKED.as_bytes())
    );
}

#[cfg(feature = "agents")]
#[test]
fn keys_of_all_providers_are_saved_tested_preferred_and_removed_over_rest() {
    let plan = Plan { request: Duration::from_mins(1), ..Plan::default() };
    let fixture = Fixture::with(&[("Alice", Tier::Free)], &plan);
    // The free tier allows ten calls an hour.
    let call = |path: &str, pairs: &[(&str, &str)]| {
        let reply = fixture.get(0, &format!("account/{path}?{}", query(pairs)));
        fixture.pass(3_600);
        reply
    };
    assert_eq!(call("byo-keys", &[]).data()["count"], 0);
    for spoken in Spoken::ALL {
        let name = spoken.name();
        let saved =
            call("byo-key/save", &[("provider", name), ("key", ALICES), ("test_and_save", "true")]).data();
        let first = spoken == Spoken::ALL[0];
        assert_eq!(
            (&saved["saved"], &saved["works"], &saved["key"], &saved["preferred"]),
            (&json!(true), &json!(true), &json!(MASKED), &json!(first)),
            "{saved}"
        );
        let asked = fixture.server.requests().pop().unwrap();
        assert_eq!((asked.spoken, asked.key.as_str(), asked.wrong), (spoken, ALICES, None));
        let tested = call("byo-key/test", &[("provider", name)]).data();
        assert_eq!((&tested["works"], &tested["key"]), (&json!(true), &json!(MASKED)), "{tested}");
        assert!(tested["model"].is_string() && tested["tested_at"].is_i64(), "{tested}");
        assert_eq!(call("byo-key/set-preferred", &[("provider", name)]).data()["preferred"], true);
    }
    let list = call("byo-keys", &[]).data();
    assert_eq!((&list["count"], list["providers"].as_array().unwrap().len()), (&json!(6), 6), "{list}");
    for key in list["keys"].as_array().unwrap() {
        assert_eq!(key["key"], MASKED, "{key}");
        assert_eq!(key["preferred"], key["provider"] == Spoken::ALL[5].name(), "{key}");
        assert!(key["test_result"].as_str().unwrap().contains("the key works"), "{key}");
        assert!(key["tested_at"].is_i64() && key["saved_at"].is_i64(), "{key}");
    }
    for (n, spoken) in Spoken::ALL.into_iter().enumerate() {
        assert_eq!(call("byo-key/remove", &[("provider", spoken.name())]).data()["removed"], true);
        assert_eq!(call("byo-keys", &[]).data()["count"], 5 - n);
        assert_eq!(call("byo-key/remove", &[("provider", spoken.name())]).status, 404);
    }
    assert_eq!(call("byo-key/test", &[("provider", "openai")]).status, 404);
    assert_eq!(call("byo-key/set-preferred", &[("provider", "openai")]).status, 404);
    nothing_is_told(&fixture);
}

#[cfg(feature = "agents")]
#[test]
fn a_key_that_is_refused_is_not_saved_and_one_that_cannot_be_tested_is() {
    let plan = Plan { request: Duration::from_secs(3), ..Plan::default() };
    let fixture = Fixture::with(&[("Alice", Tier::ApiMax)], &plan);
    for spoken in Spoken::ALL {
        let save = || {
            let arguments = json!({"provider": spoken.name(), "key": ALICES, "test_and_save": true});
            fixture.tool_data(0, "save_byo_key", &arguments)
        };
        let count = || fixture.tool_data(0, "list_byo_keys", &json!({}))["count"].clone();
        fixture.model.be(Mood::KeyRefused);
        let refused = save();
        assert_eq!((&refused["saved"], &refused["works"]), (&json!(false), &json!(false)), "{refused}");
        assert_eq!(count(), 0);
        for mood in [Mood::Busy, Mood::Silent] {
            fixture.model.be(mood);
            let unsure = save();
            assert_eq!(
                (&unsure["saved"], &unsure["works"]),
                (&json!(true), &json!(null)),
                "{mood:?} {unsure}"
            );
            assert!(!unsure["test_result"].as_str().unwrap().is_empty(), "{unsure}");
            assert_eq!(count(), 1);
        }
        // A saved key that becomes invalid stays saved, and its test says so.
        fixture.model.be(Mood::KeyRefused);
        let tested = fixture.tool_data(0, "test_byo_key", &json!({"provider": spoken.name()}));
        assert_eq!((&tested["works"], &tested["model"]), (&json!(false), &json!(null)), "{tested}");
        fixture.model.be(Mood::Good);
        let preferred = fixture.tool_data(0, "set_preferred_byo_key", &json!({"provider": spoken.name()}));
        assert_eq!(preferred, json!({"provider": spoken.name(), "preferred": true}));
        let removed = fixture.tool_data(0, "remove_byo_key", &json!({"provider": spoken.name()}));
        assert_eq!(removed, json!({"provider": spoken.name(), "removed": true, "preferred": null}));
    }
    nothing_is_told(&fixture);
}

#[test]
fn what_is_no_key_and_no_provider_is_refused_in_words() {
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    let save = |provider: &str, key: &str| {
        fixture
            .refusal(0, &format!("account/byo-key/save?{}", query(&[("provider", provider), ("key", key)])))
    };
    let (status, said) = save("openia", ALICES);
    assert_eq!(status, 400, "{said}");
    for spoken in Spoken::ALL {
        assert!(said.contains(spoken.name()), "{said}");
    }
    let spaced = format!("{} {}", &ALICES[..12], &ALICES[12..]);
    for key in [spaced.as_str(), "short", "grüße-aus-dem-norden", &"x".repeat(513)] {
        let (status, said) = save("openai", key);
        assert!(status == 400 && !said.contains(key), "{status} {said}");
    }
    let (status, said) =
        fixture.tool_refusal(0, "save_byo_key", &json!({"provider": "openai", "key": spaced}));
    assert!(status == 400 && said.contains("no spaces"), "{status} {said}");
    // The key in wrong places: as another parameter, under a wrong name, in a path.
    for path in [
        format!("account/byo-key/save?{}", query(&[("provider", "openai"), ("kye", ALICES)])),
        format!("account/byo-key/save?{}", query(&[("provider", ALICES), ("key", ALICES)])),
        format!("account/byo-key/save?{}", query(&[("provider", "openai"), ("key", ALICES), ("key", BOBS)])),
        format!("account/byo-key/test?{}", query(&[("provider", ALICES)])),
    ] {
        let (status, _) = fixture.refusal(0, &path);
        assert!(status == 400 || status == 404, "{path}: {status}");
    }
    fixture.tool_refusal(0, "save_byo_key", &json!({"provider": "openai", "kye": ALICES}));
    fixture.tool_refusal(0, "save_byo_key", &json!({"provider": ALICES, "key": BOBS}));
    assert_eq!(fixture.data(0, "account/byo-keys")["count"], 0);
    nothing_is_told(&fixture);
}

#[test]
fn an_owner_sees_the_same_by_each_key_and_nothing_of_another() {
    let fixture =
        Fixture::for_callers(&[("Alice", Tier::ApiMax), ("Alice", Tier::ApiPro), ("Bob", Tier::ApiMax)]);
    fixture.save_key(0, Spoken::OpenAi, ALICES);
    fixture.save_key(2, Spoken::Gemini, BOBS);
    let keys = |caller| fixture.data(caller, "account/byo-keys")["keys"].clone();
    assert_eq!(keys(0), keys(1));
    assert_eq!((keys(0).as_array().unwrap().len(), &keys(0)[0]["provider"]), (1, &json!("openai")));
    assert_eq!((keys(2).as_array().unwrap().len(), &keys(2)[0]["provider"]), (1, &json!("gemini")));
    for path in ["remove", "test", "set-preferred"] {
        let (status, said) = fixture.refusal(2, &format!("account/byo-key/{path}?provider=openai"));
        assert_eq!(status, 404, "{path}: {said}");
    }
    // A provider is called with the caller's key.
    for (caller, provider, key) in [(2, "gemini", BOBS), (1, "openai", ALICES)] {
        let tested = fixture.data(caller, &format!("account/byo-key/test?provider={provider}"));
        if cfg!(feature = "agents") {
            assert_eq!(fixture.server.requests().pop().unwrap().key, key);
        } else {
            assert!(tested["test_result"].as_str().unwrap().contains("the feature `agents`"), "{tested}");
        }
    }
    assert_eq!(fixture.data(1, "account/byo-key/remove?provider=openai")["removed"], true);
    assert_eq!((keys(0), keys(2).as_array().unwrap().len()), (json!([]), 1));
    nothing_is_told(&fixture);
}

/// A secret never goes through a chat: a client that can open the page is requested to, once, and all others get its address.
#[test]
fn a_key_that_is_missing_is_saved_on_a_page_and_not_in_the_chat() {
    const PAGE: &str = "https://m.example/india/models";
    let fixture = Fixture::for_callers(&[("Alice", Tier::ApiMax)]);
    let arguments = json!({"symbol": "BAXIPAPOWR"});
    let refused = fixture.tool(0, "start_committee", &arguments);
    assert_eq!(refused["isError"], true, "{refused}");
    let said = refused["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("/india/models") && !said.contains("save_byo_key"), "{said}");
    assert_eq!(refused["content"][1]["text"], format!("Page: {PAGE}"));
    let asked = fixture.tool_of_opener(0, "start_committee", json!({"arguments": arguments}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let request = &asked["inputRequests"]["page"];
    assert_eq!(request["method"], "elicitation/create", "{asked}");
    assert_eq!(
        (&request["params"]["mode"], &request["params"]["url"]),
        (&json!("url"), &json!(PAGE)),
        "{asked}"
    );
    let again = json!({"arguments": arguments, "inputResponses": {"page": {"action": "accept"}}});
    let refused = fixture.tool_of_opener(0, "start_committee", again);
    assert_eq!(refused["isError"], true, "{refused}");
}
