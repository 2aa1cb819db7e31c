//! `ai_profiles`: a company in ten sections, in the order and the words of the interface.
//!
//! Figures come from the last four quarters; all other words are general knowledge of the industry.

use super::facts::{self, QuarterFacts, QuarterTrend};
use super::text_writer::TextWriter;

/// The section names, in order.
pub(super) const SECTIONS: [&str; 10] = [
    "business model", "competitive moat", "management quality", "growth drivers", "risk factors",
    "financial health", "industry dynamics", "recent developments", "investment thesis", "bull/bear case",
];

/// Returns the text of each section after the last of these quarters; `None` without quarters. `scores` are the tone scores of their calls.
pub(super) fn write_profile(
    quarters: &[QuarterFacts],
    scores: &[i64],
    writer: &mut TextWriter,
) -> Option<[String; 10]> {
    let last = quarters.last()?;
    let year = quarters.iter().rev().take(4).map(|quarter| quarter.revenue).sum();
    writer.set("year_revenue", facts::format_money(last.market, year));
    let measured = quarters.iter().rev().take(8).filter_map(|quarter| quarter.profit_growth);
    let (grown, measured) =
        measured.fold((0, 0), |(up, all), growth| (up + u32::from(growth > 0.0), all + 1));
    writer.set("grown", grown.to_string());
    writer.set("measured", measured.to_string());
    writer.set("score", scores.last().map_or_else(String::new, ToString::to_string));
    Some([
        business_model(quarters.len(), writer),
        moat_text(last, writer),
        management_text(measured, writer),
        drivers_text(last, writer),
        risks_text(last, writer),
        balance_sheet_text(quarters, last, writer),
        writer.fill_one(&[
            "{Field}.",
            "{Field}. {Customers} feel both.",
            "{Field}. For {short} that means {driver} or {headwind}.",
        ]),
        recent_text(last, writer),
        thesis_text(writer),
        bull_and_bear(last, writer),
    ])
}

fn business_model(quarters: usize, writer: &mut TextWriter) -> String {
    let activity = writer.fill_one(&[
        "{company} sells {products} to {customers}.",
        "{company} earns its money with {products}, mostly from {customers}.",
        "{Customers} buy {products} from {company}.",
    ]);
    let parts = writer.fill_one(&[
        "It reports {segment}, {second_segment} and {third_segment}.",
        "Its parts are {segment}, {second_segment} and {third_segment}, the first being the largest.",
    ]);
    if quarters < 4 {
        return format!("{activity} {parts}");
    }
    let size = writer.fill_one(&["{Income} of the last four quarters was {year_revenue}."]);
    format!("{activity} {parts} {size}")
}

fn moat_text(last: &QuarterFacts, writer: &mut TextWriter) -> String {
    let edge = writer.fill_one(&[
        "What keeps rivals away is {edge}.",
        "Its edge is {edge}.",
        "The company relies on {edge}.",
    ]);
    match last.margin {
        Some(_) => {
            format!(
                "{edge} {}",
                writer.fill_one(&["In {quarter} that was worth an operating margin of {margin}."])
            )
        }
        None => edge,
    }
}

fn management_text(measured: u32, writer: &mut TextWriter) -> String {
    let tone = writer.fill_one(&[
        "The call on {quarter} had a tone score of {score} of 100.",
        "Management's last call, on {quarter}, scored {score} of 100 for tone.",
    ]);
    if measured == 0 {
        return tone;
    }
    let record = writer.fill_one(&[
        "Profit after tax grew in {grown} of the last {measured} quarters that can be compared with the year before.",
        "Of the last {measured} quarters that can be compared, {grown} had more profit than the year before.",
    ]);
    format!("{record} {tone}")
}

fn drivers_text(last: &QuarterFacts, writer: &mut TextWriter) -> String {
    let sentence = writer.fill_one(&[
        "Growth rests on {driver}.",
        "The main driver is {driver}, above all in {segment}.",
        "Management counts on {driver}.",
    ]);
    match last.revenue_growth {
        Some(_) => format!(
            "{sentence} {}",
            writer.fill_one(&[
                "{Income} {revenue_move} in {quarter}.",
                "In {quarter} {income} {revenue_move}."
            ])
        ),
        None => sentence,
    }
}

