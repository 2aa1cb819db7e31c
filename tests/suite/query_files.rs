//! Query files that break a rule: each is refused with its file and line, and the allowed values.
//! The grammar needs no data; faults that only planning finds are tested on declared, empty tables.

use std::sync::Arc;

use parquote::engine::{QueryLimits, Snapshot};
use parquote::operation::Catalogue;

use crate::broken_data::chain;
use crate::demo_market::{LITTLE, RUNTIME, few_operations, open_with};
use crate::server::Server;

/// A correct operation; each case changes one line of it.
const SOUND: &str = r#"-- What it is.
-- tool:   mine
-- tier:   free
-- group:  Core
-- answer: list
-- param:  q     text? in 1..9       "A text." e.g. a
-- param:  side  text = a in (a, b)  "A word."
-- param:  limit int = 5 in 1..10    "Rows." e.g. 3
SELECT symbol, company_name FROM stocks WHERE ($q IS NULL OR symbol = $q) AND $side = 'a' ORDER BY symbol LIMIT $limit
"#;

/// A correct table.
const TABLE: &str = r#"-- What it is.
--
-- key:    symbol
-- sorted: symbol
-- column: symbol text
-- column: weight number ratio "A weight."
SELECT symbol, 1.0 AS weight FROM companies ORDER BY symbol
"#;

/// The replaced text, its replacement, the line in the message, and words of it.
type Change = (&'static str, &'static str, usize, &'static [&'static str]);

const OPERATIONS: [Change; 36] = [
    ("-- group:  Core", "-- group:  Core\n-- effect: eats", 5, &["`eats`", "reads, changes and removes"]),
    ("-- tier:   free", "-- tiers:  free", 3, &["`tiers`", "tool, tier, group"]),
    ("-- tier:   free", "-- tier:   gold", 3, &["`gold`", "api_pro"]),
    ("-- tier:   free\n", "", 1, &["`tier:` is missing"]),
    ("-- tool:   mine\n", "", 1, &["`tool:` is missing"]),
    ("-- group:  Core\n", "", 1, &["`group:` is missing"]),
    ("-- group:  Core", "-- group:  Core\n-- group:  Feeds", 5, &["`group` is given twice"]),
    ("-- tool:   mine", "-- tool:   Mine-All", 1, &["`Mine-All`", "a-z"]),
    (
        "-- tool:   mine",
        "-- tool:   get_rs_changes",
        1,
        &["get_rs_changes", "already", "market/rs-changes.sql"],
    ),
    ("-- tool:   mine", "-- tool:   none\n-- route:  none", 1, &["a tool or a route"]),
    ("-- tool:   mine", "-- tool:   mine\n-- route:  other", 3, &["`route:`", "none"]),
    ("-- answer: list", "-- answer: rows", 5, &["`rows`", "one, list and stocks"]),
    ("-- answer: list\n", "", 8, &["`answer:", "missing"]),
    ("-- answer: list", "-- answer: list\n-- wrap:   x = count", 10, &["`wrap:`", "stocks"]),
    ("-- answer: list", "-- answer: stocks\n-- wrap:   x = $nothing", 10, &["`nothing`", "not a param"]),
    ("-- answer: list", "-- answer: stocks\n-- wrap:   x = nothing", 6, &["`x = nothing`", "'text'"]),
    ("-- answer: list", "-- answer: stocks\n-- wrap:   x = table nothing", 1, &["`nothing`", "india"]),
    (
        "-- answer: list",
        "-- answer: stocks\n-- wrap:   x = schedule companies",
        1,
        &["`companies`", "schedule"],
    ),
    ("-- group:  Core", "-- group:  Core\n-- optional: nothing", 1, &["`nothing`", "india"]),
    ("-- group:  Core", "-- group:  Core\n-- workbook: yes", 1, &["`workbook: yes`", "`part`"]),
    ("-- group:  Core", "-- group:  Core\n-- cost: much", 5, &["`much`", "number of requests"]),
    ("-- group:  Core", "-- group:  Core\n-- free-symbols: perhaps", 5, &["`perhaps`", "yes nor no"]),
    ("AND $side = 'a'", "AND $other = 'a' AND $side = 'a'", 9, &["`$other`", "not declared"]),
    ("AND $side = 'a'", "", 7, &["`side`", "not used"]),
    ("text? in 1..9 ", "txt? in 1..9 ", 6, &["`txt`", "text, int, number"]),
    ("text? in 1..9 ", "text? in nine ", 6, &["low..high"]),
    ("text? in 1..9 ", "text? in 1..many ", 6, &["`many`"]),
    ("text? in 1..9 ", "text? between ", 6, &["`between`", "rest-only"]),
    ("text? in 1..9 ", "text? = a ", 6, &["optional", "default", "not both"]),
    ("\"A text.\" e.g. a", "", 6, &["words are missing"]),
    ("\"A text.\" e.g. a", "\"A text.\" such as a", 6, &["e.g. value"]),
    ("in 1..10    \"Rows.\" e.g. 3", "in 1..10    \"Rows.\" e.g. 30", 8, &["30", "1 to 10"]),
    ("int = 5 in 1..10", "int = 50 in 1..10", 8, &["50", "1 to 10"]),
    ("int = 5 in 1..10", "int = 5 in (a, b)", 8, &["words go with text"]),
    ("int = 5 in 1..10    \"Rows.\" e.g. 3", "int in 1..10 \"Rows.\"", 8, &["`limit` is required", "e.g."]),
    ("in (a, b)", "in (a, b", 7, &["closing bracket"]),
];

