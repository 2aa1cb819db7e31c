//! Files of rows, stored replies, kills and budgets.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use futures::executor::block_on;
use parquote_catalogue::operation::Market;
use serde_json::Value as Json;

use super::{CATALOGUE, day, prompt, release, right_reply};
use crate::{
    Ask, AskError, JobResult, ModelReply, RowState, SourceDocument, Totals, WriteBudget, WriteError,
    WriteFolders, WriteJob, WriteRequest, estimate, select, write_all,
};

/// A model that gives the right reply, and fails after `fails_after` replies.
struct Model {
    asked: Mutex<Vec<String>>,
    fails_after: usize,
}

impl Model {
    fn new(fails_after: usize) -> Self {
        Self { asked: Mutex::default(), fails_after }
    }
}

fn reply(text: String) -> ModelReply {
    ModelReply {
        provider: "openai".to_owned(),
        model: "qwen3".to_owned(),
        text,
        cut: false,
        input_tokens: 1_000,
        output_tokens: 500,
        cost_usd: Some(0.002),
        seconds: 1.5,
        day: day("2026-08-06"),
    }
}

impl Ask for Model {
    fn identity(&self) -> (&str, &str) {
        ("openai", "qwen3")
    }

    async fn ask(&self, request: &WriteRequest) -> Result<ModelReply, AskError> {
        let mut asked = self.asked.lock().unwrap();
        if asked.len() >= self.fails_after {
            return Err(AskError::Unavailable("no capacity".to_owned()));
        }
        asked.push(request.key("openai", "qwen3"));
        Ok(reply(right_reply().to_string()))
    }
}

const FREE: WriteBudget = WriteBudget { usd: None, spent_usd: 0.0, price: None };

/// Quarters of one company.
fn documents(count: usize) -> Vec<SourceDocument> {
    let of = |n: usize| SourceDocument { symbol: format!("ALFA{n}"), hash: format!("{n:016x}"), ..release() };
    (0..count).map(of).collect()
}

/// Runs the jobs of documents in a folder; returns the totals and a line for each job.
fn run(
    raw: &Path,
    documents: &[SourceDocument],
    model: &Model,
    budget: WriteBudget,
) -> (Totals, Vec<String>) {
    let prompt = prompt("ai_summaries");
    let table = CATALOGUE.table(Market::India, "ai_summaries").unwrap();
    let selected = select(&prompt, table, Market::India, documents);
    let folders = WriteFolders::open(raw, Market::India).unwrap();
    let mut said = Vec::new();
    let mut note = |job: &WriteJob<'_>, result: &JobResult| {
        let word = match result {
            JobResult::Skipped(state) => format!("{state:?}"),
            JobResult::Written(_) => "written".to_owned(),
            other => format!("{other:?}"),
        };
        said.push(format!("{} {word}", job.document.symbol));
    };
    let totals = block_on(write_all(&folders, &selected.jobs, model, budget, &mut note)).unwrap();
    (totals, said)
}

fn row_file(raw: &Path, n: usize) -> std::path::PathBuf {
    raw.join(format!("india/written/ai_summaries/ALFA{n}_2026-06-30.json"))
}

#[test]
fn a_row_is_a_file_that_raw_reads_and_a_second_run_asks_for_nothing() {
    let raw = tempfile::tempdir().unwrap();
    let (documents, model) = (documents(2), Model::new(9));
    let (totals, _) = run(raw.path(), &documents, &model, FREE);
    assert_eq!((totals.written, totals.paid_replies, totals.supported, totals.struck), (2, 2, 10, 0));
    let rows: Json = serde_json::from_slice(&fs::read(row_file(raw.path(), 0)).unwrap()).unwrap();
    assert_eq!(rows[0]["symbol"], "ALFA0");
    assert_eq!(rows[0]["written_by"], "openai qwen3, prompt ai_summaries 1");
    let (totals, said) = run(raw.path(), &documents, &model, FREE);
    assert_eq!((totals.skipped, totals.paid_replies), (2, 0));
    assert_eq!(said, ["ALFA0 Done", "ALFA1 Done"]);
    // No file of the program is among the raw files but the rows and their evidence.
    let mut files = vec![raw.path().join("india")];
    let mut found = Vec::new();
    while let Some(folder) = files.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() { files.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    assert_eq!(found.len(), 4, "{found:?}");
    let evidence = raw.path().join("india/written/text_evidence/ALFA1_2026-06-30_ai_summaries.json");
    let rows: Json = serde_json::from_slice(&fs::read(evidence).unwrap()).unwrap();
    assert_eq!((&rows[4]["symbol"], &rows[4]["paragraph"]), (&"ALFA1".into(), &4.into()));
}

#[test]
fn a_file_of_a_person_is_never_written() {
    let raw = tempfile::tempdir().unwrap();
    let (mut documents, model) = (documents(4), Model::new(99));
    fs::create_dir_all(row_file(raw.path(), 3).parent().unwrap()).unwrap();
    fs::write(row_file(raw.path(), 3), "[]").unwrap();
    run(raw.path(), &documents, &model, FREE);
    fs::write(row_file(raw.path(), 0), "[{\"symbol\": \"MINE\"}]").unwrap();
    fs::remove_file(row_file(raw.path(), 1)).unwrap();
    // New documents of the same quarters.
    for document in &mut documents {
        document.hash = format!("{}x", document.hash);
        document.paragraphs.push("A later paragraph.".to_owned());
    }
    let (totals, said) = run(raw.path(), &documents, &model, FREE);
    assert_eq!(said, ["ALFA0 Edited", "ALFA1 Deleted", "ALFA2 written", "ALFA3 Foreign"]);
    assert_eq!((totals.paid_replies, totals.written), (1, 1));
    assert_eq!(fs::read_to_string(row_file(raw.path(), 0)).unwrap(), "[{\"symbol\": \"MINE\"}]");
    assert!(!row_file(raw.path(), 1).exists());
    assert_eq!(fs::read_to_string(row_file(raw.path(), 3)).unwrap(), "[]");
}

/// A kill leaves some of the files. The test makes each such state, and the next run continues from it without a second payment.
#[test]
fn after_a_kill_no_document_is_paid_for_twice() {
    let raw = tempfile::tempdir().unwrap();
    let documents = documents(12);
    let mut asked: Vec<String> = Vec::new();
    for step in 0..100_usize {
        let model = Model::new(step % 3);
        run(raw.path(), &documents, &model, FREE);
        asked.extend(model.asked.into_inner().unwrap());
        let place =
            |n: usize| raw.path().join(format!(".written/india/ai_summaries/ALFA{n}_2026-06-30.json"));
        let n = step * 7 % 12;
        match step % 4 {
            // Killed before the note, or with a file half written.
            0 if place(n).exists() => {
                fs::remove_file(place(n)).unwrap();
                fs::remove_file(row_file(raw.path(), n)).unwrap();
                fs::write(raw.path().join(".written/india/unfinished"), "{\"half").unwrap();
            }
            // Killed between the first note and the file, or between the file and the second note.
            1 | 2 if place(n).exists() => {
                let mut note: Json = serde_json::from_slice(&fs::read(place(n)).unwrap()).unwrap();
                note["done"] = false.into();
                fs::write(place(n), note.to_string()).unwrap();
                if step % 4 == 1 {
                    fs::remove_file(row_file(raw.path(), n)).unwrap();
                }
            }
            _ => {}
        }
    }
    let (totals, said) = run(raw.path(), &documents, &Model::new(0), FREE);
    assert_eq!(totals.remaining, 0, "{said:?}");
    assert!((0..12).all(|n| row_file(raw.path(), n).exists()));
    assert_eq!(asked.len(), 12);
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 12);
}

