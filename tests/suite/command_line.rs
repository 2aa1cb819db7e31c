//! The command line as its users see it: a child process, its output and its exit code.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};

use crate::demo_market::{LITTLE, SHIPPED};
use crate::program::{command, run};
use crate::running_server::RunningServer;
use crate::tables;

/// Checks that a command fails with this code and with these words on standard error.
pub(crate) fn fails(arguments: &[&str], code: i32, words: &[&str]) {
    let (status, _, errors) = run(arguments);
    assert_eq!(status, Some(code), "{arguments:?}: {errors}");
    for word in words {
        assert!(errors.contains(word), "{arguments:?}: {errors:?} lacks {word:?}");
    }
}

pub(crate) fn little() -> &'static str {
    LITTLE.data.to_str().unwrap()
}

#[test]
fn help_names_every_command_and_setting() {
    let (code, text, _) = run(&["--help"]);
    assert_eq!(code, Some(0));
    for word in [
        "serve", "derive", "demo", "check", "docs", "query", "state", "--data", "--listen", "--queries",
        "PARQUOTE_DATA", "PARQUOTE_LISTEN",
    ] {
        assert!(text.contains(word), "{word}");
    }
    for command in ["serve", "derive", "demo", "check", "doctor", "docs", "query", "state"] {
        let (code, text, _) = run(&[command, "--help"]);
        assert!(code == Some(0) && text.contains("Usage: parquote"), "{command}");
    }
    assert!(run(&["--version"]).1.starts_with("parquote 0."));
}

#[test]
fn what_is_misspelt_is_a_usage_error() {
    fails(&["frobnicate"], 64, &["frobnicate", "--help"]);
    fails(&["--lissten", "x"], 64, &["--listen"]);
    fails(&["derive"], 64, &["--raw", "--data"]);
    fails(
        &["derive", "--raw", "a", "--data", "b", "--as-of", "tomorrow"],
        64,
        &["--as-of", "'tomorrow'", "a date of the calendar, such as 2026-10-30"],
    );
    fails(&["derive", "--raw", "a", "--data", "b", "--market", "mars"], 64, &["mars", "india"]);
    if cfg!(feature = "demo") {
        fails(&["demo", "--data", "b", "--size", "huge"], 64, &["huge", "small"]);
    }
    fails(&["serve", "--listen", "everywhere"], 64, &["--listen"]);
}

#[test]
fn what_a_build_lacks_is_refused_with_its_feature() {
    let lacks: [(bool, &str, &[&str]); 6] = [
        (cfg!(feature = "workers"), "workers", &["worker", "--data", "data", "--worker-key", "key"]),
        (
            cfg!(feature = "workers"),
            "workers",
            &["query", "--data", little(), "--workers", "127.0.0.1:1", "--worker-key", "key", "SELECT 1"],
        ),
        (
            cfg!(feature = "postgres-state"),
            "postgres-state",
            &["keys", "list", "--state", "postgres://ann:secret@localhost/market"],
        ),
        (cfg!(feature = "demo"), "demo", &["demo", "--data", "data", "--size", "full"]),
        (cfg!(feature = "xlsx"), "xlsx", &["query", "--data", little(), "market/momentum", "format=xlsx"]),
        (
            cfg!(feature = "png"),
            "png",
            &["query", "--data", little(), "explore/chart", "symbol=BAXIPAPOWR", "format=png"],
        ),
    ];
    for (_, feature, arguments) in lacks.into_iter().filter(|(is_there, ..)| !is_there) {
        let (code, _, errors) = run(arguments);
        let names = errors.contains(&format!("`{feature}`")) && errors.contains("cargo build --release");
        assert!(code == Some(1) && names && !errors.contains("secret"), "{arguments:?}: {errors}");
    }
}

