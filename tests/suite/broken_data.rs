//! Broken files: a snapshot of them is refused with the file and the column, and never panics;
//! a missing file leaves all other operations working.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use parquote::engine::{EngineError, QueryLimits, Snapshot, vet};
use parquote::operation::{Catalogue, Market};
use parquote::set::StoredFile;

use crate::demo_market::{CATALOGUE, LITTLE, few_operations, open, open_with};
use crate::server::{LITTLE_SERVER, Server};
use crate::tables::{change, nulled, picked, read, replaced, retyped, twice, without, write};

/// The operations under test, which read every table that is broken.
static OPERATIONS: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
    let names = [
        "companies",
        "company/daily-prices",
        "company/momentum",
        "market/breadth",
        "market/index-constituents",
        "market/momentum",
        "market/sectors",
        "market/top-movers",
        "status",
    ];
    few_operations(&names, &[]).unwrap()
});

/// Opens the tables of these operations.
fn served(data: &Path) -> Result<Snapshot, EngineError> {
    open_with(&OPERATIONS, data.to_str().unwrap(), &QueryLimits::default())
}

/// Returns an error with its chain of sources.
pub(crate) fn chain(error: &EngineError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let _ = write!(text, ": {inner}");
        cause = inner.source();
    }
    text
}

fn refused(what: &str, opened: Result<Snapshot, EngineError>, parts: &[&str]) -> Result<(), String> {
    match opened {
        Ok(_) => Err(format!("{what}: it is served all the same")),
        Err(error) => {
            let text = chain(&error);
            match parts.iter().find(|part| !text.contains(*part)) {
                None => Ok(()),
                Some(part) => Err(format!("{what}: {text:?} lacks {part:?}")),
            }
        }
    }
}

type Break = fn(&Path);

/// Breaks of a market, each with words of the refusal.
const BREAKS: [(&str, Break, &[&str]); 19] = [
    ("a small file cut short", |m| cut(&m.join("companies.parquet")), &["companies.parquet"]),
    (
        "a long file cut short",
        |m| cut(&m.join("daily_prices/2026.parquet")),
        &["daily_prices", "2026.parquet"],
    ),
    (
        "a text under the name of a table",
        |m| fs::write(m.join("stocks.parquet"), "a,b\n1,2\n").unwrap(),
        &["stocks.parquet"],
    ),
    ("an empty file", |m| fs::write(m.join("stocks.parquet"), "").unwrap(), &["stocks.parquet"]),
    (
        "an empty long file",
        |m| fs::write(m.join("daily_prices/2027.parquet"), "").unwrap(),
        &["2027.parquet"],
    ),
    (
        "a missing column",
        |m| change(&m.join("stocks.parquet"), |rows| without(&rows, "price_cmp")),
        &["stocks.parquet", "`price_cmp`", "missing"],
    ),
    (
        "a missing column of a long file",
        |m| change(&m.join("daily_prices/2026.parquet"), |rows| without(&rows, "close")),
        &["2026.parquet", "`close`", "missing"],
    ),
    (
        "two columns of one name",
        |m| change(&m.join("stocks.parquet"), |rows| twice(&rows, "price_cmp", "price_cmp")),
        &["stocks.parquet", "`price_cmp`", "more than once"],
    ),
    (
        "two columns of one name in other letters",
        |m| {
            change(&m.join("stocks.parquet"), |rows| {
                without(
                    &twice(&twice(&rows, "rs_rating", "RS_Rating"), "rs_rating", "RS_rating"),
                    "rs_rating",
                )
            });
        },
        &["stocks.parquet", "`rs_rating`", "more than once"],
    ),
    (
        "a column of another type",
        |m| change(&m.join("stocks.parquet"), |rows| retyped(&rows, "price_cmp", &DataType::Utf8)),
        &["stocks.parquet", "`price_cmp`", "number"],
    ),
    (
        "a long file's column of another type",
        |m| change(&m.join("daily_prices/2026.parquet"), |rows| retyped(&rows, "session", &DataType::Utf8)),
        &["2026.parquet", "`session`", "date"],
    ),
    (
        "nulls where none are declared",
        |m| {
            change(&m.join("stocks.parquet"), |rows| {
                replaced(&rows, "price_cmp", |values| nulled(values, &[1, 3]))
            });
        },
        &["stocks.parquet", "price_cmp", "null"],
    ),
    (
        "null keys",
        |m| {
            change(&m.join("daily_prices/2026.parquet"), |rows| {
                replaced(&rows, "symbol", |values| nulled(values, &[5]))
            });
        },
        &["2026.parquet", "symbol", "null"],
    ),
    (
        "a repeated key",
        |m| change(&m.join("companies.parquet"), |rows| picked(&rows, [0, 1, 2, 2, 3])),
        &["india.companies", "symbol"],
    ),
    (
        "a repeated key of a long file",
        |m| {
            change(&m.join("daily_prices/2026.parquet"), |rows| {
                picked(&rows, (0..rows.num_rows()).chain([rows.num_rows() - 1]))
            });
        },
        &["2026.parquet", "repeated"],
    ),
    (
        "a long file out of order",
        |m| change(&m.join("daily_prices/2026.parquet"), |rows| picked(&rows, (0..rows.num_rows()).rev())),
        &["2026.parquet", "out of order"],
    ),
    (
        "sessions out of order within a symbol",
        |m| {
            change(&m.join("daily_prices/2026.parquet"), |rows| {
                picked(&rows, [1, 0].into_iter().chain(2..rows.num_rows()))
            });
        },
        &["2026.parquet", "out of order"],
    ),
    (
        "years that overlap",
        |m| {
            fs::copy(m.join("daily_prices/2026.parquet"), m.join("daily_prices/2027.parquet")).unwrap();
        },
        &["overlap"],
    ),
    (
        "a folder under the name of a file",
        |m| {
            fs::remove_file(m.join("stocks.parquet")).unwrap();
            fs::create_dir_all(m.join("stocks/x.parquet")).unwrap();
        },
        &["x.parquet"],
    ),
];

