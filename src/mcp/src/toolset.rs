//! Toolsets: names under which a caller selects some of the tools. They are derived from the operations' groups and markets; none is
//! written here.

use parquote_catalogue::operation::{Catalogue, Operation};
use parquote_surface::groups::groups;

/// Name that selects every tool.
pub(super) const ALL: &str = "all";

/// Toolsets that are listed only if they, or all, are selected: their tools are added to those of the contract.
pub(super) const ADDED: [&str; 2] = ["lists", "back-tests"];

/// Returns the toolsets of an operation: that of its group - the group's first word - and that of its market.
pub(super) fn toolsets_of(operation: &Operation) -> Vec<String> {
    let group = operation.group.split_whitespace().next().unwrap_or_default().to_lowercase();
    let market = operation.market.word();
    if group == market || ADDED.contains(&group.as_str()) {
        vec![group]
    } else {
        vec![group, market.to_owned()]
    }
}

/// Returns all toolsets with their numbers of tools: those of the groups in the order in which documents show them, then those of the
/// markets.
pub(super) fn toolsets(catalogue: &Catalogue) -> Vec<(String, usize)> {
    let mut known: Vec<(String, usize)> = Vec::new();
    let groups = groups(catalogue);
    let with_tool: Vec<&Operation> = groups
        .iter()
        .flat_map(|group| group.operations.iter().map(|operation| &***operation))
        .filter(|operation| operation.tool.is_some())
        .collect();
    for position in 0..2 {
        for operation in &with_tool {
            let Some(name) = toolsets_of(operation).into_iter().nth(position) else { continue };
            match known.iter_mut().find(|(other, _)| *other == name) {
                Some((_, count)) => *count += 1,
                None => known.push((name, 1)),
            }
        }
    }
    known
}
