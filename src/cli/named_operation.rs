//! Parses an operation and its arguments from the command line.

use std::sync::Arc;

use anyhow::{Context, bail};

use crate::operation::{Catalogue, Market, Operation, bracketed_hint};

/// Returns the operation with a name, with or without a leading slash.
pub(super) fn operation<'a>(catalogue: &'a Catalogue, name: &str) -> anyhow::Result<&'a Arc<Operation>> {
    let name = name.trim_start_matches('/');
    if let Some(operation) = catalogue.operation(name) {
        return Ok(operation);
    }
    let known = catalogue.operations().iter().map(|operation| operation.name.as_str());
    let hint = bracketed_hint(name, known);
    bail!(
        "`{name}` is not an operation{hint}; operations have names such as company/profile, and the manual lists all of them"
    )
}

/// Returns the name that an operation of both markets has in one of them.
pub(super) fn name_in_market(market: Market, name: &str) -> String {
    match market {
        Market::India => name.to_owned(),
        Market::Us => format!("us/{name}"),
    }
}

/// Parses arguments of the form `NAME=VALUE`.
pub(super) fn pairs(arguments: &[String]) -> anyhow::Result<Vec<(&str, &str)>> {
    arguments
        .iter()
        .map(|text| {
            text.split_once('=')
                .with_context(|| format!("`{text}` is not an argument; write it as NAME=VALUE"))
        })
        .collect()
}
