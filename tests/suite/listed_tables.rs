//! The lists of tables and columns that a SELECT gets: `SHOW TABLES`, `DESCRIBE` and `information_schema`, errors that name tables, and what
//! the command line says of a table without rows.

use std::collections::BTreeSet;

use parquote::operation::{Market, TableOrigin};
use serde_json::{Value as Json, json};

use crate::demo_market::{CATALOGUE, LITTLE, SNAPSHOTS};
use crate::program::run;
use crate::selected::select;
use crate::server::{Reply, SERVER};

fn ask(sql: &str, market: Market) -> Reply {
    SERVER.select(&[("sql", sql), ("market", market.word()), ("limit", "10000")])
}

fn rows(sql: &str, market: Market) -> Vec<Json> {
    let reply = ask(sql, market);
    assert_eq!(reply.status, 200, "{sql}: {}", reply.message());
    reply.data().as_array().unwrap().clone()
}

fn names(rows: &[Json], column: &str) -> Vec<String> {
    rows.iter().map(|row| row[column].as_str().unwrap().to_owned()).collect()
}

/// Every table of the files is listed, every listed table answers, and a table that a set lacks is not listed.
#[test]
fn listed_tables_are_those_that_answer() {
    let snapshot = SNAPSHOTS.current();
    for market in Market::ALL {
        let listed: BTreeSet<String> =
            names(&rows("SHOW TABLES", market), "table_name").into_iter().collect();
        let files: BTreeSet<String> = snapshot.market(market).unwrap().files().keys().cloned().collect();
        assert!(files.is_subset(&listed), "{market}: {:?}", files.difference(&listed));
        let counts = |name: &&String| format!("SELECT COUNT(*) AS n FROM {market}.{name}");
        let listed_names: Vec<&String> = listed.iter().collect();
        for some in listed_names.chunks(8) {
            let sql = some.iter().map(counts).collect::<Vec<_>>().join(" UNION ALL ");
            assert_eq!(rows(&sql, market).len(), some.len(), "{sql}");
        }
        let unlisted = CATALOGUE.tables_in(market).map(|table| &table.name);
        for name in unlisted.filter(|name| !listed.contains(*name)) {
            assert_ne!(ask(&counts(&name), market).status, 200, "{market}.{name}");
        }
        assert!(
            listed.iter().any(|name| {
                matches!(CATALOGUE.table(market, name).unwrap().origin, TableOrigin::View(_))
            })
        );
    }
    let both = rows(
        "SELECT table_schema, COUNT(*) AS n FROM information_schema.tables GROUP BY 1 ORDER BY 1",
        Market::Us,
    );
    let counts = Market::ALL.map(|market| json!(rows("SHOW TABLES", market).len()));
    assert_eq!(
        both,
        [json!({"table_schema": "india", "n": counts[0]}), json!({"table_schema": "us", "n": counts[1]})]
    );
}

#[test]
fn a_described_table_has_the_columns_of_its_rows() {
    let snapshot = SNAPSHOTS.current();
    for (text, market, table) in [
        ("DESCRIBE stocks", Market::India, "stocks"),
        ("desc us.stocks;", Market::India, "us.stocks"),
        ("\\d daily_prices", Market::Us, "daily_prices"),
        ("SHOW COLUMNS FROM screen", Market::India, "screen"),
        ("DESCRIBE market_events", Market::India, "market_events"),
        ("DESCRIBE market_events", Market::Us, "market_events"),
    ] {
        let of = if table.starts_with("us.") { Market::Us } else { market };
        let bare = table.rsplit('.').next().unwrap();
        let row = select(&snapshot, of, &format!("SELECT * FROM {bare} LIMIT 1"));
        let wanted: Vec<&String> = row[0].as_object().unwrap().keys().collect();
        let described = rows(text, market);
        assert_eq!(names(&described, "column_name").iter().collect::<Vec<_>>(), wanted, "{text}");
        assert!(described.iter().all(|row| row["description"] != ""), "{text}");
        let sql = format!(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = '{of}' AND table_name = '{bare}' \
             ORDER BY ordinal_position"
        );
        assert_eq!(names(&rows(&sql, market), "column_name").iter().collect::<Vec<_>>(), wanted, "{sql}");
    }
    let price = rows("DESCRIBE daily_prices", Market::India);
    let close = price.iter().find(|row| row["column_name"] == "close").unwrap();
    assert_eq!((&close["data_type"], &close["description"]), (&json!("number"), &json!("Closing price.")));
}

/// The usual guesses at the name of a table lead to it.
#[test]
fn an_unknown_table_names_those_that_are_meant_with_columns() {
    for (sql, said) in [
        ("SELECT * FROM prices", "did you mean `daily_prices`? It has symbol, session, "),
        ("SELECT * FROM income_statement", "did you mean `statements`? It has symbol, "),
        ("SELECT * FROM insiders", "did you mean `insider_trades`?"),
        ("SELECT * FROM fundamental", "did you mean `fundamentals`?"),
        ("DESCRIBE stoks", "did you mean `stocks`?"),
        ("DESCRIBE sec_filings", "us has it: `us.sec_filings`"),
        ("SELECT * FROM qqqqq", "SHOW TABLES lists all"),
        ("SHOW COLUMNS FROM a.b.c.d", "a table is named as `stocks`"),
        ("SELECT * FROM information_schema.views", "SHOW TABLES"),
        ("SELECT tabel_name FROM information_schema.tables", "did you mean `table_name`?"),
    ] {
        let reply = ask(sql, Market::India);
        assert!(reply.status == 400 && reply.message().contains(said), "{sql}: {}", reply.message());
    }
}

/// Otherwise a count of 0 would look like an answer.
#[test]
fn the_command_line_says_which_table_has_no_rows() {
    let copy = LITTLE.copy();
    let (data, us) = (copy.path().to_str().unwrap(), copy.path().join("us"));
    std::fs::remove_file(us.join("investor_positions.parquet")).unwrap();
    let counted = |table: &str| {
        let sql = format!("SELECT COUNT(*) AS n FROM {table}");
        run(&["query", "--data", data, "--market", "us", &sql])
    };
    let (code, text, said) = counted("investor_positions");
    assert!(code == Some(0) && text.contains("| 0 "), "{text}{said}");
    assert!(said.contains("lacks the table us.investor_positions"), "{said}");
    let (code, _, said) = counted("stocks");
    assert!(code == Some(0) && !said.contains("lacks") && !said.contains("no rows"), "{said}");
}

/// A figure that is null for want of a table says so.
#[test]
fn breadth_without_its_table_says_why_it_is_null() {
    let copy = LITTLE.copy();
    let table = copy.path().join("india/session_breadth");
    std::fs::remove_dir_all(&table)
        .or_else(|_| std::fs::remove_file(table.with_extension("parquet")))
        .unwrap();
    let data = copy.path().to_str().unwrap();
    let (code, text, said) = run(&["query", "--data", data, "chat/market-history", "every=session"]);
    let rows: Json = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{code:?}: {text}{said}"));
    let rows = rows.as_array().unwrap();
    assert!(rows.len() > 20);
    for row in rows {
        assert!(row["pct_above_sma50"].is_null() && row["new_highs"].is_null(), "{row}");
        assert!(row["depth_note"].as_str().unwrap().contains("session_breadth"), "{row}");
    }
    let (_, whole, _) = run(&["query", "--data", LITTLE.data.to_str().unwrap(), "chat/market-history"]);
    let whole: Json = serde_json::from_str(&whole).unwrap();
    assert!(whole[0]["depth_note"].is_null() && whole[0]["new_highs"].is_i64(), "{whole}");
}
