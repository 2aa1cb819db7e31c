//! Documents that a person corrects: rows that no document gives any more are deleted, and lost evidence is written again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use futures::executor::block_on;
use parquote_catalogue::operation::Market;
use serde_json::{Value as Json, json};

use super::{CATALOGUE, claim, day, document, prompt, release, right_reply};
use crate::{
    Ask, AskError, ListedCompanies, ModelReply, SourceDocument, WriteBudget, WriteFolders, WriteRequest,
    select, withdraw_corrected, write_all,
};

/// A model with one reply.
struct Model(Json);

impl Ask for Model {
    fn identity(&self) -> (&str, &str) {
        ("openai", "qwen3")
    }

    async fn ask(&self, _: &WriteRequest) -> Result<ModelReply, AskError> {
        Ok(ModelReply {
            provider: "openai".to_owned(),
            model: "qwen3".to_owned(),
            text: self.0.to_string(),
            cut: false,
            input_tokens: 1,
            output_tokens: 1,
            cost_usd: None,
            seconds: 0.1,
            day: day("2026-08-06"),
        })
    }
}

/// Deletes rows of corrected documents as the command does, and writes those of the documents; returns the deleted ones.
fn write(raw: &Path, table: &str, documents: &[SourceDocument], reply: &Json) -> Vec<String> {
    let prompt = prompt(table);
    let market = if table == "full_reports" { Market::Us } else { Market::India };
    let table = CATALOGUE.table(market, table).unwrap();
    let folders = WriteFolders::open(raw, market).unwrap();
    let symbols = BTreeSet::from(["ALFA".to_owned()]);
    let companies = ListedCompanies { symbols: &symbols, documents };
    let deleted = withdraw_corrected(&folders, &prompt, table, market, companies).unwrap();
    let selected = select(&prompt, table, market, documents);
    let free = WriteBudget { usd: None, spent_usd: 0.0, price: None };
    block_on(write_all(&folders, &selected.jobs, &Model(reply.clone()), free, &mut |_, _| {})).unwrap();
    deleted
}

/// Names of the files of a table, without their ending.
fn files(raw: &Path, table: &str) -> Vec<String> {
    let folders = ["india", "us"].map(|market| raw.join(market).join("written").join(table));
    let entries = folders.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().replace(".json", "")).collect();
    names.sort();
    names
}

/// Reads the rows of a file below the folder of raw files.
fn rows(raw: &Path, file: &str) -> Json {
    serde_json::from_slice(&fs::read(raw.join(file)).unwrap()).unwrap()
}

fn order(amount: &str) -> (SourceDocument, Json) {
    let text = format!("The Company has received an order worth Rs. {amount} crore.");
    let reply = json!({"claims": [claim("value_cr", &format!("Rs. {amount} crore"), &[1], "")]});
    (document("announcement", &[text.as_str()]), reply)
}

#[test]
fn a_corrected_announcement_takes_the_place_of_the_old_one() {
    let raw = tempfile::tempdir().unwrap();
    let (old, reply) = order("450");
    write(raw.path(), "order_wins", std::slice::from_ref(&old), &reply);
    let (new, reply) = order("540");
    let deleted = write(raw.path(), "order_wins", std::slice::from_ref(&new), &reply);
    assert_eq!(deleted, [format!("ALFA_2026-08-05_{}", old.hash)]);
    let left = format!("ALFA_2026-08-05_{}", new.hash);
    assert_eq!(files(raw.path(), "order_wins"), std::slice::from_ref(&left));
    assert_eq!(files(raw.path(), "text_evidence"), [format!("{left}_order_wins")]);
    // The table of orders has no day of writing; the note has it for evidence that is lost.
    let evidence = raw.path().join(format!("india/written/text_evidence/{left}_order_wins.json"));
    let whole = fs::read(&evidence).unwrap();
    assert!(String::from_utf8_lossy(&whole).contains("\"generated_on\": \"2026-08-06\""));
    fs::remove_file(&evidence).unwrap();
    write(raw.path(), "order_wins", std::slice::from_ref(&new), &reply);
    assert_eq!(fs::read(&evidence).unwrap(), whole);
    // Another day for the same text.
    let moved = SourceDocument { published_on: day("2026-08-04"), ..new.clone() };
    assert_eq!(write(raw.path(), "order_wins", &[moved], &reply), [left]);
    assert_eq!(files(raw.path(), "order_wins"), [format!("ALFA_2026-08-04_{}", new.hash)]);
    // The row stays if its document was deleted, or now has a kind that the prompt does not read.
    let released =
        SourceDocument { kind: "press_release".to_owned(), published_on: day("2026-08-04"), ..new };
    assert_eq!(write(raw.path(), "order_wins", &[released], &reply), Vec::<String>::new());
    let (other, reply) = order("30");
    assert_eq!(write(raw.path(), "order_wins", &[other], &reply), Vec::<String>::new());
    assert_eq!(files(raw.path(), "order_wins").len(), 2);
}

