//! The parameters of an operation in the document: their declarations, and the allowed values from the snapshot, so that no parameter is
//! refused that the document allows.

use serde_json::{Map, Value as Json, json};

use super::components::{Components, pascal_case};
use super::dates;
use super::facts::DocumentFacts;
use crate::json_schema;
use parquote_catalogue::operation::{
    AnswerFormat, Catalogue, Market, Offer, Operation, Param, ParamType, ValueLimits,
};
use parquote_engine::{FREE_SYMBOLS, is_lacking_format};
use parquote_set::Reference;

/// Parameter that names a format, and the components that describe it if pictures are among the formats, or formats of an object.
const FORMAT: &str = "format";
const FORMAT_WITH_PICTURES: &str = "format_with_pictures";
const FORMAT_OF_OBJECT: &str = "format_of_object";
/// Parameter that names fields of rows.
const FIELDS: &str = "fields";
/// Parameter that names a saved set.
const SNAPSHOT: &str = "snapshot";
/// Maximum number of allowed values that the document lists.
const MOST_VALUES: usize = 300;

/// Builds the parameters of operations.
pub(super) struct Parameters<'a> {
    pub catalogue: &'a Catalogue,
    pub facts: &'a dyn DocumentFacts,
}

impl Parameters<'_> {
    /// Returns the parameters of an operation: its declared ones, then those common to all read operations, then headers.
    pub(super) fn for_operation(&self, operation: &Operation, id: &str, all: &mut Components) -> Json {
        let mut list: Vec<Json> = operation
            .params
            .iter()
            .map(|param| query_parameter(param, self.schema(operation, param, all)))
            .collect();
        for param in operation.presentation_params(Offer::any(AnswerFormat::Json)) {
            list.push(self.common_parameter(&param, operation, id, all));
        }
        if operation.answers_from_select() {
            list.push(all.parameter("IfNoneMatch", if_none_match));
        }
        list.push(all.parameter("XSnapshot", x_snapshot));
        list.into()
    }

    /// Returns a parameter common to all read operations. `fields` lists the columns of the operation's rows.
    fn common_parameter(&self, param: &Param, operation: &Operation, id: &str, all: &mut Components) -> Json {
        if param.name != FIELDS {
            let component = match param.name.as_str() {
                FORMAT if operation.has_picture() => FORMAT_WITH_PICTURES,
                FORMAT if operation.has_workbook => FORMAT_OF_OBJECT,
                name => name,
            };
            return all.parameter(component, || query_parameter(param, shared_schema(param)));
        }
        let mut names: Vec<&str> = Vec::new();
        for column in self.facts.columns(operation).iter().flatten() {
            if !names.contains(&column.name.as_str()) {
                names.push(&column.name);
            }
        }
        let schema = json!({
            "type": "array", "items": {"type": "string", "enum": names}, "uniqueItems": true, "maxItems": names.len(),
        });
        all.parameter(&format!("{FIELDS}_{id}"), || query_parameter(param, schema))
    }

    fn schema(&self, operation: &Operation, param: &Param, all: &mut Components) -> Json {
        let mut schema = param.schema();
        let Some(facts) = schema.as_object_mut() else { return schema };
        if let Some(folder) = &param.folder {
            facts.insert("enum".into(), self.catalogue.declared_names(folder).into());
        } else if let Some(values) = self.known_values(operation.market, param, all) {
            let keyword = if param.ty == ParamType::List { "items" } else { "$ref" };
            let values =
                if keyword == "$ref" { values.get("$ref").cloned().unwrap_or_default() } else { values };
            facts.insert(keyword.into(), values);
        } else {
            self.add_constraints(operation, param, facts, all);
        }
        if param.ty == ParamType::List {
            facts.insert("maxItems".into(), param.most_items().into());
        }
        if param.is_symbol() && operation.free_symbols {
            let name = format!("FreeSymbol{}", pascal_case(operation.market.word()));
            let values = self.facts.values(operation.market, FREE_SYMBOLS);
            let words = "What a free key may ask for; other symbols are refused with 403.";
            let list = || json!({"type": "string", "enum": values, "description": words});
            facts.insert("x-free-key".into(), all.schema(&name, list));
        }
        schema
    }

    /// Returns a reference to the values that the snapshot's table has; `None` without a table, or if they are too many.
    fn known_values(&self, market: Market, param: &Param, all: &mut Components) -> Option<Json> {
        let lookup = param.lookup.as_ref()?;
        let values = self.facts.values(market, &lookup.table);
        if values.is_empty() || values.len() > MOST_VALUES {
            return None;
        }
        let words = "As the snapshot has them; capitals and spaces do not matter.";
        let name = pascal_case(&lookup.column) + &pascal_case(market.word());
        Some(all.schema(&name, || json!({"type": "string", "enum": values, "description": words})))
    }

    /// Adds the constraints of values that are not in a list: lengths, patterns, dates.
    fn add_constraints(
        &self,
        operation: &Operation,
        param: &Param,
        facts: &mut Map<String, Json>,
        all: &mut Components,
    ) {
        match (param.ty, &param.limits) {
            (ParamType::Text, ValueLimits::Words(_)) => {}
            (ParamType::Text, ValueLimits::WordsOrDate(words)) => {
                let date = self.session_date(operation.market, all);
                facts.insert("anyOf".into(), json!([{"enum": words}, date]));
            }
            // One end of a range of dates may be outside the data.
            (ParamType::Date, _) if !matches!(param.name.as_str(), "from" | "to") => {
                facts.remove("format");
                if let Some(date) = self.session_date(operation.market, all).get("$ref") {
                    facts.insert("$ref".into(), date.clone());
                }
            }
            (ParamType::Text | ParamType::Period, _) => {
                facts.insert("maxLength".into(), param.longest().into());
                if let Some(pattern) = param.pattern() {
                    facts.insert("pattern".into(), pattern.into());
                }
            }
            (ParamType::List, _) => {
                facts.insert("items".into(), item_schema(param));
                // Repeated symbols count once.
                facts.insert("uniqueItems".into(), param.is_symbols().into());
            }
            _ => {}
        }
    }

    /// Returns the schema of a date within the data of a market.
    fn session_date(&self, market: Market, all: &mut Components) -> Json {
        let name = format!("SessionDate{}", pascal_case(market.word()));
        let sessions = self.facts.sessions(market);
        all.schema(&name, || match sessions {
            Some((first, last)) => json!({
                "type": "string",
                "pattern": dates::pattern(first, last),
                "description": format!("A date YYYY-MM-DD from {first} to {last}: the data of the market."),
                "x-first": first.to_string(),
                "x-last": last.to_string(),
            }),
            None => json!({"type": "string", "format": "date"}),
        })
    }
}

