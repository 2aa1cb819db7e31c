//! Tables that user-written files provide: the operations that need them, and their messages without them.
//!
//! The needs of an operation are read from the catalogue and the folder, not from the engine.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use parquote::operation::{Catalogue, Market, Operation, TableOrigin, USER_SUPPLIED};
use serde_json::json;

use crate::demo_market::{CATALOGUE, LITTLE, copy_folder, derive_under, first_value, open, open_whole};
use crate::server::{Server, query};
use crate::tables;

/// Returns the missing user-written tables without which the operation cannot answer.
pub(crate) fn lacking(folder: &Path, operation: &Operation) -> BTreeSet<String> {
    let mut lacking = BTreeSet::new();
    for select in &operation.selects {
        look(folder, operation.market, &select.sql, &operation.optional_tables, &mut lacking);
    }
    lacking
}

/// Collects missing tables of a SQL text. Every word that is a table's name counts, because no column has such a name.
fn look(folder: &Path, market: Market, sql: &str, optional: &[String], lacking: &mut BTreeSet<String>) {
    for word in sql.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let Some(table) = CATALOGUE.table(market, word).filter(|_| !optional.iter().any(|it| it == word))
        else {
            continue;
        };
        let file = folder.join(market.word()).join(word);
        if file.is_dir() || file.with_extension("parquet").is_file() {
            continue;
        }
        match &table.origin {
            TableOrigin::Source(source) if source == USER_SUPPLIED => {
                lacking.insert(word.to_owned());
            }
            TableOrigin::Source(_) => {}
            TableOrigin::Derived(sql) | TableOrigin::View(sql) => {
                look(folder, market, sql, &table.optional_tables, lacking);
            }
        }
    }
}

/// Returns true if a message names the tables and the files that would provide them.
pub(crate) fn says_what_to_do(message: &str, lacking: &BTreeSet<String>) -> bool {
    message.contains("among the raw files")
        && lacking.iter().all(|table| message.contains(&format!("{table}.csv")))
}

#[test]
fn operations_without_their_user_tables_say_which_and_what_to_do() {
    let copy = LITTLE.copy();
    for market in Market::ALL {
        for table in CATALOGUE.tables_in(market) {
            if table.origin == TableOrigin::Source(USER_SUPPLIED.to_owned()) {
                let file = copy.path().join(market.word()).join(format!("{}.parquet", table.name));
                let _ = fs::remove_file(file);
            }
        }
    }
    let tables = open_whole(copy.path());
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let mut unanswered = 0;
    for operation in CATALOGUE
        .operations()
        .iter()
        .filter(|operation| operation.answers_from_select() && operation.has_route)
    {
        let lacking = lacking(copy.path(), operation);
        let mut pairs = operation.example_pairs(false);
        for (_, value) in pairs.iter_mut().filter(|(name, _)| *name == "symbol") {
            *value = first_value(&tables, operation.market, "SELECT symbol FROM companies ORDER BY symbol")
                .unwrap();
        }
        let reply = server.get(&format!("{}?{}", operation.name, query(&pairs)));
        let is_refused = reply.status == 404 && reply.message().starts_with("this server lacks the table");
        assert_eq!(is_refused, !lacking.is_empty(), "{}: {}", operation.name, reply.status);
        if is_refused {
            unanswered += 1;
            assert_eq!(reply.header("retry-after"), "", "nothing comes by waiting");
            assert!(says_what_to_do(&reply.message(), &lacking), "{}: {}", operation.name, reply.message());
        }
    }
    assert!(unanswered > 10, "only {unanswered} operations miss the tables that were taken away");
}

