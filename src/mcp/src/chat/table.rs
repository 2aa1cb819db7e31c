//! The answer of a part: rows as arrays under columns that are named once, and values common to all rows written once.

use std::collections::BTreeSet;

use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

use super::tool_file::ChatPart;
use parquote_call::OwnerTerms;
use parquote_catalogue::operation::{Unit, argument_text};
use parquote_engine::{ResultColumn, csv_line};

/// Fewest rows of which common values are written once.
const LEAST_ROWS_FOR_UNIFORM: usize = 3;
/// Units that are part of the answer, as a reader would not guess them.
const SHOWN_UNITS: [Unit; 4] = [Unit::Money, Unit::InrCrore, Unit::UsdBillion, Unit::UsdMillion];

#[derive(Debug, Default)]
pub(super) struct PartRows {
    columns: Vec<String>,
    rows: Vec<Vec<Json>>,
    /// Fields around the rows.
    around: Map<String, Json>,
    units: Map<String, Json>,
    /// Columns with texts of documents.
    quoted: Vec<String>,
    /// Number of rows skipped before these.
    pub offset: usize,
    /// Number of matching rows; `None` if they were not counted.
    pub total: Option<usize>,
    /// True if more rows follow.
    pub more: bool,
    /// True if a call with a cursor can get the rows that follow.
    pub has_cursor: bool,
    /// Note on the age of the rows, or on the reason for their absence.
    pub age: Option<String>,
    /// Other notes on the call, such as that a symbol has another name now.
    pub notes: Vec<String>,
    /// Terms of the possible sources.
    pub terms: Vec<OwnerTerms>,
}

impl PartRows {
    /// Reads the rows of an answer. Only `columns` are retained, or all columns if that is empty.
    pub(super) fn from_answer(
        part: &ChatPart,
        answer: Json,
        columns: &[String],
        result_columns: &[ResultColumn],
    ) -> Self {
        let mut part_rows = Self::default();
        match answer {
            Json::Array(items) => part_rows.take_objects(items),
            Json::Object(fields) => part_rows.take_object(part, fields),
            other => part_rows.around = Map::from_iter([("answer".to_owned(), other)]),
        }
        if !columns.is_empty() {
            part_rows.select_columns(columns);
        }
        for name in &part.quoted {
            part_rows.quote(name);
        }
        for column in result_columns.iter().filter(|column| SHOWN_UNITS.contains(&column.unit)) {
            if part_rows.columns.contains(&column.name) {
                part_rows.units.insert(column.name.clone(), unit_words(column.unit).into());
            }
        }
        part_rows
    }

    /// Builds the rows of a part without an operation.
    pub(super) fn built_in(columns: &[&str], rows: Vec<Vec<Json>>) -> Self {
        Self { columns: columns.iter().map(|name| (*name).to_owned()).collect(), rows, ..Self::default() }
    }

    /// Builds a part of fields only.
    pub(super) fn fields(around: Map<String, Json>) -> Self {
        Self { around, ..Self::default() }
    }

    /// Takes the rows, and those fields around them that the part declares; of an object without rows, all fields.
    fn take_object(&mut self, part: &ChatPart, mut fields: Map<String, Json>) {
        let is_columns =
            |fields: &Map<String, Json>| fields.contains_key("columns") && fields.contains_key("rows");
        let within = part.within.as_deref();
        if is_columns(&fields) {
            self.take_columns(&mut fields);
        } else if let Some(rows) = within.and_then(|within| fields.shift_remove(within)) {
            match rows {
                Json::Array(items) => self.take_objects(items),
                Json::Object(mut rows) if is_columns(&rows) => self.take_columns(&mut rows),
                _ => {}
            }
        } else {
            self.around = fields;
            return;
        }
        fields.retain(|name, value| part.around.contains(name) && !is_blank(value));
        self.around = fields;
    }

    fn take_columns(&mut self, fields: &mut Map<String, Json>) {
        let listed = fields.shift_remove("columns");
        let names = listed.iter().filter_map(Json::as_array).flatten();
        self.columns = names.filter_map(|column| column["name"].as_str()).map(str::to_owned).collect();
        let rows = fields.shift_remove("rows");
        if let Some(Json::Array(rows)) = rows {
            let cells = |row: Json| if let Json::Array(cells) = row { cells } else { Vec::new() };
            self.rows = rows.into_iter().map(cells).collect();
        }
    }

