//! Index membership on a session, by market-cap rank among listed companies.
//!
//! In a market of at least 800 companies, lists have as many members as their names say. A smaller market keeps the proportions: its broad
//! index is the largest 60 %, so that of 200 companies 120 are in the five hundred and 12 in the fifty; the lists keep their names.

use super::taxonomy::indices::MembershipRule;
use super::world::{Listing, World};
use parquote_catalogue::operation::Market;

/// The main-board companies listed on a session, largest first.
pub(crate) struct Ranking<'a> {
    listings: Vec<&'a Listing>,
    /// Number of main-board companies, by which ranks are scaled.
    companies: usize,
}

impl<'a> Ranking<'a> {
    /// Ranks the companies at the close of a session.
    pub(crate) fn on(world: &'a World, session: usize) -> Self {
        let ranked = world.main_board().filter(|listing| listing.trading_period.listed.contains(&session));
        let mut caps: Vec<_> = ranked.filter_map(|it| Some((it.cap_on(session)?, it))).collect();
        caps.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.company.symbol.cmp(&b.1.company.symbol)));
        Self {
            listings: caps.into_iter().map(|(_, listing)| listing).collect(),
            companies: world.main_board().count(),
        }
    }

    /// Returns the members under a rule, sorted by symbol.
    pub(crate) fn members(&self, rule: &MembershipRule) -> Vec<&'a Listing> {
        let mut members = match rule {
            MembershipRule::Ranks(from, to) => {
                let (from, to) = (self.scale_rank(*from), self.scale_rank(*to));
                self.listings.iter().copied().take(to).skip(from).collect()
            }
            MembershipRule::Sectors(sectors, most) => {
                self.largest_fitting(*most, |it| sectors.contains(&it.company.industry.sector))
            }
            MembershipRule::Industries(names, most) => {
                self.largest_fitting(*most, |it| names.contains(&it.company.industry.name))
            }
        };
        members.sort_by(|a, b| a.company.symbol.cmp(&b.company.symbol));
        members
    }

    /// Returns the largest companies that satisfy `fits`, sorted by symbol: at most `most`, and at most the fraction `share` of the market.
    /// Only the US lists use it.
    pub(crate) fn largest_share(
        &self,
        most: usize,
        share: f64,
        fits: impl Fn(&Listing) -> bool,
    ) -> Vec<&'a Listing> {
        let most = most.min((share * self.companies as f64).ceil() as usize);
        let mut members: Vec<_> = self.listings.iter().copied().filter(|it| fits(it)).take(most).collect();
        members.sort_by(|a, b| a.company.symbol.cmp(&b.company.symbol));
        members
    }

    /// Returns the largest fitting companies of the broad index; of all companies if the broad index has fewer than three.
    fn largest_fitting(&self, most: usize, fits: impl Fn(&Listing) -> bool) -> Vec<&'a Listing> {
        let broad = self.scale_rank(500);
        let fitting = self.listings.iter().enumerate().filter(|(_, it)| fits(it));
        let fitting = fitting.enumerate().take_while(|(count, (rank, _))| *rank < broad || *count < 3);
        fitting.map(|(_, (_, listing))| *listing).take(most).collect()
    }

    /// Scales a rank of a full market to this market's size.
    fn scale_rank(&self, rank: usize) -> usize {
        if self.companies >= 800 { rank } else { rank * self.companies * 6 / 5_000 }
    }
}

/// Returns the members of the market's index fund.
pub(crate) fn fund_members(world: &World, session: usize) -> Vec<&Listing> {
    let ranking = Ranking::on(world, session);
    match world.market {
        Market::India => ranking.members(&MembershipRule::Ranks(0, 50)),
        Market::Us => ranking.largest_share(500, 0.6, |_| true),
    }
}
