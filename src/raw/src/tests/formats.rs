//! A small file of every format, plain and packed.

use super::*;

const UDIFF: &str = "TradDt,BizDt,Sgmt,Src,FinInstrmTp,FinInstrmId,ISIN,TckrSymb,SctySrs,FinInstrmNm,OpnPric,HghPric,\
                     LwPric,ClsPric,TtlTradgVol,Rsvd\n";
const OLD: &str =
    "SYMBOL,SERIES,OPEN,HIGH,LOW,CLOSE,LAST,PREVCLOSE,TOTTRDQTY,TOTTRDVAL,TIMESTAMP,TOTALTRADES,ISIN,\n";

#[test]
fn the_full_bhavcopy_with_and_without_blanks() {
    let tight = FULL.replace(", ", ",");
    let market = Raw::new()
        .file("a.csv", &format!("{FULL}AROHI, EQ, 01-Jan-2025, 9, 10, 12, 9.5, , 11, 11, 1000, 1, 7, -, -\n"))
        .file(
            "b.csv",
            &format!("\u{feff}{tight}AROHI, BE,02-Jan-2025,11,11.5,13,11,12, 12.5,12,2000,1,7, 900, 45\n"),
        )
        .india();
    let stock = market.stock("AROHI");
    assert_eq!((&stock.open, &stock.high), (&vec![10.0, 11.5], &vec![12.0, 13.0]));
    assert_eq!((&stock.low, &stock.close), (&vec![9.5, 11.0], &vec![11.0, 12.5]));
    assert_eq!((&stock.volume, &stock.delivered), (&vec![1000, 2000], &vec![-1, 900]));
    assert_eq!(stock.series, [Series::Eq, Series::Be]);
    assert!(stock.shares.iter().all(|shares| shares.is_nan()));
}

#[test]
fn the_old_bhavcopy_and_udiff_say_isins() {
    let market = Raw::new()
        .file(
            "cm01JAN2025bhav.csv",
            &format!("{OLD}AROHI,EQ,10,12,9.5,11,11,9,1000,9999,01-JAN-2025,7,INE000A01011,\nFUNDA,EQ,1,1,1,1,1,1,5,5,01-JAN-2025,1,INF000A01011,\n"),
        )
        .file(
            "udiff.csv",
            &format!(
                "{UDIFF}2025-01-02,2025-01-02,CM,NSE,STK,1,INE000A01011,AROHI,EQ,Arohi,11,12,11,12,500,\n\
                 2025-01-02,2025-01-02,CM,BSE,STK,1,INE000A01011,AROHI,A,Arohi,11,12,11,12,500,\n\
                 2025-01-02,2025-01-02,CM,NSE,IDX,1,,NIFTY,,Nifty,11,12,11,12,500,\n"
            ),
        )
        .full("c.csv", &[row("FUNDA", "EQ", "02-Jan-2025", 1.0)])
        .india();
    assert_eq!(market.symbols(), ["AROHI"]);
    assert_eq!(market.stock("AROHI").close, [11.0, 12.0]);
    assert_eq!(market.company("AROHI").isin.as_deref(), Some("INE000A01011"));
    // One row has the ISIN of a fund, by which that of the full bhavcopy is known.
    assert_eq!(market.refused(Reason::IsinNotIne), 2);
    assert_eq!((market.refused(Reason::BseRow), market.refused(Reason::NotAShare)), (1, 1));
}

#[test]
fn the_bulk_file_of_a_day_has_symbols_under_code() {
    let day = r#"[{"code":"AROHI","exchange_short_name":"US","date":"2026-07-02","open":10,"high":12,"low":9.5,"close":11,"adjusted_close":11,"volume":1000},{"code":"BELA","exchange_short_name":"US","date":"2026-07-02","open":20,"high":21,"low":19,"close":20.5,"adjusted_close":20.5,"volume":500}]"#;
    let market = Raw::new().file("us/eodhd/2026/eodhd_20260702.json", day).us();
    assert_eq!(market.symbols(), ["AROHI", "BELA"]);
    assert_eq!((&market.stock("BELA").close, &market.stock("AROHI").volume), (&vec![20.5], &vec![1000]));
}

