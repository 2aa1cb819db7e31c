//! The files of an answer that is an object with lists: a back-test as a workbook, and each of its lists as CSV, against its JSON.

use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::documented;
use crate::program::run;
use crate::server::{Reply, SERVER};

/// A test with a pick that a spreadsheet would run as a formula, and one with many trades and unfilled orders.
const TESTS: [&str; 2] = [
    "backtest?sql=SELECT%20DATE%20%272026-09-30%27%20AS%20date%2C%20%27BAXIPAPOWR%27%20AS%20symbol%20UNION%20ALL%20SELECT%20DATE%20%272026-09-30%27%2C%20%27%3D1%2B1%27&detail=full",
    "us/backtest?every=weekly&hold=5&stop=3&volume_pct=0.01&wait=1&capital=1000000000&from=2026-08-03&random=20&detail=full",
];

/// The lists, in the order of the answer, with their places in it.
const LISTS: [(&str, &str); 6] = [
    ("years", "/years"),
    ("unfilled", "/activity/unfilled"),
    ("picks_left_out", "/picks_left_out"),
    ("charges", "/charges"),
    ("equity", "/equity"),
    ("trades", "/trades"),
];

/// Sends a call and checks the reply against the OpenAPI document.
fn ask(path: &str) -> Reply {
    let reply = SERVER.get(path);
    documented::check(&Method::GET, path, &reply).unwrap_or_else(|problem| panic!("{path}: {problem}"));
    reply
}

fn rows<'a>(answer: &'a Json, place: &str) -> &'a Vec<Json> {
    answer.pointer(place).and_then(Json::as_array).unwrap_or_else(|| panic!("{place}: {answer}"))
}

#[cfg(feature = "xlsx")]
mod workbook {
    use std::io::Cursor;

    use calamine::{Data, Reader as _, Xlsx};

    use super::{Json, LISTS, Method, Reply, SERVER, TESTS, ask, rows};

    type Book = Xlsx<Cursor<Vec<u8>>>;

