//! The run of a preset: the agents in their order, then the editor, then the check of every number.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use futures::future::try_join_all;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::catalogue::Presets;
use super::final_report::{AgentNote, Edition, FinalReport};
use super::preset::Preset;
use crate::job::{JobHandler, JobProgress, StepLog, WorkError};
use crate::{
    Agent, AgentRun, ResearchNote, Run, RunContexts, RunEvidence, UnsupportedNumber, ask_for,
    checked_findings, checked_texts, first_message, research, system, truncate,
};
use parquote_catalogue::operation::Market;

/// Maximum characters of a summary.
const SUMMARY_LENGTH: usize = 6_000;

/// Specification of a preset job. It may have further fields, which [`RunContexts`] reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresetSpec {
    /// Name of the preset.
    pub preset: String,
    /// The caller's goal.
    pub goal: String,
    /// Name of the provider; `None` for the caller's preferred one.
    #[serde(default)]
    pub provider: Option<String>,
    /// The market.
    pub market: Market,
}

/// The handler of preset jobs.
pub struct PresetWork {
    presets: Arc<Presets>,
    contexts: Arc<dyn RunContexts>,
}

/// The result of an agent.
struct AgentResult {
    note: ResearchNote,
    /// Evidence that the agent and its predecessors read.
    evidence: RunEvidence,
    struck: Vec<UnsupportedNumber>,
}

impl PresetWork {
    /// Builds the handler from presets and a source of contexts.
    pub fn new(presets: Arc<Presets>, contexts: Arc<dyn RunContexts>) -> Self {
        Self { presets, contexts }
    }

    fn preset(&self, spec: &PresetSpec) -> Result<&Preset, WorkError> {
        let Some(preset) = self.presets.get(&spec.preset) else {
            let names: Vec<&str> = self.presets.iter().map(|preset| preset.name.as_str()).collect();
            let (name, names) = (truncate(&spec.preset, 64), names.join(", "));
            return Err(WorkError::Failed(format!("`{name}` is not a preset; the presets are {names}")));
        };
        if preset.markets.contains(&spec.market) {
            return Ok(preset);
        }
        let markets: Vec<&str> = preset.markets.iter().map(|market| market.word()).collect();
        let (name, markets) = (&preset.name, markets.join(", "));
        Err(WorkError::Failed(format!(
            "the preset `{name}` does not work in {}; it works in {markets}",
            spec.market
        )))
    }
}

#[async_trait]
impl JobHandler for PresetWork {
    async fn run(&self, spec: &Json, log: &dyn StepLog) -> Result<Json, WorkError> {
        let parsed = PresetSpec::deserialize(spec).map_err(|error| {
            WorkError::Failed(format!("the specification of the run cannot be read: {error}"))
        })?;
        let preset = self.preset(&parsed)?;
        let context = self.contexts.open(spec, parsed.market).await?;
        let fingerprint = format!("{} {}", context.snapshot, preset.fingerprint);
        let run = Run { context: &context, log, fingerprint: &fingerprint, limit: Some(preset.limit()) };
        let team = Team { preset, spec: &parsed, run, done: AtomicU32::new(0) };
        let report = team.report().await?;
        serde_json::to_value(report)
            .map_err(|error| WorkError::Failed(format!("the report cannot be written: {error}")))
    }

    fn usual_seconds(&self, spec: &Json) -> Option<u32> {
        let preset = self.presets.get(spec.get("preset")?.as_str()?)?;
        preset.runtime_s.last().copied()
    }
}

/// One run of a preset.
struct Team<'a> {
    preset: &'a Preset,
    spec: &'a PresetSpec,
    run: Run<'a>,
    /// Number of agents that are done.
    done: AtomicU32,
}

