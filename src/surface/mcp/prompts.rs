//! Ready-made analyses. A line of a prompt names the tool that answers it, and is left out where that tool is not there: a
//! prompt never sends a model after what it cannot call.

use std::fmt::Write as _;

use rmcp::model::{ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use super::refused;
use super::tools::ToolList;
use crate::operation::{Market, shown};

/// A prompt.
struct Script {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    opening: &'static str,
    lines: &'static [PromptStep],
    closing: &'static str,
}

/// An argument of a prompt.
struct Argument {
    name: &'static str,
    description: &'static str,
    required: bool,
    /// What it is when it is left out.
    default: &'static str,
}

/// A step of an analysis: the tools that answer it in India and in the US, with their arguments, and what to look at.
struct PromptStep(&'static str, &'static str, &'static str);

const MARKET: Argument = Argument {
    name: "market",
    description: "india (NSE/BSE) or us (NYSE/NASDAQ); india if left out.",
    required: false,
    default: "india",
};
const SYMBOL: Argument =
    Argument { name: "symbol", description: "The company's ticker.", required: true, default: "" };
const SECTOR: Argument = Argument {
    name: "sector",
    description: "Only this sector; all if left out.",
    required: false,
    default: "",
};
const QUARTER: Argument = Argument {
    name: "quarter",
    description: "The quarter, such as Jun 2026; the latest if left out.",
    required: false,
    default: "the latest quarter",
};

/// What every analysis ends with.
const HONESTLY: &str = "State the `as_of` date. Quote figures as the tools give them, say where one is missing, and separate \
                        what the data shows from what you conclude. This is analysis, not advice.";

const SCRIPTS: [Script; 5] = [
    Script {
        name: "morning_brief",
        title: "Morning brief",
        description: "The state of a market on one page: breadth, trend, sectors, movers, news of companies.",
        arguments: &[MARKET],
        opening: "Write a morning brief of the market `{market}`, one page at most.",
        lines: &[
            PromptStep(
                "get_breakout_conditions",
                "us_get_breakout_conditions",
                "is the market's trend with breakouts or against them",
            ),
            PromptStep(
                "get_market_breadth days=5",
                "us_get_market_breadth",
                "advances against declines, stocks above their averages, and where that is going",
            ),
            PromptStep("get_market_sectors", "us_get_market_sectors", "the strongest and weakest sectors"),
            PromptStep(
                "get_top_movers direction=all limit=10",
                "us_get_top_movers period=1w limit=10",
                "what moved, and what it has in common",
            ),
            PromptStep("market_trader_scan", "us_market_trader_scan limit=10", "stocks that pass the scan"),
            PromptStep("get_circuit_stocks", "", "stocks at their price bands"),
            PromptStep("get_bulk_block_deals days=3 limit=10", "", "large deals"),
            PromptStep(
                "get_insider_feed days=5 limit=10",
                "us_get_sec_feed days=3 limit=10",
                "what insiders did or companies filed",
            ),
            PromptStep(
                "get_order_wins_feed days=3 limit=10",
                "us_get_order_wins days=5 limit=10",
                "orders won",
            ),
            PromptStep("get_corporate_actions_feed days=7", "", "corporate actions that come up"),
        ],
        closing: "Order it as: one-sentence summary; trend and breadth; sectors; movers and scans; company news; what to watch today.",
    },
    Script {
        name: "stock_deep_dive",
        title: "Stock deep dive",
        description: "Everything known of one company: business, figures, momentum, ownership, risks.",
        arguments: &[SYMBOL, MARKET],
        opening: "Look into `{symbol}` in the market `{market}` and write a report. If the symbol is not found, search the company by name first.",
        lines: &[
            PromptStep(
                "get_company_profile symbol={symbol}",
                "us_get_company_profile symbol={symbol}",
                "what it is, size, valuation",
            ),
            PromptStep(
                "get_momentum symbol={symbol}",
                "us_get_momentum symbol={symbol}",
                "relative strength, stage, averages, distance to the high",
            ),
            PromptStep("get_daily_prices symbol={symbol} limit=60", "", "the last sixty sessions"),
            PromptStep(
                "get_financials symbol={symbol} limit=8",
                "us_get_financials symbol={symbol} statement=all period_type=quarterly periods=8",
                "growth and margins, quarter by quarter",
            ),
            PromptStep(
                "get_ratios symbol={symbol}",
                "us_get_ratios symbol={symbol}",
                "returns on capital, leverage, cash",
            ),
            PromptStep(
                "get_ecs_score symbol={symbol}",
                "us_get_ecs_score symbol={symbol}",
                "how the last results were taken",
            ),
            PromptStep(
                "get_shareholding symbol={symbol}",
                "us_get_13f_holdings symbol={symbol}",
                "who owns it, and who buys or sells",
            ),
            PromptStep(
                "get_insider_trades symbol={symbol} days=180",
                "us_get_insider_trades symbol={symbol} days=180",
                "what insiders do",
            ),
            PromptStep("get_pledge_history symbol={symbol}", "", "shares that are pledged"),
            PromptStep(
                "get_corporate_actions symbol={symbol}",
                "us_get_order_wins symbol={symbol}",
                "actions of the company",
            ),
            PromptStep(
                "get_company_scorecard symbol={symbol}",
                "us_get_company_scorecard symbol={symbol}",
                "the scores by dimension",
            ),
            PromptStep(
                "get_management_tone symbol={symbol}",
                "us_get_management_tone symbol={symbol}",
                "what management says, and what it stopped saying",
            ),
        ],
        closing: "Order it as: summary in three sentences; business; figures; momentum and levels; ownership; what speaks for it and against it; what would change the view.",
    },
    Script {
        name: "sector_rotation",
        title: "Sector rotation",
        description: "Where strength moves between sectors, and the leading stocks of those that gain.",
        arguments: &[MARKET],
        opening: "Describe the rotation between the sectors of the market `{market}`.",
        lines: &[
            PromptStep("get_sector_rrg", "", "the quadrant of each sector now and its way there"),
            PromptStep("get_sector_rrg as_of=1m", "", "the quadrants a month ago"),
            PromptStep("get_market_sectors", "us_get_market_sectors", "mean rating and size of each sector"),
            PromptStep("get_industry_stages", "", "the stages of the industries"),
            PromptStep(
                "get_rs_changes direction=gainers",
                "",
                "stocks whose rating rose most, and their sectors",
            ),
            PromptStep(
                "get_market_momentum sector=SECTOR limit=5",
                "us_market_momentum sector=SECTOR limit=5",
                "the leaders of each sector that gains; call it for each",
            ),
        ],
        closing: "Give a table: sector, quadrant now and before, mean rating, leading stocks. Then say in a few sentences what rotates into what, and how broad it is.",
    },
    Script {
        name: "earnings_watch",
        title: "Earnings watch",
        description: "Who reported well, how the price took it, and what management said.",
        arguments: &[QUARTER, SECTOR, MARKET],
        opening: "Review the results of {quarter} in the market `{market}`; sector: `{sector}` (all, if empty).",
        lines: &[
            PromptStep(
                "get_ecs_leaderboard limit=25",
                "us_get_company_scorecard limit=25",
                "the strongest reports; give the quarter as an argument where one is asked for",
            ),
            PromptStep("get_pead_candidates limit=25", "", "those whose price still drifts after the report"),
            PromptStep(
                "get_financials symbol=SYMBOL limit=5",
                "us_get_financials symbol=SYMBOL period_type=quarterly",
                "the figures behind the five best; call it for each",
            ),
            PromptStep(
                "get_guidance_tone symbol=SYMBOL",
                "us_get_management_tone symbol=SYMBOL",
                "what management expects; call it for each",
            ),
            PromptStep(
                "get_momentum symbol=SYMBOL",
                "us_get_momentum symbol=SYMBOL",
                "whether the trend confirms it; call it for each",
            ),
        ],
        closing: "Give a table of the best five to ten: score, growth, margin, reaction of the price, tone. Then name reports that look good and are not confirmed.",
    },
    Script {
        name: "momentum_shortlist",
        title: "Momentum shortlist",
        description: "A short list of stocks in which trend, strength and volume agree.",
        arguments: &[MARKET, SECTOR],
        opening: "Make a short list of at most ten stocks of the market `{market}` in which trend, relative strength and volume agree; sector: `{sector}` (all, if empty).",
        lines: &[
            PromptStep("get_breakout_conditions", "us_get_breakout_conditions", "whether the market helps"),
            PromptStep(
                "get_conviction_ranking",
                "us_get_conviction_ranking",
                "stocks that pass several scans at once",
            ),
            PromptStep("get_market_momentum limit=20", "us_market_momentum limit=20", "the highest ratings"),
            PromptStep(
                "market_trader_scan scan_type=vcp",
                "us_market_trader_scan scan_type=vcp",
                "volatility contractions and their pivots",
            ),
            PromptStep("get_rs_changes", "", "ratings that rise"),
            PromptStep(
                "get_momentum symbol=SYMBOL",
                "us_get_momentum symbol=SYMBOL",
                "stage, averages and distance to the high; call it for each that is left",
            ),
        ],
        closing: "Give a table: symbol, rating, stage, scans passed, distance to the high, pivot. Say for each in one line why it is there and what would take it off.",
    },
];

/// The prompts.
pub(super) fn list() -> Vec<Prompt> {
    let argument = |argument: &Argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    };
    let prompt = |script: &Script| {
        let arguments = script.arguments.iter().map(argument).collect();
        Prompt::new(script.name, Some(script.description), Some(arguments)).with_title(script.title)
    };
    SCRIPTS.iter().map(prompt).collect()
}

/// A prompt with its arguments in place.
///
/// # Errors
/// A prompt that there is not, or arguments that do not fit it.
pub(super) fn get(
    tools: &ToolList,
    name: &str,
    arguments: &JsonObject,
) -> Result<GetPromptResult, ErrorData> {
    let script = SCRIPTS.iter().find(|script| script.name == name).ok_or_else(|| {
        let names: Vec<&str> = SCRIPTS.iter().map(|script| script.name).collect();
        refused::invalid_params(&format!(
            "Unknown prompt: {}; the prompts are {}",
            shown(name),
            names.join(", ")
        ))
    })?;
    let values = values(script, arguments)?;
    let market = values
        .iter()
        .find(|(name, _)| *name == MARKET.name)
        .map_or(MARKET.default, |(_, value)| value.as_str());
    let market: Market =
        market.parse().map_err(|error: String| refused::invalid_params(&format!("`market`: {error}")))?;
    let text = fill(&text(script, market, tools), &values);
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
        .with_description(script.description))
}

