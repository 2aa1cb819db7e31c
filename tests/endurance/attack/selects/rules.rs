//! What holds for every function and every form, whatever the list of them is.

use std::time::Duration;

use super::EDGES;
use super::door::Door;

/// Below so much of the processor a step from one depth to the next is not looked at.
const FLOOR: Duration = Duration::from_millis(80);
/// How much more a SELECT may take that is nested half as deep again, or twice as deep.
const MOST: u32 = 2;

/// The functions of the guide by their kind, which a test of the program holds against its list.
pub(super) fn functions() -> Vec<(&'static str, String)> {
    let guide = include_str!("../../../../docs/guides/sql.md");
    let (_, rest) = guide.split_once("\n## Functions\n").unwrap();
    let of_kind = |kind: &'static str| {
        let (_, listed) = rest.split_once(kind).unwrap();
        let (listed, _) = listed.split_once(".\n").unwrap();
        let names: Vec<String> = listed.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        names.into_iter().map(move |name| (kind, name))
    };
    ["Of one row:", "Of many rows:", "Over a window:"].into_iter().flat_map(of_kind).collect()
}

/// Calls of a function with a number in every place.
fn calls(name: &str, edge: &str) -> Vec<String> {
    let mut calls: Vec<String> =
        (1..=4).map(|count| format!("{name}({})", vec![edge; count].join(", "))).collect();
    for column in ["price_cmp", "symbol", "session", "catalysts", "rs_rating"] {
        calls.push(format!("{name}({column}, {edge})"));
        calls.push(format!("{name}({column}, {edge}, {edge})"));
        calls.push(format!("{name}({column}, 0.5, {edge})"));
        calls.push(format!("{name}({column}, 'a', {edge})"));
        calls.push(format!("{name}({edge}, {column})"));
    }
    calls.push(format!("{name}(INTERVAL '{edge} days', session)"));
    calls.push(format!("{name}(price_cmp ORDER BY {edge})"));
    calls
}

#[test]
fn the_largest_number_in_every_place_of_every_function_ends_no_process() {
    let edges = if std::env::var_os("PARQUOTE_ATTACK_SELECTS").is_some() { &EDGES[..] } else { &EDGES[..1] };
    let mut door = Door::open();
    let (mut asked, mut answered, mut breaks) = (0, 0, Vec::new());
    for (kind, name) in functions() {
        for call in edges.iter().flat_map(|edge| calls(&name, edge)) {
            let overs: &[&str] = match kind {
                "Of one row:" => &[""],
                "Of many rows:" => &["", " OVER (ORDER BY symbol ROWS 9223372036854775807 PRECEDING)"],
                _ => &[" OVER (ORDER BY symbol)"],
            };
            for over in overs {
                let table = if call.contains("catalysts") { "full_reports" } else { "stocks" };
                let sql = format!("SELECT {call}{over} AS x FROM {table}");
                let before = door.processes().all();
                let (status, text, _) = door.costs(&sql);
                asked += 1;
                answered += u32::from(status == 200);
                let is_well = status == 200 || (400..500).contains(&status);
                if !is_well || door.processes().all() != before {
                    let said: String = text.chars().take(120).collect();
                    println!("{status} {said} | {sql}");
                    breaks.push(format!("{status} | {sql} | {said}"));
                }
                if !door.lives() {
                    door = Door::open();
                }
            }
        }
    }
    println!("{asked} calls, {answered} answered, {} broke", breaks.len());
    assert!(breaks.is_empty(), "{} breaks:\n{}", breaks.len(), breaks.join("\n"));
}

