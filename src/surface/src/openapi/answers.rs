//! The schemas of answers: for each operation the schemas of a whole and of a partial row, and of `data` in each format.
//!
//! A row is whole unless `fields` selects some of its fields; both have a separate schema, so that a client that never requests a part can
//! rely on the whole row.

use serde_json::{Map, Value as Json, json};

use super::components::{Components, pascal_case};
use crate::json_schema;
use parquote_catalogue::operation::{Answer, AnswerFormat, ColumnType, Condition, Offer, Operation, Select};
use parquote_engine::{ResultColumn, lacking_feature};

/// Schemas of an operation's answers.
pub(super) struct Answers {
    /// Schema of `data`.
    data: Json,
    /// Schemas of a row in the formats without an envelope; for an object, one for each of its lists.
    rows: Vec<Json>,
    /// Formats without an envelope.
    bare: Vec<AnswerFormat>,
}

impl Answers {
    /// Builds the schemas of an operation; `columns` has the columns of each of its SELECTs.
    pub(super) fn for_operation(
        operation: &Operation,
        id: &str,
        columns: &[Vec<ResultColumn>],
        all: &mut Components,
    ) -> Self {
        let base = pascal_case(id);
        let offered = operation.offer_for(Offer::any(AnswerFormat::Json)).formats();
        let is_bare = |format: &AnswerFormat| !format.is_enveloped() && lacking_feature(*format).is_none();
        let without_envelope = offered.iter().copied().filter(is_bare);
        if operation.run_returns_rows {
            let row = json!({"type": "object", "description": "A row: its fields are the columns of the caller's SELECT."});
            let list = json!({"type": "array", "items": row});
            let data = any_of(vec![list, json!({"$ref": "#/components/schemas/Columns"})]);
            return Self { data, rows: vec![row], bare: without_envelope.collect() };
        }
        if !operation.answers_from_select() {
            let columns = columns.first().map_or(&[][..], Vec::as_slice);
            let data = all.schema(&format!("{base}Answer"), || json_schema::row_schema(columns));
            return Self { data, rows: rows_of_lists(columns), bare: without_envelope.collect() };
        }
        let mut forms = Vec::new();
        let mut rows = Vec::new();
        for (index, select) in operation.selects.iter().enumerate() {
            let name = format!("{base}{}", schema_suffix(select));
            let references = RowReferences::new(&name, columns.get(index).map_or(&[], Vec::as_slice), all);
            forms.extend(references.forms(&name, operation, select, all));
            rows.extend([references.whole, references.part]);
        }
        Self { data: any_of(forms), rows, bare: without_envelope.collect() }
    }

    /// Returns the body of a success in each media type.
    pub(super) fn content(&self) -> Json {
        let envelope = json!({
            "type": "object",
            "properties": {"data": self.data, "meta": {"$ref": "#/components/schemas/Meta"}},
            "required": ["data", "meta"],
        });
        let mut content = Map::from_iter([("application/json".to_owned(), json!({"schema": envelope}))]);
        content.extend(self.bare.iter().map(|format| self.without_envelope(*format)));
        Json::Object(content)
    }

    /// Returns the media type of a format without an envelope, and its description. A description covers what no schema can express, and
    /// `x-row` names the schema of a row.
    fn without_envelope(&self, format: AnswerFormat) -> (String, Json) {
        let media_type = format.media_type().split(';').next().unwrap_or_default().trim().to_owned();
        let (words, schema_format) = match format {
            AnswerFormat::Csv => (
                "A line of the names of the fields, then a line a row, each ended by CR LF. A text that a spreadsheet may take for a \
                 formula has an apostrophe in front.",
                None,
            ),
            AnswerFormat::Arrow => ("An Arrow IPC stream: the schema, then the rows.", Some("binary")),
            AnswerFormat::Xlsx => (
                "A workbook with typed cells and no formula: the rows, or an object's figures and lists; then what the columns mean.",
                Some("binary"),
            ),
            AnswerFormat::Svg => ("A picture of the rows, with a title and a description in words.", None),
            AnswerFormat::Png => ("A picture of the rows.", Some("binary")),
            _ => ("A JSON object a line, each a row.", None),
        };
        let mut schema = json!({"type": "string", "description": words});
        if let (Some(format), Some(schema)) = (schema_format, schema.as_object_mut()) {
            schema.insert("format".into(), format.into());
        }
        if format.is_picture() {
            return (media_type, json!({"schema": schema}));
        }
        (media_type, json!({"schema": schema, "x-row": any_of(self.rows.clone())}))
    }
}

