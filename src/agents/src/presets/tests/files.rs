//! Tests of the shipped preset files, and of invalid files.

use std::collections::HashSet;

use super::{TEAM, team};
use crate::presets::Presets;

const FILES: [(&str, &str); 8] = [
    (
        "queries/presets/technical_analysis_panel.toml",
        include_str!("../../../../../queries/presets/technical_analysis_panel.toml"),
    ),
    (
        "queries/presets/fundamental_deep_dive.toml",
        include_str!("../../../../../queries/presets/fundamental_deep_dive.toml"),
    ),
    (
        "queries/presets/earnings_review.toml",
        include_str!("../../../../../queries/presets/earnings_review.toml"),
    ),
    (
        "queries/presets/sector_rotation_desk.toml",
        include_str!("../../../../../queries/presets/sector_rotation_desk.toml"),
    ),
    (
        "queries/presets/momentum_screener_team.toml",
        include_str!("../../../../../queries/presets/momentum_screener_team.toml"),
    ),
    (
        "queries/presets/risk_committee.toml",
        include_str!("../../../../../queries/presets/risk_committee.toml"),
    ),
    (
        "queries/presets/governance_and_ownership_review.toml",
        include_str!("../../../../../queries/presets/governance_and_ownership_review.toml"),
    ),
    ("queries/presets/event_radar.toml", include_str!("../../../../../queries/presets/event_radar.toml")),
];

fn parse_fault(text: &str) -> String {
    Presets::parse([("teams/pair.toml", text)]).unwrap_err().to_string()
}

#[test]
fn the_eight_teams_are_well_formed() {
    let presets = Presets::parse(FILES).unwrap();
    let known: HashSet<&str> = TOOLS.split_whitespace().collect();
    assert_eq!(presets.iter().count(), 8);
    assert!(presets.get("technical_analysis_panel").is_some());
    for preset in presets.iter() {
        assert_eq!(preset.check(|_, tool| known.contains(tool)), Vec::<String>::new());
        assert!((3..=5).contains(&preset.agents.len()), "{}", preset.name);
        assert_eq!(preset.editor().unwrap().name, "editor");
        assert_eq!(preset.waves.last().unwrap(), &[preset.agents.len() - 1]);
        assert_eq!(preset.markets.len(), 2);
        for agent in &preset.agents {
            for market in parquote_catalogue::operation::Market::ALL {
                let us = market == parquote_catalogue::operation::Market::Us;
                assert!(
                    agent.tools.for_market(market).iter().all(|tool| tool.starts_with("us_") == us),
                    "{tool:?}",
                    tool = agent.tools
                );
            }
        }
    }
}

/// Read-only tools of the catalogue.
const TOOLS: &str = "get_ai_company_profile get_ai_quarterly_summary get_banking_kpis get_breakout_conditions \
    get_bulk_block_deals get_circuit_stocks get_company_pead get_company_profile get_company_scorecard get_concall_decoder \
    get_conglomerate get_conviction_ranking get_corporate_actions get_corporate_actions_feed get_daily_prices \
    get_ecs_leaderboard get_ecs_score get_financials get_guidance_tone get_index_constituents get_industry_stages \
    get_insider_feed get_insider_trades get_management_tone get_market_breadth get_market_momentum get_market_sectors \
    get_momentum get_order_wins get_order_wins_feed get_pead_candidates get_pledge_history get_ratios get_rs_changes \
    get_sector_kpis get_sector_rrg get_shareholding get_top_movers market_trader_scan screen_stocks search_companies \
    us_get_13f_holdings us_get_ai_company_profile us_get_ai_quarterly_summary us_get_breakout_conditions \
    us_get_company_profile us_get_company_scorecard us_get_concall_decoder us_get_conviction_ranking us_get_ecs_score \
    us_get_financials us_get_full_report us_get_index_constituents us_get_insider_trades us_get_management_tone \
    us_get_market_breadth us_get_market_sectors us_get_momentum us_get_order_wins us_get_ratios us_get_sec_feed \
    us_get_top_movers us_market_momentum us_market_trader_scan us_screen_stocks us_search_companies";

