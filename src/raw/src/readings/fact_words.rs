//! The words of `queries/tone/facts.toml`, by which contracts and figures are read.

use std::sync::LazyLock;

use serde::Deserialize;

use parquote_catalogue::operation::built_in;

/// The word lists of the program.
pub(super) static FACT_WORDS: LazyLock<FactWords> = LazyLock::new(|| built_in("tone/facts.toml"));

/// Phrases of contracts and figures; the file describes each list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FactWords {
    pub(super) orders: Vec<String>,
    pub(super) wins: Vec<String>,
    pub(super) no_wins: Vec<String>,
    pub(super) no_orders: Vec<String>,
    pub(super) ahead: Vec<String>,
    pub(super) of_year: Vec<String>,
    pub(super) of_quarter: Vec<String>,
    pub(super) up: Vec<String>,
    pub(super) down: Vec<String>,
    pub(super) agreements: Vec<AgreementWords>,
    pub(super) metrics: Vec<MetricWords>,
}

/// Phrases of a kind of agreement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgreementWords {
    pub(super) kind: String,
    pub(super) phrases: Vec<String>,
}

/// Phrases that name a metric.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MetricWords {
    pub(super) name: String,
    pub(super) measure: FigureMeasure,
    pub(super) phrases: Vec<String>,
}

/// Form in which a metric is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FigureMeasure {
    /// A sum of money.
    Sum,
    /// Money for each share.
    PerShare,
    /// A percentage that changes by points.
    Margin,
}
