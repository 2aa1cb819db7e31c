//! Business groups: one family is the promoter of several companies.
//!
//! Each ten consecutive ordinals have at most one group, so that no group changes when companies are added.

use chrono::{Months, NaiveDate};

use crate::draw::{Draw, Purpose};
use crate::ownership::Ownership;
use crate::world::{Listing, World};

/// Number of consecutive ordinals from which one group is drawn.
const GROUP_SPAN: usize = 10;

/// A company of a group.
#[derive(Debug)]
pub(super) struct GroupMember<'a> {
    pub(super) group: String,
    pub(super) listing: &'a Listing,
    /// One of `flagship`, `subsidiary` or `associate`.
    pub(super) role: &'static str,
    /// The group's holding, in hundredths of a percent; `None` without a shareholding pattern.
    pub(super) stake: Option<u32>,
    /// The date since which the company belongs to the group.
    pub(super) since: NaiveDate,
}

pub(super) fn members(world: &World) -> Vec<GroupMember<'_>> {
    let spans = world.main_board().count() / GROUP_SPAN;
    (0..spans).flat_map(|span| group(world, span)).collect()
}

fn group(world: &World, span: usize) -> Vec<GroupMember<'_>> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::Groups, span);
    if !draw.chance(0.6) {
        return Vec::new();
    }
    let group_size = 2 + draw.below(4);
    let mut ordinals: Vec<usize> = (span * GROUP_SPAN..(span + 1) * GROUP_SPAN).collect();
    let mut companies = Vec::new();
    while companies.len() < group_size && !ordinals.is_empty() {
        let ordinal = ordinals.swap_remove(draw.below(ordinals.len()));
        let listing = world.listings.iter().find(|listing| {
            listing.company.ordinal == ordinal
                && listing.trading_period.listing_date <= world.last_date()
                && listing.is_current(world.sessions())
        });
        companies.extend(listing);
    }
    companies.sort_by(|a, b| b.company.target_cap.total_cmp(&a.company.target_cap));
    let [flagship, _, ..] = companies.as_slice() else { return Vec::new() };
    let name = flagship.company.name.split(' ').next().unwrap_or_default();
    let members = companies.iter().enumerate();
    members.map(|(rank, listing)| member(world, format!("{name} Group"), rank, listing, &mut draw)).collect()
}

fn member<'a>(
    world: &World,
    group: String,
    rank: usize,
    listing: &'a Listing,
    draw: &mut Draw,
) -> GroupMember<'a> {
    let promoters = Ownership::generate(world, listing).quarters.last().map(|quarter| quarter.promoters);
    let is_associate = draw.chance(0.3);
    let part = draw.between(0.3, 0.8);
    // Companies join a group at their listing or some years before.
    let years = draw.below(5) as u32;
    let listed = listing.trading_period.listing_date;
    let since = listed.checked_sub_months(Months::new(12 * years)).unwrap_or(listed);
    let (role, stake) = match rank {
        0 => ("flagship", promoters),
        _ if is_associate => ("associate", promoters.map(|held| (f64::from(held) * part) as u32)),
        _ => ("subsidiary", promoters),
    };
    GroupMember { group, listing, role, stake, since }
}
