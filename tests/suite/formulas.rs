//! Texts that spreadsheets would take for formulas, in CSV and in workbooks.

use std::sync::Arc;

use datafusion::arrow::array::StringArray;
use parquote::engine::QueryLimits;

use crate::demo_market::{LITTLE, few_operations, open_with};
use crate::server::Server;
use crate::tables::{change, replaced};

/// Company names that look like formulas, and some harmless ones.
const NAMES: [&str; 12] = [
    "=HYPERLINK(\"http://x\",\"click\")",
    "=1+1",
    "+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\u{ff1d}1+1",
    "'quoted'",
    "Plain = 1, and more",
    "\u{ff21}BC",
];

#[test]
fn no_text_of_a_csv_is_a_formula_and_every_text_can_be_read_back() {
    let copy = LITTLE.copy();
    change(&copy.path().join("india/stocks.parquet"), |rows| {
        replaced(&rows, "company_name", |values| {
            Arc::new((0..values.len()).map(|row| Some(NAMES[row % NAMES.len()])).collect::<StringArray>())
        })
    });
    let operations = few_operations(&["companies", "market/top-movers"], &[]).unwrap();
    let root = copy.path().to_str().unwrap();
    let server = Server::start(&operations, open_with(&operations, root, &QueryLimits::default()).unwrap());
    let (mut texts, mut negative) = (0, 0);
    for path in ["companies?limit=50", "market/top-movers?direction=losers&limit=20&liquidity=all"] {
        let rows = server.get(path).data();
        let reply = server.get(&format!("{path}&format=csv"));
        let mut reader = csv::Reader::from_reader(reply.body.as_slice());
        let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        for (record, row) in reader.records().zip(rows.as_array().unwrap()) {
            for (name, cell) in names.iter().zip(record.unwrap().iter()) {
                if let Some(text) = row[name].as_str() {
                    texts += usize::from(cell != text);
                    assert_eq!(cell.strip_prefix('\'').unwrap_or(cell), text, "{name}");
                    let begins = cell.chars().next();
                    assert!(begins.is_none_or(|first| !"=+-@\t\r\n\u{ff1d}".contains(first)), "{cell:?}");
                } else if row[name].is_number() {
                    negative += usize::from(cell.starts_with('-'));
                    let number: f64 = cell.parse().unwrap();
                    assert_eq!(number.to_bits(), row[name].as_f64().unwrap().to_bits(), "{name}");
                }
            }
        }
    }
    assert!(texts > 10 && negative > 3, "{texts} texts were marked, {negative} numbers are below zero");
}
