//! Files that break their declarations: each is refused with its table, column, rows and the operations that could
//! not answer, and the served set stays. Faults that can be repaired or are harmless are served with a warning.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array as _, ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray, StringViewArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema};

use crate::plain_folder::plain_market;
use crate::refreshed_server::{Fixture, on_request};
use crate::tables::{change, nulled, picked, replaced, retyped, without};

/// A change of a file.
type Break = fn(&Path);

/// A break and the expected finding.
struct Case {
    what: &'static str,
    /// The file, below the folder of the market.
    path: &'static str,
    done: Break,
    /// The named column; `None` if the fault concerns the whole file.
    column: Option<&'static str>,
    /// A part of the message.
    says: &'static str,
    /// An operation that it breaks; empty if the finding concerns none in particular.
    breaks: &'static str,
}

const STOCKS: &str = "stocks.parquet";
const PRICES: &str = "daily_prices/2026.parquet";

const fn case(
    what: &'static str,
    path: &'static str,
    done: Break,
    (column, says): (Option<&'static str>, &'static str),
    breaks: &'static str,
) -> Case {
    Case { what, path, done, column, says, breaks }
}

const CASES: [Case; 24] = [
    case("a small file cut short", STOCKS, cut, (None, ""), "companies"),
    case("a long file cut short", PRICES, cut, (None, ""), "company/daily-prices"),
    case("a text", STOCKS, |f| fs::write(f, "a,b\n1,2\n").unwrap(), (None, ""), "companies"),
    case("an empty file", STOCKS, |f| fs::write(f, "").unwrap(), (None, ""), "companies"),
    case("an empty year", PRICES, |f| fs::write(f, "").unwrap(), (None, ""), "company/daily-prices"),
    case(
        "a missing column",
        STOCKS,
        |f| change(f, |rows| without(&rows, "rsi_14")),
        (Some("rsi_14"), "missing"),
        "company/momentum",
    ),
    case(
        "a renamed column",
        STOCKS,
        |f| change(f, |rows| renamed(&rows, "rsi_14", "rsi14")),
        (Some("rsi_14"), "missing"),
        "company/momentum",
    ),
    case(
        "a renamed column of a long file",
        PRICES,
        |f| change(f, |rows| renamed(&rows, "delivery_pct", "deliverable_pct")),
        (Some("delivery_pct"), "missing"),
        "company/daily-prices",
    ),
    case(
        "a retyped column",
        STOCKS,
        |f| change(f, |rows| retyped(&rows, "price_cmp", &DataType::Utf8)),
        (Some("price_cmp"), "number"),
        "company/momentum",
    ),
    case(
        "a retyped column of a long file",
        PRICES,
        |f| {
            change(f, |rows| {
                replaced(&rows, "session", |days| Arc::new(StringArray::from(vec!["May"; days.len()])))
            });
        },
        (Some("session"), "date"),
        "company/daily-prices",
    ),
    case(
        "nulls where none are declared",
        STOCKS,
        |f| change(f, |rows| replaced(&rows, "price_cmp", |values| nulled(values, &[1, 3]))),
        (Some("price_cmp"), "2 nulls"),
        "company/momentum",
    ),
    case(
        "nulls in a long file where none are declared",
        PRICES,
        |f| change(f, |rows| replaced(&rows, "close", |values| nulled(values, &[1, 3, 9]))),
        (Some("close"), "3 nulls"),
        "company/daily-prices",
    ),
    case(
        "null keys",
        PRICES,
        |f| change(f, |rows| replaced(&rows, "symbol", |values| nulled(values, &[5]))),
        (Some("symbol"), "null"),
        "company/daily-prices",
    ),
    case(
        "a repeated key",
        "companies.parquet",
        |f| change(f, |rows| picked(&rows, (0..rows.num_rows()).chain([2]))),
        (None, "two rows have the same symbol"),
        "company/ai-profile",
    ),
    case(
        "a repeated key of a long file",
        PRICES,
        |f| change(f, |rows| picked(&rows, (0..rows.num_rows()).chain([rows.num_rows() - 1]))),
        (None, "symbol, session"),
        "company/daily-prices",
    ),
    case(
        "a repeated key of a long file out of order",
        PRICES,
        |f| change(f, |rows| picked(&rows, (0..rows.num_rows()).chain([0]).rev())),
        (None, "symbol, session"),
        "company/daily-prices",
    ),
    case(
        "two columns exchanged",
        PRICES,
        |f| change(f, |rows| renamed(&renamed(&renamed(&rows, "high", "x"), "low", "high"), "x", "low")),
        (None, "price_order"),
        "",
    ),
    case(
        "a rating out of its range",
        STOCKS,
        |f| {
            change(f, |rows| {
                replaced(&rows, "rs_rating", |values| Arc::new(Int64Array::from(vec![500; values.len()])))
            });
        },
        (None, "rule rs_of_stocks"),
        "",
    ),
    case(
        "prices that are not positive",
        PRICES,
        |f| {
            change(f, |rows| {
                replaced(&rows, "low", |values| Arc::new(Float64Array::from(vec![-1.0; values.len()])))
            });
        },
        (None, ""),
        "",
    ),
    case(
        "a future session of a long file",
        PRICES,
        |f| change(f, |rows| later(&rows)),
        (None, "after today"),
        "",
    ),
    case(
        "a future session",
        "sessions.parquet",
        |f| change(f, |rows| later(&rows)),
        (None, "after today"),
        "",
    ),
    case(
        "a stranger in place of every company",
        "companies.parquet",
        |f| change(f, |rows| replaced(&rows, "symbol", strangers)),
        (None, "compan"),
        "",
    ),
    case(
        "a file that is another table's",
        STOCKS,
        |f| copy(&f.with_file_name("breadth.parquet"), f),
        (Some("symbol"), "missing"),
        "companies",
    ),
    case(
        "a year that is another table's",
        PRICES,
        |f| copy(&f.with_file_name("../session_prices/2026.parquet"), f),
        (Some("close"), "missing"),
        "company/daily-prices",
    ),
];