/// The value of each argument.
fn values(script: &Script, arguments: &JsonObject) -> Result<Vec<(&'static str, String)>, ErrorData> {
    const LONGEST: usize = 100;
    let names: Vec<&str> = script.arguments.iter().map(|argument| argument.name).collect();
    if let Some(unknown) = arguments.keys().find(|name| !names.contains(&name.as_str())) {
        let message =
            format!("`{}` is no argument of {}; it takes {}", shown(unknown), script.name, names.join(", "));
        return Err(refused::invalid_params(&message));
    }
    let mut values = Vec::new();
    for argument in script.arguments {
        let given = arguments.get(argument.name).and_then(|value| value.as_str()).unwrap_or_default().trim();
        if given.is_empty() && argument.required {
            return Err(refused::invalid_params(&format!("`{}` is required", argument.name)));
        }
        if given.chars().count() > LONGEST || given.chars().any(char::is_control) {
            let message = format!("`{}` is one line of at most {LONGEST} characters", argument.name);
            return Err(refused::invalid_params(&message));
        }
        values.push((argument.name, if given.is_empty() { argument.default } else { given }.to_owned()));
    }
    Ok(values)
}

fn text(script: &Script, market: Market, tools: &ToolList) -> String {
    let mut text = format!("{}\n\nUse these tools:\n", script.opening);
    for PromptStep(india, us, purpose) in script.lines {
        let call = if market == Market::Us { us } else { india };
        let tool = call.split(' ').next().unwrap_or_default();
        if tools.find(tool).is_some() {
            let _ = writeln!(text, "- {call}: {purpose}.");
        }
    }
    let _ = write!(text, "\n{}\n{HONESTLY}", script.closing);
    text
}

