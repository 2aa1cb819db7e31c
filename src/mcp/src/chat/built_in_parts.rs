//! Parts without an operation: searches for figures, names, companies and tables by words, and the caller's quota.

use std::collections::BTreeSet;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value as Json, json};

use super::arguments::split;
use super::not_here;
use super::table::PartRows;
use parquote_access::{Allowance, Window};
use parquote_catalogue::operation::{Catalogue, Likeness, Market, Tier, misspelt, tables_about};
use parquote_engine::Snapshot;

/// Most figures, names or companies of an answer.
const MOST_FOUND: usize = 8;
/// Most columns that are listed for a table.
const MOST_COLUMNS: usize = 12;
/// The operation whose answer has figures of screens that are in no table.
const SCREEN: &str = "explore/screen-words";
/// Tables whose first column contains searchable names.
const NAMED_TABLES: [(&str, &str); 3] =
    [("sectors", "sector"), ("index_lists", "index"), ("industry_stages", "industry")];

/// Returns the figures whose name or description matches the words, the best first.
pub(super) fn figures(catalogue: &Catalogue, words: &str) -> PartRows {
    let query = replace_misspelt(catalogue, split(words));
    let tables = catalogue.tables().iter().map(|table| &table.columns);
    let screened = catalogue.operation(SCREEN).into_iter().map(|operation| &operation.columns);
    let mut found: Vec<(usize, &str, &str, &str)> = Vec::new();
    for columns in tables.chain(screened) {
        for column in columns {
            if column.words.is_empty()
                || column.name.contains('.')
                || found.iter().any(|(_, name, ..)| *name == column.name)
            {
                continue;
            }
            let (name, described) = (split(&column.name.replace('_', " ")), split(&column.words));
            let in_name = query.iter().filter(|word| name.contains(word)).count();
            let in_words = query.iter().filter(|word| described.contains(word)).count();
            let is_exact = column.name.eq_ignore_ascii_case(words.trim());
            let score = 100 * usize::from(is_exact) + 4 * in_name + in_words;
            if in_name > 0 || (!query.is_empty() && in_words == query.len()) {
                found.push((score, &column.name, &column.words, column.unit.label()));
            }
        }
    }
    found.sort_by_key(|(score, name, ..)| (std::cmp::Reverse(*score), name.len()));
    let rows = found
        .into_iter()
        .take(MOST_FOUND)
        .map(|(_, name, words, unit)| vec![json!(name), json!(words), json!(unit)]);
    PartRows::built_in(&["figure", "means", "unit"], rows.collect())
}

/// Replaces misspelt words by the words in names of figures that they probably mean.
fn replace_misspelt(catalogue: &Catalogue, query: Vec<String>) -> Vec<String> {
    /// Shorter words are a letter or two from too many others.
    const SHORTEST_WORD: usize = 6;
    let columns = catalogue.tables().iter().flat_map(|table| &table.columns);
    let name_words: BTreeSet<&str> = columns.flat_map(|column| column.name.split('_')).collect();
    let correct = |word: String| {
        if word.len() < SHORTEST_WORD || name_words.contains(word.as_str()) {
            return word;
        }
        let first = word.chars().next();
        let like = name_words.iter().copied().filter(|other| other.chars().next() == first);
        misspelt(&word, like).map_or(word, str::to_owned)
    };
    query.into_iter().map(correct).collect()
}

/// Returns sectors, indices and industries that have the words in their names, or else the one with the nearest spelling.
pub(super) fn names(snapshot: &Snapshot, words: &str) -> PartRows {
    let query = split(words);
    // Names of indices are one word: `NIFTY500` for `nifty 500`.
    let joined = query.concat();
    let mut rows = Vec::new();
    for market in Market::ALL {
        for (table, kind) in NAMED_TABLES {
            let all = snapshot.values(market, table);
            let has = |name: &&String| {
                let name = split(name);
                let has_word = |word: &String| name.iter().any(|other| other.starts_with(word.as_str()));
                !query.is_empty() && (query.iter().all(has_word) || name.concat().starts_with(&joined))
            };
            let mut found: Vec<&str> = all.iter().filter(has).map(String::as_str).collect();
            found.sort_by_key(|name| split(name).concat() != joined);
            if found.is_empty() {
                found.extend(spelt_like(words, &all));
            }
            rows.extend(
                found
                    .into_iter()
                    .take(MOST_FOUND)
                    .map(|name| vec![json!(name), json!(kind), json!(market.word())]),
            );
        }
    }
    PartRows::built_in(&["name", "kind", "market"], rows)
}

