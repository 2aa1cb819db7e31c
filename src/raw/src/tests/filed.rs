//! Filings, insiders' transactions and institutional positions out of small invented files.

use super::*;
use crate::domain::side::Side;
use crate::formats::filings::Filing;
use crate::formats::insider_forms::InsiderForm;
use crate::formats::investors::Investor;
use crate::formats::positions::InvestorPosition;

/// Prices of two companies on two days, a list of CIKs, listings.
fn market() -> Raw {
    Raw::new()
        .file(
            "prices_2026.csv",
            "symbol,date,open,high,low,close,volume\nALFA,2026-10-28,10,10,10,10,5\nBETA,2026-10-28,20,20,20,20,5\n\
             ALFA,2026-10-30,10,10,10,10,5\nBETA,2026-10-30,20,20,20,20,5\n",
        )
        .file(
            "listings.csv",
            "symbol,name,sector,industry,market_cap,exchange\nALFA,Alfa Systems Inc. Common Stock,T,T,1,NYSE\n\
             BETA,Beta Holdings Corporation,T,T,1,NYSE\n",
        )
        .file(
            "company_tickers.json",
            r#"{"0":{"cik_str":9000000001,"ticker":"ALFA","title":"Alfa Systems Inc."},"1":{"cik_str":9000000002,"ticker":"BETB","title":"Beta"},
               "2":{"cik_str":9000000002,"ticker":"BETA","title":"Beta"}}"#,
        )
}

const INDEX: &str = "Description:  Daily Index of EDGAR Dissemination Feed by Form Type\n \nForm Type   Company Name   CIK         Date Filed  File Name\n\
-------------------------------------------------------\n\
8-K         ALFA SYSTEMS   9000000001  20261029    edgar/data/9000000001/9000000001-26-000002.txt\n\
10-Q        BETA           9000000002  20261028    edgar/data/9000000002/9000000002-26-000001.txt\n\
10-D        A TRUST        9000000777  20261028    edgar/data/9000000777/9000000777-26-000001.txt\n\
torn\n";

const SUBMISSIONS: &str = r#"{"cik":"9000000001","sic":"1","name":"Alfa","tickers":["ALFA"],"filings":{"recent":{
"accessionNumber":["9000000001-26-000002","9000000001-26-000001"],"filingDate":["2026-10-29","2026-10-20"],"reportDate":["2026-10-28","2026-09-30"],
"acceptanceDateTime":["2026-10-29T16:05:00.000Z","2026-10-20T17:00:00.000Z"],"form":["8-K","10-Q"],"items":["5.02,9.01",""],
"primaryDocument":["a.htm",""],"primaryDocDescription":["8-K","10-Q"]}}}"#;

#[test]
fn a_filing_of_two_sources_is_one_that_says_most() {
    let raw = market().file("form.20261029.idx", INDEX).file("CIK9000000001.json", SUBMISSIONS);
    let raw = raw.file("empty.idx", "Description: Master Index of EDGAR Dissemination Feed by Form Type\n\nForm Type   Company Name   CIK\n------\n");
    let market = raw.us();
    let filings = market.tables.rows::<Filing>().unwrap();
    let actual: Vec<_> = filings
        .iter()
        .map(|it| (it.symbol.as_str(), it.form.as_str(), it.filed_on.to_string(), it.title.as_str()))
        .collect();
    assert_eq!(
        actual,
        [
            ("ALFA", "10-Q", "2026-10-20".to_owned(), "Quarterly report for the period ended 2026-09-30"),
            (
                "ALFA",
                "8-K",
                "2026-10-29".to_owned(),
                "Departure or Election of Directors or Certain Officers; Compensatory Arrangements"
            ),
            // The class of shares that trades, not the first class in the list.
            ("BETA", "10-Q", "2026-10-28".to_owned(), "Quarterly report"),
        ]
    );
    let url = filings[1].url.as_deref();
    assert_eq!(url, Some("https://www.sec.gov/Archives/edgar/data/9000000001/900000000126000002/a.htm"));
    let tally = market.report.formats["SEC filings"];
    // Four lines and two submissions: three filings, one duplicate, one without a known filer and one truncated.
    assert_eq!((tally.files, tally.read, tally.kept, tally.identical, tally.refused), (3, 6, 3, 1, 2));
    assert_eq!((market.refused(Reason::FilerWithoutSymbol), market.refused_as("no form")), (1, 1));
}

