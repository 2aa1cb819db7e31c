//! Runs that write rows from documents, by the real binary: they write what the command writes, hold their budget, and go on after a kill.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use parquote::agents::provider::Usage;
use serde_json::{Value as Json, json};

use super::fixture::{wait_status, wait_until};
use super::program::{Program, new_key};
use crate::demo_market::RUNTIME;
use crate::protocol_server::{ProtocolServer, Scripted, Spoken};
use crate::raw_host::tree;
use crate::server::query;
use crate::write_texts::{alfa, claim, write};

const MARCH: &str = "Results for the quarter ended March 31, 2026\n\nRevenue was Rs 400 crore.\n";
const JUNE: &str = "Results for the quarter ended June 30, 2026\n\nRevenue was Rs 450 crore.\n";
const KEY: &str = "sk-writing-0000-1111";

/// A company with two documents, a model that writes a true and a false claim of each, and the folder of a server.
struct Written {
    folder: tempfile::TempDir,
    model: ProtocolServer,
    /// Number of replies before the model falls silent.
    left: Arc<AtomicI64>,
}

impl Written {
    fn new() -> Self {
        let folder = alfa([("2026-05-05_press_release.txt", MARCH), ("2026-08-05_press_release.txt", JUNE)]);
        let left = Arc::new(AtomicI64::new(i64::MAX));
        let replies = Arc::clone(&left);
        let model = RUNTIME.block_on(ProtocolServer::start(move |request| {
            if replies.fetch_sub(1, Ordering::SeqCst) <= 0 {
                return Scripted::Silence;
            }
            let amount = if request.last().contains("450 crore") { 450 } else { 400 };
            let claims = json!({"claims": [
                claim("headline_verdict", &format!("Revenue was Rs {amount} crore."), 2),
                claim("key_positives", "Revenue was Rs 9,999 crore.", 2),
                claim("key_positives", &format!("Revenue was Rs {amount} crore."), 2),
            ]});
            Scripted::Text(claims.to_string(), Usage { input_tokens: 1_000, output_tokens: 100 })
        }));
        let declared = format!(
            "label = \"OpenAI\"\nprotocol = \"openai\"\nbase_url = \"{}\"\nmodel = \"script-1\"\npriced_on = \"2026-10-07\"\n\
             price_source = \"https://example.com/prices\"\n[[prices]]\nmodel = \"script-1\"\ninput_usd_per_million = 1.0\n\
             output_usd_per_million = 1.0\n",
            model.url(Spoken::OpenAi)
        );
        let providers = folder.path().join("queries/providers");
        fs::create_dir_all(&providers).unwrap();
        fs::write(providers.join("openai.toml"), declared).unwrap();
        Self { folder, model, left }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn serve(&self, name: &str) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
        command.args(["serve", "--data", "data", "--raw", "raw", "--queries", "queries"]);
        Program::start(command, self.path(), name)
    }

    /// Returns the files of rows and of evidence.
    fn rows(&self) -> BTreeMap<String, Vec<u8>> {
        tree(&self.path().join("raw/india/written"))
    }
}

fn save_key(server: &Program, key: &str) {
    let path = format!("account/byo-key/save?{}", query(&[("provider", "openai"), ("key", KEY)]));
    assert_eq!(server.get_as(key, &path).data()["saved"], true);
}

/// Returns the path of a start for the summaries of the company, with further arguments.
fn start_path(more: &[(&str, &str)]) -> String {
    let pairs = [more, &[("symbols", "ALFA"), ("tables", "ai_summaries")]].concat();
    format!("write/start?{}", query(&pairs))
}

fn start(server: &Program, budget_usd: &str) -> String {
    let started = server.get(&start_path(&[("budget_usd", budget_usd)])).data();
    assert_eq!((&started["status"], &started["model"]), (&json!("running"), &json!("script-1")), "{started}");
    started["vibe_run_id"].as_str().unwrap().to_owned()
}

fn poll(server: &Program, id: &str) -> Json {
    std::thread::sleep(Duration::from_millis(200));
    server.get(&format!("presets/poll?vibe_run_id={id}")).data()
}

