//! Forms 4 as text: the submission with its XML, and the rows of a transaction table with the SEC's column names.

use chrono::NaiveDate;

use super::super::output::hundredths;
use super::super::world::Listing;
use super::filings::SecFiling;
use super::forms::{InsiderTrade, OwnershipForm};
use super::identity;

/// The columns of the transaction table.
pub(super) const COLUMNS: &str = "ACCESSION_NUMBER,FILING_DATE,DOCUMENT_TYPE,ISSUERCIK,ISSUERNAME,ISSUERTRADINGSYMBOL,RPTOWNERCIK,\
    RPTOWNERNAME,RPTOWNER_RELATIONSHIP,RPTOWNER_TITLE,SECURITY_TITLE,TRANS_DATE,TRANS_CODE,TRANS_SHARES,\
    TRANS_PRICEPERSHARE,SHRS_OWND_FOLWNG_TRANS,DIRECT_INDIRECT_OWNERSHIP,FOOTNOTES";

/// The footnote in place of a single price.
const PRICE_FOOTNOTE: &str = "Sold in several trades at different prices.";

/// Returns the rows of a form.
pub(super) fn rows(listing: &Listing, filing: &SecFiling, form: &OwnershipForm) -> Vec<[String; 18]> {
    let relation = form.person.office.relation_flags().into_iter().zip(["Director", "Officer", "10% owner"]);
    let relation: Vec<&str> = relation.filter(|(is_set, _)| *is_set).map(|(_, word)| word).collect();
    let row = |it: &InsiderTrade| {
        [
            filing.accession.clone(),
            sec_date(filing.filed),
            "4".to_owned(),
            identity::format_cik(identity::company_cik(listing.company.ordinal)),
            listing.company.name.clone(),
            listing.company.symbol.clone(),
            identity::format_cik(identity::insider_cik(listing.company.ordinal, form.person.number)),
            form.person.name.clone(),
            relation.join(", "),
            form.person.office.title().to_owned(),
            security(it).to_owned(),
            sec_date(form.traded),
            it.code.to_string(),
            it.shares.to_string(),
            it.price.map(|price| hundredths(u128::from(price))).unwrap_or_default(),
            it.shares_after.to_string(),
            ownership(form).to_owned(),
            if it.price.is_none() { PRICE_FOOTNOTE.to_owned() } else { String::new() },
        ]
    };
    form.transactions.iter().map(row).collect()
}

/// Formats a date as in the SEC's tables.
fn sec_date(date: NaiveDate) -> String {
    date.format("%d-%b-%Y").to_string().to_uppercase()
}

const fn security(it: &InsiderTrade) -> &'static str {
    if it.is_option { "Stock Option (right to buy)" } else { "Common Stock" }
}

/// Returns the kind of ownership: a partnership reports indirect holdings.
const fn ownership(form: &OwnershipForm) -> &'static str {
    match form.person.office {
        super::forms::Office::LargeOwner => "I",
        _ => "D",
    }
}

pub(super) fn submission_text(listing: &Listing, filing: &SecFiling, form: &OwnershipForm) -> String {
    let (company, person) = (&listing.company, &form.person);
    let filed = filing.filed.format("%Y%m%d");
    let [is_director, is_officer, is_owner] = person.office.relation_flags().map(u8::from);
    let head = format!(
        "<SEC-DOCUMENT>{accession}.txt : {filed}\n<SEC-HEADER>{accession}.hdr.sgml : {filed}\n\
         <ACCEPTANCE-DATETIME>{filed}{time}\nACCESSION NUMBER:\t\t{accession}\nCONFORMED SUBMISSION TYPE:\t4\n\
         PUBLIC DOCUMENT COUNT:\t\t1\nCONFORMED PERIOD OF REPORT:\t{period}\nFILED AS OF DATE:\t\t{filed}\n</SEC-HEADER>\n\
         <DOCUMENT>\n<TYPE>4\n<SEQUENCE>1\n<FILENAME>form4.xml\n<TEXT>\n<XML>\n<?xml version=\"1.0\"?>\n<ownershipDocument>\n\
         <schemaVersion>X0508</schemaVersion>\n<documentType>4</documentType>\n<periodOfReport>{traded}</periodOfReport>\n\
         <issuer><issuerCik>{issuer}</issuerCik><issuerName>{name}</issuerName>\
         <issuerTradingSymbol>{symbol}</issuerTradingSymbol></issuer>\n\
         <reportingOwner><reportingOwnerId><rptOwnerCik>{owner}</rptOwnerCik><rptOwnerName>{who}</rptOwnerName></reportingOwnerId>\
         <reportingOwnerRelationship><isDirector>{is_director}</isDirector><isOfficer>{is_officer}</isOfficer>\
         <isTenPercentOwner>{is_owner}</isTenPercentOwner><isOther>0</isOther><officerTitle>{title}</officerTitle>\
         </reportingOwnerRelationship></reportingOwner>\n",
        accession = filing.accession,
        time = filing.time.replace(':', ""),
        period = form.traded.format("%Y%m%d"),
        traded = form.traded,
        issuer = identity::format_cik(identity::company_cik(company.ordinal)),
        name = escape_xml(&company.name),
        symbol = company.symbol,
        owner = identity::format_cik(identity::insider_cik(company.ordinal, person.number)),
        who = escape_xml(&person.name),
        title = person.office.title(),
    );
    let ownership = ownership(form);
    let transactions = |is_option: bool, row: &str| -> String {
        let selected = form.transactions.iter().filter(|it| it.is_option == is_option);
        selected.map(|it| transaction_xml(it, row, form.traded, ownership)).collect()
    };
    let tables = format!(
        "<nonDerivativeTable>\n{}</nonDerivativeTable>\n<derivativeTable>\n{}</derivativeTable>\n",
        transactions(false, "nonDerivativeTransaction"),
        transactions(true, "derivativeTransaction")
    );
    let foot = format!(
        "<footnotes><footnote id=\"F1\">{PRICE_FOOTNOTE}</footnote></footnotes>\n\
         <ownerSignature><signatureName>/s/ {}</signatureName><signatureDate>{}</signatureDate></ownerSignature>\n\
         </ownershipDocument>\n</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n",
        escape_xml(&person.name),
        filing.filed
    );
    [head, tables, foot].concat()
}

fn transaction_xml(it: &InsiderTrade, row: &str, traded: NaiveDate, ownership: &str) -> String {
    let price = match it.price {
        Some(price) => format!("<value>{}</value>", hundredths(u128::from(price))),
        None => "<footnoteId id=\"F1\"/>".to_owned(),
    };
    format!(
        "<{row}><securityTitle><value>{}</value></securityTitle><transactionDate><value>{traded}</value></transactionDate>\
         <transactionCoding><transactionFormType>4</transactionFormType><transactionCode>{}</transactionCode></transactionCoding>\
         <transactionAmounts><transactionShares><value>{}</value></transactionShares>\
         <transactionPricePerShare>{price}</transactionPricePerShare>\
         <transactionAcquiredDisposedCode><value>{}</value></transactionAcquiredDisposedCode></transactionAmounts>\
         <postTransactionAmounts><sharesOwnedFollowingTransaction><value>{}</value></sharesOwnedFollowingTransaction>\
         </postTransactionAmounts><ownershipNature><directOrIndirectOwnership><value>{ownership}</value>\
         </directOrIndirectOwnership></ownershipNature></{row}>\n",
        security(it),
        it.code,
        it.shares,
        if it.is_acquired { 'A' } else { 'D' },
        it.shares_after
    )
}

/// Escapes text for XML.
pub(super) fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
