//! The members of the committee: one analyst for each lens, and the chair.

use super::lenses::{LENSES, Lens};
use crate::{Agent, MarketTools};

const TURNS: u32 = 4;

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
    let (looks, india, us): (&str, &[&str], &[&str]) = match lens.name {
        "quality_compounder" => (
            "Ask whether the returns are real and will last: where they come from, what cash says of profit, whether debt \
             or pledges stand behind them.",
            &["get_ratios", "get_financials", "get_company_scorecard", "get_pledge_history"],
            &["us_get_ratios", "us_get_financials", "us_get_company_scorecard"],
        ),
        "india_growth" => (
            "Ask whether the growth goes on: quarters against the year before, margins, orders and guidance, and whether \
             the price and its relative strength agree.",
            &["get_financials", "get_momentum", "get_ecs_score", "get_guidance_tone", "get_order_wins"],
            &["us_get_financials", "us_get_momentum", "us_get_ecs_score", "us_get_management_tone"],
        ),
        _ => (
            "Ask whether the price leaves room for error: multiples against the sector, cash against the price, the \
             distance to distress, and what insiders do.",
            &["get_ratios", "get_company_scorecard", "get_insider_trades", "get_shareholding"],
            &["us_get_ratios", "us_get_company_scorecard", "us_get_insider_trades"],
        ),
    };
    let names = |tools: &[&str]| tools.iter().map(|name| (*name).to_owned()).collect();
    Agent {
        name: lens.name.to_owned(),
        role: format!("analyst of the lens {}", lens.name),
        prompt: format!(
            "You judge one company by one lens: {}. The gates of your lens, with their figures and what they were held \
             against, are data that you are given; they are right. {looks} A gate whose value is null counts as not \
             passed: say whether its figure can be found elsewhere.",
            lens.words
        ),
        tools: MarketTools { india: names(india), us: names(us) },
        after: Vec::new(),
        max_turns: TURNS,
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

/// Returns a hash of the committee's instructions: a run continues with the instructions it began with, or fails.
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
