//! The door for clients of Postgres, asked by a client of Postgres: what is answered, in which types, and under which rules. One server
//! answers all of it. What a connection may do to the server stands in `connections`.

mod connections;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use parquote::access::Secret;
use parquote::operation::Tier;
use parquote::state::NewKey;
use parquote::surface::http::HttpSettings;
use parquote::surface::postgres::{ClientBounds, PostgresDoor, Times};
use parquote::surface::tls::Tls;
use tokio::net::TcpListener;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Config, Error, NoTls, SimpleQueryMessage};

use super::fixture::{Fixture, UNKNOWN, new};
use crate::demo_market::RUNTIME;
use crate::server::query;

/// The server, its keys, and where its doors are: one as it is, one with much room and little patience.
struct Served {
    fixture: Mutex<Fixture>,
    free: Secret,
    pro: Secret,
    max: Secret,
    poor: Secret,
    door: SocketAddr,
    hasty: SocketAddr,
}

static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let made = [Tier::Free, Tier::ApiPro, Tier::ApiMax, Tier::ApiMax].map(new);
    let [(free, free_row), (pro, pro_row), (max, max_row), (poor, poor_row)] = made;
    let poor_row = NewKey { quota_hour: Some(28), quota_day: Some(28), ..poor_row };
    let fixture = Fixture::with(&[&free_row, &pro_row, &max_row, &poor_row], 1_000, HttpSettings::default());
    let door = opened(&fixture, None, ClientBounds::default(), Times::default());
    let short = Duration::from_millis(300);
    let bounds = ClientBounds { per_address: 200, per_key: 100, ..ClientBounds::default() };
    let hasty = opened(&fixture, None, bounds, Times { start: short, stalled: short, idle: short });
    Served { fixture: Mutex::new(fixture), free, pro, max, poor, door, hasty }
});

fn opened(fixture: &Fixture, tls: Option<Tls>, bounds: ClientBounds, times: Times) -> SocketAddr {
    opened_at(Ipv4Addr::LOCALHOST.into(), PostgresDoor::new(Arc::clone(&fixture.service), tls, bounds, times))
}

/// Opens a door at an address of this machine.
fn opened_at(address: IpAddr, door: PostgresDoor) -> SocketAddr {
    let listener = RUNTIME.block_on(TcpListener::bind((address, 0))).unwrap();
    let address = listener.local_addr().unwrap();
    RUNTIME.spawn(door.serve(listener, std::future::pending()));
    address
}

/// Waits for something that is asked of the server, which cannot be started while something is waited for.
fn asked<F: Future>(what: F) -> F::Output {
    LazyLock::force(&SERVED);
    RUNTIME.block_on(what)
}

