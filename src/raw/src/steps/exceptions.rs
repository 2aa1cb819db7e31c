//! Exceptions for the report: figures used before their date, assumed dates, companies without bars.
//!
//! The sentences only state what other modules decided.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use crate::domain::action::Action;
use crate::domain::bar::{Bar, StockSpan};
use crate::domain::company::Company;
use crate::domain::sector_source::SectorSource;
use crate::domain::session::Session;
use crate::instrument_filter;
use crate::raw_market::RawMarket;
use crate::reference_data::ReferenceData;
use crate::report::{DateFrom, Report, examples};
use parquote_catalogue::digits::counted;
use parquote_catalogue::operation::Market;

/// Words after a count of companies.
const COMPANIES_HAVE: [&str; 2] = ["company has", "companies have"];
/// Words after a count of symbols.
const SYMBOLS_HAVE: [&str; 2] = ["symbol has", "symbols have"];

/// Returns all sentences; `contradicted` are the actions for which [`is_contradicted`] is true.
pub(crate) fn sentences(
    market: &RawMarket,
    reference: &ReferenceData,
    contradicted: &[String],
) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(report_gaps(market));
    notes.extend(report_thin_sessions(&market.sessions));
    notes.extend(report_lists(&market.report, market));
    notes.extend(report_shares(market));
    let symbols: Vec<&str> = market.stocks.iter().map(|stock| stock.symbol.as_str()).collect();
    let has_bars = |symbol: &str| symbols.binary_search(&symbol).is_ok();
    let without = reference.listings.keys().filter(|symbol| !has_bars(symbol)).count();
    add_count(
        &mut notes,
        without,
        ["listed symbol without bars is", "listed symbols without bars are"],
        "left out",
    );
    if !reference.listings.is_empty() {
        let unlisted = symbols.iter().filter(|symbol| !reference.listings.contains_key(**symbol)).count();
        add_count(
            &mut notes,
            unlisted,
            ["symbol with bars is", "symbols with bars are"],
            "on no list of the exchange, and not left out",
        );
    }
    let actions = market.actions.iter().filter(|action| !has_bars(&action.symbol)).count();
    add_count(&mut notes, actions, ["action is", "actions are"], "of symbols without bars");
    notes.extend(report_contradicted_actions(contradicted));
    let nameless = market.companies.iter().filter(|company| company.name.is_none()).count();
    add_count(&mut notes, nameless, COMPANIES_HAVE, "no name");
    notes.extend(report_sectors(market, reference));
    if market.report.benchmarks.is_empty() {
        notes.push(format!(
            "the price files have no {}, the benchmark's stand-in",
            instrument_filter::benchmark(market.market)
        ));
    }
    if market.market == Market::Us && reference.listings.is_empty() {
        notes.push("without listings, every US symbol counts as common stock".to_owned());
    }
    notes
}

/// Returns the number of companies by origin of their sector, and the sectors in user-written files that no list has.
fn report_sectors(market: &RawMarket, reference: &ReferenceData) -> Vec<String> {
    let mut notes = Vec::new();
    let without = market.companies.iter().filter(|company| company.sector.is_none()).count();
    add_count(
        &mut notes,
        without,
        COMPANIES_HAVE,
        "no sector; a file with the columns symbol,sector gives one",
    );
    let lacks_industry = |company: &&Company| market.market == Market::India && company.industry.is_none();
    let without = market.companies.iter().filter(lacks_industry).count();
    add_count(
        &mut notes,
        without,
        COMPANIES_HAVE,
        "no industry; BSE's list of securities, by hand from https://www.bseindia.com/corporates/List_Scrips.html, or a \
         file with the columns symbol,industry gives one",
    );
    let with_source =
        |source| market.companies.iter().filter(|company| company.sector_source == Some(source)).count();
    add_count(
        &mut notes,
        with_source(SectorSource::Industry),
        COMPANIES_HAVE,
        "the sector of the others of the industry",
    );
    add_count(
        &mut notes,
        with_source(SectorSource::SectorIndex),
        COMPANIES_HAVE,
        "the sector of an index, by its list",
    );
    add_count(
        &mut notes,
        with_source(SectorSource::Sic),
        COMPANIES_HAVE,
        "the sector of the industry in filings (SIC)",
    );
    add_count(
        &mut notes,
        with_source(SectorSource::Name),
        COMPANIES_HAVE,
        "the sector that a word of the name says",
    );
    let other =
        market.companies.iter().filter(|company| company.sector_source != Some(SectorSource::OwnFile));
    let of_lists: BTreeSet<&str> = other.filter_map(|company| company.sector.as_deref()).collect();
    let user_written = reference.sectors.user_sectors().map(|(_, sector)| sector);
    let unknown: BTreeSet<&str> = user_written.filter(|sector| !of_lists.contains(sector)).collect();
    if !unknown.is_empty() && !of_lists.is_empty() {
        let names: Vec<&str> = unknown.into_iter().collect();
        notes.push(format!("sectors of own files that no other company has: {}", names.join(", ")));
    }
    notes
}

/// Adds a sentence unless the count is zero: the count with its noun and verb (singular or plural), then `words`.
fn add_count(notes: &mut Vec<String>, count: usize, [one, many]: [&str; 2], words: &str) {
    if count > 0 {
        notes.push(format!("{} {words}", counted(count, one, many)));
    }
}

