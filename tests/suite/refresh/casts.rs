//! Files with the types that data frame libraries write: lossless casts to the declared types are served with a note; lossy ones are
//! refused with the line of code that fixes them.

use std::fs;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Date32Array, Float64Array, Int64Array, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Float64Type, Schema};
use parquote::operation::Market;
use parquote::set::Home;

use crate::demo_market::CATALOGUE;
use crate::plain_folder::plain_market;
use crate::refreshed_server::{Fixture, on_request};
use crate::tables::{change, picked, read, replaced, retyped};

const STOCKS: &str = "stocks.parquet";
const PRICES: &str = "daily_prices/2026.parquet";

/// Reads a table's file in the served set.
fn served(server: &Fixture, table: &str, part: Option<&str>) -> RecordBatch {
    let home = Home::new(server.data());
    let set = home.newest(Market::India).unwrap().unwrap();
    let (_, file) = set.files().find(|(name, file)| *name == table && file.part.as_deref() == part).unwrap();
    read(&home.file_path(Market::India, table, &file.hash))
}

/// Converts the integers of a file to floats, as a data frame without nullable integers does.
fn as_floats(rows: &RecordBatch) -> RecordBatch {
    let ints: Vec<String> = rows
        .schema()
        .fields()
        .iter()
        .filter(|field| field.data_type().is_integer())
        .map(|field| field.name().clone())
        .collect();
    assert!(!ints.is_empty());
    ints.iter().fold(rows.clone(), |rows, name| retyped(&rows, name, &DataType::Float64))
}

fn renamed(rows: &RecordBatch, name: impl Fn(&str) -> String) -> RecordBatch {
    let schema = rows.schema();
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| Field::new(name(field.name()), field.data_type().clone(), true))
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), rows.columns().to_vec()).unwrap()
}

fn as_bits(values: &ArrayRef) -> ArrayRef {
    cast(values, &DataType::Int64).unwrap()
}

/// Checks that nothing is refused, all rows are equal, and a note contains these words.
fn assert_kept(server: &Fixture, path: &str, with: impl FnOnce(RecordBatch) -> RecordBatch, words: &[&str]) {
    let (table, part) = path.split_once('/').unwrap_or((path, ""));
    let (table, part) = (table.trim_end_matches(".parquet"), part.strip_suffix(".parquet"));
    let good = fs::read(server.file(path)).unwrap();
    let before = served(server, table, part);
    change(&server.file(path), with);
    server.refresh();
    assert_eq!(server.refused(), "", "{words:?}");
    let declared: Vec<&str> = CATALOGUE
        .table(Market::India, table)
        .unwrap()
        .columns_in(Market::India)
        .map(|column| column.name.as_str())
        .collect();
    let after = served(server, table, part);
    for name in declared {
        let (Some(old), Some(new)) = (before.column_by_name(name), after.column_by_name(name)) else {
            continue;
        };
        let (old, new) = (cast(old, &DataType::Utf8), cast(new, &DataType::Utf8));
        if let (Ok(old), Ok(new)) = (old, new) {
            assert_eq!(old.as_ref(), new.as_ref(), "{name} {words:?}");
        }
    }
    let warnings = server.now().warnings;
    let noted = warnings.iter().any(|warning| {
        let text = warning.to_string();
        words.iter().all(|word| text.contains(word))
    });
    assert!(noted, "no note has {words:?}: {warnings:#?}");
    fs::write(server.file(path), good).unwrap();
    server.refresh();
    assert_eq!(server.refused(), "", "{words:?}");
}

#[test]
fn types_that_lose_nothing_are_served_as_they_are_declared() {
    let server = Fixture::over(on_request(), plain_market);
    let kept =
        |path, with: fn(RecordBatch) -> RecordBatch, words: &[&str]| assert_kept(&server, path, with, words);
    kept(
        STOCKS,
        |rows| as_floats(&rows),
        &["`rs_rating`", "Float64 where int", "astype(\"Int64\")", "pl.Int64", "BIGINT"],
    );
    kept(PRICES, |rows| as_floats(&rows), &["`volume`", "Float64 where int"]);
    kept(STOCKS, |rows| retyped(&rows, "session", &DataType::Utf8), &["`session`", "Utf8 where date"]);
    kept(
        PRICES,
        |rows| retyped(&rows, "session", &DataType::LargeUtf8),
        &["`session`", "LargeUtf8 where date"],
    );
    kept(STOCKS, |rows| retyped(&rows, "session", &DataType::Int32), &["`session`", "Int32 where date"]);
    kept(
        STOCKS,
        |rows| retyped(&rows, "volume", &DataType::Decimal128(38, 0)),
        &["`volume`", "Decimal128(38, 0) where int"],
    );
    kept(
        PRICES,
        |rows| replaced(&rows, "market_cap_assumed", as_bits),
        &["`market_cap_assumed`", "Int64 where bool"],
    );
    kept(STOCKS, |rows| renamed(&rows, str::to_uppercase), &["`SYMBOL` as `symbol`, and"]);
    kept(STOCKS, |rows| renamed(&as_floats(&rows), str::to_uppercase), &["Float64 where int"]);
    // A year of a long table is cast and sorted in one pass.
    kept(PRICES, |rows| as_floats(&picked(&rows, (0..rows.num_rows()).rev())), &["out of order"]);
}

