//! Reads an operation from the facts and the SQL of its file, and checks the rules that concern one file.

use super::column::Column;
use super::condition::Condition;
use super::declared_picture::DeclaredPicture;
use super::fact_words::{self, Answer, ExplorerPage};
use super::header::{Block, DeclarationError, HeaderFact, QueryFile};
use super::operation_file::{Operation, Select};
use super::param::Param;
use super::param_line::is_name;
use super::placeholders::placeholders;
use super::presentation::Presentation;
use super::staged_table::split_names;
use super::tier::Access;
use super::variants::{self, UNSET};
use super::wrap::{WrapField, WrapSource};

impl Operation {
    /// Parses an operation file; `file` is its path below `queries/`. It declares one operation, or several (`also:`).
    ///
    /// # Errors
    /// All errors of the file.
    pub fn parse(file: &str, text: &str) -> Result<Vec<Self>, Vec<DeclarationError>> {
        let source = QueryFile::parse(file, text).map_err(|error| vec![error])?;
        let name = file.trim_start_matches("api/").trim_end_matches(".sql");
        let declared = variants::split(&source, name, &format!("us/{name}"))?;
        declared.into_iter().map(|(name, source)| read_operation(&source, name)).collect()
    }
}

fn read_operation(source: &QueryFile, name: String) -> Result<Operation, Vec<DeclarationError>> {
    let mut reader = OperationReader {
        errors: Vec::new(),
        source,
        answer: None,
        wrap: Vec::new(),
        picture: None,
        seen: Vec::new(),
        tier: None,
        operation: Operation {
            title: source.title.clone(),
            prose: source.prose.clone(),
            ..Operation::undeclared(&source.file, name)
        },
    };
    for (index, block) in source.blocks.iter().enumerate() {
        reader.read_block(index, block);
    }
    reader.finish()
}

struct OperationReader<'a> {
    errors: Vec<DeclarationError>,
    source: &'a QueryFile,
    /// `answer:` of the header, which a SELECT may override.
    answer: Option<Answer>,
    wrap: Vec<WrapField>,
    /// `picture:` of the header, which a SELECT may override.
    picture: Option<DeclaredPicture>,
    seen: Vec<&'a str>,
    tier: Option<Access>,
    operation: Operation,
}

/// Keys that may occur more than once.
const REPEATABLE_KEYS: [&str; 8] =
    ["param", UNSET, "column", "constraint", "example", "when", "wrap", "optional"];
/// Keys that may occur above each SELECT.
const SELECT_KEYS: [&str; 5] = ["when", "answer", "wrap", "omit", "picture"];

