//! `queries/api/<route>.sql`: one operation.

use super::column::Column;
use super::condition::Condition;
use super::declared_picture::DeclaredPicture;
use super::header::{Block, DeclarationError, HeaderFact, QueryFile};
use super::market::Market;
use super::param::Param;
use super::param_line::is_name;
use super::placeholders::placeholders;
use super::presentation::Presentation;
use super::tier::{Access, Tier};
use super::variants;
use super::wrap::{WrapField, WrapSource};

/// Name of the parameter by which a caller chooses the market.
pub(super) const MARKET: &str = "market";

/// The shape of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// An object; 404 if there is no row.
    One,
    /// An array.
    List,
    /// An object with the rows under `stocks` and the fields that `wrap:` names around them.
    Stocks,
}

/// Effect of a call on saved data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Effect {
    /// Read only.
    #[default]
    Reads,
    /// Adds or changes data.
    Changes,
    /// Removes data.
    Removes,
}

/// One SELECT of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// Conditions that must all hold for a call.
    pub when: Vec<Condition>,
    /// Shape of its answer.
    pub answer: Answer,
    /// Fields around the rows.
    pub wrap: Vec<WrapField>,
    /// Picture of its rows, if any.
    pub picture: Option<DeclaredPicture>,
    /// The SQL, with `$placeholders`.
    pub sql: String,
    /// First line of the SQL.
    pub line: usize,
}

impl Select {
    /// Returns true if its conditions allow calls for this market.
    pub fn serves(&self, market: Market) -> bool {
        let other = |condition: &Condition| matches!(condition, Condition::Is(param, word) if param == MARKET && word != market.word());
        !self.when.iter().any(other)
    }
}

/// An operation: a route, a tool, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// Path below `queries/`.
    pub file: String,
    /// Its identity, such as `company/profile` or `us/market/breadth`, even without a route.
    pub name: String,
    /// True if `GET /v1/<name>` exists.
    pub has_route: bool,
    /// Market whose tables it reads.
    pub market: Market,
    /// Description in one line.
    pub title: String,
    /// Details; may be empty.
    pub prose: String,
    /// Name of its tool, if any.
    pub tool: Option<String>,
    /// Required access.
    pub access: Access,
    /// Tag that groups it.
    pub group: String,
    /// Parameters, in file order.
    pub params: Vec<Param>,
    /// Its SELECTs; a call uses the first whose conditions hold. Empty if a Rust function answers alone.
    pub selects: Vec<Select>,
    /// Tables that may be missing.
    pub optional_tables: Vec<String>,
    /// True if a free key is limited to its list of symbols.
    pub free_symbols: bool,
    /// Number of requests that a call counts as.
    pub cost: u32,
    /// Effect of a call on saved data.
    pub effect: Effect,
    /// Rust function that makes the answer, if any.
    pub run: Option<String>,
    /// True if that function returns rows that the caller selects, in the requested format.
    pub own_rows: bool,
    /// Descriptions of columns that no table describes, or that have a narrower meaning here.
    pub columns: Vec<Column>,
    /// Rules between parameters, or about what they name, that no JSON schema can express: a sentence each.
    pub constraints: Vec<String>,
    /// Query strings to show and to test, in addition to the one made of the parameters' examples.
    pub examples: Vec<String>,
    /// Version that introduced it.
    pub since: Option<String>,
    /// Replacement, if it is deprecated.
    pub deprecated: Option<String>,
}

impl Operation {
    /// Returns true if callers choose the market, by the parameter `market`.
    pub fn chooses_market(&self) -> bool {
        let words = self.param(MARKET).and_then(Param::words_allowed);
        words.is_some_and(|words| words.iter().eq(Market::ALL.map(Market::word).iter()))
    }

    /// Returns true if it reads the tables of this market.
    pub fn serves(&self, market: Market) -> bool {
        self.market == market || self.chooses_market()
    }

    /// Returns a parameter by its name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Returns the maximum rows that a caller of this tier may request at once; `None` if all are returned.
    pub fn most_rows(&self, tier: Tier) -> Option<i64> {
        let limit = self.param("limit")?;
        limit.cap_for(tier).or_else(|| limit.maximum())
    }

