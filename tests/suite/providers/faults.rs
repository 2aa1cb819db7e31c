//! Faults of every provider.

use std::time::{Duration, Instant};

use parquote::agents::provider::{
    BreakerSettings, Client, ClientSettings, ProviderError, ProviderKey, Reply,
};
use serde_json::json;

use super::asking::{BRIEF, SETTINGS, ask, ask_within, key, model_of, provider_at, turn};
use crate::protocol_server::{ParsedRequest, ProtocolServer, Scripted, Spoken};

/// Returns the error that each provider's client makes of a reply.
async fn errors(scripted: Scripted) -> Vec<(Spoken, ProviderError)> {
    let asked = Spoken::ALL.map(|spoken| {
        let scripted = scripted.clone();
        async move { (spoken, ask(spoken, scripted).await) }
    });
    let replies = futures::future::join_all(asked).await;
    let error = |reply: Result<Reply, ProviderError>| reply.unwrap_err();
    replies.into_iter().map(|(spoken, reply)| (spoken, error(reply))).collect()
}

#[tokio::test]
async fn a_key_that_does_not_work_is_told_from_a_request_that_does_not() {
    for (spoken, error) in errors(Scripted::BadKey("no such key".to_owned())).await {
        let ProviderError::KeyRefused { message, .. } = &error else { panic!("{spoken:?}: {error:?}") };
        assert_eq!((message.as_str(), error.is_retryable()), ("no such key", false), "{spoken:?}");
    }
    for (spoken, error) in errors(Scripted::error(403, "not for you")).await {
        assert!(matches!(error, ProviderError::KeyRefused { .. }), "{spoken:?}: {error:?}");
    }
    for (spoken, error) in errors(Scripted::error(400, "too long\nby far")).await {
        let ProviderError::Refused { status: 400, message, .. } = &error else {
            panic!("{spoken:?}: {error:?}")
        };
        assert_eq!((message.as_str(), error.is_retryable()), ("too long by far", false), "{spoken:?}");
    }
}

#[tokio::test]
async fn a_provider_without_room_says_when_to_come_back() {
    let limited = |retry_after| Scripted::Error { status: 429, retry_after, said: "slow down".to_owned() };
    for (header, after) in [(Some("7"), Some(Duration::from_secs(7))), (None, None), (Some("soon"), None)] {
        for (spoken, error) in errors(limited(header)).await {
            assert!(matches!(error, ProviderError::Limited { .. }), "{spoken:?}: {error:?}");
            assert_eq!((error.retry_after(), error.is_retryable()), (after, true), "{spoken:?}");
        }
    }
}

#[tokio::test]
async fn a_provider_that_fails_may_be_asked_again() {
    for status in [500, 502, 529] {
        let failing = Scripted::Error { status, retry_after: Some("3"), said: "overloaded".to_owned() };
        for (spoken, error) in errors(failing).await {
            let ProviderError::Failing { status: told, message, .. } = &error else {
                panic!("{spoken:?}: {error:?}")
            };
            assert_eq!((*told, message.as_str()), (status, "overloaded"), "{spoken:?}");
            assert_eq!((error.retry_after(), error.is_retryable()), (Some(Duration::from_secs(3)), true));
        }
    }
}

#[tokio::test]
async fn an_error_in_the_form_of_a_success_is_an_error() {
    let limited = Scripted::ErrorInSuccess { code: json!(429), said: "upstream is full".to_owned() };
    for (spoken, error) in errors(limited).await {
        assert!(matches!(error, ProviderError::Limited { .. }), "{spoken:?}: {error:?}");
    }
    let other = Scripted::ErrorInSuccess { code: json!("odd"), said: "something".to_owned() };
    for (spoken, error) in errors(other).await {
        assert!(matches!(error, ProviderError::Garbage { .. }), "{spoken:?}: {error:?}");
    }
}

