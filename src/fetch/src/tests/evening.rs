//! An evening with the embedded sources of India, against a host that serves synthetic files under the real names.

use std::sync::Arc;

use chrono::{NaiveDate, TimeDelta};

use super::bench::{Bench, SimulatedClock, between, zipped};
use super::host::{Host, HostReaction, ReceivedRequest, file, reply};
use crate::{FetchOutcome, FetchRequest, Need, SourceCatalogue};
use parquote_catalogue::operation::Market;

/// Returns rows of a table with these columns; `@` is replaced by the date.
fn table(header: &str, row: &str, count: usize, date: &str) -> String {
    let rows: String =
        (0..count).map(|n| row.replace('@', date).replace('#', &n.to_string()) + "\n").collect();
    format!("{header}\n{rows}")
}

/// Parses the date in a name, in this format.
fn dated(path: &str, form: &str) -> NaiveDate {
    let digits: Vec<char> = path.rsplit('/').next().unwrap().chars().collect();
    let width = if form.contains("%Y") { 8 } else { 6 };
    let at = digits.windows(width).position(|run| run.iter().all(char::is_ascii_digit)).unwrap();
    NaiveDate::parse_from_str(&digits[at..at + width].iter().collect::<String>(), form).unwrap()
}

fn archive(seen: &ReceivedRequest) -> HostReaction {
    let path = seen.path.as_str();
    let cell = |form: &str| dated(path, form).format("%d-%b-%Y").to_string();
    let holiday = |date: NaiveDate| date.to_string() == "2026-07-07";
    let body: Vec<u8> = if path.contains("sec_bhavdata_full") {
        let mut date = dated(path, "%d%m%Y");
        if holiday(date) {
            date = date.pred_opt().unwrap();
        }
        let header = "SYMBOL, SERIES, DATE1, PREV_CLOSE, CLOSE_PRICE, TTL_TRD_QNTY, DELIV_QTY";
        table(header, "S#, EQ, @, 1, 1, 1, -", 1_200, &date.format("%d-%b-%Y").to_string()).into()
    } else if path.contains("BhavCopy_NSE_CM") {
        let date = dated(&path.replace("_0_0_0_", "_"), "%Y%m%d");
        if holiday(date) {
            return reply(404, "");
        }
        let text = table(
            "TradDt,ISIN,TckrSymb,SctySrs,ClsPric,TtlTradgVol",
            "@,INE#,S#,EQ,1,1",
            1_200,
            &date.to_string(),
        );
        zipped(&[("a.csv", &text)])
    } else if path.contains("/pr/PR") {
        let date = dated(path, "%d%m%y");
        if holiday(date) {
            return reply(404, "");
        }
        let text = table("MKT,SECURITY,CLOSE_PRICE,IND_SEC", "N,S#,1,N", 600, "");
        zipped(&[(&format!("pr{}.csv", date.format("%d%m%Y")), &text)])
    } else if path.contains("sec_list_") || path.contains("ind_close_all") {
        if holiday(dated(path, "%d%m%Y")) {
            return reply(200, "<html><body>The page does not exist</body></html>");
        }
        if path.contains("sec_list_") {
            table("Symbol,Series,Security Name,Band,Remarks", "S#,EQ,Share #,20,-", 1_100, "").into()
        } else {
            let date = cell("%d%m%Y").replace("Jul", "07");
            table("Index Name,Index Date,Closing Index Value", "Index #,@,1", 60, &date).into()
        }
    } else if path.ends_with("/bulk.csv") || path.ends_with("/block.csv") {
        let header = "Date,Symbol,Security Name,Client Name,Buy/Sell,Quantity Traded,Price";
        if path.ends_with("/block.csv") {
            format!("{header}\nNO RECORDS,,,,,,\n").into()
        } else {
            table(header, "08-JUL-2026,S#,x,y,BUY,1,1", 5, "").into()
        }
    } else if path.ends_with("EQUITY_L.csv") {
        table(
            "SYMBOL,NAME OF COMPANY, SERIES, DATE OF LISTING, ISIN NUMBER",
            "S#,Share #,EQ,01-JAN-2000,INE#",
            1_100,
            "",
        )
        .into()
    } else if path.ends_with("symbolchange.csv") {
        table("Name of a company,OLD,NEW,01-JAN-2001", "Name #,A#,B#,01-JAN-2002", 600, "").into()
    } else if path.ends_with("eq_etfseclist.csv") {
        table("Symbol,Underlying,SecurityName", "E#,U,N", 80, "").into()
    } else if path.contains("/indices/ind_") {
        table("Company Name,Industry,Symbol,Series,ISIN Code", "C#,I,S#,EQ,INE#", 50, "").into()
    } else {
        return reply(404, "");
    };
    file(seen, &body, &format!("\"{}\"", blake3::hash(&body).to_hex()))
}