    /// Returns the display name of a parameter's word, if a wrap field has one.
    pub fn label(&self, param: &str, word: &str) -> Option<&str> {
        self.selects.iter().flat_map(|select| &select.wrap).find_map(|field| field.label(param, word))
    }

    /// Returns a call to show and to test: required parameters, or (`whole`) every one with an example.
    pub fn example_pairs(&self, whole: bool) -> Vec<(&str, String)> {
        let shown = self.params.iter().filter(|param| whole || param.required());
        shown.filter_map(|param| Some((param.name.as_str(), param.example.clone()?))).collect()
    }

    /// Parses an operation file; `file` is its path below `queries/`. It declares one operation, or several (`also:`).
    ///
    /// # Errors
    /// All errors of the file.
    pub fn parse(file: &str, text: &str) -> Result<Vec<Self>, Vec<DeclarationError>> {
        let source = QueryFile::parse(file, text).map_err(|error| vec![error])?;
        let name = file.trim_start_matches("api/").trim_end_matches(".sql");
        let declared = variants::split(&source, name, &format!("us/{name}"))?;
        declared.into_iter().map(|(name, source)| Self::read(&source, name)).collect()
    }

    fn read(source: &QueryFile, name: String) -> Result<Self, Vec<DeclarationError>> {
        let market = if name.starts_with("us/") { Market::Us } else { Market::India };
        let mut reader = OperationReader {
            errors: Vec::new(),
            source,
            answer: None,
            wrap: Vec::new(),
            picture: None,
            seen: Vec::new(),
            tier: None,
            operation: Self {
                file: source.file.clone(),
                name,
                has_route: true,
                market,
                title: source.title.clone(),
                prose: source.prose.clone(),
                tool: None,
                access: Access::Public,
                group: String::new(),
                params: Vec::new(),
                selects: Vec::new(),
                optional_tables: Vec::new(),
                free_symbols: false,
                cost: 1,
                effect: Effect::Reads,
                run: None,
                own_rows: false,
                columns: Vec::new(),
                constraints: Vec::new(),
                examples: Vec::new(),
                since: None,
                deprecated: None,
            },
        };
        for (index, block) in source.blocks.iter().enumerate() {
            reader.block(index, block);
        }
        reader.finish()
    }
}

struct OperationReader<'a> {
    errors: Vec<DeclarationError>,
    source: &'a QueryFile,
    /// Answer of the file, which a SELECT may override.
    answer: Option<Answer>,
    wrap: Vec<WrapField>,
    /// Picture of the file, which a SELECT may override.
    picture: Option<DeclaredPicture>,
    seen: Vec<&'a str>,
    tier: Option<Access>,
    operation: Operation,
}

/// Keys that may occur more than once.
const REPEATED: [&str; 7] = ["param", "column", "constraint", "example", "when", "wrap", "optional"];
/// Keys that may occur above each SELECT.
const OF_A_SELECT: [&str; 4] = ["when", "answer", "wrap", "picture"];

impl<'a> OperationReader<'a> {
    fn block(&mut self, index: usize, block: &'a Block) {
        let mut when = Vec::new();
        let mut answer = self.answer;
        let mut wrap = Vec::new();
        let mut picture = self.picture.clone();
        for (at, fact) in block.facts.iter().enumerate() {
            let result = if OF_A_SELECT.contains(&fact.key.as_str()) {
                match fact.key.as_str() {
                    "when" => Condition::parse_all(&fact.value).map(|conditions| when.extend(conditions)),
                    "answer" => answer_of(&fact.value).map(|value| answer = Some(value)),
                    "picture" => {
                        let above = block.facts.get(..at).unwrap_or_default();
                        self.picture_fact(index, fact, above).map(|declared| picture = declared)
                    }
                    _ => WrapField::parse(&fact.value).map(|field| wrap.push(field)),
                }
            } else if index > 0 {
                Err(format!("`{}` belongs into the header of the file, above the first SELECT", fact.key))
            } else {
                self.fact(fact)
            };
            if let Err(message) = result {
                self.errors.push(self.source.error(fact.line, message));
            }
        }
        if index == 0 {
            self.answer = answer;
            self.wrap.clone_from(&wrap);
        } else if wrap.is_empty() && answer == Some(Answer::Stocks) {
            wrap.clone_from(&self.wrap);
        }
        if block.sql.is_empty() {
            return;
        }
        let answer = answer.unwrap_or_else(|| {
            let message = "`answer: one`, `list` or `stocks` is missing above this SELECT";
            self.errors.push(self.source.error(block.line, message));
            Answer::List
        });
        let sql = block.sql.clone();
        self.operation.selects.push(Select { when, answer, wrap, picture, sql, line: block.line });
    }

