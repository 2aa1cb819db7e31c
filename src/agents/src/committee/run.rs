//! A run of the committee: facts and gates, one analyst per lens, a round of replies to each other, then the chair.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use futures::future::try_join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::analysts::{ANSWER_OTHERS, ARGUE, RULE, analyst, chair, fingerprint};
use super::answers::{Opinion, Rejoinder, Ruling};
use super::facts::{FactSource, StockFacts};
use super::fast_scan::{FastScanResult, LensResult, Vote, evaluate, majority};
use super::lenses::{LENSES, Lens};
use super::report::{CommitteeReport, Dissent, LensReport};
use crate::job::{JobHandler, JobProgress, StepLog, WorkError};
use crate::presets::TokenRange;
use crate::{
    AgentRun, Limit, Run, RunContexts, RunEvidence, UnsupportedNumber, ask_for, checked_findings,
    checked_texts, first_message, mark_as_data, research, system, truncate,
};
use parquote_catalogue::operation::Market;

/// Number of agents: one analyst per lens, and the chair.
pub const AGENTS: u32 = LENSES.len() as u32 + 1;
/// Expected duration of a run in seconds, minimum and maximum.
pub const RUNTIME_S: [u32; 2] = [60, 240];
/// Expected token use of a run, from the sizes of its prompts and of the answers that it reads.
pub const EXPECTED_TOKENS: TokenRange = TokenRange { input: [50_000, 140_000], output: [7_000, 20_000] };
/// Spending limit of a run.
pub const LIMIT: Limit = Limit { tokens: 400_000, cost_microusd: 3_000_000 };

/// Operation under which facts and gates are cited.
const SCAN: &str = "fast_scan_committee";
/// Maximum characters of a text in a report.
const TEXT_LENGTH: usize = 3_000;

/// Specification of a committee job. It may have further fields, which [`RunContexts`] reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitteeSpec {
    /// The symbol.
    pub symbol: String,
    /// Name of the provider; `None` for the caller's preferred one.
    #[serde(default)]
    pub provider: Option<String>,
    /// The market.
    pub market: Market,
}

/// The handler of committee jobs.
pub struct CommitteeWork {
    contexts: Arc<dyn RunContexts>,
    facts: Arc<dyn FactSource>,
}

impl CommitteeWork {
    /// Builds the handler from sources of contexts and facts.
    pub fn new(contexts: Arc<dyn RunContexts>, facts: Arc<dyn FactSource>) -> Self {
        Self { contexts, facts }
    }
}

#[async_trait]
impl JobHandler for CommitteeWork {
    async fn run(&self, spec: &Json, log: &dyn StepLog) -> Result<Json, WorkError> {
        let parsed = CommitteeSpec::deserialize(spec).map_err(|error| {
            WorkError::Failed(format!("the specification of the run cannot be read: {error}"))
        })?;
        let context = self.contexts.open(spec, parsed.market).await?;
        let fingerprint = format!("{} {}", context.snapshot, fingerprint());
        let run = Run { context: &context, log, fingerprint: &fingerprint, limit: Some(LIMIT) };
        let facts = self
            .facts
            .facts(&context.snapshot, &parsed.symbol, parsed.market)
            .await
            .map_err(WorkError::Failed)?;
        let scan = evaluate(&facts, parsed.market);
        let committee_run = CommitteeRun { run, facts, scan, done: AtomicU32::new(0) };
        let report = committee_run.report().await?;
        serde_json::to_value(report)
            .map_err(|error| WorkError::Failed(format!("the report cannot be written: {error}")))
    }

    fn usual_seconds(&self, _: &Json) -> Option<u32> {
        RUNTIME_S.last().copied()
    }
}

/// One run of the committee.
struct CommitteeRun<'a> {
    run: Run<'a>,
    facts: StockFacts,
    scan: FastScanResult,
    /// Number of agents that are done.
    done: AtomicU32,
}

/// An analyst between votes.
struct Analyst<'a> {
    lens: &'static Lens,
    gates: LensResult,
    agent_run: AgentRun<'a>,
    /// The analyst's first message, followed by the answers of the tools.
    prompt: String,
    evidence: RunEvidence,
    opinion: Opinion,
    struck: Vec<UnsupportedNumber>,
}

/// An analyst who has answered the others.
struct AnalystVote<'a> {
    member: Analyst<'a>,
    rejoinder: Rejoinder,
}

