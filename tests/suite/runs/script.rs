//! A scripted model for every agent of presets and committees: it calls one of its tools, says that it has read, and
//! answers in the requested schema, with a figure from its reading and an invented number.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use parquote::agents::provider::{Message, ToolSpec, Usage};
use serde_json::{Map, Value as Json, json};

use crate::protocol_server::{ParsedRequest, Scripted, Spoken};

/// The number that no tool returned.
pub(super) const INVENTED: &str = "987654.25";
/// The token usage of each reply.
pub(super) const USED: Usage = Usage { input_tokens: 1_000, output_tokens: 100 };
/// A stock of each market.
pub(super) const INDIAN: &str = "FAQINETRAC";
pub(super) const AMERICAN: &str = "BAQEBO";

/// The model's behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Mood {
    /// Correct replies.
    Good,
    /// Refuses the key.
    KeyRefused,
    /// Replies with 429.
    Busy,
    /// Never replies.
    Silent,
    /// Replies against every schema.
    Garbage,
    /// First calls a tool that it was not offered.
    Reaching,
}

/// The model; clones share its state.
#[derive(Clone)]
pub(super) struct Model {
    mood: Arc<AtomicUsize>,
    /// Number of replies before it falls silent.
    left: Arc<AtomicI64>,
    /// The provider as which it never replies.
    silent: Arc<Mutex<Option<Spoken>>>,
    /// The stock that replaces the demo's.
    symbol: Arc<Mutex<Option<String>>>,
    /// The bodies of the requests that it replied to.
    replied: Arc<Mutex<Vec<String>>>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            mood: Arc::default(),
            left: Arc::new(AtomicI64::new(i64::MAX)),
            silent: Arc::default(),
            symbol: Arc::default(),
            replied: Arc::default(),
        }
    }
}

impl Model {
    /// Sets the behaviour.
    pub(super) fn be(&self, mood: Mood) {
        self.mood.store(mood as usize, Ordering::SeqCst);
    }

    /// Sets the number of further replies.
    pub(super) fn replies_left(&self, replies: i64) {
        self.left.store(replies, Ordering::SeqCst);
    }

    /// Stops replying as this provider.
    pub(super) fn be_silent_as(&self, spoken: Spoken) {
        *self.silent.lock().unwrap() = Some(spoken);
    }

    /// Sets the stock that it reads about.
    pub(super) fn look_at(&self, symbol: &str) {
        *self.symbol.lock().unwrap() = Some(symbol.to_owned());
    }

    /// Returns and clears the bodies of the requests that it replied to.
    pub(super) fn replied(&self) -> Vec<String> {
        std::mem::take(&mut self.replied.lock().unwrap())
    }

    /// Returns the reply to a request.
    pub(super) fn reply(&self, asked: &ParsedRequest) -> Scripted {
        let mood = self.mood.load(Ordering::SeqCst);
        let is = |wanted: Mood| mood == wanted as usize;
        if is(Mood::KeyRefused) {
            return Scripted::BadKey(format!("Incorrect API key provided: {}", asked.key));
        }
        if is(Mood::Busy) {
            return Scripted::Error { status: 429, retry_after: Some("1"), said: "slow down".to_owned() };
        }
        let is_silent = is(Mood::Silent) || *self.silent.lock().unwrap() == Some(asked.spoken);
        if is_silent || self.left.fetch_sub(1, Ordering::SeqCst) <= 0 {
            return Scripted::Silence;
        }
        if is(Mood::Garbage) {
            return Scripted::Text("BUY everything, DROP TABLE stocks".to_owned(), USED);
        }
        self.replied.lock().unwrap().push(asked.body.to_string());
        let symbol = self.symbol.lock().unwrap().clone();
        said(asked, symbol.as_deref(), is(Mood::Reaching))
    }
}

fn said(asked: &ParsedRequest, symbol: Option<&str>, reaching: bool) -> Scripted {
    let text = |text: &str| Scripted::Text(text.to_owned(), USED);
    if let Some(schema) = schema_of(asked) {
        if schema["properties"]["groups"].is_object() {
            return text(&screen().to_string());
        }
        let seat = Seat::from_request(asked);
        return text(&seat.answer("", &schema).to_string());
    }
    if asked.tools.is_empty() {
        return text("OK");
    }
    let answers = asked.messages.iter().filter(|message| matches!(message, Message::Tool { .. })).count();
    if reaching && answers == 0 {
        let arguments = json!({"provider": "openai", "key": "sk-taken-over-0000", "market": "india"});
        return Scripted::call("call_0", "save_byo_key", arguments);
    }
    if answers > usize::from(reaching) {
        return text("I have read what I need.");
    }
    let (name, arguments) = call(&asked.tools, asked, symbol);
    Scripted::call("call_1", &name, arguments)
}

/// Returns a tool that requires only a symbol, otherwise the first offered one, with its required arguments.
fn call(tools: &[ToolSpec], asked: &ParsedRequest, symbol: Option<&str>) -> (String, Json) {
    let needs = |tool: &&ToolSpec| tool.parameters["required"] == json!(["symbol"]);
    let tool = tools.iter().find(needs).unwrap_or(&tools[0]);
    let is_us = conversation(asked).contains("The market is US");
    let symbol = symbol.unwrap_or(if is_us { AMERICAN } else { INDIAN });
    let mut arguments = Map::new();
    for name in tool.parameters["required"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        let schema = &tool.parameters["properties"][name];
        let value = match (name, schema["type"].as_str()) {
            ("symbols", _) => json!([symbol]),
            ("symbol" | "q" | "query" | "name", _) => json!(symbol),
            (_, Some("integer" | "number")) => schema.get("minimum").cloned().unwrap_or(json!(1)),
            (_, Some("boolean")) => json!(false),
            (_, Some("array")) => json!([symbol]),
            _ => schema["enum"].get(0).cloned().unwrap_or(json!(symbol)),
        };
        arguments.insert(name.to_owned(), value);
    }
    (tool.name.clone(), Json::Object(arguments))
}

