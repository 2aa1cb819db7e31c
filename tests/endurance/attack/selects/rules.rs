//! Rules for every function and every form, independent of a fixed list.

use super::EDGES;
use super::door::SelectTarget;

/// Returns the functions of the guide by kind; a test of the program compares the guide with its list.
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

/// Returns calls of a function with the number as every argument.
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
    let mut door = SelectTarget::open();
    let (mut asked, mut answered, mut breaks) = (0, 0, Vec::new());
    let mut ended = door.ended();
    assert!(ended.is_some());
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
                let (status, text) = door.answers_in_time(&sql, &mut ended);
                asked += 1;
                answered += u32::from(status == 200);
                let is_well = status == 200 || (400..500).contains(&status);
                let ends = door.ended();
                if !is_well || ends != ended {
                    let said: String = text.chars().take(120).collect();
                    println!("{status} {said} | {sql}");
                    breaks.push(format!("{status} | {sql} | {said}"));
                }
                if !door.lives() {
                    door = SelectTarget::open();
                }
                ended = door.ended();
            }
        }
    }
    println!("{asked} calls, {answered} answered, {} broke", breaks.len());
    assert!(breaks.is_empty(), "{} breaks:\n{}", breaks.len(), breaks.join("\n"));
}

/// Wrappers that are nested around an expression, with the innermost column.
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

/// Wrappers that are nested around a SELECT with the column `x`.
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

/// Forms whose plans double at each level end by their time or memory limit, and the next SELECT finds a process.
#[test]
fn every_form_that_is_nested_is_answered_or_refused_in_words() {
    let door = SelectTarget::open();
    let around = |depth: usize| {
        let forms = FORMS.iter().map(move |(column, open, close)| {
            format!("SELECT {}{column}{} AS x FROM stocks LIMIT 3", open.repeat(depth), close.repeat(depth))
        });
        let selects = AROUND_SELECTS.iter().map(move |(open, close)| {
            format!("{}SELECT rs_rating AS x FROM stocks{}", open.repeat(depth), close.repeat(depth))
        });
        forms.chain(selects)
    };
    let mut overran = 0;
    for sql in [4, 8, 12].into_iter().flat_map(around) {
        let (status, text) = door.answers(&sql);
        let is_over = status == 503 && text.contains("took longer than");
        assert!(is_over || status == 200 || (400..500).contains(&status), "{status} {text} | {sql}");
        overran += u32::from(is_over);
        let (status, text) =
            if is_over { door.answers_in_time("SELECT 1 AS x", &mut None) } else { (200, String::new()) };
        assert_eq!(status, 200, "after {sql}: {text}");
    }
    println!("{overran} were ended at their deadline");
}
