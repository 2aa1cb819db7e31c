//! Rows damaged by people or programs: each is refused with a reason, and none becomes a wrong figure.

use super::*;
use crate::formats::events::Event;
use crate::formats::insider_forms::InsiderForm;
use crate::formats::positions::InvestorPosition;

const DEALS: &str =
    "Date,Symbol,Security Name,Client Name,Buy/Sell,Quantity Traded,Trade Price / Wght. Avg. Price,Remarks\n";
const BC: &str = "SERIES,SYMBOL,SECURITY,RECORD_DT,BC_STRT_DT,BC_END_DT,EX_DT,ND_STRT_DT,ND_END_DT,PURPOSE\n";
const SIZES: &str = "Trade Date,Symbol,Series,Security Name,Category,Last Trade Date,Face Value(Rs.),Issue Size,Close Price,Market Cap(Rs.)\n\
    03 FEB 2025,AROHI,EQ,A,Listed,03 FEB 2025,5,1000,10,1\n";
const FORM: &str = "<ownershipDocument><documentType>4</documentType>\
    <issuer><issuerCik>1</issuerCik><issuerName>A</issuerName><issuerTradingSymbol>AROHI</issuerTradingSymbol></issuer>\
    <nonDerivativeTable><nonDerivativeTransaction><transactionDate><value>2025-01-02</value></transactionDate>\
    <transactionCoding><transactionCode>P</transactionCode></transactionCoding><transactionAmounts>\
    <transactionShares><value>700</value></transactionShares><transactionPricePerShare><value>50.25</value></transactionPricePerShare>\
    </transactionAmounts></nonDerivativeTransaction></nonDerivativeTable>\
    <ownerSignature><signatureDate>2025-01-03</signatureDate></ownerSignature></ownershipDocument>";

/// Reads an Indian market with a stock and this file.
fn india(name: &str, text: &str) -> RawMarket {
    Raw::new().days(&[("AROHI", &[10.0; 9])]).file(name, text).india()
}

/// Reads a US market with a stock and this file.
fn us(name: &str, text: &str) -> RawMarket {
    let prices = "symbol,date,open,high,low,close,volume\nAROHI,2025-01-02,10,10,10,10,5\nAROHI,2025-01-03,10,10,10,10,5\n";
    Raw::new().file("prices.csv", prices).file(name, text).us()
}

/// The shares and prices of insiders' transactions.
fn trades(market: &RawMarket) -> Vec<(f64, Option<f64>)> {
    let forms = market.tables.rows::<InsiderForm>().unwrap();
    forms.iter().map(|it| (it.shares, it.price)).collect()
}

#[test]
fn months_before_days_are_told_by_the_file() {
    let deals = |name: &str, dates: [&str; 2]| {
        let rows = dates.map(|date| format!("{date},AROHI,A,FUND,BUY,10,10.5,-\n"));
        let market = india(name, &(DEALS.to_owned() + &rows.concat()));
        (market.cells("deals", "deal_date"), market.refused(Reason::BadDate))
    };
    // A day over 12 shows the order for all rows, or all are of the day in the name; deals of an unknown day are refused.
    assert_eq!(deals("bulk.csv", ["01/13/2025", "01/02/2025"]), (vec!["02 Jan".into(), "13 Jan".into()], 0));
    assert_eq!(deals("bulk.csv", ["13/01/2025", "02/01/2025"]), (vec!["02 Jan".into(), "13 Jan".into()], 0));
    let twice = (vec!["02 Jan".to_owned(), "02 Jan".to_owned()], 0);
    assert_eq!(deals("bulk_02012025.csv", ["02/01/2025", "02/01/2025"]), twice);
    for name in ["bulk.csv", "bulk_02012025.csv", "bulk_2025-01.csv", "2025-01-02/bulk.csv"] {
        assert_eq!(deals(name, ["02/01/2025", "03/01/2025"]), (vec![], 2), "{name}");
    }
    // The last day of an export does not determine the dates of its rows.
    let export = "Bulk-Deals-07-02-2024-to-03-02-2025.csv";
    assert_eq!(deals(export, ["02-JAN-2025", "02-MAR-2025"]), (vec!["02 Jan".into(), "02 Mar".into()], 0));
    assert_eq!(deals(export, ["02/03/2025", "02/03/2025"]), (vec![], 2));
    let events = |name: &str| {
        let market = india(name, &format!("{BC}EQ,AROHI,A,01/09/2025, , ,01/09/2025, , ,BONUS 1:1\n"));
        let events = market.tables.rows::<Event>().unwrap();
        let days = events.iter().map(|event| event.ex_date.to_string()).collect::<Vec<_>>();
        (days, market.refused(Reason::AmbiguousDate))
    };
    // In the file of 8 January, `01/09` may be 9 January or 1 September.
    assert_eq!(events("bc08012025.csv"), (vec![], 1));
    for name in ["bc28082025.csv", "bc.csv"] {
        assert_eq!(events(name), (vec!["2025-09-01".into()], 0), "{name}");
    }
}

