//! The views of a part, as the file of a page declares them.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use parquote_catalogue::operation::Operation;
use parquote_picture::spec::PictureSpec;

/// A way to show an answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum View {
    /// A form with the parameters of the operation, and a chip for each that is set.
    Controls,
    /// Links for a choice of the page.
    Choices(String),
    /// The key figures of the first row, in a strip.
    Figures(Vec<String>),
    /// Fields of the first row with their values; all of them if the list is empty.
    Facts(Vec<String>),
    /// Conditions of the first row, each true or false.
    Checks(Vec<String>),
    /// Scores from 0 to 10 of the first row.
    Scores(Vec<String>),
    /// Rows as a table.
    Rows(TableSpec),
    /// Rows as a table of stocks, which [`crate::stock_tables`] completes.
    Stocks(TableSpec),
    /// A screen: its sentence, its conditions, its limits, counts to choose from, and the table of the stocks that match.
    Screen(TableSpec),
    /// Rows as columns: a row of the table is a figure, a column a stock or a period.
    SideBySide {
        /// The column with the heading of each.
        heading: String,
        /// The figures; all of them if the list is empty.
        columns: Vec<String>,
    },
    /// A figure of each pair of names, as a matrix.
    Matrix(MatrixSpec),
    /// A picture that the operation or the page declares, with a table behind it.
    Drawn(DrawnSpec),
    /// A warning that the rows are about another subject than the page.
    Notice(NoticeSpec),
    /// Texts of the first row.
    Prose(Vec<String>),
    /// The paragraphs of a document, each with its number and address.
    Paragraphs,
    /// A form that changes something.
    Action(ActionSpec),
    /// Links to pages of the same symbol or sector: label and address, in both of which `{column}` is replaced by a value.
    Onward(Vec<(String, String)>),
    /// The report of a committee.
    Verdict,
    /// The watchlists of the reader, with the forms that change lists and screens, here and on other pages.
    Watchlists(Vec<ActionSpec>),
    /// The actions on the watchlist that the page shows.
    Watchlist,
    /// The saved screens of the reader.
    SavedScreens,
    /// The drawings of the reader on the chart of the stock.
    Drawings,
    /// Links to the same page at earlier dates.
    Earlier {
        /// The parameter that takes a date.
        parameter: String,
        /// The column with the earlier rows.
        within: String,
    },
    /// The beginning of a text, with a link to all of it.
    Gist(GistSpec),
    /// Ratios with these codes, then others, each with the median of the sector; at most twelve, all with values.
    Beside(Vec<String>),
    /// Figures of the newest period, each with its value a year before.
    Newest(Vec<String>),
    /// Periods as columns, the newest at the right.
    Periods(PeriodsSpec),
    /// Small lines of the last sessions, each with its last figure.
    Sparks(Vec<String>),
    /// Dated events, as a list.
    Events,
    /// The marks of the picture that the operation declares, as a list.
    Marks,
    /// A link for each row: label and address, as in [`View::Onward`].
    EachOnward(String, String),
    /// Links that add the stocks of the rows to the list in a parameter of the page.
    Additions(String),
    /// A link to the page that compares the stocks of the rows.
    Compared,
    /// A choice of spans of the page, and a span between two dates.
    Spans(String),
    /// Links that switch something on or off.
    Switches(Vec<SwitchSpec>),
    /// Links to the whole answer as files, for an operation with a workbook.
    Files,
}

impl View {
    /// Returns the table of stocks that it shows.
    pub(crate) const fn stock_table_mut(&mut self) -> Option<&mut TableSpec> {
        match self {
            Self::Stocks(table) | Self::Screen(table) => Some(table),
            _ => None,
        }
    }
}

/// A text of which a page shows the beginning.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GistSpec {
    /// The columns with texts, each shown in two lines at most.
    pub columns: Vec<String>,
    /// The column with nested rows, the first of which has the texts; `None` if the first row itself has them.
    pub within: Option<String>,
    /// The link to the whole text: label and address, as in [`View::Onward`].
    pub more: (String, String),
}

