//! Answers against their definitions: scans, conviction, rating changes, sectors, index members and breadth are recomputed
//! in plain SQL over the underlying tables, without the engine's indicator functions.
//!
//! The checks apply to every market and every set of tables, so they also run over real data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use parquote::engine::Snapshot;
use parquote::operation::Market;
use serde_json::Value as Json;

use crate::demo_market::{SHIPPED, open_whole};
use crate::selected::select;
use crate::server::{SERVER, Server};

const SCANS: &str = include_str!("../definitions/scans.sql");

/// All tables of the shipped demo market, including those that are not served.
pub(crate) static TABLES: LazyLock<Snapshot> = LazyLock::new(|| open_whole(&SHIPPED.data));

/// The most rows that a scan returns.
const CAP: usize = 100;

/// Returns the rows of an answer, as symbols with a figure.
fn answered(server: &Server, path: &str, figure: &str) -> Vec<(String, Json)> {
    let data = server.get(path).data();
    let rows = data.get("stocks").unwrap_or(&data).as_array().unwrap().clone();
    rows.iter().map(|row| (row["symbol"].as_str().unwrap().to_owned(), row[figure].clone())).collect()
}

const MARKETS: [(Market, &str); 2] = [(Market::India, ""), (Market::Us, "us/")];

/// Returns the differences of scans and conviction from their definitions.
fn scans(server: &Server, tables: &Snapshot) -> Vec<String> {
    let mut problems = Vec::new();
    for (market, path) in MARKETS {
        let rows = select(tables, market, SCANS);
        let (scans, score): (&[&str], _) = match market {
            Market::India => {
                (&["allThree", "stage2NearHigh", "vcp", "highVol", "stage2", "brs", "volume", "ipo"], "score")
            }
            Market::Us => {
                (&["all", "stage2nh", "stage2", "nearHigh", "highVol", "brs", "vcp"], "effective_score")
            }
        };
        for scan in scans {
            let of_scan = if *scan == "ipo" { "ipo_score" } else { score };
            let wanted: BTreeMap<&str, Option<f64>> = rows
                .iter()
                .filter(|row| row[*scan] == true)
                .map(|row| (row["symbol"].as_str().unwrap(), row[of_scan].as_f64()))
                .collect();
            let at = format!("{path}market/trader-scan?scan_type={scan}&limit={CAP}&liquidity=all");
            let found = answered(server, &at, score);
            ranking(&at, &wanted, &found, CAP, &mut problems);
            spells(&at, (tables, market, scan), &answered(server, &at, "days_in_scan"), &mut problems);
        }
        let (name, limit) = match market {
            Market::India => ("min_matches", 50),
            Market::Us => ("min_scans", 100),
        };
        for least in 1..=5 {
            let wanted = rows
                .iter()
                .filter_map(|row| Some((row["symbol"].as_str()?, row["matches"].as_f64()?)))
                .filter(|(_, matches)| *matches >= f64::from(least))
                .map(|(symbol, matches)| (symbol, Some(matches)))
                .collect();
            let at = format!("{path}market/conviction?{name}={least}&limit={limit}&liquidity=all");
            let found = answered(server, &at, "scan_count");
            ranking(&at, &wanted, &found, limit, &mut problems);
        }
    }
    problems
}

/// The stocks of a scan are those with an open spell in it.
fn spells(
    at: &str,
    (tables, market, scan): (&Snapshot, Market, &str),
    found: &[(String, Json)],
    problems: &mut Vec<String>,
) {
    let name = if scan == "stage2nh" { "stage2NearHigh" } else { scan };
    let sql = format!(
        "SELECT symbol, days_in_scan FROM scan_spells WHERE left_on IS NULL AND scan_name = '{name}'"
    );
    let mut lasting: BTreeMap<String, Json> = select(tables, market, &sql)
        .into_iter()
        .map(|row| (row["symbol"].as_str().unwrap().to_owned(), row["days_in_scan"].clone()))
        .collect();
    let is_whole = found.len() < CAP;
    for (symbol, days) in found {
        let wanted = lasting.remove(symbol);
        if wanted.as_ref() != Some(days) {
            problems.push(format!(
                "{at}: {symbol} is in the scan for {days} sessions, its spell says {wanted:?}"
            ));
        }
    }
    if is_whole && !lasting.is_empty() {
        problems.push(format!("{at}: spells last that are not in the scan: {lasting:?}"));
    }
}

