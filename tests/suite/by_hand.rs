//! Operations of the explorer over handmade rows, with expected figures computed by hand: ties, missing figures, and histories that
//! are too short.

use std::path::Path;
use std::sync::Arc;

use chrono::NaiveDate;
use datafusion::arrow::array::{
    ArrayRef, AsArray, BooleanArray, Date32Array, Float64Array, Int64Array, StringArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Date32Type};
use datafusion::arrow::record_batch::RecordBatch;
use serde_json::{Value as Json, json};

use crate::demo_market::{CATALOGUE, LITTLE, open};
use crate::server::{LITTLE_SERVER, Server};
use crate::tables::{change, picked, read, replaced};

/// Returns a column as strings.
fn texts(rows: &RecordBatch, column: &str) -> Vec<String> {
    let values = cast(rows.column_by_name(column).unwrap(), &DataType::Utf8).unwrap();
    values.as_string::<i32>().iter().map(|text| text.unwrap_or_default().to_owned()).collect()
}

fn rows(server: &Server, path: &str) -> Vec<Json> {
    server.get(path).data().as_array().unwrap().clone()
}

/// Return on equity, price to earnings and debt to equity of the first seven companies, all in one sector; no other company has them.
/// The seventh has not traded recently.
const RATIOS: [(&str, [Option<f64>; 7]); 3] = [
    ("roe", [Some(10.0), Some(20.0), Some(20.0), Some(30.0), None, Some(50.0), Some(5.0)]),
    ("pe", [Some(10.0), Some(20.0), Some(20.0), Some(30.0), None, Some(50.0), Some(5.0)]),
    ("de", [Some(1.0), Some(2.0), Some(3.0), Some(4.0), None, None, None]),
];

/// Writes [`RATIOS`] into a folder; returns the symbols of the companies.
fn write_ratios(folder: &Path) -> Vec<String> {
    let market = folder.join("india");
    let mut symbols = texts(&read(&market.join("ratios.parquet")), "symbol");
    symbols.dedup();
    symbols.truncate(7);
    change(&market.join("fundamentals.parquet"), |rows| {
        let count = rows.num_rows();
        let traded = texts(&rows, "symbol").iter().map(|symbol| *symbol != symbols[6]).collect::<Vec<_>>();
        let same = |word: &str| -> ArrayRef { Arc::new(StringArray::from(vec![word; count])) };
        let rows = replaced(&rows, "sector", |_| same("Power"));
        let rows = replaced(&rows, "business_kind", |_| same("other"));
        replaced(&rows, "is_eligible", |_| Arc::new(BooleanArray::from(traded)))
    });
    change(&market.join("ratios.parquet"), |rows| {
        let value = |(symbol, code): (&String, &String)| {
            let (_, values) = RATIOS.iter().find(|(known, _)| known == code)?;
            values[symbols.iter().position(|known| known == symbol)?]
        };
        let (companies, codes) = (texts(&rows, "symbol"), texts(&rows, "ratio_code"));
        let values: Float64Array = companies.iter().zip(&codes).map(value).collect();
        let applies = BooleanArray::from(vec![true; rows.num_rows()]);
        let rows = replaced(&rows, "ratio_value", |_| Arc::new(values));
        replaced(&rows, "applies", |_| Arc::new(applies))
    });
    symbols
}

#[test]
fn ratios_stand_in_their_sector_as_worked_out_by_hand() {
    let copy = LITTLE.copy();
    let symbols = write_ratios(copy.path());
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let comparable = read(&copy.path().join("india/fundamentals.parquet")).num_rows() as i64 - 1;
    // Of 10, 20, 20, 30 and 50 the quartiles are the second and the fourth. Both 20s share a rank and the mean of two percentiles.
    let five = (json!(20), json!(20), json!(30), 5);
    let four = (Json::Null, Json::Null, Json::Null, 4);
    for (company, code, (low, middle, high, peers), place, percentile) in [
        (0, "roe", &five, json!(5), json!(0)),
        (1, "roe", &five, json!(3), json!(37.5)),
        (2, "roe", &five, json!(3), json!(37.5)),
        (3, "roe", &five, json!(2), json!(75)),
        (4, "roe", &five, Json::Null, Json::Null),
        (5, "roe", &five, json!(1), json!(100)),
        (6, "roe", &five, Json::Null, Json::Null),
        // Lower is better.
        (0, "pe", &five, json!(1), json!(100)),
        (1, "pe", &five, json!(2), json!(62.5)),
        (3, "pe", &five, json!(4), json!(25)),
        // Four values get a rank, but no quartile or percentile, which need five.
        (0, "de", &four, json!(1), Json::Null),
        (3, "de", &four, json!(4), Json::Null),
        (5, "de", &four, Json::Null, Json::Null),
        // No company has it.
        (0, "roce", &(Json::Null, Json::Null, Json::Null, 0), Json::Null, Json::Null),
    ] {
        let found = rows(&server, &format!("explore/sector-ratios?symbol={}", symbols[company]));
        assert_eq!(found.len(), 33, "every ratio applies");
        let row = found.iter().find(|row| row["ratio_code"] == code).unwrap();
        let number = |name: &str| row[name].as_f64();
        for (name, expected) in [
            ("sector_lower_quartile", low),
            ("sector_median", middle),
            ("sector_upper_quartile", high),
            ("ratio_place", &place),
            ("sector_percentile", &percentile),
        ] {
            assert_eq!(number(name), expected.as_f64(), "{name} of {code} of company {company}: {row}");
        }
        assert_eq!(row["peer_count"], *peers, "{row}");
        assert_eq!(row["peers_missing"], comparable - *peers, "{row}");
    }
    let first = rows(&server, &format!("explore/sector-ratios?symbol={}", symbols[0]));
    let codes: Vec<&str> = first.iter().take(3).filter_map(|row| row["ratio_code"].as_str()).collect();
    assert_eq!(codes, ["pe", "roe", "altman_z_score"], "the best place first, then by code");
}

