//! The report of a run as Markdown, with a link to its page. A model wrote the report: links and markup in it are broken.

use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat};
use serde_json::{Map, Value as Json};

use super::table::without_links;
use super::tool_file::RunReport;
use parquote_catalogue::operation::{Market, argument_text};

/// Facts at the head of a report, in this order.
const FACTS: &str = "market as_of stance committee_signal agreement_score research_stance departs_because \
    model provider";

/// Returns the answer about a run with its report as Markdown, its page, and readable times. `server` is the public address.
pub(super) fn with_markdown_report(
    run: &RunReport,
    answer: Json,
    market: Market,
    server: Option<&str>,
) -> Json {
    let Json::Object(mut fields) = answer else { return answer };
    let market = fields.get("market").and_then(Json::as_str).unwrap_or_else(|| market.word());
    let path = fields.iter().fold(run.page.clone(), |path, (name, value)| {
        path.replace(&format!("{{{name}}}"), &argument_text(value))
    });
    let page = format!("{}/{market}/{path}", server.unwrap_or_default());
    let report = match &run.field {
        Some(field) => fields.shift_remove(field).unwrap_or_default(),
        None => Json::Object(std::mem::take(&mut fields)),
    };
    for (_, value) in fields.iter_mut().filter(|(name, _)| name.ends_with("_at")) {
        let at = value.as_i64().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        if let Some(at) = at {
            *value = at.to_rfc3339_opts(SecondsFormat::Secs, true).into();
        }
    }
    fields.insert("page".into(), page.as_str().into());
    if report.is_object() {
        fields.insert("report".into(), markdown(&report, &page).into());
        fields.insert("quoted".into(), vec!["report"].into());
    }
    Json::Object(fields)
}

fn markdown(report: &Json, page: &str) -> String {
    let [title, head] = match word(report, "verdict") {
        "" => [word(report, "preset"), word(report, "goal")],
        verdict => [word(report, "symbol"), verdict],
    };
    let mut text = format!("# {}\n\n{}\n", line(&format!("{title}: {head}")), link(page));
    let facts = FACTS.split(' ').filter_map(|name| {
        let value = report.get(name).filter(|value| !value.is_null())?;
        Some(format!("{}: {}", name.replace('_', " "), argument_text(value)))
    });
    section(&mut text, "", facts);
    let _ = writeln!(text, "\n{}", break_markup(word(report, "summary")));
    section(&mut text, "Findings", findings(report));
    section(&mut text, "Lenses", list(report, "lenses").map(lens));
    section(&mut text, "Dissent", list(report, "dissent").map(dissent));
    section(&mut text, "Risks", list(report, "risks").map(argument_text));
    section(&mut text, "Picks", list(report, "picks").map(argument_text));
    section(&mut text, "Named besides, and not recorded", list(report, "picks_left_out").map(argument_text));
    for agent in list(report, "agents") {
        let note = &agent["note"];
        let risks = list(note, "risks").map(|risk| format!("Risk: {}", argument_text(risk)));
        let open = list(note, "open_questions").map(|open| format!("Open: {}", argument_text(open)));
        let title = line(&format!("{}, {}", word(agent, "name"), word(agent, "role")));
        section(&mut text, &title, findings(note).chain(risks).chain(open));
    }
    section(&mut text, "Numbers without support", unsupported_numbers(report));
    text
}

fn lens(lens: &Json) -> String {
    let gates = list(lens, "gates").filter(|gate| gate["pass"] == false);
    let failed: Vec<&str> = gates.map(|gate| word(gate, "name")).collect();
    let failed = if failed.is_empty() { String::new() } else { format!(" Fails: {}.", failed.join(", ")) };
    let [name, vote, by_gates] = ["name", "vote", "gate_vote"].map(|field| word(lens, field));
    format!("{name}: {vote}, by its gates {by_gates}. {}{failed}", word(lens, "argument"))
}

fn dissent(dissent: &Json) -> String {
    let [lens, vote, argument] = ["lens", "vote", "argument"].map(|field| word(dissent, field));
    format!("{lens}: {vote}. {argument}")
}

/// Returns the link to the page of the run, or its path if the address of the server is not known.
fn link(page: &str) -> String {
    if page.starts_with('/') { format!("Page: {page}") } else { format!("[Page of this run]({page})") }
}

/// Adds a list under a title; nothing without items.
fn section(text: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.map(|item| format!("- {}\n", line(&item))).collect();
    if !items.is_empty() {
        let head = if title.is_empty() { String::new() } else { format!("## {title}\n\n") };
        let _ = write!(text, "\n{head}{}", items.concat());
    }
}

/// Returns each finding with the figures that support it.
fn findings(note: &Json) -> impl Iterator<Item = String> {
    list(note, "findings").map(|finding| {
        let figure = |figure: &Json| {
            let [operation, symbol, field] = ["operation", "symbol", "field"].map(|name| word(figure, name));
            let source =
                if symbol.is_empty() { operation.to_owned() } else { format!("{operation} {symbol}") };
            format!("{source} {field} {}", argument_text(&figure["value"]))
        };
        let figures: Vec<String> = list(finding, "figures").map(figure).collect();
        let figures = if figures.is_empty() { String::new() } else { format!(" ({})", figures.join("; ")) };
        format!("{}{figures}", word(finding, "claim"))
    })
}