/// Runs to the end and returns the report.
fn report(server: &Program, budget_usd: &str) -> Json {
    let id = start(server, budget_usd);
    wait_status("completed", || poll(server, &id))["final_report"].clone()
}

/// Returns counts of a report: rows written, files left alone, claims struck, replies paid, documents that remain.
fn counts(report: &Json) -> [u64; 5] {
    ["written", "skipped", "struck", "paid_replies", "remaining"]
        .map(|name| report["counts"][name].as_u64().unwrap())
}

#[test]
fn a_run_writes_the_rows_of_the_command_within_its_budget() {
    let place = Written::new();
    let server = place.serve("first");
    let own = fs::read_to_string(place.path().join("key")).unwrap();
    let refused = |more: &[(&str, &str)]| {
        let reply = server.get(&start_path(more));
        (reply.status, reply.message())
    };
    let (status, said) = refused(&[("budget_usd", "1")]);
    assert!(status == 404 && said.contains("save"), "{status} {said}");
    let dry = server.get(&start_path(&[("provider", "openai"), ("dry_run", "true")])).data();
    let estimate = &dry["estimates"][0];
    assert_eq!((&dry["status"], &dry["vibe_run_id"]), (&json!("dry_run"), &Json::Null), "{dry}");
    assert_eq!((&estimate["documents"], &estimate["output_tokens"]), (&json!(2), &json!(5_000)), "{dry}");
    save_key(&server, &own);
    let wrong: [(&[(&str, &str)], &str); 3] = [
        (&[], "`budget_usd` is missing"),
        (&[("budget_usd", "1"), ("model", "other")], "the price of other is not known"),
        (&[("budget_usd", "10001")], "`budget_usd`"),
    ];
    for (more, expected) in wrong {
        let (status, said) = refused(more);
        assert!(status == 400 && said.contains(expected), "{more:?}: {status} {said}");
    }
    let unknown = server.get("write/start?symbols=ALFA&tables=ai_summary&budget_usd=1");
    assert!(unknown.status == 400 && unknown.message().contains("no prompt writes the table `ai_summary`"));
    assert_eq!(server.get("write/start?tables=ai_summaries&budget_usd=1").status, 400);
    assert_eq!(place.model.requests().len(), 0);
    // The budget suffices for one of the two documents.
    let budget = (estimate["cost_usd"].as_f64().unwrap() * 0.51).to_string();
    let first = report(&server, &budget);
    assert_eq!(counts(&first), [1, 0, 1, 1, 1], "{first}");
    assert!(first["counts"]["stopped"].as_str().unwrap().contains("0.0011 of 0.00"), "{first}");
    let second = report(&server, "1");
    assert_eq!(counts(&second), [1, 1, 1, 1, 0], "{second}");
    assert!(second["summary"].as_str().unwrap().contains("`parquote derive`"), "{second}");
    assert!(second["summary"].as_str().unwrap().contains("1 reply for 0.0011 US dollars"), "{second}");
    let listed = server.get("presets/list").data();
    assert_eq!((&listed["count"], &listed["runs"][0]["preset"]), (&json!(2), &json!("write")), "{listed}");
    assert_eq!(listed["runs"][0]["goal"], "ai_summaries of ALFA");
    for (n, done) in [(0_usize, 2), (1, 1)] {
        let run = poll(&server, listed["runs"][n]["vibe_run_id"].as_str().unwrap());
        assert_eq!(
            (&run["step"], &run["agents_done"], &run["agents"]),
            (&json!("done"), &json!(done), &json!(2))
        );
    }
    // The command finds everything done, and writes the same rows in another folder.
    assert_eq!(place.model.requests().len(), 2);
    let url = place.model.url(Spoken::OpenAi);
    let (code, said) = write(place.path(), "ALFA", &url, &[]);
    assert!(code == Some(0) && said.contains("0 rows written, 2 done before"), "{said}");
    let other = alfa([("2026-05-05_press_release.txt", MARCH), ("2026-08-05_press_release.txt", JUNE)]);
    let (code, said) = write(other.path(), "ALFA", &url, &[]);
    assert!(code == Some(0) && said.contains("2 rows written"), "{said}");
    assert_eq!(place.rows(), tree(&other.path().join("raw/india/written")));
    // A file that a person edited remains.
    let edited = place.path().join("raw/india/written/ai_summaries/ALFA_2026-06-30.json");
    fs::write(&edited, "[]").unwrap();
    let third = report(&server, "1");
    assert_eq!(counts(&third), [0, 2, 0, 0, 0], "{third}");
    let line = "ai_summaries ALFA press_release of 2026-08-05: left alone: you edited the file";
    assert_eq!(third["documents"], json!([line]));
    assert_eq!(fs::read_to_string(edited).unwrap(), "[]");
    // The cost of a model without a price is not known.
    let id = server.get(&start_path(&[("model", "other")])).data()["vibe_run_id"].clone();
    let run = wait_status("completed", || poll(&server, id.as_str().unwrap()));
    assert_eq!(run["final_report"]["counts"]["cost_usd"], Json::Null, "{run}");
    for name in ["first.log", "first.out"] {
        assert!(!fs::read_to_string(place.path().join(name)).unwrap().contains(KEY), "{name}");
    }
}

