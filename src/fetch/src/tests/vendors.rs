//! Vendor keys are sent with requests and appear nowhere else. Also tests bucket listings.

use std::io::Write as _;

use chrono::TimeDelta;

use super::bench::{Bench, CallRecorder, DAY, TestKeys, between, on_day, outcomes};
use super::host::{HostReaction, ReceivedRequest, file, reply, reply_with};
use crate::{FetchOutcome, FetchRequest, RequestReason};

const SECRET: &str = "s3cr3t-t0ken";

fn keyed() -> String {
    DAY.replace("day_{DDMMYYYY}.csv\"\nkind", "day_{DDMMYYYY}.csv?api_token={key}\"\nkind")
        .replace("[expect]", "[key]\nenv = \"VENDOR_KEY\"\n[expect]")
}

#[tokio::test]
async fn a_key_in_the_address_is_seen_by_the_host_alone() {
    // Every kind of reply: good, refused, redirected, truncated, silent.
    let acts = [
        reply(200, super::bench::day_file("2026-07-08")),
        reply(403, format!("bad token {SECRET}")),
        reply_with(302, &[("Location", &format!("http://127.0.0.2:1/{SECRET}"))], ""),
        HostReaction::Cut(200, vec![("ETag".into(), "\"a\"".into())], vec![b'x'; 100], 50),
        reply(200, format!("<html>captcha for {SECRET}")),
    ];
    for act in acts {
        let mut bench = Bench::for_source(("india/day.toml", &keyed()), move |_| act.clone()).await;
        assert_eq!(
            bench.fetcher().plan(&on_day("2026-07-08")).unwrap().items.len(),
            0,
            "without a key it is not asked"
        );
        bench.settings.keys = std::sync::Arc::new(TestKeys(&[("VENDOR_KEY", SECRET)]));
        let plan = bench.fetcher().plan(&on_day("2026-07-08")).unwrap();
        let report = bench.fetcher().run(&on_day("2026-07-08"), &CallRecorder::default()).await.unwrap();
        assert!(bench.host.log()[0].path.ends_with(&format!("api_token={SECRET}")));
        for text in
            [format!("{plan:?}"), format!("{report:?}"), format!("{:?}", bench.fetcher()), bench.state_text()]
        {
            assert!(!text.contains(SECRET), "{text}");
        }
        assert!(report.finished[0].line.url.contains("{key}"), "{report:?}");
    }
    // A port on which nothing listens.
    let mut bench = Bench::for_source(("india/day.toml", &keyed()), |_| HostReaction::Silence).await;
    bench.settings.keys = std::sync::Arc::new(TestKeys(&[("VENDOR_KEY", SECRET)]));
    bench.settings.bases.insert("files.test".into(), "http://127.0.0.1:9/".parse().unwrap());
    let line = bench.run_day("2026-07-08").await;
    assert!(
        line.outcome == FetchOutcome::Failed
            && line.why.contains("no connection")
            && !line.why.contains(SECRET),
        "{line:?}"
    );
}

const WINDOW: &str = r#"
what = "bars of a symbol"
url = "https://files.test/{each}/prices?startDate={FROM}&endDate={TO}"
kind = "window"
per = "symbol"
since = 2020-01-01
ready = "+1 day 06:00 America/New_York"
every = "20 hours"
into = "us/tiingo/{FROM}_{TO}/{each}.json"
seen = 2026-07-01
[key]
env = "VENDOR_KEY"
header = "Authorization"
before = "Token "
[expect]
magic = "json"
words = ["date", "close"]
"#;