impl Team<'_> {
    async fn report(&self) -> Result<FinalReport, WorkError> {
        let mut results: HashMap<&str, AgentResult> = HashMap::new();
        let groups = self.preset.waves.iter();
        let groups =
            groups.map(|wave| wave.iter().filter_map(|n| self.preset.agents.get(*n)).collect::<Vec<_>>());
        let Some((editors, analysts)) =
            groups.collect::<Vec<_>>().split_last().map(|(a, b)| (a.clone(), b.to_vec()))
        else {
            return Err(WorkError::Failed("the team has no agents".to_owned()));
        };
        for wave in analysts {
            let names: Vec<&str> = wave.iter().map(|agent| agent.name.as_str()).collect();
            self.record_progress(&names.join(", ")).await;
            let wave_results = try_join_all(wave.iter().map(|agent| self.analyse(agent, &results))).await?;
            results.extend(names.into_iter().zip(wave_results));
        }
        let Some(editor) = editors.first() else {
            return Err(WorkError::Failed("the team has no editor".to_owned()));
        };
        self.record_progress(&editor.name).await;
        self.edit(editor, results).await
    }

    /// Runs an agent: tool loop, then note, whose numbers are checked before another agent reads it.
    async fn analyse(
        &self,
        agent: &Agent,
        before: &HashMap<&str, AgentResult>,
    ) -> Result<AgentResult, WorkError> {
        let mut agent_run = AgentRun::new(self.run, &agent.name);
        let (question, mut evidence) = self.prepare(&mut agent_run, agent, before).await?;
        let question = format!("{question}\n\nWrite your note now, as JSON.");
        let note: ResearchNote =
            ask_for(&mut agent_run, &system(&agent.prompt), question, &|_| Ok(())).await?;
        evidence.add_counts([note.findings.len() as u32, note.risks.len() as u32]);
        let mut struck = Vec::new();
        let n = self.preset.agents.iter().position(|other| other.name == agent.name).unwrap_or_default();
        let note = note.check_figures(&evidence, &format!("agents[{n}].note"), &mut struck);
        self.done.fetch_add(1, Ordering::Relaxed);
        self.record_progress(&agent.name).await;
        Ok(AgentResult { note, evidence, struck })
    }

    /// Runs an agent's tool loop; returns the prompt for its answer, and the evidence of its input and of the answers read.
    async fn prepare(
        &self,
        agent_run: &mut AgentRun<'_>,
        agent: &Agent,
        before: &HashMap<&str, AgentResult>,
    ) -> Result<(String, RunEvidence), WorkError> {
        let context = self.run.context;
        let mut evidence = RunEvidence::default();
        evidence.add_goal(&self.spec.goal);
        evidence.add_text_marks(&context.as_of.to_string());
        let mut findings = Vec::new();
        for (name, result) in
            agent.after.iter().filter_map(|name| before.get(name.as_str()).map(|result| (name, result)))
        {
            evidence.add_all(&result.evidence);
            findings.push((name.clone(), serde_json::to_string(&result.note).unwrap_or_default()));
        }
        let prompt = first_message(agent, context.market, context.as_of, &self.spec.goal, &findings);
        let reading = research(agent_run, agent, &system(&agent.prompt), &prompt).await?;
        evidence.add_all(&reading.evidence);
        let question = match reading.text.as_str() {
            "" => format!("{prompt}\n\nYou have read nothing of your own."),
            text => format!("{prompt}\n\nWhat you have read:\n{text}"),
        };
        Ok((question, evidence))
    }

    /// Has the editor read all notes and write the report.
    async fn edit(
        &self,
        editor: &Agent,
        results: HashMap<&str, AgentResult>,
    ) -> Result<FinalReport, WorkError> {
        let mut agent_run = AgentRun::new(self.run, &editor.name);
        let (question, mut evidence) = self.prepare(&mut agent_run, editor, &results).await?;
        let question = format!("{question}\n\nWrite the report now, as JSON.");
        let check = |edition: &Edition| match edition.summary.trim() {
            "" => Err("the summary is empty".to_owned()),
            _ => Ok(()),
        };
        let edition: Edition = ask_for(&mut agent_run, &system(&editor.prompt), question, &check).await?;
        let counts = [edition.findings.len(), edition.risks.len(), self.preset.agents.len(), results.len()];
        evidence.add_counts(counts.map(|count| count as u32));
        self.done.fetch_add(1, Ordering::Relaxed);
        self.record_progress("done").await;
        Ok(self.write_report(&edition, &evidence, results))
    }

    /// Writes the final report of an edition, with every number checked.
    fn write_report(
        &self,
        edition: &Edition,
        evidence: &RunEvidence,
        mut results: HashMap<&str, AgentResult>,
    ) -> FinalReport {
        let context = self.run.context;
        let mut struck = Vec::new();
        let summary = evidence.strike(&truncate(&edition.summary, SUMMARY_LENGTH), "summary", &mut struck);
        let findings = checked_findings(&edition.findings, evidence, "findings", &mut struck);
        let risks = checked_texts(&edition.risks, evidence, "risks", &mut struck);
        let (picks, picks_left_out) = edition.picks(context.market, evidence, &mut struck);
        let mut agents = Vec::new();
        for agent in &self.preset.agents {
            if let Some(result) = results.remove(agent.name.as_str()) {
                struck.extend(result.struck);
                agents.push(AgentNote {
                    name: agent.name.clone(),
                    role: agent.role.clone(),
                    note: result.note,
                });
            }
        }
        let (provider, model) = context.model.identity();
        FinalReport {
            preset: self.preset.name.clone(),
            goal: self.spec.goal.clone(),
            market: context.market,
            as_of: context.as_of,
            summary,
            findings,
            risks,
            stance: edition.stance,
            picks,
            picks_left_out,
            agents,
            unsupported_numbers: struck,
            model: model.to_owned(),
            provider: provider.to_owned(),
        }
    }

    async fn record_progress(&self, step: &str) {
        let agents = self.preset.agents.len() as u32;
        let agents_done = self.done.load(Ordering::Relaxed);
        self.run.log.progress(JobProgress { step: step.to_owned(), agents_done, agents }).await;
    }
}
