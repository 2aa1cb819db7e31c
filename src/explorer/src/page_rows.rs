//! The answer of an operation as rows: read once from its JSON, with the columns that the planner and the dictionary know.

use serde_json::{Map, Value as Json};

use parquote_catalogue::error::ClientError;
use parquote_engine::{Encoded, Extent, ResultColumn};
use parquote_picture::spec::PictureSpec;

/// A row, in the order of its columns.
pub(crate) type PageRow = Map<String, Json>;

/// The text in a column of a row; empty where there is none.
pub(crate) fn text<'a>(row: &'a PageRow, name: &str) -> &'a str {
    row.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// The rows of an answer.
#[derive(Debug, Clone, Default)]
pub struct PageRows {
    /// What is known of its columns.
    pub columns: Vec<ResultColumn>,
    /// The rows; one for an object.
    pub rows: Vec<PageRow>,
    /// The fields around the rows.
    pub around: PageRow,
    /// Which of the rows that match these are.
    pub extent: Option<Extent>,
    /// How they are drawn, where their operation says it.
    pub picture: Option<PictureSpec>,
}

/// What a call of a page came to.
#[derive(Debug)]
pub enum PartOutcome {
    /// Rows.
    Answered(PageRows),
    /// A refusal.
    Refused(ClientError),
}

impl PageRows {
    /// Reads an encoded answer; what is no JSON of rows has none.
    pub fn read(answer: &Encoded, columns: &[ResultColumn], picture: Option<&PictureSpec>) -> Self {
        const ROWS: &str = "stocks";
        let mut read = Self {
            columns: columns.to_vec(),
            extent: answer.extent,
            picture: picture.cloned(),
            ..Self::default()
        };
        match serde_json::from_slice(&answer.body) {
            Ok(Json::Array(rows)) => read.rows = objects(rows),
            Ok(Json::Object(mut object)) => match object.shift_remove(ROWS) {
                Some(Json::Array(rows)) => {
                    read.rows = objects(rows);
                    read.around = object;
                    if let Some(stocks) =
                        columns.iter().find(|column| column.name == ROWS && !column.fields.is_empty())
                    {
                        read.columns.clone_from(&stocks.fields);
                    }
                }
                _ => read.rows = vec![object],
            },
            _ => {}
        }
        read
    }

    /// The rows in a column of the first row, as an answer of their own.
    pub(crate) fn within(&self, column: &str) -> Self {
        let rows = match self.rows.first().and_then(|row| row.get(column)) {
            Some(Json::Array(rows)) => objects(rows.clone()),
            _ => Vec::new(),
        };
        Self { columns: self.fields(column), rows, ..Self::default() }
    }

    /// The rows with the earlier rows of each, which have what they lack of the row that holds them.
    pub(crate) fn with_earlier(&self, column: &str) -> Self {
        let mut rows = Vec::new();
        for row in &self.rows {
            let mut own = row.clone();
            let earlier = own.shift_remove(column);
            rows.push(own.clone());
            let Some(Json::Array(earlier)) = earlier else { continue };
            for fields in objects(earlier) {
                let mut whole = own.clone();
                whole.extend(fields);
                rows.push(whole);
            }
        }
        Self { columns: self.columns.clone(), rows, ..Self::default() }
    }

    /// The rows of several answers of one operation.
    pub(crate) fn joined<'a>(answers: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut joined = Self::default();
        for answer in answers {
            if joined.columns.is_empty() {
                joined.columns.clone_from(&answer.columns);
                joined.extent = answer.extent;
                joined.around.clone_from(&answer.around);
                joined.picture.clone_from(&answer.picture);
            }
            joined.rows.extend(answer.rows.iter().cloned());
        }
        joined
    }

    /// The texts in a column.
    pub(crate) fn texts(&self, column: &str) -> Vec<&str> {
        self.rows.iter().filter_map(|row| row.get(column)?.as_str()).collect()
    }

    /// What is known of a column.
    pub(crate) fn column(&self, name: &str) -> Option<&ResultColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The names of the columns: of the rows where there are any, otherwise as declared.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self.rows.first() {
            Some(row) => row.keys().map(String::as_str).collect(),
            None => self.columns.iter().map(|column| column.name.as_str()).collect(),
        }
    }

    /// The columns within a column.
    pub(crate) fn fields(&self, name: &str) -> Vec<ResultColumn> {
        self.column(name).map(|column| column.fields.clone()).unwrap_or_default()
    }
}

fn objects(rows: Vec<Json>) -> Vec<PageRow> {
    let objects = rows.into_iter().filter_map(|row| match row {
        Json::Object(row) => Some(row),
        _ => None,
    });
    objects.collect()
}