#[test]
fn the_budget_ends_the_run_before_it_is_passed() {
    let raw = tempfile::tempdir().unwrap();
    let documents = documents(5);
    // A request may cost up to 2,500 tokens of a reply at 1 dollar for a million, and its own tokens at nothing.
    let budget = WriteBudget { usd: Some(0.0066), spent_usd: 0.0, price: Some((0.0, 1.0)) };
    let (totals, _) = run(raw.path(), &documents, &Model::new(9), budget);
    // 0.0025 fits three times beside what was really spent: 0, 0.002 and 0.004, but not beside 0.006.
    assert_eq!((totals.paid_replies, totals.remaining), (3, 2));
    assert!(totals.stopped.unwrap().contains("0.0060 of 0.0066"));
    let spent = WriteBudget { spent_usd: 0.005, ..budget };
    let (totals, _) = run(raw.path(), &documents, &Model::new(9), spent);
    assert_eq!((totals.paid_replies, totals.remaining), (0, 2));
    assert!(totals.stopped.unwrap().contains("0.0050 of 0.0066"));
    let unknown = WriteBudget { usd: Some(1.0), spent_usd: 0.0, price: None };
    let (totals, _) = run(raw.path(), &documents, &Model::new(9), unknown);
    assert_eq!((totals.paid_replies, totals.remaining), (0, 2));
}

#[test]
fn an_estimate_counts_what_would_be_asked() {
    let raw = tempfile::tempdir().unwrap();
    let documents = documents(3);
    run(raw.path(), &documents[..1], &Model::new(9), FREE);
    let prompt = prompt("ai_summaries");
    let table = CATALOGUE.table(Market::India, "ai_summaries").unwrap();
    let selected = select(&prompt, table, Market::India, &documents);
    let folders = WriteFolders::open(raw.path(), Market::India).unwrap();
    let sum = estimate(&folders, &selected.jobs, ("openai", "qwen3")).unwrap();
    assert_eq!((sum.documents, sum.skipped, sum.stored, sum.output_tokens), (2, 1, 0, 5_000));
    assert!(sum.input_tokens > 500, "{sum:?}");
    assert!(matches!(WriteFolders::open(raw.path(), Market::India), Err(WriteError::Busy(_))));
}

#[test]
fn an_unusable_reply_is_stored_and_not_asked_for_again() {
    struct Silent(Mutex<usize>);
    impl Ask for Silent {
        fn identity(&self) -> (&str, &str) {
            ("openai", "qwen3")
        }
        async fn ask(&self, _: &WriteRequest) -> Result<ModelReply, AskError> {
            *self.0.lock().unwrap() += 1;
            Ok(ModelReply { cut: *self.0.lock().unwrap() == 1, ..reply("sorry".to_owned()) })
        }
    }
    let raw = tempfile::tempdir().unwrap();
    let (prompt, documents, model) = (prompt("ai_summaries"), documents(2), Silent(Mutex::default()));
    let table = CATALOGUE.table(Market::India, "ai_summaries").unwrap();
    let selected = select(&prompt, table, Market::India, &documents);
    let folders = WriteFolders::open(raw.path(), Market::India).unwrap();
    for _ in 0..2 {
        let totals = block_on(write_all(&folders, &selected.jobs, &model, FREE, &mut |_, _| {})).unwrap();
        assert_eq!((totals.written, totals.without_row), (0, 2));
        assert_eq!(folders.state(&selected.jobs[0]).unwrap(), RowState::Open);
    }
    assert_eq!(*model.0.lock().unwrap(), 2);
}
