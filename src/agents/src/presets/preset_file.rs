//! Parses a preset file strictly and reports errors with their line.

use serde::Deserialize;
use toml::Spanned;

use super::order::{Edges, concurrent_groups};
use super::preset::{Preset, PresetBudget, TokenRange};
use crate::{Agent, MarketTools};
use parquote_catalogue::operation::{DeclarationError, Market, line_of, read_toml};

/// Allowed number of agents, including the editor.
const AGENTS: std::ops::RangeInclusive<usize> = 2..=8;
/// Upper limit of an agent's `max_turns`.
const MAX_TURNS: u32 = 8;

/// The keys of a preset file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PresetFile {
    name: Spanned<String>,
    label: String,
    words: String,
    runtime: String,
    runtime_s: Spanned<[u32; 2]>,
    markets: Spanned<Vec<Market>>,
    editor: Spanned<String>,
    budget: Spanned<PresetBudget>,
    expected_tokens: Spanned<TokenRange>,
    agents: Vec<AgentTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentTable {
    name: Spanned<String>,
    role: String,
    prompt: Spanned<String>,
    #[serde(default)]
    after: Vec<String>,
    #[serde(default)]
    max_turns: u32,
    #[serde(default)]
    tools: MarketTools,
}

/// A fault and its byte position.
type FaultAt = (usize, String);

/// Parses a preset file.
///
/// # Errors
/// The first fault, with its line.
pub(super) fn parse(path: &str, text: &str) -> Result<Preset, DeclarationError> {
    let error = |line, message| DeclarationError { file: path.to_owned(), line, message };
    let file: PresetFile = read_toml(text).map_err(|(line, fault)| error(line, fault))?;
    preset(path, text, file).map_err(|(byte, fault)| error(line_of(text, byte), fault))
}

fn preset(path: &str, text: &str, file: PresetFile) -> Result<Preset, FaultAt> {
    check(path, &file)?;
    let waves = order_of_agents(&file)?;
    let editor = file.editor.get_ref().clone();
    let mut agents: Vec<Agent> = file.agents.into_iter().map(agent).collect();
    // The editor reads all other agents, regardless of the file's list.
    let others: Vec<String> =
        agents.iter().map(|agent| agent.name.clone()).filter(|name| *name != editor).collect();
    if let Some(last) = agents.iter_mut().find(|agent| agent.name == editor) {
        last.after = others;
    }
    let last = agents.iter().position(|agent| agent.name == editor).unwrap_or_default();
    let editor = agents.remove(last);
    agents.push(editor);
    let new_index = |n: usize| if n > last { n - 1 } else { n };
    let mut waves: Vec<Vec<usize>> = waves
        .into_iter()
        .map(|wave| wave.into_iter().filter(|n| *n != last).map(new_index).collect::<Vec<_>>())
        .filter(|wave| !wave.is_empty())
        .collect();
    waves.push(vec![agents.len() - 1]);
    Ok(Preset {
        name: file.name.into_inner(),
        label: file.label,
        words: file.words,
        runtime: file.runtime,
        runtime_s: file.runtime_s.into_inner(),
        markets: file.markets.into_inner(),
        budget: file.budget.into_inner(),
        expected_tokens: file.expected_tokens.into_inner(),
        agents,
        waves,
        fingerprint: blake3::hash(text.as_bytes()).to_hex().to_string(),
    })
}

fn agent(table: AgentTable) -> Agent {
    Agent {
        name: table.name.into_inner(),
        role: table.role,
        prompt: table.prompt.into_inner(),
        tools: table.tools,
        after: table.after,
        max_turns: table.max_turns,
    }
}

