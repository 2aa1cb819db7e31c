//! The SELECTs of the files, and the server's reaction to them.

use std::time::{Duration, Instant};

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

use super::door::SelectTarget;
use super::{EDGES, expanded};
use crate::fuzz::number;

/// The time during which a plain run sends some of them.
const PLAIN: Duration = Duration::from_secs(40);

/// The files by the resource that they try to exhaust.
const FILES: [(&str, &str); 6] = [
    ("planning", include_str!("planning.txt")),
    ("numbers", include_str!("numbers.txt")),
    ("memory", include_str!("memory.txt")),
    ("time", include_str!("time.txt")),
    ("depth", include_str!("depth.txt")),
    ("texts", include_str!("texts.txt")),
];

/// Characters that no editor shows.
const UNSEEN: [(&str, &str); 10] = [
    ("<NUL>", "\0"),
    ("<TAB>", "\t"),
    ("<LF>", "\n"),
    ("<CR>", "\r"),
    ("<VT>", "\u{b}"),
    ("<FF>", "\u{c}"),
    ("<NBSP>", "\u{a0}"),
    ("<BOM>", "\u{feff}"),
    ("<ZWJ>", "\u{200d}"),
    ("<RLO>", "\u{202e}"),
];

/// A hostile SELECT.
#[derive(Debug, Clone)]
pub(super) struct Attack {
    /// The resource that it tries to exhaust.
    pub kind: &'static str,
    /// The line, with the inserted number.
    pub shown: String,
    pub sql: String,
    /// Its other parameters, such as `limit` and `params`.
    pub more: Vec<(String, String)>,
}

/// Returns all attacks.
pub(super) fn attacks() -> Vec<Attack> {
    FILES.iter().flat_map(|(kind, text)| text.lines().flat_map(|line| of_line(kind, line))).collect()
}

fn of_line(kind: &'static str, line: &str) -> Vec<Attack> {
    let edges: &[&str] = if kind == "numbers" && line.contains('@') { &EDGES } else { &["@"] };
    let of_edge = |edge: &&str| {
        let shown = line.replace('@', edge);
        let mut parts = shown.split(" -- ");
        let (shape, _, more) = (parts.next().unwrap(), parts.next().unwrap(), parts.next());
        let seen = UNSEEN.iter().fold(expanded(shape), |sql, (name, letter)| sql.replace(name, letter));
        let more = more.into_iter().flat_map(|more| more.split('&')).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap();
            (name.to_owned(), expanded(value))
        });
        let more = more.collect();
        Attack { kind, sql: seen, more, shown }
    };
    edges.iter().map(of_edge).collect()
}

#[test]
fn hostile_selects_end_within_their_limits() {
    let mut attacks = attacks();
    let all = std::env::var("PARQUOTE_ATTACK_SELECTS").unwrap_or_default();
    if all.is_empty() {
        attacks.shuffle(&mut ChaCha8Rng::seed_from_u64(number("PARQUOTE_FUZZ_SEED", 1)));
    } else if all != "all" {
        attacks.retain(|attack| attack.kind == all || attack.shown.contains(&all));
    }
    let (began, mut breaks) = (Instant::now(), Vec::new());
    let mut door = SelectTarget::open();
    let mut sent = 0;
    for attack in &attacks {
        if all.is_empty() && began.elapsed() > PLAIN {
            break;
        }
        sent += 1;
        let met = door.meets(&attack.sql, &attack.more);
        println!("{:9}{met} | {}", attack.kind, attack.shown);
        breaks
            .extend(met.breaks.iter().map(|broken| format!("{broken} | {} | {}", attack.kind, attack.shown)));
    }
    println!(
        "{sent} of {} SELECTs in {:.0} s; {}",
        attacks.len(),
        began.elapsed().as_secs_f64(),
        door.honest()
    );
    assert!(breaks.is_empty(), "{} breaks:\n{}", breaks.len(), breaks.join("\n"));
}

#[test]
fn there_are_three_hundred() {
    let mut texts: Vec<String> = attacks().into_iter().map(|it| it.sql).collect();
    let lines: usize = FILES.iter().map(|(_, text)| text.lines().count()).sum();
    texts.sort();
    texts.dedup();
    assert!(lines >= 300 && texts.len() >= lines, "{lines} lines, {} SELECTs", texts.len());
}
