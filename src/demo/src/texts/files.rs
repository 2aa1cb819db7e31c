//! Writes the text files under `texts/`: one JSON object per line, named after the table that it fills.
//!
//! Older quarters have only scores, so that the files stay small.

use serde_json::json;

use super::call::{self, QuotedNumber};
use super::calls::{EarningsCall, generate_calls, substream};
use super::facts::QuarterFacts;
use super::text_writer::TextWriter;
use super::{line_of_business, orders, profile, report, summary, tone};
use crate::DemoError;
use crate::draw::{Draw, Purpose};
use crate::output::{OutputFolder, push_json};
use crate::statements::BusinessKind;
use crate::world::{Listing, World};
use parquote_catalogue::operation::Market;

/// The source named in every row.
const SOURCE: &str = "invented call of the demo market, no advice";
/// The author named in every row.
const WRITER: &str = "parquote demo";
/// Number of the newest calls with a summary.
const CALLS_WITH_SUMMARY: usize = 4;
/// Number of the newest calls with an analysis.
const CALLS_WITH_ANALYSIS: usize = 3;
/// Number of the newest calls with a profile.
const CALLS_WITH_PROFILE: usize = 2;

/// Writes all texts of a market.
pub(crate) fn write(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let mut files = TextFiles::default();
    for listing in &world.listings {
        let calls = generate_calls(world, listing);
        for index in 0..calls.len() {
            files.add_quarter(world, listing, &calls, index);
        }
        if world.market == Market::Us {
            files.add_report(world, listing, &calls);
        }
    }
    files.save(output, world.market)
}

/// Lines of each file.
#[derive(Default)]
struct TextFiles {
    summaries: Vec<u8>,
    profiles: Vec<u8>,
    decoders: Vec<u8>,
    numbers: Vec<u8>,
    tones: Vec<u8>,
    phrases: Vec<u8>,
    reports: Vec<u8>,
}

impl TextFiles {
    /// Adds the texts of one call; newer calls have more.
    fn add_quarter(&mut self, world: &World, listing: &Listing, calls: &[EarningsCall], index: usize) {
        let (Some(call), age) = (calls.get(index), calls.len() - 1 - index) else { return };
        let before = index.checked_sub(1).and_then(|index| calls.get(index));
        let mut writer = new_writer(world, listing, &call.facts);
        self.add_tone(listing, call, before, &mut writer);
        if age < CALLS_WITH_SUMMARY {
            self.add_summary(listing, call, &mut writer);
        }
        if age < CALLS_WITH_ANALYSIS {
            self.add_analysis(listing, call, before, &mut writer);
        }
        if age < CALLS_WITH_PROFILE {
            self.add_profile(listing, calls.get(..=index).unwrap_or_default(), &mut writer);
        }
    }

    fn add_tone(
        &mut self,
        listing: &Listing,
        call: &EarningsCall,
        before: Option<&EarningsCall>,
        writer: &mut TextWriter,
    ) {
        let symbol = &listing.company.symbol;
        let period_end = call.period_end().to_string();
        let lens = tone::combination_text(
            &call.facts,
            call.tone_score(),
            before.map(EarningsCall::tone_score),
            writer,
        );
        let row = json!({
            "symbol": symbol, "period_end": period_end, "call_date": call.date.to_string(),
            "tone_score": call.tone_score(), "confidence": call.tone.confidence, "themes": call.tone.themes(),
            "investor_lens": lens, "source": SOURCE, "written_by": WRITER, "generated_on": call.analysed_on.to_string(),
        });
        push_json(&mut self.tones, &row);
        for (phrase, mentions) in &call.tone.phrases {
            let row =
                json!({"symbol": symbol, "period_end": period_end, "phrase": phrase, "mentions": mentions});
            push_json(&mut self.phrases, &row);
        }
    }

    fn add_summary(&mut self, listing: &Listing, call: &EarningsCall, writer: &mut TextWriter) {
        let text = summary::summarize(&call.facts, call.tone_score(), writer);
        let row = json!({
            "symbol": listing.company.symbol, "period_end": call.period_end().to_string(),
            "call_date": call.date.to_string(), "headline_verdict": text.headline, "key_positives": text.positives,
            "key_risks": text.risks, "management_outlook": text.outlook, "source": SOURCE, "written_by": WRITER,
            "generated_on": call.analysed_on.to_string(),
        });
        push_json(&mut self.summaries, &row);
    }

