//! JSON Schema of parameters and answers, from declarations and the planner's columns. REST and MCP include it in their documents.

use serde_json::{Map, Value as Json, json};

use parquote_catalogue::operation::{
    ColumnType, Operation, Param, ParamType, Select, Unit, WrapField, WrapSource, json_number,
};
use parquote_engine::ResultColumn;

/// Returns a parameter's example as JSON of its type.
pub(crate) fn param_example(param: &Param) -> Option<Json> {
    let text = param.example.as_deref()?;
    Some(match param.ty {
        ParamType::Int => text.parse::<i64>().map_or_else(|_| text.into(), Json::from),
        ParamType::Number => text.parse::<f64>().map_or_else(|_| text.into(), json_number),
        ParamType::Bool => (text == "true" || text == "1").into(),
        ParamType::List => text.split(',').map(str::trim).collect(),
        ParamType::Text | ParamType::Date | ParamType::Period => text.into(),
    })
}

/// Returns the schema of an answer in `format=columns`; fields around the rows are added by [`envelope_schema`].
pub(crate) fn columns_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "columns": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "type": {"enum": ColumnType::ALL.map(ColumnType::word)},
                    "unit": {"type": ["string", "null"], "description": "As `x-unit` of the field."},
                },
                "required": ["name", "type", "unit"],
            }},
            "rows": {"type": "array", "items": {"type": "array"}, "description": "Values in the order of the columns."},
        },
        "required": ["columns", "rows"],
    })
}

