//! The ledgers of models: the verdict of each finished committee, and the picks of each finished preset, are appended to the ledger of the
//! owner and the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate};
use serde::Deserialize;
use serde_json::Value as Json;

use super::fast_scan::facts_of;
use super::owner_contexts::RunOrigin;
use super::runners::{PinnedRunner, Runners};
use super::screen_ledger::{LedgerName, damaged, ledger_of_model};
use super::watchlists::SavedItemStore;
use parquote_agents::committee::FactValue;
use parquote_agents::job::{JobHandler, StepLog, WorkError};
use parquote_agents::provider::Providers;
use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::{Market, Tier};
use parquote_set::{LedgerModel, ModelVerdict};
use parquote_state::{SavedItemKey, SavedItemKind};

/// Runs whose verdicts and picks are recorded.
pub(super) struct RecordedRuns {
    pub work: Arc<dyn JobHandler>,
    pub ledgers: SavedItemStore,
    pub providers: Arc<Providers>,
    pub runners: Arc<dyn Runners>,
}

/// The subject of a run.
#[derive(Deserialize)]
struct RunSubject {
    /// The stock of a committee.
    symbol: Option<String>,
    market: Market,
}

/// The fields of a report that are recorded.
#[derive(Deserialize)]
struct RunVerdict {
    as_of: NaiveDate,
    /// The verdict of a committee.
    verdict: Option<String>,
    /// Name of the preset.
    preset: Option<String>,
    #[serde(default)]
    picks: Vec<String>,
}

#[async_trait]
impl JobHandler for RecordedRuns {
    async fn run(&self, spec: &Json, log: &dyn StepLog) -> Result<Json, WorkError> {
        // The set of the run might be gone when the run ends.
        let pinned = self.pinned(spec).await;
        let mut report = self.work.run(spec, log).await?;
        let recorded = match pinned {
            Some((market, pinned)) => self.record(spec, &mut report, market, &pinned).await,
            None => Ok(false),
        };
        match recorded {
            Ok(true) => {}
            Ok(false) => tracing::warn!(%spec, "a verdict without a close was not recorded"),
            Err(error) => tracing::error!(%spec, %error, "a verdict was not recorded"),
        }
        Ok(report)
    }

    fn usual_seconds(&self, spec: &Json) -> Option<u32> {
        self.work.usual_seconds(spec)
    }
}

impl RecordedRuns {
    /// Returns the market and the set of a run.
    async fn pinned(&self, spec: &Json) -> Option<(Market, PinnedRunner)> {
        let (origin, subject) = (RunOrigin::deserialize(spec).ok()?, RunSubject::deserialize(spec).ok()?);
        let pinned = self.runners.runner(subject.market, Some(&origin.set), Tier::ApiMax).await.ok()?;
        Some((subject.market, pinned))
    }

    /// Appends the verdict or the picks of a report, unless the ledger has the stocks in this session. Picks that are no symbols of the market
    /// become picks that the report left out. Returns false for a verdict without a close.
    async fn record(
        &self,
        spec: &Json,
        report: &mut Json,
        market: Market,
        pinned: &PinnedRunner,
    ) -> Result<bool, ClientError> {
        let parsed =
            (RunOrigin::deserialize(spec), RunSubject::deserialize(spec), RunVerdict::deserialize(&*report));
        let (Ok(origin), Ok(subject), Ok(RunVerdict { as_of, verdict, preset, picks })) = parsed else {
            return Ok(false);
        };
        let (runs, verdict, symbols) = match (verdict, subject.symbol, preset) {
            (Some(verdict), Some(symbol), _) => ("committee".to_owned(), verdict, vec![symbol]),
            (None, _, Some(preset)) => (preset.clone(), preset, picks),
            _ => return Ok(false),
        };
        let mut stocks = BTreeMap::new();
        let (mut picks, mut left_out) = (Vec::new(), Vec::new());
        for symbol in symbols {
            match close_of_stock(pinned, market, &symbol).await {
                Some(close) => {
                    picks.push(symbol.clone());
                    stocks.insert(symbol, close);
                }
                None => left_out.push(symbol),
            }
        }
        let is_verdict = report.get("picks").is_none();
        if !is_verdict {
            report["picks"] = picks.clone().into();
            if let Some(all) = report.get_mut("picks_left_out").and_then(Json::as_array_mut) {
                all.splice(..0, left_out.into_iter().map(Json::from));
            }
        }
        if stocks.is_empty() {
            return Ok(!is_verdict);
        }
        let ranked = if is_verdict { Vec::new() } else { picks };
        let name = ledger_of_model(&runs, &origin.provider, &origin.model);
        let provider = self.providers.get(&origin.provider);
        let trained_until = provider.and_then(|provider| provider.trained_until(&origin.model));
        let verdict = ModelVerdict {
            session: as_of,
            at: DateTime::from_timestamp(self.ledgers.now(), 0).unwrap_or_default(),
            formulas: format!("set {}", origin.set),
            verdict,
            stocks,
            model: LedgerModel { provider: origin.provider, model: origin.model, trained_until, ranked },
        };
        let owner = origin.owner;
        let (kind, market_word) = (SavedItemKind::Ledger, market.word().to_owned());
        let key = SavedItemKey { owner: owner.clone(), kind, market: market_word, name: name.clone() };
        let append = move |before: Option<&str>| -> Result<String, ClientError> {
            let before = before.unwrap_or_default();
            let ledger = LedgerName { owner: &owner, market, name: &name }.ledger(before);
            let line = ledger.and_then(|ledger| ledger.verdict_line(verdict));
            let line = line.map_err(|error| damaged(&name, error))?;
            Ok(format!("{before}{}", line.unwrap_or_default()))
        };
        self.ledgers.change_item(key, append).await.map(|_| true)
    }
}

/// Returns the last close of a stock in the set of a run.
async fn close_of_stock(pinned: &PinnedRunner, market: Market, symbol: &str) -> Option<f64> {
    let catalogue = pinned.snapshot.engine().catalogue();
    let facts = facts_of(catalogue, &pinned.snapshot, market, symbol).await.ok()??;
    match facts.get("price_cmp") {
        FactValue::Number(close) => Some(close),
        _ => None,
    }
}
