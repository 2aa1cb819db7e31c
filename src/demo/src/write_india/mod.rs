//! India's raw files, in the layouts of NSE.
//!
//! Each kind of file has a separate module; figures come only from the `World`.

/// Securities: listings, market caps, bands, actions.
mod securities;

/// Index member lists.
mod lists;

/// Deals, disclosures, shareholdings, corporate actions.
mod announcements;

/// The daily price files.
mod bhavcopy;

use super::intel;
use super::output::OutputFolder;
use super::world::World;
use super::{DemoError, MarketProgress};

/// Writes all files of India.
pub(crate) fn write(
    world: &World,
    output: &mut OutputFolder,
    step: &mut MarketProgress<'_>,
) -> Result<(), DemoError> {
    securities::write(world, output)?;
    lists::write(world, output)?;
    announcements::write(world, output)?;
    intel::write(world, output)?;
    bhavcopy::write(world, output, step)
}