/// What is put around an expression again and again, by the column that is innermost.
const FORMS: [(&str, &str, &str); 46] = [
    ("is_tradable", "", " BETWEEN false AND true"),
    ("is_tradable", "", " NOT BETWEEN false AND true"),
    ("is_tradable", "true BETWEEN (", ") AND true"),
    ("is_tradable", "true BETWEEN false AND (", ")"),
    ("is_tradable", "CASE WHEN ", " THEN rs_rating > 1 ELSE rs_rank > 1 END"),
    ("is_tradable", "CASE WHEN rs_rating > 1 THEN ", " ELSE rs_rank > 1 END"),
    ("is_tradable", "CASE WHEN rs_rating > 1 THEN rs_rank > 1 ELSE ", " END"),
    ("is_tradable", "CASE ", " WHEN true THEN rs_rank > 1 ELSE false END"),
    ("is_tradable", "CASE true WHEN ", " THEN rs_rank > 1 ELSE false END"),
    ("rs_rating", "CASE WHEN rs_rank > 1 THEN ", " ELSE rs_rank END"),
    ("rs_rating", "CASE ", " WHEN 1 THEN 2 ELSE rs_rank END"),
    ("rs_rating", "", " + rs_rank"),
    ("rs_rating", "rs_rank * (", ")"),
    ("rs_rating", "- ", ""),
    ("rs_rating", "", "::TEXT::INT"),
    ("rs_rating", "TRY_CAST(", " AS DOUBLE)"),
    ("is_tradable", "NOT ", ""),
    ("is_tradable", "NOT (", " AND rs_rank > 1)"),
    ("is_tradable", "(", " OR rs_rank > 1) AND rs_rating > 1"),
    ("is_tradable", "(", " AND rs_rank > 1) OR rs_rating > 1"),
    ("is_tradable", "", " IS NULL"),
    ("is_tradable", "", " IS NOT TRUE"),
    ("is_tradable", "", " IS UNKNOWN"),
    ("is_tradable", "", " IS DISTINCT FROM true"),
    ("is_tradable", "", " IS NOT DISTINCT FROM (rs_rank > 1)"),
    ("is_tradable", "(", ") IN (true, rs_rank > 1)"),
    ("is_tradable", "true IN (", ", rs_rank > 1)"),
    ("is_tradable", "(", ") NOT IN (true, NULL)"),
    ("is_tradable", "(", ") = (rs_rank > 1)"),
    ("symbol", "CAST(", " LIKE 'A%' AS TEXT)"),
    ("symbol", "CAST('a' ILIKE ", " AS TEXT)"),
    ("symbol", "substring(", " FROM 1 FOR 3)"),
    ("symbol", "trim(BOTH 'a' FROM ", ")"),
    ("symbol", "CAST(position('a' IN ", ") AS TEXT)"),
    ("price_cmp", "floor(", ")"),
    ("price_cmp", "ceil(", ")"),
    ("session", "", " + INTERVAL '1 day'"),
    ("session", "make_date(CAST(extract(YEAR FROM ", ") AS INT), 1, 1)"),
    ("rs_rating", "(SELECT ", ")"),
    ("rs_rating", "coalesce(rs_rank, ", ")"),
    ("rs_rating", "coalesce(", ", rs_rank)"),
    ("is_tradable", "coalesce(", ", rs_rank > 1)"),
    ("is_tradable", "ifnull(", ", rs_rank > 1)"),
    ("is_tradable", "nullif(", ", rs_rank > 1)"),
    ("is_tradable", "greatest(", ", rs_rank > 1)"),
    ("is_tradable", "EXISTS (SELECT 1 WHERE ", ")"),
];

/// What is put around a SELECT whose column is `x` again and again.
const AROUND_SELECTS: [(&str, &str); 14] = [
    ("SELECT x + x AS x FROM (", ") t WHERE x > 5"),
    ("SELECT x + x AS x FROM (", ") t"),
    ("SELECT CASE WHEN x > 1 THEN x ELSE x + 1 END AS x FROM (", ") t"),
    ("SELECT coalesce(x, x + 1) AS x FROM (", ") t"),
    ("SELECT nullif(x, x + 1) AS x FROM (", ") t"),
    ("SELECT CAST(x BETWEEN x AND x AS INT) AS x FROM (", ") t"),
    ("SELECT DISTINCT x FROM (", ") t"),
    ("SELECT MAX(x) AS x FROM (", ") t GROUP BY x"),
    ("SELECT SUM(x) OVER (ORDER BY x) AS x FROM (", ") t"),
    ("SELECT x FROM (", ") t ORDER BY x LIMIT 100"),
    ("SELECT x FROM (", ") t UNION SELECT 1"),
    ("SELECT x FROM (", ") t UNION ALL SELECT 1"),
    ("SELECT x FROM (", ") t WHERE x NOT IN (SELECT 5)"),
    ("SELECT x FROM (", ") t JOIN (SELECT 1 AS y) u ON t.x >= u.y"),
];

