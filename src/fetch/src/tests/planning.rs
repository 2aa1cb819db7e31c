//! Plans and lists: planned requests, their order, and the state of sources.

use std::time::Duration;

use chrono::TimeDelta;

use super::bench::{Bench, DAY, EVENING, SimulatedClock, between, day, day_file, day_in_path, on_day};
use super::host::{Host, reply};
use crate::{BackfillStep, FetchError, FetchOutcome, FetchRequest, Need, RequestReason, SourceCatalogue};
use parquote_catalogue::operation::Market;

async fn bench() -> Bench {
    // Wednesday 1 July is a holiday.
    Bench::for_source(("india/day.toml", DAY), |seen| match day_in_path(&seen.path).as_deref() {
        Some("2026-07-01") => reply(404, ""),
        day => reply(200, day_file(day.unwrap())),
    })
    .await
}

#[tokio::test]
async fn a_plan_opens_no_connection_and_writes_nothing() {
    let bench = bench().await;
    let plan = bench.fetcher().plan(&between("2026-06-01", "2026-07-08")).unwrap();
    assert_eq!((plan.items.len(), plan.bytes), (28, 28_000));
    assert!(plan.time > Duration::from_secs(56) && plan.time < Duration::from_secs(80), "{:?}", plan.time);
    let days: Vec<_> = plan.items.iter().map(|item| item.date.unwrap()).collect();
    assert!(days.is_sorted_by(|a, b| a > b), "the newest first");
    assert!(
        plan.items
            .iter()
            .all(|item| item.why == RequestReason::New && item.url.starts_with(bench.host.url.as_str()))
    );
    assert_eq!(bench.host.log().len(), 0);
    assert_eq!(std::fs::read_dir(bench.raw()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_limit_is_kept_and_the_next_run_goes_on() {
    let bench = bench().await;
    let request = FetchRequest { limit: Some(5), ..between("2026-06-01", "2026-07-08") };
    for _ in 0..2 {
        assert_eq!(bench.run(&request).await.finished.len(), 5);
    }
    let names = bench.names();
    assert!(names.first().unwrap().ends_with("day_02072026.csv") && names.len() == 9, "{names:?}");
}

#[tokio::test]
async fn without_a_first_day_gaps_behind_the_newest_file_are_filled() {
    let bench = bench().await;
    assert_eq!(bench.fetcher().plan(&FetchRequest::default()).unwrap().items.len(), 6, "the last week");
    bench.run(&on_day("2026-06-10")).await;
    let plan = bench.fetcher().plan(&FetchRequest::default()).unwrap();
    assert_eq!(plan.items.last().unwrap().date, Some(day("2026-06-03")), "a week before the newest");
    assert_eq!(plan.items.len(), 25);
}

#[tokio::test]
async fn a_weekend_is_asked_for_by_its_own_day_alone() {
    let bench = bench().await;
    assert_eq!(bench.fetcher().plan(&on_day("2026-07-05")).unwrap().items.len(), 1);
    assert_eq!(bench.fetcher().plan(&between("2026-07-04", "2026-07-05")).unwrap().items.len(), 0);
}

#[tokio::test]
async fn the_list_tells_what_is_there_and_what_is_missing() {
    let bench = bench().await;
    let request = FetchRequest::default();
    let list = bench.fetcher().list(&request).unwrap();
    assert!(list[0].newest.is_none() && list[0].missing.is_empty() && list[0].last.is_none());
    bench.run(&between("2026-06-29", "2026-07-06")).await;
    std::fs::remove_file(bench.raw().join("india/day/2026/day_02072026.csv")).unwrap();
    let list = bench.fetcher().list(&request).unwrap();
    assert_eq!(list[0].newest, Some(day("2026-07-06")));
    assert_eq!(
        list[0].missing,
        [day("2026-07-08"), day("2026-07-07"), day("2026-07-02")],
        "no holiday among them"
    );
    assert_eq!(list[0].last.unwrap().0, FetchOutcome::Ok);
    bench.clock.advance(TimeDelta::hours(2));
    assert_eq!(
        bench.run(&between("2026-06-29", "2026-07-08")).await.count(FetchOutcome::Ok),
        3,
        "what was taken away comes again"
    );
}

#[tokio::test]
async fn a_name_that_is_none_has_a_near_one() {
    let bench = bench().await;
    let request = FetchRequest { sources: vec!["dya".to_owned()], ..FetchRequest::default() };
    let error = bench.fetcher().plan(&request).unwrap_err();
    assert!(matches!(error, FetchError::UnknownSource { .. }));
    assert!(error.to_string().contains("did you mean `day`?"), "{error}");
}

#[tokio::test]
async fn a_contact_brings_the_archives_of_the_sec_between_the_newest_files_and_the_history() {
    let clock = SimulatedClock::at(EVENING);
    let host = Host::start(clock.clone(), |_| reply(404, "")).await;
    let mut bench = Bench::with(SourceCatalogue::embedded().unwrap(), clock, host);
    let request = FetchRequest { market: Some(Market::Us), ..between("2024-01-01", "2026-07-08") };
    let plan = bench.fetcher().plan(&request).unwrap();
    assert!(plan.items.is_empty(), "without a contact nothing is asked");
    assert!(
        plan.unmet_needs
            .iter()
            .any(|(source, need)| { source.name == "all_company_facts" && matches!(need, Need::Contact(_)) })
    );
    bench.settings.contact = Some("Asha Rao asha@firm.in".to_owned());
    let plan = bench.fetcher().plan(&request).unwrap();
    let steps: Vec<BackfillStep> = plan.parts.iter().map(|part| part.step).collect();
    assert_eq!(
        steps,
        [BackfillStep::Lists, BackfillStep::Newest, BackfillStep::Large, BackfillStep::History]
    );
    let [lists, newest, large, history] = &plan.parts[..] else { panic!("{:?}", plan.parts) };
    assert!(lists.sources.contains("company_tickers") && lists.sources.contains("insider_data_sets"));
    assert_eq!(newest.sources.iter().collect::<Vec<_>>(), ["daily_index"]);
    let archives = ["all_company_facts", "all_company_filings", "form13f_data_sets"];
    assert_eq!(large.sources.iter().collect::<Vec<_>>(), archives);
    assert!(large.bytes > 2_900_000_000 && history.requests > 300, "{large:?} {history:?}");
    assert!(
        lists.time_to_end < newest.time_to_end
            && large.time_to_end < history.time_to_end
            && history.time_to_end == plan.time
    );
    assert_eq!(plan.parts.iter().map(|part| part.bytes).sum::<u64>(), plan.bytes);
    let places = |name: &str| plan.items.iter().position(|item| item.source.name == name).unwrap();
    assert!(places("daily_index") < places("all_company_facts"));

    // A request with companies gets their files, not the archives of all companies.
    let of_one = FetchRequest { companies: vec!["320193".to_owned()], ..request };
    let plan = bench.fetcher().plan(&of_one).unwrap();
    let has = |name: &str| plan.items.iter().any(|item| item.source.name == name);
    assert!(has("company_facts") && has("company_filings") && has("form13f_data_sets"));
    assert!(!has("all_company_facts") && !has("all_company_filings"));
}
