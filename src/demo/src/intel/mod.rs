//! Analysts' data on India's companies, in addition to prices and accounts: pledges, banking and sector figures, groups, orders, guidance.
//!
//! Figures agree with the statements and the holders; figures that no demo filing contains are drawn. Files are named after the tables that
//! they fill.

/// Loans, deposits and margins of banks and lenders.
mod banking;

/// Operating figures of each sector.
mod sector_words;
mod sector_figures;

/// Business groups.
mod groups;

/// Orders won.
mod orders;

/// Guidance on earnings calls.
mod guidance;

/// The files.
mod files;

#[cfg(test)]
mod tests;

pub(crate) use self::files::write;

use super::statements::Period;
use super::world::{Listing, World};

/// Returns the newest quarters of a company whose results are filed by the last session, oldest first.
fn quarters_filed<'a>(world: &World, listing: &'a Listing, most: usize) -> Vec<&'a Period> {
    let last = world.last_date();
    let quarters = listing.statements.filed_quarters().iter();
    let mut filed: Vec<&Period> =
        quarters.filter(|quarter| !quarter.is_missing && quarter.filed <= last).collect();
    filed.split_off(filed.len().saturating_sub(most))
}

/// Formats a figure with two decimals.
fn two_decimals(figure: f64) -> String {
    format!("{:.2}", (figure * 100.0).round() / 100.0 + 0.0)
}