#[tokio::test]
async fn windows_go_on_where_the_last_one_ended() {
    let mut bench = Bench::for_source(("us/tiingo.toml", WINDOW), |seen| {
        reply(200, format!(r#"[{{"date":"2026-07-07","close":{}}}]"#, seen.path.len()))
    })
    .await;
    bench.settings.keys = std::sync::Arc::new(TestKeys(&[("VENDOR_KEY", SECRET)]));
    let request = FetchRequest { companies: vec!["aapl".into(), "BRK-B".into()], ..FetchRequest::default() };
    bench.run(&FetchRequest { since: Some("2026-01-01".parse().unwrap()), ..request.clone() }).await;
    bench.clock.advance(TimeDelta::days(1));
    bench.run(&request).await;
    assert_eq!(
        bench.names(),
        [
            "us/tiingo/2026-01-01_2026-07-07/AAPL.json",
            "us/tiingo/2026-01-01_2026-07-07/BRK-B.json",
            "us/tiingo/2026-07-08_2026-07-08/AAPL.json",
            "us/tiingo/2026-07-08_2026-07-08/BRK-B.json"
        ]
    );
    assert!(bench.host.log().iter().all(|seen| seen.header("authorization") == Some("Token s3cr3t-t0ken")));
    assert!(!bench.state_text().contains(SECRET));
}

const BUCKET: &str = r#"
what = "day bars"
url = "https://files.test/flat/day/{YYYY}/{MM}/{YYYY}-{MM}-{DD}.csv.gz"
kind = "listed"
since = 2020-01-01
ready = "+1 day 11:00 America/New_York"
every = "3 hours"
corrected = "10 days"
into = "us/bars/{YYYY}/{YYYY}-{MM}-{DD}.csv.gz"
seen = 2026-07-01
[key]
env = "KEY_ID"
secret_env = "KEY_SECRET"
[expect]
magic = "gzip"
header = ["ticker", "window_start"]
date = "window_start"
rows = 1
"#;

fn bars(day: &str, mark: &str) -> Vec<u8> {
    let midnight = format!("{day}T04:00:00Z").parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    let mut text = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    write!(text, "ticker,window_start\n{mark},{}\n", midnight.timestamp_nanos_opt().unwrap()).unwrap();
    text.finish().unwrap()
}

fn bucket(seen: &ReceivedRequest) -> HostReaction {
    let version = if seen.at < "2026-07-12T00:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap() {
        "a"
    } else {
        "b"
    };
    if seen.path.starts_with("/flat?list-type=2&prefix=day%2F2026%2F07%2F") {
        let entry = |day: &str, etag: &str| {
            format!(
                "<Contents><Key>day/2026/07/{day}.csv.gz</Key><ETag>&quot;{etag}&quot;</ETag><Size>60</Size></Contents>"
            )
        };
        let days = entry("2026-07-06", "a") + &entry("2026-07-07", version);
        return reply(200, format!("<?xml version=\"1.0\"?><ListBucketResult>{days}</ListBucketResult>"));
    }
    let name = seen.path.rsplit('/').next().unwrap();
    let day = name.get(..10).unwrap();
    let version = if day == "2026-07-07" { version } else { "a" };
    file(seen, &bars(day, version), &format!("\"{version}\""))
}

#[tokio::test]
async fn the_list_of_a_bucket_says_what_there_is_and_what_changed() {
    let mut bench = Bench::for_source(("us/bars.toml", BUCKET), bucket).await;
    bench.settings.keys = std::sync::Arc::new(TestKeys(&[("KEY_ID", "AKID"), ("KEY_SECRET", SECRET)]));
    bench.clock.set("2026-07-08T18:00:00Z");
    let plan = bench.fetcher().plan(&between("2026-07-01", "2026-07-08")).unwrap();
    assert!(plan.items.len() == 1 && plan.items[0].why == RequestReason::Page, "{plan:?}");
    let report = bench.run(&between("2026-07-01", "2026-07-08")).await;
    let ended = outcomes(&report);
    assert_eq!(
        ended,
        [
            ("list 2026-07".to_owned(), FetchOutcome::Ok),
            ("2026-07-07".to_owned(), FetchOutcome::Ok),
            ("2026-07-06".to_owned(), FetchOutcome::Ok)
        ],
        "{report:?}"
    );
    assert!(bench.host.log().iter().all(|seen| {
        seen.header("authorization")
            .is_some_and(|value| value.starts_with("AWS4-HMAC-SHA256 Credential=AKID/"))
    }));
    assert_eq!(bench.run(&between("2026-07-01", "2026-07-08")).await.finished.len(), 0);
    let list = bench.fetcher().list(&FetchRequest::default()).unwrap();
    assert!(list[0].missing.is_empty() && list[0].newest == Some("2026-07-07".parse().unwrap()), "{list:?}");
    // A replaced file is fetched again and saved in addition to the first.
    bench.clock.set("2026-07-12T18:00:00Z");
    let report = bench.run(&between("2026-07-01", "2026-07-08")).await;
    assert_eq!(outcomes(&report)[1..], [("2026-07-07".to_owned(), FetchOutcome::Ok)]);
    assert_eq!(bench.names().len(), 3);
    assert!(!bench.state_text().contains(SECRET) && !bench.state_text().contains("AKID"));
}
