//! Rows of an operation's answer: parsed once from its JSON, with the columns from the planner and the dictionary.

use serde_json::{Map, Value as Json};

use parquote_catalogue::error::ClientError;
use parquote_engine::{EncodedAnswer, Extent, ResultColumn};
use parquote_picture::spec::PictureSpec;

/// A row, in the order of its columns.
pub(crate) type PageRow = Map<String, Json>;

/// Returns the text in a column of a row; empty if it has no text.
pub(crate) fn text<'a>(row: &'a PageRow, name: &str) -> &'a str {
    row.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// Rows of an answer.
#[derive(Debug, Clone, Default)]
pub struct PageRows {
    /// Descriptions of the columns, from the planner and the dictionary.
    pub columns: Vec<ResultColumn>,
    /// Rows; one for an object.
    pub rows: Vec<PageRow>,
    /// Fields of the object around the rows; empty for an array.
    pub around: PageRow,
    /// Descriptions of these fields.
    pub around_columns: Vec<ResultColumn>,
    /// Range of these rows among all that match; `None` if the operation has no pages.
    pub extent: Option<Extent>,
    /// Picture of the rows, if their operation declares one.
    pub picture: Option<PictureSpec>,
    /// Figures over companies, each with the numbers of companies that have and lack it.
    pub coverage: Vec<(String, u64, u64)>,
}

/// Outcome of a call of a page.
#[derive(Debug)]
pub enum PartOutcome {
    /// The rows of the answer.
    Answered(PageRows),
    /// The error of the refused call.
    Refused(ClientError),
}

impl PageRows {
    /// Parses an encoded answer; the result has no rows if it is not JSON of an object or of an array of objects.
    pub fn read(answer: &EncodedAnswer, columns: &[ResultColumn], picture: Option<&PictureSpec>) -> Self {
        const ROWS: &str = "stocks";
        let mut parsed = Self {
            columns: columns.to_vec(),
            extent: answer.extent,
            picture: picture.cloned(),
            ..Self::default()
        };
        match serde_json::from_slice(&answer.body) {
            Ok(Json::Array(rows)) => parsed.rows = objects(rows),
            Ok(Json::Object(mut object)) => match object.shift_remove(ROWS) {
                Some(Json::Array(rows)) => {
                    parsed.rows = objects(rows);
                    parsed.around = object;
                    if let Some(stocks) =
                        columns.iter().find(|column| column.name == ROWS && !column.fields.is_empty())
                    {
                        parsed.around_columns = std::mem::replace(&mut parsed.columns, stocks.fields.clone());
                    }
                }
                _ => parsed.rows = vec![object],
            },
            _ => {}
        }
        parsed
    }

    /// Returns the object around the rows as the only row; `None` if there is nothing around them.
    pub(crate) fn object_around(&self) -> Option<Self> {
        let (columns, rows) = (self.around_columns.clone(), vec![self.around.clone()]);
        (!self.around.is_empty()).then(|| Self { columns, rows, ..Self::default() })
    }

    /// Returns the rows that a field around the rows holds, or else this column of the first row.
    pub(crate) fn rows_within(&self, column: &str) -> Self {
        let (holder, columns) = match self.around.get(column) {
            Some(_) => (Some(&self.around), &self.around_columns),
            None => (self.rows.first(), &self.columns),
        };
        let rows = match holder.and_then(|row| row.get(column)) {
            Some(Json::Array(rows)) => objects(rows.clone()),
            _ => Vec::new(),
        };
        let declared = columns.iter().find(|known| known.name == column);
        Self {
            columns: declared.map(|known| known.fields.clone()).unwrap_or_default(),
            rows,
            ..Self::default()
        }
    }

    /// Returns the rows, each followed by the earlier rows in this column. An earlier row takes the values that it lacks from the row that
    /// holds it.
    pub(crate) fn with_earlier(&self, column: &str) -> Self {
        let mut rows = Vec::new();
        for row in &self.rows {
            let mut fields_of_row = row.clone();
            let earlier = fields_of_row.shift_remove(column);
            rows.push(fields_of_row.clone());
            let Some(Json::Array(earlier)) = earlier else { continue };
            for fields in objects(earlier) {
                let mut whole = fields_of_row.clone();
                whole.extend(fields);
                rows.push(whole);
            }
        }
        Self { columns: self.columns.clone(), rows, ..Self::default() }
    }

    /// Joins the rows of several answers of one operation.
    pub(crate) fn join<'a>(answers: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut joined = Self::default();
        for answer in answers {
            if joined.columns.is_empty() {
                joined.columns.clone_from(&answer.columns);
                joined.extent = answer.extent;
                joined.around.clone_from(&answer.around);
                joined.coverage.clone_from(&answer.coverage);
                joined.around_columns.clone_from(&answer.around_columns);
                joined.picture.clone_from(&answer.picture);
            }
            joined.rows.extend(answer.rows.iter().cloned());
        }
        joined
    }

    pub(crate) fn texts(&self, column: &str) -> Vec<&str> {
        self.rows.iter().filter_map(|row| row.get(column)?.as_str()).collect()
    }

    /// Returns the description of a column.
    pub(crate) fn column(&self, name: &str) -> Option<&ResultColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the names of the columns: from the first row, or as declared if there are no rows.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self.rows.first() {
            Some(row) => row.keys().map(String::as_str).collect(),
            None => self.columns.iter().map(|column| column.name.as_str()).collect(),
        }
    }

    /// Returns the descriptions of the columns that a column of rows has.
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