/// Periods as columns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeriodsSpec {
    /// The column with the name of a period.
    pub heading: String,
    /// The column with the name of a period in the financial year, which is shown above the other name.
    pub fiscal: Option<String>,
    /// The largest number of periods; the newest are shown.
    pub most: usize,
    /// The heading of each section, and its figures.
    pub sections: Vec<(String, Vec<String>)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchSpec {
    /// The parameter of the page.
    pub name: String,
    /// Its label.
    pub label: String,
    /// True if it is on by default.
    #[serde(default, rename = "on")]
    pub is_on: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableSpec {
    /// The columns to show if the reader chooses none; all of them if the list is empty.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The maximum number of rows to show; all by default.
    pub first: Option<usize>,
    /// The column with the rows, where these are within an object.
    pub within: Option<String>,
    /// Its heading, where its part has several tables.
    pub title: Option<String>,
    /// True for a table with the number of rows, a pager, a chooser of columns, and files of all rows.
    #[serde(default, rename = "whole")]
    pub is_whole: bool,
    /// Columns whose values are links: the column and the address, as in [`View::Onward`].
    #[serde(default)]
    pub leads: Vec<(String, String)>,
    /// The part with the last bars of the stocks in the rows, which are drawn in each; empty for none.
    #[serde(default)]
    pub bars: String,
    /// The text in place of the table if there are no rows.
    pub nothing: Option<String>,
}

/// A figure of each pair of names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatrixSpec {
    /// The column with the pairs.
    pub within: String,
    /// The columns with the two names of a pair.
    pub pair: (String, String),
    /// The column with the figure of a pair.
    pub value: String,
    /// The column of the part's rows with the names, in their order.
    pub order: String,
}

/// A picture that the operation or the page declares.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DrawnSpec {
    /// The picture, declared as in operations with `rows=` and the column that holds the rows, where the operation declares none.
    #[serde(default, deserialize_with = "read_picture")]
    pub picture: Option<PictureSpec>,
    /// The beginning of the address of each drawn item, which its name follows; empty for no links.
    #[serde(default)]
    pub leads: String,
    /// The columns of the table behind it.
    pub table: Vec<String>,
    /// Parameters of the page: the name of a group links to the page with the first of them that it lacks; empty for no links.
    #[serde(default)]
    pub groups: Vec<String>,
    /// True if scripts replace the picture by an interactive chart; the picture must be one of candles.
    #[serde(default, rename = "live")]
    pub is_live: bool,
}

/// A warning that the rows are about another subject than the page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoticeSpec {
    /// The column that decides.
    pub column: String,
    /// The sentence is shown if a row has this value.
    pub is: Option<String>,
    /// The sentence is shown if no row has the value of this parameter of the page.
    pub lacks: Option<String>,
    /// The sentence, in which `{}` is replaced by the value.
    pub words: String,
}

/// A form that changes something.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionSpec {
    /// Name of the operation.
    pub operation: String,
    /// The label of the button.
    #[serde(default)]
    pub label: String,
    /// Hidden parameters, each named as the column of the first row, or the parameter of the page, that has its value.
    #[serde(default)]
    pub known: Vec<String>,
    /// Values of controls if the page's query has none, in place of the operation's defaults.
    #[serde(default)]
    pub preset: Vec<(String, String)>,
    /// A column of the first row and its value: the form is shown only if the row has this value.
    pub only: Option<(String, String)>,
    /// The page to show afterwards, below the market; `{column}` is replaced by a value of the answer.
    pub then: String,
    /// Sentences about the answer, with `{column}` as in `then`. In place of the fields, the page shows the first sentence whose values are
    /// all present and not false.
    #[serde(default)]
    pub messages: Vec<String>,
    /// A link beside the sentence: label and address below the market, or, without a label, an address of this server to be copied. An
    /// address that begins with `{column}` is that value, without encoding.
    pub open: Option<(String, String)>,
}

impl DrawnSpec {
    /// Checks that the answer of an operation has the columns of the picture.
    ///
    /// # Errors
    /// The picture or the column that is missing.
    pub(crate) fn check(&self, operation: &Operation) -> Result<(), String> {
        let Some(picture) = &self.picture else {
            let undrawn = || format!("{} declares no picture", operation.name);
            return operation.has_picture().then_some(()).ok_or_else(undrawn);
        };
        let Some(within) = picture.rows_within() else {
            return Err(
                "a picture of a page names the column with its rows, such as `rows=equity`".to_owned()
            );
        };
        let mut names = picture.columns().iter().map(|column| format!("{within}.{}", column.name));
        let is_unknown = |name: &String| operation.columns.iter().all(|column| column.name != *name);
        match names.find(is_unknown) {
            Some(name) => Err(format!("{} has no column `{name}`, which the picture draws", operation.name)),
            None => Ok(()),
        }
    }
}

fn read_picture<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PictureSpec>, D::Error> {
    let declared = String::deserialize(deserializer)?;
    PictureSpec::parse(&declared).map(Some).map_err(D::Error::custom)
}
