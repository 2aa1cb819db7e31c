//! Every SELECT that answers an operation runs as `parquote sql` prints it: its arguments as literals, without the operation.

use chrono::DateTime;
use datafusion::arrow::array::RecordBatch;
use parquote::engine::{market_sql, named_tables};
use parquote::operation::{Answer, Arguments, Market, Operation, Tier, embedded_files, with_literals};
use serde_json::Value as Json;

use crate::demo_market::{CATALOGUE, RUNTIME, SHIPPED, open_whole};
use crate::program::run;
use crate::server::NOW;

#[test]
fn a_select_runs_as_it_is_printed() {
    let snapshot = open_whole(&SHIPPED.data);
    let now = DateTime::from_timestamp(NOW, 0).unwrap();
    let (mut run, mut with_rows) = (0, 0);
    for operation in CATALOGUE.operations().iter().filter(|operation| !operation.selects.is_empty()) {
        for whole in [false, true] {
            let pairs = operation.example_pairs(whole);
            let texts = pairs.iter().map(|(name, value)| (*name, value.as_str()));
            let Ok(arguments) = Arguments::parse(operation, Tier::ApiMax, texts) else { continue };
            let Some((_, select)) = operation.select(&arguments) else { continue };
            let market = operation.market_of(&arguments);
            let sql = market_sql(&CATALOGUE, market, &select.sql).unwrap();
            let sql = with_literals(&sql, |name| arguments.get(operation, name));
            let foreign = named_tables(market, &sql).unwrap();
            let foreign: Vec<_> =
                foreign.iter().filter(|name| CATALOGUE.table(market, name).is_none()).collect();
            assert!(foreign.is_empty(), "{} names {foreign:?} of the other market\n{sql}", operation.name);
            let market = snapshot.market(market).unwrap();
            let rows = RUNTIME.block_on(market.select(&sql));
            let rows = rows.unwrap_or_else(|error| panic!("{} {pairs:?}: {error}\n{sql}", operation.name));
            let rows: usize = rows.iter().map(RecordBatch::num_rows).sum();
            run += 1;
            with_rows += usize::from(rows > 0);
            // The rows are those of the operation, where no Rust code makes others of them.
            let is_list = matches!(select.answer, Answer::List) && operation.run.is_none();
            let Some(call) = snapshot.call(operation, arguments, now).filter(|_| is_list) else { continue };
            let Ok(Some(body)) = RUNTIME.block_on(call.compute()) else { continue };
            let answered: Json = serde_json::from_slice(&body).unwrap();
            let Some(answered) = answered.as_array() else { continue };
            assert_eq!(answered.len(), rows, "{} {pairs:?}\n{sql}", operation.name);
        }
    }
    assert!(run > 250 && with_rows > 150, "{with_rows} of {run} have rows");
}

/// The text of every file is its header and SELECTs that run as they are written there, with literals in place of their slots. A SELECT with
/// other names in the second market runs in the first.
#[test]
fn the_text_of_a_file_runs_as_it_is() {
    let snapshot = open_whole(&SHIPPED.data);
    for (path, text) in embedded_files().iter().filter(|(path, _)| path.starts_with("api/")) {
        let mut rest = (*text).to_owned();
        for operation in CATALOGUE.operations().iter().filter(|operation| operation.file == *path) {
            let arguments = example(operation);
            for select in operation.selects.iter().filter(|select| text.contains(&select.sql)) {
                let sql = with_literals(&select.sql, |name| arguments.get(operation, name));
                let serves = |market: &Market| operation.serves(*market) && select.serves(*market);
                let market = snapshot.market(Market::ALL.into_iter().find(serves).unwrap()).unwrap();
                let rows = RUNTIME.block_on(market.select(&sql));
                rows.unwrap_or_else(|error| panic!("{path}: {error}\n{sql}"));
                rest = rest.replace(&select.sql, "");
            }
        }
        let is_sql = |line: &&str| !["", ";"].contains(&line.trim()) && !line.starts_with("--");
        assert_eq!(rest.lines().find(is_sql), None, "{path} has SQL that does not run as it is");
    }
}

/// Returns the arguments of an operation's longest example that is valid.
fn example(operation: &Operation) -> Arguments {
    let parsed = [true, false].map(|whole| {
        let pairs = operation.example_pairs(whole);
        Arguments::parse(operation, Tier::ApiMax, pairs.iter().map(|(name, value)| (*name, value.as_str())))
    });
    parsed.into_iter().find_map(Result::ok).unwrap()
}

#[test]
fn the_command_prints_what_can_be_given_to_query() {
    let data = SHIPPED.data.to_str().unwrap();
    let arguments = ["sql", "company/daily-prices", "symbol=BAXIPAPOWR", "limit=3"];
    let (code, sql, errors) = run(&arguments);
    assert!(code == Some(0) && sql.contains("'BAXIPAPOWR'") && sql.contains("LIMIT"), "{errors}{sql}");
    let (code, rows, errors) = run(&["query", "--data", data, &sql]);
    assert!(code == Some(0) && rows.matches("| 2026-").count() == 3, "{errors}{rows}");
    let (code, _, errors) = run(&["sql", "company/daily-prices", "limit=many"]);
    assert!(code == Some(1) && errors.contains("limit") && errors.contains("symbol"), "{errors}");
    let (code, _, errors) = run(&["sql", "company/daily-price"]);
    assert!(code == Some(1) && errors.contains("did you mean `company/daily-prices`"), "{errors}");
}
