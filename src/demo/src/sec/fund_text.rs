//! Forms 13F as text: the submission with its cover and its information table.

use super::super::world::World;
use super::form_text::escape_xml;
use super::funds::{AmendmentType, FollowedInvestor, FundPosition, FundReport};
use super::identity;

pub(super) fn fund_submission_text(world: &World, fund: &FollowedInvestor, report: &FundReport) -> String {
    let (filed, quarter) = (report.filed.format("%Y%m%d"), report.quarter.format("%Y%m%d"));
    let (form, amendment) = match report.kind {
        AmendmentType::Original => ("13F-HR", ""),
        AmendmentType::Restatement => ("13F-HR/A", "RESTATEMENT"),
        AmendmentType::NewHoldings => ("13F-HR/A", "NEW HOLDINGS"),
    };
    let amendment = match amendment {
        "" => "<isAmendment>false</isAmendment>".to_owned(),
        kind => format!(
            "<isAmendment>true</isAmendment><amendmentInfo><amendmentType>{kind}</amendmentType></amendmentInfo>"
        ),
    };
    let cik = identity::format_cik(fund.cik);
    let total: u64 = report.positions.iter().map(|position| position.value).sum();
    let lines: String = report.positions.iter().map(|position| table_line(world, position)).collect();
    format!(
        "<SEC-DOCUMENT>{accession}.txt : {filed}\n<SEC-HEADER>{accession}.hdr.sgml : {filed}\n\
         ACCESSION NUMBER:\t\t{accession}\nCONFORMED SUBMISSION TYPE:\t{form}\nPUBLIC DOCUMENT COUNT:\t\t2\n\
         CONFORMED PERIOD OF REPORT:\t{quarter}\nFILED AS OF DATE:\t\t{filed}\n\nFILER:\n\n\tCOMPANY DATA:\n\
         \t\tCOMPANY CONFORMED NAME:\t\t\t{name}\n\t\tCENTRAL INDEX KEY:\t\t\t{cik}\n</SEC-HEADER>\n\
         <DOCUMENT>\n<TYPE>{form}\n<SEQUENCE>1\n<FILENAME>primary_doc.xml\n<TEXT>\n<XML>\n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <edgarSubmission xmlns=\"http://www.sec.gov/edgar/thirteenffiler\"><headerData><submissionType>{form}</submissionType>\
         <filerInfo><filer><credentials><cik>{cik}</cik></credentials></filer><periodOfReport>{period}</periodOfReport></filerInfo>\
         </headerData><formData><coverPage><reportCalendarOrQuarter>{period}</reportCalendarOrQuarter>{amendment}\
         <filingManager><name>{name}</name></filingManager><reportType>13F HOLDINGS REPORT</reportType></coverPage>\
         <summaryPage><tableEntryTotal>{count}</tableEntryTotal><tableValueTotal>{total}</tableValueTotal></summaryPage>\
         </formData></edgarSubmission>\n</XML>\n</TEXT>\n</DOCUMENT>\n\
         <DOCUMENT>\n<TYPE>INFORMATION TABLE\n<SEQUENCE>2\n<FILENAME>infotable.xml\n<TEXT>\n<XML>\n\
         <informationTable xmlns=\"http://www.sec.gov/edgar/document/thirteenf/informationtable\">\n{lines}</informationTable>\n\
         </XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n",
        accession = report.accession,
        name = escape_xml(&fund.name),
        period = report.quarter.format("%m-%d-%Y"),
        count = report.positions.len(),
    )
}

/// Returns a line of the table. Issuer names are cut to thirty characters, as filers do.
fn table_line(world: &World, position: &FundPosition) -> String {
    let Some(company) = world.listings.get(position.listing).map(|listing| &listing.company) else {
        return String::new();
    };
    let issuer: String = company.name.to_uppercase().replace('.', "").chars().take(30).collect();
    let option = match position.option {
        "" => String::new(),
        option => format!("<putCall>{option}</putCall>"),
    };
    format!(
        "<infoTable><nameOfIssuer>{}</nameOfIssuer><titleOfClass>COM</titleOfClass><cusip>{}</cusip><value>{}</value>\
         <shrsOrPrnAmt><sshPrnamt>{}</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt>{option}\
         <investmentDiscretion>SOLE</investmentDiscretion></infoTable>\n",
        escape_xml(&issuer),
        identity::cusip(company.ordinal),
        position.value,
        position.shares
    )
}