/// Breaks that are known to be missed, or reported without the right name.
const BREAKS_TO_BE_FOUND: [(&str, Break, &[&str]); 2] = [
    (
        "nulls in a long file where none are declared",
        |m| {
            change(&m.join("daily_prices/2026.parquet"), |rows| {
                replaced(&rows, "close", |values| nulled(values, &[1, 3]))
            });
        },
        &["daily_prices", "`close`", "nulls"],
    ),
    (
        "years that overlap",
        |m| {
            fs::copy(m.join("daily_prices/2026.parquet"), m.join("daily_prices/2027.parquet")).unwrap();
        },
        &["daily_prices", "overlap"],
    ),
];

fn cut(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() * 2 / 3]).unwrap();
}

#[test]
fn broken_files_are_refused_by_name() {
    refuse_each(&BREAKS);
}

#[test]
fn broken_long_files_are_refused_by_name() {
    refuse_each(&BREAKS_TO_BE_FOUND);
}

fn refuse_each(breaks: &[(&str, Break, &[&str])]) {
    let mut problems = Vec::new();
    for (what, break_it, parts) in breaks {
        let copy = LITTLE.copy();
        break_it(&copy.path().join("india"));
        problems.extend(refused(what, served(copy.path()), parts).err());
    }
    assert!(problems.is_empty(), "{} problems:\n  {}", problems.len(), problems.join("\n  "));
}

#[test]
fn all_that_is_broken_is_said_at_once() {
    let copy = LITTLE.copy();
    let market = copy.path().join("india");
    cut(&market.join("companies.parquet"));
    change(&market.join("stocks.parquet"), |rows| without(&without(&rows, "price_cmp"), "volume"));
    refused("two files", served(copy.path()), &["companies.parquet", "`price_cmp`", "`volume`"]).unwrap();
}