#[test]
fn one_run_writes_at_a_time_and_is_its_owners_alone() {
    let place = Written::new();
    let server = place.serve("first");
    let own = fs::read_to_string(place.path().join("key")).unwrap();
    let other = new_key(place.path(), "other", &["--admin"]);
    let caller = new_key(place.path(), "caller", &[]);
    save_key(&server, &caller);
    let refused = server.get_as(&caller, &start_path(&[("budget_usd", "1")]));
    assert!(refused.status == 403 && refused.message().contains("an admin key"), "{}", refused.message());
    let dry = start_path(&[("provider", "openai"), ("dry_run", "true")]);
    assert_eq!(server.get_as(&caller, &dry).data()["status"], "dry_run");
    save_key(&server, &own);
    save_key(&server, &other);
    place.left.store(0, Ordering::SeqCst);
    let id = start(&server, "1");
    wait_until("a request", || poll(&server, &id), |_| place.model.requests().len() == 1);
    let path = start_path(&[("budget_usd", "1")]);
    let second = server.get_as(&other, &path);
    assert!(second.status == 429 && second.message().contains("another run writes rows"));
    let of_run = format!("?vibe_run_id={id}");
    assert_eq!(server.get_as(&other, &format!("presets/poll{of_run}")).status, 404);
    assert_eq!(server.get_as(&other, &format!("presets/cancel{of_run}")).status, 404);
    assert_eq!(server.get_as(&other, "presets/list").data()["count"], 0);
    assert_eq!(server.get(&format!("presets/cancel{of_run}")).data()["status"], "cancelled");
    place.left.store(i64::MAX, Ordering::SeqCst);
    assert_eq!(counts(&report(&server, "1")), [2, 0, 2, 2, 0]);
}

#[test]
fn a_run_that_is_killed_goes_on_and_pays_for_nothing_twice() {
    let place = Written::new();
    let server = place.serve("first");
    save_key(&server, &fs::read_to_string(place.path().join("key")).unwrap());
    place.left.store(1, Ordering::SeqCst);
    let id = start(&server, "1");
    wait_until("the second request", || poll(&server, &id), |_| place.model.requests().len() == 2);
    server.kill();
    place.left.store(i64::MAX, Ordering::SeqCst);
    let server = place.serve("second");
    let run = wait_status("completed", || poll(&server, &id));
    assert_eq!(counts(&run["final_report"]), [2, 0, 2, 2, 0], "{run}");
    assert_eq!((&run["input_tokens"], &run["cost_usd"]), (&json!(2_000), &json!(0.0022)), "{run}");
    // Only the request that had no reply is sent again.
    let requests = place.model.requests();
    let sent = |amount: &str| requests.iter().filter(|request| request.last().contains(amount)).count();
    assert_eq!((sent("400 crore"), sent("450 crore")), (1, 2));
}
