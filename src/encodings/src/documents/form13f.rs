//! Form 13F: the holdings of an institutional manager at the end of a quarter, one row per line of its information table.
//!
//! Cover and table are two documents of one submission, or one. A cover without a table is one row without a security, a table without a
//! cover has rows without a manager; readers match them by accession number.

use std::io;

use crate::documents::put_rows::DocumentRows;
use crate::documents::submission_text::{SubmissionHeader, documents};
use crate::documents::xml::XmlNode;

pub(super) const COLUMNS: [&str; 14] = [
    "ACCESSION_NUMBER", "FILING_DATE", "SUBMISSIONTYPE", "AMENDMENTTYPE", "PERIODOFREPORT", "CIK",
    "FILINGMANAGER_NAME", "NAMEOFISSUER", "TITLEOFCLASS", "CUSIP", "VALUE", "SSHPRNAMT", "SSHPRNAMTTYPE",
    "PUTCALL",
];

pub(super) fn rows(text: &str, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    let (submission, documents) = documents(text)?;
    let cover = documents.iter().find(|document| document.name == "edgarSubmission");
    let common = cover_cells(cover, submission);
    let mut lines: Vec<&XmlNode> = Vec::new();
    for document in &documents {
        document.visit_descendants(&mut |node| lines.extend((node.name == "infoTable").then_some(node)));
    }
    if lines.is_empty() {
        let nothing = std::iter::repeat_n(String::new(), COLUMNS.len() - common.len());
        rows.push_row(&common.into_iter().chain(nothing).collect::<Vec<_>>());
        return Ok(());
    }
    for line in lines {
        let amount = line.child("shrsOrPrnAmt");
        let amount = |name: &str| amount.map_or("", |amount| amount.text_at(&[name])).to_owned();
        let text = |name: &str| line.text_at(&[name]).to_owned();
        let line_cells = [
            text("nameOfIssuer"),
            text("titleOfClass"),
            text("cusip"),
            text("value"),
            amount("sshPrnamt"),
            amount("sshPrnamtType"),
            text("putCall"),
        ];
        if !rows.push_row(&common.iter().cloned().chain(line_cells).collect::<Vec<_>>()) {
            break;
        }
    }
    Ok(())
}

/// Returns the cells from the cover, or from the header of the submission.
fn cover_cells(cover: Option<&XmlNode>, submission: SubmissionHeader<'_>) -> Vec<String> {
    let nothing = XmlNode::default();
    let cover = cover.unwrap_or(&nothing);
    let page = cover.element_at(&["formData", "coverPage"]).unwrap_or(&nothing);
    let first =
        |texts: [&str; 2]| texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned();
    vec![
        submission.accession.to_owned(),
        first([submission.filed, cover.text_at(&["formData", "signatureBlock", "signatureDate"])]),
        first([submission.form, cover.text_at(&["headerData", "submissionType"])]),
        page.text_at(&["amendmentInfo", "amendmentType"]).to_owned(),
        first([page.text_at(&["reportCalendarOrQuarter"]), submission.period]),
        first([submission.cik, cover.text_at(&["headerData", "filerInfo", "filer", "credentials", "cik"])]),
        page.text_at(&["filingManager", "name"]).to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use crate::documents::document::tests::read;

    const COVER: &str = r#"<edgarSubmission xmlns:com="c"><headerData><submissionType>13F-HR/A</submissionType><filerInfo><filer><credentials><cik>9200000001</cik></credentials></filer></filerInfo></headerData>
<formData><coverPage><reportCalendarOrQuarter>09-30-2026</reportCalendarOrQuarter><isAmendment>true</isAmendment><amendmentInfo><amendmentType>RESTATEMENT</amendmentType></amendmentInfo>
<filingManager><name>Omega Partners LP</name></filingManager></coverPage><signatureBlock><signatureDate>11-13-2026</signatureDate></signatureBlock></formData></edgarSubmission>"#;
    const TABLE: &str = r#"<n1:informationTable xmlns:n1="t"><n1:infoTable><n1:nameOfIssuer>ALFA &amp; CO</n1:nameOfIssuer><n1:titleOfClass>COM</n1:titleOfClass><n1:cusip>Z00000101</n1:cusip>
<n1:value>125000</n1:value><n1:shrsOrPrnAmt><n1:sshPrnamt>1000</n1:sshPrnamt><n1:sshPrnamtType>SH</n1:sshPrnamtType></n1:shrsOrPrnAmt><n1:putCall>Put</n1:putCall></n1:infoTable></n1:informationTable>"#;

    #[test]
    fn a_line_of_the_table_is_a_row_under_its_cover() {
        let text = format!(
            "<SEC-DOCUMENT>a\nACCESSION NUMBER: 9200000001-26-000001\nCONFORMED SUBMISSION TYPE: 13F-HR/A\nFILED AS OF DATE: 20261114\n<DOCUMENT>\n<XML>\n{COVER}\n</XML>\n<DOCUMENT>\n<XML>{TABLE}</XML>\n</SEC-DOCUMENT>"
        );
        let row = "9200000001-26-000001,20261114,13F-HR/A,RESTATEMENT,09-30-2026,9200000001,Omega Partners LP,ALFA & CO,COM,Z00000101,125000,1000,SH,Put";
        assert_eq!(read(&text).1, [row]);
    }

    #[test]
    fn cover_and_table_may_stand_alone() {
        let cover = ",11-13-2026,13F-HR/A,RESTATEMENT,09-30-2026,9200000001,Omega Partners LP,,,,,,,";
        assert_eq!(read(COVER).1, [cover]);
        assert_eq!(read(TABLE).1, [",,,,,,,ALFA & CO,COM,Z00000101,125000,1000,SH,Put"]);
    }
}
