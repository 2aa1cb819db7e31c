//! A declared tool with its references resolved: operations, their parameters, and the parameters of the tool itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::tool_file::{BuiltInPart, CURSOR, ChatPart, LENGTH, ParamKind, ParamSpec, SNAPSHOT, ToolFile};
use parquote_catalogue::operation::{
    Access, Catalogue, DeclarationError, Effect, Market, Operation, Tier, line_of, nearest, read_toml,
};

/// Name of the market in the arguments of a declaration.
pub(super) const MARKET: &str = "market";

/// A chat tool.
#[derive(Debug)]
pub(crate) struct ChatTool {
    /// Name of the tool: that of its file.
    pub(super) name: String,
    pub(super) file: ToolFile,
    /// Operation under which its calls are counted; it has no SELECT, and its cost is set for each call.
    pub(super) counted: Operation,
    /// Operations of its parts, by part and word of the market.
    operations: BTreeMap<(String, &'static str), Arc<Operation>>,
}

impl ChatTool {
    /// Parses and checks a declaration.
    ///
    /// # Errors
    /// The first mistake, with its line.
    pub(super) fn read(path: &str, text: &str, catalogue: &Catalogue) -> Result<Self, DeclarationError> {
        let error = |line, message| DeclarationError { file: path.to_owned(), line, message };
        let file: ToolFile = read_toml(text).map_err(|(line, message)| error(line, message))?;
        let name = path.trim_start_matches("chat/").trim_end_matches(".toml").to_owned();
        if let Err((near, message)) = mistakes(&file, catalogue) {
            let line = text.find(&near).map_or(1, |byte| line_of(text, byte));
            return Err(error(line, message));
        }
        let mut operations = BTreeMap::new();
        for part in &file.part {
            for market in Market::ALL {
                if let Some(operation) = operation_in(part, market, catalogue) {
                    operations.insert((part.name.clone(), market.word()), Arc::clone(operation));
                }
            }
        }
        let counted = counted(&name, path, &file, &operations);
        Ok(Self { name, file, counted, operations })
    }

    /// Returns the operation of a part in a market.
    pub(super) fn operation(&self, part: &ChatPart, market: Market) -> Option<&Arc<Operation>> {
        self.operations.get(&(part.name.clone(), market.word()))
    }

    /// Returns the columns that its parts show, with their operations.
    pub(super) fn shown(&self) -> impl Iterator<Item = (&Arc<Operation>, &str)> {
        self.file.part.iter().flat_map(move |part| {
            let columns = || {
                part.columns
                    .iter()
                    .chain(&part.otherwise)
                    .chain(part.sections.values().flatten())
                    .chain(&part.quoted)
                    .map(String::as_str)
            };
            let operations = Market::ALL.into_iter().filter_map(|market| self.operation(part, market));
            operations.flat_map(move |operation| columns().map(move |column| (operation, column)))
        })
    }

    /// Returns the parameter of that name.
    pub(super) fn param(&self, name: &str) -> Option<&ParamSpec> {
        self.file.param.iter().find(|param| param.name == name)
    }

    /// Returns true if it declares a parameter of that name.
    pub(crate) fn has_param(&self, name: &str) -> bool {
        self.param(name).is_some()
    }

    /// Returns the parameter that chooses the market, if any.
    pub(super) fn market_param(&self) -> Option<&ParamSpec> {
        self.file.param.iter().find(|param| param.kind == ParamKind::Market)
    }

    /// Returns true for the tool that exports the rows of other tools as files.
    pub(super) fn exports(&self) -> bool {
        self.file.part.iter().any(|part| part.own == Some(BuiltInPart::Files))
    }

    /// Returns the schema of its arguments.
    pub(super) fn schema(&self) -> Map<String, Json> {
        let properties: Map<String, Json> =
            self.file.param.iter().map(|param| (param.name.clone(), schema_of(param))).collect();
        let required: Vec<&str> =
            self.file.param.iter().filter(|param| param.required).map(|param| param.name.as_str()).collect();
        let mut properties = properties;
        if self.operations.values().any(|operation| operation.has_rows()) {
            properties.insert(CURSOR.into(), json!({"type": "string"}));
        }
        if !self.operations.is_empty() {
            properties.insert(LENGTH.into(), json!({"type": "integer"}));
            properties.insert(SNAPSHOT.into(), json!({"type": "string"}));
        }
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), properties.into());
        if !required.is_empty() {
            schema.insert("required".into(), required.into());
        }
        schema
    }
}