fn fill(text: &str, values: &[(&'static str, String)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;

    /// The tools of the contract, in its own words.
    const CONTRACT: &str = include_str!("../../../tests/contract/operations.json");

    #[test]
    fn a_step_names_a_tool_of_the_contract_with_parameters_of_its_own() {
        let contract: Json = serde_json::from_str(CONTRACT).unwrap();
        let calls =
            SCRIPTS.iter().flat_map(|script| script.lines).flat_map(|PromptStep(india, us, _)| [*india, *us]);
        for call in calls.filter(|call| !call.is_empty()) {
            let mut words = call.split(' ');
            let tool = words.next().unwrap();
            let operation =
                contract["operations"].as_array().unwrap().iter().find(|known| known["tool"] == tool);
            let operation = operation.unwrap_or_else(|| panic!("{call}"));
            for pair in words {
                let (name, _) = pair.split_once('=').unwrap();
                let params = operation["params"].as_array().unwrap();
                let param = params.iter().find(|param| param["name"] == name);
                assert!(param.is_some_and(|param| param["rest_only"] != true), "{call}: {name}");
            }
        }
    }

    #[test]
    fn placeholders_are_arguments() {
        for script in &SCRIPTS {
            let values: Vec<_> = script.arguments.iter().map(|a| (a.name, "VALUE".to_owned())).collect();
            let lines =
                script.lines.iter().flat_map(|PromptStep(india, us, purpose)| [*india, *us, *purpose]);
            for part in lines.chain([script.opening, script.closing]) {
                assert!(!fill(part, &values).contains('{'), "{}: {part}", script.name);
            }
        }
    }
}
