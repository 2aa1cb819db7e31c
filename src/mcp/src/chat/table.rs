//! The answer of a part: rows as arrays under columns that are named once, and values common to all rows written once.

use std::collections::BTreeSet;

use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

use super::tool_file::ChatPart;
use parquote_catalogue::operation::Unit;
use parquote_engine::{ResultColumn, csv_line};

/// Fewer rows are shown unchanged.
const ROWS_FOR_SAME: usize = 3;
/// Units that are written out, as a reader would not guess them.
const TOLD: [Unit; 4] = [Unit::Money, Unit::InrCrore, Unit::UsdBillion, Unit::UsdMillion];

/// Rows of a part.
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
    /// Number of matching rows, if counted.
    pub total: Option<usize>,
    /// True if more rows follow.
    pub more: bool,
    /// True if a cursor can continue them.
    pub goes_on: bool,
    /// Note on the age of the rows, or on the reason for their absence.
    pub age: Option<String>,
}

impl PartRows {
    /// Reads the rows of an answer, of which a part shows `columns`, or all if that is empty.
    pub(super) fn from_answer(
        part: &ChatPart,
        answer: Json,
        columns: &[String],
        known: &[ResultColumn],
    ) -> Self {
        let mut read = Self::default();
        match answer {
            Json::Array(items) => read.take_objects(items),
            Json::Object(fields) => read.take_object(part, fields),
            other => read.around = Map::from_iter([("answer".to_owned(), other)]),
        }
        if !columns.is_empty() {
            read.keep(columns);
        }
        for name in &part.quoted {
            read.quote(name);
        }
        for column in known.iter().filter(|column| TOLD.contains(&column.unit)) {
            if read.columns.contains(&column.name) {
                read.units.insert(column.name.clone(), unit_words(column.unit).into());
            }
        }
        read
    }

    /// Builds rows without an operation.
    pub(super) fn own(columns: &[&str], rows: Vec<Vec<Json>>) -> Self {
        Self { columns: columns.iter().map(|name| (*name).to_owned()).collect(), rows, ..Self::default() }
    }

    /// Builds a part of fields only.
    pub(super) fn fields(around: Map<String, Json>) -> Self {
        Self { around, ..Self::default() }
    }

    fn take_object(&mut self, part: &ChatPart, mut fields: Map<String, Json>) {
        let is_columns =
            |fields: &Map<String, Json>| fields.contains_key("columns") && fields.contains_key("rows");
        if is_columns(&fields) {
            return self.take_columns(fields);
        }
        let Some(rows) = part.within.as_deref().and_then(|within| fields.shift_remove(within)) else {
            self.around = fields;
            return;
        };
        match rows {
            Json::Array(items) => self.take_objects(items),
            Json::Object(rows) if is_columns(&rows) => self.take_columns(rows),
            _ => {}
        }
        let is_shown = |name: &String| part.around.contains(name);
        self.around =
            fields.into_iter().filter(|(name, value)| is_shown(name) && !is_nothing(value)).collect();
    }

    fn take_columns(&mut self, mut fields: Map<String, Json>) {
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

    /// Marks a column as quoted text, and breaks the links and pictures in it: a host that draws them would tell others what is read here.
    fn quote(&mut self, name: &str) {
        let Some(place) = self.columns.iter().position(|known| known == name) else { return };
        self.quoted.push(name.to_owned());
        for cell in self.rows.iter_mut().filter_map(|row| row.get_mut(place)) {
            if let Json::String(text) = cell
                && (text.contains("://") || text.contains("]("))
            {
                *text = text.replace("://", ": //").replace("](", "] (");
            }
        }
    }

    /// Selects those of these columns that exist, in the order of the names.
    fn keep(&mut self, names: &[String]) {
        let mut seen = BTreeSet::new();
        let place = |name: &String| self.columns.iter().position(|known| known == name);
        let places: Vec<usize> = names.iter().filter_map(place).filter(|place| seen.insert(*place)).collect();
        let pick = |row: &Vec<Json>| places.iter().filter_map(|place| row.get(*place).cloned()).collect();
        self.rows = self.rows.iter().map(pick).collect();
        self.columns = places.iter().filter_map(|place| self.columns.get(*place).cloned()).collect();
    }

    /// Returns the number of rows.
    pub(super) const fn count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the rows as CSV.
    pub(super) fn csv(&self) -> Bytes {
        let mut out = Vec::new();
        csv_line(&mut out, self.columns.iter().map(|name| Json::from(name.as_str())));
        for row in &self.rows {
            csv_line(&mut out, row.iter().cloned());
        }
        out.into()
    }

    /// Returns true if it has neither rows nor fields.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.around.is_empty()
    }

