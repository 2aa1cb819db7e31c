//! A declared tool with its references resolved: operations, their parameters, and the parameters of the tool itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::tool_file::{BuiltInPart, CURSOR, ChatPart, LENGTH, ParamKind, ParamSpec, SNAPSHOT, ToolFile};
use parquote_catalogue::operation::{
    Access, AnswerFormat, Catalogue, Effect, Market, Operation, Tier, hint, line_of, read_toml,
};
use parquote_engine::{is_lacking_format, lacking_feature};

/// Name of the market in the arguments of a declaration.
pub(super) const MARKET: &str = "market";

#[derive(Debug)]
pub(crate) struct ChatTool {
    /// Name of the tool, which is the name of its file.
    pub(super) name: String,
    pub(super) file: ToolFile,
    /// Operation under which calls of the tool are counted; it has no SELECT, and its cost is set for each call.
    pub(super) counted: Operation,
    /// Operations of the parts, by part and word of the market.
    operations: BTreeMap<(String, &'static str), Arc<Operation>>,
}

impl ChatTool {
    /// Parses and checks a declaration; the error is the first mistake, with its line.
    pub(super) fn read(path: &str, text: &str, catalogue: &Catalogue) -> Result<Self, (usize, String)> {
        let mut file: ToolFile = read_toml(text)?;
        if lacking_feature(AnswerFormat::Png).is_some()
            && let Some(words) = file.words_without_png.take()
        {
            file.words = words;
        }
        let name = path.trim_start_matches("chat/").trim_end_matches(".toml").to_owned();
        if let Err((near, message)) = check_declaration(&file, catalogue) {
            let line = text.find(&near).map_or(1, |byte| line_of(text, byte));
            return Err((line, message));
        }
        let mut operations = BTreeMap::new();
        for part in &file.part {
            for market in Market::ALL {
                if let Some(operation) = operation_in(part, market, catalogue) {
                    operations.insert((part.name.clone(), market.word()), Arc::clone(operation));
                }
            }
        }
        let counted = build_counted_operation(&name, path, &file, &operations);
        Ok(Self { name, file, counted, operations })
    }

    pub(super) fn operation(&self, part: &ChatPart, market: Market) -> Option<&Arc<Operation>> {
        self.operations.get(&(part.name.clone(), market.word()))
    }

    /// Returns true if a tier reaches some part.
    pub(super) fn is_allowed(&self, tier: Tier) -> bool {
        matches!(self.counted.access, Access::From(needed) if tier.reaches(needed))
    }

    /// Returns a sentence about the parts that a tier does not reach, each with the tier that it needs; empty if the tier reaches all
    /// parts.
    pub(super) fn words_beyond(&self, tier: Tier) -> String {
        let mut beyond: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for part in &self.file.part {
            for market in Market::ALL {
                if let Some(Access::From(needed)) = self.operation(part, market).map(|one| one.access)
                    && !tier.reaches(needed)
                {
                    beyond.entry(needed.word()).or_default().push(format!("{market} {}", part.name));
                }
            }
        }
        let words: Vec<String> =
            beyond.into_iter().map(|(needed, parts)| format!("{} ({needed})", parts.join(", "))).collect();
        if words.is_empty() { String::new() } else { format!(" Not with this key: {}.", words.join("; ")) }
    }

    /// Returns the columns that the parts show, each after its operation.
    pub(super) fn shown_columns(&self) -> impl Iterator<Item = (&Arc<Operation>, &str)> {
        self.file.part.iter().flat_map(move |part| {
            let columns = || {
                part.columns
                    .iter()
                    .chain(&part.otherwise)
                    .chain(part.sections.values().flatten())
                    .chain(&part.quoted)
                    .chain(part.beside.keys())
                    .map(String::as_str)
            };
            let operations = Market::ALL.into_iter().filter_map(|market| self.operation(part, market));
            operations.flat_map(move |operation| columns().map(move |column| (operation, column)))
        })
    }

