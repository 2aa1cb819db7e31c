//! Parts without an operation: definitions of figures, names found by words, and the caller's quota.

use std::collections::BTreeSet;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value as Json, json};

use super::table::PartRows;
use parquote_access::{Allowance, Window};
use parquote_catalogue::operation::{Catalogue, Market, Tier, nearest};
use parquote_engine::Snapshot;

/// Most figures and names found.
const FOUND: usize = 8;
/// Tables whose first column contains searchable names.
const NAMED: [(&str, &str); 3] =
    [("sectors", "sector"), ("index_lists", "index"), ("industry_stages", "industry")];

/// Returns the figures whose name or description matches the words, the best first.
pub(super) fn figures(catalogue: &Catalogue, words: &str) -> PartRows {
    let asked = split(words);
    let mut found: Vec<(usize, &str, &str, &str)> = Vec::new();
    for table in catalogue.tables() {
        for column in &table.columns {
            if column.words.is_empty() || found.iter().any(|(_, name, ..)| *name == column.name) {
                continue;
            }
            let (name, said) = (split(&column.name.replace('_', " ")), split(&column.words));
            let in_name = asked.iter().filter(|word| name.contains(word)).count();
            let in_words = asked.iter().filter(|word| said.contains(word)).count();
            let is_it = column.name.eq_ignore_ascii_case(words.trim());
            let score = 100 * usize::from(is_it) + 4 * in_name + in_words;
            if in_name > 0 || (!asked.is_empty() && in_words == asked.len()) {
                found.push((score, &column.name, &column.words, column.unit.label()));
            }
        }
    }
    found.sort_by_key(|(score, name, ..)| (std::cmp::Reverse(*score), name.len()));
    let rows = found
        .into_iter()
        .take(FOUND)
        .map(|(_, name, words, unit)| vec![json!(name), json!(words), json!(unit)]);
    PartRows::own(&["figure", "means", "unit"], rows.collect())
}

/// Returns sectors, indices and industries that match these words or are spelt nearly so.
pub(super) fn names(snapshot: &Snapshot, words: &str) -> PartRows {
    let asked = split(words);
    let mut rows = Vec::new();
    for market in Market::ALL {
        for (table, kind) in NAMED {
            let known = snapshot.values(market, table);
            let has = |name: &&String| {
                let name = split(name);
                !asked.is_empty()
                    && asked.iter().all(|word| name.iter().any(|known| known.starts_with(word.as_str())))
            };
            let mut found: Vec<&str> = known.iter().filter(has).map(String::as_str).collect();
            if found.is_empty()
                && let Some(near) = nearest(words.trim(), known.iter().map(String::as_str))
            {
                found.push(near);
            }
            rows.extend(
                found
                    .into_iter()
                    .take(FOUND)
                    .map(|name| vec![json!(name), json!(kind), json!(market.word())]),
            );
        }
    }
    PartRows::own(&["name", "kind", "market"], rows)
}

/// Returns the caller's remaining requests, their reset times, and the age of each market's data.
pub(super) fn status(snapshot: &Snapshot, tier: Tier, left: Allowance, now: DateTime<Utc>) -> PartRows {
    let (day, hour) = Window::resets_after(now.timestamp());
    let clock =
        |at: i64| DateTime::from_timestamp(at, 0).map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true));
    let mut fields = Map::new();
    fields.insert("tier".into(), tier.word().into());
    fields.insert(
        "requests".into(),
        json!({
            "left_today": left.left.day, "of_today": left.limit.day, "day_resets_at": clock(day),
            "left_this_hour": left.left.hour, "of_this_hour": left.limit.hour, "hour_resets_at": clock(hour),
        }),
    );
    for market in Market::ALL {
        let Some(as_of) = snapshot.as_of(market) else {
            fields.insert(market.word().into(), "no data".into());
            continue;
        };
        let empty = snapshot.tables(market).into_iter().filter(|(_, rows)| *rows == 0).map(|(name, _)| name);
        let empty: BTreeSet<String> = empty.chain(snapshot.unfilled(market)).collect();
        let told = json!({
            "last_session": as_of.to_string(),
            "sessions_behind": snapshot.sessions_behind(market, now),
            "set": snapshot.market(market).map(|market| market.name().id.to_string()),
            "tables_without_rows": empty,
        });
        fields.insert(market.word().into(), told);
    }
    fields.insert("now".into(), Json::from(now.to_rfc3339_opts(SecondsFormat::Secs, true)));
    PartRows::fields(fields)
}

/// Splits a text into lower-case words.
fn split(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
