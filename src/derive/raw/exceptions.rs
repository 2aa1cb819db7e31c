//! What the report must say because a rule was bent: figures used before their date, dates assumed, companies without bars.
//!
//! Nothing is decided here; the sentences state what was decided elsewhere.

use chrono::NaiveDate;

use super::bar::SymbolBars;
use super::references::References;
use super::screen;
use super::{Company, RawMarket};
use crate::derive::report::{DateFrom, Report};
use crate::operation::Market;

/// Sizes by symbol in the order of `market.stocks`, as they were used.
pub(crate) fn state(
    market: &RawMarket,
    references: &References,
    first_sizes: &[Option<NaiveDate>],
) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(of_lists(&market.report, market));
    said.extend(of_sizes(market, first_sizes));
    let symbols: Vec<&str> = market.stocks.iter().map(|stock| stock.symbol.as_str()).collect();
    let has_bars = |symbol: &str| symbols.binary_search(&symbol).is_ok();
    let without = references.listed.keys().filter(|symbol| !has_bars(symbol)).count();
    say(&mut said, without, "listed symbols have no bars and are left out");
    if !references.listed.is_empty() {
        let unlisted = symbols.iter().filter(|symbol| !references.listed.contains_key(**symbol)).count();
        say(&mut said, unlisted, "symbols with bars are on no list of the exchange and stay");
    }
    let actions = market.actions.iter().filter(|action| !has_bars(&action.symbol)).count();
    say(&mut said, actions, "actions are of symbols without bars");
    let nameless = |of: fn(&Company) -> bool| market.companies.iter().filter(|company| of(company)).count();
    say(&mut said, nameless(|company| company.name.is_none()), "companies have no name");
    say(&mut said, nameless(|company| company.sector.is_none()), "companies have no sector");
    if market.indices.is_empty() {
        said.push(format!(
            "the price files have no {}, the benchmark's stand-in",
            screen::benchmark(market.market)
        ));
    }
    if market.market == Market::Us && references.listed.is_empty() {
        said.push("without listings, every US symbol counts as common stock".to_owned());
    }
    said
}

fn say(said: &mut Vec<String>, count: usize, words: &str) {
    if count > 0 {
        said.push(format!("{count} {words}"));
    }
}

fn of_lists(report: &Report, market: &RawMarket) -> Vec<String> {
    let mut said = Vec::new();
    for from in [DateFrom::Option, DateFrom::LastSession] {
        let assumed: Vec<_> = report.lists.iter().filter(|list| list.date_from == from).collect();
        if let Some(list) = assumed.first() {
            said.push(format!(
                "{} member lists have no date and get {}, {}",
                assumed.len(),
                list.date,
                from.words()
            ));
        }
    }
    let Some(first_session) = market.sessions.first() else { return said };
    let mut firsts: Vec<_> = report.lists.iter().collect();
    firsts.dedup_by(|a, b| a.index == b.index);
    firsts.retain(|list| list.date > first_session.date);
    if let (Some(least), Some(most)) =
        (firsts.iter().map(|list| list.date).min(), firsts.iter().map(|list| list.date).max())
    {
        said.push(format!(
            "{} indices have no list before {least} to {most}: earlier sessions use their first",
            firsts.len()
        ));
    }
    said
}

fn of_sizes(market: &RawMarket, first_sizes: &[Option<NaiveDate>]) -> Vec<String> {
    let mut said = Vec::new();
    let unknown = first_sizes.iter().filter(|first| first.is_none()).count();
    say(&mut said, unknown, "symbols have no number of shares, so no market cap");
    let early = |(stock, first): (&SymbolBars, &Option<NaiveDate>)| {
        let first = first.as_ref()?;
        let session = stock.session.first().and_then(|session| market.sessions.get(*session as usize))?;
        (session.date < *first).then_some(*first)
    };
    let dates: Vec<NaiveDate> = market.stocks.iter().zip(first_sizes).filter_map(early).collect();
    if let (Some(least), Some(most)) = (dates.iter().min(), dates.iter().max()) {
        said.push(format!(
            "{} symbols have no number of shares before {least} to {most}: earlier sessions use their first",
            dates.len()
        ));
    }
    said
}