fn copy(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap();
}

fn cut(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() * 2 / 3]).unwrap();
}

fn renamed(rows: &RecordBatch, from: &str, to: &str) -> RecordBatch {
    let schema = rows.schema();
    let field = |field: &Arc<Field>| {
        let name = if field.name() == from { to } else { field.name() };
        Field::new(name, field.data_type().clone(), true)
    };
    let schema = Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), rows.columns().to_vec()).unwrap()
}

/// Returns the rows with the last one in a distant future.
fn later(rows: &RecordBatch) -> RecordBatch {
    const DAY: i32 = 40_000;
    replaced(rows, "session", |values| {
        let days = cast(values, &DataType::Date32).unwrap();
        let days = days.as_any().downcast_ref::<Date32Array>().unwrap();
        let last = days.len() - 1;
        Arc::new(
            (0..days.len())
                .map(|row| Some(if row == last { DAY } else { days.value(row) }))
                .collect::<Date32Array>(),
        )
    })
}

fn strangers(values: &ArrayRef) -> ArrayRef {
    Arc::new((0..values.len()).map(|row| Some(format!("ZZ{row:04}"))).collect::<StringArray>())
}

#[test]
fn broken_files_are_refused_by_table_column_and_operation() {
    let fixture = Fixture::over(on_request(), plain_market);
    let mut problems = Vec::new();
    for case in &CASES {
        let path = fixture.file(case.path);
        let good = fs::read(&path).unwrap();
        (case.done)(&path);
        fixture.refresh();
        problems.extend(problem(&fixture, case));
        fs::write(&path, good).unwrap();
        fixture.refresh();
        if (fixture.set(), fixture.refused().as_str(), fixture.refusal()) != (1, "", None) {
            problems.push(format!(
                "{}: the good file is not as good as before: {}",
                case.what,
                fixture.refused()
            ));
        }
    }
    assert!(problems.is_empty(), "{} problems:\n  {}", problems.len(), problems.join("\n  "));
}