impl CommitteeRun<'_> {
    async fn report(&self) -> Result<CommitteeReport, WorkError> {
        self.record_progress("facts and gates").await;
        let gates = LENSES.iter().zip(&self.scan.lenses);
        let members = try_join_all(gates.map(|(lens, gates)| self.argue(lens, gates))).await?;
        self.record_progress("dissent").await;
        let opinions: Vec<String> = members.iter().map(render_opinion).collect();
        let evidence_of_all = members.iter().fold(RunEvidence::default(), |mut evidence, member| {
            evidence.add_all(&member.evidence);
            evidence
        });
        let answers = members
            .into_iter()
            .enumerate()
            .map(|(n, member)| self.answer_others(n, member, &opinions, &evidence_of_all));
        let votes = try_join_all(answers).await?;
        self.done.fetch_add(LENSES.len() as u32, Ordering::Relaxed);
        self.record_progress("chair").await;
        self.rule(votes, evidence_of_all).await
    }

    /// Has an analyst read its lens's gates and its tools' answers, and vote.
    async fn argue(&self, lens: &'static Lens, gates: &LensResult) -> Result<Analyst<'_>, WorkError> {
        let agent = analyst(lens);
        let context = self.run.context;
        let mut agent_run = AgentRun::new(self.run, lens.name);
        let goal = format!("A vote on {} by the lens {}.", self.facts.symbol, lens.name);
        let gates_json = serde_json::to_string(gates).unwrap_or_default();
        let prompt = first_message(
            &agent,
            context.market,
            context.as_of,
            &goal,
            &[(format!("the gates ({SCAN})"), gates_json)],
        );
        let system = system(&agent.prompt);
        let reading = research(&mut agent_run, &agent, &system, &prompt).await?;
        let mut evidence = self.evidence();
        evidence.add_all(&reading.evidence);
        let prompt = format!("{prompt}\n\nWhat you have read:\n{}", reading.text);
        let check = |opinion: &Opinion| not_empty(&opinion.argument);
        let mut opinion: Opinion =
            ask_for(&mut agent_run, &system, format!("{prompt}\n{ARGUE}"), &check).await?;
        let mut struck = Vec::new();
        let location = format!("lenses.{}", lens.name);
        opinion.argument = evidence.strike(
            &truncate(&opinion.argument, TEXT_LENGTH),
            &format!("{location}.argument"),
            &mut struck,
        );
        opinion.findings =
            checked_findings(&opinion.findings, &evidence, &format!("{location}.findings"), &mut struck);
        opinion.risks = checked_texts(&opinion.risks, &evidence, &format!("{location}.risks"), &mut struck);
        Ok(Analyst { lens, gates: gates.clone(), agent_run, prompt, evidence, opinion, struck })
    }

    /// Has an analyst read the others' arguments and confirm or change its vote.
    async fn answer_others<'a>(
        &self,
        n: usize,
        mut member: Analyst<'a>,
        opinions: &[String],
        evidence_of_all: &RunEvidence,
    ) -> Result<AnalystVote<'a>, WorkError> {
        let own_opinion = opinions.get(n).map(String::as_str).unwrap_or_default();
        let others: Vec<&str> =
            opinions.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, vote)| vote.as_str()).collect();
        let question = format!(
            "{}\n\nYour own vote:\n{own_opinion}\n\nThe others:\n{}\n{ANSWER_OTHERS}",
            member.prompt,
            others.join("\n")
        );
        let check = |answer: &Rejoinder| not_empty(&answer.argument);
        let system = system(&analyst(member.lens).prompt);
        let mut rejoinder: Rejoinder = ask_for(&mut member.agent_run, &system, question, &check).await?;
        let location = format!("dissent.{}.argument", member.lens.name);
        rejoinder.argument = evidence_of_all.strike(
            &truncate(&rejoinder.argument, TEXT_LENGTH),
            &location,
            &mut member.struck,
        );
        Ok(AnalystVote { member, rejoinder })
    }

    /// Has the chair read all arguments and rule.
    async fn rule(
        &self,
        votes: Vec<AnalystVote<'_>>,
        mut evidence_of_all: RunEvidence,
    ) -> Result<CommitteeReport, WorkError> {
        let agent = chair();
        let context = self.run.context;
        let finals: Vec<Vote> = votes.iter().map(|analyst| analyst.rejoinder.vote).collect();
        let (majority_vote, agreement) = majority(&finals);
        let agreement = agreement.unwrap_or_default();
        evidence_of_all.add_answer(SCAN, &Map::new(), &json!({"agreement_score": one_decimal(agreement)}));
        let mut before =
            vec![("the gates".to_owned(), serde_json::to_string(&self.scan).unwrap_or_default())];
        for analyst in &votes {
            let vote = json!({"first": analyst.member.opinion, "after_the_others": analyst.rejoinder});
            before.push((analyst.member.lens.name.to_owned(), vote.to_string()));
        }
        let goal = format!("A verdict on {}.", self.facts.symbol);
        let question = first_message(&agent, context.market, context.as_of, &goal, &before);
        let mut agent_run = AgentRun::new(self.run, &agent.name);
        let signal = self.scan.committee_signal;
        let check = move |ruling: &Ruling| ruling.check(signal);
        let question = format!("{question}\n\n{RULE}");
        let ruling: Ruling = ask_for(&mut agent_run, &system(&agent.prompt), question, &check).await?;
        self.done.fetch_add(1, Ordering::Relaxed);
        self.record_progress("done").await;
        Ok(self.write_report(&ruling, votes, majority_vote, agreement, &evidence_of_all))
    }

    /// Writes the report of a ruling, with every number checked.
    fn write_report(
        &self,
        ruling: &Ruling,
        votes: Vec<AnalystVote<'_>>,
        majority_vote: Vote,
        agreement: f64,
        evidence_of_all: &RunEvidence,
    ) -> CommitteeReport {
        let signal = self.scan.committee_signal;
        let context = self.run.context;
        let mut struck = Vec::new();
        let summary = evidence_of_all.strike(&truncate(&ruling.summary, TEXT_LENGTH), "summary", &mut struck);
        let reason =
            evidence_of_all.strike(&truncate(ruling.reason(), TEXT_LENGTH), "departs_because", &mut struck);
        let risks = checked_texts(&ruling.risks, evidence_of_all, "risks", &mut struck);
        let (mut lenses, mut dissent) = (Vec::new(), Vec::new());
        for AnalystVote { member, rejoinder } in votes {
            struck.extend(member.struck);
            let name = member.lens.name.to_owned();
            let (vote, gate_vote) = (rejoinder.vote, member.gates.vote);
            if vote != majority_vote {
                dissent.push(Dissent { lens: name.clone(), vote, argument: rejoinder.argument.clone() });
            }
            let argument =
                if vote == member.opinion.vote { member.opinion.argument } else { rejoinder.argument };
            lenses.push(LensReport { name, vote, gate_vote, argument, gates: member.gates.gates });
        }
        let (provider, model) = context.model.identity();
        CommitteeReport {
            symbol: self.facts.symbol.clone(),
            market: context.market,
            as_of: context.as_of,
            verdict: ruling.verdict,
            committee_signal: signal,
            departs_because: (ruling.verdict != signal).then_some(reason),
            agreement_score: one_decimal(agreement),
            research_stance: ruling.research_stance,
            summary,
            lenses,
            dissent,
            risks,
            unsupported_numbers: struck,
            model: model.to_owned(),
            provider: provider.to_owned(),
        }
    }

    /// Builds the evidence common to all members: facts, gates, date and number of lenses.
    fn evidence(&self) -> RunEvidence {
        let mut evidence = RunEvidence::default();
        let arguments = Map::from_iter([("symbol".to_owned(), Json::from(self.facts.symbol.as_str()))]);
        evidence.add_answer(SCAN, &arguments, &self.facts.json());
        evidence.add_answer(SCAN, &arguments, &serde_json::to_value(&self.scan).unwrap_or_default());
        evidence.add_text_marks(&self.run.context.as_of.to_string());
        evidence.add_counts([1, 2, LENSES.len() as u32]);
        evidence
    }

    async fn record_progress(&self, step: &str) {
        let agents_done = self.done.load(Ordering::Relaxed);
        self.run.log.progress(JobProgress { step: step.to_owned(), agents_done, agents: AGENTS }).await;
    }
}

/// Renders a member's vote for the others.
fn render_opinion(member: &Analyst<'_>) -> String {
    let name = member.lens.name;
    mark_as_data(&format!("vote of {name}"), &serde_json::to_string(&member.opinion).unwrap_or_default())
}

fn one_decimal(score: f64) -> f64 {
    (score * 10.0).round() / 10.0
}

fn not_empty(argument: &str) -> Result<(), String> {
    if argument.trim().is_empty() { Err("the argument is empty".to_owned()) } else { Ok(()) }
}
