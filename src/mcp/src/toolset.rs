//! Toolsets: names under which a caller selects some of the tools. They are derived from the groups and markets of the operations.

use parquote_catalogue::operation::{Catalogue, Operation};
use parquote_surface::groups::groups;

/// Name that selects every tool.
pub(super) const ALL: &str = "all";

/// Toolsets that are listed only if a caller selects them, or all: their tools are not in the contract.
pub(super) const OPTIONAL: [&str; 2] = ["lists", "back-tests"];

/// Returns the toolsets of an operation: the first word of its group, and its market.
pub(super) fn toolsets_of(operation: &Operation) -> Vec<String> {
    let group = operation.group.split_whitespace().next().unwrap_or_default().to_lowercase();
    let market = operation.market.word();
    if group == market || OPTIONAL.contains(&group.as_str()) {
        vec![group]
    } else {
        vec![group, market.to_owned()]
    }
}

/// Returns all toolsets with their numbers of tools: first the groups in the order in which documents show them, then the markets.
pub(super) fn toolsets(catalogue: &Catalogue) -> Vec<(String, usize)> {
    let mut toolsets: Vec<(String, usize)> = Vec::new();
    let groups = groups(catalogue);
    let with_tool: Vec<&Operation> = groups
        .iter()
        .flat_map(|group| group.operations.iter().map(|operation| &***operation))
        .filter(|operation| operation.tool.is_some())
        .collect();
    for position in 0..2 {
        for operation in &with_tool {
            let Some(name) = toolsets_of(operation).into_iter().nth(position) else { continue };
            match toolsets.iter_mut().find(|(other, _)| *other == name) {
                Some((_, count)) => *count += 1,
                None => toolsets.push((name, 1)),
            }
        }
    }
    toolsets
}