/// The answer has exactly the expected stocks; if they exceed the limit, those with the best figures.
fn ranking(
    at: &str,
    wanted: &BTreeMap<&str, Option<f64>>,
    found: &[(String, Json)],
    limit: usize,
    problems: &mut Vec<String>,
) {
    let names: BTreeSet<&str> = found.iter().map(|(symbol, _)| symbol.as_str()).collect();
    let strangers: Vec<_> = names.iter().filter(|symbol| !wanted.contains_key(**symbol)).collect();
    if !strangers.is_empty() || names.len() != wanted.len().min(limit) {
        let lost: Vec<_> = wanted.keys().filter(|symbol| !names.contains(**symbol)).take(10).collect();
        problems.push(format!(
            "{at}: {} where {} are expected; too many: {strangers:?}; not there, if room is: {lost:?}",
            names.len(),
            wanted.len().min(limit)
        ));
    }
    for (symbol, figure) in found {
        let wanted = wanted.get(symbol.as_str()).copied().flatten();
        // Answers are rounded to one decimal.
        let is_near = match (wanted, figure.as_f64()) {
            (Some(wanted), Some(figure)) => (wanted - figure).abs() < 0.051,
            (wanted, figure) => wanted == figure,
        };
        if !is_near {
            problems.push(format!("{at}: {symbol} has {figure} where {wanted:?} is expected"));
        }
    }
    let least = found.iter().filter_map(|(_, figure)| figure.as_f64()).fold(f64::INFINITY, f64::min);
    let better = wanted.iter().filter(|(symbol, _)| !names.contains(**symbol));
    for (symbol, figure) in better.filter(|(_, figure)| figure.is_some_and(|figure| figure > least + 0.051)) {
        problems.push(format!("{at}: {symbol} with {figure:?} is left out, though the last has {least}"));
    }
}

/// Returns the rating changes that are not in the rating history.
fn rating_changes(server: &Server, tables: &Snapshot) -> Vec<String> {
    let mut problems = Vec::new();
    for days in [1, 10, 30] {
        let sql = format!(
            "WITH now AS (SELECT * FROM rs_history WHERE session = (SELECT MAX(session) FROM sessions)),
             past AS (SELECT * FROM rs_history
                      WHERE session = (SELECT session FROM sessions ORDER BY session DESC LIMIT 1 OFFSET {days}))
             SELECT now.symbol, now.rs_rating - past.rs_rating AS delta FROM now JOIN past ON past.symbol = now.symbol
             WHERE  now.rs_rating - past.rs_rating IS NOT NULL"
        );
        let rows = select(tables, Market::India, &sql);
        for (direction, sign) in [("gainers", 1), ("losers", -1)] {
            let mut wanted: Vec<(i64, String)> = rows
                .iter()
                .map(|row| (row["delta"].as_i64().unwrap(), row["symbol"].as_str().unwrap().to_owned()))
                .filter(|(delta, _)| delta * sign >= 5)
                .collect();
            wanted.sort_by_key(|(delta, symbol)| (-delta * sign, symbol.clone()));
            wanted.truncate(50);
            let at = format!(
                "market/rs-changes?days={days}&direction={direction}&min_delta=5&limit=50&liquidity=all"
            );
            let found: Vec<(i64, String)> = answered(server, &at, "rs_delta")
                .into_iter()
                .map(|(symbol, delta)| (delta.as_i64().unwrap(), symbol))
                .collect();
            if found != wanted {
                problems.push(format!("{at}: {found:?} where {wanted:?} is expected"));
            }
        }
    }
    problems
}

/// Returns the sectors that are not the sums of their stocks, and the indices whose count differs from their members.
fn sums(server: &Server, tables: &Snapshot) -> Vec<String> {
    let mut problems = Vec::new();
    for (market, path) in MARKETS {
        let sectors = select(
            tables,
            market,
            "SELECT COALESCE(sector, '(no sector)') AS sector, COUNT(*) AS stocks, SUM(CASE WHEN change_pct > 0 AND session = (SELECT MAX(session) FROM sessions) THEN 1 ELSE 0 END) AS up,
                    SUM(CASE WHEN change_pct < 0 AND session = (SELECT MAX(session) FROM sessions) THEN 1 ELSE 0 END) AS down,
                    SUM(CASE WHEN rs_rating >= 90 THEN 1 ELSE 0 END) AS elite
             FROM   stocks
             WHERE  session >= (SELECT session FROM sessions ORDER BY session DESC LIMIT 1 OFFSET 4)
             GROUP  BY 1",
        );
        let data = server.get(&format!("{path}market/sectors")).data();
        let found: BTreeSet<String> = data
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let counts = ["stock_count", "advances", "declines", "elite_count"];
                format!("{} {:?}", row["sector"], counts.map(|name| row[name].as_i64()))
            })
            .collect();
        let wanted: BTreeSet<String> = sectors
            .iter()
            .map(|row| {
                let counts = ["stocks", "up", "down", "elite"];
                format!("{} {:?}", row["sector"], counts.map(|name| row[name].as_i64()))
            })
            .collect();
        if found != wanted {
            problems.push(format!("{path}market/sectors: {found:?} where {wanted:?} is expected"));
        }
        indices(server, tables, market, path, &mut problems);
        breadth(server, tables, market, path, &mut problems);
    }
    problems
}