#[test]
fn check_says_what_there_is() {
    let (code, text, errors) = run(&["check", "--data", little()]);
    assert_eq!(code, Some(0), "{errors}");
    for word in
        ["keeps its contract", "india: as of 2026-10-30", "us: as of 2026-10-30", "daily_prices", "rows"]
    {
        assert!(text.contains(word), "{text} lacks {word}");
    }
    // The little market has every table that the profile needs.
    assert!(!text.contains("company/profile cannot answer"), "{text}");
    let copy = LITTLE.copy();
    std::fs::remove_file(copy.path().join("india/breadth.parquet")).unwrap();
    let (code, text, _) = run(&["check", "--data", copy.path().to_str().unwrap()]);
    assert!(
        code == Some(0)
            && text.contains("market/breadth cannot answer: this server lacks the table india.breadth")
            && text.contains("operations can answer"),
        "{text}"
    );
}

#[test]
fn check_refuses_what_is_broken() {
    fails(&["check", "--data", "/nothing/here"], 1, &["/nothing/here", "parquote derive"]);
    let copy = LITTLE.copy();
    std::fs::write(copy.path().join("us/stocks.parquet"), "nothing").unwrap();
    fails(&["check", "--data", copy.path().to_str().unwrap()], 1, &["stocks.parquet"]);
}

#[test]
fn query_answers_operations_and_selects() {
    let (code, text, errors) = run(&["query", "--data", little(), "companies", "limit=2"]);
    assert_eq!(code, Some(0), "{errors}");
    let rows: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 2);
    let sql = "SELECT COUNT(*) AS n FROM companies";
    let (code, text, _) = run(&["query", "--data", little(), sql]);
    assert!(code == Some(0) && text.contains("| n  |"), "{text}");
    let (code, us, _) =
        run(&["query", "--data", little(), "--market", "us", "SELECT MAX(symbol) AS s FROM companies"]);
    assert!(code == Some(0) && us.contains("| s "), "{us}");
    for sql in [
        "SELECT MAX(symbol) AS s FROM us.companies",
        "WITH a AS (SELECT symbol AS s FROM us.companies) SELECT MAX(s) AS s FROM a",
    ] {
        let (code, text, errors) = run(&["query", "--data", little(), sql]);
        assert!(code == Some(0) && text == us, "{text}{errors}");
    }
}

#[test]
fn query_refuses_in_words() {
    let both = "SELECT 1 FROM companies, us.companies";
    fails(&["query", "--data", little(), both], 1, &["both markets", "query query sql="]);
    fails(&["query", "--data", little(), "nope"], 1, &["`nope` is not an operation", "company/profile"]);
    fails(&["query", "--data", little(), "companies", "limit=99"], 1, &["`limit`", "1 to 50"]);
    fails(&["query", "--data", little(), "companies", "limit"], 1, &["NAME=VALUE"]);
    fails(&["query", "--data", little(), "company/profile"], 1, &["`symbol` is required"]);
    fails(&["query", "--data", little(), "company/profile", "symbol=::"], 1, &["`::`", "companies"]);
    fails(&["query", "--data", little(), "SELECT nothing FROM companies"], 1, &["nothing"]);
    fails(&["query", "--data", little(), "SELECT * FROM nowhere"], 1, &["nowhere"]);
    fails(&["query", "--data", "/nothing/here", "companies"], 1, &["/nothing/here"]);
}

/// An ad-hoc SELECT can only read; it writes no files and changes no tables.
#[test]
fn query_only_reads() {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("x.csv");
    for sql in [
        format!("COPY (SELECT 1) TO '{}'", file.display()),
        "DROP TABLE companies".to_owned(),
        "CREATE TABLE t AS SELECT 1".to_owned(),
        format!("CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '{}'", out.path().display()),
        "SET datafusion.execution.batch_size = 1".to_owned(),
    ] {
        let (code, text, errors) = run(&["query", "--data", little(), &sql]);
        assert_ne!(code, Some(0), "{sql}: {text}{errors}");
    }
    assert!(!file.exists());
}

