//! The real binary with the finest log: no provider key is in its files or replies, whatever is done with one.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::json;

use super::fixture::{wait_status, wait_until};
use super::program::{Program, RunsFolder};
use super::script::{Model, Mood};
use crate::demo_market::RUNTIME;
use crate::protocol_server::{ProtocolServer, Spoken};
use crate::server::query;

/// A key that looks like no provider's, so that only its exact value can remove it from a text. Its characters need no escaping
/// in URLs.
const KEY: &str = "Mv4.Gt9-Ub2_Wn6-Ey3.Jd8_Lr5";
/// A key in the form of a provider's.
const FORMED: &str = "sk-proj-Aq8Ws7Ed6Rf5Tg4Yh3Uj2Ik1Ol0Pz9Xc8Vb7";

/// All parts of 9 characters of the keys. The ends that a masked key shows are shorter.
static PARTS: LazyLock<HashSet<&[u8]>> =
    LazyLock::new(|| [KEY, &FORMED[8..]].iter().flat_map(|key| key.as_bytes().windows(9)).collect());

/// Returns true if a text contains such a part. The table of first bytes skips most of a log.
fn tells(text: &[u8]) -> bool {
    static FIRST: LazyLock<[bool; 1 << 16]> = LazyLock::new(|| {
        let mut known = [false; 1 << 16];
        PARTS.iter().for_each(|part| known[usize::from(u16::from_le_bytes([part[0], part[1]]))] = true);
        known
    });
    let first = &*FIRST;
    text.windows(9).any(|window| {
        first[usize::from(u16::from_le_bytes([window[0], window[1]]))] && PARTS.contains(window)
    })
}

/// Polls slowly, because a key has a thousand calls an hour.
fn slowly(server: &Program, path: &str) -> crate::server::Reply {
    std::thread::sleep(std::time::Duration::from_millis(100));
    server.get(path)
}