async fn connected(address: SocketAddr, password: &str, database: &str) -> Result<Client, Error> {
    let mut config = Config::new();
    config
        .host(address.ip().to_string())
        .port(address.port())
        .user("anyone")
        .password(password)
        .dbname(database);
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Does something with a connection of the key for everything.
fn with<F: Future>(ask: impl FnOnce(Client) -> F) -> F::Output {
    asked(async { ask(connected(SERVED.door, SERVED.max.reveal(), "india").await.unwrap()).await })
}

fn state(error: &Error) -> (String, String) {
    let error = error.as_db_error().unwrap_or_else(|| panic!("{error}"));
    (error.code().code().to_owned(), error.message().to_owned())
}

#[test]
fn a_select_has_the_rows_of_rest() {
    const SQL: &str = "SELECT symbol, company_name, price_cmp, rs_rating, session FROM stocks WHERE rs_rating >= 90 ORDER BY symbol LIMIT 20";
    let rest =
        SERVED.fixture.lock().unwrap().get(&SERVED.max, &format!("query?{}", query(&[("sql", SQL)]))).json();
    let rest = rest["data"].as_array().unwrap();
    assert_eq!(rest.len(), 20);
    let rows = with(async |client| client.query(SQL, &[]).await.unwrap());
    assert_eq!(rows.len(), rest.len());
    let types: Vec<&Type> = rows[0].columns().iter().map(tokio_postgres::Column::type_).collect();
    assert_eq!(types[..3], [&Type::TEXT, &Type::TEXT, &Type::FLOAT8]);
    assert_eq!(types[4], &Type::DATE);
    for (row, expected) in rows.iter().zip(rest) {
        assert_eq!(row.get::<_, &str>("symbol"), expected["symbol"]);
        assert_eq!(row.get::<_, Option<&str>>("company_name"), expected["company_name"].as_str());
        assert_eq!(row.get::<_, Option<f64>>("price_cmp"), expected["price_cmp"].as_f64());
    }
    let texts = with(async |client| client.simple_query(SQL).await.unwrap());
    let texts: Vec<(String, String)> = texts
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => {
                Some((row.get("symbol").unwrap().to_owned(), row.get("session").unwrap().to_owned()))
            }
            _ => None,
        })
        .collect();
    let expected: Vec<(String, String)> = rest
        .iter()
        .map(|row| (row["symbol"].as_str().unwrap().to_owned(), row["session"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(texts, expected);
}

#[test]
fn values_are_bound_and_never_become_text() {
    with(async |client| {
        let sql = "SELECT symbol, price_cmp FROM stocks WHERE symbol = $1 AND price_cmp > $2";
        let prepared = client.prepare(sql).await.unwrap();
        assert_eq!(prepared.params(), [Type::TEXT, Type::FLOAT8]);
        let first = client.query_one("SELECT MIN(symbol) AS symbol FROM stocks", &[]).await.unwrap();
        let symbol: &str = first.get(0);
        for _ in 0..2 {
            let row = client.query_one(&prepared, &[&symbol, &0.0_f64]).await.unwrap();
            assert_eq!(row.get::<_, &str>(0), symbol);
        }
        let none = client.query(&prepared, &[&"x' OR 1 = 1 --", &0.0_f64]).await.unwrap();
        assert!(none.is_empty());
        let null = client.query(&prepared, &[&None::<&str>, &0.0_f64]).await.unwrap();
        assert!(null.is_empty());
        // Lists, flags and whole numbers have types of their own.
        let counted =
            client.query_one("SELECT COUNT(*) AS n, COUNT(*) > 1 AS many FROM stocks", &[]).await.unwrap();
        assert!(counted.get::<_, i64>("n") > 1 && counted.get::<_, bool>("many"));
    });
}

#[test]
fn the_database_is_the_market() {
    const SQL: &str = "SELECT MIN(symbol) AS symbol FROM stocks";
    let first = |database: &'static str, sql: &'static str| {
        asked(async {
            let client = connected(SERVED.door, SERVED.max.reveal(), database).await.unwrap();
            client.query_one(sql, &[]).await.unwrap().get::<_, String>(0)
        })
    };
    assert_eq!(first("us", SQL), first("india", "SELECT MIN(symbol) AS symbol FROM us.stocks"));
    assert_ne!(first("us", SQL), first("india", SQL));
    assert_eq!(first("us", "SELECT current_schema()"), "us");
    let refused = asked(connected(SERVED.door, SERVED.max.reveal(), "nasdaq")).unwrap_err();
    let (code, message) = state(&refused);
    assert!(code == "3D000" && message.contains("`india` and `us`"), "{code}: {message}");
}

#[test]
fn who_has_no_key_is_told_what_to_do() {
    let refused = |password: &str| state(&asked(connected(SERVED.door, password, "india")).unwrap_err());
    for password in [UNKNOWN, "secret"] {
        let (code, message) = refused(password);
        assert!(
            code == SqlState::INVALID_PASSWORD.code() && message.contains("API key"),
            "{code}: {message}"
        );
    }
    let of_free = asked(async {
        let client = connected(SERVED.door, SERVED.free.reveal(), "india").await.unwrap();
        client.query("SELECT symbol FROM stocks", &[]).await.unwrap_err()
    });
    let (code, message) = state(&of_free);
    assert!(code == "42501" && message.contains("api_pro"), "{code}: {message}");
}

#[test]
fn what_is_wrong_has_the_code_of_sql_and_the_words_of_rest() {
    for (sql, code, words) in [
        ("SELECT symbl FROM stocks", "42703", "did you mean `symbol`?"),
        ("SELECT symbol FROM stoks", "42P01", "did you mean `stocks`?"),
        ("SELECT symbol FROM stocks WHERE", "42601", ""),
        ("SELECT read_file('x') FROM stocks", "42883", "read_file"),
        ("INSERT INTO stocks VALUES (1)", "25006", "never changed"),
        ("DROP TABLE stocks", "25006", "never changed"),
        ("EXPLAIN SELECT 1", "0A000", "EXPLAIN"),
        ("SELECT * FROM pg_sleep(10)", "0A000", ""),
        ("SELECT pg_sleep(10)", "42883", "pg_sleep"),
        ("SELECT pg_read_file('/etc/passwd')", "42883", ""),
        ("COPY stocks FROM STDIN", "0A000", "COPY"),
        ("SHOW nothing", "42704", "nothing"),
    ] {
        let ended = with(async |client| client.simple_query(sql).await);
        if sql.contains("FROM pg_sleep") {
            // A function that makes rows is none of the catalogue, which finds nothing.
            assert!(
                ended.is_ok_and(|rows| rows.iter().all(|row| !matches!(row, SimpleQueryMessage::Row(_))))
            );
            continue;
        }
        let (found, message) = state(&ended.unwrap_err());
        assert!(found == code && message.contains(words), "{sql}: {found}: {message}");
    }
    let long = format!("SELECT '{}' AS x FROM stocks", "x".repeat(17 << 10));
    let (code, message) = state(&with(async |client| client.simple_query(&long).await.unwrap_err()));
    assert!(code == "54001" || message.contains("16384"), "{code}: {message}");
}

#[test]
fn a_refusal_ends_no_connection_but_a_transaction() {
    with(async |client| {
        client.batch_execute("BEGIN; SELECT 1").await.unwrap();
        assert_eq!(state(&client.simple_query("SELECT x FROM stocks").await.unwrap_err()).0, "42703");
        assert_eq!(state(&client.simple_query("SELECT 1").await.unwrap_err()).0, "25P02");
        client.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(client.query_one("SELECT 1", &[]).await.unwrap().get::<_, i32>(0), 1);
        assert!(client.query("SELECT x FROM stocks", &[]).await.is_err());
        assert!(client.query("SELECT symbol FROM stocks LIMIT 1", &[]).await.is_ok());
        client.batch_execute("SET application_name = 'x'; DISCARD ALL; ; RESET ALL").await.unwrap();
    });
}

#[test]
fn rows_come_in_parts_where_a_client_asks_for_parts() {
    with(async |mut client| {
        let transaction = client.transaction().await.unwrap();
        let sql = "SELECT symbol FROM stocks ORDER BY symbol LIMIT 10";
        let portal = transaction.bind(sql, &[]).await.unwrap();
        let mut symbols = Vec::new();
        for expected in [4, 4, 2, 0] {
            let rows = transaction.query_portal(&portal, 4).await.unwrap();
            assert_eq!(rows.len(), expected);
            symbols.extend(rows.iter().map(|row| row.get::<_, String>(0)));
        }
        let mut sorted = symbols.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted, symbols);
        transaction.commit().await.unwrap();
    });
}

#[test]
fn the_catalogue_lists_what_the_key_may_read() {
    let listed = |key: &Secret| {
        asked(async {
            let client = connected(SERVED.door, key.reveal(), "india").await.unwrap();
            let sql =
                "SELECT table_schema || '.' || table_name AS name FROM information_schema.tables ORDER BY 1";
            let rows = client.query(sql, &[]).await.unwrap();
            rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>()
        })
    };
    let (pro, max, free) = (listed(&SERVED.pro), listed(&SERVED.max), listed(&SERVED.free));
    assert!(max.contains(&"us.full_reports".to_owned()) && !pro.contains(&"us.full_reports".to_owned()));
    assert!(pro.contains(&"india.stocks".to_owned()) && free.len() < pro.len() && pro.len() < max.len());
    // Each is there, with these columns.
    with(async |client| {
        let sql = "SELECT c.relname, (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid) FROM pg_class c \
                   JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND pg_table_is_visible(c.oid)";
        let tables = client.query(sql, &[&"india"]).await.unwrap();
        assert!(tables.len() > 20);
        let of_stocks = tables.iter().find(|row| row.get::<_, &str>(0) == "stocks").unwrap();
        let columns: Vec<String> = {
            let prepared = client.prepare("SELECT * FROM stocks").await.unwrap();
            prepared.columns().iter().map(|column| column.name().to_owned()).collect()
        };
        assert_eq!(of_stocks.get::<_, i64>(1), i64::try_from(columns.len()).unwrap());
        let sql = "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, col_description(a.attrelid, a.attnum) \
                   FROM pg_catalog.pg_attribute a WHERE a.attrelid = 'stocks'::regclass ORDER BY a.attnum";
        let described = client.query(sql, &[]).await.unwrap();
        let names: Vec<&str> = described.iter().map(|row| row.get(0)).collect();
        assert_eq!(names, columns);
        let symbol = described.iter().find(|row| row.get::<_, &str>(0) == "symbol").unwrap();
        assert_eq!((symbol.get::<_, &str>(1), symbol.get::<_, bool>(2)), ("text", true));
        assert!(!symbol.get::<_, &str>(3).is_empty());
    });
}

#[test]
fn a_select_costs_what_it_costs_elsewhere_and_the_catalogue_nothing() {
    asked(async {
        let client = connected(SERVED.door, SERVED.poor.reveal(), "india").await.unwrap();
        for _ in 0..10 {
            client.query("SELECT count(*) FROM pg_class", &[]).await.unwrap();
        }
        // 28 requests; one SELECT takes one, and 25 must be left for what it may take of the processor.
        let mut answered = 0;
        let refused = loop {
            match client.query("SELECT symbol FROM stocks ORDER BY symbol LIMIT 1", &[]).await {
                Ok(_) => answered += 1,
                Err(refused) => break refused,
            }
        };
        assert!((1..=3).contains(&answered), "{answered}");
        let (code, message) = state(&refused);
        assert!(code == "53400" && message.contains("starts again at"), "{code}: {message}");
        assert!(client.query("SELECT 1", &[]).await.is_ok());
    });
}

#[test]
fn a_key_that_is_revoked_ends_at_the_next_statement() {
    let (secret, row) = new(Tier::ApiMax);
    let fixture = Fixture::of(&NewKey { expires_at: Some(super::fixture::NOON + 60), ..row });
    let door = opened(&fixture, None, ClientBounds::default(), Times::default());
    asked(async {
        let client = connected(door, secret.reveal(), "india").await.unwrap();
        assert!(client.query("SELECT 1", &[]).await.is_ok());
        fixture.at(super::fixture::NOON + 61);
        let (code, message) = state(&client.query("SELECT 1", &[]).await.unwrap_err());
        assert!(code == "28P01" && message.contains("expired"), "{code}: {message}");
        assert!(client.query("SELECT 1", &[]).await.is_err());
        assert!(client.is_closed());
    });
}

#[test]
fn a_copy_has_all_rows() {
    use futures::StreamExt as _;
    let copied = |form: &'static str| {
        with(async move |client| {
            let sql = format!(
                "COPY (SELECT symbol, price_cmp FROM stocks ORDER BY symbol LIMIT 3) TO STDOUT (FORMAT {form})"
            );
            let parts: Vec<_> = client.copy_out(&sql).await.unwrap().collect().await;
            parts.into_iter().flat_map(|part| part.unwrap().to_vec()).collect::<Vec<u8>>()
        })
    };
    let csv = String::from_utf8(copied("csv")).unwrap();
    assert!(csv.lines().count() == 3 && csv.lines().all(|line| line.split(',').count() == 2), "{csv}");
    let binary = copied("binary");
    assert!(binary.starts_with(b"PGCOPY\n\xff\r\n\0") && binary.ends_with(&[0xff, 0xff]));
}

#[test]
fn a_statement_is_cancelled_by_its_own_client_alone() {
    const SLOW: &str =
        "SELECT COUNT(*) AS n FROM daily_prices a JOIN daily_prices b ON a.volume + b.volume < 0";
    with(async |client| {
        let token = client.cancel_token();
        let asked = tokio::spawn(async move { (client.query(SLOW, &[]).await.map(|_| ()), client) });
        // It is cancelled once it runs; before that a cancellation comes to nothing.
        let cancelling = tokio::spawn(async move {
            loop {
                token.cancel_query(NoTls).await.unwrap();
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let (ended, client) = asked.await.unwrap();
        cancelling.abort();
        let (code, message) = state(&ended.unwrap_err());
        assert!(code == "57014" && message.contains("cancelled"), "{code}: {message}");
        let _ = cancelling.await;
        // A cancellation that was under way may still come.
        let mut ended = client.query("SELECT 1", &[]).await;
        for _ in 0..100 {
            if ended.is_ok() {
                break;
            }
            ended = client.query("SELECT 1", &[]).await;
        }
        assert!(ended.is_ok());
    });
}
