//! Requests to hosts are spaced, use one agent name, need consent, and stop after refusals.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::bench::{Bench, CallRecorder, DAY, HOSTS, between, day_file, day_in_path, on_day};
use super::host::{Host, HostReaction, ReceivedRequest, reply, reply_with};
use crate::{FetchError, FetchOutcome, FetchRequest, Fetcher, Folders, Need, SourceCatalogue};

fn good(seen: &ReceivedRequest) -> HostReaction {
    reply(200, day_file(&day_in_path(&seen.path).unwrap()))
}

/// The shortest time between two requests.
fn shortest_interval(log: &[ReceivedRequest]) -> TimeDelta {
    log.windows(2).map(|pair| pair[1].at - pair[0].at).min().unwrap()
}

#[tokio::test]
async fn requests_never_come_faster_than_the_spacing() {
    // Every third body is truncated, so that there are retries.
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| match seen.before {
        0 if day_in_path(&seen.path).is_some_and(|day| day.ends_with('3')) => {
            HostReaction::Cut(200, Vec::new(), day_file("2026-01-05").into_bytes(), 20)
        }
        _ => good(seen),
    })
    .await;
    let report = bench.run(&between("2026-05-01", "2026-07-08")).await;
    assert!(report.finished.len() > 40 && report.count(FetchOutcome::Ok) == report.finished.len());
    let log = bench.host.log();
    assert!(log.len() > report.finished.len());
    assert!(shortest_interval(&log) >= TimeDelta::seconds(2), "{}", shortest_interval(&log));
    let gaps: std::collections::BTreeSet<i64> =
        log.windows(2).map(|pair| (pair[1].at - pair[0].at).num_milliseconds()).collect();
    assert!(gaps.len() > 20, "they have no beat");
}

#[tokio::test]
async fn two_processes_share_one_spacing() {
    let bench = Bench::for_source(("india/day.toml", DAY), good).await;
    let shared = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let fetcher = |raw: &std::path::Path| {
        let folders = Folders::new(raw).with_shared(shared.path());
        Fetcher::new(bench.catalogue.clone(), folders, bench.settings.clone(), bench.clock.clone()).unwrap()
    };
    let (one, two) = (fetcher(bench.raw()), fetcher(other.path()));
    let request = between("2026-06-01", "2026-07-08");
    let (silent, progress) = (CallRecorder::default(), CallRecorder::default());
    let (a, b) = tokio::join!(one.run(&request, &silent), two.run(&request, &progress));
    assert_eq!((a.unwrap().exit_code(), b.unwrap().exit_code()), (0, 0));
    assert!(bench.host.log().len() > 50 && shortest_interval(&bench.host.log()) >= TimeDelta::seconds(2));
}

#[tokio::test]
async fn one_fetcher_at_a_time_works_in_a_folder() {
    let bench = Bench::for_source(("india/day.toml", DAY), good).await;
    let (one, two) = (bench.fetcher(), bench.fetcher());
    let request = between("2026-06-01", "2026-07-08");
    let (silent, progress) = (CallRecorder::default(), CallRecorder::default());
    let (a, b) = tokio::join!(one.run(&request, &silent), two.run(&request, &progress));
    assert!(a.is_ok() && matches!(b, Err(FetchError::Busy(_))));
}

/// The time between two requests to a host that refuses once in this way.
async fn wait_after(act: HostReaction) -> TimeDelta {
    let bench =
        Bench::for_source(
            ("india/day.toml", DAY),
            move |seen| if seen.before == 0 { act.clone() } else { good(seen) },
        )
        .await;
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    let log = bench.host.log();
    assert_eq!(log.len(), 2);
    log[1].at - log[0].at
}

#[tokio::test]
async fn a_host_that_asks_to_slow_down_is_given_the_time() {
    let waited_for = wait_after(reply_with(429, &[("Retry-After", "90")], "")).await;
    assert!((90..100).contains(&waited_for.num_seconds()), "{waited_for}");
    let pause = wait_after(reply(429, "")).await;
    assert!((300..310).contains(&pause.num_seconds()), "the pause of the host: {pause}");
    let date = [("Date", "Wed, 08 Jul 2026 15:00:00 GMT"), ("Retry-After", "Wed, 08 Jul 2026 15:02:00 GMT")];
    assert!((120..130).contains(&wait_after(reply_with(429, &date, "")).await.num_seconds()));
    let trouble = wait_after(reply_with(503, &[("Retry-After", "30")], "")).await;
    assert!((30..45).contains(&trouble.num_seconds()), "{trouble}");
    assert!((2..8).contains(&wait_after(reply(500, "")).await.num_seconds()));
}