    fn book(reply: &Reply) -> Book {
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
        );
        calamine::open_workbook_from_rs(Cursor::new(reply.body.clone())).unwrap()
    }

    /// Returns the lines of a sheet, without its headings, and the headings.
    fn lines(book: &mut Book, sheet: &str) -> (Vec<String>, Vec<Vec<Data>>) {
        assert_eq!(book.worksheet_formula(sheet).unwrap().used_cells().count(), 0, "{sheet}");
        let range = book.worksheet_range(sheet).unwrap();
        let mut lines = range.rows().map(<[Data]>::to_vec);
        let headings = lines.next().unwrap().iter().map(text).collect();
        (headings, lines.collect())
    }

    fn text(cell: &Data) -> String {
        cell.to_string()
    }

    /// Checks that a cell has the type and the value of JSON: numbers are numbers, and dates are dates.
    fn check(cell: &Data, json: &Json, at: &str) {
        let is_same = match (cell, json) {
            (Data::Empty, Json::Null) => true,
            (Data::Float(number), Json::Number(expected)) => Some(*number) == expected.as_f64(),
            (Data::String(text), Json::String(expected)) => {
                text == expected && text.parse::<chrono::NaiveDate>().is_err()
            }
            (Data::DateTime(day), Json::String(expected)) => {
                let (year, month, day, ..) = day.to_ymd_hms_milli();
                *expected == format!("{year:04}-{month:02}-{day:02}")
            }
            _ => false,
        };
        assert!(is_same, "{at}: {cell:?} is not {json}");
    }

    /// Returns the figures and texts of an object with their paths.
    fn leaves(object: &Json, within: &str) -> Vec<(String, Json)> {
        let mut found = Vec::new();
        for (name, value) in object.as_object().unwrap() {
            let path = format!("{within}{name}");
            match value {
                Json::Null => {}
                Json::Object(_) => found.extend(leaves(value, &format!("{path}."))),
                Json::Array(items) => {
                    let texts = items.iter().filter(|item| item.is_string());
                    found.extend(texts.map(|text| (path.clone(), text.clone())));
                }
                other => found.push((path, other.clone())),
            }
        }
        found
    }

    #[test]
    fn a_workbook_has_the_cells_of_the_answer() {
        let mut rows_of_lists = 0;
        for path in TESTS {
            let answer = ask(path).data();
            let reply = ask(&format!("{path}&format=xlsx"));
            assert_eq!(reply.header("x-tier"), "api_max");
            let mut book = book(&reply);
            let lists = LISTS.map(|(list, _)| list);
            assert_eq!(book.sheet_names(), [&["Summary", "Rules"][..], &lists, &["Columns"]].concat());
            let (headings, figures) = lines(&mut book, "Summary");
            assert_eq!(headings, ["figure", "value", "unit", "words"]);
            let empty = figures.iter().filter(|line| line[1] == Data::Empty);
            for line in empty {
                let pointer = format!("/{}", text(&line[0]).replace('.', "/"));
                assert_eq!(answer.pointer(&pointer), Some(&Json::Null), "{path}: {pointer}");
            }
            let leaves = leaves(&answer, "");
            let figures: Vec<&Vec<Data>> = figures.iter().filter(|line| line[1] != Data::Empty).collect();
            assert!(figures.len() > 30);
            assert_eq!(figures.len(), leaves.len(), "{path}");
            for (line, (name, value)) in figures.iter().zip(&leaves) {
                assert_eq!(text(&line[0]), *name, "{path}");
                check(&line[1], value, name);
                assert!(!text(&line[3]).is_empty(), "{name} is not described");
            }
            let total = figures.iter().find(|line| text(&line[0]) == "statistics.total_return_pct");
            assert_eq!(total.unwrap()[2].to_string(), "percent, 15 is 15 %");
            for (list, place) in LISTS {
                let (headings, lines) = lines(&mut book, list);
                let expected = rows(&answer, place);
                assert_eq!(lines.len(), expected.len(), "{path}: {list}");
                rows_of_lists += lines.len();
                for (row, (line, fields)) in lines.iter().zip(expected).enumerate() {
                    let fields = fields.as_object().unwrap();
                    assert!(fields.keys().eq(&headings), "{path}: {list} has {headings:?}");
                    for (place, (name, value)) in fields.iter().enumerate() {
                        let cell = line.get(place).unwrap_or(&Data::Empty);
                        check(cell, value, &format!("{path}: {name} of row {row} of {list}"));
                    }
                }
            }
            assert_eq!(
                ask(&format!("{path}&format=xlsx")).body,
                reply.body,
                "the same answer has the same bytes"
            );
        }
        assert!(rows_of_lists > 100, "{rows_of_lists}");
    }

    #[test]
    fn a_workbook_has_the_rules_and_the_meaning_of_its_columns() {
        let mut book = book(&ask(&format!("{}&format=xlsx", TESTS[1])));
        let (headings, rules) = lines(&mut book, "Rules");
        assert_eq!(headings, ["parameter", "value", "words"]);
        let rule = |name: &str| rules.iter().find(|line| text(&line[0]) == name).map(|line| line[1].clone());
        for (name, value) in [("hold", 5.0), ("volume_pct", 0.01), ("slippage_bps", 5.0), ("random", 20.0)] {
            assert_eq!(rule(name), Some(Data::Float(value)), "{name}");
        }
        assert_eq!(rule("every"), Some(Data::String("weekly".to_owned())));
        check(&rule("from").unwrap(), &Json::from("2026-08-03"), "from");
        assert_eq!((rule("target"), rule("part")), (None, None));
        assert_eq!(rule("scan"), Some(Data::String("stage2".to_owned())));
        // Parameters of other sources have defaults, which the picks of a SELECT do not use.
        let (_, of_select) = lines(&mut self::book(&ask(&format!("{}&format=xlsx", TESTS[0]))), "Rules");
        let names: Vec<String> = of_select.iter().map(|line| text(&line[0])).collect();
        for (name, is_used) in
            [("sql", true), ("costs", true), ("scan", false), ("top", false), ("every", false)]
        {
            assert_eq!(names.iter().any(|known| known == name), is_used, "{name}");
        }
        let (_, columns) = lines(&mut book, "Columns");
        let words = |list: &str, name: &str| {
            let is_it = |line: &&Vec<Data>| text(&line[0]) == list && text(&line[1]) == name;
            columns.iter().find(is_it).map(|line| text(&line[3]))
        };
        assert_eq!(words("equity", "cash").as_deref(), Some("Cash."));
        let (_, origin) = columns.split_at(columns.len() - 3);
        assert_eq!([&origin[0][0], &origin[0][3]].map(text), ["operation", "us/backtest"]);
        assert_eq!([&origin[2][0], &origin[2][3]].map(text), ["as_of", "2026-10-30"]);
    }

    #[test]
    fn the_page_of_a_back_test_links_to_its_workbook() {
        let rules = "symbols=BAXIPAPOWR&every=quarterly&from=2026-08-01";
        let page = SERVER.send(&Method::GET, &format!("/india/backtest?{rules}"), &[], "");
        let text = String::from_utf8(page.body).unwrap().replace("&amp;", "&");
        for format in ["xlsx", "json"] {
            assert!(text.contains(&format!("href=\"/india/backtest.{format}?{rules}\"")), "{format}: {text}");
        }
        let file = SERVER.send(&Method::GET, &format!("/india/backtest.xlsx?{rules}"), &[], "");
        assert!(file.header("content-disposition").contains("backtest-india.xlsx"));
        let of_api = SERVER.get(&format!("backtest?{rules}&detail=full&format=xlsx"));
        assert!(file.body == of_api.body && file.body.starts_with(b"PK"), "{}", file.status);
        // Rows of an object are no single table.
        assert_eq!(SERVER.send(&Method::GET, &format!("/india/backtest.csv?{rules}"), &[], "").status, 404);
    }

    #[test]
    fn a_workbook_may_be_preferred_by_accept() {
        let media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        book(&SERVER.ask(&Method::GET, TESTS[0], &[("accept", media_type)]));
    }
}