#[test]
fn deals_stand_beside_their_session_where_there_is_one() {
    let copy = LITTLE.copy();
    let path = copy.path().join("india/deals.parquet");
    let mut symbol = String::new();
    change(&path, |rows| {
        let first = picked(&rows, [0, 0, 0]);
        symbol = texts(&first, "symbol").remove(0);
        let dates = cast(first.column_by_name("deal_date").unwrap(), &DataType::Date32).unwrap();
        let day = dates.as_primitive::<Date32Type>().value(0);
        // The third deal is dated before the first session.
        let days: ArrayRef =
            Arc::new(datafusion::arrow::array::Date32Array::from(vec![day, day, day - 1_000]));
        let first = replaced(&first, "deal_date", |_| days);
        let first = replaced(&first, "sequence", |_| Arc::new(Int64Array::from(vec![1, 2, 1])));
        let first = replaced(&first, "value_cr", |_| Arc::new(Float64Array::from(vec![7.0, 7.0, 9.0])));
        let first =
            replaced(&first, "quantity", |_| Arc::new(Int64Array::from(vec![15_000_000, 30_000_000, 500])));
        // The table is sorted by its key: symbol, date, sequence.
        picked(&first, [2, 0, 1])
    });
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let found = rows(&server, &format!("explore/company-deals?symbol={symbol}&days=1830"));
    let quantities: Vec<&Json> = found.iter().map(|row| &row["quantity"]).collect();
    assert_eq!(
        quantities,
        [15_000_000, 30_000_000, 500],
        "equal values in the order of their numbers, the oldest last"
    );
    for row in &found[..2] {
        let (volume, close) =
            (row["session_volume"].as_f64().unwrap(), row["session_close"].as_f64().unwrap());
        let expected = 100.0 * row["quantity"].as_f64().unwrap() / volume;
        assert!((row["pct_of_volume"].as_f64().unwrap() - expected).abs() <= 0.005, "{row}");
        let above = 100.0 * (row["price"].as_f64().unwrap() / close - 1.0);
        assert!((row["price_to_close_pct"].as_f64().unwrap() - above).abs() <= 0.02, "{row}");
    }
    for name in ["session_volume", "session_close", "pct_of_volume", "pct_of_company", "price_to_close_pct"] {
        assert!(found[2][name].is_null(), "{name} of {}", found[2]);
    }
    let recent = rows(&server, &format!("explore/company-deals?symbol={symbol}&days=800"));
    assert_eq!(recent.len(), 2);
}