    /// Reads a picture: above the first `when:` it is the file's, below a `when:` that SELECT's.
    fn picture_fact(
        &mut self,
        index: usize,
        fact: &HeaderFact,
        above: &[HeaderFact],
    ) -> Result<Option<DeclaredPicture>, String> {
        let mut of_the_same = above.iter().rev().take_while(|fact| fact.key != "when");
        if of_the_same.any(|fact| fact.key == "picture") {
            return Err("`picture` is given twice; rows are drawn in one way".to_owned());
        }
        let declared = DeclaredPicture::read(&fact.value, fact.line);
        if index == 0 && above.iter().all(|fact| fact.key != "when") {
            self.picture.clone_from(&declared);
        }
        Ok(declared)
    }

    fn fact(&mut self, fact: &'a HeaderFact) -> Result<(), String> {
        let key = fact.key.as_str();
        if !REPEATED.contains(&key) && self.seen.contains(&key) {
            return Err(format!("`{key}` is given twice"));
        }
        self.seen.push(key);
        let operation = &mut self.operation;
        let value = fact.value.clone();
        match key {
            "tool" => operation.tool = (value != "none").then_some(value),
            "route" if value == "none" => operation.has_route = false,
            "route" => {
                return Err("`route:` is `none` or left out: the path of the file is the route".to_owned());
            }
            "tier" => self.tier = Some(access(&value)?),
            "group" => operation.group = value,
            "param" => operation.params.push(Param::parse(&value, fact.line)?),
            "column" => operation.columns.push(Column::parse(&value, fact.line)?),
            "constraint" => operation.constraints.push(value),
            "example" => operation.examples.push(value),
            "optional" => {
                operation.optional_tables.extend(value.split(',').map(|table| table.trim().to_owned()));
            }
            "free-symbols" => operation.free_symbols = flag(&value)?,
            "cost" => {
                operation.cost =
                    value.parse().map_err(|_| format!("`{value}` is not a number of requests"))?;
            }
            "effect" => operation.effect = effect(&value)?,
            "run" => operation.run = Some(value),
            "own-rows" => operation.own_rows = flag(&value)?,
            "since" => operation.since = Some(value),
            "deprecated" => operation.deprecated = Some(value),
            _ => {
                return Err(format!(
                    "`{key}` is not a key of an operation; the keys are tool, tier, group, answer, when, wrap, picture, optional, free-symbols, cost, effect, run, own-rows, route, param, column, constraint, example, since, deprecated, also, and these with a label before them, such as us-tool"
                ));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Operation, Vec<DeclarationError>> {
        self.whole();
        for index in 0..self.operation.selects.len() {
            self.select(index);
        }
        self.placeholders();
        match self.tier {
            Some(access) => self.operation.access = access,
            None => self.fail(1, "`tier:` is missing: none, free, api_pro or api_max"),
        }
        if self.errors.is_empty() { Ok(self.operation) } else { Err(self.errors) }
    }

    fn fail(&mut self, line: usize, message: impl Into<String>) {
        self.errors.push(self.source.error(line, message));
    }

    /// Checks the rules of the file as a whole.
    fn whole(&mut self) {
        if !self.seen.contains(&"tool") {
            self.fail(1, "`tool:` is missing: the name of the tool, or none");
        }
        if self.operation.group.is_empty() {
            self.fail(1, "`group:` is missing: the tag under which the operation is shown");
        }
        if let Some(tool) = self.operation.tool.clone().filter(|tool| !is_name(tool) || tool.len() > 52) {
            self.fail(1, format!("`{tool}` is not a tool name: at most 52 of a-z, 0-9 and _"));
        }
        if self.operation.tool.is_none() && !self.operation.has_route {
            self.fail(1, "an operation has a tool or a route, or both");
        }
        if self.operation.selects.is_empty() && self.operation.run.is_none() {
            self.fail(1, "there is neither SQL nor `run:`");
        }
        if self.operation.own_rows && (self.operation.run.is_none() || !self.operation.selects.is_empty()) {
            self.fail(1, "`own-rows: yes` goes with `run:` and without SQL");
        }
        if self.operation.run.is_some() && self.operation.has_picture() {
            self.fail(1, "`picture:` draws the rows of a SELECT; what `run:` answers is not drawn");
        }
        let mut names: Vec<String> = Vec::new();
        for param in self.operation.params.clone() {
            if param.required() && param.example.is_none() {
                self.fail(
                    param.line,
                    format!(
                        "`{}` is required, as it has neither `?` nor a default, so it has an example behind its words: `e.g. value`",
                        param.name
                    ),
                );
            }
        }
        for (name, line) in self.operation.params.iter().map(|p| (p.name.clone(), p.line)).collect::<Vec<_>>()
        {
            if names.contains(&name) {
                self.fail(line, format!("the param `{name}` is declared twice"));
            }
            if Presentation::is_asked_with(&name) {
                self.fail(line, format!("every operation takes `{name}`; give the param another name"));
            }
            names.push(name);
        }
    }

    /// Checks the rules of each SELECT: its conditions and wraps refer to declared params.
    fn select(&mut self, index: usize) {
        let Some(select) = self.operation.selects.get(index).cloned() else { return };
        let wraps = select.wrap.iter().filter_map(WrapField::param);
        for param in select.when.iter().map(Condition::param).chain(wraps) {
            if self.operation.param(param).is_none() {
                self.fail(select.line, format!("`{param}` is not a param of this operation"));
            }
        }
        for (param, labels) in select.wrap.iter().filter_map(|field| match &field.source {
            WrapSource::Label(param, labels) => Some((param, labels)),
            _ => None,
        }) {
            let words =
                self.operation.param(param).and_then(Param::words_allowed).unwrap_or_default().to_vec();
            if !words.iter().eq(labels.iter().map(|(word, _)| word)) {
                let words = words.join(", ");
                self.fail(select.line, format!("the labels of `{param}` are for {words}, in this order"));
            }
        }
        for (at, field) in select.wrap.iter().enumerate() {
            let is_taken = ["stocks", "count"].contains(&field.name.as_str())
                || select.wrap.iter().take(at).any(|earlier| earlier.name == field.name);
            if is_taken {
                self.fail(select.line, format!("the field `{}` is there already", field.name));
            }
        }
        if select.answer != Answer::Stocks && !select.wrap.is_empty() {
            self.fail(select.line, "`wrap:` goes with `answer: stocks`");
        }
    }

    /// Checks that declared params and placeholders of the SQL (or its conditions) match both ways.
    fn placeholders(&mut self) {
        let selects = self.operation.selects.clone();
        for select in &selects {
            for name in placeholders(&select.sql) {
                if self.operation.param(name).is_none() {
                    self.fail(select.line, format!("`${name}` is not declared; add a `param:` line"));
                }
            }
        }
        if self.operation.run.is_some() {
            return;
        }
        for param in self.operation.params.clone() {
            let used = selects.iter().any(|select| {
                placeholders(&select.sql).contains(&param.name.as_str())
                    || select.when.iter().any(|condition| condition.param() == param.name)
            });
            if !used {
                self.fail(param.line, format!("the param `{}` is not used by the SQL", param.name));
            }
        }
    }
}

fn access(word: &str) -> Result<Access, String> {
    if word == "none" { Ok(Access::Public) } else { word.parse::<Tier>().map(Access::From) }
}

fn answer_of(word: &str) -> Result<Answer, String> {
    match word {
        "one" => Ok(Answer::One),
        "list" => Ok(Answer::List),
        "stocks" => Ok(Answer::Stocks),
        _ => Err(format!("`{word}` is not an answer; the answers are one, list and stocks")),
    }
}

fn effect(word: &str) -> Result<Effect, String> {
    match word {
        "reads" => Ok(Effect::Reads),
        "changes" => Ok(Effect::Changes),
        "removes" => Ok(Effect::Removes),
        _ => Err(format!("`{word}` is not an effect; the effects are reads, changes and removes")),
    }
}

fn flag(word: &str) -> Result<bool, String> {
    match word {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("`{word}` is neither yes nor no")),
    }
}