/// Returns a screen: a return on equity of at least 12, the strongest first.
fn screen() -> Json {
    let leaf = json!({"field": "roe", "op": ">=", "number": 12, "upper": 0, "texts": [], "flag": false, "negate": false});
    json!({"groups": [{"any": [leaf]}], "sort_field": "rs_rating", "sort_direction": "desc", "limit": 0, "not_understood": []})
}

/// Returns the schema of the answer, from its field or from the instructions.
fn schema_of(asked: &ParsedRequest) -> Option<Json> {
    asked.schema.clone().or_else(|| {
        let (_, schema) = asked.system.split_once("It must match this JSON schema:\n")?;
        serde_json::from_str(schema).ok()
    })
}

fn conversation(asked: &ParsedRequest) -> String {
    let texts = asked.messages.iter().map(|message| match message {
        Message::User { text } | Message::Assistant { text, .. } | Message::Tool { text, .. } => {
            text.as_str()
        }
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// An agent's name, and a figure that it may cite.
struct Seat {
    name: String,
    /// The stock that the editor of a preset picks.
    pick: &'static str,
    figure: Option<Json>,
}

impl Seat {
    fn from_request(asked: &ParsedRequest) -> Self {
        let told = conversation(asked);
        let name = told.split("You are `").nth(1).and_then(|rest| rest.split('`').next()).unwrap_or_default();
        let pick = if told.contains("The market is US") { AMERICAN } else { INDIAN };
        Self { name: name.to_owned(), pick, figure: figure(&told) }
    }

    /// Returns an answer that fits the schema.
    fn answer(&self, name: &str, schema: &Json) -> Json {
        if let Some(words) = schema["enum"].as_array() {
            // One of the three analysts disagrees.
            let word =
                if name == "vote" && self.name == "value_safety" { words.last() } else { words.first() };
            return word.cloned().unwrap();
        }
        match schema["type"].as_str() {
            Some("object") => {
                let properties = schema["properties"].as_object().unwrap().iter();
                properties.map(|(name, schema)| (name.clone(), self.answer(name, schema))).collect()
            }
            Some("array") if name == "picks" => json!([self.pick, "NOSUCH"]),
            Some("array") if name == "figures" => self.figure.iter().cloned().collect(),
            Some("array") => json!([self.answer(name, &schema["items"])]),
            _ => json!(self.text(name)),
        }
    }

    fn text(&self, name: &str) -> String {
        match name {
            "summary" | "claim" | "argument" => {
                format!("What {} read bears the idea out. Sales will reach {INVENTED} crore.", self.name)
            }
            "departs_because" => "the analysts saw more than the gates".to_owned(),
            _ => format!("{name}: it may turn out otherwise"),
        }
    }
}

/// Returns a figure from a tool's first answer in a conversation, otherwise the first that an earlier agent cited.
fn figure(told: &str) -> Option<Json> {
    blocks(told).into_iter().find_map(|(from, text)| {
        let json = text
            .split_once('\n')
            .filter(|(first, _)| first.starts_with("called with "))
            .map_or(text.as_str(), |(_, rest)| rest);
        let json: Json = serde_json::from_str(json).ok()?;
        if from.starts_with("findings of") {
            return cited(&json);
        }
        let known = from.starts_with("get_") || from.starts_with("us_") || from.starts_with("market_");
        known.then(|| number(&json, None))?.map(|(symbol, field, value)| {
            json!({"operation": from, "symbol": symbol.unwrap_or_default(), "field": field, "value": value})
        })
    })
}

/// Returns the first figure that a note cites.
fn cited(note: &Json) -> Option<Json> {
    let findings = note["findings"].as_array()?;
    findings.iter().flat_map(|finding| finding["figures"].as_array().into_iter().flatten()).next().cloned()
}

/// Returns the first number of an answer that is no count, with its field and the symbol in the same row.
fn number(json: &Json, symbol: Option<&str>) -> Option<(Option<String>, String, Json)> {
    match json {
        Json::Object(fields) => {
            let symbol = fields.get("symbol").and_then(Json::as_str).or(symbol);
            let own = fields.iter().find(|(name, value)| value.is_f64() && name.as_str() != "count");
            own.map(|(name, value)| (symbol.map(str::to_owned), name.clone(), value.clone()))
                .or_else(|| fields.values().find_map(|value| number(value, symbol)))
        }
        Json::Array(rows) => rows.iter().find_map(|row| number(row, symbol)),
        _ => None,
    }
}

/// Returns the marked data of a conversation: source and text of each.
pub(super) fn blocks(told: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    for part in told.split("<data id=\"").skip(1) {
        let Some((id, rest)) = part.split_once("\" from=\"") else { continue };
        let Some((from, rest)) = rest.split_once("\">\n") else { continue };
        let Some((text, _)) = rest.split_once(&format!("\n</data id=\"{id}\">")) else { continue };
        blocks.push((from.to_owned(), text.replace("&lt;", "<")));
    }
    blocks
}