fn indices(server: &Server, tables: &Snapshot, market: Market, path: &str, problems: &mut Vec<String>) {
    let name = if market == Market::India { "index" } else { "index_name" };
    let at = format!("{path}market/index-constituents");
    for list in server.get(&at).data().as_array().unwrap() {
        let index = list["index_name"].as_str().unwrap();
        let sql = format!(
            "SELECT symbol FROM index_members WHERE index_name = '{index}'
             AND list_date = (SELECT MAX(list_date) FROM index_members WHERE index_name = '{index}')"
        );
        let wanted: BTreeSet<String> = select(tables, market, &sql)
            .iter()
            .map(|row| row["symbol"].as_str().unwrap().to_owned())
            .collect();
        let members = answered(server, &format!("{at}?{name}={index}"), "weight_pct");
        let found: BTreeSet<String> = members.iter().map(|(symbol, _)| symbol.clone()).collect();
        if found != wanted || members.len() != found.len() || list["member_count"] != found.len() {
            problems.push(format!(
                "{at}: {index} has {} members by count, {} by name, {} on the list",
                list["member_count"],
                members.len(),
                wanted.len()
            ));
        }
        // Weights are rounded to two decimals.
        let weights: Vec<f64> = members.iter().filter_map(|(_, weight)| weight.as_f64()).collect();
        let sum: f64 = weights.iter().sum();
        if !weights.is_empty() && (sum - 100.0).abs() > 0.006 * weights.len() as f64 {
            problems.push(format!("{at}: the weights of {index} add up to {sum}"));
        }
    }
}

/// No session has more moving than traded stocks, and the answer equals the table.
fn breadth(server: &Server, tables: &Snapshot, market: Market, path: &str, problems: &mut Vec<String>) {
    let beyond = select(
        tables,
        market,
        "SELECT b.session FROM breadth b LEFT JOIN sessions s ON s.session = b.session
         WHERE s.session IS NULL OR b.advances + b.declines + b.unchanged > s.stocks_traded",
    );
    let counts = select(
        tables,
        market,
        "SELECT COUNT(*) FILTER (WHERE change_pct > 0) AS up, COUNT(*) FILTER (WHERE change_pct < 0) AS down,
                COUNT(*) FILTER (WHERE change_pct = 0) AS same
         FROM   daily_prices WHERE session = (SELECT MAX(session) FROM sessions)",
    );
    let data = server.get(&format!("{path}market/breadth")).data();
    let newest = data.get(0).unwrap_or(&data);
    let found = ["advances", "declines", "unchanged"].map(|name| newest[name].as_i64());
    let wanted = ["up", "down", "same"].map(|name| counts[0][name].as_i64());
    if !beyond.is_empty() || found != wanted {
        problems.push(format!(
            "{path}market/breadth: {found:?} where {wanted:?} is expected; more move than trade on {beyond:?}"
        ));
    }
}