const MORE_OPERATIONS: [Change; 8] = [
    ("-- param:  side ", "-- param:  q int? \"Twice.\"\n-- param:  side ", 7, &["`q` is declared twice"]),
    ("-- answer: list", "-- answer: list\nand prose", 6, &[]),
    ("-- answer: list", "-- answer: list\n-- and prose", 6, &["key: value"]),
    ("-- answer: list", "-- when:   nothing absent\n-- answer: list", 10, &["`nothing`", "not a param"]),
    ("-- answer: list", "-- when:   q perhaps\n-- answer: list", 5, &["`q perhaps`", "param absent"]),
    ("-- What it is.\n", "", 1, &["starts with a comment"]),
    (
        "-- answer: list",
        "-- answer: list\n-- picture: bars a=b\n-- picture: none",
        7,
        &["`picture` is given twice"],
    ),
    ("text? in 1..9 ", "text?\"X.\"\n-- param: theme text? ", 7, &["every operation takes `theme`"]),
];

const TABLES: [Change; 14] = [
    ("-- key:    symbol\n", "", 1, &["`key:` is missing"]),
    ("-- key:    symbol", "-- key:    symbole", 1, &["`symbole`", "not a column"]),
    ("-- sorted: symbol", "-- sorted: sector", 1, &["`sector`", "not a column"]),
    ("-- sorted: symbol", "-- sorted: symbol\n-- keys: symbol", 5, &["`keys`", "market, key, known, sorted"]),
    ("-- sorted: symbol", "-- sorted: symbol\n-- sorted: symbol", 5, &["`sorted` is given twice"]),
    ("-- sorted: symbol", "-- sorted: symbol\n-- per: sector", 5, &["`sector`", "symbol nor session"]),
    ("-- sorted: symbol", "-- sorted: symbol\n-- split: month", 5, &["`month`", "year"]),
    ("-- sorted: symbol", "-- sorted: symbol\n-- schedule: daily", 5, &["`daily`", "five fields of cron"]),
    (
        "-- sorted: symbol",
        "-- sorted: symbol\n-- schedule: 0 18 * * 1-5\n-- schedule: 30 12 * * 1-5 india",
        6,
        &["india has two schedules"],
    ),
    ("-- sorted: symbol", "-- sorted: symbol\n-- split: year", 1, &["`session`"]),
    ("-- sorted: symbol", "-- sorted: symbol\n-- market: mars", 5, &["`mars`", "india and us"]),
    ("-- sorted: symbol", "-- sorted: symbol\n-- source: x", 1, &["`source:` or SQL"]),
    (
        "-- column: symbol text",
        "-- column: symbol text\n-- column: symbol text",
        1,
        &["`symbol` is declared twice"],
    ),
    ("ratio \"A weight.\"", "kilo \"A weight.\"", 6, &["`kilo`", "ratio"]),
];

