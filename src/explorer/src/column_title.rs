//! Titles of columns: the name in words, and the unit next to it.
//!
//! Titles are made from the words of the name; short forms of the field are written as the field writes them.

use super::market_words;
use parquote_catalogue::operation::{Market, Unit};
use parquote_engine::ResultColumn;

/// Names whose words are not clear enough.
const WHOLE: &[(&str, &str)] = &[
    ("company_name", "Company"),
    ("url", "Document"),
    ("price_cmp", "Price"),
    ("pe", "P/E"),
    ("pb", "P/B"),
    ("ps", "P/S"),
    ("de", "Debt / equity"),
    ("opm_pct", "Operating margin"),
    ("change_pct", "Change"),
    ("rs_trend_30d", "RS change, 30 d"),
    ("pct_from_high", "From high"),
    ("wk52_high", "52-week high"),
    ("wk52_low", "52-week low"),
    ("rvol_20", "Relative volume"),
    ("template_count", "Template"),
    ("brs", "Readiness"),
    ("scan_count", "Scans"),
    ("ema_alignment", "EMA alignment"),
    ("is_tradable", "Tradable"),
    ("median_turnover_cr", "Median turnover"),
    ("median_turnover_usd_m", "Median turnover"),
    ("vps_cancel_status", "Signal"),
    ("vibe_run_id", "Run"),
    ("ratio_place", "Place in the sector"),
    ("pct_of_volume", "Of the volume"),
    ("pct_of_company", "Of the company"),
    ("is_stale", "Stale"),
    ("in_stage2", "Stage 2"),
    ("in_near_high", "Near high"),
    ("in_high_vol", "High volume"),
    ("in_brs", "Ready"),
    ("index_name", "Index"),
    ("index_close", "Level"),
    ("index_change_pct", "Change"),
    ("index_change_5", "5 days"),
    ("index_change_21", "21 days"),
    ("index_change_252", "A year"),
    ("member_avg_rs", "Mean RS"),
    ("high_symbols", "The strongest of them"),
    ("low_symbols", "The weakest of them"),
    ("sales_growth", "Sales over a year"),
    ("ebitda_growth", "EBITDA over a year"),
    ("pat_growth", "Profit over a year"),
    ("eps_growth", "EPS over a year"),
    ("promoter_change", "Promoters, change"),
    ("fii_change", "FII, change"),
    ("dii_change", "DII, change"),
    ("pat", "Net profit"),
    ("eps_diluted", "EPS"),
    ("vcp_pivot", "Pivot"),
    ("vcp_pivot_distance", "From pivot"),
    ("cor", "Cost of sales"),
    ("gp", "Gross profit"),
    ("depamor", "Depreciation"),
    ("ebit", "EBIT"),
    ("intexp", "Interest"),
    ("ebt", "Profit before tax"),
    ("taxexp", "Tax"),
    ("netinc", "Net income"),
    ("epsdil", "Diluted EPS"),
    ("shareswadil", "Diluted shares"),
    ("dps", "Dividend per share"),
    ("ncfo", "Operating cash flow"),
    ("ncfi", "Investing cash flow"),
    ("ncff", "Financing cash flow"),
    ("ncfdiv", "Dividends paid"),
    ("ncf", "Change of cash"),
    ("assetsc", "Current assets"),
    ("cashneq", "Cash"),
    ("ppnenet", "Plant and equipment"),
    ("liabilitiesc", "Current liabilities"),
    ("debtc", "Short-term debt"),
    ("debtnc", "Long-term debt"),
    ("retearn", "Retained earnings"),
];