/// Returns the hits of the newest session with price bands that touch no limit, and the missing hits.
fn circuits(server: &Server, tables: &Snapshot) -> Vec<String> {
    let newest = select(tables, Market::India, "SELECT MAX(session) AS session FROM circuits");
    let session = newest[0]["session"].as_str().unwrap();
    let at = format!("feeds/circuit?date={session}");
    let sql = format!(
        "WITH bars AS (
             SELECT symbol, session, price_segment, high, low, close,
                    LAG(close * cumulative_split_factor) OVER (PARTITION BY symbol, price_segment ORDER BY session) / cumulative_split_factor AS before
             FROM   daily_prices
         ),
         bands AS (SELECT * FROM price_bands WHERE band_pct IS NOT NULL AND band_date =
                   (SELECT MAX(band_date) FROM price_bands WHERE band_date <= DATE '{session}'))
         SELECT b.symbol, b.high, b.low, b.close,
                b.before * (1 + p.band_pct / 100) AS most, b.before * (1 - p.band_pct / 100) AS least
         FROM   bars b JOIN bands p ON p.symbol = b.symbol
         WHERE  b.session = DATE '{session}' AND b.before IS NOT NULL"
    );
    let bars: BTreeMap<String, _> = select(tables, Market::India, &sql)
        .into_iter()
        .map(|row| (row["symbol"].as_str().unwrap().to_owned(), row))
        .collect();
    let figure = |symbol: &str, name: &str| bars.get(symbol).and_then(|row| row[name].as_f64()).unwrap();
    let data = server.get(&at).data();
    let mut problems = Vec::new();
    let mut found = BTreeSet::new();
    for row in data["hits"].as_array().unwrap() {
        let (symbol, limit) = (row["symbol"].as_str().unwrap(), row["limit_price"].as_f64().unwrap());
        let is_upper = row["direction"] == "upper";
        found.insert((is_upper, symbol.to_owned()));
        // Limits are rounded to the tick, towards the previous close; answers to two decimals.
        let (reached, edge) = if is_upper {
            (figure(symbol, "high") - limit, figure(symbol, "most") - limit)
        } else {
            (limit - figure(symbol, "low"), limit - figure(symbol, "least"))
        };
        let is_locked =
            (figure(symbol, "close") - limit).abs() < 0.006 || (figure(symbol, "close") > limit) == is_upper;
        if reached < -0.006 || !(-0.006..5.006).contains(&edge) || row["locked"] != is_locked {
            problems.push(format!("{at}: {row} is no hit; it lacks {reached}, {edge} from the band"));
        }
    }
    for symbol in bars.keys() {
        for (is_upper, beyond) in [
            (true, figure(symbol, "high") >= figure(symbol, "most") + 1e-9),
            (false, figure(symbol, "low") <= figure(symbol, "least") - 1e-9),
        ] {
            if beyond && !found.contains(&(is_upper, symbol.clone())) {
                problems.push(format!("{at}: {symbol} is left out"));
            }
        }
    }
    problems
}

/// Returns the rotation rows whose quadrant contradicts their two figures.
fn quadrants(server: &Server) -> Vec<String> {
    let data = server.get("market/rrg").data();
    let wanted = |row: &Json| match (row["rs_ratio"].as_f64(), row["rs_momentum"].as_f64()) {
        (Some(ratio), Some(momentum))
            if (ratio - 100.0).abs() > 0.006 && (momentum - 100.0).abs() > 0.006 =>
        {
            match (ratio > 100.0, momentum > 100.0) {
                (true, true) => Some("Leading"),
                (true, false) => Some("Weakening"),
                (false, true) => Some("Improving"),
                (false, false) => Some("Lagging"),
            }
        }
        _ => None,
    };
    let present = data.as_array().unwrap().iter();
    let rows =
        present.flat_map(|row| std::iter::once(row).chain(row["trail"].as_array().into_iter().flatten()));
    rows.filter(|row| wanted(row).is_some_and(|quadrant| row["quadrant"] != quadrant))
        .map(ToString::to_string)
        .collect()
}

/// Returns all differences from the definitions.
pub(crate) fn problems(server: &Server, tables: &Snapshot) -> Vec<String> {
    [
        scans(server, tables),
        rating_changes(server, tables),
        sums(server, tables),
        circuits(server, tables),
        quadrants(server),
    ]
    .concat()
}

#[test]
fn scans_and_conviction_are_as_defined() {
    assert_eq!(scans(&SERVER, &TABLES), [""; 0]);
}

#[test]
fn rating_changes_are_those_of_the_history() {
    assert_eq!(rating_changes(&SERVER, &TABLES), [""; 0]);
}

#[test]
fn sums_and_counts_are_those_of_their_parts() {
    assert_eq!(sums(&SERVER, &TABLES), [""; 0]);
}

#[test]
fn circuits_are_hits_of_their_limits_and_none_is_left_out() {
    assert_eq!(circuits(&SERVER, &TABLES), [""; 0]);
}

#[test]
fn quadrants_are_those_of_their_figures() {
    assert_eq!(quadrants(&SERVER), [""; 0]);
}