/// Returns the unsupported numbers of a report, each once with the fields in which it was.
fn unsupported_numbers(report: &Json) -> impl Iterator<Item = String> {
    let mut numbers: Map<String, Json> = Map::new();
    for number in list(report, "unsupported_numbers") {
        let place = word(number, "where");
        match numbers.get_mut(word(number, "text")) {
            Some(Json::String(places)) => *places = format!("{places}, {place}"),
            _ => drop(numbers.insert(word(number, "text").to_owned(), place.into())),
        }
    }
    numbers.into_iter().map(|(number, places)| format!("{number}: {}", argument_text(&places)))
}

fn list<'a>(object: &'a Json, name: &str) -> impl Iterator<Item = &'a Json> {
    object.get(name).and_then(Json::as_array).into_iter().flatten()
}

fn word<'a>(object: &'a Json, name: &str) -> &'a str {
    object.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// Returns a text in one line, with its links and markup broken.
fn line(text: &str) -> String {
    break_markup(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn break_markup(text: &str) -> String {
    without_links(text).replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(field: Option<&str>, page: &str) -> RunReport {
        RunReport { field: field.map(str::to_owned), page: page.to_owned() }
    }

    #[test]
    fn a_number_has_one_line_and_the_page_a_link() {
        let struck = |text: &str, place: &str| json!({"text": text, "value": null, "where": place});
        let report = json!({
            "preset": "panel", "goal": "How strong?", "market": "us", "as_of": "2026-10-30", "stance": "mixed",
            "summary": "Strong.\n\n![x](http://evil.example/) <script>",
            "findings": [{"claim": "It rose.", "figures": [{"operation": "us_get_momentum", "symbol": "ABC", "field": "roc_21", "value": 4.5}]}],
            "risks": ["It\nfalls."],
            "picks": ["ABC"],
            "agents": [{"name": "trend", "role": "Trend", "note": {"findings": [], "risks": ["Gap."], "open_questions": ["Why?"]}}],
            "unsupported_numbers": [struck("98.7 %", "summary"), struck("4321.5", "summary"), struck("98.7 %", "risks[0]")],
        });
        let answer =
            json!({"vibe_run_id": "a1", "market": "us", "created_at": 1_793_500_000, "final_report": report});
        let run = run(Some("final_report"), "presets/run?vibe_run_id={vibe_run_id}");
        let answer = with_markdown_report(&run, answer, Market::India, Some("https://m.example"));
        assert_eq!(answer["created_at"], "2026-11-01T02:26:40Z");
        assert_eq!(answer["quoted"], json!(["report"]));
        let page = "https://m.example/us/presets/run?vibe_run_id=a1";
        assert_eq!(answer["page"], page);
        let text = answer["report"].as_str().unwrap();
        let expected = format!(
            "# panel: How strong?\n\n[Page of this run]({page})\n\n- market: us\n- as of: 2026-10-30\n- stance: mixed\n\n\
             Strong.\n\n![x] (http: //evil.example/) &lt;script>\n\n## Findings\n\n- It rose. (us_get_momentum ABC roc_21 4.5)\n\n\
             ## Risks\n\n- It falls.\n\n## Picks\n\n- ABC\n\n## trend, Trend\n\n- Risk: Gap.\n- Open: Why?\n\n## Numbers without support\n\n\
             - 98.7 %: summary, risks[0]\n- 4321.5: summary\n"
        );
        assert_eq!(text, expected);
        assert!(answer.get("final_report").is_none());
    }

    #[test]
    fn a_committee_has_its_lenses_and_a_run_without_a_report_its_page() {
        let gates = json!([{"name": "roe", "pass": true}, {"name": "debt", "pass": false}]);
        let report = json!({
            "job_id": 7, "symbol": "ABC", "market": "india", "verdict": "BUY", "committee_signal": "WATCH", "agreement_score": 66.7,
            "departs_because": null, "summary": "Yes.",
            "lenses": [{"name": "value", "vote": "BUY", "gate_vote": "WATCH", "argument": "Cheap.", "gates": gates}],
            "dissent": [{"lens": "growth", "vote": "AVOID", "argument": "Slow."}],
        });
        let answer =
            with_markdown_report(&run(None, "committee/run?job_id={job_id}"), report, Market::India, None);
        let text = answer["report"].as_str().unwrap();
        for part in [
            "# ABC: BUY\n\nPage: /india/committee/run?job_id=7\n",
            "- committee signal: WATCH\n- agreement score: 66.7\n",
            "- value: BUY, by its gates WATCH. Cheap. Fails: debt.\n",
            "## Dissent\n\n- growth: AVOID. Slow.\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let running = json!({"vibe_run_id": "a1", "status": "running", "final_report": null});
        let answer =
            with_markdown_report(&run(Some("final_report"), "r?id={vibe_run_id}"), running, Market::Us, None);
        assert_eq!(answer, json!({"vibe_run_id": "a1", "status": "running", "page": "/us/r?id=a1"}));
    }
}