/// A Form 4 of BETA's issuer with a purchase and a grant.
fn form_4(signed: &str) -> String {
    let row = |code: &str, shares: &str, price: &str| {
        format!(
            "<nonDerivativeTransaction><securityTitle><value>Common</value></securityTitle><transactionDate><value>2026-10-26</value></transactionDate>\
             <transactionCoding><transactionCode>{code}</transactionCode></transactionCoding><transactionAmounts><transactionShares><value>{shares}</value>\
             </transactionShares><transactionPricePerShare>{price}</transactionPricePerShare></transactionAmounts></nonDerivativeTransaction>"
        )
    };
    format!(
        "<ownershipDocument><documentType>4</documentType><issuer><issuerCik>9000000002</issuerCik><issuerName>Beta</issuerName>\
         <issuerTradingSymbol>BETB</issuerTradingSymbol></issuer><reportingOwner><reportingOwnerId><rptOwnerCik>9100000001</rptOwnerCik>\
         <rptOwnerName>Doe Jane</rptOwnerName></reportingOwnerId><reportingOwnerRelationship><isDirector>1</isDirector></reportingOwnerRelationship>\
         </reportingOwner><nonDerivativeTable>{}{}</nonDerivativeTable><ownerSignature><signatureDate>{signed}</signatureDate></ownerSignature>\
         </ownershipDocument>",
        row("P", "300", "<value>19.5</value>"),
        row("A", "50", "<footnoteId id=\"F1\"/>")
    )
}

const TABLE: &str = "ACCESSION_NUMBER,TRANS_DATE,TRANS_CODE,TRANS_SHARES,TRANS_PRICEPERSHARE,FILING_DATE,symbol,quarter\n\
9000000002-26-000005,2026-10-26,P,300.0,19.5,2026-10-28,BETA,2026q4\n\
9000000002-26-000005,2026-10-26,A,50.0,,2026-10-28,BETA,2026q4\n\
9000000001-26-000009,2026-10-27,S,10,10,2026-10-29,ALFA,2026q4\n\
9000000001-26-000009,2026-10-27,S,10,10,2026-10-29,ALFA,2026q4\n\
9000000001-26-000010,2026-10-27,S,,10,2026-10-29,ALFA,2026q4\n";

#[test]
fn a_form_and_a_table_of_it_are_one_filing() {
    let form = form_4("2026-10-27");
    let market = market().file("insiders.csv", TABLE).file("f4/doc4.xml", &form).us();
    let forms = market.tables.rows::<InsiderForm>().unwrap();
    let actual: Vec<_> = forms
        .iter()
        .map(|it| {
            (it.symbol.as_str(), it.code.as_str(), it.side(), it.shares, it.price, it.person.as_deref())
        })
        .collect();
    assert_eq!(
        actual,
        [
            ("ALFA", "S", Side::Sell, 10.0, Some(10.0), None),
            ("ALFA", "S", Side::Sell, 10.0, Some(10.0), None),
            ("BETA", "P", Side::Buy, 300.0, Some(19.5), Some("Doe Jane")),
            ("BETA", "A", Side::Other, 50.0, None, Some("Doe Jane")),
        ]
    );
    // A form without its submission has the day of its signature and no accession number; the table has the number.
    assert_eq!(forms[2].accession.as_deref(), Some("9000000002-26-000005"));
    let tally = market.report.formats["insiders' forms"];
    assert_eq!((tally.read, tally.kept, tally.identical, tally.refused), (7, 4, 2, 1));
    assert_eq!(market.refused_as("neither number nor value"), 1);
}

#[test]
fn a_filing_says_the_day_of_its_form() {
    let path = "f4/9000000002-26-000005.xml";
    let index = INDEX.replace(
        "10-D        A TRUST        9000000777  20261028    edgar/data/9000000777/9000000777-26-000001",
        "4           BETA           9000000002  20261029    edgar/data/9000000002/9000000002-26-000005",
    );
    let market = market().file(path, &form_4("2026-10-27")).file("form.20261029.idx", &index).us();
    let forms = market.tables.rows::<InsiderForm>().unwrap();
    assert!(forms.iter().all(|form| form.filed_on == NaiveDate::from_ymd_opt(2026, 10, 29)), "{forms:?}");
}