    fn take_objects(&mut self, items: Vec<Json>) {
        for item in items {
            let Json::Object(mut fields) = item else { continue };
            for name in fields.keys() {
                if !self.columns.contains(name) {
                    self.columns.push(name.clone());
                }
            }
            self.rows.push(
                self.columns.iter().map(|name| fields.shift_remove(name).unwrap_or_default()).collect(),
            );
        }
        let width = self.columns.len();
        self.rows.iter_mut().for_each(|row| row.resize(width, Json::Null));
    }

    /// Marks a column as quoted text, and breaks the links and pictures in it: a host that draws such a link would send it to another
    /// server.
    fn quote(&mut self, name: &str) {
        let Some(position) = self.columns.iter().position(|column| column == name) else { return };
        self.quoted.push(name.to_owned());
        for cell in self.rows.iter_mut().filter_map(|row| row.get_mut(position)) {
            if let Json::String(text) = cell {
                *text = without_links(text);
            }
        }
    }

    /// Retains the columns of these names that exist, in the order of the names.
    fn select_columns(&mut self, names: &[String]) {
        let mut seen = BTreeSet::new();
        let position = |name: &String| self.columns.iter().position(|column| column == name);
        let positions: Vec<usize> =
            names.iter().filter_map(position).filter(|position| seen.insert(*position)).collect();
        let pick =
            |row: &Vec<Json>| positions.iter().filter_map(|position| row.get(*position).cloned()).collect();
        self.rows = self.rows.iter().map(pick).collect();
        self.columns = positions.iter().filter_map(|position| self.columns.get(*position).cloned()).collect();
    }

    /// Returns these columns of all rows as texts, blank where a column or a value is missing.
    pub(super) fn texts<const N: usize>(&self, names: [&str; N]) -> Vec<[String; N]> {
        let positions = names.map(|name| self.columns.iter().position(|column| column == name));
        let text = |row: &Vec<Json>, position: Option<usize>| {
            position.and_then(|position| row.get(position)).map(argument_text).unwrap_or_default()
        };
        self.rows.iter().map(|row| positions.map(|position| text(row, position))).collect()
    }

    /// Returns the number of rows.
    pub(super) const fn count(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn csv(&self) -> Bytes {
        let mut out = Vec::new();
        csv_line(&mut out, self.columns.iter().map(|name| Json::from(name.as_str())));
        for row in &self.rows {
            csv_line(&mut out, row.iter().cloned());
        }
        out.into()
    }

    /// Returns true if the part has neither rows nor fields.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.around.is_empty()
    }

    /// Returns the length of each row as JSON.
    pub(super) fn lengths(&self) -> Vec<usize> {
        let uniform = self.uniform_columns();
        let is_shown = |(position, _): &(usize, &Json)| !uniform.contains(position);
        let length = |row: &Vec<Json>| {
            let cells = row.iter().enumerate().filter(is_shown);
            cells.map(|(_, cell)| cell.to_string().len() + 1).sum::<usize>() + 2
        };
        self.rows.iter().map(length).collect()
    }

    pub(super) fn drop_last(&mut self) {
        self.rows.pop();
    }

    pub(super) fn json(&self) -> Json {
        let mut fields = self.around.clone();
        if self.columns.is_empty() {
            return Json::Object(fields);
        }
        let uniform = self.uniform_columns();
        let varies = |position: &usize| !uniform.contains(position);
        let varying: Vec<usize> = (0..self.columns.len()).filter(varies).collect();
        let name = |position: &usize| self.columns.get(*position).cloned().unwrap_or_default();
        let mut constants = Map::new();
        for (position, value) in
            uniform.iter().filter_map(|position| Some((*position, self.rows.first()?.get(*position)?)))
        {
            constants.insert(name(&position), value.clone());
        }
        let cells = |row: &Vec<Json>| {
            varying.iter().filter_map(|position| row.get(*position).cloned()).collect::<Vec<_>>()
        };
        fields.insert("columns".into(), varying.iter().map(name).collect());
        fields.insert("rows".into(), self.rows.iter().map(cells).collect());
        if !constants.is_empty() {
            fields.insert("in_all_rows".into(), constants.into());
        }
        if !self.quoted.is_empty() {
            fields.insert("quoted".into(), self.quoted.clone().into());
        }
        if !self.units.is_empty() {
            fields.insert("units".into(), self.units.clone().into());
        }
        Json::Object(fields)
    }

    /// Returns the positions of the columns that have one value in all rows; empty if there are few rows.
    fn uniform_columns(&self) -> BTreeSet<usize> {
        let Some(first) = self.rows.first().filter(|_| self.rows.len() >= LEAST_ROWS_FOR_UNIFORM) else {
            return BTreeSet::new();
        };
        let is_uniform =
            |position: &usize| self.rows.iter().all(|row| row.get(*position) == first.get(*position));
        // The first column names the row.
        (1..self.columns.len()).filter(is_uniform).collect()
    }
}

