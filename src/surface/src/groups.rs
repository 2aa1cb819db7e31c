//! The order of operations in documents: by group, then by file name.

use std::sync::Arc;

use parquote_catalogue::operation::{Catalogue, Operation};

/// Groups in the order in which readers look for them. A group that is not in this list comes last.
const SHOWN_FIRST: [&str; 14] = [
    "Core", "Company Intel", "Market Intel", "AI Content", "Feeds", "US Markets", "Committee", "Presets",
    "Account", "Usage", "Lists", "SQL", "Explorer", "Chat",
];

/// A group and its operations.
pub struct OperationGroup<'a> {
    /// Name of the group.
    pub name: &'a str,
    /// Operations of the group.
    pub operations: Vec<&'a Arc<Operation>>,
}

/// Returns all groups.
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