/// The pages of a long file are read at request time; their faults are found then.
#[test]
fn a_page_that_is_garbage_is_an_error_and_no_answer() {
    let copy = LITTLE.copy();
    let path = copy.path().join("india/daily_prices/2026.parquet");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 8..bytes.len() / 2;
    for byte in &mut bytes[middle] {
        *byte ^= 0x5a;
    }
    fs::write(&path, bytes).unwrap();
    let Ok(snapshot) = served(copy.path()) else { return };
    let symbols = read(&copy.path().join("india/companies.parquet"));
    let server = Server::start(&OPERATIONS, snapshot);
    for row in 0..symbols.num_rows() {
        let symbol = datafusion::arrow::util::display::array_value_to_string(symbols.column(0), row).unwrap();
        let status = server.get(&format!("company/daily-prices?symbol={symbol}")).status;
        assert!(matches!(status, 200 | 500 | 503), "{symbol}: {status}");
    }
    assert_eq!(server.get("market/breadth").status, 200);
}

#[test]
fn a_column_may_be_written_in_any_type_that_holds_it() {
    let answers = |data: &Path| -> Vec<Vec<u8>> {
        let server = Server::start(&OPERATIONS, served(data).unwrap());
        let paths =
            ["companies", "market/momentum", "market/top-movers?limit=5", "market/breadth", "market/sectors"];
        paths.iter().map(|path| server.get(path).json()["data"].to_string().into_bytes()).collect()
    };
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let copy = LITTLE.copy();
    let market = copy.path().join("india");
    change(&market.join("stocks.parquet"), |rows| {
        let rows = retyped(&rows, "symbol", &DataType::LargeUtf8);
        let rows = retyped(&rows, "sector", &dictionary);
        let rows = retyped(&rows, "rs_rating", &DataType::Int16);
        let rows = retyped(&rows, "volume", &DataType::UInt64);
        retyped(&rows, "session", &DataType::Date64)
    });
    change(&market.join("breadth.parquet"), |rows| {
        retyped(&rows, "session", &DataType::Timestamp(TimeUnit::Microsecond, None))
    });
    change(&market.join("session_prices/2026.parquet"), |rows| {
        let rows = retyped(&rows, "symbol", &dictionary);
        retyped(&rows, "session", &DataType::Timestamp(TimeUnit::Millisecond, None))
    });
    let (plain, retyped) = (answers(&LITTLE.data), answers(copy.path()));
    for (plain, retyped) in plain.iter().zip(&retyped) {
        assert_eq!(String::from_utf8_lossy(plain), String::from_utf8_lossy(retyped));
    }
}

#[test]
fn columns_and_tables_that_nobody_declared_do_not_matter() {
    let copy = LITTLE.copy();
    let market = copy.path().join("india");
    fs::write(market.join("notes.txt"), "nothing").unwrap();
    fs::write(market.join("others.parquet"), "nothing").unwrap();
    fs::write(market.join(".stocks.parquet"), "half of it").unwrap();
    fs::create_dir(market.join("empty")).unwrap();
    assert_eq!(served(copy.path()).unwrap().id(), LITTLE_SERVER.service().snapshot().id());
    change(&market.join("stocks.parquet"), |rows| {
        let extra: ArrayRef = Arc::new(Int64Array::from(vec![7; rows.num_rows()]));
        let mut columns: Vec<(String, ArrayRef)> = vec![("zzz".to_owned(), extra)];
        let schema = rows.schema();
        columns.extend(schema.fields().iter().map(|f| f.name().clone()).zip(rows.columns().iter().cloned()));
        datafusion::arrow::array::RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(n, c)| (n, c, true)),
        )
        .unwrap()
    });
    let server = Server::start(&OPERATIONS, served(copy.path()).unwrap());
    assert_eq!(server.get("companies").json()["data"], LITTLE_SERVER.get("companies").json()["data"]);
}

