//! Announcements of companies and the exchange: bulk and block deals, insiders' disclosures, shareholdings, corporate actions.
//!
//! Layouts are those of NSE; the figures agree with prices, volumes and share counts.

use chrono::NaiveDate;

use super::super::DemoError;
use super::super::deals::{ClientDeal, Deals};
use super::super::events;
use super::super::output::{OutputFolder, hundredths};
use super::super::ownership::Ownership;
use super::super::world::{Listing, World};

/// Writes all files.
pub(super) fn write(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    write_deals(world, output)?;
    write_insider_trades(world, output)?;
    write_shareholding(world, output)?;
    write_corporate_actions(world, output)
}

fn write_deals(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str =
        "Date,Symbol,Security Name,Client Name,Buy/Sell,Quantity Traded,Trade Price / Wght. Avg. Price";
    let (mut bulk, mut block) = (Vec::new(), Vec::new());
    for listing in world.main_board() {
        let deals = Deals::generate(world, listing);
        bulk.extend(deals.bulk.iter().map(|side| (side.session, deal_cells(world, listing, side))));
        block.extend(deals.block.iter().map(|side| (side.session, deal_cells(world, listing, side))));
    }
    bulk.sort_by_key(|(session, _)| *session);
    block.sort_by_key(|(session, _)| *session);
    let bulk = bulk.into_iter().map(|(_, cells)| cells.into_iter().chain(["-".to_owned()]));
    output.table(
        "deals/bulk.csv",
        &format!("{HEADER},Remarks"),
        bulk.map(Iterator::collect::<Vec<String>>),
    )?;
    output.table("deals/block.csv", HEADER, block.into_iter().map(|(_, cells)| cells))
}

fn deal_cells(world: &World, listing: &Listing, side: &ClientDeal) -> Vec<String> {
    vec![
        world.calendar.date(side.session).format("%d-%b-%Y").to_string().to_uppercase(),
        listing.company.symbol.clone(),
        listing.company.name.clone(),
        side.client.clone(),
        (if side.is_purchase { "BUY" } else { "SELL" }).to_owned(),
        side.quantity.to_string(),
        hundredths(u128::from(side.price)),
    ]
}

fn write_insider_trades(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str = "symbol,company,anex,acqName,date,secType,secAcq,tdpTransactionType,personCategory,\
        befAcqSharesNo,befAcqSharesPer,secVal,securitiesTypePost,afterAcqSharesNo,afterAcqSharesPer,\
        acqfromDt,acqtoDt,intimDt,acqMode,exchange";
    let format_date = |date: NaiveDate| date.format("%d-%b-%Y").to_string();
    let rows = world.main_board().flat_map(|listing| {
        Ownership::generate(world, listing).trades.into_iter().map(move |trade| {
            let percent =
                |shares: u64| hundredths(u128::from(shares) * 10_000 / u128::from(trade.total.max(1)));
            [
                listing.company.symbol.clone(),
                listing.company.name.clone(),
                "7(2)".to_owned(),
                trade.person.clone(),
                format!("{} 18:30", format_date(trade.filed)),
                "Equity Shares".to_owned(),
                trade.shares.to_string(),
                trade.transaction.to_owned(),
                trade.category.to_owned(),
                trade.shares_before.to_string(),
                percent(trade.shares_before),
                trade.value.to_string(),
                "Equity Shares".to_owned(),
                trade.shares_after.to_string(),
                percent(trade.shares_after),
                format_date(trade.traded),
                format_date(trade.traded),
                format_date(trade.filed),
                trade.mode.to_owned(),
                (if trade.is_on_exchange { "NSE" } else { "NA" }).to_owned(),
            ]
        })
    });
    output.table("insider_trading.csv", HEADER, rows)
}

fn write_shareholding(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str = "symbol,date,promoter_pct,public_pct,fii_pct,dii_pct,mutual_fund_pct,insurer_pct,government_pct,\
        non_institution_pct,employee_trusts_pct,filed_on";
    let rows = world.main_board().flat_map(|listing| {
        Ownership::generate(world, listing).quarters.into_iter().map(|quarter| {
            let day = |date: NaiveDate| date.format("%d-%b-%Y").to_string().to_uppercase();
            let percent = |part: u32| hundredths(u128::from(part));
            [
                listing.company.symbol.clone(),
                day(quarter.end),
                percent(quarter.promoters),
                percent(quarter.public()),
                percent(quarter.foreign),
                percent(quarter.domestic_part()),
                percent(quarter.mutual_funds),
                percent(quarter.insurers),
                percent(quarter.government),
                percent(quarter.other_public()),
                percent(quarter.trusts),
                day(quarter.filed),
            ]
        })
    });
    output.table("shareholding.csv", HEADER, rows)
}

fn write_corporate_actions(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str =
        "SERIES,SYMBOL,SECURITY,RECORD_DT,BC_STRT_DT,BC_END_DT,EX_DT,ND_STRT_DT,ND_END_DT,PURPOSE";
    let rows = world.main_board().flat_map(|listing| {
        events::events(world, listing).into_iter().map(|event| {
            let date = world.calendar.date(event.session).to_string();
            let security = listing.company.name.to_uppercase();
            let [start, end, no_delivery_start, no_delivery_end] = [const { String::new() }; 4];
            let symbol = listing.company.symbol.clone();
            [
                "EQ".to_owned(),
                symbol,
                security,
                date.clone(),
                start,
                end,
                date,
                no_delivery_start,
                no_delivery_end,
                event.purpose,
            ]
        })
    });
    output.table("bc.csv", HEADER, rows)
}