/// A Form 13F with lines of name, CUSIP, value, shares.
fn form_13f(
    number: &str,
    form: &str,
    amendment: &str,
    filed: &str,
    lines: &[(&str, &str, u64, u64)],
) -> String {
    let lines: Vec<String> = lines
        .iter()
        .map(|(name, cusip, value, shares)| {
            format!(
                "<infoTable><nameOfIssuer>{name}</nameOfIssuer><titleOfClass>COM</titleOfClass><cusip>{cusip}</cusip><value>{value}</value>\
                 <shrsOrPrnAmt><sshPrnamt>{shares}</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt></infoTable>"
            )
        })
        .collect();
    format!(
        "<SEC-DOCUMENT>{number}.txt\nACCESSION NUMBER:\t{number}\nCONFORMED SUBMISSION TYPE:\t{form}\nFILED AS OF DATE:\t{filed}\n\
         CENTRAL INDEX KEY:\t9900000001\n<DOCUMENT>\n<XML>\n<edgarSubmission><formData><coverPage><reportCalendarOrQuarter>09-30-2026</reportCalendarOrQuarter>\
         <amendmentInfo><amendmentType>{amendment}</amendmentType></amendmentInfo><filingManager><name>Omega LP</name></filingManager></coverPage></formData>\
         </edgarSubmission>\n</XML>\n<DOCUMENT>\n<XML>\n<informationTable>{}</informationTable>\n</XML>\n</SEC-DOCUMENT>\n",
        lines.concat()
    )
}

#[test]
fn amendments_restate_or_add() {
    let first = [("ALFA SYS INC", "Z00000101", 900, 90)];
    let restated = [("ALFA SYS INC", "Z00000101", 1_000, 100), ("ALFA SYS INC", "Z00000101", 500, 50)];
    let added = [("BETA HLDGS CORP", "Z00001100", 400, 20), ("UNKNOWN PLC", "Z00009999", 7, 1)];
    let market = market()
        .file("a.txt", &form_13f("9900000001-26-000001", "13F-HR", "", "20261020", &first))
        .file("b.txt", &form_13f("9900000001-26-000002", "13F-HR/A", "RESTATEMENT", "20261021", &restated))
        .file("c.txt", &form_13f("9900000001-26-000003", "13F-HR/A", "NEW HOLDINGS", "20261022", &added))
        .file("d.txt", &form_13f("9900000001-26-000004", "13F-NT", "", "20261023", &[]))
        .file("infotable.xml", "<informationTable><infoTable><cusip>Z00000101</cusip><value>1</value><shrsOrPrnAmt><sshPrnamt>1</sshPrnamt></shrsOrPrnAmt></infoTable></informationTable>")
        .file("cusips.csv", "cusip,symbol\nZ00001100,BETA\n")
        .us();
    let positions = market.tables.rows::<InvestorPosition>().unwrap();
    let actual: Vec<_> =
        positions.iter().map(|it| (it.cusip.as_str(), it.symbol.as_deref(), it.shares, it.value)).collect();
    assert_eq!(
        actual,
        [
            ("Z00000101", Some("ALFA"), Some(150.0), 1_500.0),
            ("Z00001100", Some("BETA"), Some(20.0), 400.0),
            ("Z00009999", None, Some(1.0), 7.0),
        ]
    );
    let investors = market.tables.rows::<Investor>().unwrap();
    assert_eq!((investors.len(), investors[0].name.as_str()), (1, "Omega LP"));
    let tally = market.report.formats["institutional positions"];
    assert_eq!((tally.read, tally.kept, tally.restated, tally.refused), (7, 4, 1, 2));
    assert_eq!(
        (market.refused(Reason::NoFiler), market.refused_as("says that there are no records")),
        (1, 1)
    );
    let message = "of 3 CUSIPs, 1 has a symbol from a list, 1 by the issuer's name, 1 none";
    assert!(market.report.exceptions.iter().any(|line| line == message), "{:?}", market.report.exceptions);
}

#[test]
fn values_of_older_filings_are_thousands() {
    let lines = [("ALFA SYS INC", "Z00000101", 900, 90)];
    let older = form_13f("9900000001-22-000001", "13F-HR", "", "20221114", &lines)
        .replace("09-30-2026", "09-30-2022");
    let market = market().file("old.txt", &older).us();
    let positions = market.tables.rows::<InvestorPosition>().unwrap();
    assert_eq!((positions.len(), positions[0].value), (1, 900_000.0));
}