fn schema_of(param: &ParamSpec) -> Json {
    // Providers of models refuse an enum without a type, an array without items, and an object without properties.
    let of_item = || {
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
        ParamKind::List | ParamKind::Symbols => json!({"type": "array", "items": of_item()}),
        ParamKind::Values => json!({"type": "array", "items": {"type": "string"}}),
        ParamKind::Market => json!({"type": "string", "enum": Market::ALL.map(Market::word)}),
    };
    if let Some(schema) = schema.as_object_mut() {
        if param.kind == ParamKind::Text && !param.values.is_empty() {
            schema.insert("enum".into(), param.values.clone().into());
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
fn mistakes(file: &ToolFile, catalogue: &Catalogue) -> Result<(), (String, String)> {
    for part in &file.part {
        let fail =
            |near: &str, message: String| Err((near.to_owned(), format!("`{}`: {message}", part.name)));
        let params = || file.param.iter().map(|param| param.name.as_str());
        for name in part.when.keys().chain(part.unless.keys()).chain(&part.by) {
            if !params().any(|known| known == name) {
                return fail(name, format!("the tool has no parameter `{name}`{}", near(name, params())));
            }
        }
        for market in Market::ALL {
            let Some((name, other)) = part.names_in(market) else { continue };
            let Some(operation) = operation_in(part, market, catalogue) else {
                let names = catalogue.operations().iter().map(|operation| operation.name.as_str());
                // A part without a US operation is omitted there.
                if other.is_none() {
                    return fail(&name, format!("there is no operation `{name}`{}", near(&name, names)));
                }
                continue;
            };
            check_arguments(part, operation, market, file).or_else(|(word, message)| fail(&word, message))?;
        }
        if part.operation.is_none() && part.us.is_none() && part.own.is_none() {
            return fail(&part.name, "it names no operation".to_owned());
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
        let known = || operation.params.iter().map(|param| param.name.as_str());
        if operation.param(name).is_none() {
            let message = format!("{} has no parameter `{name}`{}", operation.name, near(name, known()));
            return Err((name.clone(), message));
        }
        if let Some(from) = value.strip_prefix('$').filter(|from| *from != MARKET)
            && file.param.iter().all(|param| param.name != from)
        {
            return Err((value.clone(), format!("the tool has no parameter `{from}`")));
        }
    }
    match operation.params.iter().find(|param| param.required() && !arguments.contains_key(&param.name)) {
        Some(param) => {
            Err((part.name.clone(), format!("{} needs an argument `{}`", operation.name, param.name)))
        }
        None => Ok(()),
    }
}

fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Returns the operation of a part in a market; for the US, one that serves both markets can replace the one below `us/`.
fn operation_in<'a>(part: &ChatPart, market: Market, catalogue: &'a Catalogue) -> Option<&'a Arc<Operation>> {
    let (name, other) = part.names_in(market)?;
    let of_both = || catalogue.operation(other?).filter(|operation| operation.serves(market));
    catalogue.operation(&name).or_else(of_both)
}

/// Builds the operation under which calls of a tool are counted. Access to one of its parts suffices; each part has its tier.
fn counted(
    name: &str,
    path: &str,
    file: &ToolFile,
    operations: &BTreeMap<(String, &'static str), Arc<Operation>>,
) -> Operation {
    let has_own = file.part.iter().any(|part| part.own.is_some());
    let needs = |tier: &Tier| operations.values().any(|operation| operation.access == Access::From(*tier));
    let tier = Tier::ALL.into_iter().find(|tier| has_own || needs(tier)).unwrap_or(Tier::ApiMax);
    Operation {
        file: path.to_owned(),
        name: format!("chat/{name}"),
        has_route: false,
        market: Market::India,
        title: file.title.clone(),
        prose: file.words.clone(),
        tool: Some(name.to_owned()),
        access: Access::From(tier),
        group: "Chat".to_owned(),
        params: Vec::new(),
        selects: Vec::new(),
        optional_tables: Vec::new(),
        free_symbols: false,
        cost: 1,
        effect: if file.changes { Effect::Changes } else { Effect::Reads },
        run: None,
        own_rows: false,
        columns: Vec::new(),
        constraints: Vec::new(),
        examples: Vec::new(),
        since: None,
        deprecated: None,
    }
}

impl ChatTool {
    /// Returns the operation under which a call of this cost is counted.
    pub(super) fn counted_at(&self, cost: u32) -> Arc<Operation> {
        Arc::new(Operation { cost, ..self.counted.clone() })
    }
}