#[tokio::test]
async fn three_refusals_in_a_row_close_the_host() {
    for status in [403, 429] {
        let bench =
            Bench::for_source(("india/day.toml", DAY), move |_| reply(status, "<html>Access Denied</html>"))
                .await;
        let report = bench.run(&between("2026-06-01", "2026-07-08")).await;
        assert_eq!(bench.host.log().len(), 3, "{status}");
        assert_eq!(report.closed.len(), 1);
        assert!(report.closed[0].why.contains("refused 3 times in a row") && report.closed[0].left > 20);
        assert_eq!((report.exit_code(), report.count(FetchOutcome::Ok)), (3, 0));
        let by_hand = report.finished[0].by_hand.clone().unwrap();
        assert_eq!(by_hand.page, "https://files.test/by-hand");
        assert_eq!(by_hand.folder, bench.raw().join("india/day"));
    }
}

#[tokio::test]
async fn a_refusal_among_answers_closes_nothing() {
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| match day_in_path(&seen.path) {
        Some(day) if day.ends_with(['1', '2', '6', '7']) => reply(403, ""),
        _ => good(seen),
    })
    .await;
    let report = bench.run(&between("2026-06-01", "2026-07-08")).await;
    assert!(
        report.closed.is_empty()
            && report.count(FetchOutcome::Blocked) > 5
            && report.count(FetchOutcome::Ok) > 10
    );
    assert_eq!(bench.host.log().len(), report.finished.len(), "what is forbidden is not asked again");
}

#[tokio::test]
async fn walls_with_the_status_200_count_as_refusals() {
    let bench =
        Bench::for_source(("india/day.toml", DAY), |_| reply(200, "<html>Please solve this CAPTCHA")).await;
    let report = bench.run(&between("2026-06-01", "2026-07-08")).await;
    assert_eq!((bench.host.log().len(), report.count(FetchOutcome::Blocked), report.closed.len()), (3, 3, 1));
}

#[tokio::test]
async fn a_host_that_is_down_is_not_asked_for_everything() {
    let bench = Bench::for_source(("india/day.toml", DAY), |_| reply(502, "")).await;
    let report = bench.run(&between("2026-06-01", "2026-07-08")).await;
    assert_eq!((bench.host.log().len(), report.count(FetchOutcome::Failed), report.exit_code()), (9, 3, 1));
    assert!(report.closed[0].why.contains("3 files in a row did not come"), "{:?}", report.closed);
}

#[tokio::test]
async fn a_host_that_wants_a_long_pause_has_it_over_runs() {
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| match seen.before {
        0 => reply_with(429, &[("Retry-After", "7200")], ""),
        _ => good(seen),
    })
    .await;
    let report = bench.run(&on_day("2026-07-08")).await;
    assert!(report.closed[0].why.contains("no request before 2026-07-08 17:00"), "{:?}", report.closed);
    bench.clock.advance(TimeDelta::minutes(30));
    assert_eq!(bench.run(&on_day("2026-07-08")).await.closed.len(), 1);
    assert_eq!(bench.host.log().len(), 1, "the next run keeps it too");
    bench.clock.advance(TimeDelta::minutes(100));
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
}

#[tokio::test]
async fn another_host_is_not_asked() {
    let bench = Bench::for_source(("india/day.toml", DAY), good).await;
    let other = Host::start(bench.clock.clone(), |_| reply(200, day_file("2026-07-08"))).await;
    let target = other.url.join("elsewhere?token=s3cr3t").unwrap().to_string();
    let first =
        Host::start(bench.clock.clone(), move |_| reply_with(302, &[("Location", &target)], "")).await;
    let mut bench = bench;
    bench.settings.bases.insert("files.test".to_owned(), first.url.clone());
    let line = bench.run_day("2026-07-08").await;
    assert!(
        line.outcome == FetchOutcome::Blocked && line.why.contains("redirects to another host, 127.0.0.1"),
        "{line:?}"
    );
    assert_eq!(other.log().len(), 0);
    assert!(!bench.state_text().contains("s3cr3t"));
}

#[tokio::test]
async fn the_same_host_may_lead_on_at_its_pace() {
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| match seen.path.as_str() {
        "/new/day_08072026.csv" => good(seen),
        _ => reply_with(301, &[("Location", "/new/day_08072026.csv")], ""),
    })
    .await;
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    assert!(shortest_interval(&bench.host.log()) >= TimeDelta::seconds(2));
    let bench = Bench::for_source(("india/day.toml", DAY), |_| {
        reply_with(301, &[("Location", "/day_08072026.csv")], "")
    })
    .await;
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Failed);
    assert_eq!(bench.host.log().len(), 4);
}

