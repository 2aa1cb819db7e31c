//! The raw files of the US: prices by year, listings, corporate actions, index members.
//!
//! The US has no public file of all prices; the project defines these simple layouts. Prices are unadjusted.

use chrono::Datelike;

use super::membership::Ranking;
use super::output::{OutputFolder, hundredths, push_hundredths, push_whole};
use super::pending_bars::PendingBars;
use super::world::{Listing, World};
use super::{DemoError, MarketProgress, events, sec};

/// Writes all files of the US.
pub(crate) fn write(
    world: &World,
    output: &mut OutputFolder,
    step: &mut MarketProgress<'_>,
) -> Result<(), DemoError> {
    write_listings(world, output)?;
    write_members(world, output)?;
    events::write_splits(world, output)?;
    sec::write(world, output)?;
    write_prices(world, output, step)
}

/// Writes the companies listed today and the index fund, which has neither sector nor industry.
fn write_listings(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let last = world.sessions().saturating_sub(1);
    let companies =
        world.listings.iter().filter(|listing| listing.is_current(world.sessions())).map(|listing| {
            let company = &listing.company;
            let dollars = listing.cap_on(last).unwrap_or_default() / 100;
            let price = listing.history.bar_on(last).map(|bar| hundredths(bar.close.into()));
            [
                company.symbol.clone(),
                company.name.clone(),
                company.industry.sector.to_owned(),
                company.industry.name.to_owned(),
                dollars.to_string(),
                company.exchange.to_owned(),
                price.unwrap_or_default(),
            ]
        });
    let funds = world.instruments.iter().map(|fund| {
        let empty = String::new;
        [fund.symbol.clone(), fund.name.to_owned(), empty(), empty(), empty(), "AMEX".to_owned(), empty()]
    });
    let mut rows: Vec<_> = companies.chain(funds).collect();
    rows.sort();
    output.table("listings.csv", "symbol,name,sector,industry,market_cap,exchange,price", rows)
}

fn write_members(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let ranking = Ranking::on(world, world.sessions().saturating_sub(1));
    let is_nasdaq = |it: &Listing| it.company.exchange == "NASDAQ" && it.company.industry.sector != "Finance";
    let lists = [
        ("SP500.csv", ranking.largest_share(500, 0.6, |_| true)),
        ("NDX100.csv", ranking.largest_share(100, 0.25, is_nasdaq)),
        ("DOW30.csv", ranking.largest_share(30, 0.15, |it| it.company.industry.sector != "Utilities")),
    ];
    for (name, members) in lists {
        let rows = members.iter().map(|it| [it.company.symbol.as_str(), it.company.name.as_str()]);
        output.table(name, "symbol,name", rows)?;
    }
    Ok(())
}

/// Writes `prices_YYYY.csv`, by date and symbol.
fn write_prices(
    world: &World,
    output: &mut OutputFolder,
    step: &mut MarketProgress<'_>,
) -> Result<(), DemoError> {
    let mut readers = PendingBars::from_world(world);
    let mut text = Vec::new();
    let dates = world.calendar.dates();
    for (session, date) in dates.iter().enumerate() {
        if text.is_empty() {
            text.extend_from_slice(b"symbol,date,open,high,low,close,volume\n");
        }
        write_day(session, &date.to_string(), &mut readers, &mut text);
        if dates.get(session + 1).is_none_or(|next| next.year() != date.year()) {
            output.file(&format!("prices_{}.csv", date.year()), &text)?;
            text.clear();
        }
        step.report("price files", session as u64 + 1, world.sessions() as u64);
    }
    Ok(())
}

fn write_day(session: usize, date: &str, readers: &mut [PendingBars<'_>], text: &mut Vec<u8>) {
    for reader in readers {
        let Some((_, bar)) = reader.take_bar(session) else { continue };
        text.extend_from_slice(reader.symbol.as_bytes());
        text.push(b',');
        text.extend_from_slice(date.as_bytes());
        for price in [bar.open, bar.high, bar.low, bar.close] {
            text.push(b',');
            push_hundredths(text, u64::from(price));
        }
        text.push(b',');
        push_whole(text, u64::from(bar.volume));
        text.push(b'\n');
    }
}