#[test]
fn what_is_no_number_is_null() {
    let copy = LITTLE.copy();
    let path = copy.path().join("india/stocks.parquet");
    change(&path, |rows| {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let values = (0..rows.num_rows()).map(|row| odd[row % 3]);
        replaced(&rows, "rsi_14", |_| Arc::new(values.collect::<Float64Array>()))
    });
    let server = Server::start(&OPERATIONS, served(copy.path()).unwrap());
    let symbol = server.get("companies?limit=1").data()[0]["symbol"].as_str().unwrap().to_owned();
    assert!(server.get(&format!("company/momentum?symbol={symbol}")).data()["rsi_14"].is_null());
}

/// The same for a column of a long file, which is not loaded into memory.
#[test]
fn what_is_no_number_in_a_long_file_is_null() {
    let copy = LITTLE.copy();
    let path = copy.path().join("india/daily_prices/2026.parquet");
    change(&path, |rows| {
        let odd = [f64::NAN, f64::INFINITY];
        let values = (0..rows.num_rows()).map(|row| odd[row % 2]);
        replaced(&rows, "delivery_pct", |_| Arc::new(values.collect::<Float64Array>()))
    });
    let server = Server::start(&OPERATIONS, served(copy.path()).unwrap());
    let symbol = server.get("companies?limit=1").data()[0]["symbol"].as_str().unwrap().to_owned();
    let rows = server.get(&format!("company/daily-prices?symbol={symbol}&limit=3")).data();
    assert!(rows.as_array().unwrap().iter().all(|row| row["delivery_pct"].is_null()), "{rows}");
}

#[test]
fn one_market_alone_works() {
    for (kept, gone) in [("india", "us"), ("us", "india")] {
        let copy = LITTLE.copy();
        fs::remove_dir_all(copy.path().join(gone)).unwrap();
        let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
        let reply = server.get("market/breadth");
        if kept == "india" {
            assert_eq!(reply.status, 200);
        } else {
            assert_eq!(reply.status, 404);
            assert!(reply.message().starts_with("this server has no India data"), "{}", reply.message());
            assert_eq!(reply.header("retry-after"), "");
        }
        assert_eq!(server.get("status").status, 200);
        assert_eq!(server.get("openapi.json").status, 200);
        assert_eq!(server.get("docs").status, 200);
    }
}

#[test]
fn a_missing_table_leaves_the_rest_working() {
    let server = Server::start(&OPERATIONS, served(LITTLE.copy().path()).unwrap());
    let symbol = server.get("companies?limit=1").data()[0]["symbol"].as_str().unwrap().to_owned();
    for (file, path, table, others) in [
        ("breadth.parquet", "market/breadth", "india.breadth", &["companies", "market/sectors"][..]),
        (
            "stocks.parquet",
            "company/momentum?symbol={}",
            "india.stocks",
            &["companies", "market/breadth", "market/top-movers"],
        ),
        ("session_prices", "market/top-movers", "india.session_prices", &["companies", "market/breadth"]),
        (
            "index_members.parquet",
            "market/index-constituents?index=NIFTY50",
            "india.index_members",
            &["companies"],
        ),
        ("companies.parquet", "market/top-movers", "india.companies", &["market/breadth"]),
    ] {
        let copy = LITTLE.copy();
        let gone = copy.path().join("india").join(file);
        if gone.is_dir() {
            fs::remove_dir_all(gone).unwrap();
        } else {
            fs::remove_file(gone).unwrap();
        }
        let server = Server::start(&OPERATIONS, served(copy.path()).unwrap());
        let path = path.replace("{}", &symbol);
        let reply = server.get(&path);
        assert_eq!(reply.status, 404, "{path} without {file}: {}", String::from_utf8_lossy(&reply.body));
        assert!(reply.message().contains(table), "{path} without {file}: {}", reply.message());
        for other in others {
            assert_eq!(server.get(other).status, 200, "{other} without {file}");
        }
    }
}

/// Windows of days are counted in sessions; a market without the table of sessions says so, even if all other tables are there.
#[test]
fn a_market_without_its_sessions_says_so() {
    let copy = LITTLE.copy();
    fs::remove_file(copy.path().join("india/sessions.parquet")).unwrap();
    match served(copy.path()) {
        Err(error) => assert!(chain(&error).contains("sessions"), "{}", chain(&error)),
        Ok(snapshot) => {
            let reply = Server::start(&OPERATIONS, snapshot).get("market/breadth?days=3");
            assert!(reply.status == 404 && reply.message().contains("india.sessions"), "{}", reply.message());
        }
    }
}

