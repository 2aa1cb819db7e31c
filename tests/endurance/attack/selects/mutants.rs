//! Mutants of SELECTs: tokens that are swapped, repeated, nested, replaced by others of their kind or by edge
//! numbers, combined halves of two SELECTs, and wrapped ones.
//!
//! `PARQUOTE_ATTACK_SECONDS=3600` runs for an hour; a break is printed with the seed, the turn and the SELECT.

use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::corpus::attacks;
use super::door::SelectTarget;
use super::rules::functions;
use super::{EDGES, expanded};
use crate::fuzz::number;

/// Seconds of a plain run.
const SECONDS: u64 = 8;
/// The longest text, because longer ones are refused by their length.
const LONGEST: usize = 14 << 10;
/// Breaks after which it ends.
const ENOUGH: usize = 20;

const COLUMNS: [&str; 12] = [
    "symbol", "price_cmp", "rs_rating", "close", "session", "is_tradable", "company_name", "catalysts",
    "volume", "executive_summary", "*", "$1",
];
const TABLES: [&str; 8] = [
    "stocks",
    "daily_prices",
    "company_profiles",
    "full_reports",
    "us.stocks",
    "india.sessions",
    "companies",
    "(SELECT * FROM stocks) t",
];
/// Operators between two expressions.
const BETWEEN: [&str; 16] = [
    "+", "-", "*", "/", "%", "=", "<", "AND", "OR", "||", "LIKE", "IS DISTINCT FROM", "IN", "NOT IN",
    "ILIKE", "<>",
];
/// Wrappers of one or several tokens.
const AROUND: [(&str, &str); 12] = [
    ("(", ")"),
    ("CASE WHEN ", " THEN true ELSE false END"),
    ("CASE ", " WHEN 1 THEN symbol END"),
    ("", " BETWEEN false AND true"),
    ("coalesce(", ", 1)"),
    ("NOT ", ""),
    ("- ", ""),
    ("CAST(", " AS TEXT)"),
    ("(SELECT ", ")"),
    ("MAX(", ")"),
    ("SUM(", ") OVER (ORDER BY symbol)"),
    ("", " IS NULL"),
];
/// Wrappers of a whole SELECT.
const WRAPPED: [(&str, &str); 8] = [
    ("SELECT * FROM (", ") w"),
    ("WITH w AS (", ") SELECT * FROM w a, w b"),
    ("SELECT COUNT(*) AS n FROM (", ") w"),
    ("SELECT DISTINCT * FROM (", ") w ORDER BY 1"),
    ("(", ") UNION ALL SELECT 1"),
    ("SELECT 1 AS x WHERE EXISTS (", ")"),
    ("SELECT * FROM stocks NATURAL JOIN (", ") w"),
    ("SELECT ROW_NUMBER() OVER () AS r, w.* FROM (", ") w"),
];

/// Returns the words, numbers, strings and signs of a SELECT.
fn tokens(sql: &str) -> Vec<String> {
    let letters: Vec<char> = sql.chars().collect();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < letters.len() {
        let first = letters[at];
        let mut end = at + 1;
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.');
        if matches!(first, '\'' | '"') {
            while end < letters.len() && letters[end] != first {
                end += 1;
            }
            end = (end + 1).min(letters.len());
        } else if is_word(first) {
            while end < letters.len() && is_word(letters[end]) {
                end += 1;
            }
        }
        if !first.is_whitespace() {
            tokens.push(letters[at..end].iter().collect());
        }
        at = end;
    }
    tokens
}

/// Returns the guide's SELECTs, which are honest.
fn honest() -> Vec<String> {
    let guide = include_str!("../../../../docs/guides/sql.md");
    let blocks = guide.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next());
    let selects = blocks.flat_map(|block| block.split("\n\n"));
    let without_comments =
        |sql: &str| sql.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join(" ");
    selects.map(without_comments).filter(|sql| !sql.is_empty()).collect()
}

/// Returns one of the seeds with a few changes.
fn mutant(seeds: &[Vec<String>], functions: &[String], chance: &mut ChaCha8Rng) -> String {
    let mut tokens = seeds[chance.random_range(0..seeds.len())].clone();
    for _ in 0..chance.random_range(1..7) {
        if tokens.is_empty() {
            break;
        }
        change(&mut tokens, seeds, functions, chance);
    }
    let mut sql = tokens.join(" ");
    for _ in 0..chance.random_range(0..2) * chance.random_range(1..4) {
        let (open, close) = WRAPPED[chance.random_range(0..WRAPPED.len())];
        sql = format!("{open}{sql}{close}");
    }
    let end = sql.char_indices().map(|(at, _)| at).take_while(|at| *at <= LONGEST).last().unwrap_or(0);
    if sql.len() > LONGEST {
        sql.truncate(end);
    }
    sql
}

