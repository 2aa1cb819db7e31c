//! Coverage of an answer with sums, means or shares over companies: how many companies have each figure, and how many lack it. The
//! operation `explore/coverage` counts them on the snapshot that answers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tokio::time::timeout;

use super::Service;
use super::admitted::Call;
use parquote_catalogue::operation::{Arguments, Market, Operation, Tier, Value};

/// Operation that counts companies; its twin below `us/` counts those of the US market.
const COUNTING: &str = "explore/coverage";
/// Parameter of that operation. Its value is the word that the answered operation declares as its `coverage`.
const AGGREGATE: &str = "aggregate";
/// Parameters of other operations that limit the counted companies, each with its name in the operation that counts.
const LIMITS: [(&str, &str); 3] = [("symbol", "symbol"), ("index", "index"), ("index_name", "index")];

/// Longest time for which a finished answer waits for its coverage.
const MOST_TIME: Duration = Duration::from_secs(1);
/// Most calls whose coverage is cached.
const MOST_CACHED: usize = 256;

/// Coverage by snapshot, operation and arguments; `None` if the answer has no counted figure.
pub(super) type CoverageCache = Cache<String, Option<Arc<FigureCoverage>>>;

pub(super) fn empty_cache() -> Arc<CoverageCache> {
    Arc::new(Cache::new(MOST_CACHED))
}

/// Counts for one figure in one group of companies: a row of the operation that counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct GroupCount {
    #[serde(rename = "covered_figure")]
    figure: String,
    #[serde(rename = "covered_group")]
    group: Option<String>,
    have: u64,
    missing: u64,
}

/// Coverage of the figures of an answer; it has at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureCoverage(Vec<GroupCount>);

impl FigureCoverage {
    /// Returns the counts of each group, as JSON rows.
    pub fn rows(&self) -> Json {
        json!(self.0)
    }

    /// Returns each figure with the numbers of companies that have and lack it, over all groups.
    pub fn figures(&self) -> Vec<(String, u64, u64)> {
        let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for group in &self.0 {
            let (have, missing) = sums.entry(&group.figure).or_default();
            *have += group.have;
            *missing += group.missing;
        }
        sums.into_iter().map(|(figure, (have, missing))| (figure.to_owned(), have, missing)).collect()
    }

    /// Returns one line with each figure as `FIGURE have=COUNT missing=COUNT`.
    pub fn line(&self) -> String {
        let line = |(figure, have, missing)| format!("{figure} have={have} missing={missing}");
        self.figures().into_iter().map(line).collect::<Vec<_>>().join(", ")
    }

    /// Returns the note for a caller.
    pub fn note(&self) -> String {
        format!("At the last session, companies that have and lack each figure: {}.", self.line())
    }
}

impl Service {
    /// Returns how many companies have and lack the figures of an answer. `None` if its operation declares no such figures, or if they
    /// cannot be counted on its snapshot, which is not an error of the call.
    pub async fn coverage(&self, call: &Call) -> Option<Arc<FigureCoverage>> {
        let called = call.prepared.operation().operation();
        let aggregate = called.coverage.as_deref()?;
        let arguments = call.prepared.arguments().canonical();
        let key = format!("{} {} {arguments}", call.snapshot.id(), called.name);
        if let Some(cached) = self.coverages.get(&key) {
            return cached;
        }
        let counted = self.count_companies(call, called, aggregate).await?;
        let coverage = (!counted.is_empty()).then(|| Arc::new(FigureCoverage(counted)));
        self.coverages.insert(key, coverage.clone());
        coverage
    }

    /// Returns the counts for the figures of a call's answer; `None` if they cannot be counted.
    async fn count_companies(
        &self,
        call: &Call,
        called: &Operation,
        aggregate: &str,
    ) -> Option<Vec<GroupCount>> {
        let prefix = if call.market() == Market::Us { "us/" } else { "" };
        let counting = self.catalogue.operation(&format!("{prefix}{COUNTING}"))?;
        let limits = LIMITS.into_iter().filter_map(|(param, name)| {
            let Value::Text(text) = call.prepared.arguments().get(called, param)? else { return None };
            Some((name, text.as_str()))
        });
        let pairs = limits.chain([(AGGREGATE, aggregate)]);
        let arguments = Arguments::parse(counting, Tier::ApiMax, pairs).ok()?;
        let prepared = Arc::new(call.snapshot.call(counting, arguments, call.prepared.at())?);
        // The answer is computed already, so it waits only briefly for its coverage.
        let counting_call = Call { prepared, payer: None, ..call.clone() };
        let answer = timeout(MOST_TIME, self.run(&counting_call)).await.ok()?.ok()?;
        let mut groups: Vec<GroupCount> = answer.parse_body(&counting.name).ok()?;
        if called.answers_from_select() {
            let columns = call.columns();
            groups.retain(|group| columns.iter().any(|column| column.name == group.figure));
        }
        Some(groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_summed_over_their_groups() {
        let group = |figure: &str, group: &str, have, missing| GroupCount {
            figure: figure.to_owned(),
            group: Some(group.to_owned()),
            have,
            missing,
        };
        let coverage = FigureCoverage(vec![
            group("pe", "Energy", 4, 1),
            group("cap", "Energy", 5, 0),
            group("pe", "Finance", 2, 3),
        ]);
        assert_eq!(coverage.line(), "cap have=5 missing=0, pe have=6 missing=4");
        assert_eq!(
            coverage.note(),
            "At the last session, companies that have and lack each figure: cap have=5 missing=0, pe have=6 missing=4."
        );
        assert_eq!(
            coverage.rows()[2],
            json!({"covered_figure": "pe", "covered_group": "Finance", "have": 2, "missing": 3})
        );
    }
}