#[test]
fn rows_of_another_day_than_their_file_or_of_days_to_come_are_refused() {
    let swapped = india("bulk_02012025.csv", &format!("{DEALS}01-FEB-2025,AROHI,A,FUND,BUY,10,10.5,-\n"));
    assert_eq!(swapped.refused(Reason::SwappedDate), 1);
    let to_come = india("bulk.csv", &format!("{DEALS}02-JAN-2062,AROHI,A,FUND,BUY,10,10.5,-\n"));
    assert_eq!(to_come.refused(Reason::StillToCome), 1);
    let sizes =
        |date: &str| india("mcap02012025.csv", &SIZES.replace("03 FEB 2025,AROHI", &format!("{date},AROHI")));
    let refused = |date: &str| sizes(date).refused_as("not of the day in the name of the file");
    assert_eq!((refused("2025-02-01"), refused("01 JAN 2025"), refused("02 JAN 2025")), (1, 1, 0));
    // A folder may be named after the day of the download, or after a month.
    for folder in ["2025-02", "2025-03-05"] {
        let bars = [row("AROHI", "EQ", "2025-02-03", 10.0), row("AROHI", "EQ", "2025-05-03", 10.0)];
        let raw = Raw::new().full(&format!("{folder}/bars.csv"), &bars);
        let market = raw.file(&format!("{folder}/mcap.csv"), SIZES).india();
        assert_eq!((market.report.refused.len(), market.sessions.len()), (0, 2), "{folder}");
    }
    // Announcements are of future days.
    let ahead = india("bc08012025.csv", &format!("{BC}EQ,AROHI,A,01/09/2062, , ,01/09/2062, , ,BONUS 1:1\n"));
    assert_eq!(ahead.refused(Reason::StillToCome), 0);
    let filed = us("4.xml", &FORM.replace("2025-01-03</sig", "2062-01-03</sig"));
    assert_eq!(filed.refused(Reason::StillToCome), 1);
}

#[test]
fn what_stands_twice_in_a_submission_counts_once() {
    let submission = |form: &str, documents: &str| {
        format!(
            "<SEC-DOCUMENT>a\nACCESSION NUMBER: 0000000009-25-000001\nCONFORMED SUBMISSION TYPE: {form}\nCONFORMED PERIOD OF REPORT: 20241231\n\
             FILED AS OF DATE: 20250103\n\tCENTRAL INDEX KEY:\t\t\t0000000009\n<DOCUMENT>\n{documents}\n</DOCUMENT>\n</SEC-DOCUMENT>\n"
        )
    };
    let table = "<XML><informationTable><infoTable><nameOfIssuer>A</nameOfIssuer><titleOfClass>COM</titleOfClass>\
        <cusip>Z00000101</cusip><value>500</value><shrsOrPrnAmt><sshPrnamt>50</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt>\
        </infoTable></informationTable></XML>";
    let twice = us("0000000009-25-000001.txt", &submission("13F-HR", table).repeat(2));
    let positions = twice.tables.rows::<InvestorPosition>().unwrap();
    assert_eq!(positions.iter().map(|it| (it.shares, it.value)).collect::<Vec<_>>(), [(Some(50.0), 500.0)]);
    let form = format!("<XML>{FORM}</XML>");
    let twice = us("0000000009-25-000001.txt", &submission("4", &form).repeat(2));
    assert_eq!(trades(&twice), [(700.0, Some(50.25))]);
}

#[test]
fn forms_with_unread_prices_or_without_a_day_are_refused() {
    assert_eq!(us("4.xml", &FORM.replace("50.25", "50,25")).refused(Reason::BadNumber), 1);
    let footnoted = us("4.xml", &FORM.replace("<value>50.25</value>", "<footnoteId id='F1'/>"));
    assert_eq!(trades(&footnoted), [(700.0, None)]);
    let undated = us("4.xml", &FORM.replace("2025-01-03</sig", "</sig"));
    assert_eq!(undated.refused_as("no date of filing"), 1);
    assert_eq!(us("4.xml", &FORM.replace("2025-01-03</sig", "3rd January</sig")).refused(Reason::BadDate), 1);
}

