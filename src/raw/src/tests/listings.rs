//! Nasdaq's symbol directories and Massive's day files, small and invented.

use super::*;

const LISTED: &str = "Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares\r\n\
    ALFA|Alfa Inc. - Common Stock|Q|N|N|100|N|N\r\nZTST|Alfa Systems - Common Stock|Q|Y|N|100|N|N\r\nALFAW|Alfa Inc. - Warrant|Q|N|N|100|N|N\r\n\
    FUND|Alfa Growth Trust|G|N|N|100|Y|N\r\nFile Creation Time: 0103202521:00|||||||\r\n";
const OTHER: &str = "ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol\n\
    BET.A|Beta Corp. Class A|N|BET.A|N|100|N|BET.A\nBET$C|Beta Corp. Series C|N|BETpC|N|100|N|BET-C\nGAMA|Gama plc Ordinary Shares|A|GAMA|N|100|N|GAMA\n\
    DELT|Delta Shares|P|DELT|N|100|N|DELT\nFile Creation Time: 0103202521:00||||||\n";

/// Nanoseconds at which a day of January 2025 begins in New York, five hours behind UTC.
fn start(day: u32) -> i64 {
    january(day).and_hms_opt(5, 0, 0).unwrap().and_utc().timestamp_nanos_opt().unwrap()
}

/// A day file with one price per ticker.
fn day_file(day: u32, rows: &[(&str, &str)]) -> Vec<u8> {
    let row = |(ticker, price): &(&str, &str)| {
        format!("{ticker},100.5,{price},{price},{price},{price},{},7\n", start(day))
    };
    let rows: String = rows.iter().map(row).collect();
    gzip(&format!("ticker,volume,open,close,high,low,window_start,transactions\n{rows}"))
}

#[test]
fn days_of_massive_are_prices() {
    let header = "ticker,volume,open,close,high,low,window_start,transactions\n";
    let bad = format!(
        "{header}ALFA,1,10,10,10,10,{},1\nALFA,1,10,10,10,10,soon,1\nALFA,1,x,10,10,10,{},1\nALFA,1,10,10,10,10,,1\n",
        start(3) + 60_000_000_000,
        start(3)
    );
    let other_order =
        format!("window_start,low,high,close,open,volume,ticker\n{},9,12,11,10,3,ALFA\n", start(6));
    let market = Raw::new()
        .bytes("2025-01-02.csv.gz", &day_file(2, &[("ALFA", "10"), ("BET.A", "20"), ("BETpC", "5")]))
        .bytes("2025-01-03.csv.gz", &day_file(3, &[("ALFA", "11"), ("BET.A", "21")]))
        .file("minutes.csv", &bad)
        .file("2025-01-06.csv", &other_order)
        .us();
    assert_eq!(market.symbols(), ["ALFA", "BET.A"]);
    let dates: Vec<_> = market.sessions.iter().map(|session| session.date).collect();
    assert_eq!(dates, [january(2), january(3), january(6)]);
    let alfa = market.stock("ALFA");
    assert_eq!((&alfa.close, &alfa.open), (&vec![10.0, 11.0, 11.0], &vec![10.0, 11.0, 10.0]));
    assert_eq!((alfa.high[2], alfa.low[2]), (12.0, 9.0));
    assert_eq!(alfa.volume, [101, 101, 3], "halves round up");
    assert_eq!((market.refused(Reason::NotDaily), market.refused(Reason::NotCommonStock)), (1, 1));
    assert_eq!((market.refused(Reason::BadDate), market.refused(Reason::BadNumber)), (2, 1));
    assert_eq!(market.report.formats["Massive day files"].files, 4);
}

#[test]
fn a_day_file_that_is_cut_is_a_read_fault() {
    let whole = day_file(2, &[("ALFA", "10"), ("BET.A", "20")]);
    let raw = Raw::new()
        .bytes("2025-01-02.csv.gz", &whole[..whole.len() - 9])
        .bytes("2025-01-03.csv.gz", &day_file(3, &[("ALFA", "10")]));
    let error = read(
        raw.folder.path(),
        &RawOptions::for_market(Market::Us),
        &mut RefusedCount::default(),
        &SilentProgress,
    );
    assert!(error.unwrap_err().to_string().contains("2025-01-02.csv.gz"));
    let options = RawOptions { allow_unreadable: true, ..RawOptions::for_market(Market::Us) };
    assert!(raw.read_with(options).report.unreadable[0].is_fault);
}

/// Prices of all symbols of the directories, which the screener lists too.
fn market() -> Raw {
    let tickers = ["ALFA", "ZTST", "ALFAW", "FUND", "BET.A", "GAMA", "DELT", "SPY"];
    let rows = tickers.map(|ticker| (ticker, "10"));
    Raw::new().bytes("2025-01-02.csv.gz", &day_file(2, &rows)).file(
        "nasdaq_2025-01-02.csv",
        "symbol,name,sector,industry,market_cap\nALFA,Alfa Inc. Common Stock,Technology,Chips,1000\n",
    )
}

#[test]
fn directories_name_listings_and_leave_out_funds_and_test_issues() {
    let market =
        market().file("2025-01-03/nasdaqlisted.txt", LISTED).file("2025-01-03/otherlisted.txt", OTHER).us();
    assert_eq!(market.symbols(), ["ALFA", "BET.A", "DELT", "GAMA"]);
    let facts_of = |symbol: &str| {
        let company = market.company(symbol);
        (company.name.as_deref(), company.exchange.as_deref(), company.sector.as_deref())
    };
    // The screener's sector remains.
    assert_eq!(facts_of("ALFA"), (Some("Alfa Inc."), Some("NASDAQ"), Some("Technology")));
    assert_eq!(facts_of("BET.A"), (Some("Beta Corp."), Some("NYSE"), None));
    assert_eq!((facts_of("GAMA").1, facts_of("DELT").1), (Some("AMEX"), Some("NYSE Arca")));
    assert_eq!((market.refused(Reason::Etf), market.refused(Reason::NotCommonStock)), (1, 2));
    let tally = market.report.formats["symbol directories"];
    assert_eq!((tally.files, tally.read, tally.kept), (2, 8, 8));
    // The fund that is the benchmark stays one whatever a directory says.
    assert_eq!(market.report.benchmarks, ["SPY"]);
}

#[test]
fn the_newest_directory_says_what_a_symbol_is() {
    let later = LISTED.replace(
        "FUND|Alfa Growth Trust|G|N|N|100|Y|N",
        "FUND|Fundamental Inc. - Common Stock|Q|N|N|100|N|N",
    );
    let merged =
        market().file("2025-01-03/nasdaqlisted.txt", LISTED).file("2025-01-04/nasdaqlisted.txt", &later).us();
    assert_eq!(merged.company("FUND").name.as_deref(), Some("Fundamental Inc."));
    let merged =
        market().file("2025-01-04/nasdaqlisted.txt", LISTED).file("2025-01-03/nasdaqlisted.txt", &later).us();
    assert!(!merged.symbols().contains(&"FUND"));
}

#[test]
fn a_directory_without_its_last_line_is_a_read_fault() {
    let short = LISTED.split("File").next().unwrap();
    let options = RawOptions { allow_unreadable: true, ..RawOptions::for_market(Market::Us) };
    let report = market().file("nasdaqlisted.txt", short).read_with(options).report;
    assert!(report.unreadable[0].is_fault);
    assert!(
        report.unreadable[0].why.contains("lacks the line `File Creation Time`"),
        "{}",
        report.unreadable[0].why
    );
}