const MORE_TABLES: [Change; 4] = [
    ("ratio \"A weight.\"", "", 6, &["`weight` has no words"]),
    ("number ratio", "decimal ratio", 6, &["`decimal`", "text, int, number"]),
    (
        "weight number ratio \"A weight.\"",
        "pe number pct \"A weight.\"",
        6,
        &["`pe`", "one name has one unit"],
    ),
    (
        "weight number ratio \"A weight.\"",
        "pe number ratio \"A weight.\"",
        6,
        &["`pe`", "one name has one meaning"],
    ),
];

fn refused(path: &str, text: &str, line: usize, words: &[&str]) -> Result<(), String> {
    let Err(error) = Catalogue::with_overlay(&[(path.to_owned(), text.to_owned())]) else {
        return Err(format!("{path} is taken:\n{text}"));
    };
    let error = error.to_string();
    let place = format!("{path}:{line}: ");
    let of_a_line =
        error.lines().any(|said| said.starts_with(&place) && words.iter().all(|word| said.contains(word)));
    if of_a_line { Ok(()) } else { Err(format!("{place}{words:?} where it says\n    {error}")) }
}

fn changed(text: &str, (from, to, line, words): Change, path: &str) -> Result<(), String> {
    assert!(text.contains(from), "{from}");
    refused(path, &text.replace(from, to), line, words)
}

#[test]
fn a_header_that_breaks_the_grammar_is_refused_at_its_line() {
    Catalogue::with_overlay(&[("api/mine.sql".to_owned(), SOUND.to_owned())]).unwrap();
    Catalogue::with_overlay(&[("tables/mine.sql".to_owned(), TABLE.to_owned())]).unwrap();
    let operations = OPERATIONS.into_iter().chain(MORE_OPERATIONS).filter(|change| !change.3.is_empty());
    let tables = TABLES.into_iter().chain(MORE_TABLES);
    let problems: Vec<String> = operations
        .map(|change| changed(SOUND, change, "api/mine.sql"))
        .chain(tables.map(|change| changed(TABLE, change, "tables/mine.sql")))
        .filter_map(Result::err)
        .collect();
    assert!(problems.is_empty(), "{} problems:\n  {}", problems.len(), problems.join("\n  "));
    refused("else/mine.sql", SOUND, 1, &["api/", "tables/"]).unwrap();
}

/// All faults of all files are reported at once, sorted by file and line.
#[test]
fn all_faults_are_said_at_once() {
    let files = [
        ("api/b.sql".to_owned(), SOUND.replace("free", "gold").replace("Core", "Core\n-- what: x")),
        ("api/a.sql".to_owned(), SOUND.replace("text? ", "txt? ")),
    ];
    let text = Catalogue::with_overlay(&files).unwrap_err().to_string();
    let places: Vec<&str> = text.lines().filter_map(|line| line.split(": ").next()).collect();
    assert_eq!(places.first(), Some(&"api/a.sql:6"), "{text}");
    assert!(places.contains(&"api/b.sql:3") && places.contains(&"api/b.sql:5"), "{text}");
    assert!(places.is_sorted(), "{text}");
}

