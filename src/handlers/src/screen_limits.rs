//! Converts the parameters of a screen that limit figures to filters over its fields.

use super::handler::HandlerCall;
use parquote_language::{Fields, Filter, Test, phrase_condition};

/// Words of company sizes, each with its phrase in sentences.
pub(super) const SIZES: [(&str, &str); 4] =
    [("large", "large cap"), ("mid", "mid cap"), ("small", "small cap"), ("micro", "micro cap")];

/// Names of parameters after `min_` and `max_`, each with the limited field. The field of `mcap` depends on the market, so it is empty
/// here.
pub const RANGES: [(&str, &str); 12] = [
    ("mcap", ""),
    ("price", "price_cmp"),
    ("rs", "rs_rating"),
    ("pe", "pe"),
    ("roe", "roe"),
    ("roce", "roce"),
    ("de", "de"),
    ("opm", "opm_pct"),
    ("growth", "revenue_growth_1y"),
    ("rsi", "rsi_14"),
    ("from_high", "pct_from_high"),
    ("score", "overall_score"),
];

/// Name of the flag of tradable stocks.
const TRADABLE: &str = "is_tradable";

/// A limit, as (name of its parameter, filter).
pub(super) type ScreenLimit = (String, Filter);

/// Returns the limits of a call: sector and industry, size, stage and liquidity, then the ranges.
pub(super) fn limits_of_call(handler_call: &HandlerCall<'_>, fields: &Fields) -> Vec<ScreenLimit> {
    let one_text = |name: &str| {
        let text = handler_call.text(name)?;
        Some((
            name.to_owned(),
            Filter::Text { field: name.to_owned(), one_of: vec![snapshot_spelling(text, name, fields)] },
        ))
    };
    let cap = handler_call.text("cap").and_then(|word| Some(("cap".to_owned(), size_filter(word, fields)?)));
    let stage = handler_call.int("stage").map(|stage| ("stage".to_owned(), stage_filter(stage as f64)));
    let is_tradable = handler_call.text("liquidity") == Some("tradable");
    let tradable =
        is_tradable.then(|| ("liquidity".to_owned(), Filter::Flag { field: TRADABLE.to_owned(), is: true }));
    let ends = RANGES.iter().flat_map(|(name, field)| {
        let field = if field.is_empty() { fields.market_cap() } else { field };
        let limit = |end: &str, test: fn(f64) -> Test| {
            let name = format!("{end}_{name}");
            handler_call.number(&name).map(|bound| (name, Filter::number(field, test(bound))))
        };
        [limit("min", Test::AtLeast), limit("max", Test::AtMost)]
    });
    let texts = ["sector", "industry"].map(one_text);
    texts.into_iter().chain([cap, stage, tradable]).chain(ends).flatten().collect()
}

/// Returns the filter for the word of a company size; `None` if the snapshot lacks its fields.
pub(super) fn size_filter(word: &str, fields: &Fields) -> Option<Filter> {
    let (_, phrase) = SIZES.iter().find(|(known, _)| *known == word)?;
    phrase_condition(phrase, fields)
}

pub(super) fn stage_filter(stage: f64) -> Filter {
    Filter::number("stage", Test::Equal(stage))
}

fn snapshot_spelling(text: &str, field: &str, fields: &Fields) -> String {
    let known = fields.find(field).map(|field| fields.texts(field)).unwrap_or_default();
    known.iter().find(|known| known.eq_ignore_ascii_case(text)).cloned().unwrap_or_else(|| text.to_owned())
}
