//! SELECTs of callers on which the engine goes wrong in silence: what they answer is right, or they are refused in words. Right answers
//! are those of PostgreSQL and DuckDB, or follow from the text alone.

use serde_json::{Value as Json, json};

use crate::server::{Reply, SERVER, query};

fn ask(sql: &str, params: &Json) -> Reply {
    let params = params.to_string();
    SERVER.get(&format!("query?{}", query(&[("sql", sql), ("params", &params)])))
}

/// The values of the one row of a SELECT. A number without a fraction is written as a whole one.
fn row(sql: &str, params: &Json) -> Vec<Json> {
    let reply = ask(sql, params);
    assert_eq!(reply.status, 200, "{sql}: {}", reply.message());
    let rows = reply.data();
    assert_eq!(rows.as_array().unwrap().len(), 1, "{sql}: {rows}");
    rows[0].as_object().unwrap().values().cloned().collect()
}

/// What a refused SELECT is told.
fn refusal(sql: &str, params: &Json) -> String {
    let reply = ask(sql, params);
    assert_eq!(reply.status, 400, "{sql}: {}", String::from_utf8_lossy(&reply.body));
    reply.message()
}

const LARGEST: i64 = i64::MAX;

#[test]
fn a_value_means_what_it_would_mean_in_the_text() {
    for (sql, params, expected) in [
        ("SELECT CAST(5 AS BIGINT) / $1 AS v", json!([2.5]), json!(2)),
        ("SELECT COUNT(*) AS v FROM stocks WHERE rs_rating = $1", json!([90.5]), json!(0)),
        ("SELECT COUNT(*) AS v FROM stocks WHERE rs_rating IN ($1, $2)", json!([90.5, 0.25]), json!(0)),
        ("SELECT CAST(as_of() - $1 AS TEXT) = CAST(as_of() - 5 AS TEXT) AS v", json!([5]), json!(true)),
        ("SELECT as_of() - $1 AS v", json!(["1970-01-02"]), Json::Null),
        ("SELECT 3 + $1 AS v", json!([-2.75]), json!(0.25)),
        ("SELECT CAST(7 AS SMALLINT) + $1 AS v", json!([LARGEST - 7]), json!(LARGEST)),
        ("SELECT CAST(1 AS INT) < $1 AS v", json!([LARGEST]), json!(true)),
        ("SELECT $1 * 2 AS v", json!([0.25]), json!(0.5)),
        ("SELECT CAST(1.25 AS DECIMAL(9, 2)) + $1 AS v", json!([0.125]), json!(1.375)),
        ("SELECT coalesce($1, 1.5) AS v", json!([null]), json!(1.5)),
        ("SELECT COUNT(*) AS v FROM (SELECT symbol FROM stocks LIMIT $1) AS s", json!([3]), json!(3)),
        ("SELECT COUNT(*) AS v FROM (SELECT symbol FROM stocks LIMIT $1) AS s", json!(["3"]), json!(3)),
    ] {
        let found = row(sql, &params);
        if !expected.is_null() {
            assert_eq!(found, [expected], "{sql} with {params}");
        }
    }
    for (sql, params, words) in [
        ("SELECT COUNT(*) AS v FROM stocks WHERE rs_rating = $1", json!([true]), "Int64 = Boolean"),
        ("SELECT COUNT(*) AS v FROM stocks WHERE is_tradable = $1", json!([1]), "Boolean = Int64"),
        (
            "SELECT COUNT(*) AS v FROM stocks WHERE session = $1",
            json!(["2026-01-01T10:00:00"]),
            "is not date",
        ),
        (
            "SELECT COUNT(*) AS v FROM stocks WHERE rs_rating = $1",
            json!(["9223372036854775808"]),
            "is not int",
        ),
        ("SELECT COUNT(*) AS v FROM stocks WHERE price_cmp > $1", json!(["NaN"]), "is not number"),
        ("SELECT $1 AS v", json!([9_223_372_036_854_775_808_u64]), "beyond 2^63 - 1"),
        ("SELECT symbol FROM stocks LIMIT $1", json!([2.5]), "LIMIT"),
    ] {
        let message = refusal(sql, &params);
        assert!(message.contains(words), "{sql} with {params}: {message}");
    }
}