    /// Returns the parameter of a name; `None` if the tool declares none.
    pub(super) fn param(&self, name: &str) -> Option<&ParamSpec> {
        self.file.param.iter().find(|param| param.name == name)
    }

    /// Returns the parameters that callers may send.
    pub(super) fn listed_params(&self) -> impl Iterator<Item = &ParamSpec> {
        self.file.param.iter().filter(|param| !param.derived)
    }

    /// Returns true if the tool declares a parameter of a name.
    pub(crate) fn has_param(&self, name: &str) -> bool {
        self.param(name).is_some()
    }

    /// Returns the parameter that chooses the market, if any.
    pub(super) fn market_param(&self) -> Option<&ParamSpec> {
        self.file.param.iter().find(|param| param.kind == ParamKind::Market)
    }

    /// Returns true for the tool that exports the rows of other tools as files.
    pub(super) fn exports(&self) -> bool {
        self.file.part.iter().any(|part| part.built_in == Some(BuiltInPart::Files))
    }

    /// Returns the JSON Schema of the tool's arguments.
    pub(super) fn schema(&self) -> Map<String, Json> {
        let mut properties: Map<String, Json> =
            self.listed_params().map(|param| (param.name.clone(), schema_of(param))).collect();
        let required: Vec<&str> =
            self.listed_params().filter(|param| param.required).map(|param| param.name.as_str()).collect();
        // Connectors send exactly one argument.
        let takes_more = self.file.connector.is_none();
        if takes_more && self.operations.values().any(|operation| operation.has_rows()) {
            properties.insert(CURSOR.into(), json!({"type": "string"}));
        }
        if takes_more && !self.operations.is_empty() {
            properties.insert(LENGTH.into(), json!({"type": "integer"}));
            properties.insert(SNAPSHOT.into(), json!({"type": "string"}));
        }
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        if properties.is_empty() {
            // Strict modes refuse an object that is open to any property.
            schema.insert("additionalProperties".into(), false.into());
        }
        schema.insert("properties".into(), properties.into());
        if !required.is_empty() {
            schema.insert("required".into(), required.into());
        }
        schema
    }
}

fn schema_of(param: &ParamSpec) -> Json {
    // Providers of models refuse an enum without a type, an array without items, and an object without properties.
    let item = || {
        if param.values.is_empty() {
            json!({"type": "string"})
        } else {
            json!({"type": "string", "enum": param.values})
        }
    };
    let mut schema = match param.kind {
        ParamKind::Text | ParamKind::Symbol | ParamKind::Object => json!({"type": "string"}),
        ParamKind::Int => json!({"type": "integer"}),
        ParamKind::Number => json!({"type": "number"}),
        ParamKind::List | ParamKind::Symbols => json!({"type": "array", "items": item()}),
        ParamKind::Values => json!({"type": "array", "items": {"type": "string"}}),
        ParamKind::Market => json!({"type": "string", "enum": Market::ALL.map(Market::word)}),
    };
    if let Some(schema) = schema.as_object_mut() {
        if param.kind == ParamKind::Text && !param.values.is_empty() {
            let built = param.values.iter().filter(|value| !is_lacking_format(value));
            schema.insert("enum".into(), built.cloned().collect());
        }
        if let (Some(most), ParamKind::List | ParamKind::Symbols) = (param.most, param.kind) {
            schema.insert("maxItems".into(), most.into());
        }
        if !param.words.is_empty() {
            schema.insert("description".into(), param.words.clone().into());
        }
    }
    schema
}

/// Checks a declaration; the error is a word near the first mistake, and the message.
fn check_declaration(file: &ToolFile, catalogue: &Catalogue) -> Result<(), (String, String)> {
    check_markets(file)?;
    for part in &file.part {
        let fail =
            |near: &str, message: String| Err((near.to_owned(), format!("`{}`: {message}", part.name)));
        let params = || file.param.iter().map(|param| param.name.as_str());
        for name in part.when.keys().chain(part.unless.keys()).chain(&part.by) {
            if !params().any(|other| other == name) {
                return fail(name, format!("the tool has no parameter `{name}`{}", hint(name, params())));
            }
        }
        for market in Market::ALL {
            let Some((name, other)) = part.names_in(market) else { continue };
            let Some(operation) = operation_in(part, market, catalogue) else {
                let names = catalogue.operations().iter().map(|operation| operation.name.as_str());
                // A part without an operation in the US is omitted there.
                if other.is_none() {
                    return fail(&name, format!("there is no operation `{name}`{}", hint(&name, names)));
                }
                continue;
            };
            check_arguments(part, operation, market, file).or_else(|(word, message)| fail(&word, message))?;
        }
        if part.operation.is_none() && part.us.is_none() && part.built_in.is_none() {
            return fail(&part.name, "it names no operation".to_owned());
        }
    }
    Ok(())
}

/// Checks the markets of values.
fn check_markets(file: &ToolFile) -> Result<(), (String, String)> {
    for param in &file.param {
        let is_wrong = |(value, market): &(&String, &String)| {
            !param.values.contains(value) || market.parse::<Market>().is_err()
        };
        if let Some((value, _)) = param.only.iter().find(is_wrong) {
            let message = format!("`{}`: `only` names one of its values and a market", param.name);
            return Err((value.clone(), message));
        }
    }
    Ok(())
}

fn check_arguments(
    part: &ChatPart,
    operation: &Operation,
    market: Market,
    file: &ToolFile,
) -> Result<(), (String, String)> {
    let arguments = part.arguments_in(market);
    for (name, value) in arguments {
        let names = || operation.params.iter().map(|param| param.name.as_str());
        if operation.param(name).is_none() {
            let message = format!("{} has no parameter `{name}`{}", operation.name, hint(name, names()));
            return Err((name.clone(), message));
        }
        if let Some(from) = value.strip_prefix('$').filter(|from| *from != MARKET)
            && file.param.iter().all(|param| param.name != from)
        {
            return Err((value.clone(), format!("the tool has no parameter `{from}`")));
        }
    }
    match operation.params.iter().find(|param| param.is_required() && !arguments.contains_key(&param.name)) {
        Some(param) => {
            Err((part.name.clone(), format!("{} needs an argument `{}`", operation.name, param.name)))
        }
        None => Ok(()),
    }
}

/// Returns the operation of a part in a market. In the US, an operation that serves both markets can replace the one below `us/`.
fn operation_in<'a>(part: &ChatPart, market: Market, catalogue: &'a Catalogue) -> Option<&'a Arc<Operation>> {
    let (name, other) = part.names_in(market)?;
    let for_both = || catalogue.operation(other?).filter(|operation| operation.serves(market));
    catalogue.operation(&name).or_else(for_both)
}

/// Builds the operation under which calls of a tool are counted. It needs the lowest tier that reaches some part; the tier of each part is
/// checked when the part is answered.
fn build_counted_operation(
    name: &str,
    path: &str,
    file: &ToolFile,
    operations: &BTreeMap<(String, &'static str), Arc<Operation>>,
) -> Operation {
    let has_built_in = file.part.iter().any(|part| part.built_in.is_some());
    let needs = |tier: &Tier| operations.values().any(|operation| operation.access == Access::From(*tier));
    let tier = Tier::ALL.into_iter().find(|tier| has_built_in || needs(tier)).unwrap_or(Tier::ApiMax);
    Operation {
        has_route: false,
        title: file.title.clone(),
        prose: file.words.clone(),
        tool: Some(name.to_owned()),
        access: Access::From(tier),
        group: "Chat".to_owned(),
        effect: if file.changes { Effect::Changes } else { Effect::Reads },
        ..Operation::undeclared(path, format!("chat/{name}"))
    }
}

impl ChatTool {
    /// Returns the operation under which a call of this cost is counted.
    pub(super) fn counted_at(&self, cost: u32) -> Arc<Operation> {
        Arc::new(Operation { cost, ..self.counted.clone() })
    }
}
