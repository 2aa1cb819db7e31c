//! A service with a few operations and no data, for the tests of this door.

use std::sync::Arc;

use crate::call::Service;
use crate::engine::Snapshot;
use crate::operation::Catalogue;

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
SELECT 1 AS pe, $symbol AS symbol
"#;
const CHANGES: &str = r#"-- Stocks whose rating moved most.
-- tool: get_rs_changes
-- tier: api_pro
-- group: Market Intel
-- param: symbol    text?                                    "One symbol alone."
-- param: direction text = gainers in (gainers, losers, all) "Which side to keep."
-- param: days      int = 10 in 1..30                        "Sessions to look back."
-- param: min_delta number?                                  "Smallest change." e.g. 2.5
-- param: on        date?                                    "The session."
-- param: codes     list?                                    "Codes to keep."
-- param: limit     int tier-capped rest-only                "Rows to return."
-- when: symbol present
-- answer: list
SELECT 1 AS rs_delta, $symbol

-- when: symbol absent
-- answer: stocks
-- wrap: sorted_by = 'rs_delta'
-- wrap: scan_type = $direction
-- wrap: count = count
SELECT 1 AS rs_delta, $direction, $days, $min_delta, $on, $codes, $limit
"#;
const WORDS: &str = r#"-- Screen by words.
-- tool: screen_words
-- route: none
-- tier: api_max
-- group: MCP only
-- answer: list
-- param: query text in 1..200 "What to look for."
SELECT $query AS symbol
"#;

/// The operations.
pub(crate) fn catalogue() -> Catalogue {
    Catalogue::parse([
        ("api/company/profile.sql", PROFILE),
        ("api/market/rs-changes.sql", CHANGES),
        ("api/screen-words.sql", WORDS),
        ("api/status.sql", STATUS),
    ])
    .unwrap()
}

/// The service.
pub(super) fn service() -> Arc<Service> {
    Arc::new(Service::new(Arc::new(catalogue()), Snapshot {}))
}