#[test]
fn a_format_of_an_overlay_gives_rows_of_a_table() {
    const FORMAT: &str = r#"
table = "conglomerate_groups"
[columns]
group_name  = "House"
symbol      = ["Scrip", "Ticker"]
known_since = { names = ["Since"], form = "day_first" }
"#;
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_folder(&LITTLE.raw.join("india"), &raw.path().join("india"));
    let symbol = "SELECT symbol FROM companies ORDER BY symbol";
    let symbol = first_value(&open_whole(&LITTLE.data), Market::India, symbol).unwrap();
    let rows = format!("Scrip,House,Since,Note\n{symbol},House of Zebo,31/10/2019,-\n");
    fs::write(raw.path().join("india/houses_of_2026.csv"), rows).unwrap();
    let overlay = [("raw/india/houses.toml".to_owned(), FORMAT.to_owned())];
    derive_under(&Arc::new(Catalogue::with_overlay(&overlay).unwrap()), raw.path(), data.path(), None);
    let tables = open_whole(data.path());
    let of_house = |column: &str| {
        let sql = format!("SELECT {column} FROM conglomerate_groups WHERE group_name = 'House of Zebo'");
        first_value(&tables, Market::India, &sql)
    };
    assert_eq!((of_house("symbol"), of_house("known_since")), (Some(symbol), Some("2019-10-31".to_owned())));
}

/// Returns the values of a column with one text replaced.
fn with_text(rows: &RecordBatch, column: &str, old: &str, new: &str) -> RecordBatch {
    tables::replaced(rows, column, |values| {
        let values = cast(values, &DataType::Utf8).unwrap();
        let texts = values.as_string::<i32>().iter();
        Arc::new(
            texts.map(|text| text.map(|text| if text == old { new } else { text })).collect::<StringArray>(),
        )
    })
}

#[test]
fn official_files_answer_where_no_file_of_ones_own_does() {
    let copy = LITTLE.copy();
    let file = |table: &str| copy.path().join(format!("india/{table}.parquet"));
    for table in ["sector_kpis", "conglomerate_groups"] {
        fs::remove_file(file(table)).unwrap();
    }
    let whole = open_whole(copy.path());
    let value = |sql: &str| first_value(&whole, Market::India, sql).unwrap();
    // The last of the lists is renamed to a corporate group's, and stays the last.
    let index = value("SELECT index_name FROM index_lists ORDER BY index_name DESC");
    for table in ["index_members", "index_lists"] {
        tables::change(&file(table), |rows| with_text(&rows, "index_name", &index, "NIFTYXTATAGROUP"));
    }
    // Figures that a model read from documents are no file of one's own.
    let written = "openai m, prompt banking_kpis 1, document d#p1";
    tables::change(&file("banking_kpis"), |rows| {
        with_text(&rows, "source", "invented by the demo market", written)
    });
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());

    let members = format!(
        "FROM index_members WHERE index_name = '{index}' AND list_date = (SELECT MAX(list_date) FROM index_members \
         WHERE index_name = '{index}')"
    );
    let member = value(&format!("SELECT symbol {members} ORDER BY symbol"));
    let group = server.get(&format!("company/conglomerate?{}", query(&[("symbol", &member)]))).data();
    assert_eq!(
        (&group["group_name"], &group["source"]),
        (&json!("Tata Group"), &json!("members of NIFTYXTATAGROUP"))
    );
    assert_eq!(group["group_member_count"].to_string(), value(&format!("SELECT COUNT(*) {members}")));

    let bank = value("SELECT symbol FROM filed_bank_figures WHERE gnpa_pct IS NOT NULL ORDER BY symbol");
    let kpis = server.get(&format!("company/sector-kpis?{}", query(&[("symbol", &bank)]))).data();
    let filed = format!(
        "SELECT ROUND(gnpa_pct, 6) FROM filed_bank_figures WHERE symbol = '{bank}' AND gnpa_pct IS NOT NULL ORDER BY period_end DESC"
    );
    let newest = kpis.as_array().unwrap().iter().find(|row| row["kpi"] == "gnpa").unwrap();
    assert_eq!((newest["kpi_value"].to_string(), &newest["kpi_unit"]), (value(&filed), &json!("%")));
    let quarters = format!(
        "SELECT COUNT(*) FROM (SELECT period_end FROM filed_bank_figures WHERE symbol = '{bank}' UNION \
         SELECT period_end FROM banking_kpis WHERE symbol = '{bank}')"
    );
    let margins = format!("SELECT COUNT(nim_pct) FROM banking_kpis WHERE symbol = '{bank}'");
    let rows = server.get(&format!("company/banking-kpis?{}", query(&[("symbol", &bank)]))).data();
    let rows = rows.as_array().unwrap();
    let with_margin = rows.iter().filter(|row| !row["nim_pct"].is_null()).count();
    assert_eq!((rows.len().to_string(), with_margin.to_string()), (value(&quarters), value(&margins)));
}
