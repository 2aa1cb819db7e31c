//! Forms 3, 4 and 5: holdings and trades of insiders, one row per transaction.
//!
//! Holdings without a transaction are skipped; a form without any transaction is one row without a code. Several owners who report together
//! are one row. The form does not have its filing date: without the submission's header, the date of the signature is used.

use std::io;

use crate::documents::put_rows::DocumentRows;
use crate::documents::submission_text::{SubmissionHeader, documents};
use crate::documents::xml::XmlNode;

pub(super) const COLUMNS: [&str; 19] = [
    "ACCESSION_NUMBER",
    "FILING_DATE",
    "DOCUMENT_TYPE",
    "ISSUERCIK",
    "ISSUERNAME",
    "ISSUERTRADINGSYMBOL",
    "RPTOWNERCIK",
    "RPTOWNERNAME",
    "RPTOWNER_RELATIONSHIP",
    "RPTOWNER_TITLE",
    "SECURITY_TITLE",
    "TRANS_DATE",
    "TRANS_CODE",
    "TRANS_SHARES",
    "TRANS_PRICEPERSHARE",
    "TRANS_ACQUIRED_DISP_CD",
    "SHRS_OWND_FOLWNG_TRANS",
    "DIRECT_INDIRECT_OWNERSHIP",
    "FOOTNOTES",
];

