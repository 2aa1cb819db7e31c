//! Companies under new symbols, and symbols that files are named after.

use super::*;
use crate::domain::former_name::FormerName;
use crate::formats::events::Event;

#[test]
fn a_history_follows_its_company_to_its_newest_symbol() {
    let market = Raw::new()
        .days(&[
            ("OLD", &[10.0, 11.0, 0.0, 0.0, 0.0, 0.0]),
            ("MIDDLE", &[0.0, 0.0, 12.0, 0.0, 0.0, 0.0]),
            ("NEW", &[0.0, 0.0, 0.0, 13.0, 14.0, 15.0]),
            ("STAYS", &[5.0; 6]),
        ])
        // Another company takes the old symbol later.
        .full("prices/9.csv", &[row("OLD", "EQ", "05-Jan-2025", 70.0)])
        .file("symbolchange.csv", "Company Ltd,OLD,MIDDLE,03-JAN-2025\nCompany Ltd,MIDDLE,NEW,04-JAN-2025\nOther Ltd,STAYS,LATER,01-FEB-2025\nSame Ltd,SAME,SAME,01-JAN-2025\n")
        .file("202412/ind_nifty50list.csv", "Company Name,Industry,Symbol,Series,ISIN Code\nCompany Ltd.,Chemicals,OLD,EQ,INE000A01011\n")
        .file("actions.csv", "symbol,ex_date,action,factor\nOLD,2025-01-02,bonus 1:1,0.5\n")
        .file("deals/bulk.csv", "Date,Symbol,Security Name,Client Name,Buy/Sell,Quantity Traded,Trade Price / Wght. Avg. Price,Remarks\n03-JAN-2025,MIDDLE,C,QOXI FUND,BUY,5,12,-\n")
        .india();
    assert_eq!(market.symbols(), ["NEW", "OLD", "STAYS"]);
    assert_eq!(market.stock("NEW").close, [10.0, 11.0, 12.0, 13.0, 14.0, 15.0]);
    assert_eq!(market.factors("NEW"), [0.5, 1.0, 1.0, 1.0, 1.0, 1.0]);
    assert_eq!(market.stock("OLD").close, [70.0]);
    assert_eq!(market.members[0].symbol, "NEW");
    assert_eq!(market.cells("deals", "symbol"), ["NEW"]);
    let joined: Vec<_> =
        market.report.joined.iter().map(|it| (it.old.as_str(), it.new.as_str(), it.bars)).collect();
    assert_eq!(joined, [("MIDDLE", "NEW", 1), ("OLD", "NEW", 2)]);
    assert_eq!(market.refused_as("old and new symbol are the same"), 1);
}

#[test]
fn two_companies_of_one_time_stay_two() {
    let market = Raw::new()
        .days(&[("OLD", &[10.0, 11.0, 12.0]), ("NEW", &[90.0, 91.0, 92.0])])
        .file("symbolchange.csv", "Company Ltd,OLD,NEW,03-JAN-2025\n")
        .india();
    assert_eq!(market.stock("OLD").close, [10.0, 11.0, 12.0]);
    assert_eq!(market.stock("NEW").close, [90.0, 91.0, 92.0]);
    let message = market.report.exceptions.join("\n");
    assert!(
        message.contains("1 change of a symbol is not followed") && message.contains("OLD to NEW"),
        "{message}"
    );
}

#[test]
fn lists_with_the_header_of_companies_name_no_trust() {
    let header = "SYMBOL,NAME OF COMPANY, SERIES, DATE OF LISTING, PAID UP VALUE, MARKET LOT, ISIN NUMBER, FACE VALUE\n";
    let market = Raw::new()
        .days(&[("AROHI", &[1.0])])
        .file("EQUITY_L.csv", &format!("{header}AROHI,Arohi Limited,EQ,06-OCT-2008,5,1,INE000A01011,5\n"))
        .file("REITS_L.csv", &format!("{header}AROHI,Offices Trust,EQ,16-Feb-21,275,200,INE000D25010,275\n"))
        .file("mf.csv", &format!("{header}AROHI,Plan,EQ,06-JUL-2021,10,1,INF000B12A2,10\n"))
        .india();
    assert_eq!(market.company("AROHI").name.as_deref(), Some("Arohi Limited"));
    assert_eq!(market.refused(Reason::IsinNotIne), 2);
}