/// Returns the schema of a row of each list of an object, and of the objects within it.
fn rows_of_lists(columns: &[ResultColumn]) -> Vec<Json> {
    let rows_within = |column: &ResultColumn| match column.ty {
        ColumnType::Rows => vec![json_schema::row_schema(&column.fields)],
        ColumnType::Row => rows_of_lists(&column.fields),
        _ => Vec::new(),
    };
    columns.iter().flat_map(rows_within).collect()
}

/// References to the schemas of a select's row.
struct RowReferences {
    whole: Json,
    part: Json,
}

impl RowReferences {
    fn new(name: &str, columns: &[ResultColumn], all: &mut Components) -> Self {
        let mut row = json_schema::row_schema(columns);
        let required = row.as_object_mut().and_then(|row| row.remove("required")).unwrap_or_default();
        let part = all.schema(&format!("{name}Part"), || {
            with_description(row, "A row with `fields`: those of its fields that are named there.")
        });
        let whole = all.schema(&format!("{name}Row"), || {
            let row = json!({"type": "object", "allOf": [part], "required": required});
            with_description(row, "A row: all of its fields.")
        });
        Self { whole, part }
    }

    /// Returns the schemas that `data` may have: of whole rows, of partial rows, and of `format=columns`.
    fn forms(&self, name: &str, operation: &Operation, select: &Select, all: &mut Components) -> Vec<Json> {
        let columns = json!({"$ref": "#/components/schemas/Columns"});
        let list = |row: &Json| json!({"type": "array", "items": row});
        let forms = match select.answer {
            Answer::One => vec![self.whole.clone(), self.part.clone(), columns],
            Answer::List => vec![list(&self.whole), list(&self.part), columns],
            Answer::Stocks => {
                let rows = json!({"stocks": any_of(vec![list(&self.whole), list(&self.part)])});
                let around = |rows: &Json| json_schema::envelope_schema(operation, select, rows);
                let stocks = all.schema(name, || around(&rows));
                let in_columns = json_schema::columns_schema();
                let in_columns = in_columns.get("properties").cloned().unwrap_or_default();
                vec![stocks, all.schema(&format!("{name}Columns"), || around(&in_columns))]
            }
        };
        let when: Vec<String> = select.when.iter().map(ToString::to_string).collect();
        if when.is_empty() {
            return forms;
        }
        let words = format!("When {}.", when.join(" and "));
        forms.into_iter().map(|form| with_description(form, &words)).collect()
    }
}

/// Returns the part of a schema name that distinguishes a select from the others of its operation.
fn schema_suffix(select: &Select) -> String {
    let part = |condition: &Condition| match condition {
        Condition::Absent(param) => format!("Without{}", pascal_case(param)),
        Condition::Present(param) => format!("With{}", pascal_case(param)),
        Condition::Is(param, word) => pascal_case(param) + &pascal_case(word),
    };
    select.when.iter().map(part).collect()
}

/// Joins several forms by `anyOf`: an empty list matches each form that is a list, which `oneOf` forbids. A single form is unchanged.
fn any_of(mut forms: Vec<Json>) -> Json {
    let mut seen: Vec<Json> = Vec::new();
    forms.retain(|form| {
        let is_new = !seen.contains(form);
        seen.push(form.clone());
        is_new
    });
    if forms.len() == 1 { forms.swap_remove(0) } else { json!({"anyOf": forms}) }
}

fn with_description(mut schema: Json, words: &str) -> Json {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".into(), words.into());
    }
    schema
}
