//! The formats of an answer: all contain the same facts, agree with the OpenAPI document, and can be read by independent
//! libraries.

use std::collections::HashSet;
use std::io::Cursor;
use std::sync::Arc;

use calamine::{Data, Reader as _, Xlsx};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type, Schema};
use datafusion::arrow::ipc::reader::StreamReader;
use parquote::operation::{Answer, Operation};
use reqwest::Method;
use serde_json::{Map, Value as Json, json};

use crate::catalogue_rules::{calls, pairs, required};
use crate::documented;
use crate::server::{Reply, SERVER, query};

type Row = Map<String, Json>;
type Pairs = Vec<(String, String)>;

/// The facts of an answer: its rows, and the fields around them.
#[derive(Debug, PartialEq)]
struct Facts {
    rows: Vec<Row>,
    around: Row,
}

/// Sends a call and checks the reply against the document.
fn ask(operation: &Operation, pairs: &Pairs, more: &[(&str, &str)]) -> Reply {
    let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let pairs: Pairs = pairs.iter().cloned().chain(more).collect();
    let path = format!("{}?{}", operation.name, query(&pairs));
    let reply = SERVER.get(&path);
    documented::check(&Method::GET, &path, &reply).unwrap_or_else(|problem| panic!("{path}: {problem}"));
    reply
}

/// Returns calls of every shape that examples make.
pub(crate) fn questions() -> Vec<(&'static Operation, Pairs)> {
    let mut all = Vec::new();
    for operation in calls() {
        all.push((operation, required(operation)));
        all.push((operation, pairs(operation, true)));
        for param in operation.params.iter().filter(|param| param.example.is_some() && !param.is_required()) {
            let example = (param.name.clone(), param.example.clone().unwrap());
            all.push((operation, required(operation).into_iter().chain([example]).collect()));
        }
    }
    let mut asked = HashSet::new();
    all.retain(|(operation, pairs)| asked.insert((operation.name.clone(), pairs.clone())));
    all
}

fn object(json: Json) -> Row {
    match json {
        Json::Object(fields) => fields,
        other => panic!("{other} is no object"),
    }
}

fn of_json(answer: Answer, reply: &Reply) -> Facts {
    match (answer, reply.data()) {
        (Answer::One, row) => Facts { rows: vec![object(row)], around: Row::new() },
        (Answer::List, Json::Array(rows)) => {
            Facts { rows: rows.into_iter().map(object).collect(), around: Row::new() }
        }
        (_, data) => {
            let mut around = object(data);
            let rows = around.shift_remove("stocks").unwrap();
            Facts { rows: rows.as_array().unwrap().iter().cloned().map(object).collect(), around }
        }
    }
}

fn of_columns(reply: &Reply) -> (Facts, Vec<Json>) {
    let mut around = object(reply.data());
    let columns = around.shift_remove("columns").unwrap().as_array().unwrap().clone();
    let rows = around.shift_remove("rows").unwrap();
    let row = |values: &Json| {
        let values = values.as_array().unwrap();
        assert_eq!(values.len(), columns.len());
        let names = columns.iter().map(|column| column["name"].as_str().unwrap().to_owned());
        names.zip(values.iter().cloned()).collect()
    };
    (Facts { rows: rows.as_array().unwrap().iter().map(row).collect(), around }, columns)
}

/// Returns the fields around the rows, from the headers of a format without an envelope.
fn header_around(reply: &Reply) -> Row {
    assert_eq!(reply.header("x-tier"), "api_max");
    match reply.header("x-answer") {
        "" => Row::new(),
        json => serde_json::from_str(json).unwrap(),
    }
}

fn of_ndjson(reply: &Reply) -> Facts {
    assert_eq!(reply.header("content-type"), "application/x-ndjson");
    let text = std::str::from_utf8(&reply.body).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    let rows = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    Facts { rows, around: header_around(reply) }
}

fn of_csv(reply: &Reply, columns: &[Json]) -> Facts {
    assert_eq!(reply.header("content-type"), "text/csv; charset=utf-8; header=present");
    let mut reader = csv::Reader::from_reader(reply.body.as_slice());
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let row = |record: csv::StringRecord| {
        let cells = names.iter().zip(record.iter()).zip(columns);
        cells
            .map(|((name, cell), column)| {
                let value = match column["type"].as_str().unwrap() {
                    _ if cell.is_empty() => Json::Null,
                    "text" => json!(cell.strip_prefix('\'').unwrap_or(cell)),
                    "date" => json!(cell),
                    _ => serde_json::from_str(cell).unwrap(),
                };
                (name.clone(), value)
            })
            .collect()
    };
    Facts {
        rows: reader.records().map(|record| row(record.unwrap())).collect(),
        around: header_around(reply),
    }
}

