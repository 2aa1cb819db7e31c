//! The manual's examples are complete: no field of an operation's example is null, and no list in it empty, in every row.
//!
//! The examples run on the shipped demo market under the highest tier. An empty field is either a gap of the demo market,
//! to be filled, or has a reason, listed in `tests/contract/null_fields.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use parquote::operation::Operation;
use serde_json::Value as Json;

use crate::catalogue_rules::{calls, pairs};
use crate::server::{SERVER, query};

/// Exceptions: a line each, `operation field: reason`; comments start with `#`.
const EXCEPTIONS: &str = "tests/contract/null_fields.txt";

/// The fields of an answer, those of lists with `[]`, and true if a row has a value for it.
type Fields = BTreeMap<String, bool>;

#[test]
fn no_field_of_an_example_is_null_in_every_row() {
    let exceptions = exceptions();
    let mut silent = BTreeSet::new();
    let mut seen = 0;
    for operation in market_operations() {
        for query in examples(operation) {
            let mut fields = Fields::new();
            let reply = SERVER.get(&format!("{}?{query}", operation.name));
            collect(&reply.data(), "", &mut fields);
            seen += fields.len();
            let nothing = fields.into_iter().filter(|(_, says)| !says);
            silent.extend(nothing.map(|(field, _)| (format!("{} {field}", operation.name), query.clone())));
        }
    }
    assert!(seen > 1_000, "only {seen} fields were seen");
    let unexplained: Vec<String> = silent
        .iter()
        .filter(|(field, _)| !exceptions.contains_key(field))
        .map(|(field, query)| format!("{field} ({query})"))
        .collect();
    assert!(
        unexplained.is_empty(),
        "{} fields are null or empty in every row of an example; mend the demo market or the example, or give a reason in \
         {EXCEPTIONS}:\n  {}",
        unexplained.len(),
        unexplained.join("\n  ")
    );
    let silent: BTreeSet<&String> = silent.iter().map(|(field, _)| field).collect();
    let spoken: Vec<&String> = exceptions.keys().filter(|field| !silent.contains(field)).collect();
    assert!(spoken.is_empty(), "{EXCEPTIONS} excuses fields that are not null: {spoken:?}");
}

/// Returns the operations that answer from market data, by a SELECT or by a function, without those on stored user data.
fn market_operations() -> impl Iterator<Item = &'static Operation> {
    let functions = SERVER.service().catalogue().operations().iter().filter(|operation| {
        operation.has_route
            && operation.run.is_some()
            && ["committee/fast-scan", "committee/risk-audit/", "us/screener/natural-language"]
                .iter()
                .any(|name| operation.name.starts_with(name))
    });
    calls().chain(functions.map(AsRef::as_ref))
}

/// Returns the example queries of an operation in the manual: required parameters, all with examples, and its own examples.
fn examples(operation: &Operation) -> BTreeSet<String> {
    let shown = [query(&pairs(operation, false)), query(&pairs(operation, true))];
    shown.into_iter().chain(operation.examples.iter().cloned()).collect()
}

/// Records for each field below a value if it is neither null nor empty.
fn collect(value: &Json, path: &str, fields: &mut Fields) {
    match value {
        Json::Object(members) => {
            for (name, member) in members {
                let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let says = !member.is_null() && member.as_array().is_none_or(|list| !list.is_empty());
                *fields.entry(inner.clone()).or_default() |= says;
                collect(member, &inner, fields);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect(item, &format!("{path}[]"), fields)),
        _ => {}
    }
}

/// The exceptions with their reasons.
fn exceptions() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(EXCEPTIONS);
    let text = fs::read_to_string(path).unwrap();
    let mut exceptions = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (field, reason) = line.split_once(": ").unwrap_or_else(|| panic!("`{line}` gives no reason"));
        assert!(reason.len() > 10 && reason.ends_with('.'), "`{line}`: give the reason as a sentence");
        let again = exceptions.insert(field.to_owned(), reason.to_owned());
        assert!(again.is_none(), "`{field}` is excused twice");
    }
    exceptions
}