#[tokio::test]
async fn what_is_no_reply_is_called_so() {
    for (kind, body) in [
        ("application/json", "not json at all"),
        ("application/json", ""),
        ("application/json", "[1, 2]"),
        ("application/json", "{}"),
        ("application/json", "{\"hello\": \"world\"}"),
        ("application/json", "{\"choices\": [], \"content\": [], \"candidates\": []}"),
        ("application/json", "{\"choices\": 7, \"content\": 7, \"candidates\": 7}"),
        (
            "application/json",
            "{\"choices\": [{\"message\": 3}], \"content\": [3], \"candidates\": [{\"content\": 3}]}",
        ),
        ("text/html", "<!doctype html><title>Sign in</title>"),
        ("application/json", "\u{0}\u{1}"),
    ] {
        for (spoken, error) in errors(Scripted::Body(kind, body.as_bytes().to_vec())).await {
            let garbage = matches!(error, ProviderError::Garbage { .. });
            assert!(garbage && !error.is_retryable(), "{spoken:?}: {body}: {error:?}");
        }
    }
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for bytes in [vec![0xff, 0xfe, 0x80], nested.into_bytes()] {
        for (spoken, error) in errors(Scripted::Body("application/json", bytes)).await {
            assert!(matches!(error, ProviderError::Garbage { .. }), "{spoken:?}: {error:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_held_back_is_a_refusal() {
    for (spoken, error) in errors(Scripted::Filtered).await {
        assert!(matches!(error, ProviderError::Refused { status: 200, .. }), "{spoken:?}: {error:?}");
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn silence_ends_with_the_limit_of_the_request_and_a_standstill_with_that_of_the_bytes() {
    for (scripted, limit) in [(Scripted::Silence, BRIEF.request), (Scripted::Stall, BRIEF.idle)] {
        let begun = Instant::now();
        for (spoken, error) in errors(scripted).await {
            let ProviderError::Silent { after, .. } = error else { panic!("{spoken:?}: {error:?}") };
            assert_eq!(after, limit, "{spoken:?}");
        }
        // Two waits, and some time for a busy machine.
        let took = begun.elapsed();
        assert!(took >= limit && took < limit * 2 + Duration::from_secs(30), "{took:?}");
    }
}

#[tokio::test]
async fn a_drip_that_never_stops_moving_ends_with_the_limit_of_the_request() {
    let drip = Scripted::Drip(BRIEF.request / 50, "x".repeat(1_000));
    // A busy machine delays a byte, but hardly for so long.
    let limits = ClientSettings { idle: BRIEF.request * 9 / 10, ..BRIEF };
    let error = ask_within(limits, Spoken::Gemini, drip).await.unwrap_err();
    assert!(matches!(error, ProviderError::Silent { after, .. } if after == BRIEF.request), "{error:?}");
}

#[tokio::test]
async fn a_connection_that_ends_within_a_reply_cuts_it() {
    for (spoken, error) in errors(Scripted::CutConnection).await {
        assert!(matches!(error, ProviderError::Cut(_)), "{spoken:?}: {error:?}");
        assert!(error.is_retryable());
    }
}

#[tokio::test]
async fn a_reply_is_read_up_to_its_limit_and_never_unpacked() {
    for (spoken, error) in errors(Scripted::Endless).await {
        let ProviderError::Garbage { message, .. } = &error else { panic!("{spoken:?}: {error:?}") };
        assert!(message.contains("more than 1048576 bytes"), "{spoken:?}: {message}");
    }
    for (spoken, error) in errors(Scripted::GzipBomb).await {
        let ProviderError::Garbage { message, .. } = &error else { panic!("{spoken:?}: {error:?}") };
        assert!(message.contains("compressed"), "{spoken:?}: {message}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for spoken in Spoken::ALL {
        let other = ProtocolServer::start(|_: &ParsedRequest| Scripted::text("come in")).await;
        let error = ask(spoken, Scripted::Redirect(other.url(spoken))).await.unwrap_err();
        assert!(matches!(error, ProviderError::Garbage { .. }), "{spoken:?}: {error:?}");
        assert!(
            error.to_string().contains("not followed") && other.requests().is_empty(),
            "{spoken:?}: {error}"
        );
    }
}

#[tokio::test]
async fn a_provider_that_is_not_there_cannot_be_reached() {
    // Bound for the whole test without listening, so that connections are refused.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let free = taken.local_addr().unwrap();
    // Longer than a name may be, so that it is refused locally without a name server.
    let no_host = "n".repeat(64);
    let client = Client::new(SETTINGS).unwrap();
    for spoken in Spoken::ALL {
        for url in [format!("http://{free}/v1"), format!("http://{no_host}.invalid/v1")] {
            let model = client.model(&provider_at(spoken, &url), &key(), None);
            let error = model.reply(&turn("hello")).await.unwrap_err();
            assert!(matches!(error, ProviderError::Unreachable { .. }), "{spoken:?}: {error:?}");
            assert!(error.is_retryable() && !error.to_string().contains("/v1"), "{error}");
        }
    }
}

#[tokio::test]
async fn giving_a_request_up_ends_it() {
    let server = ProtocolServer::start(|_: &ParsedRequest| Scripted::Silence).await;
    let model = model_of(&server, Spoken::OpenAi, None);
    let turn = turn("hello");
    let arrival = async {
        while server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(SETTINGS.request, async {
        tokio::select! {
            reply = model.reply(&turn) => panic!("{reply:?}"),
            () = arrival => {}
        }
    })
    .await
    .unwrap();
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_provider_that_failed_in_a_row_is_not_asked_and_another_is() {
    let breaker =
        BreakerSettings { failures: 2, minimum_span: Duration::ZERO, pause: Duration::from_hours(1) };
    let client = Client::new(ClientSettings { breaker, ..SETTINGS }).unwrap();
    let server = ProtocolServer::start(|asked: &ParsedRequest| match (asked.spoken, asked.key.as_str()) {
        (Spoken::OpenAi, _) => Scripted::error(503, "Anu's order is too long"),
        (_, "sk-without-money-0000") => Scripted::error(402, "pay first"),
        _ => Scripted::text("here"),
    })
    .await;
    let ask = async |spoken: Spoken, key: &ProviderKey| {
        let provider = provider_at(spoken, &server.url(spoken));
        client.model(&provider, key, None).reply(&turn("hello")).await
    };
    for _ in 0..2 {
        assert!(matches!(ask(Spoken::OpenAi, &key()).await, Err(ProviderError::Failing { .. })));
    }
    let asked = server.requests().len();
    let poor: ProviderKey = "sk-without-money-0000".parse().unwrap();
    let paused = ask(Spoken::OpenAi, &poor).await.unwrap_err();
    assert_eq!(
        paused.to_string(),
        "OpenAI gets no requests now: 2 requests to it failed in a row, the last with status 503; the pause ends in 3600 s, or take \
         another provider until then"
    );
    assert!(!paused.is_retryable() && server.requests().len() == asked, "{paused}");
    // A fault of one key does not pause the others.
    for _ in 0..2 {
        assert!(matches!(ask(Spoken::Groq, &poor).await, Err(ProviderError::Refused { status: 402, .. })));
    }
    let paused = ask(Spoken::Groq, &poor).await.unwrap_err().to_string();
    assert!(
        paused.contains("2 requests with this key failed in a row, the last with status 402"),
        "{paused}"
    );
    assert_eq!(ask(Spoken::Groq, &key()).await.unwrap().text, "here");
    // A test of a key is not paused and reports the present state.
    let provider = provider_at(Spoken::OpenAi, &server.url(Spoken::OpenAi));
    let tested = client.verify(&provider, &key()).await;
    assert!(matches!(tested, Err(ProviderError::Failing { .. })), "{tested:?}");
}

#[tokio::test]
async fn after_an_outage_agents_that_ask_at_once_wait_for_the_first_and_a_passed_key_test_ends_the_pause() {
    let is_well = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let state = is_well.clone();
    let server = ProtocolServer::start(move |_: &ParsedRequest| {
        let is_well = state.load(std::sync::atomic::Ordering::Relaxed);
        if is_well { Scripted::text("here") } else { Scripted::error(503, "down") }
    })
    .await;
    let provider = provider_at(Spoken::OpenAi, &server.url(Spoken::OpenAi));
    let paused_for = async |pause: Duration| {
        is_well.store(false, std::sync::atomic::Ordering::Relaxed);
        let breaker = BreakerSettings { failures: 1, minimum_span: Duration::ZERO, pause };
        let client = Client::new(ClientSettings { breaker, ..SETTINGS }).unwrap();
        let model = client.model(&provider, &key(), None);
        assert!(matches!(model.reply(&turn("hello")).await, Err(ProviderError::Failing { .. })));
        is_well.store(true, std::sync::atomic::Ordering::Relaxed);
        (client, model)
    };
    // A pause of zero is already over: the next request is the probe.
    let (_, model) = paused_for(Duration::ZERO).await;
    let turn = turn("hello");
    let replies = futures::future::join_all((0..8).map(|_| model.reply(&turn))).await;
    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
    let (client, model) = paused_for(Duration::from_hours(1)).await;
    assert!(matches!(model.reply(&turn).await, Err(ProviderError::Paused { .. })));
    let prober = client.with_settings(ClientSettings { request: SETTINGS.request / 2, ..SETTINGS }).unwrap();
    prober.verify(&provider, &key()).await.unwrap();
    assert_eq!(model.reply(&turn).await.unwrap().text, "here");
}
