//! Fetching from the command line: the demo's raw files from a local host, with the process killed at random moments,
//! become the demo's tables.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use parquote::operation::Market;
use parquote::set::Home;

use crate::demo_market::{LITTLE, derive_into};
use crate::fetch_setup::{FetchSetup, LAST};
use crate::program::command;
use crate::raw_host::tree;

fn ids(sets: &Path) -> Vec<String> {
    Market::ALL.map(|market| Home::new(sets).newest(market).unwrap().unwrap().id).to_vec()
}

#[test]
fn the_demo_that_is_fetched_is_the_demo_and_fifty_kills_change_nothing() {
    let setup = FetchSetup::new();
    let output = setup.fetch_all("whole").output().unwrap();
    let told =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let (whole, requests) = (setup.fetched("whole"), setup.host.count());
    assert_eq!(whole.len(), tree(&LITTLE.raw).len(), "{told}");
    let sets = setup.folder.path().join("sets");
    derive_into(&setup.folder.path().join("whole"), &sets, None);
    assert_eq!(ids(&sets), ids(&LITTLE.sets), "the same tables, bit for bit");

    let (mut kills, mut runs, mut draw) = (0, 0, 7_u64);
    while kills < 50 {
        setup.host.forget();
        let (name, mut killed_here) = (format!("killed-{runs}"), 0);
        loop {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut child =
                setup.fetch_all(&name).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(60 + (draw >> 33) % (150 + 20 * killed_here)));
            let ended = child.try_wait().unwrap();
            let _ = child.kill();
            child.wait().unwrap();
            match ended {
                Some(status) => {
                    assert_eq!(status.code(), Some(0));
                    break;
                }
                None => killed_here += 1,
            }
        }
        assert!(setup.fetched(&name) == whole, "other files after {killed_here} kills");
        let asked = setup.host.count();
        assert!(
            asked <= requests + killed_here as usize,
            "{asked} requests with {killed_here} kills; {requests} do"
        );
        (kills, runs) = (kills + killed_here, runs + 1);
    }
}

#[test]
fn what_it_would_cost_and_what_there_is_are_told_without_a_request() {
    let setup = FetchSetup::new();
    let (code, told, errors) = setup.says(&["fetch", "india", "--since", "2026-10-01", "--dry-run"], "raw");
    assert_eq!(code, Some(0), "{errors}");
    assert!(told.contains("requests, about") && told.contains("minutes"), "{told}");
    assert!(told.contains("--accept-terms archive") && told.contains("--accept-terms nse"), "{told}");
    let (code, told, _) = setup.says(&["fetch", "--help"], "raw");
    assert!(code == Some(0) && told.contains("Exit codes: 0 all is there"), "{told}");
    // A mistake differs from a date that is not yet available.
    let (code, _, errors) = setup.says(&["fetch", "india", "--since", "01-10-2026"], "raw");
    assert!(
        code == Some(64) && errors.contains("'01-10-2026'") && errors.contains("such as 2026-10-30"),
        "{errors}"
    );
    // Without a raw file there is nothing to refresh, which is the error; the missing consent is its reason.
    let (code, _, errors) = setup.says(&["refresh", "--data", &setup.path("nothing")], "none");
    assert!(
        code == Some(1) && errors.contains("agree to the terms of a host with --accept-terms"),
        "{errors}"
    );
    // No terminal to ask for consent.
    let (code, _, errors) = setup.says(&["fetch", "india"], "raw");
    assert!(code == Some(1) && errors.contains("no source could be queried"), "{errors}");
    let (code, told, _) = setup.says(&["fetch", "--list"], "raw");
    assert!(code == Some(0) && told.contains("full_bhavcopy") && told.contains("company_tickers"), "{told}");
    for (words, told) in [
        (["fetch", "--source", "full_bhavcop"], "did you mean `full_bhavcopy`?"),
        (["fetch", "--source", "nope"], "there is no source `nope`; `parquote fetch --list` names all"),
        (["fetch", "--since", "2999-01-01"], "--since 2999-01-01 is in the future"),
        (["fetch", "--accept-terms", "nasdaq"], "`nasdaq` is no host of a source; the hosts are"),
        (["fetch", "--contact", "nobody"], "the SEC requires a name and an email address"),
        (["fetch", "--mirror", "nse.test=http://127.0.0.1:1"], "`nse.test` is no host of a source"),
    ] {
        let (code, _, errors) = setup.says(&words, "raw");
        assert!(code == Some(1) && errors.contains(told), "{words:?}: {errors}");
    }
    assert_eq!(setup.host.count(), 0);
    // Consent is saved, listed, and withdrawn.
    let only = ["fetch", "--source", "full_bhavcopy", "--since", LAST, "--until", LAST];
    let (code, _, errors) = setup.says(&[&only[..], &["--accept-terms", "archive.test"]].concat(), "raw");
    assert_eq!((code, setup.host.count()), (Some(0), 1), "{errors}");
    let (code, told, _) = setup.says(&["fetch", "--list", "--source", "full_bhavcopy"], "raw");
    assert!(
        code == Some(0) && told.contains("full_bhavcopy  india   2026-10-30") && told.contains("ok 20"),
        "{told}"
    );
    assert_eq!(setup.says(&["fetch", "--withdraw-terms", "archive"], "raw").0, Some(0));
    assert_eq!(setup.says(&only, "raw").0, Some(1));
    assert_eq!(setup.host.count(), 1);
}