    fn add_analysis(
        &mut self,
        listing: &Listing,
        call: &EarningsCall,
        before: Option<&EarningsCall>,
        writer: &mut TextWriter,
    ) {
        let earlier = before.map(|before| (&before.facts, before.tone_score()));
        let text = call::decode_call(&call.facts, call.tone_score(), earlier, writer);
        let (symbol, period_end) = (&listing.company.symbol, call.period_end().to_string());
        let row = json!({
            "symbol": symbol, "period_end": period_end, "call_date": call.date.to_string(),
            "tone_read": text.tone_read, "top_messages": text.top_messages, "dodged_topics": text.dodged_topics,
            "tone_shifts": text.tone_shifts, "outlook": text.outlook, "investor_lens": text.investor_lens,
            "source": SOURCE, "written_by": WRITER, "generated_on": call.analysed_on.to_string(),
        });
        push_json(&mut self.decoders, &row);
        for (position, number) in (1..).zip(&text.numbers) {
            let QuotedNumber { metric, value, unit, change_pct, change_points } = number;
            let row = json!({
                "symbol": symbol, "period_end": period_end, "position": position, "metric": metric,
                "metric_value": value, "metric_unit": unit, "change_yoy_pct": change_pct,
                "change_yoy_points": change_points,
            });
            push_json(&mut self.numbers, &row);
        }
    }

    fn add_profile(&mut self, listing: &Listing, calls: &[EarningsCall], writer: &mut TextWriter) {
        let (quarters, scores) = quarters(calls);
        let (Some(last), Some(texts)) = (calls.last(), profile::write_profile(&quarters, &scores, writer))
        else {
            return;
        };
        for ((position, section), text) in (1..).zip(profile::SECTIONS).zip(texts) {
            let row = json!({
                "symbol": listing.company.symbol, "period_end": last.period_end().to_string(), "position": position,
                "section": section, "text": text, "source": SOURCE, "written_by": WRITER,
                "generated_on": last.analysed_on.to_string(),
            });
            push_json(&mut self.profiles, &row);
        }
    }

    fn add_report(&mut self, world: &World, listing: &Listing, calls: &[EarningsCall]) {
        let Some(last) = calls.last() else { return };
        let mut writer = new_writer(world, listing, &last.facts);
        let (quarters, scores) = quarters(calls);
        let Some(text) = report::write_report(&quarters, &scores, &mut writer) else { return };
        let row = json!({
            "symbol": listing.company.symbol, "period_end": last.period_end().to_string(), "headline": text.headline,
            "executive_summary": text.summary, "business_overview": text.business, "financial_review": text.financials,
            "market_position": text.position, "management_view": text.management, "catalysts": text.catalysts,
            "key_risks": text.risks, "conclusion": text.conclusion, "source": SOURCE, "written_by": WRITER,
            "generated_on": last.analysed_on.to_string(),
        });
        push_json(&mut self.reports, &row);
    }

    fn save(self, output: &mut OutputFolder, market: Market) -> Result<(), DemoError> {
        for (table, lines) in [
            ("ai_summaries", self.summaries),
            ("ai_profiles", self.profiles),
            ("call_decoders", self.decoders),
            ("call_numbers", self.numbers),
            ("management_tones", self.tones),
            ("call_phrases", self.phrases),
        ] {
            output.file(&format!("texts/{table}.ndjson"), &lines)?;
        }
        if market == Market::Us {
            output.file("texts/full_reports.ndjson", &self.reports)?;
        }
        Ok(())
    }
}

fn quarters(calls: &[EarningsCall]) -> (Vec<QuarterFacts>, Vec<i64>) {
    (
        calls.iter().map(|call| call.facts.clone()).collect(),
        calls.iter().map(EarningsCall::tone_score).collect(),
    )
}

/// Creates a writer with the words of a company and a quarter.
fn new_writer(world: &World, listing: &Listing, facts: &QuarterFacts) -> TextWriter {
    let company = &listing.company;
    let index = substream(company.ordinal, facts.period_end);
    let mut writer = TextWriter::new(Draw::new(world.seed, world.market, Purpose::Texts, index));
    let trade = line_of_business::words_for_industry(company.industry);
    for (name, word) in [
        ("company", company.name.as_str()),
        ("short", orders::short_name(&company.name)),
        ("products", trade.products),
        ("customers", trade.customers),
        ("inputs", trade.inputs),
        ("driver", trade.driver),
        ("headwind", trade.headwind),
        ("edge", trade.edge),
        ("field", trade.field),
        ("income", first_income_line(listing.statements.kind)),
    ] {
        writer.set(name, word);
    }
    let segments = trade.segments.iter().cycle().skip(company.ordinal % 3);
    for (name, segment) in ["segment", "second_segment", "third_segment"].into_iter().zip(segments) {
        writer.set(name, *segment);
    }
    facts.put_into(&mut writer);
    writer
}

/// Returns the name of the first income line.
const fn first_income_line(kind: BusinessKind) -> &'static str {
    match kind {
        BusinessKind::Company => "revenue",
        BusinessKind::Bank | BusinessKind::Lender => "interest income",
        BusinessKind::Insurer => "premium income",
    }
}