fn problem(fixture: &Fixture, case: &Case) -> Option<String> {
    let status = fixture.now();
    if status.set != Some(1) || status.refused.is_empty() {
        return Some(format!("{}: it is served all the same", case.what));
    }
    let table = case.path.split(['/', '.']).next();
    let fits = status.refused.iter().any(|finding| {
        // A rule names tables in its title; all other findings name the table.
        (finding.table.as_deref() == table || case.breaks.is_empty())
            && finding.column.as_deref() == case.column
            && finding.message.contains(case.says)
            && (case.breaks.is_empty() || finding.operations.iter().any(|operation| operation == case.breaks))
            && !finding.remedy.is_empty()
            // The rows are counted and named.
            && (finding.rows > 0) != finding.offenders.is_empty()
    });
    (!fits).then(|| format!("{}: {}", case.what, fixture.refused()))
}

/// Rows out of order, an additional column, or types of equal content are served, and callers see the same figures.
#[test]
fn what_can_be_mended_is_served_with_a_warning() {
    let fixture = Fixture::over(on_request(), plain_market);
    let ask = || {
        let symbol = fixture.get("companies?limit=1").data()[0]["symbol"].as_str().unwrap().to_owned();
        fixture.get(&format!("company/daily-prices?symbol={symbol}&limit=30")).data()
    };
    let before = ask();
    change(&fixture.file(PRICES), |rows| picked(&rows, (0..rows.num_rows()).rev()));
    fixture.refresh();
    assert_eq!((fixture.refused().as_str(), fixture.set()), ("", 2));
    let warnings = fixture.now().warnings;
    let sorted = warnings.iter().find(|warning| warning.message.contains("out of order"));
    let sorted = sorted.unwrap_or_else(|| panic!("{warnings:#?}"));
    assert_eq!(sorted.table.as_deref(), Some("daily_prices"));
    assert!(sorted.file.as_ref().unwrap().ends_with(PRICES), "{sorted}");
    assert_eq!(ask(), before);

    change(&fixture.file(PRICES), |rows| {
        let rows = retyped(&rows, "volume", &DataType::UInt64);
        let extra: ArrayRef = Arc::new(StringViewArray::from(vec!["x"; rows.num_rows()]));
        let named =
            |(field, column): (&Arc<Field>, &ArrayRef)| (field.name().clone(), Arc::clone(column), true);
        let schema = rows.schema();
        let columns = schema.fields().iter().zip(rows.columns()).map(named);
        RecordBatch::try_from_iter_with_nullable(columns.chain([("zzz".to_owned(), extra, true)])).unwrap()
    });
    // Without the other column and in order, the content equals the served set, so no set is published.
    fixture.refresh();
    assert_eq!((fixture.refused().as_str(), fixture.set()), ("", 2));
    assert_eq!(ask(), before);

    // A file without a table is reported and changes nothing.
    fs::write(fixture.file("stock.parquet"), "of no table").unwrap();
    fixture.refresh();
    assert_eq!(fixture.refused(), "");
    assert_eq!(ask(), before);
    let warned =
        fixture.now().warnings.iter().any(|warning| warning.message.contains("did you mean `stocks`"));
    assert!(warned, "{:#?}", fixture.now().warnings);

    // A file named after a table but not part of it is reported too.
    for path in ["stock.csv", "stocks/year=2026/part-0.parquet"] {
        let file = fixture.file(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "symbol").unwrap();
    }
    fixture.refresh();
    assert_eq!(ask(), before);
    for said in [
        "`stock.csv` is not read: only Parquet",
        "`stocks/year=2026/part-0.parquet` is not read: it is in a folder",
    ] {
        let warnings = fixture.now().warnings;
        assert!(warnings.iter().any(|warning| warning.message.contains(said)), "{said}: {warnings:#?}");
    }
}