/// Reads the first sheet of a workbook with an independent library: every cell has the type of its column, and none is a formula.
fn of_xlsx(reply: &Reply, columns: &[Json]) -> Facts {
    assert_eq!(
        reply.header("content-type"),
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    );
    let mut book: Xlsx<_> = calamine::open_workbook_from_rs(Cursor::new(reply.body.as_slice())).unwrap();
    assert_eq!(book.sheet_names(), ["Rows", "Columns"]);
    assert_eq!(book.worksheet_formula("Rows").unwrap().used_cells().count(), 0);
    let sheet = book.worksheet_range("Rows").unwrap();
    let mut rows = sheet.rows();
    let names: Vec<String> = rows.next().unwrap().iter().map(ToString::to_string).collect();
    let value = |cell: &Data, ty: &str| match (cell, ty) {
        (Data::Empty, _) => Json::Null,
        (Data::Float(number), "number" | "int") => json!(number),
        (Data::Bool(flag), "bool") => json!(flag),
        (Data::DateTime(day), "date") => {
            let (year, month, day, ..) = day.to_ymd_hms_milli();
            json!(format!("{year:04}-{month:02}-{day:02}"))
        }
        (Data::String(text), "text") => json!(text),
        (Data::String(json), "texts" | "row" | "rows") => serde_json::from_str(json).unwrap(),
        (cell, ty) => panic!("{cell:?} is no {ty}"),
    };
    let row = |cells: &[Data]| {
        let typed = names.iter().zip(columns).enumerate();
        let value = |at: usize, column: &Json| {
            value(cells.get(at).unwrap_or(&Data::Empty), column["type"].as_str().unwrap())
        };
        typed.map(|(at, (name, column))| (name.clone(), value(at, column))).collect()
    };
    Facts { rows: rows.map(row).collect(), around: header_around(reply) }
}

fn stream(reply: &Reply) -> (Arc<Schema>, Vec<RecordBatch>) {
    assert_eq!(reply.header("content-type"), "application/vnd.apache.arrow.stream");
    let reader = StreamReader::try_new(reply.body.as_slice(), None).unwrap();
    (reader.schema(), reader.map(Result::unwrap).collect())
}

/// Units without decimals.
const WHOLE: [&str; 5] = ["money", "rating", "rank", "count", "shares"];

fn of_arrow(reply: &Reply, columns: &[Json]) -> Facts {
    let (schema, batches) = stream(reply);
    for (field, column) in schema.fields().iter().zip(columns) {
        let ty = match field.data_type() {
            DataType::Utf8 => "text",
            DataType::Int64 => "int",
            DataType::Float64 => "number",
            DataType::Boolean => "bool",
            DataType::Date32 => "date",
            DataType::List(item) if *item.data_type() == DataType::Utf8 => "texts",
            DataType::List(_) => "rows",
            DataType::Struct(_) => "row",
            other => panic!("{other}"),
        };
        // Numbers of a unit without decimals are integers in every format; only Arrow has a type for that.
        let is_whole = WHOLE.iter().any(|unit| column["unit"] == *unit);
        let ty = if is_whole && column["type"] == "number" && ty == "int" { "number" } else { ty };
        assert_eq!(json!(ty), column["type"], "{}", field.name());
        assert!(!(is_whole && *field.data_type() == DataType::Float64), "{}", field.name());
        assert_eq!(json!(field.metadata().get("unit")), column["unit"], "{}", field.name());
        assert!(!field.metadata()["description"].is_empty(), "{}", field.name());
    }
    let around = schema.metadata().get("answer").map(|json| serde_json::from_str(json).unwrap());
    let around = around.unwrap_or_else(Row::new);
    assert_eq!(header_around(reply), around);
    assert!(reply.header("x-snapshot").split('-').any(|id| schema.metadata()["snapshot"] == id));
    assert_eq!(schema.metadata()["as_of"], reply.header("x-as-of"));
    let rows = batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
    let row = |(batch, row): (&RecordBatch, usize)| {
        let fields = batch.schema();
        let names = fields.fields().iter().map(|field| field.name().clone());
        names.zip(batch.columns().iter().map(|array| value(array, row))).collect()
    };
    Facts { rows: rows.map(row).collect(), around }
}