#[tokio::test]
async fn one_honest_name_and_no_cookie() {
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| {
        let mut act = good(seen);
        if let HostReaction::Reply(_, headers, _) = &mut act {
            headers.push(("Set-Cookie".into(), "nsit=1; Path=/".into()));
        }
        act
    })
    .await;
    bench.run(&between("2026-07-01", "2026-07-08")).await;
    for seen in bench.host.log() {
        assert_eq!(seen.header("user-agent"), Some(concat!("parquote/", env!("CARGO_PKG_VERSION"))));
        assert_eq!(seen.header("accept-encoding"), Some("identity"));
        for name in ["cookie", "referer", "sec-fetch-mode", "accept-language"] {
            assert_eq!(seen.header(name), None);
        }
    }
}

#[tokio::test]
async fn nothing_is_asked_before_terms_are_agreed_to_and_a_contact_is_set() {
    let source = DAY.replace("files.test", "strict.test");
    let mut bench = Bench::for_source(("india/day.toml", &source), good).await;
    let report = bench.run(&on_day("2026-07-08")).await;
    assert!(matches!(&report.unmet_needs[0].1, Need::Consent(group) if group.name == "strict"), "{report:?}");
    let words = report.unmet_needs[0].1.words();
    assert!(words.contains("https://strict.test/terms") && words.contains("only with a contact"), "{words}");
    let fetcher = bench.fetcher();
    let group = Arc::clone(fetcher.catalogue().groups().find(|group| group.name == "strict").unwrap());
    fetcher.consent(&group).unwrap();
    let report = bench.run(&on_day("2026-07-08")).await;
    assert!(matches!(&report.unmet_needs[0].1, Need::Contact(_)), "the consent is remembered");
    assert_eq!(bench.host.log().len(), 0);
    bench.settings.contact = Some("Asha Rao asha@firm.in".to_owned());
    assert_eq!(bench.run_day("2026-07-08").await.outcome, FetchOutcome::Ok);
    let agent = concat!("parquote/", env!("CARGO_PKG_VERSION"), " Asha Rao asha@firm.in");
    assert_eq!(bench.host.log()[0].header("user-agent"), Some(agent));
    // Terms with a new URL need a new consent.
    let moved = HOSTS.replace("https://strict.test/terms", "https://strict.test/terms-2027");
    let files = [("hosts.toml", moved.as_str()), ("india/day.toml", &source)];
    bench.catalogue =
        SourceCatalogue::from_files(&files.map(|(path, text)| (path.into(), text.into())), &[]).unwrap();
    assert!(matches!(&bench.run(&on_day("2026-07-07")).await.unmet_needs[0].1, Need::Consent(_)));
    bench.fetcher().withdraw("strict").unwrap();
    bench.settings.contact = Some("nobody".to_owned());
    let fetcher = Fetcher::new(
        bench.catalogue.clone(),
        Folders::new(bench.raw()),
        bench.settings.clone(),
        bench.clock.clone(),
    );
    assert!(matches!(fetcher, Err(FetchError::Contact(_))));
}

#[tokio::test]
async fn a_large_plan_is_asked_about_and_a_run_may_be_on_any_thread() {
    fn is_send<T: Send>(_: &T) {}
    let bench = Bench::for_source(("india/day.toml", DAY), good).await;
    let mut settings = bench.settings.clone();
    settings.confirm_above = 10;
    let fetcher =
        Fetcher::new(bench.catalogue.clone(), Folders::new(bench.raw()), settings, bench.clock.clone())
            .unwrap();
    let request = between("2026-06-01", "2026-07-08");
    let progress = CallRecorder::default();
    let run = fetcher.run(&request, &progress);
    is_send(&run);
    let error = run.await.unwrap_err();
    assert!(matches!(error, FetchError::NotAgreed { requests: 28, most: 10 }), "{error}");
    assert_eq!((progress.plan_items.into_inner(), bench.host.log().len()), (28, 0));
    let agrees = CallRecorder { agrees: true, ..CallRecorder::default() };
    assert_eq!(fetcher.run(&request, &agrees).await.unwrap().finished.len(), 28);
    assert!(agrees.waits.into_inner().unwrap().iter().all(|wait| *wait >= Duration::from_secs(1)));
    let yes = FetchRequest { yes: true, ..between("2026-04-01", "2026-05-29") };
    assert!(fetcher.run(&yes, &CallRecorder::default()).await.is_ok());
    let _: DateTime<Utc> = bench.host.log()[0].at;
}