fn item_schema(param: &Param) -> Json {
    let mut item = json!({"type": "string", "maxLength": param.longest()});
    if let (Some(pattern), Some(item)) = (param.item_pattern(), item.as_object_mut()) {
        item.insert("pattern".into(), pattern.into());
    }
    item
}

fn shared_schema(param: &Param) -> Json {
    let mut schema = param.schema();
    if let Some(schema) = schema.as_object_mut()
        && param.name == SNAPSHOT
    {
        schema.insert("pattern".into(), Reference::PATTERN.into());
    }
    if let Some(words) = schema.get_mut("enum").and_then(Json::as_array_mut) {
        // Words of `theme` and `size` name no format.
        words.retain(|word| !word.as_str().is_some_and(is_lacking_format));
    }
    schema
}

/// Builds a query parameter. An optional one may also be empty, unless it refuses that.
fn query_parameter(param: &Param, schema: Json) -> Json {
    let mut parameter = Map::new();
    parameter.insert("name".into(), param.name.as_str().into());
    parameter.insert("in".into(), "query".into());
    parameter.insert("required".into(), param.is_required().into());
    if !param.is_required() && !param.not_empty {
        parameter.insert("allowEmptyValue".into(), true.into());
    }
    parameter.insert("description".into(), param_description(param).into());
    if param.ty == ParamType::List {
        parameter.insert("style".into(), "form".into());
        parameter.insert("explode".into(), false.into());
    }
    parameter.insert("schema".into(), schema);
    if let Some(example) = json_schema::param_example(param) {
        parameter.insert("example".into(), example);
    }
    Json::Object(parameter)
}

fn param_description(param: &Param) -> String {
    let words = param.full_description();
    match param.name.as_str() {
        "format" => {
            words
                + " Without it, `Accept` chooses. Under `data`, `columns` is a `Columns` of the schemas; of the formats without \
                   an envelope, `X-Tier` says the tier and `X-Answer` what is around the rows, as JSON."
        }
        _ if param.is_symbol() || param.is_symbols() => words + " Capitals do not matter.",
        _ if param.ty == ParamType::Period => {
            words + " `September 2026`, `SEP-26` and `fy 26` are read as well."
        }
        _ => words,
    }
}

fn x_snapshot() -> Json {
    json!({
        "name": "X-Snapshot",
        "in": "header",
        "description": "Answer from this set, as `snapshot` does, which wins: what an earlier answer said in its own X-Snapshot.",
        "schema": {"type": "string", "pattern": Reference::PATTERN},
    })
}

fn if_none_match() -> Json {
    json!({
        "name": "If-None-Match",
        "in": "header",
        "description": "Tags of cached answers: 304 without a body, and free of charge, while one of them is current.",
        "schema": {"type": "string"},
    })
}