/// Faults that only planning finds: the SQL, and words of the message.
const PLANNED: [(&str, &str, &[&str]); 8] = [
    ("SQL that is none", "SELEC symbol FROM stocks", &["api/mine.sql:"]),
    ("an unknown table", "SELECT symbol FROM nowhere", &["api/mine.sql:", "nowhere"]),
    ("an unknown column", "SELECT nothing FROM stocks", &["api/mine.sql:", "nothing"]),
    (
        "a column without words",
        "SELECT symbol, volume * 2 AS twice FROM stocks",
        &["api/mine.sql:", "`twice`", "column:"],
    ),
    ("a column without a name", "SELECT volume * 2 FROM stocks", &["api/mine.sql:", "no words"]),
    (
        "a type that no answer has",
        "SELECT INTERVAL '1 day' AS symbol FROM stocks",
        &["api/mine.sql:", "`symbol`"],
    ),
    ("a write", "COPY (SELECT symbol FROM stocks) TO '/tmp/parquote-must-not-be.csv'", &["api/mine.sql:"]),
    ("the other market's table", "SELECT symbol FROM us.stocks", &["api/mine.sql:"]),
];

/// Pictures that the planned columns do not allow: the declaration and words of the message.
const PICTURES: [(&str, &[&str]); 7] = [
    ("ranking of=symbol value=pric_cmp", &["`pric_cmp`, which the rows lack", "did you mean `price_cmp`?"]),
    ("ranking of=symbol value=session", &["`session` is date", "number"]),
    ("rankings of=symbol value=price_cmp", &["`rankings` is not a kind", "did you mean `ranking`?"]),
    ("ranking of=symbol values=price_cmp", &["`values` is not a role of ranking", "its roles are of, value"]),
    ("ranking of=symbol", &["needs `value=` (number)"]),
    ("ranking title=Mine of=symbol value=price_cmp", &["`title=Mine` is not `role=column`"]),
    ("ranking of=symbol value=price_cmp rows=symbol", &["`rows=symbol` names no column of rows"]),
];

#[test]
fn a_picture_of_columns_that_the_rows_lack_stops_the_start_at_its_line() {
    let start = |picture: &str, sql: &str| {
        let text = format!(
            "-- Mine.\n-- tool: mine\n-- tier: free\n-- group: Core\n-- answer: list\n-- picture: {picture}\n{sql}\n"
        );
        let catalogue = few_operations(&[], &[("api/mine.sql", &text)]).unwrap();
        RUNTIME.block_on(Snapshot::declared(catalogue)).map_err(|error| chain(&error))
    };
    let sql = "SELECT symbol, session, price_cmp FROM stocks";
    for (picture, words) in PICTURES {
        let Err(text) = start(picture, sql) else { panic!("it is taken: {picture}") };
        let words = words.iter().chain(&["api/mine.sql:6: `picture`: "]);
        let missing: Vec<_> = words.filter(|word| !text.contains(**word)).collect();
        assert!(missing.is_empty(), "{picture}: {text} lacks {missing:?}");
    }
    start("ranking of=symbol value=price_cmp", sql).unwrap();
    // The picture of the header applies to every SELECT below that declares none.
    let two = |second: &str| {
        format!(
            "\n-- when: q absent\n{sql}\n\n-- when: q present\n{second}SELECT symbol FROM stocks WHERE symbol = $q"
        )
    };
    let picture = "ranking of=symbol value=price_cmp\n-- param: q text? \"A symbol.\" e.g. A";
    let Err(text) = start(picture, &two("")) else { panic!("a SELECT without the column is taken") };
    assert!(text.contains("api/mine.sql:6: `picture`: role `value`"), "{text}");
    start(picture, &two("-- picture: none\n")).unwrap();
}

/// SELECTs that are accepted, or refused without naming the file, although they should be refused by name.
const PLANNED_TO_BE: [(&str, &str, &[&str]); 5] = [
    ("the clock: now()", "SELECT symbol FROM stocks WHERE session < now()", &["api/mine.sql:", "now"]),
    (
        "the clock: current_date",
        "SELECT symbol FROM stocks WHERE session < current_date()",
        &["api/mine.sql:", "current_date"],
    ),
    ("chance", "SELECT symbol FROM stocks WHERE random() < 0.5", &["api/mine.sql:", "random"]),
    ("a statement that is no SELECT", "DROP TABLE stocks", &["api/mine.sql:"]),
    (
        "two columns of one name",
        "SELECT s.symbol, c.symbol FROM stocks s JOIN companies c ON c.symbol = s.symbol",
        &["api/mine.sql:", "symbol"],
    ),
];