#[test]
fn the_net_of_deals_is_what_was_bought_less_what_was_sold() {
    let copy = LITTLE.copy();
    let as_of: NaiveDate = LITTLE_SERVER.get("companies").header("x-as-of").parse().unwrap();
    let mut symbol = String::new();
    change(&copy.path().join("india/deals.parquet"), |rows| {
        let four = picked(&rows, [0, 0, 0, 0]);
        symbol = texts(&four, "symbol").remove(0);
        let days: ArrayRef = Arc::new(Date32Array::from(vec![Date32Type::from_naive_date(as_of); 4]));
        let four = replaced(&four, "deal_date", |_| days);
        let four = replaced(&four, "sequence", |_| Arc::new(Int64Array::from(vec![1, 2, 3, 4])));
        let sides = ["buy", "buy", "sell", "buy"];
        let four = replaced(&four, "side", |_| Arc::new(StringArray::from(sides.to_vec())));
        let clients = ["One Fund", "ONE FUND", "TWO LLP", "ONE FUND"];
        let four = replaced(&four, "client", |_| Arc::new(StringArray::from(clients.to_vec())));
        let values = vec![Some(7.0), Some(5.0), Some(9.0), None];
        replaced(&four, "value_cr", |_| Arc::new(Float64Array::from(values)))
    });
    let server = Server::start(&CATALOGUE, open(copy.path()).unwrap());
    let net = |conditions: &str| -> Vec<Json> {
        let found = rows(&server, &format!("explore/deals-by-stock?days=1{conditions}"));
        assert!(found.iter().all(|row| row["symbol"] == *symbol), "{found:?}");
        let names = ["net_bought_cr", "deals_bought_cr", "deals_sold_cr", "deal_rows", "largest_client"];
        found.iter().map(|row| names.iter().map(|name| row[*name].clone()).collect()).collect()
    };
    assert_eq!(net(""), [json!([3, 12, 9, 4, "TWO LLP"])]);
    assert_eq!(net("&client=one"), [json!([12, 12, 0, 3, "One Fund"])]);
    assert_eq!(net("&min_value_cr=6"), [json!([-2, 7, 9, 2, "TWO LLP"])]);
    assert_eq!(net("&client=three"), [Json::Null; 0]);
    let values = |conditions: &str| -> Vec<Json> {
        let found = rows(&server, &format!("explore/deals?days=1{conditions}"));
        found.iter().map(|row| row["value_cr"].clone()).collect()
    };
    assert_eq!(json!(values("")), json!([9, 7, 5, null]), "a deal without a value is the last");
    assert_eq!(json!(values("&side=buy&client=fund")), json!([7, 5, null]));
    assert_eq!(json!(values("&min_value_cr=5&side=buy")), json!([7, 5]));
}

#[test]
fn short_histories_have_no_ratings_and_no_quadrants() {
    let server = &LITTLE_SERVER;
    for market in ["", "us/"] {
        assert_eq!(
            rows(server, &format!("{market}explore/rs-changes?days=252&min_delta=0")),
            [Json::Null; 0]
        );
        let sectors = rows(server, &format!("{market}explore/rotation?weeks=26"));
        assert!(!sectors.is_empty());
        let mut longest = 0;
        for row in sectors {
            assert_eq!([&row["quadrant"], &row["rs_ratio"], &row["rs_momentum"]], [&Json::Null; 3], "{row}");
            longest = longest.max(row["trail"].as_array().map_or(0, Vec::len));
        }
        // Eighty sessions are 16 or 17 weeks, including the current one; a sector whose stocks did not trade has fewer.
        assert!((14..=17).contains(&longest), "{longest}");
    }
}

#[test]
fn a_position_that_the_newest_report_lacks_was_sold() {
    let copy = LITTLE.copy();
    let (mut cik, mut cusip, mut newest, mut before) =
        (String::new(), String::new(), String::new(), String::new());
    change(&copy.path().join("us/investor_holdings.parquet"), |rows| {
        let prior = texts(&rows, "prior_report_date");
        let held = texts(&rows, "prior_shares")
            .iter()
            .map(|shares| shares.parse().unwrap_or(0))
            .collect::<Vec<i64>>();
        let place = held.iter().position(|shares| *shares > 0).unwrap();
        let of = |column: &str| texts(&rows, column).swap_remove(place);
        (cik, cusip, newest, before) = (of("cik"), of("cusip"), of("report_date"), prior[place].clone());
        picked(&rows, (0..rows.num_rows()).filter(|other| *other != place))
    });
    let mut sold = (0, 0.0);
    change(&copy.path().join("us/investor_positions.parquet"), |rows| {
        let columns = ["cik", "cusip", "option_type", "report_date", "shares", "value_usd"]
            .map(|name| texts(&rows, name));
        let is_it = |row: &usize, date: &str| {
            let has = |column: usize, value: &str| columns[column][*row] == value;
            has(0, &cik) && has(1, &cusip) && has(2, "none") && has(3, date)
        };
        let row = (0..rows.num_rows()).find(|row| is_it(row, &before)).unwrap();
        sold = (columns[4][row].parse::<i64>().unwrap(), columns[5][row].parse::<f64>().unwrap());
        picked(&rows, (0..rows.num_rows()).filter(|row| !is_it(row, &newest)))
    });
    let all = |server: &Server| rows(server, "us/chat/holders?changes=sold&limit=200");
    let sold_before = all(&LITTLE_SERVER);
    let found = all(&Server::start(&CATALOGUE, open(copy.path()).unwrap()));
    assert_eq!(found.len(), sold_before.len() + 1, "{found:?}");
    let (shares, value) = sold;
    let row = found.iter().find(|row| row["shares_change"] == json!(-shares)).unwrap();
    assert_eq!((&row["shares"], &row["position_usd_m"]), (&json!(0), &json!(0)));
    let change = row["change_usd_m"].as_f64().unwrap();
    assert!((change + value / 1e6).abs() <= 0.011, "{change} {value}");
}