#[test]
fn a_figure_that_cannot_be_read_costs_no_other() {
    let facts = |value: &str, end: &str| {
        let figure = |value: &str, end: &str| {
            format!(
                r#"{{"end": "{end}", "val": {value}, "accn": "0000000001-25-000001", "form": "10-K", "filed": "2025-01-02"}}"#
            )
        };
        let figures = [figure("5000", "2023-12-31"), figure(value, end)].join(",");
        let text = format!(
            r#"{{"cik": 1, "entityName": "A", "facts": {{"us-gaap": {{"Assets": {{"units": {{"USD": [{figures}]}}}}}}}}}}"#
        );
        let tickers = r#"{"0":{"cik_str":1,"ticker":"AROHI","title":"A"}}"#;
        let raw =
            Raw::new().file("companyfacts/CIK0000000001.json", &text).file("company_tickers.json", tickers);
        let prices = "symbol,date,open,high,low,close,volume\nAROHI,2025-01-02,10,10,10,10,5\nAROHI,2025-01-03,10,10,10,10,5\n";
        let market = raw.file("prices.csv", prices).us();
        let tally = &market.report.formats["SEC company facts"];
        (tally.read, tally.refused, market.report.unreadable.len())
    };
    assert_eq!(facts("6000", "2024-12-31"), (2, 0, 0));
    assert_eq!(facts("\"6,000\"", "2024-12-31"), (2, 1, 0));
    assert_eq!(facts("6000", "31-12-2024"), (2, 1, 0));
}

#[test]
fn results_whose_dates_cannot_be_read_are_refused_and_named() {
    let context = |dates: [&str; 2]| {
        let [start, end] = dates;
        format!(
            "<xbrl><context id='OneD'><entity><identifier>AROHI</identifier></entity><period><startDate>{start}</startDate><endDate>{end}</endDate></period></context>\
             <NatureOfReportStandaloneConsolidated contextRef='OneD'>Standalone</NatureOfReportStandaloneConsolidated>\
             <RevenueFromOperations contextRef='OneD' unitRef='INR'>700</RevenueFromOperations></xbrl>"
        )
    };
    let tally = |dates| {
        let market = india("results.xml", &context(dates));
        let tally = &market.report.formats["results in XBRL"];
        (tally.read, tally.refused)
    };
    assert_eq!(tally(["2024-10-01", "2024-12-31"]), (1, 0));
    assert_eq!(tally(["01-10-2024", "31-12-2024"]), (1, 1));
    assert_eq!(tally(["", ""]), (0, 0), "a report may leave the dates of its details open");
}

#[test]
fn a_quote_without_an_end_swallows_no_row() {
    let list = "Symbol,Name\nAROHI,Arohi Inc.\nBELA,\"Bela Inc.\nCHARU,Charu Inc.\nDEEPA,\"Deepa, Inc.\"\nEKTA,Ekta\n";
    let market = us("members/2025/01/constituents-dowjones.csv", list);
    assert_eq!(market.refused(Reason::OpenQuote), 1);
    let semicolons = list.replace(", Inc", " Inc").replace(',', ";");
    let market = us("members/2025/01/constituents-dowjones.csv", &semicolons);
    assert_eq!(market.refused(Reason::OpenQuote), 1);
    let broken_name = "Symbol,Name\nAROHI,\"Arohi\nHoldings\"\n";
    assert_eq!(us("members/2025/01/constituents-dowjones.csv", broken_name).report.refused.len(), 0);
}

#[test]
fn bands_and_holdings_that_cannot_be_are_refused_and_fractions_are_percent() {
    let bands = india(
        "sec_list_01012025.csv",
        "Symbol,Series,Security Name,Band,Remarks\nAROHI,EQ,A,20,-\nBELA,EQ,B,7,-\nCHARU,EQ,C,0.2,-\nDEEPA,EQ,D,No Band,-\n",
    );
    assert_eq!(bands.refused_as("no price band of the exchange"), 2);
    let held = india(
        "shareholding.csv",
        "SYMBOL,DATE,PROMOTER_PCT,PUBLIC_PCT,FII_PCT\nAROHI,30-SEP-2024,0.4504,0.5496,0.1\nBELA,30-SEP-2024,45.04,54.96,10\nCHARU,30-SEP-2024,0,0.5,0\n",
    );
    assert_eq!(
        held.cells("shareholding", "symbol promoter_pct public_pct fii_pct"),
        ["AROHI | 45.04 | 54.96 | 10", "BELA | 45.04 | 54.96 | 10", "CHARU | 0 | 0.5 | 0"]
    );
}
