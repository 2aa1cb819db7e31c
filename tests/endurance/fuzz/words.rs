//! Texts: headers of query files, query strings, presentations, `Accept`, sentences.

use axum::http::{HeaderMap, HeaderValue, header};
use parquote::http::{preferred_format, query_pairs};
use parquote::language::check;
use parquote::operation::{
    AnswerFormat, Arguments, Check, Market, Offer, Operation, Presentation, Table, Tier, embedded_files,
};
use serde_json::Value as Json;

use super::harness::run;
use crate::demo_market::CATALOGUE;
use crate::grammar::grammar;

fn seeds<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<Vec<u8>> {
    texts.into_iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn headers_of_query_files() {
    let files: Vec<&(&str, &str)> = embedded_files().iter().filter(|(_, text)| text.len() < 6_000).collect();
    run("headers", &seeds(files.iter().map(|(_, text)| *text)), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let told = [
            Operation::parse("api/fuzz.sql", &text).err(),
            Table::parse("tables/fuzz.sql", &text).err(),
            Check::parse("checks/fuzz.sql", &text).err(),
        ];
        for error in told.iter().flatten().flatten() {
            assert!(error.line <= text.lines().count().max(1), "{error}");
            assert!(!error.message.is_empty());
        }
    });
}

/// Returns the query strings of operations' examples, with all presentation parameters.
fn query_strings() -> Vec<String> {
    let examples = CATALOGUE.operations().iter().flat_map(|operation| operation.examples.iter().cloned());
    let more = [
        "symbol=RELIANCE&limit=10&market=india",
        "symbols=TCS,INFY,HDFCBANK&format=csv&fields=symbol,price_cmp&offset=20",
        "apiKey=pq_0123456789abcdef&symbol=M%26M&format=columns",
        "from=2026-01-01&to=2026-10-30&snapshot=12&sort=-roe",
        "min_market_cap=1000&max_pe=25.5&sector=Information%20Technology&order=desc",
        "a=%E0%A4%B9%E0%A4%BF&b=+&c=%2B&d&=e&&&f=g=h",
    ];
    examples.chain(more.map(str::to_owned)).collect()
}

#[test]
fn query_strings_and_their_arguments() {
    let texts = query_strings();
    let operations = CATALOGUE.operations();
    let mut turn = 0;
    run("query_strings", &seeds(texts.iter().map(String::as_str)), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let Ok(pairs) = query_pairs(&text) else { return };
        let pairs: Vec<(&str, &str)> =
            pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        turn += 1;
        let operation = &operations[turn % operations.len()];
        match Arguments::parse(operation, Tier::ApiMax, pairs.iter().copied()) {
            Ok(arguments) => {
                let _ = (arguments.canonical(), operation.select(&arguments));
            }
            Err(violations) => {
                assert!(violations.iter().all(|violation| !violation.message.is_empty()));
            }
        }
    });
}

#[test]
fn presentations() {
    let texts = [
        "format=csv&fields=symbol,price_cmp&offset=20&snapshot=12",
        "format=columns&offset=0",
        "fields=a,b,c,d,e&format=arrow",
        "format=ndjson&fields=%2C%2C&offset=-1",
        "snapshot=india-12-abcdef&format=json&format=csv",
    ];
    let known = ["symbol", "price_cmp", "a", "b", "c"];
    run("presentations", &seeds(texts), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let Ok(pairs) = query_pairs(&text) else { return };
        let pairs: Vec<(&str, &str)> =
            pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        for offer in [Offer::ENVELOPED, Offer::any(AnswerFormat::Csv)] {
            match Presentation::parse(&pairs, offer) {
                Ok(presentation) => {
                    assert!(offer != Offer::ENVELOPED || presentation.format().is_enveloped());
                    let _ = (presentation.check(&known), presentation.canonical());
                }
                Err(violations) => assert!(!violations.is_empty()),
            }
        }
    });
}

#[test]
fn lines_of_accept() {
    let texts = [
        "text/csv;q=0.5, application/json",
        "*/*;q=0.1, application/x-ndjson;level=1;q=1.000",
        "application/vnd.apache.arrow.stream, text/*;q=0",
        "text/csv;q=NaN, application/json;q=1e400, */*;q=-1",
    ];
    run("accept", &seeds(texts), |bytes| {
        let mut headers = HeaderMap::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            if let Ok(line) = HeaderValue::from_bytes(line) {
                headers.append(header::ACCEPT, line);
            }
        }
        assert!(AnswerFormat::ALL.contains(&preferred_format(&headers)));
    });
}

#[test]
fn sentences() {
    let known: Vec<Json> =
        serde_json::from_str(include_str!("../../suite/natural_language/queries.json")).unwrap();
    let texts: Vec<&str> = known.iter().filter_map(|it| it["query"].as_str()).collect();
    let grammars = Market::ALL.map(grammar);
    run("sentences", &seeds(texts), |bytes| {
        let sentence = String::from_utf8_lossy(bytes);
        for grammar in &grammars {
            match grammar.read(&sentence) {
                Ok(screen) => check(&screen.filter, grammar.fields()).unwrap(),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    });
}