/// Maximum number of days between two sessions that holidays explain.
const MAX_HOLIDAY_GAP: i64 = 10;

/// Reports gaps in the files: the sessions on both sides count as neighbours.
fn report_gaps(market: &RawMarket) -> Vec<String> {
    let pairs = market.sessions.iter().zip(market.sessions.iter().skip(1));
    pairs
        .map(|(before, after)| (before.date, after.date, (after.date - before.date).num_days()))
        .filter(|(.., days)| *days > MAX_HOLIDAY_GAP)
        .map(|(before, after, days)| {
            format!("no session between {before} and {after}, {days} days: they count as neighbours, for jumps too")
        })
        .collect()
}

/// Reports actions that the prices of their ex-date contradict: a wrong date or factor distorts adjusted prices.
fn report_contradicted_actions(contradicted: &[String]) -> Option<String> {
    (!contradicted.is_empty()).then(|| {
        let actions = counted(contradicted.len(), "action is", "actions are");
        format!(
            "{actions} contradicted by the prices of the ex-date; look at dates and factors: {}",
            examples(contradicted, ", ")
        )
    })
}

/// Returns true if the first open of a stock on or after the ex-date is far from the close before it, adjusted by all actions of that date.
pub(crate) fn is_contradicted(action: &Action, of_symbol: &[Action], bars: &[Bar]) -> bool {
    const LIKELY_RATIOS: std::ops::RangeInclusive<f64> = 0.8..=1.25;
    let at = bars.partition_point(|bar| bar.date < action.ex_date);
    let before = at.checked_sub(1).and_then(|before| bars.get(before));
    let (Some(before), Some(bar)) = (before, bars.get(at)) else { return false };
    let [open, ..] = bar.prices;
    let of_date = of_symbol.iter().filter(|other| other.ex_date == action.ex_date);
    let factor: f64 = of_date.map(|other| other.factor).product();
    (action.factor - 1.0).abs() > f64::EPSILON && !LIKELY_RATIOS.contains(&(open / (before.close() * factor)))
}

/// Reports sessions with far fewer stocks than those around them, whose file may be truncated between two lines.
fn report_thin_sessions(sessions: &[Session]) -> Option<String> {
    const SESSIONS_AROUND: usize = 5;
    const FEW_SHARE: f64 = 0.8;
    let thin: Vec<String> = sessions
        .iter()
        .enumerate()
        .filter_map(|(at, session)| {
            let end = (at + SESSIONS_AROUND + 1).min(sessions.len());
            let mut around: Vec<u32> = sessions
                .get(at.saturating_sub(SESSIONS_AROUND)..end)?
                .iter()
                .map(|session| session.stocks)
                .collect();
            around.sort_unstable();
            let usual = *around.get(around.len() / 2)?;
            let is_thin = f64::from(session.stocks) < FEW_SHARE * f64::from(usual);
            is_thin.then(|| format!("{} ({} of about {usual})", session.date, session.stocks))
        })
        .collect();
    (!thin.is_empty()).then(|| {
        format!(
            "sessions with far fewer stocks than those around them, {} of them; where a file is cut, fetch it again: {}",
            thin.len(),
            examples(&thin, ", ")
        )
    })
}

fn report_lists(report: &Report, market: &RawMarket) -> Vec<String> {
    let mut notes = Vec::new();
    for from in [DateFrom::Option, DateFrom::LastSession] {
        let assumed: Vec<_> = report.lists.iter().filter(|list| list.date_from == from).collect();
        if let Some(list) = assumed.first() {
            notes.push(format!(
                "{} no date, and {}, {}, is taken",
                counted(assumed.len(), "member list has", "member lists have"),
                list.date,
                from.label()
            ));
        }
    }
    let Some(first_session) = market.sessions.first() else { return notes };
    let mut firsts: Vec<_> = report.lists.iter().collect();
    firsts.dedup_by(|a, b| a.index == b.index);
    firsts.retain(|list| list.date > first_session.date);
    if let (Some(earliest), Some(latest)) =
        (firsts.iter().map(|list| list.date).min(), firsts.iter().map(|list| list.date).max())
    {
        notes.push(format!(
            "{} no list before {earliest} to {latest}: earlier sessions use the first",
            counted(firsts.len(), "index has", "indices have")
        ));
    }
    notes
}

fn report_shares(market: &RawMarket) -> Vec<String> {
    let mut notes = Vec::new();
    let unknown = market.stocks.iter().filter(|stock| stock.shares_now.0.is_nan());
    add_count(&mut notes, unknown.count(), SYMBOLS_HAVE, "no number of shares, so no market cap");
    let known = |stock: &StockSpan| {
        market.sessions.get(stock.shares_known_from? as usize).map(|session| session.date)
    };
    let dates: Vec<NaiveDate> = market.stocks.iter().filter_map(known).collect();
    if let (Some(earliest), Some(latest)) = (dates.iter().min(), dates.iter().max()) {
        notes.push(format!(
            "{} no number of shares before {earliest} to {latest}: earlier sessions use the first",
            counted(dates.len(), SYMBOLS_HAVE[0], SYMBOLS_HAVE[1])
        ));
    }
    let assumed = market.stocks.iter().filter(|stock| stock.shares_now.1).count();
    add_count(
        &mut notes,
        assumed,
        SYMBOLS_HAVE,
        "a number of shares that became known after the last session or is too old, so that market caps are assumed",
    );
    notes
}