/// Breaks the links and pictures of a text.
pub(super) fn without_links(text: &str) -> String {
    text.replace("://", ": //").replace("](", "] (")
}

fn is_blank(value: &Json) -> bool {
    value.is_null() || *value == json!([]) || *value == json!("")
}

const fn unit_words(unit: Unit) -> &'static str {
    match unit {
        Unit::Money => "whole INR in India, USD in the US",
        other => other.label(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tools::ChatTools;
    use super::*;
    use parquote_catalogue::operation::{Catalogue, Market};

    fn part() -> ChatPart {
        toml::from_str("name = 'p'\nwithin = 'stocks'\naround = ['words']").unwrap()
    }

    #[test]
    fn names_of_columns_and_values_of_all_rows_are_written_once() {
        let rows: Vec<Json> =
            (0..3).map(|n| json!({"symbol": n, "session": "2026-10-30", "gap": null})).collect();
        let answer = PartRows::from_answer(&part(), Json::from(rows), &[], &[]).json();
        assert_eq!(
            answer,
            json!({"columns": ["symbol"], "rows": [[0], [1], [2]], "in_all_rows": {"session": "2026-10-30", "gap": null}})
        );
        let few = json!([{"symbol": 1, "session": "a"}]);
        let answer =
            PartRows::from_answer(&part(), few, &["session".to_owned(), "nothing".to_owned()], &[]).json();
        assert_eq!(answer, json!({"columns": ["session"], "rows": [["a"]]}));
    }

    #[test]
    fn rows_are_found_within_an_answer_and_in_either_form() {
        let columns = json!({"columns": [{"name": "n"}], "rows": [[1], [2]]});
        let around = json!({"stocks": columns, "words": "w", "count": 2});
        assert_eq!(
            PartRows::from_answer(&part(), around, &[], &[]).json(),
            json!({"words": "w", "columns": ["n"], "rows": [[1], [2]]})
        );
        let object = json!({"run": "r1", "status": "queued"});
        assert_eq!(PartRows::from_answer(&part(), object.clone(), &[], &[]).json(), object);
    }

    /// An answer of a part may have its rows as objects, as columns, or as columns beside its other fields.
    #[test]
    fn declared_fields_around_the_rows_are_shown_in_every_form_of_an_answer() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let tools = ChatTools::from_catalogue(&catalogue).unwrap();
        let columns = json!({"columns": [{"name": "n"}], "rows": [[1]]});
        let mut declared = 0;
        for (tool, part) in tools.all().flat_map(|tool| tool.file.part.iter().map(move |part| (tool, part))) {
            let mut forms = vec![columns.clone()];
            if let Some(within) = &part.within {
                forms.extend([json!([{"n": 1}]), columns.clone()].map(|rows| json!({within: rows})));
            }
            for mut answer in forms {
                let mut expected = json!({"columns": ["n"], "rows": [[1]]});
                for name in &part.around {
                    answer[name] = json!(["value"]);
                    expected[name] = json!(["value"]);
                }
                answer["not_declared"] = "value".into();
                let shown = PartRows::from_answer(part, answer.clone(), &[], &[]).json();
                assert_eq!(shown, expected, "{} of {}: {answer}", part.name, tool.name);
            }
            for operation in Market::ALL.into_iter().filter_map(|market| tool.operation(part, market)) {
                for name in part.around.iter().chain(&part.within).chain(&part.criteria) {
                    declared += 1;
                    let is_column = operation.columns.iter().any(|column| column.name == *name);
                    // A list of stocks has its rows in a field that is not declared as a column.
                    let is_rows = part.within.as_ref() == Some(name);
                    assert!(is_column || is_rows, "{}: {} has no `{name}`", tool.name, operation.name);
                }
            }
        }
        assert!(declared >= 30, "{declared}");
    }

    #[test]
    fn links_and_pictures_in_quoted_texts_are_broken() {
        let text = "See ![x](http://evil.example/?q=1) and https://a.example";
        let mut rows = PartRows::built_in(&["symbol", "what"], vec![vec![json!("http://A"), json!(text)]]);
        rows.quote("what");
        rows.quote("nothing");
        let answer = rows.json();
        assert_eq!(answer["quoted"], json!(["what"]));
        assert_eq!(answer["rows"][0][0], "http://A");
        assert_eq!(answer["rows"][0][1], "See ![x] (http: //evil.example/?q=1) and https: //a.example");
    }
}