#[test]
fn a_refusal_names_the_page_and_the_folder() {
    let setup = FetchSetup::new();
    setup.host.files.lock().unwrap().clear();
    let wall = b"<html>Access Denied</html>".to_vec();
    for day in ["28102026", "29102026", "30102026"] {
        let path = format!("/india/prices/sec_bhavdata_full_{day}.csv");
        setup.host.files.lock().unwrap().insert(path, wall.clone());
    }
    let words = ["fetch", "--source", "full_bhavcopy", "--since", "2026-10-26", "--until", LAST];
    let (code, told, errors) = setup.says(&[&words[..], &["--accept-terms", "archive"]].concat(), "raw");
    assert_eq!((code, setup.host.count()), (Some(3), 3), "{told} {errors}");
    assert!(told.contains("https://archive.test/by-hand") && told.contains("india/30/prices"), "{told}");
    assert!(told.contains("2 requests were not made"), "{told}");
}

#[test]
fn a_refresh_publishes_what_is_new_and_nothing_else() {
    let setup = FetchSetup::new();
    let earlier = "/india/prices/sec_bhavdata_full_30102026.csv";
    let last = setup.host.files.lock().unwrap().remove(earlier).unwrap();
    assert_eq!(setup.fetch_all("raw").stdout(Stdio::null()).status().unwrap().code(), Some(0));
    // The last session is added manually.
    let data = setup.path("data");
    let words = ["refresh", "india", "--data", &data];
    let (code, told, errors) = setup.says(&words, "raw");
    assert_eq!(code, Some(0), "{told}{errors}");
    let home = Home::new(Path::new(&data));
    let first = home.newest(Market::India).unwrap().unwrap();
    assert_eq!((first.number, first.as_of.unwrap().to_string().as_str()), (1, "2026-10-29"), "{told}");
    let (code, told, _) = setup.says(&words, "raw");
    assert!(code == Some(0) && told.contains("india: nothing is new"), "{told}");
    assert_eq!(home.numbers(Market::India).unwrap(), [1]);
    fs::write(setup.folder.path().join("raw/india/30/prices/sec_bhavdata_full_30102026.csv"), last).unwrap();
    let (code, told, errors) = setup.says(&words, "raw");
    assert_eq!(code, Some(0), "{told}{errors}");
    let second = home.newest(Market::India).unwrap().unwrap();
    assert_eq!(
        (second.number, second.id.as_str()),
        (2, ids(&LITTLE.sets)[0].as_str()),
        "the demo's own tables"
    );
    assert_eq!(home.newest(Market::Us).unwrap().map(|set| set.number), None, "one market was named");
    assert_eq!(home.numbers(Market::India).unwrap(), [1, 2]);
}

/// Returns the next line of a server that contains this text; panics after the last line.
fn line_with(out: &mut impl Iterator<Item = std::io::Result<String>>, words: &str) -> String {
    let mut told = String::new();
    for line in out.map_while(Result::ok) {
        if line.contains(words) {
            return line;
        }
        told.extend([line, "\n".to_owned()]);
    }
    panic!("the server does not say `{words}`: {told}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_refreshes_beside_itself_and_the_process_for_it_ends_with_it() {
    let setup = FetchSetup::new();
    assert_eq!(setup.fetch_all("raw").stdout(Stdio::null()).status().unwrap().code(), Some(0));
    let data = setup.path("data");
    fs::create_dir_all(&data).unwrap();
    let words = ["serve", "--refresh", "--log", "warn", "--data", &data, "--listen", "127.0.0.1:0"];
    let flags = setup.flags(&words, "raw");
    let mut command = command(&flags.iter().map(String::as_str).collect::<Vec<_>>());
    let state = setup.path("keys.db");
    let mut server =
        command.env("PARQUOTE_STATE", state).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut out = BufReader::new(server.stdout.take().unwrap()).lines();
    assert!(line_with(&mut out, "waits for data").contains(&data));
    // Only the child process makes tables. Either market may be served first.
    assert!(line_with(&mut out, "as of").contains("as of 2026-10-30"));
    let beside = children(server.id());
    assert!(beside.len() == 1, "{beside:?}");
    let niceness = fs::read_to_string(format!("/proc/{}/stat", beside[0])).unwrap();
    let fields: Vec<&str> = niceness.rsplit(") ").next().unwrap().split(' ').collect();
    assert_eq!(fields[16], "19", "it steps back");
    let status = fs::read_to_string(format!("/proc/{}/status", beside[0])).unwrap();
    let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    assert!(cores.parse::<u32>().is_ok(), "it keeps to one core: {cores}");
    let words = fs::read_to_string(format!("/proc/{}/cmdline", beside[0])).unwrap();
    assert!(words.contains("--log\0warn\0--log-format\0text"), "it logs as the server does: {words}");
    // The child process ends with the server, however it ends.
    server.kill().unwrap();
    server.wait().unwrap();
    // A zombie process has no command line.
    let gone = || fs::read_to_string(format!("/proc/{}/cmdline", beside[0])).unwrap_or_default().is_empty();
    crate::running_server::wait_for("the end of the child process", gone);
}

/// Returns the refreshing child processes of a process.
#[cfg(target_os = "linux")]
fn children(parent: u32) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{parent}/task")).unwrap().flatten();
    let of_threads = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let mut all: Vec<String> =
        of_threads.flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    all.sort();
    all.dedup();
    let refreshes = |pid: &String| {
        let words = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.split('\0').any(|word| word == "refresh")
    };
    all.retain(refreshes);
    all
}
