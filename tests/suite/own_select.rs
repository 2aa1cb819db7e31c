//! Callers' SELECTs: rows and formats, refusals and their words, values and
//! sets. Tiers and costs are in `keys`.

use std::time::{Duration, Instant};

use parquote::engine::Deadline;
use parquote::engine::caller_select::{SelectLimits, UserSelect};
use parquote::operation::{AnswerFormat, Market};
use parquote::select_process::{SelectProcesses, SelectProgram, TimeSpent};
use serde_json::{Value as Json, json};

use crate::demo_market::{RUNTIME, SELECTS, SNAPSHOTS};
use crate::selected::first_column;
use crate::server::{Reply, SERVER};

fn ask(pairs: &[(&str, &str)]) -> Reply {
    SERVER.select(pairs)
}

/// Returns the rows of a SELECT.
fn rows(sql: &str) -> Json {
    let reply = ask(&[("sql", sql)]);
    assert_eq!(reply.status, 200, "{sql}: {}", reply.message());
    reply.data()
}

/// Returns the message of a refused SELECT.
fn refusal(sql: &str) -> String {
    let reply = ask(&[("sql", sql)]);
    assert_eq!(reply.status, 400, "{sql}: {}", String::from_utf8_lossy(&reply.body));
    reply.message()
}

#[test]
fn rows_are_those_that_the_command_line_selects() {
    let snapshot = SNAPSHOTS.current();
    for (sql, market) in [
        ("SELECT CAST(COUNT(*) AS TEXT) AS n FROM stocks", Market::India),
        ("SELECT symbol FROM stocks WHERE rs_rating > 80 ORDER BY rs_rating DESC, symbol", Market::India),
        (
            "WITH best AS (SELECT sector, MAX(rs_rating) AS most FROM stocks GROUP BY sector) \
             SELECT s.symbol FROM stocks s JOIN best b ON b.sector = s.sector AND b.most = s.rs_rating ORDER BY 1",
            Market::Us,
        ),
        (
            "SELECT symbol FROM (SELECT symbol, ROW_NUMBER() OVER (PARTITION BY sector ORDER BY price_cmp DESC, symbol) AS turn \
             FROM stocks) WHERE turn = 1 ORDER BY symbol",
            Market::India,
        ),
        (
            "SELECT CAST(session AS TEXT) AS day FROM sessions WHERE session > as_of() - INTERVAL '20 days' ORDER BY 1",
            Market::Us,
        ),
        ("SELECT symbol FROM stocks UNION ALL SELECT symbol FROM companies ORDER BY 1", Market::India),
        (
            "SELECT symbol FROM stocks WHERE EXISTS (SELECT 1 FROM statements t WHERE t.symbol = stocks.symbol) ORDER BY 1",
            Market::Us,
        ),
    ] {
        let reply = ask(&[("sql", sql), ("market", market.word()), ("limit", "10000")]);
        assert_eq!(reply.status, 200, "{sql}: {}", reply.message());
        let found: Vec<Json> = reply
            .data()
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row.as_object().unwrap().values().next().unwrap().clone())
            .collect();
        assert_eq!(found, first_column(&snapshot, market, sql), "{sql}");
        assert!(!found.is_empty(), "{sql}");
    }
}

#[test]
fn a_table_of_either_market_has_its_name_before_it() {
    let both = rows(
        "SELECT (SELECT COUNT(*) FROM india.stocks) AS india, (SELECT COUNT(*) FROM us.stocks) AS us, COUNT(*) AS here FROM stocks",
    );
    let (india, us) = (both[0]["india"].as_i64().unwrap(), both[0]["us"].as_i64().unwrap());
    assert!(india != us && us > 0 && both[0]["here"] == india, "{both}");
    let reply = ask(&[("sql", "SELECT COUNT(*) AS here, market() AS word FROM stocks"), ("market", "us")]);
    assert_eq!(reply.data(), json!([{"here": us, "word": "us"}]));
    assert_eq!(reply.header("x-as-of"), SNAPSHOTS.current().as_of(Market::Us).unwrap().to_string());
}

