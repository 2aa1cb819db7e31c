//! The SEC's quarterly data sets of insiders' forms and of Form 13F, small and invented.

use super::*;
use crate::domain::side::Side;
use crate::formats::insider_forms::InsiderForm;
use crate::formats::investors::Investor;
use crate::formats::positions::InvestorPosition;

/// Prices of two companies on two days, and a list of CIKs.
fn market() -> Raw {
    Raw::new()
        .file(
            "prices.csv",
            "symbol,date,open,high,low,close,volume\nALFA,2026-03-30,10,10,10,10,5\nBETA,2026-03-30,20,20,20,20,5\n\
             ALFA,2026-03-31,10,10,10,10,5\nBETA,2026-03-31,20,20,20,20,5\n",
        )
        .file("listings.csv", "symbol,name,sector,industry,market_cap\nALFA,Alfa Systems Inc. Common Stock,T,T,1\nBETA,Beta Holdings Corporation,T,T,1\n")
        .file("company_tickers.json", r#"{"0":{"cik_str":9000000001,"ticker":"ALFA","title":"Alfa"},"1":{"cik_str":9000000002,"ticker":"BETA","title":"Beta"}}"#)
}

fn tabs(text: &str) -> String {
    text.replace('|', "\t")
}

const SUBMISSIONS: &str = "ACCESSION_NUMBER|FILING_DATE|PERIOD_OF_REPORT|DOCUMENT_TYPE|ISSUERCIK|ISSUERNAME|ISSUERTRADINGSYMBOL|REMARKS\n\
    9000000001-26-000001|12-MAR-2026|10-MAR-2026|4|9000000001|Alfa \"Systems\" Inc|ALFA|\n\
    9000000002-26-000002|13-MAR-2026|11-MAR-2026|4/A|0009000000002|Beta|NONE|\"open\n";
const OWNERS: &str = "ACCESSION_NUMBER|RPTOWNERCIK|RPTOWNERNAME|RPTOWNER_RELATIONSHIP|RPTOWNER_TITLE\n\
    9000000001-26-000001|9100000001|Doe Jane|Director,Officer|CEO\n9000000001-26-000001|9100000002|Doe Trust|TenPercentOwner|\n\
    9000000002-26-000002|9100000003|Roe Ann|Director|\n";
const TRADES: &str = "ACCESSION_NUMBER|NONDERIV_TRANS_SK|SECURITY_TITLE|TRANS_DATE|TRANS_FORM_TYPE|TRANS_CODE|TRANS_SHARES|TRANS_PRICEPERSHARE|\
    TRANS_ACQUIRED_DISP_CD|SHRS_OWND_FOLWNG_TRANS|DIRECT_INDIRECT_OWNERSHIP\n\
    9000000001-26-000001|1|Common Stock|10-MAR-2026|4|S|1200.0|10.5|D|8800|D\n9000000002-26-000002|2|Common|11-MAR-2026|4|P|50|||150|I\n\
    9000000002-26-000002|3|Common|11-MAR-2026|4|P||20|A||D\n9000000009-26-000009|4|Common|11-MAR-2026|4|P|1|20|A||D\n";
const OPTIONS: &str = "TRANS_SHARES|TRANS_CODE|TRANS_DATE|ACCESSION_NUMBER|DERIV_TRANS_SK|TRANS_PRICEPERSHARE|SECURITY_TITLE|CONV_EXERCISE_PRICE\n\
    500|M|10-MAR-2026|9000000001-26-000001|1|0|Option|5\n";

fn form345() -> Vec<u8> {
    zip(&[
        ("SUBMISSION.tsv", &tabs(SUBMISSIONS)),
        ("REPORTINGOWNER.tsv", &tabs(OWNERS)),
        ("NONDERIV_TRANS.tsv", &tabs(TRADES)),
        ("DERIV_TRANS.tsv", &tabs(OPTIONS)),
        (
            "FOOTNOTES.tsv",
            &tabs("ACCESSION_NUMBER|FOOTNOTE_ID|FOOTNOTE_TXT\n9000000001-26-000001|F1|By plan.\n"),
        ),
        ("FORM_345_readme.htm", "<html></html>"),
    ])
}

#[test]
fn transactions_meet_their_submissions_and_owners() {
    let market = market().bytes("2026q1_form345.zip", &form345()).us();
    let forms = market.tables.rows::<InsiderForm>().unwrap();
    let position_cells: Vec<_> = forms
        .iter()
        .map(|it| (it.symbol.as_str(), it.code.as_str(), it.side(), it.shares, it.price, it.form.as_deref()))
        .collect();
    assert_eq!(
        position_cells,
        [
            ("ALFA", "M", Side::Other, 500.0, Some(0.0), Some("4")),
            ("ALFA", "S", Side::Sell, 1200.0, Some(10.5), Some("4")),
            // The symbol is that of the issuer's number.
            ("BETA", "P", Side::Buy, 50.0, None, Some("4/A")),
        ]
    );
    let sale = &forms[1];
    assert_eq!((sale.person.as_deref(), sale.title.as_deref()), (Some("Doe Jane; Doe Trust"), Some("CEO")));
    assert_eq!(sale.category.as_deref(), Some("Director,Officer; TenPercentOwner"));
    assert_eq!(sale.person_ciks.as_deref(), Some("9100000001; 9100000002"));
    assert_eq!(sale.issuer.as_deref(), Some("Alfa \"Systems\" Inc"), "cells between tabs have no quotes");
    assert_eq!(
        (sale.filed_on.unwrap().to_string(), sale.traded_on.to_string()),
        ("2026-03-12".into(), "2026-03-10".into())
    );
    assert_eq!(
        (sale.held_before, sale.held_after, sale.is_indirect),
        (Some(10_000.0), Some(8_800.0), Some(false))
    );
    assert_eq!(sale.accession.as_deref(), Some("9000000001-26-000001"));
    let tally = market.report.formats["insiders' data sets"];
    // Two submissions, three owners and five transactions, of which one has no number of shares and one no submission.
    assert_eq!((tally.files, tally.read, tally.kept, tally.refused), (4, 10, 8, 2));
    assert_eq!((market.refused_as("neither number nor value"), market.refused(Reason::NoFiler)), (1, 1));
    assert_eq!(
        market.report.unused_files,
        ["2026q1_form345.zip!FOOTNOTES.tsv", "2026q1_form345.zip!FORM_345_readme.htm"]
    );
}

#[test]
fn a_data_set_that_is_there_twice_is_one() {
    let market =
        market().bytes("2026q1_form345.zip", &form345()).bytes("again/2026q1_form345.zip", &form345()).us();
    assert_eq!(market.tables.rows::<InsiderForm>().unwrap().len(), 3);
    assert_eq!(market.report.formats["insiders' data sets"].identical, 3);
}

#[test]
fn what_is_filed_later_is_not_known() {
    let as_of = NaiveDate::from_ymd_opt(2026, 3, 12);
    let raw = market()
        .bytes("2026q1_form345.zip", &form345())
        .file("old.csv", "symbol,date,open,high,low,close,volume\nALFA,2026-03-12,10,10,10,10,5\n");
    let market = raw.read_with(RawOptions { as_of, ..RawOptions::for_market(Market::Us) });
    let forms = market.tables.rows::<InsiderForm>().unwrap();
    assert!(forms.len() == 2 && forms.iter().all(|form| form.symbol == "ALFA"), "{forms:?}");
}

#[test]
fn a_table_that_is_cut_is_a_read_fault() {
    let whole = tabs(TRADES);
    let raw = market()
        .file("q1/SUBMISSION.tsv", &tabs(SUBMISSIONS))
        .file("q1/NONDERIV_TRANS.tsv", &whole[..whole.len() - 20]);
    let options = RawOptions { allow_unreadable: true, ..RawOptions::for_market(Market::Us) };
    let market = raw.read_with(options);
    assert!(market.report.unreadable[0].why.contains("the file is cut"), "{:?}", market.report.unreadable);
    // Tables of one folder belong together as those of an archive do; without the owners there are no names.
    let forms = market.tables.rows::<InsiderForm>().unwrap();
    assert_eq!((forms.len(), forms[0].person.as_deref()), (2, None));
}

/// A data set of Form 13F in which three institutions report, the first with an amendment that adds.
fn form13f(filed: &str, quarter: &str) -> Vec<u8> {
    let submissions = "ACCESSION_NUMBER|FILING_DATE|SUBMISSIONTYPE|CIK|PERIODOFREPORT\n\
        9900000001-26-000001|FILED|13F-HR|9900000001|QUARTER\n9900000001-26-000002|FILED|13F-HR/A|9900000001|QUARTER\n\
        9900000002-26-000001|FILED|13F-HR|9900000002|QUARTER\n9900000003-26-000001|FILED|13F-NT|9900000003|QUARTER\n";
    let pages = "ACCESSION_NUMBER|REPORTCALENDARORQUARTER|ISAMENDMENT|AMENDMENTNO|AMENDMENTTYPE|FILINGMANAGER_NAME\n\
        9900000001-26-000001|QUARTER|N|||Omega LP\n9900000001-26-000002|QUARTER|Y|1|NEW HOLDINGS|Omega LP\n\
        9900000002-26-000001|QUARTER|N|||Sigma LLC\n";
    let lines = "ACCESSION_NUMBER|INFOTABLE_SK|NAMEOFISSUER|TITLEOFCLASS|CUSIP|FIGI|VALUE|SSHPRNAMT|SSHPRNAMTTYPE|PUTCALL|INVESTMENTDISCRETION\n\
        9900000001-26-000001|1|ALFA SYS INC|COM|Z00000101||900|90|SH||SOLE\n9900000001-26-000001|2|ALFA SYS INC|COM|Z00000101||100|10|SH||DFND\n\
        9900000001-26-000001|3|ALFA SYS INC|COM|Z00000101||50|5|SH|Put|SOLE\n9900000001-26-000002|4|BETA HLDGS CORP|NOTE|Z00001100||400|20|PRN||SOLE\n\
        9900000002-26-000001|5|BETA HLDGS CORP|COM|Z00001100||7|1|SH||SOLE\n9900000002-26-000001|6|BETA HLDGS CORP|COM|||7|1|SH||SOLE\n\
        9900000002-26-000001|7|BETA HLDGS CORP|COM|Z00001100||many|1|SH||SOLE\n";
    let totals = "ACCESSION_NUMBER|OTHERINCLUDEDMANAGERSCOUNT|TABLEENTRYTOTAL|TABLEVALUETOTAL\n9900000001-26-000001|0|3|1050\n\
        9900000001-26-000002|0|1|400\n9900000002-26-000001|0|1|7\n9900000003-26-000001|||\n";
    let dated = |text: &str| {
        tabs(&text.replace("|FILED", &format!("|{filed}")).replace("|QUARTER", &format!("|{quarter}")))
    };
    zip(&[
        ("SUBMISSION.tsv", &dated(submissions)),
        ("COVERPAGE.tsv", &dated(pages)),
        ("INFOTABLE.tsv", &dated(lines)),
        ("SUMMARYPAGE.tsv", &dated(totals)),
    ])
}

/// The filer, the CUSIP, the option, the shares and the value.
type PositionCells<'a> = (u64, &'a str, Option<&'a str>, Option<f64>, f64);

fn position_cells(market: &RawMarket) -> Vec<PositionCells<'_>> {
    let positions = market.tables.rows::<InvestorPosition>().unwrap();
    positions.iter().map(|it| (it.cik, it.cusip.as_str(), it.option, it.shares, it.value)).collect()
}

