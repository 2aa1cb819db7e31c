//! `shortselling_DDMMYYYY.csv`: a hundredth of each stock's volume in the last session, as sold short.

use crate::DemoError;
use crate::output::OutputFolder;
use crate::world::World;

const HEADER: &str = "SECURITY NAME,SYMBOL NAME,TRADE DATE,QUANTITY SOLD SHORT";

/// Writes the file of the last session.
pub(super) fn write(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let last = world.sessions().saturating_sub(1);
    let date = world.calendar.date(last);
    let rows = world.listings.iter().filter_map(|listing| {
        let company = &listing.company;
        let bar = listing.history.bar_on(last).filter(|bar| usize::from(bar.session) == last)?;
        let short = (bar.volume / 100).to_string();
        Some([company.name.clone(), company.symbol.clone(), date.format("%d-%m-%Y").to_string(), short])
    });
    output.table(&format!("shortselling_{}.csv", date.format("%d%m%Y")), HEADER, rows)
}