#[test]
fn us_files_of_one_symbol_and_of_a_screener() {
    let stooq = "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\n";
    let market = Raw::new()
        .file("nyse/brk-b.us.txt", &format!("{stooq}BRK-B.US,D,20250102,000000,10,11,9,10.5,100.6,0\nBRK-B.US,60,20250102,100000,10,11,9,10.5,5,0\n"))
        .file("aaa.us.csv", "Date,Open,High,Low,Close,Adj Close,Volume\n2025-01-02,20,21,19,20,19,1000\n")
        .file("empty.us.txt", "")
        .file("nyse_screener_2025-01-02.json", r#"[{"symbol":"AAA","name":"Alpha Inc. Common Stock","lastsale":"$20.00","pctchange":"-3.96%","marketCap":"4000.00","industry":"Chips","sector":"Technology"},{"symbol":"AAAW","name":"Alpha Inc. Warrant","lastsale":"$0.97","pctchange":"","marketCap":"","industry":"","sector":""}]"#)
        .us();
    assert_eq!(market.symbols(), ["AAA", "BRK.B"]);
    assert_eq!(market.stock("BRK.B").volume, [101]);
    assert_eq!(market.stock("AAA").shares, [200.0]);
    let company = market.company("AAA");
    assert_eq!((company.exchange.as_deref(), company.sector.as_deref()), (Some("NYSE"), Some("Technology")));
    assert_eq!(company.name.as_deref(), Some("Alpha Inc."));
    assert_eq!(market.refused(Reason::NotDaily), 1);
    assert_eq!(market.report.empty_files, ["empty.us.txt"]);
}

#[test]
fn a_given_split_that_newer_files_restate_is_applied_once() {
    let file = |days: std::ops::RangeInclusive<u32>, price: &dyn Fn(u32) -> f64| {
        days.fold("symbol,date,open,high,low,close,volume\n".to_owned(), |text, day| {
            let p = price(day);
            format!("{text}AAA,2025-01-{day:02},{p},{p},{p},{p},100\n")
        })
    };
    let market = Raw::new()
        .file("asof_2025-01-10.csv", &file(1..=10, &|day| 1000.0 + f64::from(day)))
        .file("asof_2025-01-20.csv", &file(5..=20, &|day| 100.0 + f64::from(day) / 10.0))
        .file("actions.csv", "symbol,ex_date,action,factor\nAAA,2025-01-15,split 1:10,0.1\n")
        .us();
    let factors = market.factors("AAA");
    assert_eq!((factors[0], factors[4], factors[19]), (0.1, 1.0, 1.0));
    assert_eq!(market.report.formats["corporate actions"].restated, 1);
    // The action is an event on its stated day, although newer files restate prices for it.
    let events = market.tables.rows::<Event>().unwrap();
    let days: Vec<_> = events.iter().map(|event| event.ex_date.to_string()).collect();
    assert_eq!(days, ["2025-01-15"]);
}

#[test]
fn a_company_is_known_by_every_symbol_and_name_that_it_had() {
    let market = Raw::new()
        .days(&[("OLD", &[10.0, 0.0, 0.0]), ("MIDDLE", &[0.0, 11.0, 0.0]), ("NEW", &[0.0, 0.0, 12.0])])
        .file("symbolchange.csv", "New Limited,OLD,MIDDLE,02-JAN-2025\nNew Limited,MIDDLE,NEW,03-JAN-2025\nOther Limited,AWAY,GONE,02-JAN-2025\n")
        .file("namechange.csv", "NCH_SYMBOL, NCH_PREV_NAME, NCH_NEW_NAME, NCH_DT\nNEW,Old Limited,New Limited,02-JAN-2025\nGONE,Away Limited,Gone Limited,02-JAN-2025\nNEW,New Limited,Later Limited,01-FEB-2025\n")
        .india();
    let former = market.tables.rows::<FormerName>().unwrap();
    let former: Vec<_> = former.iter().map(|it| (it.symbol.as_str(), it.name.as_str())).collect();
    assert_eq!(former, [("NEW", "MIDDLE"), ("NEW", "OLD"), ("NEW", "Old Limited")]);
}