fn change(tokens: &mut Vec<String>, seeds: &[Vec<String>], functions: &[String], chance: &mut ChaCha8Rng) {
    let at = chance.random_range(0..tokens.len());
    let end = (at + chance.random_range(1..9)).min(tokens.len());
    let one = |of: &[&str], chance: &mut ChaCha8Rng| of[chance.random_range(0..of.len())].to_owned();
    match chance.random_range(0..12) {
        0 => {
            let other = chance.random_range(0..tokens.len());
            tokens.swap(at, other);
        }
        1 => {
            let part = tokens[at..end].to_vec();
            let part = part.iter().cycle().take(part.len() * chance.random_range(1..30)).cloned();
            let part: Vec<String> = part.collect();
            tokens.splice(at..at, part);
        }
        2 => {
            let (open, close) = AROUND[chance.random_range(0..AROUND.len())];
            let times = chance.random_range(1..20);
            tokens.insert(end, close.repeat(times));
            tokens.insert(at, open.repeat(times));
        }
        3 => {
            let numbers = (0..tokens.len()).filter(|at| tokens[*at].parse::<f64>().is_ok());
            if let Some(at) = numbers.min_by_key(|other| other.abs_diff(at)) {
                tokens[at] = one(&EDGES, chance);
            }
        }
        4 => {
            let calls = (0..tokens.len()).filter(|at| functions.contains(&tokens[*at].to_lowercase()));
            if let Some(at) = calls.min_by_key(|other| other.abs_diff(at)) {
                tokens[at].clone_from(&functions[chance.random_range(0..functions.len())]);
            }
        }
        5 => tokens[at] = one(&COLUMNS, chance),
        6 => {
            let tables = (0..tokens.len()).filter(|at| TABLES.contains(&tokens[*at].as_str()));
            if let Some(at) = tables.min_by_key(|other| other.abs_diff(at)) {
                tokens[at] = one(&TABLES, chance);
            }
        }
        7 => {
            let other = &seeds[chance.random_range(0..seeds.len())];
            let from = chance.random_range(0..=other.len());
            let to = (from + chance.random_range(1..40)).min(other.len());
            tokens.splice(at..end, other[from..to].iter().cloned());
        }
        8 => {
            let other = &seeds[chance.random_range(0..seeds.len())];
            tokens.push(one(&["UNION ALL", "UNION", "EXCEPT", "INTERSECT"], chance));
            tokens.extend(other.iter().cloned());
        }
        9 => drop(tokens.drain(at..end)),
        10 => {
            let call = functions[chance.random_range(0..functions.len())].clone();
            tokens.insert(end, ")".to_owned());
            tokens.insert(at, format!("{call} ("));
        }
        _ => {
            let column = one(&COLUMNS, chance);
            tokens.insert(at, format!("{column} {}", one(&BETWEEN, chance)));
        }
    }
}

#[test]
fn what_is_made_of_hostile_and_honest_selects_ends_too() {
    let seeds: Vec<Vec<String>> = attacks()
        .into_iter()
        .map(|attack| attack.sql)
        .filter(|sql| sql.len() < 4_000)
        .chain(honest())
        .map(|sql| tokens(&sql))
        .filter(|tokens| !tokens.is_empty())
        .collect();
    let (seed, functions) =
        (number("PARQUOTE_FUZZ_SEED", 1), functions().into_iter().map(|(_, name)| name).collect::<Vec<_>>());
    let time = Duration::from_secs(number("PARQUOTE_ATTACK_SECONDS", SECONDS));
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let (began, mut turns, mut answered, mut breaks) = (Instant::now(), 0_u64, 0_u64, Vec::new());
    let mut door = SelectTarget::open();
    while began.elapsed() < time && breaks.len() < ENOUGH {
        let sql = mutant(&seeds, &functions, &mut chance);
        let values = if sql.contains("$1") { expanded("[\"{2000|x}\"]") } else { String::new() };
        let met = door.meets(&sql, &[("params".to_owned(), values)]);
        turns += 1;
        answered += u64::from(met.status == 200);
        if !met.breaks.is_empty() {
            println!("seed {seed}, turn {turns}: {met}\n{sql}\n");
            breaks.push(format!("{}: {sql}", met.breaks.join("; ")));
        }
    }
    println!("seed {seed}: {turns} SELECTs, {answered} with rows, {} broke; {}", breaks.len(), door.honest());
    assert!(breaks.is_empty(), "seed {seed}: {}", breaks.join("\n\n"));
}