#[test]
fn answers_come_in_every_format_and_in_parts() {
    let sql = "SELECT symbol, price_cmp, rs_rating * 1.0 / 3 AS third, session, is_tradable, CAST(1.5 AS DECIMAL(9, 2)) AS exact \
               FROM stocks ORDER BY symbol";
    let of = |format: &str| ask(&[("sql", sql), ("limit", "3"), ("format", format)]);
    let json = of("json");
    let objects = json.data();
    assert_eq!(objects.as_array().unwrap().len(), 3);
    assert_eq!((json.header("etag"), json.header("cache-control")), ("", "no-store"));
    let columns = of("columns").data();
    let named: Vec<&str> = columns["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert_eq!(named, ["symbol", "price_cmp", "third", "session", "is_tradable", "exact"]);
    assert_eq!(columns["rows"][0][0], objects[0]["symbol"]);
    let lines = String::from_utf8(of("ndjson").body).unwrap();
    let lines: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(Json::from(lines), objects);
    let csv = of("csv");
    let text = String::from_utf8(csv.body.clone()).unwrap();
    assert!(text.starts_with("symbol,price_cmp,third,session,is_tradable,exact\r\n"), "{text}");
    assert_eq!((text.lines().count(), csv.header("x-tier")), (4, "api_max"));
    let arrow = of("arrow");
    assert_eq!(arrow.header("content-type"), "application/vnd.apache.arrow.stream");
    assert!(arrow.body.len() > 500);
    // A column of a table is rounded as usual, and a computed column is not.
    let price = objects[0]["price_cmp"].to_string();
    assert!(price.split('.').nth(1).is_none_or(|decimals| decimals.len() <= 2), "{price}");
    // The link leads to the next rows.
    let link = json.header("link").to_owned();
    let next = link.trim_start_matches("<?").split('>').next().unwrap();
    let second = SERVER.get(&format!("query?{next}"));
    let first_six = ask(&[("sql", sql), ("limit", "6")]).data();
    assert_eq!(second.data().as_array().unwrap()[..], first_six.as_array().unwrap()[3..]);
    let whole = ask(&[("sql", "SELECT COUNT(*) AS n FROM stocks")]);
    assert_eq!((whole.header("x-total-count"), whole.header("link")), ("1", ""));
    assert!(ask(&[("sql", sql), ("fields", "symbol")]).message().contains("`fields`"));
}

#[test]
fn values_are_bound_in_the_types_of_their_places() {
    let symbol =
        rows("SELECT symbol FROM stocks ORDER BY symbol LIMIT 1")[0]["symbol"].as_str().unwrap().to_owned();
    let sql = "SELECT symbol FROM stocks WHERE symbol = $1 AND price_cmp > $2 AND session <= $3";
    let params = json!([symbol, 0, "2999-01-01"]).to_string();
    for params in [params, format!("{symbol}, 0, 2999-01-01")] {
        let reply = ask(&[("sql", sql), ("params", &params)]);
        assert_eq!(reply.data(), json!([{"symbol": symbol}]), "{params}: {}", reply.message());
    }
    // A value is never parsed as SQL.
    let hostile = json!(["x' OR 1 = 1 --"]).to_string();
    let reply = ask(&[("sql", "SELECT symbol FROM stocks WHERE symbol = $1"), ("params", &hostile)]);
    assert_eq!(reply.data(), json!([]));
    for (params, words) in [
        ("[1]", "there is no value for `$2`; 1 are given"),
        ("[\"A\", \"x\", \"2026-01-01\"]", "`x` for `$2` is not number"),
        ("[\"A\", 1, \"never\"]", "`never` for `$3` is not date"),
        ("[\"A\", 1, \"2026-01-01\", 4]", "nothing in the SELECT takes value 4"),
        ("[\"A\"", "not a JSON array"),
    ] {
        let reply = ask(&[("sql", sql), ("params", params)]);
        assert_eq!(reply.status, 400);
        assert!(reply.message().contains(words), "{params}: {}", reply.message());
    }
    assert!(refusal("SELECT symbol FROM stocks WHERE symbol = $name").contains("$1, $2"));
}

#[test]
fn nothing_but_one_select_is_run() {
    for sql in [
        "DROP TABLE stocks",
        "CREATE TABLE x AS SELECT 1",
        "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION '/etc/passwd'",
        "INSERT INTO stocks SELECT * FROM stocks",
        "DELETE FROM stocks",
        "UPDATE stocks SET symbol = 'x'",
        "SET datafusion.execution.batch_size = 1",
        "SHOW ALL",
        "EXPLAIN ANALYZE SELECT * FROM stocks",
        "EXPLAIN SELECT * FROM stocks",
        "DESCRIBE SELECT 1",
        "COPY stocks TO '/tmp/x.csv'",
        "COPY (SELECT 1) TO '/tmp/x.csv'",
        "PREPARE x AS SELECT 1",
        "BEGIN",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE stocks",
        ";",
        "nonsense",
        "SELECT * FROM",
        "WITH x AS (INSERT INTO stocks SELECT 1) SELECT 1",
    ] {
        let message = refusal(sql);
        assert!(message.contains("`sql`"), "{sql}: {message}");
    }
    assert_eq!(rows("SELECT 1 AS one;"), json!([{"one": 1}]));
}

#[test]
fn tables_are_those_that_are_declared() {
    for (sql, words) in [
        ("SELECT * FROM '/etc/passwd'", "no table"),
        ("SELECT * FROM 'data/demo/india/stocks.parquet'", "no table"),
        ("SELECT * FROM \"file:///etc/passwd\"", "no table"),
        ("SELECT * FROM 'https://example.com/x.csv'", "no table"),
        ("SELECT * FROM information_schema.df_settings", "no table"),
        ("SELECT * FROM datafusion.information_schema.df_settings", "no table"),
        ("SELECT * FROM stoks", "did you mean `stocks`?"),
        ("SELECT * FROM us.stoks", "did you mean `stocks`?"),
        ("SELECT * FROM shareholdings", "did you mean `shareholding`?"),
        ("SELECT * FROM sec_filings", "us has it: `us.sec_filings`"),
        ("SELECT * FROM generate_series(1, 1000000000)", "`generate_series` is no table"),
        ("SELECT * FROM range(1, 10)", "`range` is no table"),
        ("SELECT * FROM unnest([1, 2])", "`unnest` is no table"),
        ("SELECT * FROM stocks, LATERAL (SELECT 1) x", "LATERAL"),
        ("SELECT * FROM stocks TABLESAMPLE (10)", "TABLESAMPLE"),
    ] {
        let message = refusal(sql);
        assert!(message.contains(words), "{sql}: {message}");
    }
    // A common table expression cannot hide a table that is forbidden, and needs no right.
    assert_eq!(rows("WITH mine AS (SELECT 1 AS one) SELECT one FROM mine"), json!([{"one": 1}]));
}

#[test]
fn functions_and_forms_are_those_of_the_list() {
    for (sql, words) in [
        ("SELECT now()", "no function `now`"),
        ("SELECT current_date", "no function `current_date`"),
        ("SELECT random()", "no function `random`"),
        ("SELECT uuid()", "no function `uuid`"),
        ("SELECT version()", "no function `version`"),
        ("SELECT pg_sleep(10)", "no function `pg_sleep`"),
        ("SELECT repeat('x', 1000000000)", "no function `repeat`"),
        ("SELECT lpad('x', 1000000000)", "no function `lpad`"),
        ("SELECT rpad('x', 1000000000, 'y')", "no function `rpad`"),
        ("SELECT replace(symbol, '', 'xxxxxxxx') FROM stocks", "no function `replace`"),
        ("SELECT string_agg(symbol, ',') OVER (ORDER BY symbol) FROM stocks", "`string_agg` with OVER"),
        ("SELECT array_agg(symbol) FROM stocks", "no function `array_agg`"),
        ("SELECT generate_series(1, 1000000000)", "no function `generate_series`"),
        ("SELECT regexp_replace(symbol, '(a*)*', 'x') FROM stocks", "no function `regexp_replace`"),
        ("SELECT symbol FROM stocks WHERE symbol ~ '(a*)*b'", "not allowed here"),
        ("SELECT symbol FROM stocks WHERE symbol SIMILAR TO 'a'", "not allowed here"),
        ("SELECT median(rs_rating) OVER (ORDER BY symbol) FROM stocks", "`median` with OVER"),
        ("SELECT approx_distinct(sector) OVER (ORDER BY symbol) FROM stocks", "`approx_distinct` with OVER"),
        ("SELECT [1, 2, 3]", "not allowed here"),
        ("SELECT {'a': 1}", "not allowed here"),
        ("SELECT CAST(1 AS INT[])", "not allowed here"),
        ("SELECT arrow_cast(1, 'Utf8')", "no function `arrow_cast`"),
        ("SELECT 1 << 3", "not allowed here"),
        ("SELECT sector, COUNT(*) FROM stocks GROUP BY CUBE(sector, industry)", "CUBE"),
        (
            "SELECT last_value(rs_rating) IGNORE NULLS OVER (ORDER BY symbol) FROM stocks",
            "more than arguments",
        ),
        ("SELECT median2(rs_rating) FROM stocks", "did you mean `median`?"),
        ("SELECT symbol INTO x FROM stocks", "INTO"),
        ("SELECT symbol FROM stocks FOR UPDATE", "FOR UPDATE"),
        (
            "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
            "WITH RECURSIVE",
        ),
    ] {
        let message = refusal(sql);
        assert!(message.contains(words), "{sql}: {message}");
    }
    assert_eq!(
        rows("SELECT s || 'b' || upper('c') AS s FROM (SELECT 'a' || '' AS s) t"),
        json!([{"s": "abC"}])
    );
}

#[test]
fn what_is_wrong_is_named_with_what_is_near() {
    for (sql, words) in [
        ("SELECT simbol FROM stocks", "no column `simbol`; did you mean `symbol`?"),
        ("SELECT s.rs_ratings FROM stocks s", "no column `s.rs_ratings`; did you mean `rs_rating`?"),
        (
            "SELECT symbol FROM stocks a JOIN stocks b ON a.symbol = b.symbol",
            "several tables have a column `symbol`",
        ),
        (
            "SELECT a.symbol, b.symbol FROM stocks a JOIN stocks b ON a.symbol = b.symbol",
            "two columns of the answer are called `symbol`",
        ),
        ("SELECT symbol, COUNT(*) FROM stocks", "`sql`"),
        ("SELECT CAST(symbol AS INT) FROM stocks", "TRY_CAST"),
    ] {
        let message = refusal(sql);
        assert!(message.contains(words), "{sql}: {message}");
    }
}

#[test]
fn a_text_is_bounded_in_every_way_in_which_a_plan_grows() {
    let ors = vec!["rs_rating = 1"; 400].join(" OR ");
    let deep = format!("{}1{}", "(".repeat(30), ")".repeat(30));
    let crossed = (0..17).map(|at| format!("stocks t{at}")).collect::<Vec<_>>().join(", ");
    let columns = vec!["1"; 1_300].join(",");
    let unions = vec!["SELECT 1"; 320].join(" UNION ALL ");
    let doubled = (1..=8).fold("WITH c0 AS (SELECT symbol FROM screen)".to_owned(), |sql, at| {
        let from = at - 1;
        format!("{sql}, c{at} AS (SELECT a.symbol FROM c{from} a JOIN c{from} b ON a.symbol = b.symbol)")
    });
    for (sql, words) in [
        (format!("SELECT symbol FROM stocks WHERE {ors}"), "operators; at most 300"),
        (format!("SELECT {deep} AS x"), "brackets within brackets; at most 24"),
        (format!("SELECT 1 AS x FROM {crossed}"), "places at which tables are named; at most 16"),
        (format!("SELECT {columns}"), "words, numbers and signs; at most 2500"),
        (unions, "operators; at most 300"),
        (format!("{doubled} SELECT * FROM c8"), "at most"),
        (format!("SELECT {}1", "-".to_owned() + &" - ".repeat(320)), "operators"),
        (format!("SELECT {} TRUE", "NOT ".repeat(299)), "`sql`"),
    ] {
        let message = refusal(&sql);
        assert!(message.contains(words), "{}: {message}", &sql[..sql.len().min(200)]);
    }
}

#[test]
fn a_kept_set_is_asked_by_its_name_and_another_is_gone() {
    let set = SERVER.get("companies?limit=1").header("x-snapshot").to_owned();
    let sql = ("sql", "SELECT COUNT(*) AS n FROM stocks");
    let reply = ask(&[sql, ("snapshot", &set)]);
    assert_eq!((reply.status, reply.header("x-snapshot")), (200, set.as_str()), "{}", reply.message());
    assert_eq!(ask(&[sql, ("snapshot", "4711")]).status, 410);
}

/// Limits for a run, except for memory.
const AMPLE: SelectLimits = SelectLimits { time: Duration::from_mins(1), memory: 32 << 20, answer: 1 << 20 };

/// An owner whose SELECTs end processes does not end those that other owners have warmed.
#[test]
fn a_process_is_kept_for_the_owner_whose_select_it_ran() {
    let processes = SelectProcesses::new(SelectProgram {
        program: env!("CARGO_BIN_EXE_parquote").into(),
        arguments: vec!["select".to_owned()],
        inherits_environment: false,
    });
    let snapshot = SNAPSHOTS.current();
    let ask = |owner: &str, sql: &str, time: Duration| {
        let asked = UserSelect {
            sql,
            values: &[],
            market: Market::India,
            offset: 0,
            limit: 10,
            format: AnswerFormat::Json,
            may_read: &|_, _| Ok(()),
        };
        let limits = SelectLimits { time, memory: 64 << 20, answer: 1 << 20 };
        let deadline = Deadline::after(time);
        RUNTIME.block_on(processes.rows(&snapshot, &asked, &limits, deadline, owner, &Unpaid))
    };
    let (short, long) = (Duration::from_millis(1), Duration::from_mins(1));
    ask("calm", "SELECT COUNT(*) AS n FROM stocks", long).unwrap();
    let endless = "SELECT COUNT(*) AS n FROM daily_prices a, daily_prices b, daily_prices c WHERE a.close < b.close * c.close";
    ask("rough", endless, short).unwrap_err();
    ask("rough", endless, short).unwrap_err();
    ask("calm", "SELECT COUNT(*) AS n FROM stocks", long).unwrap();
    // One for each owner, and one replacement for each that was killed.
    let figures = processes.figures();
    assert_eq!((figures.started, figures.killed), (4, 2));
}

/// A function that checks the right to read a table.
type Rights<'a> = &'a (dyn Fn(Market, &str) -> Result<(), String> + Send + Sync);

/// Runs a SELECT within limits; returns the bytes of its answer, or the message of the refusal.
fn run(sql: &str, limits: &SelectLimits, may_read: Rights<'_>) -> Result<usize, String> {
    let asked = UserSelect {
        sql,
        values: &[],
        market: Market::India,
        offset: 0,
        limit: 100_000,
        format: AnswerFormat::Json,
        may_read,
    };
    let snapshot = SNAPSHOTS.current();
    let deadline = Deadline::after(Duration::from_mins(2));
    let answered = RUNTIME.block_on(SELECTS.rows(&snapshot, &asked, limits, deadline, "nobody", &Unpaid));
    answered.map(|answer| answer.body.len()).map_err(|refused| refused.to_string())
}

/// A counter of time that discards it.
struct Unpaid;

impl TimeSpent for Unpaid {
    fn add(&self, _: Duration) {}
}

/// Returns the message of a SELECT that exceeds narrow limits.
fn over(sql: &str, limits: &SelectLimits) -> String {
    run(sql, limits, &|_, _| Ok(())).unwrap_err()
}

/// Lists name what the caller may read, and a closed table is not described.
#[test]
fn lists_leave_out_what_the_caller_may_not_read() {
    let few: Rights<'_> = &|_: Market, table: &str| match table {
        "stocks" => Ok(()),
        _ => Err("closed to you".to_owned()),
    };
    let listed = |may_read: Rights<'_>| run("SHOW TABLES", &AMPLE, may_read).unwrap();
    let (one, all) = (listed(few), listed(&|_, _| Ok(())));
    assert!(one < all / 10, "{one} of {all} bytes");
    run("DESCRIBE stocks", &AMPLE, few).unwrap();
    let refused = run("DESCRIBE daily_prices", &AMPLE, few).unwrap_err();
    assert!(refused.contains("closed to you"), "{refused}");
    // The plan for one caller does not answer the same text of another.
    let open: Rights<'_> = &|_, _| Ok(());
    for (columns, condition) in [
        ("table_name FROM information_schema.tables", "table_name <> 'stocks'"),
        ("column_name FROM INFORMATION_SCHEMA.COLUMNS AS c", "c.table_name = 'daily_prices'"),
        ("table_name FROM (SELECT table_name FROM information_schema.columns)", "table_name <> 'stocks'"),
        ("symbol FROM stocks", "'daily_prices' IN (SELECT table_name FROM information_schema.tables)"),
        ("symbol FROM stocks", "(SELECT COUNT(*) FROM information_schema.tables) > 2"),
    ] {
        let nothing = run(&format!("SELECT {columns} WHERE FALSE"), &AMPLE, open).unwrap();
        let others = format!("SELECT {columns} WHERE {condition}");
        for (may_read, is_listed) in [(open, true), (few, false), (open, true)] {
            assert_eq!(run(&others, &AMPLE, may_read).unwrap() > nothing, is_listed, "{others}");
        }
    }
}