/// Checks everything except the order of the agents.
fn check(path: &str, file: &PresetFile) -> Result<(), FaultAt> {
    let stem =
        path.rsplit(['/', '\\']).next().and_then(|name| name.strip_suffix(".toml")).unwrap_or_default();
    let name = &file.name;
    ensure(name.get_ref() == stem, name, || format!("the name is that of the file, `{stem}`"))?;
    ensure(is_name(name.get_ref()), name, || "a name is of a-z, 0-9 and _, at most 64 of them".to_owned())?;
    let [from, to] = *file.runtime_s.get_ref();
    ensure(0 < from && from <= to, &file.runtime_s, || {
        "runtime_s is [from, to] in seconds, from 1 up".to_owned()
    })?;
    let markets = file.markets.get_ref();
    let has_repeat = markets.first().is_some_and(|first| markets.iter().skip(1).any(|other| other == first));
    ensure(!markets.is_empty() && !has_repeat, &file.markets, || {
        "markets are `india`, `us` or both".to_owned()
    })?;
    let budget = file.budget.get_ref();
    let is_valid = budget.max_tokens > 0 && (1e-6..=1_000.0).contains(&budget.max_cost_usd);
    ensure(is_valid, &file.budget, || {
        "a budget has max_tokens from 1 up and max_cost_usd up to 1000".to_owned()
    })?;
    let expected = file.expected_tokens.get_ref();
    let is_ordered = expected.input.is_sorted() && expected.output.is_sorted();
    let fits_budget = expected.input[1].saturating_add(expected.output[1]) <= budget.max_tokens;
    ensure(is_ordered && fits_budget, &file.expected_tokens, || {
        "expected tokens are [from, to], and together within the budget's max_tokens".to_owned()
    })?;
    let count = file.agents.len();
    ensure(AGENTS.contains(&count), name, || {
        format!("a team has {} to {} agents, this one {count}", AGENTS.start(), AGENTS.end())
    })?;
    let editor = file.editor.get_ref();
    let has_editor = file.agents.iter().any(|agent| agent.name.get_ref() == editor);
    ensure(has_editor, &file.editor, || format!("the editor `{editor}` is none of the agents"))?;
    file.agents.iter().enumerate().try_for_each(|(n, agent)| check_agent(file, n, agent))
}

fn check_agent(file: &PresetFile, n: usize, agent: &AgentTable) -> Result<(), FaultAt> {
    let name = &agent.name;
    ensure(is_name(name.get_ref()), name, || "a name is of a-z, 0-9 and _, at most 64 of them".to_owned())?;
    let is_repeated = file.agents.iter().take(n).any(|other| other.name.get_ref() == name.get_ref());
    ensure(!is_repeated, name, || format!("two agents are named `{}`", name.get_ref()))?;
    ensure(!agent.prompt.get_ref().trim().is_empty(), &agent.prompt, || {
        "a prompt says what to do".to_owned()
    })?;
    let has_tools = Market::ALL.map(|market| !agent.tools.for_market(market).is_empty());
    ensure(has_tools == [false; 2] || agent.max_turns > 0, name, || {
        format!("an agent with tools has max_turns from 1 to {MAX_TURNS}")
    })?;
    ensure(agent.max_turns <= MAX_TURNS, name, || format!("max_turns is at most {MAX_TURNS}"))?;
    let editor = file.editor.get_ref();
    let lacking = file.markets.get_ref().iter().find(|market| agent.tools.for_market(**market).is_empty());
    let has_input = name.get_ref() == editor || !agent.after.is_empty();
    ensure(has_input || lacking.is_none(), name, || {
        let market = lacking.map_or("", |market| market.word());
        format!(
            "an agent needs tools for each market of the team, or others that it comes after; it has none for {market}"
        )
    })
}

/// Returns the groups of agents that can work concurrently; no agent may come after the editor.
fn order_of_agents(file: &PresetFile) -> Result<Vec<Vec<usize>>, FaultAt> {
    let editor = file.editor.get_ref();
    let follower = file.agents.iter().find(|agent| agent.after.contains(editor));
    if let Some(follower) = follower {
        return Err((
            follower.name.span().start,
            format!("the editor `{editor}` comes last; nobody comes after it"),
        ));
    }
    let edges: Vec<Edges<'_>> =
        file.agents.iter().map(|agent| (agent.name.get_ref().as_str(), agent.after.as_slice())).collect();
    concurrent_groups(&edges)
        .map_err(|(n, fault)| (file.agents.get(n).map_or(0, |agent| agent.name.span().start), fault))
}

fn ensure<T>(is_valid: bool, at: &Spanned<T>, fault: impl FnOnce() -> String) -> Result<(), FaultAt> {
    if is_valid { Ok(()) } else { Err((at.span().start, fault())) }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(is_allowed)
}
