//! The exchange's files on each security: `EQUITY_L.csv`, the ETF list, market caps, price bands; and the project's two additional files,
//! `corporate_actions.csv` and `industry.csv`.
//!
//! The only prices are the closes of the market-cap files, whose market cap is exactly issue size x close.

use chrono::NaiveDate;

use super::super::DemoError;
use super::super::events;
use super::super::output::{OutputFolder, hundredths};
use super::super::world::{Listing, World};

/// Number of the newest sessions with price bands: a year.
const SESSIONS_OF_BANDS: usize = 252;

/// Writes all files.
pub(super) fn write(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let last = world.sessions().saturating_sub(1);
    write_equity_list(world, output)?;
    write_fund_list(world, output)?;
    write_market_caps(world, 0, output)?;
    write_market_caps(world, last, output)?;
    for session in (last + 1).saturating_sub(SESSIONS_OF_BANDS).max(1)..=last {
        write_price_bands(world, session, output)?;
    }
    events::write_splits(world, output)?;
    let industries = world.main_board().map(|it| [it.company.symbol.as_str(), it.company.industry.name]);
    output.table("industry.csv", "symbol,industry", industries)
}

fn write_equity_list(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str =
        "SYMBOL,NAME OF COMPANY, SERIES, DATE OF LISTING, PAID UP VALUE, MARKET LOT, ISIN NUMBER, FACE VALUE";
    let last = world.sessions().saturating_sub(1);
    let listed = world.listings.iter().filter(|listing| listing.is_current(world.sessions()));
    let rows = listed.map(|listing| {
        let company = &listing.company;
        let face = face_value(listing, last).to_string();
        let since = listing.trading_period.listing_date.format("%d-%b-%Y").to_string().to_uppercase();
        let series = listing.history.bars.last().map_or("EQ", |bar| bar.series.word());
        [
            company.symbol.clone(),
            company.name.clone(),
            series.to_owned(),
            since,
            face.clone(),
            "1".to_owned(),
            company.isin.clone(),
            face,
        ]
    });
    output.table("EQUITY_L.csv", HEADER, rows)
}

fn write_fund_list(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str = "Symbol,Underlying,SecurityName,DateofListing,MarketLot,ISINNumber,FaceValue";
    let funds = world.instruments.iter().take(1);
    let rows =
        funds.map(|fund| [fund.symbol.as_str(), "Nifty50", fund.name, "08-Jan-02", "1", &fund.isin, "1"]);
    output.table("eq_etfseclist.csv", HEADER, rows)
}

/// Writes the market caps of a session, padded with spaces like the official file.
fn write_market_caps(world: &World, session: usize, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str = "Trade Date,Symbol,Series,Security Name,Category,Last Trade Date,Face Value(Rs.),Issue Size,\
        Close Price/Paid up value(Rs.),Market Cap(Rs.)              ";
    let date = world.calendar.date(session);
    let format_date = |date: NaiveDate| date.format("%d %b %Y").to_string().to_uppercase();
    let listed = world.listings.iter().filter(|listing| listing.trading_period.listed.contains(&session));
    let rows = listed.filter_map(|listing| {
        let bar = listing.history.bar_on(session)?;
        let company = &listing.company;
        Some([
            format_date(date),
            company.symbol.clone(),
            bar.series.word().to_owned(),
            format!("{:<25}", short_name(&company.name)),
            format!("{:<10}", "Listed"),
            format_date(world.calendar.date(usize::from(bar.session))),
            format!("{:>21}", hundredths(u128::from(face_value(listing, session)) * 100)),
            format!("{:>20}", listing.history.shares_on(session)),
            format!("{:>19}", hundredths(u128::from(bar.close))),
            format!("{:>19}", hundredths(listing.cap_on(session)?)),
        ])
    });
    output.table(&format!("mcap_{}.csv", date.format("%d%m%Y")), HEADER, rows)
}

/// Writes the price bands of a session. The list has the date of the session before, because the exchange publishes it after the close of
/// that session.
fn write_price_bands(world: &World, session: usize, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str = "Symbol,Series,Security Name,Band,Remarks";
    let listed = world.main_board().filter(|listing| listing.trading_period.listed.contains(&session));
    let rows = listed.map(|listing| {
        let company = &listing.company;
        let is_trade_to_trade = listing.trading_period.trade_to_trade.contains(&session);
        let band = if is_trade_to_trade { Some(5) } else { company.price_model.band };
        [
            company.symbol.clone(),
            (if is_trade_to_trade { "BE" } else { "EQ" }).to_owned(),
            company.name.to_uppercase(),
            band.map_or_else(|| "No Band".to_owned(), |percent| percent.to_string()),
            "-".to_owned(),
        ]
    });
    output.table(
        &format!("bands/sec_list_{}.csv", world.calendar.date(session.saturating_sub(1)).format("%d%m%Y")),
        HEADER,
        rows,
    )
}

fn face_value(listing: &Listing, session: usize) -> u32 {
    let last_action = listing.history.actions.iter().rfind(|action| action.session <= session);
    last_action.map_or(listing.company.face_value, |action| action.face_value)
}

/// Shortens a name as market-cap files do: capitals, at most 25 letters.
fn short_name(name: &str) -> String {
    name.to_uppercase().replace(" LIMITED", " LTD").chars().take(25).collect()
}