impl<'a> OperationReader<'a> {
    fn read_block(&mut self, index: usize, block: &'a Block) {
        let mut when = Vec::new();
        let mut answer = self.answer;
        let mut wrap = Vec::new();
        let mut picture = self.picture.clone();
        let mut omit = Vec::new();
        for (at, fact) in block.facts.iter().enumerate() {
            let result = if SELECT_KEYS.contains(&fact.key.as_str()) {
                match fact.key.as_str() {
                    "when" => Condition::parse_all(&fact.value).map(|conditions| when.extend(conditions)),
                    "omit" => {
                        omit.extend(split_names(&fact.value));
                        Ok(())
                    }
                    "answer" => fact_words::parse_answer(&fact.value).map(|value| answer = Some(value)),
                    "picture" => {
                        let above = block.facts.get(..at).unwrap_or_default();
                        self.read_picture(index, fact, above).map(|declared| picture = declared)
                    }
                    _ => WrapField::parse(&fact.value).map(|field| wrap.push(field)),
                }
            } else if index > 0 {
                Err(format!("`{}` belongs into the header of the file, above the first SELECT", fact.key))
            } else {
                self.read_fact(fact)
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
        self.operation.selects.push(Select { when, answer, wrap, omit, picture, sql, line: block.line });
    }

    /// Reads a picture. Above the first `when:` it belongs to the file, below a `when:` to the SELECT of that condition.
    fn read_picture(
        &mut self,
        index: usize,
        fact: &HeaderFact,
        above: &[HeaderFact],
    ) -> Result<Option<DeclaredPicture>, String> {
        let mut facts_of_select = above.iter().rev().take_while(|fact| fact.key != "when");
        if facts_of_select.any(|fact| fact.key == "picture") {
            return Err("`picture` is given twice; rows are drawn in one way".to_owned());
        }
        let declared = DeclaredPicture::parse(&fact.value, fact.line);
        if index == 0 && above.iter().all(|fact| fact.key != "when") {
            self.picture.clone_from(&declared);
        }
        Ok(declared)
    }

    fn read_fact(&mut self, fact: &'a HeaderFact) -> Result<(), String> {
        let key = fact.key.as_str();
        if !REPEATABLE_KEYS.contains(&key) && self.seen.contains(&key) {
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
            "tier" => self.tier = Some(fact_words::parse_access(&value)?),
            "group" => operation.group = value,
            "param" => operation.params.push(Param::parse(&value, fact.line)?),
            UNSET => operation.unset.push(Param::parse(&value, fact.line)?),
            "column" => operation.columns.push(Column::parse(&value, fact.line)?),
            "constraint" => operation.constraints.push(value),
            "example" => operation.examples.push(value),
            "optional" => {
                operation.optional_tables.extend(split_names(&value));
            }
            "free-symbols" => operation.free_symbols = fact_words::parse_flag(&value)?,
            "cost" => {
                operation.cost =
                    value.parse().map_err(|_| format!("`{value}` is not a number of requests"))?;
            }
            "effect" => operation.effect = fact_words::parse_effect(&value)?,
            "run" => operation.run = Some(value),
            "account-scope" => operation.needs_account_scope = fact_words::parse_flag(&value)?,
            "search" => operation.search = Some(value),
            "short" => operation.short_form = Some(fact_words::parse_short_form(&value)?),
            "page" => operation.page = Some(ExplorerPage::parse(&value)),
            "coverage" => operation.coverage = Some(value),
            "own-rows" => operation.run_returns_rows = fact_words::parse_flag(&value)?,
            "workbook" => operation.has_workbook = fact_words::parse_flag(&value)?,
            "since" => operation.since = Some(value),
            "deprecated" => operation.deprecated = Some(value),
            _ => {
                return Err(format!(
                    "`{key}` is not a key of an operation; the keys are tool, tier, group, answer, when, wrap, omit, picture, optional, free-symbols, cost, effect, run, own-rows, workbook, account-scope, search, short, page, coverage, route, param, column, constraint, example, since, deprecated, also, and these with a label before them, such as us-tool"
                ));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Operation, Vec<DeclarationError>> {
        self.check_whole_file();
        for index in 0..self.operation.selects.len() {
            self.check_select(index);
        }
        self.check_placeholders();
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
    fn check_whole_file(&mut self) {
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
        if self.operation.run_returns_rows
            && (self.operation.run.is_none() || !self.operation.selects.is_empty())
        {
            self.fail(1, "`own-rows: yes` needs `run:` and no SQL");
        }
        let is_object = self.operation.run.is_some() && !self.operation.is_formatted();
        let has_lists = is_object && self.operation.param(Operation::PART).is_some();
        if self.operation.has_workbook && !has_lists {
            self.fail(1, "`workbook: yes` needs `run:` with an object as the answer, and the param `part`");
        }
        if self.operation.run.is_some() && self.operation.has_picture() {
            self.fail(1, "`picture:` draws the rows of a SELECT; what `run:` answers is not drawn");
        }
        self.check_links();
        let mut names: Vec<String> = Vec::new();
        for param in self.operation.params.clone() {
            if param.is_required() && param.example.is_none() {
                self.fail(
                    param.line,
                    format!(
                        "`{}` is required, as it has neither `?` nor a default, so it needs an example after its description: `e.g. value`",
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
            if Presentation::is_param(&name) {
                self.fail(line, format!("every operation takes `{name}`; give the param another name"));
            }
            names.push(name);
        }
    }

    /// Replaces the `*` of its page by all parameters, and checks that the facts on its search and its page name declared parameters.
    fn check_links(&mut self) {
        let all = self.operation.params.iter().map(|param| param.name.clone());
        let mut named = self.operation.search.clone().into_iter().collect::<Vec<_>>();
        if let Some(page) = &mut self.operation.page {
            if page.params == [ExplorerPage::ALL_PARAMS] {
                page.params = all.collect();
            }
            named.extend(page.params.iter().cloned());
            named.extend(page.path.contains("{symbol}").then(|| "symbol".to_owned()));
        }
        for name in named.iter().filter(|name| self.operation.param(name).is_none()).collect::<Vec<_>>() {
            self.fail(1, format!("`{name}` is not a param of this operation"));
        }
        if self.operation.page.is_some() && !self.operation.has_picture() {
            self.fail(1, "`page:` leads to the page that shows a picture, and no SELECT has one");
        }
    }

    /// Checks one SELECT: its conditions and wrap fields refer to declared parameters.
    fn check_select(&mut self, index: usize) {
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
                self.operation.param(param).and_then(Param::allowed_words).unwrap_or_default().to_vec();
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
            self.fail(select.line, "`wrap:` needs `answer: stocks`");
        }
    }

    /// Checks that every placeholder of the SQL is declared, and that the SQL or a condition uses every declared parameter.
    fn check_placeholders(&mut self) {
        let selects = self.operation.selects.clone();
        for select in &selects {
            for name in placeholders(&select.sql) {
                let is_unset = self.operation.unset.iter().any(|param| param.name == name);
                if !is_unset && self.operation.param(name).is_none() {
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
