//! What files announce beside prices, each once: bands, deals, disclosures, shareholdings, statements, corporate actions.
//!
//! Nothing here is judged against prices. A list is absent, not empty, where no file of its kind was given.

use chrono::NaiveDate;

use super::files::Source;
use super::format::Format;
use super::ledger::Ledger;
use super::placed::{as_often_as_in_one_file, each_once};
use super::references::References;
use super::statements::{Companies, Settling, Statements};
use super::{Band, Deal, Event, Holding, InsiderTrade, RawError, shareholding};
use crate::operation::Market;

/// The lists, each sorted by symbol and date.
pub(crate) struct Announced {
    pub(crate) bands: Vec<Band>,
    pub(crate) deals: Option<Vec<Deal>>,
    pub(crate) trades: Option<Vec<InsiderTrade>>,
    pub(crate) holdings: Option<Vec<Holding>>,
    pub(crate) statements: Option<Statements>,
    pub(crate) events: Vec<Event>,
}

impl Announced {
    /// Takes them out of what was read.
    pub(crate) fn new(
        references: &mut References,
        (market, as_of): (Market, Option<NaiveDate>),
        sources: &[Source],
        ledger: &mut Ledger<'_>,
    ) -> Result<Self, RawError> {
        let has = |format| sources.iter().any(|source| source.format == format);
        let bands = std::mem::take(&mut references.bands);
        let deals = std::mem::take(&mut references.deals);
        let trades = std::mem::take(&mut references.trades);
        let mut holdings = std::mem::take(&mut references.holdings);
        shareholding::complete(&mut holdings);
        let events = std::mem::take(&mut references.events);
        let statements = match std::mem::take(&mut references.statements) {
            none if none.is_empty() => None,
            some => {
                let companies = Companies::new(&references.ciks, references.names());
                Some(Settling { market, as_of, companies, sources }.settle(some, ledger)?)
            }
        };
        Ok(Self {
            bands: each_once(bands, |a, b| (&a.symbol, a.date).cmp(&(&b.symbol, b.date)), sources, ledger),
            deals: has(Format::Deals)
                .then(|| as_often_as_in_one_file(deals, Deal::identity, sources, ledger)),
            trades: has(Format::InsiderTrades)
                .then(|| as_often_as_in_one_file(trades, InsiderTrade::identity, sources, ledger)),
            holdings: has(Format::Shareholding).then(|| {
                let order =
                    |a: &Holding, b: &Holding| (&a.symbol, a.period_end).cmp(&(&b.symbol, b.period_end));
                each_once(holdings, order, sources, ledger)
            }),
            statements,
            events: each_once(
                events,
                |a, b| {
                    (&a.symbol, a.ex_date, a.kind, &a.purpose)
                        .cmp(&(&b.symbol, b.ex_date, b.kind, &b.purpose))
                },
                sources,
                ledger,
            ),
        })
    }
}