/// Short forms, and words with a special spelling.
const WORDS: &[(&str, &str)] = &[
    ("rs", "RS"),
    ("pe", "P/E"),
    ("roce", "ROCE"),
    ("roe", "ROE"),
    ("roa", "ROA"),
    ("opm", "operating margin"),
    ("fcf", "free cash flow"),
    ("cfo", "operating cash flow"),
    ("cfi", "investing cash flow"),
    ("cff", "financing cash flow"),
    ("pat", "net profit"),
    ("cagr", "CAGR"),
    ("ema", "EMA"),
    ("sma", "SMA"),
    ("sma10", "SMA 10"),
    ("sma20", "SMA 20"),
    ("sma40", "SMA 40"),
    ("sma50", "SMA 50"),
    ("sma200", "SMA 200"),
    ("rsi", "RSI"),
    ("vcp", "VCP"),
    ("ttm", "TTM"),
    ("yoy", "YoY"),
    ("qoq", "QoQ"),
    ("eps", "EPS"),
    ("ecs", "ECS"),
    ("pead", "PEAD"),
    ("sue", "SUE"),
    ("fii", "FII"),
    ("dii", "DII"),
    ("ebitda", "EBITDA"),
    ("ev", "EV /"),
    ("pct", "%"),
    ("avg", "average"),
    ("mcap", "market cap"),
    ("usd", "USD"),
    ("cik", "CIK"),
    ("cusip", "CUSIP"),
    ("de", "debt / equity"),
    ("ad", "A/D"),
    ("mcclellan", "McClellan"),
    ("altman", "Altman"),
    ("piotroski", "Piotroski"),
    ("f", "F"),
    ("z", "Z"),
    ("1y", "1 y"),
    ("3y", "3 y"),
    ("5y", "5 y"),
    ("10y", "10 y"),
    ("30d", "30 d"),
    ("wk52", "52-week"),
    ("dir", "direction"),
    ("q", "text"),
    ("kpi", "figure"),
    ("pcr", "provision coverage"),
    ("nii", "net interest income"),
    ("gnpa", "gross NPA"),
    ("nnpa", "net NPA"),
    ("casa", "CASA"),
    ("nim", "NIM"),
];

/// Suffixes of names that mean a unit.
const UNIT_ENDS: [&str; 6] = ["_usd_m", "_usd", "_cr", "_pct", "_inr", "_b"];

/// Returns the title of a column or a parameter.
pub(super) fn title(name: &str, column: Option<&ResultColumn>) -> String {
    if let Some((_, title)) = WHOLE.iter().find(|(known, _)| *known == name) {
        return (*title).to_owned();
    }
    if let Some(short) = column.and_then(short_words) {
        return short.to_owned();
    }
    let words = without_unit(name)
        .split('_')
        .map(|word| WORDS.iter().find(|(known, _)| *known == word).map_or(word, |(_, words)| words));
    capitalised(&words.collect::<Vec<_>>().join(" "))
}

/// Returns a name without the unit at its end.
pub(super) fn without_unit(name: &str) -> &str {
    UNIT_ENDS.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// Returns the dictionary's words if they are a title already, such as `Net income.`
fn short_words(column: &ResultColumn) -> Option<&str> {
    const LONGEST: usize = 28;
    // A name in whole words is as clear, and is the common name.
    let is_code = column.unit != Unit::None && !column.name.contains('_') && column.name.len() > 2;
    let words = column.words.strip_suffix('.')?;
    (is_code && words.len() <= LONGEST && !words.contains(['.', ':', ';', ','])).then_some(words)
}

/// Returns the unit for a column's heading; empty if its values show it or it has no unit.
pub(super) fn unit(column: Option<&ResultColumn>, market: Market) -> &'static str {
    match column.map(|column| column.unit) {
        Some(Unit::Price) => market_words::sign(market),
        Some(Unit::InrCrore) => "₹ cr",
        Some(Unit::UsdBillion) => "$ bn",
        Some(Unit::UsdMillion) => "$ m",
        Some(Unit::Pct) => "%",
        Some(Unit::Points) => "points",
        _ => "",
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_catalogue::operation::ColumnType;

    #[test]
    fn names_become_words() {
        for (name, words) in [
            ("company_name", "Company"),
            ("market_cap_cr", "Market cap"),
            ("rs_rating", "RS rating"),
            ("fcf_yield", "Free cash flow yield"),
            ("min_mcap_b", "Min market cap"),
            ("pct_above_sma10", "% above SMA 10"),
            ("symbol", "Symbol"),
        ] {
            assert_eq!(title(name, None), words);
        }
    }

    #[test]
    fn a_code_takes_the_short_words_of_the_dictionary() {
        let column = |name: &str, words: &str| ResultColumn {
            name: name.to_owned(),
            ty: ColumnType::Number,
            nullable: true,
            unit: Unit::Money,
            words: words.to_owned(),
            fields: Vec::new(),
        };
        assert_eq!(title("netinc", Some(&column("netinc", "Net income."))), "Net income");
        let long = column("capex", "Money spent on plant, net of what was sold, as it is reported.");
        assert_eq!(title("capex", Some(&long)), "Capex");
    }
}