#[test]
fn no_provider_key_is_written_or_said_by_the_program() {
    let model = Model::default();
    let script = model.clone();
    let provider = RUNTIME.block_on(ProtocolServer::start(move |asked| script.reply(asked)));
    let place = RunsFolder::with(&provider);
    let server = place.serve("server");
    let told = std::cell::RefCell::new(Vec::new());
    let keep = |reply: crate::server::Reply| {
        told.borrow_mut().push(format!("{:?} {}", reply.headers, String::from_utf8_lossy(&reply.body)));
        reply
    };
    let save = |pairs: &[(&str, &str)]| keep(server.get(&format!("account/byo-key/save?{}", query(pairs))));
    for mood in [Mood::KeyRefused, Mood::Busy, Mood::Good] {
        model.be(mood);
        for spoken in Spoken::ALL {
            for key in [FORMED, KEY] {
                let saved =
                    save(&[("provider", spoken.name()), ("key", key), ("test_and_save", "true")]).data();
                assert_eq!(saved["saved"], mood != Mood::KeyRefused, "{saved}");
                let arguments = json!({"provider": spoken.name(), "key": key, "test_and_save": true});
                keep(server.tool("save_byo_key", &arguments));
            }
        }
    }
    // A key in wrong places.
    for key in [KEY, FORMED] {
        for pairs in [
            [("provider", "openai"), ("kye", key)],
            [("provider", "openai"), ("KEY", key)],
            [("provider", "openai"), ("api_key", key)],
            [("provider", "openai"), ("secret_key", key)],
            [("provider", key), ("key", "12345678")],
        ] {
            let reply = save(&pairs);
            assert!((400..500).contains(&reply.status), "{pairs:?}: {}", reply.status);
        }
        let spaced = format!("{} {}", &key[..12], &key[12..]);
        assert_eq!(save(&[("provider", "openai"), ("key", &spaced)]).status, 400);
        keep(server.tool("save_byo_key", &json!({"provider": "openai", "kye": key})));
        keep(server.tool("save_byo_key", &json!({"provider": key, "key": key})));
        keep(server.tool("save_byo_key", &json!({"provider": "openai", "key": [key]})));
        let run = json!({"preset": "risk_committee", "goal": "Which?", "provider": key});
        keep(server.tool("start_preset", &run));
        keep(server.tool("estimate_preset_run", &json!({"preset": "risk_committee", "provider": key})));
        keep(server.tool("start_committee", &json!({"symbol": "BAQEBO", "market": "us", "provider": key})));
    }
    // In these places a key is recognized only by its form.
    for path in [
        format!("account/byo-key/save/{FORMED}"),
        format!("account/byo-key/{FORMED}?provider=openai"),
        format!("account/byo-key/save?provider=openai&key=12345678&test_and_save={FORMED}"),
        format!("companies?query={FORMED}"),
    ] {
        keep(server.get(&path));
    }
    // Keys in use: a run of each kind, one that fails because of the key, and a model that echoes the key.
    let start = |pairs: &[(&str, &str)]| {
        keep(server.get(&format!("presets/start?{}", query(pairs)))).data()["vibe_run_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let pairs = [("preset", "risk_committee"), ("goal", "Is FAQINETRAC safe?"), ("provider", "anthropic")];
    let run = start(&pairs);
    wait_status("completed", || keep(slowly(&server, &format!("presets/poll?vibe_run_id={run}"))).data());
    let started = keep(server.get("committee/start?symbol=BAQEBO&market=us")).data();
    let job = started["job_id"].as_i64().unwrap();
    wait_status("completed", || keep(slowly(&server, &format!("committee/poll?job_id={job}"))).data());
    keep(server.get(&format!("committee/report?job_id={job}")));
    model.be(Mood::KeyRefused);
    let run = start(&pairs);
    let failed = wait_until(
        "the failure",
        || keep(slowly(&server, &format!("presets/poll?vibe_run_id={run}"))).data(),
        |run| run["status"] != "running",
    );
    assert_eq!(failed["status"], "failed", "{failed}");
    keep(server.get("account/byo-keys"));
    // The providers did receive the keys.
    assert!(
        provider.requests().iter().any(|asked| asked.key == KEY)
            && provider.requests().iter().any(|asked| asked.key == FORMED)
    );
    // Killed, so that the database's log stays next to it unchanged.
    server.kill();
    nothing_is_written(&place, &told.into_inner());
}

/// Looks for the keys in replies, and in every file of the program.
fn nothing_is_written(place: &RunsFolder, told: &[String]) {
    let mut faults: Vec<String> =
        told.iter().filter(|told| tells(told.as_bytes())).map(|told| format!("replied: {told}")).collect();
    let files = place.written();
    let size = |end: &str| {
        files.iter().filter(|(name, _)| name.ends_with(end)).map(|(_, bytes)| bytes.len()).sum::<usize>()
    };
    println!(
        "{} replies; log {} B, state {} B, its log {} B",
        told.len(),
        size("server.log"),
        size(".db"),
        size(".db-wal")
    );
    assert!(
        size("server.log") > 100_000 && size(".db") > 0 && size(".db-wal") > 0,
        "{:?}",
        files.iter().map(|f| &f.0).collect::<Vec<_>>()
    );
    let log = files.iter().find(|(name, _)| name.ends_with("server.log")).unwrap();
    // The log must contain the calls and the finest lines; otherwise the test has checked nothing.
    let said = String::from_utf8_lossy(&log.1);
    assert!(["account/byo-key/save", "committee/start", "TRACE"].iter().all(|word| said.contains(word)));
    for (name, bytes) in &files {
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| tells(line));
        faults.extend(lines.map(|line| format!("{name}: {}", String::from_utf8_lossy(line))));
    }
    let (shown, all) = (&faults[..faults.len().min(12)], faults.len());
    assert!(faults.is_empty(), "{all} places: {shown:#?}");
}