/// Returns the schema of a row: every column is required, and may be null if nullable.
pub(crate) fn row_schema(columns: &[ResultColumn]) -> Json {
    // An object whose fields depend on the arguments, such as a tree of conditions, declares none.
    if columns.is_empty() {
        return json!({"type": "object"});
    }
    let properties: Map<String, Json> = columns.iter().map(|c| (c.name.clone(), column_schema(c))).collect();
    let required: Json = columns.iter().map(|column| column.name.as_str()).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn column_schema(column: &ResultColumn) -> Json {
    let ty = match column.ty {
        ColumnType::Text | ColumnType::Date => "string",
        ColumnType::Int => "integer",
        ColumnType::Number => "number",
        ColumnType::Bool => "boolean",
        ColumnType::Texts | ColumnType::Rows => "array",
        ColumnType::Row => "object",
    };
    let mut schema = match column.ty {
        ColumnType::Row => row_schema(&column.fields),
        ColumnType::Rows => json!({"items": row_schema(&column.fields)}),
        ColumnType::Texts => json!({"items": {"type": "string"}}),
        ColumnType::Date => json!({"format": "date"}),
        _ => json!({}),
    };
    let Some(facts) = schema.as_object_mut() else { return schema };
    facts.insert("type".into(), if column.nullable { json!([ty, "null"]) } else { ty.into() });
    let words = column_words(column);
    if !words.is_empty() {
        facts.insert("description".into(), words.into());
    }
    if column.unit != Unit::None {
        facts.insert("x-unit".into(), column.unit.word().into());
    }
    schema
}

fn column_words(column: &ResultColumn) -> String {
    match (column.words.is_empty(), column.unit.label()) {
        (_, "") => column.words.clone(),
        (true, unit) => format!("Unit: {unit}."),
        (false, unit) => format!("{} Unit: {unit}.", column.words),
    }
}

/// Returns the schema of the object around rows; `rows` are the fields that contain them.
pub(crate) fn envelope_schema(operation: &Operation, select: &Select, rows: &Json) -> Json {
    let mut properties = rows.as_object().cloned().unwrap_or_default();
    properties.insert("count".into(), json!({"type": "integer", "description": "Rows in this answer."}));
    properties.insert(
        "total".into(),
        json!({"type": ["integer", "null"], "description": "Rows that match in all; null where they were not counted."}),
    );
    for field in &select.wrap {
        properties.insert(field.name.clone(), wrap_schema(operation, field));
    }
    let required: Json = properties.keys().map(String::as_str).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn wrap_schema(operation: &Operation, field: &WrapField) -> Json {
    match &field.source {
        WrapSource::Text(text) => json!({"type": "string", "description": format!("Always `{text}`.")}),
        WrapSource::Param(name) => repeated_param_schema(operation.param(name)),
        WrapSource::Label(_, labels) => json!({
            "type": "string",
            "enum": labels.iter().map(|(_, label)| label).collect::<Vec<_>>(),
            "description": "The request, in words."
        }),
        WrapSource::Stale(_) => json!({
            "type": ["boolean", "null"],
            "description": "Whether more than `stale_after_hours` have passed since `last_updated`; null without data."
        }),
        WrapSource::Count => json!({"type": "integer", "description": "Number of entries."}),
        WrapSource::TableName(_) => json!({"type": "string", "description": "The table the rows come from."}),
        WrapSource::TableSchedule(_) => {
            json!({"type": ["string", "null"], "description": "When the table is refreshed, a cron line in the market's time."})
        }
        WrapSource::TableStaleAfterHours(_) => {
            json!({"type": ["integer", "null"], "description": "Hours after which the table counts as stale."})
        }
        WrapSource::TableUpdated(_) => json!({
            "type": ["string", "null"], "format": "date-time",
            "description": "When the set of the table was published, or its plain file written."
        }),
        WrapSource::TimeZone => {
            json!({"type": "string", "description": "The time zone of the schedule."})
        }
        WrapSource::Made => {
            let declared = ResultColumn::declared_fields(operation);
            declared.iter().find(|column| column.name == field.name).map_or_else(|| json!({}), column_schema)
        }
        WrapSource::AsOf => {
            json!({"type": ["string", "null"], "format": "date", "description": "The market's last session."})
        }
    }
}

/// Returns the schema of a parameter that an answer repeats.
fn repeated_param_schema(param: Option<&Param>) -> Json {
    let Some(param) = param else { return json!({}) };
    let mut schema = param.schema();
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("default");
        if param.optional
            && let Some(ty) = schema.get("type").cloned()
        {
            schema.insert("type".into(), json!([ty, "null"]));
            schema.remove("enum");
        }
        schema.insert("description".into(), format!("The `{}` of the request.", param.name).into());
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(params: &str, placeholders: &str) -> Operation {
        let text = format!(
            "-- T.\n-- tool: t\n-- tier: free\n-- group: G\n-- answer: list\n{params}\nSELECT {placeholders}"
        );
        Operation::parse("api/t.sql", &text).unwrap().remove(0)
    }

    #[test]
    fn params_of_each_type() {
        let text = [
            r#"-- param: a text = up in (up, down) "W.""#,
            r#"-- param: b int = 10 in 1..50 "W.""#,
            r#"-- param: c number? in 0..10.5 "W." e.g. 2.5"#,
            r#"-- param: d date? "W.""#,
            r#"-- param: e list? "W." e.g. x,y"#,
            r#"-- param: f text? in 1..200 "W.""#,
            r#"-- param: g int tier-capped "Rows.""#,
        ];
        let operation = operation(&text.join("\n"), "$a, $b, $c, $d, $e, $f, $g");
        let schema = |name: &str| operation.param(name).unwrap().schema();
        assert_eq!(schema("a"), json!({"type": "string", "enum": ["up", "down"], "default": "up"}));
        assert_eq!(schema("b"), json!({"type": "integer", "minimum": 1, "maximum": 50, "default": 10}));
        assert_eq!(schema("c"), json!({"type": "number", "minimum": 0, "maximum": 10.5}));
        assert_eq!(schema("d"), json!({"type": "string", "format": "date"}));
        assert_eq!(schema("e"), json!({"type": "array", "items": {"type": "string"}}));
        assert_eq!(schema("f"), json!({"type": "string", "minLength": 1, "maxLength": 200}));
        // Tier-capped rows default to 20 and are clamped, never refused.
        assert_eq!(schema("g"), json!({"type": "integer", "default": 20}));
        let words = operation.param("g").unwrap().full_description();
        assert!(words.contains("free 10") && words.contains("api_max 100"), "{words}");
        assert_eq!(param_example(operation.param("c").unwrap()), Some(json!(2.5)));
        assert_eq!(param_example(operation.param("e").unwrap()), Some(json!(["x", "y"])));
    }

    #[test]
    fn a_row_says_type_null_and_unit() {
        let column = |name: &str, ty, nullable, unit, words: &str| ResultColumn {
            name: name.to_owned(),
            ty,
            nullable,
            unit,
            words: words.to_owned(),
            fields: Vec::new(),
        };
        let columns = vec![
            column("pe", ColumnType::Number, true, Unit::Ratio, "Price to earnings."),
            column("session", ColumnType::Date, false, Unit::None, ""),
        ];
        assert_eq!(
            row_schema(&columns),
            json!({
                "type": "object",
                "properties": {
                    "pe": {
                        "type": ["number", "null"],
                        "description": "Price to earnings. Unit: ratio.",
                        "x-unit": "ratio"
                    },
                    "session": {"type": "string", "format": "date"}
                },
                "required": ["pe", "session"]
            })
        );
    }

    #[test]
    fn rows_within_a_row_are_described() {
        let column = |name: &str, ty, fields| ResultColumn {
            name: name.to_owned(),
            ty,
            nullable: false,
            unit: Unit::None,
            words: String::new(),
            fields,
        };
        let member = vec![column("symbol", ColumnType::Text, Vec::new())];
        let columns =
            vec![column("risks", ColumnType::Texts, Vec::new()), column("members", ColumnType::Rows, member)];
        assert_eq!(
            row_schema(&columns)["properties"],
            json!({
                "risks": {"type": "array", "items": {"type": "string"}},
                "members": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"symbol": {"type": "string"}},
                    "required": ["symbol"]
                }}
            })
        );
    }
}