#[test]
fn archives_are_looked_into() {
    let day = |date: &str, price: f64| format!("{FULL}{}\n", row("AROHI", "EQ", date, price));
    let market = Raw::new()
        .bytes("deep/down/a.csv.gz", &gzip(&day("01-Jan-2025", 1.0)))
        .bytes(
            "b.zip",
            &zip(&[
                ("x/one.csv", &day("02-Jan-2025", 2.0)),
                ("two.csv", &day("03-Jan-2025", 3.0)),
                ("readme.txt", "words"),
            ]),
        )
        .india();
    assert_eq!(market.stock("AROHI").close, [1.0, 2.0, 3.0]);
    assert_eq!(market.report.unused_files, ["b.zip!readme.txt"]);
    assert_eq!(market.report.unreadable, []);
}

#[test]
fn lists_name_companies_sectors_and_industries() {
    let market = Raw::new()
        .days(&[("AROHI", &[1.0]), ("BELA", &[1.0]), ("CHARU", &[1.0])])
        .file("EQUITY_L.csv", "SYMBOL,NAME OF COMPANY, SERIES, DATE OF LISTING, PAID UP VALUE, MARKET LOT, ISIN NUMBER, FACE VALUE\nAROHI,Arohi Limited,EQ,06-OCT-2008,5,1,INE000A01011,5\nGONE,Gone Limited,EQ,06-OCT-2008,5,1,INE000B01011,5\nTRUST,Trust,IV,06-OCT-2008,5,1,INE000C01011,5\n")
        .file("202110/ind_niftyoldlist.csv", "Company Name,Industry,Symbol,Series,ISIN Code\nArohi Ltd.,METALS,AROHI,EQ,INE000A01011\nBela Ltd.,FINANCIAL SERVICES,BELA,EQ,INE000D01011\n")
        .file("202401/ind_niftynewlist.csv", "Company Name,Industry,Symbol,Series,ISIN Code\n\"Arohi, Ltd.\",Metals & Mining,NSE:AROHI,EQ,INE000A01011\nDeepa Ltd.,Financial Services,DEEPA,EQ,INE000E01011\n")
        .file("industries.csv", "symbol,industry\nBELA,Housing Finance\n")
        .india();
    let arohi = market.company("AROHI");
    assert_eq!(
        (arohi.name.as_deref(), arohi.sector.as_deref()),
        (Some("Arohi Limited"), Some("Metals & Mining"))
    );
    assert_eq!(
        (arohi.exchange.as_deref(), arohi.listed_on),
        (Some("NSE"), NaiveDate::from_ymd_opt(2008, 10, 6))
    );
    let bela = market.company("BELA");
    assert_eq!(
        (bela.sector.as_deref(), bela.industry.as_deref()),
        (Some("Financial Services"), Some("Housing Finance"))
    );
    assert_eq!(
        market.company("CHARU"),
        &Company { symbol: "CHARU".into(), exchange: Some("NSE".into()), ..Company::default() }
    );
    let message = market.report.exceptions.join("\n");
    assert!(message.contains("1 listed symbol without bars is left out"), "{message}");
}

#[test]
fn us_prices_listings_and_members() {
    let prices = "Close,Symbol,Date,Open,High,Low,Volume\n\
                  20,AAA,2025-01-02,20,21,19,1000\n10,BRK-B,2025-01-02,10,10,10,5\n5,AAAW,2025-01-02,5,5,5,5\n\
                  400,SPY,2025-01-02,400,400,400,9\nclose,symbol,date,open,high,low,volume\n22,AAA,2025-01-03,20,22,19,1000.0\n";
    let market = Raw::new()
        .file("prices.csv", prices)
        .file("listings_2025-01-02/l.csv", "symbol,name,sector,industry,market_cap,exchange\nAAA,Alpha Inc. Common Stock,Technology,Chips,\"$4,000\",NASDAQ\nAAAW,Alpha Inc. Warrant,,,,NASDAQ\nBRK/B,Beta Corp. Common Stock,Finance,Insurance,,NYSE\n")
        .file("2025/01/constituents-sp500.csv", "Symbol,Name\nAAA,Alpha\nBRK.B,Beta\n")
        .us();
    assert_eq!(market.symbols(), ["AAA", "BRK.B"]);
    assert_eq!(market.indices[0].symbol, "SPY");
    // 4,000 dollars at 20 a share.
    assert_eq!(market.stock("AAA").shares, [200.0, 200.0]);
    assert_eq!(market.company("BRK.B").exchange.as_deref(), Some("NYSE"));
    let members: Vec<_> =
        market.members.iter().map(|m| (m.index.as_str(), m.list_date, m.symbol.as_str())).collect();
    assert_eq!(members, [("SP500", january(1), "AAA"), ("SP500", january(1), "BRK.B")]);
    assert_eq!((market.refused(Reason::NotCommonStock), market.refused(Reason::RepeatedHeader)), (1, 1));
}
