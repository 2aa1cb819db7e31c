//! `lists_YYYYMM/ind_*.csv`: the members of the 30 indices at the start and after one rebalancing.
//!
//! The columns are the official ones, with the sector under `Industry` as at NSE. Lists hold the members on their date, so the first ones
//! may name companies delisted later.

use super::super::DemoError;
use super::super::membership::Ranking;
use super::super::output::OutputFolder;
use super::super::taxonomy::indices::INDICES;
use super::super::world::World;

const HEADER: &str = "Company Name,Industry,Symbol,Series,ISIN Code";

/// Writes both sets of lists.
pub(super) fn write(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    for session in [0, world.rebalanced_from] {
        let ranking = Ranking::on(world, session);
        let month = world.calendar.date(session).format("%Y%m").to_string();
        for index in INDICES {
            let members = ranking.members(&index.rule);
            let rows = members.iter().map(|member| {
                let company = &member.company;
                [company.name.as_str(), company.industry.sector, &company.symbol, "EQ", &company.isin]
            });
            output.table(&format!("lists_{month}/{}.csv", index.stem), HEADER, rows)?;
        }
    }
    Ok(())
}