#[test]
fn cover_and_table_meet_by_their_number() {
    let whole = form_13f("9900000001-26-000001", "13F-HR", "", "20261020", &[]);
    let cover = whole.split("<XML>\n").nth(1).unwrap().split("\n</XML>").next().unwrap();
    let cover = cover.replace(
        "<formData>",
        "<headerData><submissionType>13F-HR</submissionType><filerInfo><filer><credentials><cik>9900000001</cik></credentials></filer></filerInfo></headerData><formData><signatureBlock><signatureDate>10-20-2026</signatureDate></signatureBlock>",
    );
    let market = market()
        .file("9900000001-26-000001/primary_doc.xml", &cover)
        .file("9900000001-26-000001/table.xml", "<informationTable><infoTable><nameOfIssuer>BETA HLDGS CORP</nameOfIssuer><cusip>Z00001100</cusip><value>40</value><shrsOrPrnAmt><sshPrnamt>2</sshPrnamt></shrsOrPrnAmt></infoTable></informationTable>")
        .us();
    let positions = market.tables.rows::<InvestorPosition>().unwrap();
    assert_eq!(
        (positions.len(), positions[0].cik, positions[0].symbol.as_deref()),
        (1, 9_900_000_001, Some("BETA"))
    );
    assert_eq!(positions[0].report_date.to_string(), "2026-09-30");
}

#[test]
fn prices_of_the_day_tell_what_values_and_prices_are() {
    let of_day = |text: String| text.replace("09-30-2026", "10-30-2026");
    let lines = [("ALFA SYS INC", "Z00000101", 10, 1_000), ("BETA HLDGS CORP", "Z00001100", 2_000, 100_000)];
    let thousands = of_day(form_13f("9900000001-26-000001", "13F-HR", "", "20261120", &lines));
    let lines = [("ALFA SYS INC", "Z00000101", 10_000, 1_000), ("BETA HLDGS CORP", "Z00001100", 700, 700)];
    let repeated = of_day(form_13f("9900000002-26-000001", "13F-HR", "", "20261120", &lines))
        .replace("9900000001", "9900000002");
    let form = |owner: u32, traded: &str, price: &str| {
        format!(
            "<ownershipDocument><documentType>4</documentType><issuer><issuerCik>9000000002</issuerCik></issuer><reportingOwner>\
             <reportingOwnerId><rptOwnerCik>{owner}</rptOwnerCik></reportingOwnerId></reportingOwner><nonDerivativeTable>\
             <nonDerivativeTransaction><transactionDate><value>{traded}</value></transactionDate><transactionCoding>\
             <transactionCode>P</transactionCode></transactionCoding><transactionAmounts><transactionShares><value>500</value></transactionShares>\
             <transactionPricePerShare><value>{price}</value></transactionPricePerShare></transactionAmounts></nonDerivativeTransaction>\
             </nonDerivativeTable><ownerSignature><signatureDate>2026-10-31</signatureDate></ownerSignature></ownershipDocument>"
        )
    };
    let market = market()
        .file("cusips.csv", "cusip,symbol\nZ00000101,ALFA\nZ00001100,BETA\n")
        .file("a.txt", &thousands)
        .file("b.txt", &repeated)
        .file("later.xml", &form(1, "2036-10-30", "20"))
        .file("total.xml", &form(2, "2026-10-30", "10050"))
        .file("sound.xml", &form(3, "2026-10-29", "20.5"))
        .us();
    let positions = market.tables.rows::<InvestorPosition>().unwrap();
    let actual: Vec<_> = positions.iter().map(|it| (it.cik % 10, it.cusip.as_str(), it.value)).collect();
    assert_eq!(actual, [(1, "Z00000101", 10e3), (1, "Z00001100", 2e6), (2, "Z00000101", 10e3)]);
    assert_eq!(market.refused(Reason::ValueIsShares), 1);
    let forms = market.tables.rows::<InsiderForm>().unwrap();
    let mut actual: Vec<_> =
        forms.iter().map(|it| (it.trade_day().map(|day| day.to_string()), it.price)).collect();
    actual.sort_by(|a, b| a.0.cmp(&b.0));
    let day = |text: &str| Some(text.to_owned());
    assert_eq!(actual, [(None, Some(20.0)), (day("2026-10-29"), Some(20.5)), (day("2026-10-30"), None)]);
    for message in [
        "values of 1 report of Form 13F",
        "1 transaction of Forms 4 and 5 is dated after",
        "1 transaction of Forms 4 and 5 states what",
    ] {
        assert!(
            market.report.exceptions.iter().any(|line| line.starts_with(message)),
            "{message}: {:?}",
            market.report.exceptions
        );
    }
}