fn risks_text(last: &QuarterFacts, writer: &mut TextWriter) -> String {
    let sentence = writer.fill_one(&[
        "The first risk is {headwind}; the second, the cost of {inputs}.",
        "Results could suffer from {headwind} and from dearer {inputs}.",
        "Two things could go wrong: {headwind}, and what {inputs} cost.",
    ]);
    let debt = match last.leverage {
        Some(debt) if debt > 1.0 => writer.fill_one(&["Debt of {leverage} times equity adds to both."]),
        _ => return sentence,
    };
    format!("{sentence} {debt}")
}

/// Describes the newest published balance sheet, which may be a quarter old.
fn balance_sheet_text(quarters: &[QuarterFacts], last: &QuarterFacts, writer: &mut TextWriter) -> String {
    let newest = quarters.iter().rev().take(2).find_map(|quarter| Some((quarter, quarter.leverage?)));
    if let Some((quarter, leverage)) = newest {
        writer.set("leverage", facts::format_multiple(leverage));
        writer.set("balance_quarter", quarter.quarter());
    }
    let debt = match newest.map(|(_, leverage)| leverage) {
        Some(debt) if debt > 1.0 => writer.fill_one(&[
            "Debt was high at {leverage} times equity in {balance_quarter}.",
            "At {leverage} times equity in {balance_quarter}, debt asks for attention.",
        ]),
        Some(debt) if debt > 0.3 => writer.fill_one(&[
            "Debt was {leverage} times equity in {balance_quarter}.",
            "In {balance_quarter} debt came to {leverage} times equity.",
        ]),
        Some(_) => writer.fill_one(&[
            "Debt was low at {leverage} times equity in {balance_quarter}.",
            "There was little debt in {balance_quarter}: {leverage} times equity.",
        ]),
        None if last.is_financial => writer.fill_one(&[
            "As a financial company it is judged by capital and asset quality more than by debt.",
        ]),
        None => writer.fill_one(&["The balance sheet is the part to read first."]),
    };
    let profit = match last.trend() {
        QuarterTrend::Loss => writer.fill_one(&["{Quarter} ended with a loss of {loss}."]),
        _ => writer.fill_one(&[
            "Profit after tax in {quarter} was {profit}.",
            "It earned {profit} after tax in {quarter}.",
        ]),
    };
    format!("{debt} {profit}")
}

fn recent_text(last: &QuarterFacts, writer: &mut TextWriter) -> String {
    let result = match last.trend() {
        QuarterTrend::Loss => writer.fill_one(&["Results of {quarter}, announced on {announced}: {income} {revenue}, loss {loss}."]),
        _ => writer.fill_one(&[
            "Results of {quarter}, announced on {announced}: {income} {revenue}, profit after tax {profit}.",
            "On {announced} the company reported {income} of {revenue} and profit after tax of {profit} for {quarter}.",
        ]),
    };
    let outlook = writer.fill_one(&[
        "The call dealt with {driver} and with {headwind}.",
        "On the call {segment} took most of the time.",
        "Spending goes to {segment} first.",
    ]);
    format!("{result} {outlook}")
}

fn thesis_text(writer: &mut TextWriter) -> String {
    writer.fill_one(&[
        "The case for the company rests on {driver} and on {edge}; {headwind} would weaken it.",
        "Whoever follows the company looks for {driver}, protected by {edge}, and fears {headwind}.",
        "Two things have to hold: {driver}, and {edge}.",
    ])
}

fn bull_and_bear(last: &QuarterFacts, writer: &mut TextWriter) -> String {
    let bull = writer.fill_one(match last.margin {
        Some(_) => &[
            "Bull: {driver}, with operating margin above the {margin} of {quarter}.",
            "Bull: more of {driver}, and operating margin rises from {margin}.",
        ],
        None => &["Bull: {driver}, with {segment} growing faster than the rest.", "Bull: more of {driver}."],
    });
    let bear = writer.fill_one(&[
        "Bear: {headwind}, and {inputs} cost more.",
        "Bear: {headwind}, at a time when {customers} spend less.",
    ]);
    format!("{bull} {bear}")
}