#[test]
fn what_is_wrong_in_a_file_is_said_with_its_line() {
    let with = |from: &str, to: &str| parse_fault(&TEAM.replacen(from, to, 1));
    for (from, to, expected) in [
        ("name = \"pair\"", "name = \"other\"", "teams/pair.toml:1: the name is that of the file, `pair`"),
        ("words =", "word =", "teams/pair.toml:3: unknown field `word`"),
        ("[10, 60]", "[60, 10]", "teams/pair.toml:5: runtime_s is [from, to]"),
        ("[\"india\"]", "[\"mars\"]", "teams/pair.toml:6: unknown variant `mars`"),
        ("[\"india\"]", "[]", "teams/pair.toml:6: markets are"),
        ("[\"india\"]", "[\"india\", \"us\"]", "teams/pair.toml:12: an agent needs tools for each market"),
        (
            "editor = \"editor\"",
            "editor = \"boss\"",
            "teams/pair.toml:7: the editor `boss` is none of the agents",
        ),
        ("max_tokens = 100000", "max_tokens = 0", "teams/pair.toml:8: a budget has"),
        ("max_tokens = 100000", "max_tokens = 5", "teams/pair.toml:9: expected tokens are"),
        ("[3, 4]", "[4, 3]", "teams/pair.toml:9: expected tokens are"),
        ("name = \"trend\"", "name = \"Trend\"", "teams/pair.toml:12: a name is of a-z"),
        ("name = \"filings\"", "name = \"trend\"", "teams/pair.toml:25: two agents are named `trend`"),
        ("max_turns = 3", "max_turns = 0", "teams/pair.toml:12: an agent with tools has max_turns"),
        ("max_turns = 3", "max_turns = 9", "teams/pair.toml:12: max_turns is at most 8"),
        ("\"Judge the trend.\"", "\" \"", "teams/pair.toml:15: a prompt says what to do"),
        (
            "[\"trend\", \"filings\"]",
            "[\"trend\", \"nobody\"]",
            "teams/pair.toml:33: `sceptic` comes after `nobody`, who is not",
        ),
        ("[\"trend\", \"filings\"]", "[\"sceptic\"]", "teams/pair.toml:33: these wait for each other"),
        ("[\"trend\", \"filings\"]", "[\"editor\"]", "teams/pair.toml:33: the editor `editor` comes last"),
        ("role = \"sceptic\"", "role = \"sceptic", "teams/pair.toml:34: "),
        (
            "prompt = \"Read",
            "after = [\"sceptic\"]\nprompt = \"Read",
            "teams/pair.toml:25: these wait for each other, or for others that do: `filings`, `sceptic`",
        ),
    ] {
        let fault = with(from, to);
        assert!(fault.starts_with(expected), "{fault}\n  instead of\n{expected}");
    }
}

#[test]
fn a_later_file_replaces_the_one_of_its_name() {
    let other = TEAM.replace("\"Pair\"", "\"Mine\"");
    let added = TEAM.replacen("\"pair\"", "\"third\"", 1);
    let files = [("a/pair.toml", TEAM), ("b/pair.toml", other.as_str()), ("b/third.toml", added.as_str())];
    let presets = Presets::parse(files).unwrap();
    let labels: Vec<(&str, &str)> =
        presets.iter().map(|one| (one.name.as_str(), one.label.as_str())).collect();
    assert_eq!(labels, [("pair", "Mine"), ("third", "Pair")]);
    let faults = presets.get("pair").unwrap().check(|_, tool| tool == "get_momentum");
    assert_eq!(faults.len(), 1);
    assert!(faults[0].contains("`get_order_wins`") && faults[0].contains("`filings`"), "{}", faults[0]);
}

#[test]
fn agents_work_in_their_order_and_the_editor_last() {
    let presets = team();
    let pair = presets.get("pair").unwrap();
    let names = |wave: &Vec<usize>| wave.iter().map(|n| pair.agents[*n].name.as_str()).collect::<Vec<_>>();
    let waves: Vec<_> = pair.waves.iter().map(names).collect();
    assert_eq!(waves, [vec!["trend", "filings"], vec!["sceptic"], vec!["editor"]]);
    assert_eq!(pair.editor().unwrap().after, ["trend", "filings", "sceptic"]);
}
