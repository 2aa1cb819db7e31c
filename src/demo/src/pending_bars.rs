//! Merges the bars of all instruments of a market by session.
//!
//! Histories are stored by company; price files are written by day. Each reader remembers the close before its next bar, which Indian files
//! repeat unadjusted.

use std::iter::Peekable;
use std::slice::Iter;

use super::prices::SimulatedBar;
use super::tick::Minor;
use super::world::World;

/// A reader of one instrument's bars that are not written yet.
pub(crate) struct PendingBars<'a> {
    pub(crate) symbol: &'a str,
    previous: Minor,
    bars: Peekable<Iter<'a, SimulatedBar>>,
}

impl<'a> PendingBars<'a> {
    /// Returns the readers of all companies and instruments, by symbol.
    pub(crate) fn from_world(world: &'a World) -> Vec<Self> {
        let companies = world
            .listings
            .iter()
            .map(|it| (it.company.symbol.as_str(), it.history.reference, &it.history.bars));
        let others = world.instruments.iter().map(|it| (it.symbol.as_str(), it.reference, &it.bars));
        let mut readers: Vec<_> = companies
            .chain(others)
            .map(|(symbol, previous, bars)| Self { symbol, previous, bars: bars.iter().peekable() })
            .collect();
        readers.sort_by_key(|reader| reader.symbol);
        readers
    }

    /// Returns the bar of a session, if any, with the close before it. Sessions must be requested in order.
    pub(crate) fn take_bar(&mut self, session: usize) -> Option<(Minor, &'a SimulatedBar)> {
        let bar = self.bars.next_if(|bar| usize::from(bar.session) == session)?;
        Some((std::mem::replace(&mut self.previous, bar.close), bar))
    }
}
