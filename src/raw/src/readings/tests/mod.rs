//! The rules against paragraphs that were labelled by hand: precision is the share of readings that are right, recall the share of labels
//! that are found.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::figures::figures;
use super::orders::contract;
use super::tones::counts;
use parquote_catalogue::operation::Market;

/// The minimum precision and recall.
const FLOOR: f64 = 0.9;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labelled<T> {
    paragraph: Vec<T>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderLabel {
    market: String,
    text: String,
    kind: Option<String>,
    value: Option<f64>,
    months: Option<i64>,
    client: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FiguresLabel {
    market: String,
    text: String,
    figures: Vec<FigureLabel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureLabel {
    metric: String,
    value: f64,
    unit: String,
    pct: Option<f64>,
    points: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToneLabel {
    text: String,
    tone: String,
}

/// Counts of readings against labels.
#[derive(Default)]
struct Tally {
    right: f64,
    read: f64,
    labelled: f64,
    wrong: Vec<String>,
}

impl Tally {
    /// Compares what was read of a paragraph with its labels; each item is a text.
    fn add(&mut self, text: &str, read: &[String], labelled: &[String]) {
        let right = read.iter().filter(|item| labelled.contains(item)).count();
        self.right += right as f64;
        self.read += read.len() as f64;
        self.labelled += labelled.len() as f64;
        if right < read.len().max(labelled.len()) {
            self.wrong.push(format!("{text}\n    read {read:?}, not {labelled:?}"));
        }
    }

    /// Prints precision and recall, and requires the floor of both.
    fn close(&self, readings: &str) {
        let (precision, recall) = (self.right / self.read, self.right / self.labelled);
        println!("{readings}: precision {precision:.3}, recall {recall:.3} of {} labels", self.labelled);
        assert!(
            precision >= FLOOR && recall >= FLOOR,
            "{readings}: {precision} {recall}\n{}",
            self.wrong.join("\n")
        );
    }
}

fn labels<T: DeserializeOwned>(text: &str) -> Vec<T> {
    toml::from_str::<Labelled<T>>(text).unwrap().paragraph
}

/// Writes a figure with four digits, so that equal ones have equal texts.
fn four_digits(figure: Option<f64>) -> String {
    figure.map_or("-".to_owned(), |figure| format!("{figure:.4}"))
}

#[test]
fn contracts_are_read_as_a_person_reads_them() {
    let (mut kinds, mut parts) = (Tally::default(), Tally::default());
    for label in labels::<OrderLabel>(include_str!("orders.toml")) {
        let market: Market = label.market.parse().unwrap();
        let read = contract(&label.text, market);
        let kind = read.as_ref().map(|read| read.kind.to_owned());
        kinds.add(&label.text, &Vec::from_iter(kind), &Vec::from_iter(label.kind.clone()));
        if let (Some(read), Some(_)) = (read, label.kind) {
            let items = |value, months: Option<i64>, client: Option<String>| {
                vec![four_digits(value), format!("{months:?} months"), format!("{client:?}")]
            };
            let labelled = items(label.value, label.months, label.client);
            parts.add(&label.text, &items(read.value, read.months, read.client), &labelled);
        }
    }
    kinds.close("kinds of contracts");
    parts.close("values, months and clients of contracts");
}

#[test]
fn figures_are_read_as_a_person_reads_them() {
    let mut tally = Tally::default();
    for label in labels::<FiguresLabel>(include_str!("figures.toml")) {
        let market: Market = label.market.parse().unwrap();
        let item = |metric: &str, value, unit: &str, change| {
            format!("{metric} {} {unit} {}", four_digits(Some(value)), four_digits(change))
        };
        let read: Vec<String> = figures(&label.text, market)
            .iter()
            .map(|figure| item(figure.metric, figure.value, figure.unit, figure.change))
            .collect();
        let labelled: Vec<String> = label
            .figures
            .iter()
            .map(|figure| item(&figure.metric, figure.value, &figure.unit, figure.pct.or(figure.points)))
            .collect();
        tally.add(&label.text, &read, &labelled);
    }
    tally.close("figures");
}

#[test]
fn tones_are_read_as_a_person_reads_them() {
    let mut tally = Tally::default();
    for label in labels::<ToneLabel>(include_str!("tones.toml")) {
        let tone = match counts(&label.text).balance() {
            balance if balance > 0.0 => "positive",
            balance if balance < 0.0 => "negative",
            _ => "neutral",
        };
        tally.add(&label.text, &[tone.to_owned()], &[label.tone]);
    }
    tally.close("tones");
}

/// Hostile texts: reading them ends and finds nothing.
#[test]
fn hostile_texts_are_read_to_their_end() {
    for text in [
        "", ".", "₹", "$ $ $", "Rs. Rs. 1.2.3.4 crore", "from", "by The", "é é é ! ? é", "eps eps eps 9", "%",
    ] {
        for market in Market::ALL {
            assert!(contract(text, market).is_none() && figures(text, market).is_empty(), "{text}");
        }
        assert!(counts(text).balance().abs() < 1e-9, "{text}");
    }
}

#[test]
fn a_month_and_a_text_in_capitals_are_no_client() {
    let by_month = "The Company has won an order, to be executed by March 2027, from NTPC Limited.";
    let read = |text: &str| contract(text, Market::India).unwrap().client;
    assert_eq!(read(by_month).as_deref(), Some("NTPC Limited"));
    assert_eq!(read(&format!("RECEIVED AN ORDER FROM {}", "NTPC ".repeat(800))), None);
}

#[test]
fn terms_and_sums_that_no_contract_has_are_unknown() {
    let digits = "9".repeat(320);
    let endless = format!("{digits} months");
    for (sum, term, value, months) in [
        ("5", "9 years", Some(5.0), Some(108)),
        ("5", "900 years", Some(5.0), None),
        (digits.as_str(), "24 months", None, Some(24)),
        ("5", endless.as_str(), Some(5.0), None),
    ] {
        let text = format!("The Company has won an order worth Rs. {sum} crore to be executed within {term}");
        let read = contract(&text, Market::India).unwrap();
        assert_eq!((read.value, read.months), (value, months), "{text}");
    }
    let revenue = format!("Revenue was Rs. {digits} crore, up {digits}% compared with last year.");
    assert!(figures(&revenue, Market::India).is_empty());
}
