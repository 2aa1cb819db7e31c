//! The fixed properties of an invented company: name, listing, size, volatility.
//!
//! A company depends only on the seed, its market and its ordinal, never on the number of companies.

use super::draw::{Draw, Purpose};
use super::names::{self, CompanyNames};
use super::size;
use super::taxonomy::{self, IndustryClass};
use parquote_catalogue::operation::Market;

/// The board on which a stock is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Board {
    /// The main board: EQ and BE in India, common stock in the US.
    Main,
    /// India's board for small and medium companies (series SM), outside the equity universe.
    Sme,
}

/// Parameters of a company's price model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PriceModel {
    /// Weight of the market's return.
    pub(crate) beta: f64,
    /// Weight of the sector's return.
    pub(crate) sector_beta: f64,
    /// Standard deviation of the daily return beyond those of market and sector.
    pub(crate) volatility: f64,
    /// Shares traded on a usual day, as a fraction of all shares.
    pub(crate) turnover: f64,
    /// Usual share of the volume that is delivered, 0..1.
    pub(crate) delivered: f64,
    /// The price in currency units before the first session.
    pub(crate) start_price: f64,
    /// Price in currency units above which a negative drift applies, so that prices stay readable.
    pub(crate) high_price: f64,
    /// The price band in percent; `None` for the largest companies and in the US.
    pub(crate) band: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct InventedCompany {
    /// Number of the company in the market's order of generation, and index of all its random substreams.
    pub(crate) ordinal: usize,
    pub(crate) market: Market,
    pub(crate) board: Board,
    pub(crate) symbol: String,
    pub(crate) name: String,
    /// ISIN in India; empty in the US, whose listings have none.
    pub(crate) isin: String,
    pub(crate) industry: &'static IndustryClass,
    /// NSE, NASDAQ, NYSE or AMEX.
    pub(crate) exchange: &'static str,
    /// Market cap at the company's last session, in INR crore or USD billion. It is approximate, because the number of shares is an
    /// integer.
    pub(crate) target_cap: f64,
    /// Face value in rupees at the company's first session.
    pub(crate) face_value: u32,
    pub(crate) price_model: PriceModel,
}

impl InventedCompany {
    /// Generates the company with this ordinal.
    pub(crate) fn generate(
        seed: u64,
        names: &CompanyNames,
        market: Market,
        board: Board,
        ordinal: usize,
    ) -> Self {
        let mut draw = Draw::new(seed, market, Purpose::Company, ordinal);
        let industry = pick_industry(market, ordinal, &mut draw);
        let root = names.root(market, ordinal);
        let drawn_word = draw.pick(&industry.words);
        // The largest company of an industry has the industry's first word.
        let is_largest = ordinal < taxonomy::industries(market).len();
        let word =
            drawn_word.filter(|_| !is_largest).or(industry.words.first()).copied().unwrap_or(industry.name);
        let target_cap = match board {
            Board::Sme => size::cap_at_rank(market, draw.between(0.0, 0.1)),
            Board::Main => size::market_cap(seed, industry, (market, ordinal), &mut draw),
        };
        let rank = size::rank(market, target_cap);
        Self {
            ordinal,
            market,
            board,
            symbol: names::symbol_for(market, &root, industry),
            name: names::company_name(market, &root, word, &mut draw),
            isin: if market == Market::India { names::isin_for("INE", ordinal) } else { String::new() },
            industry,
            exchange: pick_exchange(market, rank, &mut draw),
            target_cap,
            face_value: draw
                .weighted(&[(10, 0.48), (5, 0.1), (2, 0.21), (1, 0.21)], |it| it.1)
                .map_or(10, |it| it.0),
            price_model: PriceModel::generate(market, rank, &mut draw),
        }
    }
}

/// Least weight of an industry that gets a third company early; lighter industries have few companies in the real markets too.
const THIN_INDUSTRY_WEIGHT: f64 = 2.0;
/// Least ordinal of a third company of an industry. Examples of the manual name companies with lower and with higher ordinals.
const THIRD_ROUND_START: usize = 105;

/// Returns the industry of a company. Every industry gets its first two companies in turn, then large industries their third; the
/// industries of all other companies are drawn by weight.
fn pick_industry(market: Market, ordinal: usize, draw: &mut Draw) -> &'static IndustryClass {
    let all = taxonomy::industries(market);
    let drawn = draw.weighted(all, |industry| industry.weight);
    let rounds = 2 * all.len();
    let mut populated = all.iter().filter(|industry| industry.weight >= THIN_INDUSTRY_WEIGHT);
    let in_turn = match ordinal.checked_sub(rounds.max(THIRD_ROUND_START)) {
        Some(third) => populated.nth(third),
        None if ordinal < rounds => all.get(ordinal % all.len()),
        None => None,
    };
    in_turn.or(drawn).unwrap_or(&NO_INDUSTRY)
}

/// Placeholder for an empty table of industries.
static NO_INDUSTRY: IndustryClass = IndustryClass {
    name: "Diversified",
    sector: "Diversified",
    words: Vec::new(),
    tag: "DIV",
    weight: 1.0,
    largest_cap: 1.0,
};

fn pick_exchange(market: Market, rank: f64, draw: &mut Draw) -> &'static str {
    match market {
        Market::India => "NSE",
        Market::Us if rank < 0.3 && draw.chance(0.12) => "AMEX",
        Market::Us if draw.chance(0.55) => "NASDAQ",
        Market::Us => "NYSE",
    }
}

impl PriceModel {
    fn generate(market: Market, rank: f64, draw: &mut Draw) -> Self {
        let is_expensive = draw.chance(0.01);
        let (start_price, high_price) = match market {
            Market::India if is_expensive => (draw.between(7_000.0, 15_000.0), 25_000.0),
            Market::India => ((4.8 + rank + 0.9 * draw.normal()).exp().clamp(15.0, 4_000.0), 4_000.0),
            Market::Us => ((2.9 + rank + 0.8 * draw.normal()).exp().clamp(3.0, 600.0), 400.0),
        };
        let turnover = match market {
            Market::India => 0.0022,
            Market::Us => 0.006,
        };
        Self {
            beta: (1.0 + 0.28 * draw.normal()).clamp(0.3, 2.0),
            sector_beta: (1.0 + 0.3 * draw.normal()).clamp(0.2, 2.0),
            volatility: (0.024 - 0.011 * rank) * (0.25 * draw.normal()).exp(),
            turnover: turnover * (0.6 * draw.normal()).exp(),
            delivered: draw.between(0.25, 0.65),
            start_price,
            high_price,
            band: if market == Market::India { pick_band(rank, draw) } else { None },
        }
    }
}

/// Draws a price band. The largest companies have none, like NSE stocks with derivatives; most others have 20 %.
fn pick_band(rank: f64, draw: &mut Draw) -> Option<u32> {
    let drawn = draw.weighted(&[(20, 0.76), (10, 0.08), (5, 0.14), (2, 0.02)], |it| it.1).map(|it| it.0);
    if rank > 0.92 { None } else { drawn }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn symbols_and_isins_are_unique_and_of_exchange_length() {
        let names = CompanyNames::new(5);
        let companies: Vec<_> = (0..500)
            .map(|ordinal| InventedCompany::generate(5, &names, Market::India, Board::Main, ordinal))
            .collect();
        let symbols: BTreeSet<_> = companies.iter().map(|company| &company.symbol).collect();
        let isins: BTreeSet<_> = companies.iter().map(|company| &company.isin).collect();
        assert_eq!((symbols.len(), isins.len()), (500, 500));
        assert!(symbols.iter().all(|symbol| symbol.len() <= 10));
    }
}
