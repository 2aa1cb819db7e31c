//! The members of the committee: one analyst for each lens, and the chair.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::lenses::{LENSES, Lens};
use crate::{Agent, MarketTools};
use parquote_catalogue::operation::built_in;

/// Maximum number of replies in which an analyst may call tools.
const MOST_TURNS: u32 = 4;

/// The viewpoints of `queries/committee/analysts.toml`, by the name of the lens.
static VIEWPOINTS: LazyLock<BTreeMap<String, Viewpoint>> =
    LazyLock::new(|| built_in("committee/analysts.toml"));

/// An analyst's questions and tools.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Viewpoint {
    looks: String,
    tools: MarketTools,
}

/// First request to an analyst.
pub(super) const ARGUE: &str = "\
Now vote, as JSON. BUY, WATCH or AVOID, by your lens alone. The gates have a vote of their own; you may differ from it only if \
figures that you have read say that the gates miss something, and your argument names them.";

/// Request to an analyst after the others have argued.
pub(super) const ANSWER_OTHERS: &str = "\
The others have voted, as shown. Answer them, as JSON: argue against the strongest point of those who vote differently, or \
yield to it and change your vote. If all vote alike, argue the best case against all of you, and keep or change your vote. \
Use no figure that has not been given.";

/// Request to the chair.
pub(super) const RULE: &str = "\
Now rule, as JSON. Your verdict is BUY, WATCH or AVOID. If it is not the signal of the gates, departs_because says in a sentence \
which argument outweighs them; otherwise it is empty. The research stance that fits BUY is accumulate or \
accumulate-on-confirmation, WATCH accumulate-on-confirmation, monitor or reduce, AVOID reduce or avoid.";

/// Builds the analyst of a lens.
pub(super) fn analyst(lens: &Lens) -> Agent {
    let Viewpoint { looks, tools } = VIEWPOINTS.get(lens.name).cloned().unwrap_or_default();
    Agent {
        name: lens.name.to_owned(),
        role: format!("analyst of the lens {}", lens.name),
        prompt: format!(
            "You judge one company by one lens: {}. The gates of your lens, with their figures and what they were held \
             against, are data that you are given; they are right. {looks} A gate whose value is null counts as not \
             passed: say whether its figure can be found elsewhere.",
            lens.words
        ),
        tools,
        after: Vec::new(),
        max_turns: MOST_TURNS,
    }
}

/// Builds the chair, who reads all analysts and has no tools.
pub(super) fn chair() -> Agent {
    Agent {
        name: "chair".to_owned(),
        role: "chair of the committee".to_owned(),
        prompt: "You lead a committee of three analysts, each of whom judges the company by one lens. Weigh their \
                 arguments, not their number: say which argument decided, what stands against it, and what would change \
                 the verdict. The gates and their signal are arithmetic and stand beside your verdict."
            .to_owned(),
        tools: MarketTools::default(),
        after: LENSES.iter().map(|lens| lens.name.to_owned()).collect(),
        max_turns: 0,
    }
}

/// Returns a hash of the committee's instructions. A run continues with the instructions with which it began, or fails.
pub(super) fn fingerprint() -> String {
    let mut hasher = blake3::Hasher::new();
    for text in [ARGUE, ANSWER_OTHERS, RULE, &chair().prompt] {
        hasher.update(text.as_bytes());
    }
    for lens in &LENSES {
        hasher.update(format!("{:?}", analyst(lens)).as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_catalogue::operation::{Catalogue, Market};

    #[test]
    fn every_lens_has_an_analyst_with_known_tools() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let is_tool = |tool: &String| catalogue.operations().iter().any(|it| it.tool.as_ref() == Some(tool));
        for lens in &LENSES {
            let agent = analyst(lens);
            for market in Market::ALL {
                let tools = agent.tools.for_market(market);
                assert!(!tools.is_empty() && tools.iter().all(is_tool), "{} {market}", lens.name);
            }
        }
        assert_eq!(VIEWPOINTS.len(), LENSES.len());
    }
}
