//! Form N-PORT: the holdings of a fund on a day, one row per holding. A fund without holdings is one row without a name.
//!
//! The form does not have its filing date: without the submission's header, the date of the signature is used.

use std::io;

use crate::documents::put_rows::DocumentRows;
use crate::documents::submission_text::documents;
use crate::documents::xml::XmlNode;

pub(super) const COLUMNS: [&str; 15] = [
    "FILING_DATE", "SUB_TYPE", "CIK", "SERIES_ID", "SERIES_NAME", "REPORT_DATE", "ISSUER_NAME",
    "ISSUER_TITLE", "ISSUER_CUSIP", "IDENTIFIER_ISIN", "IDENTIFIER_TICKER", "BALANCE", "UNIT",
    "PAYOFF_PROFILE", "ASSET_CAT",
];

/// Returns true if the beginning of an `edgarSubmission` is of this form; other forms have the same root.
pub(super) fn detect(head: &str) -> bool {
    head.contains("edgar/nport") || head.contains("NPORT-P")
}

pub(super) fn rows(text: &str, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    let (submission, documents) = documents(text)?;
    for filing in documents.iter().filter(|document| document.name == "edgarSubmission") {
        let first =
            |texts: [&str; 2]| texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned();
        let fact = |name: &str| filing.text_at(&["formData", "genInfo", name]);
        let common = [
            first([submission.filed, filing.text_at(&["formData", "signature", "dateSigned"])]),
            first([submission.form, filing.text_at(&["headerData", "submissionType"])]),
            first([fact("regCik"), submission.cik]),
            fact("seriesId").to_owned(),
            first([fact("seriesName"), fact("regName")]),
            fact("repPdDate").to_owned(),
        ];
        let nothing = XmlNode::default();
        let lists = filing.element_at(&["formData"]).into_iter().flat_map(|form| form.all("invstOrSecs"));
        let mut holdings: Vec<&XmlNode> = lists.flat_map(|list| list.all("invstOrSec")).collect();
        if holdings.is_empty() {
            holdings.push(&nothing);
        }
        for holding in holdings {
            if !rows.push_row(&common.iter().cloned().chain(holding_cells(holding)).collect::<Vec<_>>()) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Returns the cells of a holding, from its issuer on. The category is a code or, of an asset without one, the fund's words.
fn holding_cells(holding: &XmlNode) -> [String; 9] {
    let text = |name: &str| holding.text_at(&[name]).to_owned();
    let conditional = holding.element_at(&["assetConditional"]);
    let conditional = conditional.and_then(|element| element.attribute("desc")).unwrap_or_default();
    let category = Some(text("assetCat")).filter(|code| !code.is_empty());
    let identifier = |name: &str| {
        let element = holding.element_at(&["identifiers", name]);
        element.and_then(|element| element.attribute("value")).unwrap_or_default().to_owned()
    };
    [
        text("name"),
        text("title"),
        text("cusip"),
        identifier("isin"),
        identifier("ticker"),
        text("balance"),
        text("units"),
        text("payoffProfile"),
        category.unwrap_or_else(|| conditional.to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use crate::documents::document::RawDocument;
    use crate::documents::document::tests::read;

    const FILING: &str = r#"<?xml version="1.0"?><edgarSubmission xmlns="http://www.sec.gov/edgar/nport"><headerData><submissionType>NPORT-P</submissionType></headerData>
<formData><genInfo><regName>Omega Trust</regName><regCik>0009200000001</regCik><seriesName>Omega 500</seriesName><seriesId>S000900001</seriesId><repPdEnd>2026-09-30</repPdEnd>
<repPdDate>2026-06-30</repPdDate></genInfo><invstOrSecs><invstOrSec><name>Alfa &amp; Co</name><lei>N/A</lei><title>Alfa Class A</title><cusip>Z00000101</cusip>
<identifiers><isin value="USZ000001016"/><ticker value="ALFA"/></identifiers><balance>10.5</balance><units>NS</units><curCd>USD</curCd><payoffProfile>Long</payoffProfile>
<assetCat>EC</assetCat></invstOrSec><invstOrSec><name>Cash</name><assetConditional desc="cash" assetCat="OTHER"/></invstOrSec></invstOrSecs>
<signature><dateSigned>2026-08-20</dateSigned></signature></formData></edgarSubmission>"#;

    const ROWS: [&str; 2] = [
        "2026-08-20,NPORT-P,0009200000001,S000900001,Omega 500,2026-06-30,Alfa & Co,Alfa Class A,Z00000101,USZ000001016,ALFA,10.5,NS,Long,EC",
        "2026-08-20,NPORT-P,0009200000001,S000900001,Omega 500,2026-06-30,Cash,,,,,,,,cash",
    ];

    #[test]
    fn a_holding_is_a_row_with_and_without_a_namespace() {
        assert_eq!(read(FILING), (RawDocument::FundHoldings, ROWS.map(str::to_owned).to_vec()));
        let plain = FILING.replace(" xmlns=\"http://www.sec.gov/edgar/nport\"", "");
        assert_eq!(read(&plain), (RawDocument::FundHoldings, ROWS.map(str::to_owned).to_vec()));
        let declaration = "<?xml version=\"1.0\"?>";
        let prefixed = plain.replace(declaration, "").replace("</", "</n:").replace('<', "<n:");
        let prefixed = prefixed.replace("<n:/n:", "</n:").replacen('>', " xmlns:n=\"u\">", 1);
        assert_eq!(read(&prefixed), (RawDocument::FundHoldings, ROWS.map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_submission_says_when_it_was_filed() {
        let xml = FILING.split_once("?>").unwrap().1;
        let text = format!(
            "<SEC-DOCUMENT>a\nCONFORMED SUBMISSION TYPE: NPORT-P/A\nFILED AS OF DATE: 20260828\n<DOCUMENT>\n<XML>\n{xml}\n</XML>\n</SEC-DOCUMENT>"
        );
        let rows = ROWS.map(|row| row.replace("2026-08-20,NPORT-P", "20260828,NPORT-P/A"));
        assert_eq!(read(&text), (RawDocument::FundHoldings, rows.to_vec()));
    }

    #[test]
    fn a_fund_without_holdings_is_one_row() {
        let (begin, rest) = FILING.split_once("<invstOrSecs>").unwrap();
        let empty = format!("{begin}{}", rest.split_once("</invstOrSecs>").unwrap().1);
        let row = "2026-08-20,NPORT-P,0009200000001,S000900001,Omega 500,2026-06-30,,,,,,,,,";
        assert_eq!(read(&empty).1, [row]);
    }
}