#[test]
fn a_corrected_period_leaves_no_row_of_the_wrong_quarter() {
    let raw = tempfile::tempdir().unwrap();
    let wrong = SourceDocument { period_end: Some(day("2026-03-31")), ..release() };
    write(raw.path(), "ai_summaries", std::slice::from_ref(&wrong), &right_reply());
    assert_eq!(write(raw.path(), "ai_summaries", &[release()], &right_reply()), ["ALFA_2026-03-31"]);
    assert_eq!(files(raw.path(), "ai_summaries"), ["ALFA_2026-06-30"]);
    // The row of the right quarter has the day of its document.
    let later = SourceDocument { published_on: day("2026-08-06"), ..release() };
    assert_eq!(write(raw.path(), "ai_summaries", &[later], &right_reply()), Vec::<String>::new());
    let (row, evidence) =
        ("ai_summaries/ALFA_2026-06-30.json", "text_evidence/ALFA_2026-06-30_ai_summaries.json");
    for (file, column) in [(row, "call_date"), (evidence, "published_on")] {
        assert_eq!(rows(raw.path(), &format!("india/written/{file}"))[0][column], "2026-08-06");
    }
    // The same again, with a file that a person edited.
    let row = raw.path().join("india/written/ai_summaries/ALFA_2026-06-30.json");
    fs::write(&row, "[]").unwrap();
    assert_eq!(write(raw.path(), "ai_summaries", &[wrong], &right_reply()), Vec::<String>::new());
    assert_eq!(fs::read_to_string(row).unwrap(), "[]");
}

#[test]
fn a_new_text_without_a_row_deletes_the_row_of_the_old_text() {
    let raw = tempfile::tempdir().unwrap();
    write(raw.path(), "ai_summaries", &[release()], &right_reply());
    let new = document("press_release", &["Corrected: the figures are withdrawn."]);
    write(raw.path(), "ai_summaries", &[new], &json!({"claims": []}));
    assert_eq!(files(raw.path(), "ai_summaries"), Vec::<String>::new());
    assert_eq!(files(raw.path(), "text_evidence"), Vec::<String>::new());
    // A better document that gives no row leaves that of the other one.
    write(raw.path(), "ai_summaries", &[release()], &right_reply());
    let call = document("transcript", &["Welcome to the call."]);
    write(raw.path(), "ai_summaries", &[release(), call], &json!({"claims": []}));
    assert_eq!(files(raw.path(), "ai_summaries"), ["ALFA_2026-06-30"]);
}

/// The table has one report of a company, in a file with the name of the company.
#[test]
fn a_report_of_a_company_follows_its_document() {
    let raw = tempfile::tempdir().unwrap();
    let filing = document("10-Q", &["Net sales were $94.9 billion.", "Competition may reduce prices."]);
    let reply = json!({"claims": [claim("headline", "Net sales were $94.9 billion.", &[1], "")]});
    let (row, evidence) =
        ("us/written/full_reports/ALFA.json", "us/written/text_evidence/ALFA_full_reports.json");
    for period in ["2026-03-31", "2026-06-30"] {
        let filing = SourceDocument { period_end: Some(day(period)), ..filing.clone() };
        assert_eq!(write(raw.path(), "full_reports", &[filing], &reply), Vec::<String>::new());
        assert_eq!(rows(raw.path(), row)[0]["period_end"], period);
        assert_eq!(rows(raw.path(), evidence)[0]["text_date"], period);
    }
    // A newer report that gives no row leaves it; a corrected text does not.
    let none = json!({"claims": []});
    let newer = SourceDocument {
        published_on: day("2026-11-05"),
        period_end: Some(day("2026-09-30")),
        ..document("10-Q", &["Nothing to report."])
    };
    write(raw.path(), "full_reports", &[filing.clone(), newer], &none);
    assert_eq!(rows(raw.path(), row)[0]["period_end"], "2026-06-30");
    write(raw.path(), "full_reports", &[document("10-Q", &["The report is withdrawn."])], &none);
    assert_eq!(files(raw.path(), "full_reports"), Vec::<String>::new());
    // A document without a period gives no report.
    write(raw.path(), "full_reports", std::slice::from_ref(&filing), &reply);
    let open = SourceDocument { period_end: None, ..filing };
    assert_eq!(write(raw.path(), "full_reports", &[open], &reply), ["ALFA"]);
    assert_eq!(files(raw.path(), "text_evidence"), Vec::<String>::new());
}

#[test]
fn lost_evidence_is_written_again() {
    let call = document(
        "transcript",
        &[
            "Alfa Limited reports its results for the quarter ended June 30, 2026",
            "The order book stood at Rs 12,000 crore. Sales volume was 1.2 million tonnes.",
        ],
    );
    let sections = json!({"claims": [
        claim("growth drivers", "The order book stood at Rs 12,000 crore.", &[2], ""),
        claim("business model", "Alfa Limited reports its results for the quarter.", &[1], ""),
    ]});
    let figures = json!({"claims": [
        claim("sales_volume", "1.2 million tonnes", &[2], ""),
        claim("order_book", "Rs 12,000 crore", &[2], ""),
    ]});
    for (table, document, reply, count) in [
        ("ai_summaries", release(), right_reply(), 5),
        ("ai_profiles", call.clone(), sections, 2),
        ("sector_kpis", call, figures, 2),
    ] {
        let raw = tempfile::tempdir().unwrap();
        let documents = [document];
        write(raw.path(), table, &documents, &reply);
        let file = format!("india/written/text_evidence/ALFA_2026-06-30_{table}.json");
        assert_eq!(rows(raw.path(), &file).as_array().unwrap().len(), count, "{table}");
        let evidence = raw.path().join(file);
        let whole = fs::read(&evidence).unwrap();
        for change in ["", "[]", "{"] {
            if change.is_empty() {
                fs::remove_file(&evidence).unwrap();
            } else {
                fs::write(&evidence, change).unwrap();
            }
            write(raw.path(), table, &documents, &json!("no model is asked"));
            assert_eq!(fs::read(&evidence).unwrap(), whole, "{table}");
        }
    }
}