    /// Returns the length of each row as JSON.
    pub(super) fn lengths(&self) -> Vec<usize> {
        let same = self.same();
        let is_shown = |(place, _): &(usize, &Json)| !same.contains(place);
        let length = |row: &Vec<Json>| {
            let cells = row.iter().enumerate().filter(is_shown);
            cells.map(|(_, cell)| cell.to_string().len() + 1).sum::<usize>() + 2
        };
        self.rows.iter().map(length).collect()
    }

    /// Drops the last row.
    pub(super) fn drop_last(&mut self) {
        self.rows.pop();
    }

    /// Returns the part as JSON.
    pub(super) fn json(&self) -> Json {
        let mut fields = self.around.clone();
        if self.columns.is_empty() {
            return Json::Object(fields);
        }
        let same = self.same();
        let shown = |place: &usize| !same.contains(place);
        let shown: Vec<usize> = (0..self.columns.len()).filter(shown).collect();
        let name = |place: &usize| self.columns.get(*place).cloned().unwrap_or_default();
        let mut constants = Map::new();
        for (place, value) in same.iter().filter_map(|place| Some((*place, self.rows.first()?.get(*place)?)))
        {
            constants.insert(name(&place), value.clone());
        }
        let cells =
            |row: &Vec<Json>| shown.iter().filter_map(|place| row.get(*place).cloned()).collect::<Vec<_>>();
        fields.insert("columns".into(), shown.iter().map(name).collect());
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

    /// Returns the columns that have one value in all rows; none if there are few rows.
    fn same(&self) -> BTreeSet<usize> {
        let Some(first) = self.rows.first().filter(|_| self.rows.len() >= ROWS_FOR_SAME) else {
            return BTreeSet::new();
        };
        let is_same = |place: &usize| self.rows.iter().all(|row| row.get(*place) == first.get(*place));
        // The first column names the row.
        (1..self.columns.len()).filter(is_same).collect()
    }
}

fn is_nothing(value: &Json) -> bool {
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
    use super::*;

    fn part() -> ChatPart {
        toml::from_str("name = 'p'\nwithin = 'stocks'\naround = ['words']").unwrap()
    }

    #[test]
    fn what_all_rows_have_is_told_once_and_columns_once() {
        let rows: Vec<Json> =
            (0..3).map(|n| json!({"symbol": n, "session": "2026-10-30", "gap": null})).collect();
        let told = PartRows::from_answer(&part(), Json::from(rows), &[], &[]).json();
        assert_eq!(
            told,
            json!({"columns": ["symbol"], "rows": [[0], [1], [2]], "in_all_rows": {"session": "2026-10-30", "gap": null}})
        );
        let few = json!([{"symbol": 1, "session": "a"}]);
        let told =
            PartRows::from_answer(&part(), few, &["session".to_owned(), "nothing".to_owned()], &[]).json();
        assert_eq!(told, json!({"columns": ["session"], "rows": [["a"]]}));
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

    #[test]
    fn links_and_pictures_in_quoted_texts_are_broken() {
        let text = "See ![x](http://evil.example/?q=1) and https://a.example";
        let mut rows = PartRows::own(&["symbol", "what"], vec![vec![json!("http://A"), json!(text)]]);
        rows.quote("what");
        rows.quote("nothing");
        let answer = rows.json();
        assert_eq!(answer["quoted"], json!(["what"]));
        assert_eq!(answer["rows"][0][0], "http://A");
        assert_eq!(answer["rows"][0][1], "See ![x] (http: //evil.example/?q=1) and https: //a.example");
    }
}
