//! Pages and prompts under `--queries`, which are read again while the server runs.

use std::fs;

use serde_json::json;

use super::program::{KeysFolder, Program, wait_for};

const PAGE: &str = r#"title = "TITLE"
section = "market"
place = 60

[[part]]
id = "list"
operation = "market/sectors"
views = [{ rows = { columns = ["sector"] } }]
"#;

const PROMPT: &str = r#"title = "Mine"
description = "Mine."
place = 60
opening = "OPENING"
closing = "Be short."
arguments = [{ name = "market", description = "The market.", default = "india" }]
steps = [{ call = "get_market_sectors", purpose = "sectors" }]
"#;

fn page(server: &Program, key: &str) -> (u16, String) {
    let root = server.url().trim_end_matches("/v1");
    let reply = server.fetch(&format!("{root}/india/mine?apiKey={key}"), key);
    (reply.status, reply.body)
}

fn prompt(server: &Program, key: &str) -> String {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "mine"}});
    let accept = ("accept", "application/json, text/event-stream");
    let reply = server.post("", &[("x-api-key", key), accept], &message);
    reply.body
}

#[test]
fn pages_and_prompts_are_read_again_and_a_mistake_leaves_those_from_before() {
    let place = KeysFolder::new();
    let my = place.path().join("my");
    fs::create_dir_all(my.join("pages")).unwrap();
    fs::create_dir_all(my.join("prompts")).unwrap();
    let write = |title: &str| fs::write(my.join("pages/mine.toml"), PAGE.replace("TITLE", title)).unwrap();
    let key = place.issue();
    let server = place.serve("live", &["--queries", &my.to_string_lossy()]);
    assert_eq!(page(&server, &key).0, 404);
    assert!(prompt(&server, &key).contains("Unknown prompt"));

    // An added page and an added prompt.
    write("The first title");
    fs::write(my.join("prompts/mine.toml"), PROMPT).unwrap();
    wait_for("the first page", || page(&server, &key).1.contains("The first title"));
    wait_for("the prompt", || prompt(&server, &key).contains("OPENING"));

    // A mistake is reported in the log, and the previous files stay in use.
    write("x\"\nplce = \"");
    let log = || fs::read_to_string(place.path().join("live.log")).unwrap();
    wait_for("the mistake in the log", || log().contains("pages/mine.toml:2"));
    assert!(log().contains("`plce`"), "{}", log());
    assert!(page(&server, &key).1.contains("The first title"));

    // The mistake is corrected.
    write("The second title");
    wait_for("the second page", || page(&server, &key).1.contains("The second title"));

    // A removed file.
    fs::remove_file(my.join("pages/mine.toml")).unwrap();
    wait_for("the end of the page", || page(&server, &key).0 == 404);

    // At the start a mistake is an error.
    server.stop();
    write("x\"\nplce = \"");
    let (succeeded, _, errors) = place.run(&["check", "--queries", &my.to_string_lossy()]);
    assert!(!succeeded && errors.contains("pages/mine.toml:2"), "{errors}");
}