#[test]
fn float32_has_the_figures_that_were_meant_and_is_named() {
    let server = Fixture::over(on_request(), plain_market);
    let prices =
        |rows: &RecordBatch| rows.column_by_name("close").unwrap().as_primitive::<Float64Type>().clone();
    let before = prices(&served(&server, "daily_prices", Some("2026")));
    change(&server.file(PRICES), |rows| {
        let numbers: Vec<String> = ["open", "high", "low", "close"].map(str::to_owned).to_vec();
        numbers.iter().fold(rows, |rows, name| retyped(&rows, name, &DataType::Float32))
    });
    server.refresh();
    // Prices of two decimals are unchanged, so the content equals the previous set.
    assert_eq!(
        (server.refused().as_str(), prices(&served(&server, "daily_prices", Some("2026")))),
        ("", before)
    );
    change(&server.file(STOCKS), |rows| {
        let schema = rows.schema();
        let numbers = schema.fields().iter().filter(|field| field.data_type() == &DataType::Float64);
        numbers.fold(rows.clone(), |rows, field| retyped(&rows, field.name(), &DataType::Float32))
    });
    server.refresh();
    assert_eq!(server.refused(), "");
    let warnings = server.now().warnings;
    let named = warnings.iter().any(|warning| {
        warning.message.contains("Float32: figures of 7 digits") && warning.remedy.contains("float64")
    });
    assert!(named, "{warnings:#?}");
}

#[test]
fn what_would_be_lost_is_refused_with_the_line_that_mends_it() {
    let server = Fixture::over(on_request(), plain_market);
    let refused = |path: &str, with: fn(RecordBatch) -> RecordBatch, words: &[&str]| {
        let good = fs::read(server.file(path)).unwrap();
        change(&server.file(path), with);
        server.refresh();
        let found = server.refused();
        assert!(words.iter().all(|word| found.contains(word)), "{words:?}: {found}");
        fs::write(server.file(path), good).unwrap();
        server.refresh();
        assert_eq!((server.refused().as_str(), server.set()), ("", 1));
    };
    let symbol = read(&server.file(STOCKS)).column_by_name("symbol").unwrap().clone();
    let symbol = cast(&symbol, &DataType::Utf8).unwrap().as_string::<i32>().value(0).to_owned();
    refused(
        STOCKS,
        |rows| {
            replaced(&rows, "rs_rating", |values| {
                let values = cast(values, &DataType::Float64).unwrap();
                let halves = values.as_primitive::<Float64Type>().iter().enumerate();
                Arc::new(
                    halves
                        .map(|(row, value)| if row == 0 { Some(7.5) } else { value })
                        .collect::<Float64Array>(),
                )
            })
        },
        &[
            "`rs_rating` is Float64 where int is declared, and holds 7.5",
            &symbol,
            "df[\"rs_rating\"].astype(\"Int64\")",
            "pl.col(\"rs_rating\").cast(pl.Int64)",
            "CAST(rs_rating AS BIGINT)",
        ],
    );
    refused(
        STOCKS,
        |rows| {
            replaced(&rows, "session", |values| {
                Arc::new(
                    (0..values.len())
                        .map(|_| Some("30/10/2026"))
                        .collect::<datafusion::arrow::array::StringArray>(),
                )
            })
        },
        &["`session` is Utf8 where date is declared, and holds 30/10/2026", "cast(pl.Date)"],
    );
    refused(
        PRICES,
        |rows| {
            replaced(&rows, "market_cap_assumed", |values| Arc::new(Int64Array::from(vec![2; values.len()])))
        },
        &["Int64 where bool is declared, and holds 2", "astype(\"boolean\")"],
    );
    refused(
        STOCKS,
        |rows| {
            replaced(&rows, "session", |values| {
                let days = cast(values, &DataType::Date32).unwrap();
                let days = days.as_any().downcast_ref::<Date32Array>().unwrap();
                Arc::new(
                    days.iter().map(|day| day.map(|day| i64::from(day) * 86_400)).collect::<Int64Array>(),
                )
            })
        },
        &["`session` is Int64 where date is declared"],
    );
    refused(
        STOCKS,
        |rows| retyped(&rows, "price_cmp", &DataType::Utf8),
        &["`price_cmp` is Utf8 where number is declared", "df[\"price_cmp\"].astype(\"float64\")"],
    );
    refused(
        "companies.parquet",
        |rows| picked(&rows, (0..rows.num_rows()).chain([0])),
        &["two rows have the same symbol: ", &symbol, "drop_duplicates([\"symbol\"])"],
    );
}