#[test]
fn derive_refuses_in_words() {
    let out = tempfile::tempdir().unwrap();
    let data = out.path().to_str().unwrap();
    fails(&["derive", "--raw", "/nothing/here", "--data", data], 1, &["/nothing/here", "india", "us"]);
    let raw = tempfile::tempdir().unwrap();
    std::fs::create_dir(raw.path().join("india")).unwrap();
    fails(&["derive", "--raw", raw.path().to_str().unwrap(), "--data", data], 1, &["no bar"]);
    fails(
        &["derive", "--raw", LITTLE.raw.to_str().unwrap(), "--data", "/proc/nothing"],
        1,
        &["/proc/nothing"],
    );
    let left = || std::fs::read_dir(out.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left().count(), 0, "nothing is left behind");
    let early = ["derive", "--raw", LITTLE.raw.to_str().unwrap(), "--data", data, "--as-of", "1999-01-01"];
    fails(&early, 1, &["no bar"]);
    assert_eq!(left().collect::<Vec<_>>(), [".parse_cache"], "nothing is left behind but the parse cache");
}

#[cfg(feature = "demo")]
#[test]
fn demo_makes_a_market_that_keeps_its_contract() {
    let out = tempfile::tempdir().unwrap();
    let data = out.path().join("data");
    let sized =
        ["demo", "--companies", "6", "--sessions", "30", "--market", "us", "--data", data.to_str().unwrap()];
    let (code, text, errors) = run(&sized);
    assert_eq!(code, Some(0), "{errors}");
    assert!(text.contains("published") && data.join("us/sets/1.json").exists(), "{text}");
    assert!(!data.join("india").exists());
    assert_eq!(run(&["check", "--data", data.to_str().unwrap()]).0, Some(0));
    fails(&["demo", "--companies", "0", "--data", data.to_str().unwrap()], 1, &["0 companies"]);
}

#[test]
fn a_taken_port_is_said() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    // A server checks that it may write sets into the data folder; the shared folder must not change, so it gets a copy.
    let copy = LITTLE.copy();
    let data = copy.path().to_str().unwrap();
    fails(&["serve", "--data", data, "--listen", &address], 1, &[&address, "--listen"]);
    fails(&["serve", "--data", "/nothing/here"], 1, &["/nothing/here", "parquote demo"]);
}