#[test]
fn lines_meet_their_covers() {
    let market =
        market().bytes("01mar2026-31may2026_form13f.zip", &form13f("13-MAY-2026", "31-MAR-2026")).us();
    assert_eq!(
        position_cells(&market),
        [
            (9_900_000_001, "Z00000101", None, Some(100.0), 1_000.0),
            (9_900_000_001, "Z00000101", Some("put"), Some(5.0), 50.0),
            // A principal amount is no number of shares.
            (9_900_000_001, "Z00001100", None, None, 400.0),
            (9_900_000_002, "Z00001100", None, Some(1.0), 7.0),
        ]
    );
    let positions = market.tables.rows::<InvestorPosition>().unwrap();
    assert_eq!(
        (positions[0].report_date.to_string(), positions[0].filed_on.to_string()),
        ("2026-03-31".to_owned(), "2026-05-13".to_owned())
    );
    let names: Vec<_> = market.tables.rows::<Investor>().unwrap().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Omega LP", "Sigma LLC"]);
    assert_eq!((market.refused_as("no CUSIP"), market.refused(Reason::BadNumber)), (1, 1));
    assert_eq!(market.refused_as("says that there are no records"), 1);
}

#[test]
fn values_are_thousands_until_2023() {
    let market = market().bytes("2022q4_form13f.zip", &form13f("14-NOV-2022", "30-SEP-2022")).us();
    assert_eq!(position_cells(&market)[0], (9_900_000_001, "Z00000101", None, Some(100.0), 1_000_000.0));
}

#[test]
fn lines_of_institutions_that_are_not_followed_are_passed_over() {
    let market = market()
        .bytes("2026q1_form13f.zip", &form13f("13-MAY-2026", "31-MAR-2026"))
        .file("investors.csv", "cik,investor,style\n9900000002,Sigma,value\n")
        .us();
    assert_eq!(position_cells(&market), [(9_900_000_002, "Z00001100", None, Some(1.0), 7.0)]);
    let message = "of 5 lines in data sets of Form 13F, 1 is in reports of institutions that are followed; the others are left out";
    assert!(market.report.exceptions.iter().any(|line| line == message), "{:?}", market.report.exceptions);
}