pub(super) fn rows(text: &str, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    let (submission, documents) = documents(text)?;
    for form in documents.iter().filter(|document| document.name == "ownershipDocument") {
        for cells in cells_of(form, submission) {
            if !rows.push_row(&cells) {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn cells_of(form: &XmlNode, submission: SubmissionHeader<'_>) -> Vec<Vec<String>> {
    let signed = form.text_at(&["ownerSignature", "signatureDate"]);
    let filed = if submission.filed.is_empty() { signed } else { submission.filed };
    let owners: Vec<&XmlNode> = form.all("reportingOwner").collect();
    let of_owners = |text_of: &dyn Fn(&XmlNode) -> String| {
        let mut texts: Vec<String> = Vec::new();
        for text in owners.iter().map(|owner| text_of(owner)).filter(|text| !text.is_empty()) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.join("; ")
    };
    let common: Vec<String> = vec![
        submission.accession.to_owned(),
        filed.to_owned(),
        form.text_at(&["documentType"]).to_owned(),
        form.text_at(&["issuer", "issuerCik"]).to_owned(),
        form.text_at(&["issuer", "issuerName"]).to_owned(),
        form.text_at(&["issuer", "issuerTradingSymbol"]).to_owned(),
        of_owners(&|owner| owner.text_at(&["reportingOwnerId", "rptOwnerCik"]).to_owned()),
        of_owners(&|owner| owner.text_at(&["reportingOwnerId", "rptOwnerName"]).to_owned()),
        of_owners(&relationship_words),
        of_owners(&|owner| owner.text_at(&["reportingOwnerRelationship", "officerTitle"]).to_owned()),
    ];
    let tables =
        [("nonDerivativeTable", "nonDerivativeTransaction"), ("derivativeTable", "derivativeTransaction")];
    let transactions =
        tables.iter().flat_map(|(table, row)| form.all(table).flat_map(|table| table.all(row)));
    let mut rows: Vec<Vec<String>> = transactions
        .map(|row| common.iter().cloned().chain(transaction_cells(row, form)).collect())
        .collect();
    if rows.is_empty() {
        let nothing = COLUMNS.iter().skip(common.len()).map(|_| String::new());
        rows.push(common.iter().cloned().chain(nothing).collect());
    }
    rows
}

/// Returns the owner's relationship to the company, in the words of the SEC's data sets.
fn relationship_words(owner: &XmlNode) -> String {
    let is = |name: &str| {
        let flag = owner.text_at(&["reportingOwnerRelationship", name]);
        flag == "1" || flag.eq_ignore_ascii_case("true")
    };
    let other = owner.text_at(&["reportingOwnerRelationship", "otherText"]);
    let words = [("isDirector", "Director"), ("isOfficer", "Officer"), ("isTenPercentOwner", "10% owner")];
    let roles = words.iter().filter(|(name, _)| is(name)).map(|(_, word)| *word);
    let other = is("isOther").then_some(if other.is_empty() { "Other" } else { other });
    roles.chain(other).collect::<Vec<_>>().join(", ")
}

/// Returns the cells of a transaction, from its security on.
fn transaction_cells(row: &XmlNode, form: &XmlNode) -> Vec<String> {
    let value = |path: &[&str]| row.element_at(path).map_or("", |node| node.text_at(&["value"])).to_owned();
    vec![
        value(&["securityTitle"]),
        value(&["transactionDate"]),
        row.text_at(&["transactionCoding", "transactionCode"]).to_owned(),
        value(&["transactionAmounts", "transactionShares"]),
        value(&["transactionAmounts", "transactionPricePerShare"]),
        value(&["transactionAmounts", "transactionAcquiredDisposedCode"]),
        value(&["postTransactionAmounts", "sharesOwnedFollowingTransaction"]),
        value(&["ownershipNature", "directOrIndirectOwnership"]),
        footnotes_of(row, form),
    ]
}

/// Returns the footnotes that a transaction refers to, each once, in the order of the references.
fn footnotes_of(row: &XmlNode, form: &XmlNode) -> String {
    let mut ids: Vec<&str> = Vec::new();
    row.visit_descendants(&mut |node| {
        let id = if node.name == "footnoteId" { node.attribute("id") } else { None };
        ids.extend(id.filter(|id| !ids.contains(id)));
    });
    let notes: Vec<&XmlNode> = form.all("footnotes").flat_map(|notes| notes.all("footnote")).collect();
    let note = |id: &&str| notes.iter().find(|note| note.attribute("id") == Some(*id));
    let words = |note: &&XmlNode| note.text.split_whitespace().collect::<Vec<_>>().join(" ");
    ids.iter().filter_map(note).map(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use crate::documents::document::tests::read;

    /// An invented Form 4: two owners, a sale with a footnote in place of its price, and an exercised option.
    pub(crate) const FORM_4: &str = r#"<?xml version="1.0"?>
<ownershipDocument><documentType>4</documentType><periodOfReport>2026-10-26</periodOfReport>
<issuer><issuerCik>9000000001</issuerCik><issuerName>Alfa &amp; Co</issuerName><issuerTradingSymbol>ALFA</issuerTradingSymbol></issuer>
<reportingOwner><reportingOwnerId><rptOwnerCik>9100000001</rptOwnerCik><rptOwnerName>Doe Jane</rptOwnerName></reportingOwnerId>
<reportingOwnerRelationship><isDirector>1</isDirector><isOfficer>true</isOfficer><officerTitle>CEO</officerTitle></reportingOwnerRelationship></reportingOwner>
<reportingOwner><reportingOwnerId><rptOwnerCik>9100000002</rptOwnerCik><rptOwnerName>Doe Trust</rptOwnerName></reportingOwnerId>
<reportingOwnerRelationship><isDirector>0</isDirector><isTenPercentOwner>1</isTenPercentOwner></reportingOwnerRelationship></reportingOwner>
<nonDerivativeTable><nonDerivativeTransaction><securityTitle><value>Common Stock</value></securityTitle>
<transactionDate><value>2026-10-26</value></transactionDate>
<transactionCoding><transactionFormType>4</transactionFormType><transactionCode>S</transactionCode><footnoteId id="F2"/></transactionCoding>
<transactionAmounts><transactionShares><value>1200</value></transactionShares><transactionPricePerShare><footnoteId id="F1"/></transactionPricePerShare>
<transactionAcquiredDisposedCode><value>D</value></transactionAcquiredDisposedCode></transactionAmounts>
<postTransactionAmounts><sharesOwnedFollowingTransaction><value>8800</value><footnoteId id="F2"/></sharesOwnedFollowingTransaction></postTransactionAmounts>
<ownershipNature><directOrIndirectOwnership><value>D</value></directOrIndirectOwnership></ownershipNature></nonDerivativeTransaction>
<nonDerivativeHolding><securityTitle><value>Common Stock</value></securityTitle></nonDerivativeHolding></nonDerivativeTable>
<derivativeTable><derivativeTransaction><securityTitle><value>Option</value></securityTitle><transactionDate><value>2026-10-26</value></transactionDate>
<transactionCoding><transactionCode>M</transactionCode></transactionCoding>
<transactionAmounts><transactionShares><value>500.0</value></transactionShares><transactionPricePerShare><value>0</value></transactionPricePerShare></transactionAmounts>
</derivativeTransaction></derivativeTable>
<footnotes><footnote id="F1">Several
 prices.</footnote><footnote id="F2">By plan.</footnote></footnotes>
<ownerSignature><signatureDate>2026-10-28</signatureDate></ownerSignature></ownershipDocument>"#;

    #[test]
    fn a_transaction_is_a_row_with_all_owners() {
        let head = ",2026-10-28,4,9000000001,Alfa & Co,ALFA,9100000001; 9100000002,Doe Jane; Doe Trust,Director, Officer; 10% owner,CEO";
        assert_eq!(
            read(FORM_4).1,
            [
                format!("{head},Common Stock,2026-10-26,S,1200,,D,8800,D,By plan. Several prices."),
                format!("{head},Option,2026-10-26,M,500.0,0,,,,"),
            ]
        );
    }

    #[test]
    fn a_form_without_transactions_is_one_row_without_a_code() {
        let text = "<ownershipDocument><documentType>3</documentType><noSecuritiesOwned>1</noSecuritiesOwned></ownershipDocument>";
        assert_eq!(read(text).1, [",,3,,,,,,,,,,,,,,,,"]);
    }

    #[test]
    fn the_submission_says_when_it_was_filed() {
        let text = format!(
            "<SEC-DOCUMENT>a\nACCESSION NUMBER: 9000000001-26-000005\nCONFORMED SUBMISSION TYPE: 4\nFILED AS OF DATE: 20261029\n<DOCUMENT>\n<XML>\n{FORM_4}\n</XML>\n</SEC-DOCUMENT>"
        );
        assert!(read(&text).1.iter().all(|row| row.starts_with("9000000001-26-000005,20261029,4,")));
    }
}
