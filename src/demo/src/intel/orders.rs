//! Orders that Indian companies announce to the exchange.
//!
//! Values are in proportion to the revenue of the last four quarters filed by the day. Clients are invented.

use chrono::NaiveDate;

use crate::draw::{Draw, Purpose};
use crate::names;
use crate::world::{Listing, World};

/// Mean number of orders per year, of a company in a sector with orders.
const ORDERS_A_YEAR: f64 = 3.0;
/// Sessions per year.
const SESSIONS_A_YEAR: f64 = 250.0;

/// An announced order.
#[derive(Debug)]
pub(super) struct OrderWin {
    /// Day of filing.
    pub(super) filed: NaiveDate,
    pub(super) title: String,
    pub(super) client: Option<String>,
    pub(super) segment: &'static str,
    pub(super) geography: &'static str,
    /// Value in INR crore; `None` if undisclosed.
    pub(super) value: Option<u64>,
    /// Months until completion.
    pub(super) months: usize,
    pub(super) summary: String,
    pub(super) confidence: &'static str,
}

/// Returns the products and clients of orders in a sector; `None` for a sector without orders.
fn order_words(sector: &str) -> Option<(&'static [&'static str], &'static [&'static str])> {
    Some(match sector {
        "Capital Goods" => (
            &["transformers", "switchgear", "machine tools", "pumps and valves", "defence electronics"],
            &["Transmission Utility", "Railways Board", "Steel Works", "Defence Works", "Refinery"],
        ),
        "Construction" => (
            &["roads and bridges", "water supply", "metro rail", "buildings and factories", "railway lines"],
            &["Highways Authority", "Metro Rail", "Jal Board", "Housing Board", "Ports Authority"],
        ),
        "Power" => (
            &["solar power", "wind power", "transmission lines", "battery storage"],
            &["State Power Utility", "Grid Agency", "Solar Agency", "Metro Rail"],
        ),
        "Information Technology" => (
            &["cloud services", "application maintenance", "data centres", "digital engineering"],
            &["Bank", "Insurance", "Retail Group", "Health Network"],
        ),
        "Telecommunication" => (
            &["optical fibre", "network equipment", "towers"],
            &["Broadband Agency", "Telecom", "Railways Board"],
        ),
        "Utilities" => (&["water treatment", "waste to energy"], &["Municipal Corporation", "Jal Board"]),
        "Automobile and Auto Components" => (
            &["axles and drivelines", "battery packs", "castings"],
            &["Motors", "Tractors", "Railways Board"],
        ),
        _ => return None,
    })
}

/// Returns the orders of a company in the sessions of the market, oldest first.
pub(super) fn orders(world: &World, listing: &Listing) -> Vec<OrderWin> {
    let Some(sector_words) = order_words(listing.company.industry.sector) else { return Vec::new() };
    let mut draw = Draw::new(world.seed, world.market, Purpose::Orders, listing.company.ordinal);
    let mut session = draw.span(SESSIONS_A_YEAR / ORDERS_A_YEAR);
    let mut orders = Vec::new();
    while session < world.sessions() {
        let filed = world.calendar.date(session);
        let order = order(listing, filed, sector_words, &mut draw);
        if listing.trading_period.listed.contains(&session) {
            orders.extend(order);
        }
        session += draw.span(SESSIONS_A_YEAR / ORDERS_A_YEAR);
    }
    orders
}

fn order(
    listing: &Listing,
    filed: NaiveDate,
    (segments, clients): (&[&'static str], &[&'static str]),
    draw: &mut Draw,
) -> Option<OrderWin> {
    let client = format!("{} {}", names::draw_name(draw), draw.pick(clients).copied()?);
    let segment = draw.pick(segments).copied()?;
    let geography =
        draw.pick(&["India", "India", "India", "India", "Middle East", "Africa", "Europe"]).copied()?;
    let (is_named, is_disclosed, part) = (draw.chance(0.85), draw.chance(0.9), draw.between(0.01, 0.16));
    let months = 6 * (1 + draw.below(8));
    // From lakhs to crores.
    let revenue = listing.statements.revenue_filed_by(filed)? as f64 / 100.0;
    let value = contract_value(revenue, part);
    let confidence = match (is_named, is_disclosed) {
        (true, true) => "high",
        (false, false) => "low",
        _ => "medium",
    };
    let buyer = if is_named { client.as_str() } else { "a customer that is not named" };
    let amount = if is_disclosed { format!("INR {value} crore") } else { "an undisclosed amount".to_owned() };
    let name = listing.company.name.trim_end_matches(" Limited");
    Some(OrderWin {
        filed,
        title: format!("Order for {segment} from {buyer}"),
        summary: format!(
            "{name} won an order of {buyer} for {segment}, {amount}, to be carried out in {months} months."
        ),
        client: is_named.then_some(client),
        segment,
        geography,
        value: is_disclosed.then_some(value),
        months,
        confidence,
    })
}

/// Returns a part of revenue, rounded to two digits, as contract values are.
fn contract_value(revenue: f64, part: f64) -> u64 {
    let value = (revenue * part).max(1.0);
    let step = 10_f64.powf(value.log10().floor() - 1.0).max(1.0);
    ((value / step).round() * step) as u64
}