/// The plan of a SELECT is cached for its next call, but no rows or rights.
#[test]
fn a_select_that_is_asked_again_is_answered_and_checked_anew() {
    for sql in [
        "SELECT symbol, ROW_NUMBER() OVER (ORDER BY rs_rating DESC, symbol) AS place FROM stocks
         WHERE rs_rating > $1 ORDER BY place",
        "SELECT s.sector, COUNT(*) AS bars, MAX(d.close) AS most FROM stocks s JOIN daily_prices d ON d.symbol = s.symbol
         WHERE s.rs_rating > $1 GROUP BY s.sector ORDER BY bars DESC, s.sector LIMIT 5",
    ] {
        let [few, many] = ["90", "50"].map(|least| (least, rows(&sql.replace("$1", least))));
        assert_ne!(few.1, many.1);
        for (least, expected) in [&few, &many, &few, &few, &many] {
            assert_eq!(ask(&[("sql", sql), ("params", least)]).data(), *expected, "{least}: {sql}");
        }
    }
    let sql = "SELECT symbol FROM stocks ORDER BY symbol";
    let (open, closed): (Rights<'_>, Rights<'_>) = (&|_, _| Ok(()), &|_, _| Err("closed to you".to_owned()));
    let first = run(sql, &AMPLE, open);
    assert!(first.is_ok() && run(sql, &AMPLE, open) == first);
    assert_eq!(run(sql, &AMPLE, closed).unwrap_err(), "closed to you");
    assert_eq!(run(sql, &AMPLE, open), first);
}

