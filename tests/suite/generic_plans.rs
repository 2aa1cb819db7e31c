//! Calls with random combinations of optional parameters: the generic plan, which serves a combination at first, returns the same as the
//! custom plan that frequent combinations get.

use std::collections::BTreeSet;

use chrono::DateTime;
use parquote::operation::{Arguments, Operation, Param, Tier, ValueLimits};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::demo_market::{CATALOGUE, RUNTIME, SHIPPED, open};
use crate::server::NOW;

/// Combinations that are tried for each operation.
const CHOICES: usize = 2;
/// More calls than a combination needs to get a custom plan.
const OFTEN: usize = 40;

/// Returns the required parameters of an operation and a random part of the optional ones.
fn choice(operation: &Operation, chance: &mut ChaCha8Rng) -> Vec<(String, String)> {
    let is_taken = |(name, _): &(&str, String)| {
        let is_required = operation.params.iter().any(|param| param.name == *name && param.is_required());
        is_required || chance.random_bool(0.5)
    };
    let pairs = operation.example_pairs(true).into_iter().filter(is_taken);
    pairs.map(|(name, value)| (name.to_owned(), value)).collect()
}

#[test]
fn a_choice_is_answered_the_first_time_as_it_is_later() {
    let (snapshot, mut chance) = (open(&SHIPPED.data).unwrap(), ChaCha8Rng::seed_from_u64(1));
    let now = DateTime::from_timestamp(NOW, 0).unwrap();
    let (mut choices, mut with_rows) = (BTreeSet::new(), 0);
    // A parameter with a list of words always has custom plans.
    let is_bound_late = |param: &Param| param.optional && !matches!(param.limits, ValueLimits::Words(_));
    for operation in
        CATALOGUE.operations().iter().filter(|operation| operation.params.iter().any(is_bound_late))
    {
        for _ in 0..CHOICES {
            let pairs = choice(operation, &mut chance);
            let texts = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let Ok(arguments) = Arguments::parse(operation, Tier::ApiMax, texts) else { continue };
            let Some(call) = snapshot.call(operation, arguments, now) else { continue };
            if !choices.insert((operation.name.clone(), pairs)) {
                continue;
            }
            let answer = || RUNTIME.block_on(call.compute()).map_err(|error| error.to_string());
            let first = answer();
            with_rows += usize::from(matches!(&first, Ok(Some(body)) if body.len() > 2));
            for _ in 0..OFTEN {
                assert_eq!(answer(), first, "{} {:?}", operation.name, choices.last());
            }
        }
    }
    assert!(with_rows > 80, "{with_rows} of {} choices have rows", choices.len());
}
