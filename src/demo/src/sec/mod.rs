//! The SEC filings of the US market's companies, insiders and investors, in EDGAR's formats.
//!
//! CIKs start with 9, far above those assigned by the SEC, and CUSIPs with Z, so that none is a real filer or security. No archive has
//! these filings, so none has a document.

/// Invented CIKs, CUSIPs and accession numbers.
mod identity;

/// Result dates.
mod results;

/// Forms 4 of insiders.
mod forms;

/// All filings of a company.
mod filings;

/// Institutional investors and their holdings.
mod funds;

/// Forms 4 as text.
mod form_text;

/// Forms 13F as text.
mod fund_text;

use serde_json::json;

use self::filings::SecFiling;
use super::DemoError;
use super::output::{OutputFolder, push_json};
use super::world::{Listing, World};

/// Number of days before the last session in which each Form 4 is a separate file; older forms are rows of a table.
const SINGLE_FORM_DAYS: i64 = 30;

/// Writes all files below `sec/`.
pub(super) fn write(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let companies: Vec<(&Listing, Vec<SecFiling>)> =
        world.listings.iter().map(|listing| (listing, filings::generate_filings(world, listing))).collect();
    write_tickers(world, output)?;
    write_submissions(&companies, output)?;
    write_contracts(&companies, output)?;
    write_insiders(world, &companies, output)?;
    write_investors(world, output)
}

/// Writes the list of CIKs and symbols, and all CUSIPs except every fifth, for which readers must match the issuer's name.
fn write_tickers(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let list: serde_json::Map<_, _> = world
        .listings
        .iter()
        .enumerate()
        .map(|(number, listing)| {
            let company = &listing.company;
            let cik = identity::company_cik(company.ordinal);
            (number.to_string(), json!({"cik_str": cik, "ticker": company.symbol, "title": company.name}))
        })
        .collect();
    output.file("sec/company_tickers.json", json!(list).to_string().as_bytes())?;
    let cusips = world.listings.iter().filter(|listing| listing.company.ordinal % 5 != 4);
    let rows = cusips.map(|it| [identity::cusip(it.company.ordinal), it.company.symbol.clone()]);
    output.table("sec/cusips.csv", "cusip,symbol", rows)
}

/// Writes the submissions of each company as the SEC's API lists them, newest first.
fn write_submissions(
    companies: &[(&Listing, Vec<SecFiling>)],
    output: &mut OutputFolder,
) -> Result<(), DemoError> {
    let mut archive = output.archive("sec/submissions.zip")?;
    for (listing, filings) in companies {
        let company = &listing.company;
        let cik = identity::format_cik(identity::company_cik(company.ordinal));
        let column = |text: &dyn Fn(&SecFiling) -> String| filings.iter().rev().map(text).collect::<Vec<_>>();
        let recent = json!({
            "accessionNumber": column(&|it| it.accession.clone()),
            "filingDate": column(&|it| it.filed.to_string()),
            "reportDate": column(&|it| it.report_date.map(|date| date.to_string()).unwrap_or_default()),
            "acceptanceDateTime": column(&|it| format!("{}T{}.000Z", it.filed, it.time)),
            "form": column(&|it| it.form.to_owned()),
            "items": column(&|it| it.items.to_owned()),
            "primaryDocument": column(&|_| String::new()),
            "primaryDocDescription": column(&|it| it.form.to_owned()),
        });
        let text = json!({
            "cik": cik,
            "entityType": "operating",
            "sic": "0000",
            "name": company.name,
            "tickers": [company.symbol],
            "exchanges": [company.exchange],
            "filings": {"recent": recent, "files": []},
        });
        archive.member(&format!("CIK{cik}.json"), text.to_string().as_bytes())?;
    }
    output.close(archive)
}

/// Writes the contracts that Forms 8-K report, with their accession numbers.
fn write_contracts(
    companies: &[(&Listing, Vec<SecFiling>)],
    output: &mut OutputFolder,
) -> Result<(), DemoError> {
    let mut lines = Vec::new();
    for (listing, filings) in companies {
        for filing in filings {
            let Some(contract) = &filing.contract else { continue };
            let row = json!({
                "symbol": listing.company.symbol, "filed_on": contract.filed.to_string(),
                "contract_type": contract.kind, "title": contract.title, "value_usd_m": contract.value,
                "client": contract.client, "segment": contract.segment, "geography": contract.geography,
                "ai_summary": contract.summary, "confidence": contract.confidence, "accession": filing.accession,
                "source": "invented 8-K of the demo market",
            });
            push_json(&mut lines, &row);
        }
    }
    output.file("texts/order_wins.ndjson", &lines)
}

/// Writes Forms 4: the newest as filed, the others as a table of transactions.
fn write_insiders(
    world: &World,
    companies: &[(&Listing, Vec<SecFiling>)],
    output: &mut OutputFolder,
) -> Result<(), DemoError> {
    let last = world.last_date();
    let mut archive = output.archive("sec/form4.zip")?;
    let mut rows = Vec::new();
    for (listing, filings) in companies {
        for filing in filings {
            let Some(form) = &filing.form4 else { continue };
            if (last - filing.filed).num_days() <= SINGLE_FORM_DAYS {
                let text = form_text::submission_text(listing, filing, form);
                archive.member(&format!("{}.txt", filing.accession), text.as_bytes())?;
            } else {
                rows.extend(form_text::rows(listing, filing, form));
            }
        }
    }
    output.close(archive)?;
    output.table("sec/insider_transactions.csv", form_text::COLUMNS, rows)
}

/// Writes the investors and their Forms 13F.
fn write_investors(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let funds = funds::generate_investors(world);
    let rows = funds
        .iter()
        .map(|fund| [identity::format_cik(fund.cik), fund.name.clone(), fund.style.label().to_owned()]);
    output.table("sec/investors.csv", "cik,investor,style", rows)?;
    let mut archive = output.archive("sec/form13f.zip")?;
    for fund in &funds {
        for report in &fund.reports {
            let text = fund_text::fund_submission_text(world, fund, report);
            archive.member(&format!("{}.txt", report.accession), text.as_bytes())?;
        }
    }
    output.close(archive)
}