/// Every call of a function that takes what it gives.
fn nested_calls() -> Vec<(&'static str, String, String)> {
    let mut forms = Vec::new();
    for (_, name) in functions().into_iter().filter(|(kind, _)| *kind == "Of one row:") {
        for (column, other) in
            [("price_cmp", "2"), ("rs_rating", "rs_rank"), ("symbol", "sector"), ("session", "session")]
        {
            for (open, close) in [
                (format!("{name}("), ")".to_owned()),
                (format!("{name}("), format!(", {other})")),
                (format!("{name}({other}, "), ")".to_owned()),
                (format!("{name}("), format!(", {other}, {other})")),
                (format!("{name}({other}, "), format!(", {other})")),
                (format!("{name}({other}, {other}, "), ")".to_owned()),
            ] {
                forms.push((column, open, close));
            }
        }
        forms.push(("session", format!("{name}('month', "), ")".to_owned()));
        forms.push(("symbol", format!("{name}("), ", 2, 5)".to_owned()));
    }
    forms
}

/// What a SELECT takes at its least of three times, each with another text so that no plan is kept; `None` where it is refused in words.
fn least(door: &Door, sql: &str) -> Option<Duration> {
    let mut least = Duration::MAX;
    for turn in 0..3 {
        let (status, text, spent) = door.costs(&format!("{sql} /* {turn} */"));
        assert!(status == 200 || (400..500).contains(&status), "{status} {text} | {sql}");
        if status != 200 {
            return None;
        }
        least = least.min(spent);
        // Only what is dear is worth another look.
        if least < FLOOR {
            break;
        }
    }
    Some(least)
}

#[test]
fn no_form_or_function_doubles_its_cost_by_being_nested() {
    let door = Door::open();
    let forms = FORMS.iter().map(|(column, open, close)| (*column, (*open).to_owned(), (*close).to_owned()));
    let nested = |(column, open, close): (&'static str, String, String)| {
        move |depth: usize| {
            let (open, close) = (open.repeat(depth), close.repeat(depth));
            [
                format!("SELECT {open}{column}{close} AS x FROM stocks LIMIT 3"),
                format!("SELECT symbol FROM stocks WHERE ({open}{column}{close}) IS NOT NULL LIMIT 3"),
            ]
        }
    };
    let (mut looked_at, mut steep) = (0, Vec::new());
    for form in forms.chain(nested_calls()) {
        let shape = format!("{}{}{}", form.1, form.0, form.2);
        let nested = nested(form);
        for place in 0..2 {
            looked_at += u32::from(grows(&door, &|depth| nested(depth)[place].clone(), &shape, &mut steep));
        }
    }
    for (open, close) in AROUND_SELECTS {
        let text =
            |depth| format!("{}SELECT rs_rating AS x FROM stocks{}", open.repeat(depth), close.repeat(depth));
        looked_at += u32::from(grows(&door, &text, &format!("{open}{close}"), &mut steep));
    }
    println!("{looked_at} forms in {} places", 2);
    assert!(steep.is_empty(), "{} forms:\n{}", steep.len(), steep.join("\n"));
}

/// Whether a form may be nested at all; says where its cost grows too much.
fn grows(door: &Door, text: &dyn Fn(usize) -> String, shape: &str, steep: &mut Vec<String>) -> bool {
    if least(door, &text(2)).is_none() {
        return false;
    }
    let mut before = Duration::MAX;
    for depth in [4, 8, 12] {
        let Some(cost) = least(door, &text(depth)) else { return true };
        if cost > FLOOR && cost > before.saturating_mul(MOST).max(FLOOR) {
            let said = format!("{depth} times {cost:?} after {before:?} | {shape}");
            println!("{said}");
            steep.push(said);
            return true;
        }
        before = cost;
    }
    true
}
