//! Complete sessions, and the cost of a plan before any consent.

use chrono::TimeDelta;

use super::bench::{Bench, DAY, between, catalogue_of, day, day_file, day_in_path};
use super::host::reply;
use crate::{CoreFiles, FetchRequest, Need};
use parquote_catalogue::operation::Market;

/// Two core sources; the second never has the file of 8 July, and has that of the 6th only on the second request.
async fn bench() -> Bench {
    let second = DAY.replace("/day_", "/second_day_").replace("ready = \"19:00", "ready = \"20:00");
    let bench = Bench::for_source(("india/day.toml", DAY), |seen| {
        let day = day_in_path(&seen.path).unwrap();
        let is_second = seen.path.contains("second");
        match day.as_str() {
            "2026-07-08" if is_second => reply(404, ""),
            "2026-07-06" if is_second && seen.before == 0 => reply(404, ""),
            "2026-07-03" => reply(404, ""),
            day => reply(200, day_file(day)),
        }
    })
    .await;
    let catalogue = catalogue_of(&[("india/day.toml", DAY), ("india/second.toml", &second)]);
    Bench { catalogue, ..bench }
}

fn awaited(days: &[&str]) -> Vec<(chrono::NaiveDate, String)> {
    days.iter().map(|text| (day(text), "second".to_owned())).collect()
}

#[tokio::test]
async fn a_session_is_complete_when_nothing_of_its_core_is_awaited() {
    let bench = bench().await;
    let core = || bench.fetcher().core_files(Market::India).unwrap();
    assert_eq!(core(), CoreFiles::default(), "nothing is there");
    bench.run(&between("2026-07-01", "2026-07-08")).await;
    let complete = Some(day("2026-07-02"));
    assert_eq!(core(), CoreFiles { complete, awaited: awaited(&["2026-07-08", "2026-07-06"]) });
    bench.clock.advance(TimeDelta::hours(2));
    bench.run(&between("2026-07-01", "2026-07-08")).await;
    // The holiday on the 3rd is not a session; the 8th is awaited.
    assert_eq!(core(), CoreFiles { complete: Some(day("2026-07-07")), awaited: awaited(&["2026-07-08"]) });
    bench.clock.advance(TimeDelta::days(5));
    assert_eq!(
        core(),
        CoreFiles { complete: Some(day("2026-07-08")), awaited: Vec::new() },
        "it is given up"
    );
}

#[tokio::test]
async fn a_file_that_is_out_later_than_the_others_is_awaited_too() {
    let bench = bench().await;
    // At 19:30 in India the first file of the day is published, the second is not.
    bench.clock.set("2026-07-07T14:00:00Z");
    bench.run(&between("2026-07-07", "2026-07-07")).await;
    let core = bench.fetcher().core_files(Market::India).unwrap();
    assert_eq!(core, CoreFiles { complete: None, awaited: awaited(&["2026-07-07"]) });
    bench.clock.set("2026-07-07T15:00:00Z");
    bench.run(&between("2026-07-07", "2026-07-07")).await;
    let core = bench.fetcher().core_files(Market::India).unwrap();
    assert_eq!(core, CoreFiles { complete: Some(day("2026-07-07")), awaited: Vec::new() });
}

#[tokio::test]
async fn the_cost_of_a_plan_is_told_before_consent() {
    let strict = DAY.replace("files.test", "strict.test");
    let bench = Bench::for_source(("india/day.toml", &strict), |_| reply(500, "")).await;
    let request = between("2026-07-01", "2026-07-08");
    let (plan, estimate) =
        (bench.fetcher().plan(&request).unwrap(), bench.fetcher().estimate(&request).unwrap());
    assert_eq!((plan.items.len(), plan.sources), (0, 0));
    assert_eq!((estimate.items.len(), estimate.bytes), (6, 6_000));
    assert!(matches!(estimate.unmet_needs[0].1, Need::Consent(_)));
    let core = bench.fetcher().core_files(Market::India).unwrap();
    assert_eq!(core, CoreFiles::default(), "what is not asked is not waited for");
    assert_eq!(bench.run(&FetchRequest::default()).await.sources, 0);
    assert_eq!(bench.host.log().len(), 0);
}