#[test]
fn a_run_keeps_its_memory_its_answer_and_its_time() {
    let wide = "d.open, d.high, d.low, d.close, d.volume, d.symbol, s.symbol AS other, s.company_name";
    let pairs = format!("SELECT {wide} FROM daily_prices d, stocks s");
    for sql in [
        format!("{pairs} ORDER BY d.close * s.price_cmp"),
        format!("SELECT COUNT(*) AS n FROM ({pairs}) GROUP BY close, symbol, other"),
        "SELECT COUNT(DISTINCT d.close * s.price_cmp) AS n FROM daily_prices d, stocks s".to_owned(),
        format!(
            "SELECT MAX(turn + o) AS n FROM (SELECT ROW_NUMBER() OVER () AS turn, SUM(open) OVER () AS o FROM ({pairs}))"
        ),
    ] {
        let message = over(&sql, &SelectLimits { memory: 4 << 20, ..AMPLE });
        assert!(message.contains("more than 4 MiB of memory"), "{sql}: {message}");
    }
    let text = "x".repeat(3_000);
    let message = over(&format!("SELECT symbol, '{text}' AS t FROM daily_prices"), &AMPLE);
    assert!(message.contains("the answer is longer than 1048576 bytes"), "{message}");
    let began = Instant::now();
    let brief = SelectLimits { time: Duration::from_millis(300), ..AMPLE };
    let never = "SELECT COUNT(*) AS n FROM daily_prices a JOIN daily_prices b ON a.volume + b.volume < 0";
    let message = over(never, &brief);
    assert!(message.contains("longer than 300 ms"), "{message}");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}
