//! Subjects that people ask about and that the data does not cover: in the instructions, in `status`, and in `find`.

use serde_json::{Map, Value as Json};

use super::arguments::split;
use super::table::PartRows;
use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;

/// The subjects, each with words by which questions about it are recognised.
const SUBJECTS: [(&str, &str); 6] = [
    ("live prices", "live realtime intraday premarket"),
    ("news", "news headline headlines"),
    ("options and futures", "option options futures derivatives strike expiry"),
    (
        "estimates and targets of analysts",
        "estimate estimates target targets analyst analysts consensus forecast forecasts",
    ),
    ("announced dates of results (`events` has expected ones: due)", "calendar upcoming"),
    ("names of shareholders in India", "shareholder shareholders"),
];

/// Returns all subjects, with commas between them.
pub(crate) fn all() -> String {
    SUBJECTS.map(|(subject, _)| subject).join(", ")
}

/// Returns the subjects that the words ask about; empty if a company has the words in its name.
pub(super) fn missing_subjects(snapshot: &Snapshot, words: &str) -> PartRows {
    let query = split(words);
    let is_about = |words: &str| words.split(' ').any(|word| query.iter().any(|queried| queried == word));
    let subjects = SUBJECTS.into_iter().filter(|(_, words)| is_about(words)).map(|(subject, _)| subject);
    let subjects: Vec<&str> = subjects.collect();
    if subjects.is_empty()
        || Market::ALL.into_iter().any(|market| !snapshot.find_companies(market, words).is_empty())
    {
        return PartRows::default();
    }
    PartRows::fields(Map::from_iter([("no_data_on".to_owned(), Json::from(subjects))]))
}
