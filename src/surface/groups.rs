//! The order in which documents show operations: by group, then as their files are sorted.

use crate::operation::{Catalogue, Operation};

/// Groups that a reader looks for first, in that order; a group that is not named here comes behind them.
const SHOWN_FIRST: [&str; 9] = [
    "Core",
    "Company Intel",
    "Market Intel",
    "AI Content",
    "Feeds",
    "US Markets",
    "Committee",
    "Presets",
    "Account",
];

/// A group and its operations, each with its place in the catalogue.
pub(crate) struct Group<'a> {
    pub name: &'a str,
    pub operations: Vec<(usize, &'a Operation)>,
}

/// All groups.
pub(crate) fn groups(catalogue: &Catalogue) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (index, operation) in catalogue.operations().iter().enumerate() {
        match groups.iter_mut().find(|group| group.name == operation.group) {
            Some(group) => group.operations.push((index, operation)),
            None => groups.push(Group { name: &operation.group, operations: vec![(index, operation)] }),
        }
    }
    groups.sort_by_key(|group| SHOWN_FIRST.iter().position(|name| *name == group.name).unwrap_or(usize::MAX));
    groups
}