#[test]
fn a_comparison_says_which_rules_it_leaves_out() {
    for (path, is_said) in [(TESTS[1].to_owned(), true), (TESTS[1].replace("&random=20", ""), false)] {
        let warnings = ask(&path).data()["warnings"].to_string();
        assert_eq!(warnings.contains("is without `hold` and `stop`: all are held"), is_said, "{warnings}");
    }
}

#[test]
fn each_list_is_had_as_csv() {
    for path in TESTS {
        let answer = ask(path).data();
        for (list, place) in LISTS {
            let at = format!("{path}&format=csv&part={list}");
            let reply = ask(&at);
            assert_eq!(reply.header("content-type"), "text/csv; charset=utf-8; header=present", "{at}");
            let mut reader = csv::Reader::from_reader(reply.body.as_slice());
            let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
            let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            let expected = rows(&answer, place);
            assert_eq!(lines.len(), expected.len(), "{at}");
            for (line, fields) in lines.iter().zip(expected) {
                let fields = fields.as_object().unwrap();
                assert!(fields.keys().eq(&names), "{at}: {names:?}");
                for (cell, value) in line.iter().zip(fields.values()) {
                    let found = match value {
                        _ if cell.is_empty() => Json::Null,
                        Json::String(_) => json!(cell.strip_prefix('\'').unwrap_or(cell)),
                        _ => serde_json::from_str(cell).unwrap(),
                    };
                    assert_eq!(found, *value, "{at}");
                }
            }
        }
    }
    let left_out = ask(&format!("{}&format=csv&part=picks_left_out", TESTS[0]));
    assert_eq!(
        String::from_utf8(left_out.body).unwrap(),
        "decided,symbol,reason\r\n2026-09-30,'=1+1,no_bar\r\n"
    );
}

#[test]
fn a_list_and_its_format_are_given_together() {
    let test = "backtest?symbols=BAXIPAPOWR&from=2026-08-01";
    for more in ["&format=csv", "&part=equity", "&part=equity&format=xlsx", "&part=equity&format=json"] {
        let refused = ask(&format!("{test}{more}"));
        let is_unbuilt = more.ends_with("xlsx") && !cfg!(feature = "xlsx");
        let words =
            if is_unbuilt { "the feature `xlsx`" } else { "`part` names the list that `format=csv` writes" };
        assert!(refused.status == 400 && refused.message().contains(words), "{more}: {}", refused.message());
    }
    let arrow = ask(&format!("{test}&format=arrow"));
    assert!(arrow.message().contains("`arrow` is not one of json, csv, xlsx"), "{}", arrow.message());
    let unknown = ask(&format!("{test}&format=csv&part=fills"));
    assert!(unknown.status == 400 && unknown.message().contains("unfilled"), "{}", unknown.message());
    if !cfg!(feature = "xlsx") {
        assert!(ask(&format!("{test}&format=xlsx")).message().contains("the feature `xlsx`"));
    }
}

/// An object was sent as JSON under the content type of the rows that `Accept` named.
#[test]
fn an_object_is_json_if_accept_names_rows() {
    for path in [
        "backtest?symbols=BAXIPAPOWR&from=2026-08-01&detail=summary",
        "committee/risk-audit/compute?symbols=BAXIPAPOWR,GEXUDOSERV",
    ] {
        for accept in ["text/csv", "application/x-ndjson", "application/vnd.apache.arrow.stream"] {
            let reply = SERVER.ask(&Method::GET, path, &[("accept", accept)]);
            assert_eq!(
                (reply.status, reply.header("content-type")),
                (200, "application/json"),
                "{path} {accept}"
            );
            assert!(reply.data().is_object(), "{path} {accept}");
        }
    }
}

#[test]
fn the_command_writes_a_list_as_csv() {
    let data = crate::demo_market::SHIPPED.data.to_str().unwrap();
    let rules = ["symbols=BAXIPAPOWR", "every=quarterly", "from=2026-08-01", "detail=full"];
    let csv = ["format=csv", "part=trades"];
    let (code, text, errors) = run(&[&["backtest", "--data", data][..], &rules, &csv].concat());
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        text.starts_with("symbol,decided,opened,")
            && text.contains("\r\nBAXIPAPOWR,2026-09-30,2026-10-01,,,"),
        "{text}"
    );
}
