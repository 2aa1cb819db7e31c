//! Business groups: one family is the promoter of several companies.
//!
//! Each ten consecutive positions may have one group, so that no group changes when companies are added.

use chrono::{Months, NaiveDate};

use super::last_session;
use crate::company::Board;
use crate::draw::{Draw, Purpose};
use crate::ownership::Ownership;
use crate::world::{Listing, World};

/// Places from which one group is drawn.
const GROUP_PLACES: usize = 10;

/// A company of a group.
#[derive(Debug)]
pub(super) struct GroupMember<'a> {
    pub(super) group: String,
    pub(super) listing: &'a Listing,
    /// The word `flagship`, `subsidiary` or `associate`.
    pub(super) role: &'static str,
    /// The group's holding, in hundredths of a percent.
    pub(super) stake: Option<u32>,
    /// The date since which the company belongs to the group.
    pub(super) since: NaiveDate,
}

pub(super) fn members(world: &World) -> Vec<GroupMember<'_>> {
    let tens = world.main_board() / GROUP_PLACES;
    (0..tens).flat_map(|ten| group(world, ten)).collect()
}

fn group(world: &World, ten: usize) -> Vec<GroupMember<'_>> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::Groups, ten);
    if !draw.chance(0.6) {
        return Vec::new();
    }
    let wanted = 2 + draw.below(4);
    let mut places: Vec<usize> = (ten * GROUP_PLACES..(ten + 1) * GROUP_PLACES).collect();
    let mut found = Vec::new();
    while found.len() < wanted && !places.is_empty() {
        let ordinal = places.swap_remove(draw.below(places.len()));
        let listing = world.listings.iter().find(|listing| {
            listing.company.ordinal == ordinal
                && listing.company.board == Board::Main
                && listing.life.listing_date <= last_session(world)
                && listing.is_current(world.sessions())
        });
        found.extend(listing);
    }
    found.sort_by(|a, b| b.company.target_cap.total_cmp(&a.company.target_cap));
    let [flagship, _, ..] = found.as_slice() else { return Vec::new() };
    let name = flagship.company.name.split(' ').next().unwrap_or_default();
    let members = found.iter().enumerate();
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
    let listed = listing.life.listing_date;
    let since = listed.checked_sub_months(Months::new(12 * years)).unwrap_or(listed);
    let (role, stake) = match rank {
        0 => ("flagship", promoters),
        _ if is_associate => ("associate", promoters.map(|held| (f64::from(held) * part) as u32)),
        _ => ("subsidiary", promoters),
    };
    GroupMember { group, listing, role, stake, since }
}