fn value(array: &ArrayRef, row: usize) -> Json {
    if array.is_null(row) {
        return Json::Null;
    }
    match array.data_type() {
        DataType::Utf8 => json!(array.as_string::<i32>().value(row)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => json!(array.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => json!(array.as_boolean().value(row)),
        DataType::Date32 => {
            let day = array.as_primitive::<Date32Type>().value_as_date(row).unwrap();
            json!(day.to_string())
        }
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            (0..items.len()).map(|item| value(&items, item)).collect()
        }
        DataType::Struct(fields) => {
            let within = array.as_struct();
            let names = fields.iter().map(|field| field.name().clone());
            Json::Object(names.zip(within.columns().iter().map(|array| value(array, row))).collect())
        }
        other => panic!("{other}"),
    }
}

/// Returns JSON in which integers equal floats, and an empty string equals null: CSV readers cannot distinguish
/// these.
fn plain(json: &Json) -> Json {
    match json {
        Json::Number(number) => json!(number.as_f64().unwrap()),
        Json::String(text) if text.is_empty() => Json::Null,
        Json::Array(items) => items.iter().map(plain).collect(),
        Json::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
        other => other.clone(),
    }
}

/// Compares facts with the expected ones, with fields in order.
fn same(found: &Facts, expected: &Facts, at: &str) {
    let told = |row: &Row| plain(&Json::Object(row.clone())).to_string();
    assert_eq!(found.rows.len(), expected.rows.len(), "{at}: rows");
    for (row, (found, expected)) in found.rows.iter().zip(&expected.rows).enumerate() {
        assert_eq!(told(found), told(expected), "{at}: row {row}");
    }
    assert_eq!(told(&found.around), told(&expected.around), "{at}: around the rows");
}

#[test]
fn every_form_holds_the_same_facts() {
    let mut compared = 0;
    let mut smaller = 0;
    let questions = questions();
    for (operation, pairs) in &questions {
        let at = format!("{}?{}", operation.name, query(pairs));
        let reply = ask(operation, pairs, &[]);
        assert_eq!(reply.status, 200, "{at}");
        let replies = ["json", "columns", "ndjson", "csv", "arrow", "xlsx"]
            .map(|format| ask(operation, pairs, &[("format", format)]));
        let [json, columns, ndjson, csv, arrow, xlsx] = &replies;
        assert_eq!((&json.body, json.header("etag")), (&reply.body, reply.header("etag")), "{at}");
        let (in_columns, columns_named) = of_columns(columns);
        // The fields show which SELECT answered.
        let names: Vec<&str> = columns_named.iter().map(|column| column["name"].as_str().unwrap()).collect();
        let snapshot = SERVER.service().snapshot();
        let of_selects = snapshot.columns(operation).iter().zip(&operation.selects);
        let answer = of_selects
            .filter(|(columns, _)| {
                columns.iter().map(|column| column.name.as_str()).eq(names.iter().copied())
            })
            .map(|(_, select)| select.answer)
            .find(|answer| match answer {
                Answer::One => reply.data().get("stocks").is_none() && reply.data().is_object(),
                Answer::List => reply.data().is_array(),
                Answer::Stocks => reply.data().get("stocks").is_some(),
            });
        let facts = of_json(answer.unwrap(), &reply);
        for row in &facts.rows {
            assert!(row.keys().map(String::as_str).eq(names.iter().copied()), "{at}: {names:?}");
        }
        assert_eq!(in_columns, facts, "{at}: columns");
        same(&of_ndjson(ndjson), &facts, &format!("{at}: ndjson"));
        same(&of_csv(csv, &columns_named), &facts, &format!("{at}: csv"));
        same(&of_arrow(arrow, &columns_named), &facts, &format!("{at}: arrow"));
        if cfg!(feature = "xlsx") {
            same(&of_xlsx(xlsx, &columns_named), &facts, &format!("{at}: xlsx"));
        } else {
            assert!(xlsx.status == 400 && xlsx.message().contains("the feature `xlsx`"), "{at}");
        }
        compared += facts.rows.len();
        smaller += usize::from(facts.rows.len() > 10 && columns.body.len() * 3 < reply.body.len() * 2);
    }
    assert!(compared > 1000, "only {compared} rows were compared");
    assert!(smaller > 10, "columns are meant to be a third smaller than objects; only {smaller} are");
}

#[test]
fn numbers_of_arrow_are_those_of_json_to_the_last_bit() {
    let path = "market/momentum?limit=50";
    let rows = SERVER.get(path).data();
    let (schema, batches) = stream(&SERVER.get(&format!("{path}&format=arrow")));
    let mut numbers = 0;
    for (at, field) in schema.fields().iter().enumerate() {
        let Some(array) = batches[0].column(at).as_primitive_opt::<Float64Type>() else { continue };
        for (row, number) in array.iter().enumerate() {
            let written = rows.get("stocks").unwrap_or(&rows)[row][field.name()].as_f64();
            assert_eq!(number.map(f64::to_bits), written.map(f64::to_bits), "{} of row {row}", field.name());
            numbers += 1;
        }
    }
    assert!(numbers > 100);
}

#[test]
fn volumes_are_whole_in_arrow_whatever_splits_made_of_them() {
    for path in ["company/daily-prices?symbol=BAXIPAPOWR", "us/company/daily-prices?symbol=BAQEBO"] {
        let path = path
            .replace("us/company/daily-prices", "us/explore/sparks")
            .replace("symbol=BAQEBO", "symbols=BAQEBO");
        let (schema, batches) = stream(&SERVER.get(&format!("{path}&format=arrow")));
        let volume = schema.index_of("volume").unwrap();
        assert_eq!(*schema.field(volume).data_type(), DataType::Int64, "{path}");
        let rows = SERVER.get(&path).data();
        let rows = rows.get("stocks").unwrap_or(&rows).clone();
        let volumes = batches[0].column(volume).as_primitive::<Int64Type>();
        assert_eq!(json!(volumes.value(0)), rows[0]["volume"], "{path}");
    }
}

#[test]
fn chosen_fields_come_in_their_order() {
    let mut chosen_from = HashSet::new();
    for (operation, pairs) in questions() {
        let at = format!("{}?{}", operation.name, query(&pairs));
        let (whole, columns) = of_columns(&ask(operation, &pairs, &[("format", "columns")]));
        let names: Vec<&str> = columns.iter().rev().map(|column| column["name"].as_str().unwrap()).collect();
        // Fields are chosen from the columns of a SELECT, regardless of its parameters: once per SELECT and operation is enough.
        if !chosen_from.insert((operation.name.clone(), names.join(","))) {
            continue;
        }
        for chosen in [names.clone(), names[..1].to_vec(), names.iter().step_by(3).copied().collect()] {
            let fields = chosen.join(",");
            let expected = Facts {
                rows: whole
                    .rows
                    .iter()
                    .map(|row| chosen.iter().map(|name| ((*name).to_owned(), row[*name].clone())).collect())
                    .collect(),
                around: whole.around.clone(),
            };
            let reply = |format| ask(operation, &pairs, &[("fields", &fields), ("format", format)]);
            let (found, columns) = of_columns(&reply("columns"));
            same(&found, &expected, &format!("{at} {fields}: columns"));
            same(&of_ndjson(&reply("ndjson")), &expected, &format!("{at} {fields}: ndjson"));
            same(&of_csv(&reply("csv"), &columns), &expected, &format!("{at} {fields}: csv"));
            same(&of_arrow(&reply("arrow"), &columns), &expected, &format!("{at} {fields}: arrow"));
            // Only checked against the document, because a reader of workbooks drops rows of empty cells.
            let status = if cfg!(feature = "xlsx") { 200 } else { 400 };
            assert_eq!(reply("xlsx").status, status, "{at} {fields}: xlsx");
            let in_json = reply("json");
            let answer = match &in_json.data() {
                Json::Array(_) => Answer::List,
                data if data.get("stocks").is_some() => Answer::Stocks,
                _ => Answer::One,
            };
            same(&of_json(answer, &in_json), &expected, &format!("{at} {fields}: json"));
        }
    }
}

#[test]
fn fields_that_are_not_there_or_are_there_twice_are_refused() {
    for operation in calls() {
        let pairs = required(operation);
        let (_, columns) = of_columns(&ask(operation, &pairs, &[("format", "columns")]));
        let first = columns[0]["name"].as_str().unwrap();
        let misspelt = format!("{first}x");
        let unknown = ask(operation, &pairs, &[("fields", &format!("{first},{misspelt}"))]);
        assert_eq!(unknown.status, 400, "{}", operation.name);
        let message = unknown.message();
        let all: Vec<&str> = columns.iter().map(|column| column["name"].as_str().unwrap()).collect();
        for part in ["`fields`", &format!("`{misspelt}`"), "did you mean", &all.join(", ")] {
            assert!(message.contains(part), "{}: {message} lacks {part}", operation.name);
        }
        let twice = ask(operation, &pairs, &[("fields", &format!("{first}, {first}"))]);
        assert_eq!(twice.status, 400, "{}", operation.name);
        assert!(
            twice.message().contains(&format!("`{first}` is named more than once")),
            "{}",
            twice.message()
        );
        let none = ask(operation, &pairs, &[("fields", "")]);
        assert_eq!(none.header("etag"), ask(operation, &pairs, &[]).header("etag"), "{}", operation.name);
    }
}

#[test]
fn a_form_that_there_is_not_is_refused_by_name() {
    for operation in calls() {
        let reply = ask(operation, &required(operation), &[("format", "parquet")]);
        assert_eq!((reply.status, reply.header("content-type")), (400, "application/json"));
        assert!(reply.message().contains("`parquet` is not one of json, columns, ndjson, csv, arrow, xlsx"));
    }
}

#[test]
fn accept_chooses_and_format_overrules_it() {
    let path = "market/breadth?days=3";
    let of = |accept: &str, path: &str| {
        let reply = SERVER.ask(&Method::GET, path, &[("accept", accept)]);
        assert_eq!(reply.status, 200, "{accept}");
        assert!(reply.header("vary").contains("accept, accept-encoding"), "{}", reply.header("vary"));
        reply.header("content-type").split(';').next().unwrap().to_owned()
    };
    let arrow = "application/vnd.apache.arrow.stream";
    for name in ["application/json", "application/x-ndjson", "text/csv", arrow] {
        assert_eq!(of(name, path), name);
        assert_eq!(of(name, &format!("{path}&format=csv")), "text/csv");
    }
    assert_eq!(of("text/csv;q=0.4, application/x-ndjson;q=0.5", path), "application/x-ndjson");
    assert_eq!(of("text/html, */*;q=0.8", path), "application/json");
    assert_eq!(of("application/xml", path), "application/json");
    // A refusal is JSON in every requested format.
    let refused = SERVER.ask(&Method::GET, "market/breadth?days=0", &[("accept", "text/csv")]);
    assert_eq!((refused.status, refused.header("content-type")), (400, "application/json"));
    assert!(refused.message().contains("`days`"));
}

#[test]
fn every_form_has_a_tag_of_its_own_and_is_not_sent_twice() {
    let mut tags = Vec::new();
    for more in [
        "", "&format=columns", "&format=ndjson", "&format=csv", "&format=arrow", "&format=xlsx",
        "&fields=symbol",
    ]
    .into_iter()
    .filter(|more| cfg!(feature = "xlsx") || !more.ends_with("xlsx"))
    {
        let path = format!("market/momentum?limit=30{more}");
        let reply = SERVER.get(&path);
        let tag = reply.header("etag").to_owned();
        assert_eq!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.body));
        assert!(!tags.contains(&tag), "{path}");
        let again = SERVER.ask(&Method::GET, &path, &[("if-none-match", &tag)]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        assert!(again.header("vary").contains("accept,"), "{path}");
        let head = SERVER.ask(&Method::HEAD, &path, &[]);
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
        for name in ["content-length", "content-type", "etag", "x-tier", "x-answer"] {
            assert_eq!(head.header(name), reply.header(name), "{path}: {name}");
        }
        let packed = SERVER.ask(&Method::GET, &path, &[("accept-encoding", "zstd")]);
        if reply.body.len() > 1024 && !more.ends_with("xlsx") {
            assert_eq!(packed.header("content-encoding"), "zstd", "{path}");
            let mut plain = Vec::new();
            zstd::stream::copy_decode(packed.body.as_slice(), &mut plain).unwrap();
            assert_eq!(plain, reply.body, "{path}");
        }
        tags.push(tag);
    }
    // `Accept` and `format` choose the same format.
    let csv = SERVER.ask(&Method::GET, "market/momentum?limit=30", &[("accept", "text/csv")]);
    assert_eq!(csv.header("etag"), tags[3]);
}

#[test]
fn no_rows_are_a_schema_a_line_of_names_or_nothing() {
    let path = "market/rs-changes?min_delta=98&days=1";
    assert_eq!(SERVER.get(path).data().as_array().map(Vec::len).unwrap_or_default(), 0);
    let format = |format: &str| SERVER.get(&format!("{path}&format={format}"));
    let (facts, columns) = of_columns(&format("columns"));
    assert!(facts.rows.is_empty() && !columns.is_empty());
    assert_eq!(format("ndjson").body, b"");
    assert_eq!(String::from_utf8(format("csv").body).unwrap().lines().count(), 1);
    let (schema, batches) = stream(&format("arrow"));
    assert_eq!((schema.fields().len(), batches.len()), (columns.len(), 0));
}