/// Returns the name that is spelt most like a text; `None` if no name is near enough.
fn spelt_like<'a>(text: &str, names: &'a [String]) -> Option<&'a str> {
    const LEAST_LIKENESS: f64 = 0.88;
    let text = text.trim().to_lowercase();
    let likeness = Likeness::new_for(&text)?;
    let near = names.iter().map(|name| (likeness.similarity_to(&name.to_lowercase()), name.as_str()));
    let near = near.filter(|(score, _)| *score >= LEAST_LIKENESS);
    near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// Returns the companies whose tickers are among the words, or else those whose symbol or name is similar; none if the name of a company
/// has the words.
pub(super) fn likely_companies(snapshot: &Snapshot, words: &str) -> PartRows {
    const MOST: usize = 3;
    /// Signs within tickers.
    const SIGNS: [char; 3] = ['&', '-', '.'];
    let mut found = Vec::new();
    if Market::ALL.into_iter().all(|market| snapshot.find_companies(market, words).is_empty()) {
        for word in words.split(|letter: char| !letter.is_alphanumeric() && !SIGNS.contains(&letter)) {
            let ticker = word.trim_matches(SIGNS).to_uppercase();
            if !is_ticker_like(word) {
                continue;
            }
            let has = |market: &Market| snapshot.has_symbol(*market, &ticker) == Some(true);
            for market in Market::ALL.into_iter().filter(has) {
                found.extend(
                    snapshot.companies(market, &ticker, 1).into_iter().map(|company| (market, company)),
                );
            }
        }
        if found.is_empty() {
            for market in Market::ALL {
                let near = snapshot.near_companies(market, words, MOST).into_iter();
                found.extend(near.map(|company| (market, company)));
            }
        }
    }
    let rows =
        found.into_iter().map(|(market, it)| vec![json!(it.symbol), json!(it.name), json!(market.word())]);
    PartRows::built_in(&["symbol", "company_name", "market"], rows.take(MOST_FOUND).collect())
}

/// Returns true if a word of a sentence may be a ticker: written in capitals, or longer than the common words that are tickers too.
fn is_ticker_like(word: &str) -> bool {
    const SHORTEST_WORD: usize = 6;
    word.len() >= SHORTEST_WORD || (word.len() > 1 && !word.contains(char::is_lowercase))
}

/// Returns the tables whose name and title have the words, for a SELECT.
pub(super) fn tables(snapshot: &Snapshot, words: &str) -> PartRows {
    const MOST: usize = 2;
    let mut rows = Vec::new();
    for market in Market::ALL {
        let served = snapshot.market(market).and_then(|of_market| of_market.served_tables().ok());
        for table in tables_about(words, served.into_iter().flatten()).into_iter().take(MOST) {
            let columns: Vec<&str> =
                table.columns_in(market).map(|column| column.name.as_str()).take(MOST_COLUMNS).collect();
            rows.push(vec![json!(format!("{market}.{}", table.name)), json!(columns.join(", "))]);
        }
    }
    PartRows::built_in(&["table", "columns"], rows)
}

/// Returns the caller's remaining requests, their reset times, and the age of each market's data.
pub(super) fn status(snapshot: &Snapshot, tier: Tier, allowance: Allowance, now: DateTime<Utc>) -> PartRows {
    let (day, hour) = Window::resets_after(now.timestamp());
    let clock = |seconds: i64| {
        DateTime::from_timestamp(seconds, 0).map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true))
    };
    let mut fields = Map::new();
    fields.insert("tier".into(), tier.word().into());
    let requests = json!({
        "left_today": allowance.left.day, "of_today": allowance.limit.day, "day_resets_at": clock(day),
        "left_this_hour": allowance.left.hour, "of_this_hour": allowance.limit.hour,
        "hour_resets_at": clock(hour),
    });
    fields.insert("requests".into(), requests);
    for market in Market::ALL {
        let Some(as_of) = snapshot.as_of(market) else {
            fields.insert(market.word().into(), "no data".into());
            continue;
        };
        let empty = snapshot.tables(market).into_iter().filter(|(_, rows)| *rows == 0).map(|(name, _)| name);
        let empty: BTreeSet<String> = empty.chain(snapshot.unfilled_tables(market)).collect();
        let state = json!({
            "first_session": snapshot.first_session(market).map(|day| day.to_string()),
            "last_session": as_of.to_string(),
            "sessions_behind": snapshot.sessions_behind(market, now),
            "set": snapshot.market(market).map(|market| market.name().id.to_string()),
            "tables_without_rows": empty,
        });
        fields.insert(market.word().into(), state);
    }
    fields.insert("not_here".into(), not_here::all().into());
    fields.insert("now".into(), Json::from(now.to_rfc3339_opts(SecondsFormat::Secs, true)));
    PartRows::fields(fields)
}
