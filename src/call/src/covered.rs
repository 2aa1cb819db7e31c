//! Coverage of an answer with sums, means or shares over companies: how many companies have each figure, and how many lack it. The operation
//! `explore/coverage` counts them on the snapshot that answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::Service;
use super::admitted::Call;
use parquote_catalogue::operation::{Arguments, Market, Operation, Tier, Value};

/// Operation that counts; for the US market the one below `us/`.
const COUNTING: &str = "explore/coverage";
/// Its parameter with the word that an operation declares.
const AGGREGATE: &str = "aggregate";
/// Parameters of other operations that limit the counted companies, each with its name in the operation that counts.
const LIMITS: [(&str, &str); 3] = [("symbol", "symbol"), ("index", "index"), ("index_name", "index")];

/// Most calls whose coverage is cached.
const MOST_CACHED: usize = 256;

/// Coverage by snapshot, operation and arguments; `None` if the answer has no counted figure.
pub(super) type CoverageCache = Cache<String, Option<Arc<FigureCoverage>>>;

/// Returns an empty cache.
pub(super) fn cache() -> Arc<CoverageCache> {
    Arc::new(Cache::new(MOST_CACHED))
}

/// Counts for one figure in one group of companies: a row of the operation that counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct CoveredGroup {
    covered_figure: String,
    covered_group: Option<String>,
    have: u64,
    missing: u64,
}

/// Coverage of the figures of an answer; it has at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureCoverage(Vec<CoveredGroup>);

impl FigureCoverage {
    /// Returns the counts of each group, as JSON rows.
    pub fn rows(&self) -> Json {
        json!(self.0)
    }

    /// Returns each figure with the numbers of companies that have and lack it, over all groups.
    pub fn figures(&self) -> Vec<(String, u64, u64)> {
        let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for group in &self.0 {
            let (have, missing) = sums.entry(&group.covered_figure).or_default();
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
        format!("Companies that have and lack each figure: {}.", self.line())
    }
}

impl Service {
    /// Returns how many companies have and lack the figures of an answer; `None` if its operation declares no such figures, or if they
    /// cannot be counted on its snapshot, which fails no call.
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
    ) -> Option<Vec<CoveredGroup>> {
        let below = if call.market() == Market::Us { "us/" } else { "" };
        let counting = self.catalogue.operation(&format!("{below}{COUNTING}"))?;
        let limits = LIMITS.into_iter().filter_map(|(param, name)| {
            let Value::Text(text) = call.prepared.arguments().get(called, param)? else { return None };
            Some((name, text.as_str()))
        });
        let pairs = limits.chain([(AGGREGATE, aggregate)]);
        let arguments = Arguments::parse(counting, Tier::ApiMax, pairs).ok()?;
        let prepared = Arc::new(call.snapshot.call(counting, arguments, call.prepared.at())?);
        let answer = self.run(&Call { prepared, payer: None, ..call.clone() }).await.ok()?;
        let mut groups: Vec<CoveredGroup> = answer.parse_body(&counting.name).ok()?;
        if called.is_read() {
            let columns = call.columns();
            groups.retain(|group| columns.iter().any(|column| column.name == group.covered_figure));
        }
        Some(groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_summed_over_their_groups() {
        let group = |figure: &str, group: &str, have, missing| CoveredGroup {
            covered_figure: figure.to_owned(),
            covered_group: Some(group.to_owned()),
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
            "Companies that have and lack each figure: cap have=5 missing=0, pe have=6 missing=4."
        );
        assert_eq!(
            coverage.rows()[2],
            json!({"covered_figure": "pe", "covered_group": "Finance", "have": 2, "missing": 3})
        );
    }
}