#[test]
fn an_empty_folder_says_what_to_do() {
    let empty = tempfile::tempdir().unwrap();
    refused("empty", served(empty.path()), &["parquote derive", "parquote demo"]).unwrap();
    refused("none", served(&empty.path().join("nothing")), &["parquote derive", "parquote demo"]).unwrap();
    fs::create_dir_all(empty.path().join("india")).unwrap();
    refused("empty market", served(empty.path()), &["parquote derive"]).unwrap();
}

#[test]
fn a_table_without_rows_is_answered() {
    let copy = LITTLE.copy();
    for file in [
        "breadth.parquet", "sectors.parquet", "stocks.parquet", "index_members.parquet",
        "index_lists.parquet",
    ] {
        change(&copy.path().join("india").join(file), |rows| rows.slice(0, 0));
    }
    let server = Server::start(&OPERATIONS, served(copy.path()).unwrap());
    for path in ["market/breadth", "market/sectors", "companies", "market/index-constituents"] {
        let data = server.get(path).data();
        assert_eq!(data, serde_json::json!([]), "{path}");
    }
    assert_eq!(server.get("market/momentum").data()["stocks"], serde_json::json!([]));
}

#[test]
fn a_table_in_several_small_files_is_one_table() {
    let copy = LITTLE.copy();
    let market = copy.path().join("india");
    let rows = read(&market.join("stocks.parquet"));
    fs::remove_file(market.join("stocks.parquet")).unwrap();
    fs::create_dir(market.join("stocks")).unwrap();
    write(&market.join("stocks/b.parquet"), &rows.slice(0, 10));
    write(&market.join("stocks/a.parquet"), &rows.slice(10, rows.num_rows() - 10));
    let parts = Server::start(&OPERATIONS, served(copy.path()).unwrap());
    assert_eq!(parts.get("companies").json()["data"], LITTLE_SERVER.get("companies").json()["data"]);
    // A file and a folder of the same name are one table; here each row is in both.
    write(&market.join("stocks.parquet"), &concat_batches(&rows.schema(), [&rows]).unwrap());
    refused("file and folder", served(copy.path()), &["india.stocks", "symbol"]).unwrap();
}

/// Such a file is read row by row if its rows are in order, and as a whole if they are not.
#[test]
fn a_key_that_is_there_twice_is_found_in_a_table_that_no_operation_reads() {
    let copy = LITTLE.copy();
    let path = copy.path().join("india/statement_lines.parquet");
    let table = CATALOGUE.table(Market::India, "statement_lines").unwrap();
    let mended = path.with_extension("mended");
    let found = || vet(table, Market::India, &StoredFile::plain(&path), false, &mended);
    let rows = read(&path);
    assert_eq!((found().rows, found().problems), (rows.num_rows() as u64, vec![]));
    for (places, is_sound) in [(vec![1, 0, 2], true), (vec![0, 1, 1], false), (vec![1, 0, 1], false)] {
        write(&path, &picked(&rows, places.clone()));
        let problems = found().problems;
        assert_eq!(problems.is_empty(), is_sound, "{places:?}: {problems:?}");
        assert!(problems.iter().all(|problem| problem.to_string().contains("symbol")), "{problems:?}");
    }
}

#[test]
fn texts_of_any_letters_travel_unharmed() {
    let copy = LITTLE.copy();
    let odd = "A \"quoted\" \\ name\n\twith \u{1} control, नमस्ते and 😀 </script>";
    change(&copy.path().join("india/stocks.parquet"), |rows| {
        replaced(&rows, "company_name", |values| Arc::new(StringArray::from(vec![odd; values.len()])))
    });
    let server = Server::start(&OPERATIONS, served(copy.path()).unwrap());
    assert_eq!(server.get("companies?limit=1").data()[0]["company_name"], odd);
}
