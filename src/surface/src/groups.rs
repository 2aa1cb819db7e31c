//! The order in which documents show operations: by group, then as their files are sorted.

use std::sync::Arc;

use parquote_catalogue::operation::{Catalogue, Operation};

/// Groups that a reader looks for first, in that order; a group that is not named here comes behind them.
const SHOWN_FIRST: [&str; 13] = [
    "Core",
    "Company Intel",
    "Market Intel",
    "AI Content",
    "Feeds",
    "US Markets",
    "Committee",
    "Presets",
    "Account",
    "Lists",
    "SQL",
    "Explorer",
    "Chat",
];

/// A group and its operations.
pub struct OperationGroup<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its operations.
    pub operations: Vec<&'a Arc<Operation>>,
}

/// All groups.
pub fn groups(catalogue: &Catalogue) -> Vec<OperationGroup<'_>> {
    let mut groups: Vec<OperationGroup<'_>> = Vec::new();
    for operation in catalogue.operations() {
        match groups.iter_mut().find(|group| group.name == operation.group) {
            Some(group) => group.operations.push(operation),
            None => groups.push(OperationGroup { name: &operation.group, operations: vec![operation] }),
        }
    }
    groups.sort_by_key(|group| SHOWN_FIRST.iter().position(|name| *name == group.name).unwrap_or(usize::MAX));
    groups
}
