//! The order in which agents run: each after the agents whose findings it reads.

/// The name of an agent, with the names of the agents that run before it.
pub(super) type Edges<'a> = (&'a str, &'a [String]);

/// Returns groups of agents that can work concurrently, as indices into `agents`; each group runs after the one before it.
///
/// # Errors
/// The index of an invalid agent, with the reason: it comes after itself, after an unknown agent, or is in a cycle.
pub(super) fn concurrent_groups(agents: &[Edges<'_>]) -> Result<Vec<Vec<usize>>, (usize, String)> {
    let index = |name: &str| agents.iter().position(|(other, _)| *other == name);
    for (n, (name, after)) in agents.iter().enumerate() {
        if let Some(unknown) = after.iter().find(|before| index(before).is_none()) {
            let names: Vec<&str> = agents.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err((
                n,
                format!("`{name}` comes after `{unknown}`, who is not in the team; there are {names}"),
            ));
        }
    }
    let mut waves: Vec<Vec<usize>> = Vec::new();
    let mut has_run = vec![false; agents.len()];
    while has_run.iter().any(|has_run| !has_run) {
        let ready = |(n, (_, after)): &(usize, &Edges<'_>)| {
            let is_done = |n: usize| has_run.get(n).copied().unwrap_or(false);
            !is_done(*n) && after.iter().filter_map(|name| index(name)).all(is_done)
        };
        let wave: Vec<usize> = agents.iter().enumerate().filter(ready).map(|(n, _)| n).collect();
        if wave.is_empty() {
            return Err(cycle_reason(agents, &has_run));
        }
        for n in &wave {
            if let Some(agent_has_run) = has_run.get_mut(*n) {
                *agent_has_run = true;
            }
        }
        waves.push(wave);
    }
    Ok(waves)
}

/// Describes the cycle that lets no agent begin.
fn cycle_reason(agents: &[Edges<'_>], has_run: &[bool]) -> (usize, String) {
    let waiting = agents.iter().enumerate().zip(has_run).filter(|(_, has_run)| !**has_run);
    let waiting: Vec<(usize, String)> = waiting.map(|((n, (name, _)), _)| (n, format!("`{name}`"))).collect();
    let first = waiting.first().map_or(0, |(n, _)| *n);
    let names = waiting.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(", ");
    (first, format!("these wait for each other, or for others that do: {names}; no agent can begin"))
}
