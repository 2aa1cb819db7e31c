//! Figures that a company states: metric, value in the unit of the market, and change against the year before.

use crate::readings::amounts::{Amount, AmountKind, amounts};
use crate::readings::fact_words::{FACT_WORDS, FigureMeasure, MetricWords};
use crate::readings::words::{SentenceWords, sentences};
use parquote_catalogue::operation::Market;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct StatedFigure {
    pub(super) metric: &'static str,
    pub(super) value: f64,
    pub(super) unit: &'static str,
    /// Change in percent; of a margin in points.
    pub(super) change: Option<f64>,
}

/// Returns the figures in a paragraph, in their order.
pub(super) fn figures(text: &str, market: Market) -> Vec<StatedFigure> {
    sentences(text).into_iter().flat_map(|sentence| sentence_figures(sentence, market)).collect()
}

fn sentence_figures(sentence: &str, market: Market) -> Vec<StatedFigure> {
    let words = SentenceWords::new(sentence);
    if words.has_any(&FACT_WORDS.ahead) {
        return Vec::new();
    }
    let is_yearly = words.has_any(&FACT_WORDS.of_year);
    let named = named_metrics(&words);
    let mut found = Vec::new();
    for (at, &(start, metric)) in named.iter().enumerate() {
        let end = named.get(at + 1).map_or(words.written.len(), |(next, _)| *next);
        let part = words.written.get(start..end).unwrap_or_default().join(" ");
        found.extend(read_figure(&SentenceWords::new(&part), metric, is_yearly, market));
    }
    found
}

/// Returns the metrics that a sentence names, each with the position of the word after its name.
fn named_metrics(words: &SentenceWords<'_>) -> Vec<(usize, &'static MetricWords)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.plain.len() {
        let rest = words.plain.get(at..).unwrap_or_default();
        let begins = |phrase: &&String| {
            let mut rest = rest.iter();
            phrase.split(' ').all(|word| rest.next().is_some_and(|next| next == word))
        };
        let named = |metric: &'static MetricWords| Some((metric.phrases.iter().find(begins)?, metric));
        match FACT_WORDS.metrics.iter().find_map(named) {
            Some((phrase, metric)) => {
                at += phrase.split(' ').count();
                found.push((at, metric));
            }
            None => at += 1,
        }
    }
    found
}

/// Returns the figure of a metric in the words after its name.
fn read_figure(
    words: &SentenceWords<'_>,
    metric: &'static MetricWords,
    is_yearly: bool,
    market: Market,
) -> Option<StatedFigure> {
    let (sums, prices) = match market {
        Market::India => ("INR crore", "INR"),
        Market::Us => ("USD million", "USD"),
    };
    let amounts = amounts(&words.written);
    let fits = |amount: &&Amount| match metric.measure {
        FigureMeasure::Margin => amount.kind == AmountKind::Percent,
        FigureMeasure::PerShare => amount.is_money(market) && amount.scale.is_none(),
        FigureMeasure::Sum => amount.is_sum(market),
    };
    let stated = amounts.iter().find(fits)?;
    let (value, unit, of_change) = match metric.measure {
        FigureMeasure::Margin => (stated.value, "percent", AmountKind::Points),
        FigureMeasure::PerShare => (stated.value, prices, AmountKind::Percent),
        FigureMeasure::Sum => (stated.in_home_unit(market), sums, AmountKind::Percent),
    };
    let change = amounts.iter().find(|amount| amount.kind == of_change && amount.start != stated.start);
    let is_of_year =
        words.has_any(&FACT_WORDS.of_year) || (is_yearly && !words.has_any(&FACT_WORDS.of_quarter));
    let change = change.filter(|_| is_of_year);
    let change = change.and_then(|change| Some(direction(words)? * change.value));
    Some(StatedFigure { metric: &metric.name, value, unit, change })
}

/// Returns 1 or -1 by the first word for a rise or a fall; `None` without such a word.
fn direction(words: &SentenceWords<'_>) -> Option<f64> {
    words.plain.iter().find_map(|word| {
        if FACT_WORDS.up.contains(word) { Some(1.0) } else { FACT_WORDS.down.contains(word).then_some(-1.0) }
    })
}
