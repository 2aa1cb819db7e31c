//! The key is never revealed, whatever a provider does with it.

use std::io::Write;
use std::sync::{Arc, Mutex};

use parquote::agents::provider::Client;
use serde_json::{Value as Json, json};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::asking::{KEY, SETTINGS, ask, key, model_of, provider_at, tools, turn};
use crate::protocol_server::{ParsedRequest, ProtocolServer, Scripted, Spoken};

/// A buffer for log lines.
#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for LogBuffer {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Returns true if a text contains the key or 9 consecutive characters of it.
fn tells(text: &str) -> bool {
    text.as_bytes().windows(9).any(|window| KEY.as_bytes().windows(9).any(|part| part == window))
}

/// Returns all ways in which a provider can send the key back.
fn echoes() -> Vec<Scripted> {
    let words = format!("Incorrect API key provided: {KEY}. And its half: {}", &KEY[..14]);
    let escaped = KEY.bytes().fold(String::new(), |text, byte| format!("{text}\\u{byte:04x}"));
    vec![
        Scripted::BadKey(words.clone()),
        Scripted::error(400, &words),
        Scripted::error(500, &words),
        Scripted::Error { status: 429, retry_after: Some("1"), said: words.clone() },
        Scripted::ErrorInSuccess { code: json!(KEY), said: words.clone() },
        Scripted::text(&format!("your key is {KEY}, thank you")),
        Scripted::call("call_1", "get_price", json!({"symbol": KEY, "deep": [{"er": KEY}]})),
        Scripted::call(KEY, "get_price", json!({})),
        Scripted::Body("text/html", format!("<title>{KEY}</title>").into_bytes()),
        Scripted::Body("application/json", words.clone().into_bytes()),
        Scripted::Body("application/json", format!("{{\"error\": \"{escaped}\"}}").into_bytes()),
        Scripted::Body(
            "application/json",
            format!("{{\"id\": \"{KEY}\", \"model\": \"{KEY}\"}}").into_bytes(),
        ),
        // A reply valid in all three protocols, with the key in an escaped form that appears only after parsing.
        Scripted::Body("application/json", escaped_reply(&escaped).into_bytes()),
        Scripted::Redirect(format!("http://127.0.0.1:1/?key={KEY}")),
        Scripted::CutConnection,
    ]
}

fn escaped_reply(key: &str) -> String {
    let part = format!("{{\"type\": \"text\", \"text\": \"{key}\"}}");
    let chat = format!(
        "{{\"message\": {{\"role\": \"assistant\", \"content\": \"{key}\"}}, \"finish_reason\": \"stop\"}}"
    );
    let gemini =
        format!("{{\"content\": {{\"role\": \"model\", \"parts\": [{part}]}}, \"finishReason\": \"STOP\"}}");
    format!(
        "{{\"id\": \"{key}\", \"type\": \"message\", \"role\": \"assistant\", \"model\": \"{key}\", \"{key}\": 1, \
         \"stop_reason\": \"end_turn\", \"content\": [{part}], \"choices\": [{chat}], \"candidates\": [{gemini}]}}"
    )
}

#[tokio::test]
async fn the_key_is_in_no_error_no_reply_no_debug_and_no_log() {
    let log = LogBuffer::default();
    let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone());
    // Captures the log of this test's thread, including what crates write through `log`, without affecting other tests.
    let logging = subscriber.with_ansi(false).set_default();
    for spoken in Spoken::ALL {
        for scripted in echoes() {
            let reply = ask(spoken, scripted.clone()).await;
            let told = match &reply {
                Ok(reply) => format!("{reply:?} {}", serde_json::to_string(reply).unwrap()),
                Err(error) => format!("{error} {error:?}"),
            };
            assert!(!tells(&told), "{spoken:?}: {scripted:?}: {told}");
        }
        let server = ProtocolServer::start(|_: &ParsedRequest| Scripted::text(KEY)).await;
        let client = Client::new(SETTINGS).unwrap();
        let provider = provider_at(spoken, &server.url(spoken));
        let found = client.verify(&provider, &key()).await.unwrap();
        let unreachable = provider_at(spoken, "http://127.0.0.1:1");
        let error = client.verify(&unreachable, &key()).await.unwrap_err();
        for told in
            [format!("{found:?}"), format!("{client:?} {provider:?} {:?}", key()), format!("{error:?}")]
        {
            assert!(!tells(&told), "{spoken:?}: {told}");
        }
    }
    drop(logging);
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    // The log must contain lines of the lower layers; otherwise the test has checked nothing.
    assert!(log.contains("rig") && log.contains("hyper"), "{} bytes", log.len());
    let line = log.lines().find(|line| tells(line));
    assert_eq!(line, None);
}

#[tokio::test]
async fn a_reply_that_holds_the_key_is_a_reply_without_it() {
    for spoken in Spoken::ALL {
        let server = ProtocolServer::start(|asked: &ParsedRequest| match asked.tools.len() {
            0 => Scripted::text(&format!("your key is {KEY}, thank you")),
            _ => Scripted::call("call_1", "get_price", json!({"symbol": KEY})),
        })
        .await;
        let model = model_of(&server, spoken, None);
        assert_eq!(model.reply(&turn("a")).await.unwrap().text, "your key is [key], thank you", "{spoken:?}");
        let turn = parquote::agents::provider::ModelRequest { tools: tools(), ..turn("a") };
        let called = model.reply(&turn).await.unwrap();
        assert_eq!(called.calls[0].arguments, json!({"symbol": "[key]"}), "{spoken:?}");
        // The server did receive the key.
        let keys: Vec<_> = server.requests().into_iter().map(|asked| (asked.spoken, asked.key)).collect();
        assert_eq!(keys, [(spoken, KEY.to_owned()), (spoken, KEY.to_owned())]);
        let bodies: Vec<Json> = server.requests().into_iter().map(|asked| asked.body).collect();
        assert!(!bodies.iter().any(|body| tells(&body.to_string())), "{spoken:?}");
    }
}