#[tokio::test]
async fn three_days_of_nse_are_fetched_as_its_archives_are() {
    // 22:00 in India.
    let clock = SimulatedClock::at("2026-07-08T16:30:00Z");
    let host = Host::start(clock.clone(), archive).await;
    let bench = Bench::with(SourceCatalogue::embedded().unwrap(), clock, host);
    let request = FetchRequest { market: Some(Market::India), ..between("2026-07-06", "2026-07-08") };
    let report = bench.run(&request).await;
    assert!(
        report.finished.is_empty()
            && report.unmet_needs.iter().all(|(_, need)| matches!(need, Need::Consent(_)))
    );
    let fetcher = bench.fetcher();
    let nse = Arc::clone(fetcher.catalogue().groups().find(|group| group.name == "nse").unwrap());
    fetcher.consent(&nse).unwrap();
    let plan = fetcher.plan(&request).unwrap();
    // Five files a day, five lists and nine indices.
    assert_eq!(plan.items.len(), 3 * 5 + 5 + 9);
    assert!(plan.time.as_secs() > 70 && plan.time.as_secs() < 120, "{:?}", plan.time);
    let report = bench.run(&request).await;
    let not_good: Vec<_> = report
        .finished
        .iter()
        .filter(|ended| ended.line.outcome != FetchOutcome::Ok)
        .map(|ended| &ended.line)
        .collect();
    let holidays = not_good
        .iter()
        .filter(|line| line.outcome == FetchOutcome::Holiday && line.item == "2026-07-07")
        .count();
    assert_eq!((report.count(FetchOutcome::Ok), holidays, not_good.len()), (24, 5, 5), "{not_good:#?}");
    assert_eq!(report.exit_code(), 0);
    let gaps = bench.host.log().windows(2).map(|pair| pair[1].at - pair[0].at).min().unwrap();
    assert!(gaps >= TimeDelta::milliseconds(2_500), "{gaps}");
    for name in [
        "india/full_bhavcopy/2026/sec_bhavdata_full_08072026.csv",
        "india/udiff/2026/BhavCopy_NSE_CM_0_0_0_20260706_F_0000.csv.zip",
        "india/pr/2026/PR080726.zip",
        "india/price_bands/2026/sec_list_06072026.csv",
        "india/index_closes/2026/ind_close_all_08072026.csv",
    ] {
        assert!(bench.names().contains(&name.to_owned()), "{name}");
    }
    let captured = |start: &str| {
        bench.names().iter().filter(|name| name.starts_with(start) && name.contains("_20260708_22")).count()
    };
    assert_eq!(
        (
            captured("india/deals/2026/b"),
            captured("india/index_members/20260708/ind_"),
            captured("india/lists/20260708/")
        ),
        (2, 9, 3)
    );

    // A second run requests nothing; later, only files without an archive are requested, with their version.
    assert_eq!(bench.run(&request).await.finished.len(), 0);
    bench.clock.advance(TimeDelta::hours(3));
    let before = bench.host.log().len();
    let report = bench.run(&request).await;
    assert_eq!((report.finished.len(), report.count(FetchOutcome::Unchanged)), (2, 2));
    assert!(
        bench.host.log()[before..]
            .iter()
            .all(|seen| seen.path.ends_with("bulk.csv") || seen.path.ends_with("block.csv"))
    );
}
