//! Shareholding patterns and the pledges in them: small invented files of each layout.

use super::announced::one_day;
use super::*;

#[test]
fn shareholdings_are_shares_of_a_hundred() {
    let market = one_day()
        .file(
            "holdings.csv",
            "symbol,date,promoter_pct,public_pct,employee_trusts_pct\nAROHI,30-SEP-2024,60.5,39.5,0\nAROHI,31-DEC-2024,61,38,1\nAROHI,31-DEC-2024,61,38,1\nBELA,31-DEC-2024,0,77.5,0\nBELA,30-SEP-2024,60,60,0\nBELA,,60,40,0\n",
        )
        .india();
    let holdings = market.cells("shareholding", "symbol promoter_pct public_pct");
    assert_eq!(holdings, ["AROHI | 60.5 | 39.5", "AROHI | 61 | 38", "BELA | 0 | 77.5"]);
    assert_eq!(
        (market.refused_as("holdings are no shares of 100 %"), market.refused(Reason::BadDate)),
        (1, 1)
    );
    assert_eq!(
        market.user_rows.keys().collect::<Vec<_>>(),
        ["price_bands", "shareholding"],
        "no file, no list"
    );
}

#[test]
fn classes_of_the_public_come_from_lists_and_filings() {
    let share = "ShareholdingAsAPercentageOfTotalNumberOfShares";
    let fact =
        |class: &str, figure: f64| format!("<s:{share} contextRef=\"{class}_ContextI\">{figure}</s:{share}>");
    let filing = [
        fact("ShareholdingOfPromoterAndPromoterGroup", 0.6),
        fact("PublicShareholding", 0.4),
        fact("InstitutionsForeign", 0.15),
        fact("InstitutionsDomestic", 0.12),
        fact("MutualFundsOrUTI", 0.07),
        fact("NonInstitutions", 0.13),
    ];
    let market = one_day()
        .file(
            "SHP_1_20012025101500_WEB.xml",
            &format!("<x:xbrl xmlns:s=\"in-bse-shp\"><s:Symbol>AROHI</s:Symbol><s:DateOfReport>2024-12-31</s:DateOfReport>{}</x:xbrl>", filing.join("")),
        )
        // The exchange's list of filings has no classes; its date makes it the newer file.
        .file("2025-02-01/list.csv", "symbol,date,pr_and_prgrp,public_val,employeeTrusts\nAROHI,31-DEC-2024,60,40,0\nAROHI,30-SEP-2024,61,39,0\n")
        // Institutions in addition to the public, as in some lists, and a larger share than that of the public.
        .file("own.csv", "symbol,period_end,promoter_pct,fii_pct,dii_pct,public_pct\nBELA,31-DEC-2024,50,20,10,20\nBELA,30-SEP-2024,50,30,25,50\n")
        .india();
    assert_eq!(
        market.cells(
            "shareholding",
            "symbol public_pct fii_pct dii_pct mutual_fund_pct non_institution_pct filed_on source"
        ),
        [
            "AROHI | 39 | - | - | - | - | - | shareholding patterns",
            "AROHI | 40 | 15 | 12 | 7 | 13 | 20 Jan | shareholding patterns",
            "BELA | 50 | 20 | 10 | - | 20 | - | shareholding patterns",
        ]
    );
    assert_eq!(market.refused_as("holdings are no shares of 100 %"), 1);
}

#[test]
fn pledges_of_files_come_before_those_of_shareholding_filings() {
    let filing = |date: &str, pledged: u32| {
        let promoters = "ShareholdingOfPromoterAndPromoterGroup_ContextI";
        let percent = "ShareholdingAsAPercentageOfTotalNumberOfShares";
        let facts = [
            ("Symbol", "M", "AROHI".to_owned()),
            ("DateOfReport", "M", date.to_owned()),
            (percent, promoters, "0.6".to_owned()),
            (percent, "PublicShareholding_ContextI", "0.4".to_owned()),
            ("NumberOfShares", promoters, "600".to_owned()),
            ("NumberOfShares", "ShareholdingPattern_ContextI", "1000".to_owned()),
            ("NumberOfSharesEncumberedUnderPledged", promoters, pledged.to_string()),
        ];
        let facts = facts.map(|(name, context, text)| {
            format!("<in-bse-shp:{name} contextRef=\"{context}\">{text}</in-bse-shp:{name}>")
        });
        format!("<xbrli:xbrl xmlns:xbrli=\"x\" xmlns:in-bse-shp=\"y\">{}</xbrli:xbrl>", facts.concat())
    };
    let (catalogue, formats) = &*STAGED;
    let tables = ["pledges", "shareholding"].map(|name| catalogue.table(Market::India, name).unwrap());
    let options = RawOptions {
        user_tables: &tables,
        declared_formats: formats,
        ..RawOptions::for_market(Market::India)
    };
    let raw = one_day()
        .file("march.xml", &filing("2024-03-31", 60))
        .file("june.xml", &filing("2024-06-30", 150))
        // No count of pledged shares can be more than the promoters have.
        .file("september.xml", &filing("2024-09-30", 700));
    let columns = "period_end promoter_pct pledge_pct pledged_of_total_pct pledged_shares";
    let filed = "30 Jun | 60 | 25 | 15 | 150";
    assert_eq!(raw.read_with(options).cells("pledges", columns), ["31 Mar | 60 | 10 | 6 | 60", filed]);
    let raw = raw.file("pledges.csv", "symbol,period_end,pledge_pct\nAROHI,2024-03-31,5\n");
    let market = raw.read_with(options);
    assert_eq!(market.cells("pledges", columns), ["31 Mar | - | 5 | - | -", filed]);
    let message = "taken from the table `shareholding`: 1 row of the table `pledges`";
    assert!(market.report.exceptions.iter().any(|it| it == message), "{:?}", market.report.exceptions);
}
