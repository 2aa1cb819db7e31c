//! Writes the text files under `texts/`: one JSON object per line, named after the table that it fills.
//!
//! It has no wording. Older quarters have only scores, so that the files stay small.

use serde_json::{Value as Json, json};

use super::call::{self, QuotedNumber};
use super::calls::{EarningsCall, calls, substream};
use super::facts::QuarterFacts;
use super::voice::Voice;
use super::{business_of_industry, orders, profile, report, summary, tone};
use crate::DemoError;
use crate::draw::{Draw, Purpose};
use crate::output::OutputFolder;
use crate::statements::BusinessKind;
use crate::world::{Listing, World};
use parquote_catalogue::operation::Market;

/// The source named in every row.
const SOURCE: &str = "invented call of the demo market, no advice";
/// The author named in every row.
const WRITER: &str = "parquote demo";
/// Number of newest calls with a summary; with an analysis; with a profile.
const SUMMARIES: usize = 4;
const DECODERS: usize = 3;
const PROFILES: usize = 2;

/// Writes all texts of a market.
pub(crate) fn write(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let mut files = TextFiles::default();
    for listing in &world.listings {
        let calls = calls(world, listing);
        for at in 0..calls.len() {
            files.quarter(world, listing, &calls, at);
        }
        if world.market == Market::Us {
            files.report(world, listing, &calls);
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
    fn quarter(&mut self, world: &World, listing: &Listing, calls: &[EarningsCall], at: usize) {
        let (Some(call), age) = (calls.get(at), calls.len() - 1 - at) else { return };
        let before = at.checked_sub(1).and_then(|at| calls.get(at));
        let mut voice = voice(world, listing, &call.facts);
        self.tone(listing, call, before, &mut voice);
        if age < SUMMARIES {
            self.summary(listing, call, &mut voice);
        }
        if age < DECODERS {
            self.decoder(listing, call, before, &mut voice);
        }
        if age < PROFILES {
            self.profile(listing, calls.get(..=at).unwrap_or_default(), &mut voice);
        }
    }

    fn tone(
        &mut self,
        listing: &Listing,
        call: &EarningsCall,
        before: Option<&EarningsCall>,
        voice: &mut Voice,
    ) {
        let symbol = &listing.company.symbol;
        let period_end = call.period_end().to_string();
        let lens = tone::lens(&call.facts, call.tone_score(), before.map(EarningsCall::tone_score), voice);
        push(
            &mut self.tones,
            &json!({
                "symbol": symbol, "period_end": period_end, "call_date": call.date.to_string(),
                "tone_score": call.tone_score(), "confidence": call.tone.confidence, "themes": call.tone.themes(),
                "investor_lens": lens, "source": SOURCE, "written_by": WRITER, "generated_on": call.written.to_string(),
            }),
        );
        for (phrase, mentions) in &call.tone.phrases {
            push(
                &mut self.phrases,
                &json!({
                    "symbol": symbol, "period_end": period_end, "phrase": phrase, "mentions": mentions,
                }),
            );
        }
    }

    fn summary(&mut self, listing: &Listing, call: &EarningsCall, voice: &mut Voice) {
        let text = summary::summarize(&call.facts, call.tone_score(), voice);
        push(
            &mut self.summaries,
            &json!({
                "symbol": listing.company.symbol, "period_end": call.period_end().to_string(),
                "call_date": call.date.to_string(), "headline_verdict": text.headline, "key_positives": text.positives,
                "key_risks": text.risks, "management_outlook": text.outlook, "source": SOURCE, "written_by": WRITER,
                "generated_on": call.written.to_string(),
            }),
        );
    }

    fn decoder(
        &mut self,
        listing: &Listing,
        call: &EarningsCall,
        before: Option<&EarningsCall>,
        voice: &mut Voice,
    ) {
        let earlier = before.map(|before| (&before.facts, before.tone_score()));
        let text = call::decode_call(&call.facts, call.tone_score(), earlier, voice);
        let (symbol, period_end) = (&listing.company.symbol, call.period_end().to_string());
        push(
            &mut self.decoders,
            &json!({
                "symbol": symbol, "period_end": period_end, "call_date": call.date.to_string(),
                "tone_read": text.tone_read, "top_messages": text.top_messages, "dodged_topics": text.dodged_topics,
                "tone_shifts": text.tone_shifts, "outlook": text.outlook, "investor_lens": text.investor_lens,
                "source": SOURCE, "written_by": WRITER, "generated_on": call.written.to_string(),
            }),
        );
        for (position, number) in (1..).zip(&text.numbers) {
            let QuotedNumber { metric, value, unit, change_pct, change_points } = number;
            push(
                &mut self.numbers,
                &json!({
                    "symbol": symbol, "period_end": period_end, "position": position, "metric": metric,
                    "metric_value": value, "metric_unit": unit, "change_yoy_pct": change_pct,
                    "change_yoy_points": change_points,
                }),
            );
        }
    }

    fn profile(&mut self, listing: &Listing, calls: &[EarningsCall], voice: &mut Voice) {
        let (quarters, scores) = quarters(calls);
        let (Some(last), Some(texts)) = (calls.last(), profile::write_profile(&quarters, &scores, voice))
        else {
            return;
        };
        for ((position, section), text) in (1..).zip(profile::SECTIONS).zip(texts) {
            push(
                &mut self.profiles,
                &json!({
                    "symbol": listing.company.symbol, "period_end": last.period_end().to_string(), "position": position,
                    "section": section, "text": text, "source": SOURCE, "written_by": WRITER,
                    "generated_on": last.written.to_string(),
                }),
            );
        }
    }

    fn report(&mut self, world: &World, listing: &Listing, calls: &[EarningsCall]) {
        let Some(last) = calls.last() else { return };
        let mut voice = voice(world, listing, &last.facts);
        let (quarters, scores) = quarters(calls);
        let Some(text) = report::write_report(&quarters, &scores, &mut voice) else { return };
        push(
            &mut self.reports,
            &json!({
                "symbol": listing.company.symbol, "period_end": last.period_end().to_string(), "headline": text.headline,
                "executive_summary": text.summary, "business_overview": text.business, "financial_review": text.financials,
                "market_position": text.position, "management_view": text.management, "catalysts": text.catalysts,
                "key_risks": text.risks, "conclusion": text.conclusion, "source": SOURCE, "written_by": WRITER,
                "generated_on": last.written.to_string(),
            }),
        );
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

/// Creates a voice with the words of a company and a quarter.
fn voice(world: &World, listing: &Listing, facts: &QuarterFacts) -> Voice {
    let company = &listing.company;
    let index = substream(company.place, facts.period_end);
    let mut voice = Voice::new(Draw::new(world.seed, world.market, Purpose::Texts, index));
    let trade = business_of_industry::line_of_business(company.industry);
    for (place, word) in [
        ("company", company.name.as_str()),
        ("short", orders::short_name(&company.name)),
        ("products", trade.products),
        ("customers", trade.customers),
        ("inputs", trade.inputs),
        ("driver", trade.driver),
        ("headwind", trade.headwind),
        ("edge", trade.edge),
        ("field", trade.field),
        ("income", income(listing.statements.kind)),
    ] {
        voice.set(place, word);
    }
    let segments = trade.segments.iter().cycle().skip(company.place % 3);
    for (place, segment) in ["segment", "second_segment", "third_segment"].into_iter().zip(segments) {
        voice.set(place, *segment);
    }
    facts.put_into(&mut voice);
    voice
}

/// Returns the name of the first income line.
const fn income(kind: BusinessKind) -> &'static str {
    match kind {
        BusinessKind::Company => "revenue",
        BusinessKind::Bank | BusinessKind::Lender => "interest income",
        BusinessKind::Insurer => "premium income",
    }
}

fn push(lines: &mut Vec<u8>, row: &Json) {
    lines.extend_from_slice(row.to_string().as_bytes());
    lines.push(b'\n');
}
