//! Contracts that US companies report on Form 8-K: orders, credit lines, leases, agreements to merge.
//!
//! Values are in proportion to the company's revenue, or to its market cap for acquisitions.

use chrono::NaiveDate;

use super::{facts, line_of_business};
use crate::draw::{Draw, Purpose};
use crate::names;
use crate::world::{Listing, World};
use parquote_catalogue::operation::Market;

/// A contract as reported in its filing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contract {
    /// The filing date, a session.
    pub(crate) filed: NaiveDate,
    /// One of `order_win`, `credit_facility`, `lease`, `ma_agreement` or `other`.
    pub(crate) kind: &'static str,
    /// The headline of the filing.
    pub(crate) title: String,
    /// Value in USD million; `None` if undisclosed.
    pub(crate) value: Option<f64>,
    /// Name of the counterparty.
    pub(crate) client: String,
    pub(crate) segment: &'static str,
    pub(crate) geography: &'static str,
    pub(crate) summary: String,
    /// Confidence of the filing's analysis.
    pub(crate) confidence: &'static str,
}

/// Mean number of contracts per company and year.
const CONTRACTS_A_YEAR: f64 = 1.6;
/// Sessions per year.
const SESSIONS_A_YEAR: f64 = 252.0;

/// Returns the contracts of a company in the sessions of the market, oldest first.
pub(crate) fn generate_contracts(world: &World, listing: &Listing) -> Vec<Contract> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::Contracts, listing.company.ordinal);
    let mut session = draw.span(SESSIONS_A_YEAR / CONTRACTS_A_YEAR);
    let mut contracts = Vec::new();
    while session < world.sessions() {
        let filed = world.calendar.date(session);
        if listing.trading_period.listed.contains(&session) {
            contracts.extend(draw_contract(listing, session, filed, &mut draw));
        }
        session += draw.span(SESSIONS_A_YEAR / CONTRACTS_A_YEAR);
    }
    contracts
}

fn draw_contract(listing: &Listing, session: usize, filed: NaiveDate, draw: &mut Draw) -> Option<Contract> {
    let kinds = [
        ("order_win", 0.45),
        ("credit_facility", 0.22),
        ("lease", 0.1),
        ("ma_agreement", 0.11),
        ("other", 0.12),
    ];
    let kind = draw.weighted(&kinds, |it| it.1)?.0;
    let trade = line_of_business::words_for_industry(listing.company.industry);
    let client = draw_client(kind, draw);
    let segment = draw.pick(&trade.segments).copied()?;
    let geography = draw
        .pick(&["United States", "United States", "North America", "Europe", "Asia-Pacific", "Latin America"])
        .copied()?;
    let names_value = draw.chance(0.85);
    let value = draw_value(listing, (session, filed), kind, draw)?;
    // Values that round to zero are undisclosed.
    let is_disclosed = names_value && value > 0.0;
    let confidence =
        if is_disclosed { draw.pick(&["high", "high", "medium"]) } else { draw.pick(&["medium", "low"]) };
    let amount = if is_disclosed {
        facts::format_money(Market::Us, value)
    } else {
        "an undisclosed amount".to_owned()
    };
    let name = short_name(&listing.company.name);
    Some(Contract {
        filed,
        kind,
        title: title_of(kind, &client),
        value: is_disclosed.then_some(value),
        summary: summary_text(kind, name, &client, segment, &amount, draw),
        client,
        segment,
        geography,
        confidence: confidence.copied().unwrap_or("medium"),
    })
}

/// Draws a value, rounded as in contracts.
fn draw_value(
    listing: &Listing,
    (session, filed): (usize, NaiveDate),
    kind: &str,
    draw: &mut Draw,
) -> Option<f64> {
    const HUNDREDTHS: f64 = 100.0;
    let revenue = listing.statements.revenue_filed_by(filed)? as f64 / HUNDREDTHS;
    let cap = listing.cap_on(session)? as f64 / HUNDREDTHS / 1e6;
    let base = match kind {
        "ma_agreement" => cap,
        "lease" => 0.1 * revenue,
        "order_win" => revenue,
        _ => revenue.max(0.02 * cap),
    };
    let value = base * draw.between(0.02, 0.14);
    let step = match value {
        ..10.0 => 0.1,
        10.0..100.0 => 0.5,
        _ => 10_f64.powf(value.log10().floor() - 2.0) * 5.0,
    };
    // Rounded to tenths, so that text and figure are equal.
    Some(((value / step).round() * step * 10.0).round() / 10.0)
}

impl Contract {
    /// Returns the Form 8-K items: the agreement, and a financial obligation if it creates one.
    pub(crate) fn items(&self) -> &'static str {
        match self.kind {
            "credit_facility" | "lease" => "1.01,2.03",
            "ma_agreement" | "order_win" => "1.01,9.01",
            _ => "1.01",
        }
    }
}

fn draw_client(kind: &str, draw: &mut Draw) -> String {
    let root = names::draw_name(draw);
    let words: &[&str] = match kind {
        "credit_facility" => &["Bank", "Bancorp", "Credit Partners"],
        "lease" => &["Properties", "Realty", "Logistics Parks"],
        "ma_agreement" => &["Holdings", "Systems", "Partners"],
        _ => &["Industries", "Group", "Health", "Energy", "Agency", "Networks"],
    };
    format!("{root} {}", draw.pick(words).copied().unwrap_or("Group"))
}

fn title_of(kind: &str, client: &str) -> String {
    match kind {
        "order_win" => format!("Supply agreement with {client}"),
        "credit_facility" => format!("Credit agreement with {client}"),
        "lease" => format!("Lease with {client}"),
        "ma_agreement" => format!("Agreement to acquire {client}"),
        _ => format!("Cooperation agreement with {client}"),
    }
}

fn summary_text(
    kind: &str,
    name: &str,
    client: &str,
    segment: &str,
    amount: &str,
    draw: &mut Draw,
) -> String {
    let years = 2 + draw.below(6);
    match kind {
        "order_win" => format!("{name} is to supply {client} in {segment} over {years} years for {amount}."),
        "credit_facility" => {
            format!(
                "{name} can draw {amount} from {client} over {years} years, for use in {segment} and at large."
            )
        }
        "lease" => {
            format!("{name} rents space from {client} for {years} years at {amount} in all, for {segment}.")
        }
        "ma_agreement" => format!("{name} agreed to buy {client} for {amount} to add to {segment}."),
        _ => format!(
            "{name} and {client} will work together in {segment} for {years} years; {amount} is named."
        ),
    }
}

/// Returns a company's name without its legal form.
pub(super) fn short_name(name: &str) -> &str {
    [" Limited", " Holdings Inc.", " Inc.", " Corporation", " Company"]
        .iter()
        .find_map(|form| name.strip_suffix(form))
        .unwrap_or(name)
}
