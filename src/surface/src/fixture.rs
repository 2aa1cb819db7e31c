//! A few operations for tests.

use parquote_catalogue::operation::Catalogue;

const STATUS: &str =
    "-- Health of the service.\n-- tool: none\n-- tier: none\n-- group: Core\n-- run: status\n";
const PROFILE: &str = r#"-- Profile of a company.
--
-- What it does & what it is <worth>.
--
-- tool: get_company_profile
-- tier: free
-- group: Core
-- answer: one
-- free-symbols: yes
-- param: symbol text "Ticker on NSE." e.g. M&M
-- column: symbol text "Ticker."
-- column: pe number ratio "Price over earnings."
SELECT $symbol AS symbol, 12.5 AS pe
"#;
const CHANGES: &str = r#"-- Stocks whose rating moved most.
-- tool: get_rs_changes
-- tier: api_pro
-- group: Market Intel
-- param: symbol    text?                                    "One symbol alone."
-- param: direction text = gainers in (gainers, losers, all) "Which side to keep."
-- param: days      int = 10 in 1..30                        "Sessions to look back."
-- param: limit     int tier-capped rest-only                "Rows to return."
-- column: rs_delta int points "Change of the rating."
-- when: symbol present
-- answer: list
SELECT 1 AS rs_delta FROM (VALUES ('A')) AS stocks (symbol) WHERE symbol = $symbol

-- when: symbol absent
-- answer: stocks
-- wrap: sorted_by = 'rs_delta'
-- wrap: scan_type = $direction
SELECT 1 AS rs_delta FROM (VALUES ('A')) AS stocks (symbol) WHERE $direction <> 'losers' AND $days > 1 LIMIT $limit
"#;
const WORDS: &str = r#"-- Screen by words.
-- tool: screen_words
-- route: none
-- tier: api_max
-- group: MCP only
-- answer: list
-- param: query text in 1..200 "What to look for." e.g. cheap banks
-- column: words text "What was looked for."
SELECT $query AS words
"#;

pub(crate) fn catalogue() -> Catalogue {
    Catalogue::parse([
        ("api/company/profile.sql", PROFILE),
        ("api/market/rs-changes.sql", CHANGES),
        ("api/screen-words.sql", WORDS),
        ("api/status.sql", STATUS),
    ])
    .unwrap()
}