#[cfg(unix)]
#[test]
fn serve_starts_answers_and_stops_when_told() {
    // `serve` is the default sub-command.
    for arguments in [&["serve"][..], &[]] {
        let mut command = command(arguments);
        command.args(["--data", SHIPPED.sets.to_str().unwrap(), "--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let url = first.split_whitespace().find(|word| word.starts_with("http://")).unwrap().to_owned();
        let reply = crate::demo_market::RUNTIME.block_on(async {
            let client = reqwest::Client::builder().no_proxy().build().unwrap();
            client.get(format!("{url}/status")).send().await.unwrap().text().await.unwrap()
        });
        // It may still be loading its tables.
        let states = ["\"status\":\"ok\"", "\"status\":\"loading\""];
        assert!(states.iter().any(|state| reply.contains(state)), "{reply}");
        let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

/// The reader of the output may close it early, as `head` does.
#[cfg(unix)]
#[test]
fn a_reader_who_leaves_is_no_failure() {
    let mut child = command(&["query", "--data", little(), "SELECT * FROM breadth"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
}

#[test]
fn a_store_that_is_none_is_refused_before_the_work() {
    let raw = LITTLE.raw.to_str().unwrap();
    let (code, told, errors) = run(&["derive", "--raw", raw, "--data", "file:///tmp/nowhere"]);
    assert!(
        code == Some(1) && errors.contains("no object store") && errors.contains("plain path"),
        "{errors}"
    );
    assert_eq!(told, "", "nothing was derived");
}

#[cfg(feature = "demo")]
#[test]
fn the_demo_market_has_a_place_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut demo = command(&["demo", "--market", "us", "--companies", "12", "--sessions", "40"]);
    let output = demo.current_dir(folder.path()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("is in data/demo; `parquote serve --data data/demo` serves it"), "{told}");
    assert!(folder.path().join("data/demo/us/sets").is_dir());
}

#[test]
fn a_server_counts_what_cannot_answer_in_the_markets_that_are_there() {
    let copy = LITTLE.copy();
    std::fs::remove_dir_all(copy.path().join("us")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("keys.db");
    let mut serve = command(&["serve", "--data", copy.path().to_str().unwrap(), "--listen", "127.0.0.1:0"]);
    serve.env("PARQUOTE_STATE", state);
    let mut server = RunningServer::start(serve, folder.path().join("out"), &folder.path().join("log"));
    server.url();
    assert!(!server.said().contains("cannot answer"), "{}", server.said());
}

#[test]
fn no_rows_are_said_in_words() {
    let (code, told, _) = run(&["query", "--data", little(), "SELECT symbol FROM stocks WHERE FALSE"]);
    assert_eq!((code, told.trim()), (Some(0), "no rows"));
}

/// A refusal names the rows by their keys, the file by a path that the user can open, and the remedy.
#[test]
fn refused_values_are_named_by_their_rows() {
    let copy = LITTLE.copy();
    let stocks = copy.path().join("india/stocks.parquet");
    let mut first = String::new();
    tables::change(&stocks, |rows| {
        first = rows.column_by_name("symbol").unwrap().as_string_view().value(0).to_owned();
        tables::replaced(&rows, "price_cmp", |prices| {
            let prices = prices.as_primitive::<Float64Type>();
            Arc::new(
                prices
                    .iter()
                    .enumerate()
                    .map(|(row, price)| price.filter(|_| row > 0))
                    .collect::<Float64Array>(),
            )
        })
    });
    let pledges = copy.path().join("india/pledges.parquet");
    let mut symbol_of_it = String::new();
    tables::change(&pledges, |rows| {
        symbol_of_it = rows.column_by_name("symbol").unwrap().as_string_view().value(0).to_owned();
        // A column whose type is first cast to the declared one, in a temporary copy of the file.
        tables::replaced(&rows, "pledge_pct", |shares| {
            let shares = shares.as_primitive::<Float64Type>();
            let numbers =
                shares.iter().enumerate().map(|(row, pct)| if row == 0 { Some(150.0) } else { pct });
            cast(&(Arc::new(numbers.collect::<Float64Array>()) as ArrayRef), &DataType::Float32).unwrap()
        })
    });
    let (code, _, errors) = run(&["check", "--data", copy.path().to_str().unwrap()]);
    assert_eq!(code, Some(1));
    for words in [
        "the column `price_cmp` has 1 nulls where none are declared".to_owned(),
        format!("first: {first}"),
        "df.dropna(subset=[\"price_cmp\"])".to_owned(),
        "the column `pledge_pct` has 1 value that is not in 0..100".to_owned(),
        format!("first: {symbol_of_it} "),
        format!("file: {}", pledges.display()),
    ] {
        assert!(errors.contains(&words), "{words} is not in {errors}");
    }
    assert!(!errors.contains("External") && !errors.contains("mended"), "{errors}");
}

/// A global setting is accepted before and after the command.
#[test]
fn settings_of_every_command_may_stand_before_it() {
    let overlay = tempfile::tempdir().unwrap();
    let queries = overlay.path().to_str().unwrap();
    let behind = run(&["query", "--queries", queries, "--data", little(), "companies"]);
    assert_eq!(behind.0, Some(0), "{}", behind.2);
    assert_eq!(run(&["--queries", queries, "query", "--data", little(), "companies"]), behind);
    assert_eq!(run(&["--log", "warn", "query", "--data", little(), "companies"]), behind);
}

/// `status` is an operation like the others, although it is static.
#[test]
fn query_answers_status() {
    let (code, text, errors) = run(&["query", "--data", little(), "status"]);
    assert!(code == Some(0) && text.contains("ok"), "{text}{errors}");
}

#[test]
fn rows_of_a_select_are_drawn_into_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |spec: &str, name: &str| {
        let out = folder.path().join(name);
        let data = LITTLE.data.to_str().unwrap();
        let sql = "SELECT session, pct_above_sma20, advances, declines FROM breadth ORDER BY session";
        let done =
            command(&["query", "--data", data, sql, "--picture", spec, "--out", out.to_str().unwrap()])
                .output()
                .unwrap();
        (done, std::fs::read(&out).unwrap_or_default())
    };
    let spec =
        r#"breadth date=session above=pct_above_sma20:"20-bar mean" advances=advances declines=declines"#;
    let (_, svg) = draw(spec, "breadth.svg");
    let svg = String::from_utf8(svg).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("20-bar mean"), "{svg}");
    let (done, png) = draw(spec, "breadth.png");
    if cfg!(feature = "png") {
        assert!(png.starts_with(b"\x89PNG") && png.len() > 5_000, "{} bytes", png.len());
    } else {
        assert!(String::from_utf8_lossy(&done.stderr).contains("the feature `png`") && png.is_empty());
    }
    let (refused, _) =
        draw("breadth date=session above=pct_above_sma50 advances=advances declines=declines", "no.svg");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("`pct_above_sma50`") && said.contains("pct_above_sma20"),
        "{said}"
    );
}

#[test]
fn a_backup_of_the_state_file_is_whole_counted_and_never_written_over_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, copy) = (path("state.db"), path("copy.db"));
    fails(&["state", "--state", &file, "backup", &copy], 1, &["there is no state file", "--state"]);
    assert!(!Path::new(&file).exists());
    for owner in ["Ann", "Bob"] {
        let (code, _, words) = run(&["keys", "--state", &file, "issue", "--tier", "free", "--owner", owner]);
        assert_eq!(code, Some(0), "{words}");
    }
    // While a server is running, its last commits are in the write-ahead log next to the file.
    let held = parquote::state::Store::open(Path::new(&file)).unwrap();
    let (code, said, words) = run(&["state", "--state", &file, "backup", &copy]);
    assert_eq!(code, Some(0), "{words}");
    assert!(
        said.contains("copy.db: version") && said.contains("sound") && said.contains("2 keys\n"),
        "{said}"
    );
    drop(held);
    let before = std::fs::read(&copy).unwrap();
    fails(&["state", "--state", &file, "backup", &copy], 1, &["copy.db", "no file may exist there"]);
    fails(&["state", "--state", &file, "backup", &file], 1, &["no file may exist there"]);
    assert_eq!(std::fs::read(&copy).unwrap(), before);
    std::fs::write(path("notes.txt"), "no database, but long enough to be looked at as one by a program")
        .unwrap();
    fails(&["state", "--state", &path("notes.txt"), "backup", &path("new.db")], 1, &["is not a state file"]);
    assert!(!Path::new(&path("new.db")).exists());
    let (_, listed, _) = run(&["keys", "--state", &copy, "list"]);
    assert!(listed.contains("Ann") && listed.contains("Bob"), "{listed}");
}

/// Packages have the demo market next to the program. A client that starts the program may pass an empty value for a folder that is left open.
#[cfg(unix)]
#[test]
fn a_packaged_program_finds_its_demo_from_any_folder() {
    let package = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = package.path().join("bin/parquote");
    std::fs::create_dir_all(package.path().join("bin")).unwrap();
    std::fs::create_dir_all(package.path().join("share/parquote")).unwrap();
    std::fs::hard_link(env!("CARGO_BIN_EXE_parquote"), &program).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let asked = |data: Option<&str>| {
        let mut command = Command::new(&program);
        command.args(["query", "market/sectors"]).current_dir(elsewhere.path());
        command.env_remove("PARQUOTE_DATA").envs(data.map(|data| ("PARQUOTE_DATA", data)));
        command.output().unwrap()
    };
    assert!(!asked(None).status.success(), "there is no demo yet");
    std::os::unix::fs::symlink(&SHIPPED.data, package.path().join("share/parquote/demo")).unwrap();
    for data in [None, Some(""), Some(" ")] {
        let output = asked(data);
        let answer = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && answer.contains("avg_rs_rating"), "{data:?}: {answer}");
    }
    assert!(!asked(Some("elsewhere")).status.success());
}
