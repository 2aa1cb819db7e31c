//! A `--queries` folder: its files add to the built-in ones or replace them, and a mistake is told with what to write.

use std::path::Path;
use std::process::Stdio;

use crate::command_line::{fails, little};
use crate::demo_market::SHIPPED;
use crate::program::{command, run};

#[test]
fn query_files_are_laid_over_the_built_in_ones() {
    let overlay = tempfile::tempdir().unwrap();
    let folder = overlay.path().join("api/market");
    std::fs::create_dir_all(&folder).unwrap();
    let text = "-- Sectors by name.\n-- tool: get_market_sectors\n-- tier: free\n-- group: Core\n-- answer: list\nSELECT sector FROM sectors ORDER BY sector\n";
    std::fs::write(folder.join("sectors.sql"), text).unwrap();
    std::fs::write(folder.join("mine.sql"), text.replace("get_market_sectors", "mine")).unwrap();
    let queries = overlay.path().to_str().unwrap();
    for name in ["market/sectors", "market/mine"] {
        let (code, text, errors) = run(&["query", "--queries", queries, "--data", little(), name]);
        assert_eq!(code, Some(0), "{errors}");
        assert!(!text.contains("stock_count"));
    }
    std::fs::write(folder.join("mine.sql"), "-- Mine.\n-- tool: mine\n-- tear: free\nSELECT 1\n").unwrap();
    fails(&["check", "--queries", queries, "--data", little()], 1, &["api/market/mine.sql:3", "`tear`"]);
    let nothing = Path::new("/nothing/here").to_str().unwrap();
    fails(&["check", "--queries", nothing, "--data", little()], 1, &["/nothing/here"]);
}

/// All omissions of a user-written operation are reported at once, with the lines to add; adding these lines is enough.
#[test]
fn a_new_operation_works_at_the_second_try() {
    let overlay = tempfile::tempdir().unwrap();
    let file = overlay.path().join("api/market/quiet.sql");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let sql = "SELECT symbol, abs(change_pct) AS move_size, close_to_high\nFROM (SELECT symbol, change_pct, \
               price_cmp / wk52_high AS close_to_high, session FROM stocks WHERE symbol <> $but)\nWHERE session >= $since\n\
               ORDER BY move_size, symbol\n";
    let header =
        "-- Stocks that hardly moved.\n--\n-- param: since date\n-- param: but text \"Not this one.\"\n";
    std::fs::write(&file, format!("{header}{sql}")).unwrap();
    let queries = overlay.path().to_str().unwrap();
    let (code, _, told) = run(&["check", "--queries", queries, "--data", little()]);
    assert_eq!(code, Some(1));
    // The suggested lines, replacing those that they complete.
    let quoted = told.split('`').filter(|part| part.starts_with("-- column: "));
    let lines: Vec<&str> =
        told.lines().map(str::trim).filter(|line| line.starts_with("-- ")).chain(quoted).collect();
    let names = ["since", "but"];
    let is_old = |line: &str| names.iter().any(|name| line.starts_with(&format!("-- param: {name}")));
    let kept: Vec<&str> = header.lines().filter(|line| !is_old(line)).chain(lines.iter().copied()).collect();
    std::fs::write(&file, format!("{}\n{sql}", kept.join("\n"))).unwrap();
    let (code, text, errors) = run(&["check", "--queries", queries, "--contract-only", "--data", little()]);
    assert_eq!(code, Some(0), "{told}\n{text}{errors}\n{}", std::fs::read_to_string(&file).unwrap());
    let asked = [
        "query",
        "--queries",
        queries,
        "--data",
        little(),
        "market/quiet",
        "since=2026-10-30",
        "but=BAXIPAPOWR",
    ];
    let (code, text, errors) = run(&asked);
    assert!(code == Some(0) && text.contains("move_size"), "{text}{errors}");
}

/// Operations of one file share its SELECT: a param of another one is null, a table of the other market is empty, and a column can be omitted.
#[test]
fn operations_of_a_file_share_its_select() {
    let overlay = tempfile::tempdir().unwrap();
    let file = overlay.path().join("api/market/mine.sql");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = "-- Mine.\n-- tool: mine\n-- tier: free\n-- group: Core\n-- answer: list\n-- also: explore/mine\n\
        -- own-param: symbol text \"Symbol.\" e.g. BAXIPAPOWR\n-- own-omit: accession\n-- explore-tool: none\n\
        -- explore-param: limit int = 2 in 1..9 \"Rows.\" e.g. 4\n\
        SELECT c.symbol, f.accession FROM companies c LEFT JOIN sec_filings f ON f.symbol = c.symbol\n\
        WHERE ($symbol IS NULL OR c.symbol = $symbol) ORDER BY c.symbol LIMIT COALESCE($limit, 7)\n";
    std::fs::write(&file, text).unwrap();
    let queries = overlay.path().to_str().unwrap();
    let answer = |call: &[&str]| {
        let options = ["query", "--queries", queries, "--data", SHIPPED.data.to_str().unwrap()];
        let (code, text, errors) = run(&[options.as_slice(), call].concat());
        assert_eq!(code, Some(0), "{errors}");
        (text.contains("accession"), text.matches("\"symbol\"").count())
    };
    assert_eq!(answer(&["market/mine", "symbol=BAXIPAPOWR"]), (false, 1));
    assert_eq!(answer(&["explore/mine", "limit=4"]), (true, 4));
    std::fs::write(&file, text.replace("own-omit: accession", "own-omit: nothing")).unwrap();
    fails(
        &["check", "--queries", queries, "--data", little()],
        1,
        &["api/market/mine.sql:", "`omit: nothing`"],
    );
}

/// A server does not start without a market because of one user-written operation: it says what is wrong with it.
#[test]
fn an_operation_whose_sql_does_not_plan_stops_the_start_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my/api/market/quiet.sql");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let sql = "-- Quiet stocks.\n--\n-- tool: get_quiet\n-- tier: free\n-- group: Market Intel\n-- answer: list\n\
               SELECT symbol, nope(change_pct) AS change_pct FROM stocks ORDER BY symbol\n";
    std::fs::write(&file, sql).unwrap();
    let (queries, data) = (folder.path().join("my"), SHIPPED.data.to_str().unwrap());
    for program in ["serve", "mcp"] {
        let mut command = command(&[program, "--queries", queries.to_str().unwrap(), "--data", data]);
        let output = command.current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{program}: {errors}");
        assert!(errors.contains("market/quiet") && errors.contains("nope"), "{program}: {errors}");
    }
}