#[test]
fn sql_that_breaks_a_rule_is_refused_at_its_file() {
    refuse_each(&PLANNED);
}

#[test]
fn sql_that_is_no_pure_select_is_refused_at_its_file() {
    refuse_each(&PLANNED_TO_BE);
}

fn refuse_each(planned: &[(&str, &str, &[&str])]) {
    let mut problems = Vec::new();
    for (what, sql, words) in planned {
        let text =
            format!("-- Mine.\n-- tool: mine\n-- tier: free\n-- group: Core\n-- answer: list\n{sql}\n");
        let catalogue = match few_operations(&[], &[("api/mine.sql", &text)]) {
            Ok(catalogue) => catalogue,
            Err(error) if words.iter().all(|word| error.to_string().contains(word)) => continue,
            Err(error) => {
                problems.push(format!("{what}: {error}"));
                continue;
            }
        };
        match RUNTIME.block_on(Snapshot::declared(catalogue)) {
            Ok(_) => problems.push(format!("{what}: it is taken: {sql}")),
            Err(error) => {
                let text = chain(&error);
                problems.extend(
                    words
                        .iter()
                        .find(|word| !text.contains(**word))
                        .map(|word| format!("{what}: {text:?} lacks {word:?}")),
                );
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n  {}", problems.len(), problems.join("\n  "));
}

/// Rules of limits and long tables, and of derived tables.
#[test]
fn limits_long_tables_and_derived_tables_have_rules() {
    let operation = |params: &str, sql: &str| {
        (
            "api/mine.sql".to_owned(),
            format!(
                "-- Mine.\n-- tool: mine\n-- tier: free\n-- group: Core\n-- answer: list\n{params}{sql}\n"
            ),
        )
    };
    let limit = "-- param: limit int = 5 \"Rows.\"\n";
    let page = "-- param: limit int = 5 in 1..9 \"Rows.\"\n-- param: page int = 1 in 1.. \"Page.\"\n";
    let table = |text: &str| ("tables/mine.sql".to_owned(), text.to_owned());
    for (what, file, words) in [
        (
            "a limit without a largest value",
            operation(limit, "SELECT symbol FROM stocks ORDER BY symbol LIMIT $limit"),
            "1..N",
        ),
        (
            "pages of another kind",
            operation(page, "SELECT symbol FROM stocks ORDER BY symbol LIMIT $limit OFFSET $page"),
            "OFFSET ($page - 1) * $limit",
        ),
        (
            "a declared column that the SQL lacks",
            table(&TABLE.replace("1.0 AS weight", "2 AS other")),
            "`weight`",
        ),
        (
            "a column that is not declared",
            table(&TABLE.replace("1.0 AS weight", "1.0 AS weight, 2 AS other")),
            "`other`",
        ),
        ("a column of another type", table(&TABLE.replace("1.0 AS weight", "'x' AS weight")), "`weight`"),
        (
            "a view that reads itself",
            table(
                &TABLE.replace("FROM companies", "FROM mine").replace("-- sorted", "-- view: yes\n-- sorted"),
            ),
            "reads itself",
        ),
    ] {
        let (path, text) = (file.0.as_str(), file.1.as_str());
        let catalogue = few_operations(&[], &[(path, text)]).unwrap();
        match RUNTIME.block_on(Snapshot::declared(catalogue)) {
            Ok(_) => panic!("{what}: it is taken"),
            Err(error) => {
                let text = chain(&error);
                assert!(text.contains(words) && text.contains(path), "{what}: {text}");
            }
        }
    }
    let whole = operation("", "SELECT symbol, session, close FROM daily_prices ORDER BY close");
    let catalogue = few_operations(&[], &[(&whole.0, &whole.1)]).unwrap();
    let Err(error) = open_with(&catalogue, LITTLE.data.to_str().unwrap(), &QueryLimits::default()) else {
        panic!("an operation may read all of a long table");
    };
    let text = chain(&error);
    assert!(
        text.contains("api/mine.sql") && text.contains("daily_prices") && text.contains("symbol = $symbol"),
        "{text}"
    );
}

#[test]
fn an_overlay_replaces_and_adds_operations() {
    let sectors = "-- Sectors by name.\n-- tool: get_market_sectors\n-- tier: free\n-- group: Core\n-- answer: list\nSELECT sector FROM sectors ORDER BY sector\n";
    let overlay = [
        ("api/market/sectors.sql".to_owned(), sectors.to_owned()),
        ("api/mine.sql".to_owned(), SOUND.to_owned()),
    ];
    let catalogue = Arc::new(Catalogue::with_overlay(&overlay).unwrap());
    let built_in = Arc::new(Catalogue::with_overlay(&[]).unwrap());
    assert_eq!(catalogue.operations().len(), built_in.operations().len() + 1);
    assert_ne!(catalogue.fingerprint(), built_in.fingerprint());
    let snapshot = open_with(&catalogue, LITTLE.data.to_str().unwrap(), &QueryLimits::default()).unwrap();
    assert_ne!(
        snapshot.tag(),
        open_with(&built_in, LITTLE.data.to_str().unwrap(), &QueryLimits::default()).unwrap().tag()
    );
    let server = Server::start(&catalogue, snapshot);
    let row = server.get("market/sectors").data()[0].clone();
    assert_eq!(row.as_object().unwrap().len(), 1, "{row}");
    assert_eq!(server.get("mine?limit=4").data().as_array().unwrap().len(), 4);
    // The built-in file also declares the second market's operation, which is not overridden.
    assert!(catalogue.operation("us/market/sectors").is_some_and(|o| o.file == "api/market/sectors.sql"));
    let row = server.get("us/market/sectors").data()[0].clone();
    assert!(row.as_object().unwrap().len() > 1, "{row}");
    // The same for second routes and second tables; a separate file overrides the declaration in another's file.
    let routes = [
        ("api/market/rrg.sql", sectors.replace("get_market_sectors", "get_sector_rrg")),
        ("api/us/explore/breadth.sql", sectors.replace("get_market_sectors", "none")),
        ("tables/sector_growths.sql", TABLE.to_owned()),
        ("tables/us_company_profiles.sql", TABLE.to_owned()),
    ];
    let catalogue = Catalogue::with_overlay(&routes.map(|(path, text)| (path.to_owned(), text))).unwrap();
    let operation = |name: &str| catalogue.operation(name).unwrap().file.as_str();
    assert_eq!(operation("us/explore/rotation"), "api/market/rrg.sql");
    assert_eq!(operation("us/explore/breadth"), "api/us/explore/breadth.sql");
    let table = |name: &str| catalogue.tables().iter().find(|table| table.name == name).unwrap();
    assert_eq!(table("industry_growths").key, ["session", "industry"]);
    assert_eq!(table("us_company_profiles").columns.len(), 2);
    assert_eq!(catalogue.operations().len(), built_in.operations().len());
    assert_eq!(catalogue.tables().len(), built_in.tables().len());
    assert_eq!(server.get("mine?side=b").data().as_array().unwrap().len(), 0);
    assert_eq!(server.get("mine?limit=11").status, 400);
    let document = server.get("openapi.json").json();
    assert!(document["paths"]["/mine"].is_object());
}

#[test]
fn the_built_in_files_keep_every_rule() {
    let catalogue = Arc::new(Catalogue::with_overlay(&[]).unwrap());
    RUNTIME.block_on(Snapshot::declared(catalogue)).unwrap();
}
