//! How a page is declared: where it lies, which operations it asks, with which arguments, and how each answer is shown.

use parquote_catalogue::operation::Market;

/// A page.
#[derive(Debug)]
pub struct PageSpec {
    /// Its path below the market: `screener`, `company/{symbol}`; empty for the first page of a market.
    pub path: &'static str,
    /// Its heading and title.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub lead: &'static str,
    /// Where it stands in the menu; `None` for pages that others lead to.
    pub(crate) menu: Option<MenuGroup>,
    /// Pages of the same thing, which stand beside it as tabs: path and label.
    pub tabs: &'static [(&'static str, &'static str)],
    /// Its parts; the one that takes the query decides the status of the page, otherwise the first one.
    pub parts: &'static [PartSpec],
}

/// A group of the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MenuGroup {
    /// Stocks by figures.
    Find,
    /// The market as a whole.
    Market,
    /// Lists by strength.
    Strength,
    /// What was reported.
    Events,
    /// Teams of agents.
    Agents,
}

/// A part of a page: the answer of an operation, shown in one or several ways.
#[derive(Debug)]
pub struct PartSpec {
    /// Its id on the page.
    pub id: &'static str,
    /// Its heading; empty for none.
    pub title: &'static str,
    /// What it asks in India.
    pub india: Option<Ask>,
    /// What it asks in the US.
    pub us: Option<Ask>,
    /// How it is shown.
    pub(crate) views: &'static [View],
}

/// An operation and where its arguments come from.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// Its name, as `market/breadth`.
    pub operation: &'static str,
    /// Its arguments.
    pub(crate) arguments: &'static [(&'static str, Given)],
    /// Which pairs of the page's query are its own.
    pub query: QueryUse,
    /// The parameter of the page with a list of symbols, for each of which it is asked.
    pub each: Option<&'static str>,
}

/// Which pairs of a page's query a part takes that no argument names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryUse {
    /// All of them.
    Rest,
    /// None.
    Nothing,
}

/// Where the value of an argument comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Given {
    /// It is always this one.
    Fixed(&'static str),
    /// The symbol in the path.
    Symbol,
    /// The word of the market.
    Market,
    /// A parameter of the page.
    Query(&'static str),
    /// A choice of the page.
    Chosen(&'static ChoiceSpec),
    /// One of the symbols that the part is asked for.
    Each,
    /// The names of the reader's lists that have stocks. Without such lists the part asks nothing.
    OwnLists,
    /// The values of a column in the rows that the deciding part of the page shows: what is asked once these are there.
    Shown(&'static str),
}

/// A choice among a few words, each with what it stands for.
#[derive(Debug)]
pub(crate) struct ChoiceSpec {
    /// The parameter of the page.
    pub name: &'static str,
    /// What is chosen, for readers.
    pub label: &'static str,
    /// The word that holds where none is chosen.
    pub default: &'static str,
    /// The word in the URL and the value that an operation is told.
    pub words: &'static [(&'static str, &'static str)],
}

/// How an answer is shown.
#[derive(Debug)]
pub(crate) enum View {
    /// A form with the parameters of the operation, and a chip for each that is set.
    Controls,
    /// Links for a choice.
    Choices(&'static ChoiceSpec),
    /// Figures that matter, of the first row.
    Figures(&'static [&'static str]),
    /// Fields of the first row with their values; all of them where none is named.
    Facts(&'static [&'static str]),
    /// Conditions of the first row, each holding or not.
    Checks(&'static [&'static str]),
    /// Scores from 0 to 10 of the first row.
    Scores(&'static [&'static str]),
    /// Rows as a table.
    Rows(TableSpec),
    /// A screen: its sentence, its conditions, its limits, counts to choose from, and the rows that meet it all.
    Screen(TableSpec),
    /// Rows as columns beside each other: a row a figure, a column a stock or a period.
    SideBySide {
        /// The column that names each.
        heading: &'static str,
        /// The figures; all of them where none is named.
        columns: &'static [&'static str],
    },
    /// A picture, with its table behind it.
    Drawn(DrawnSpec),
    /// Texts of the first row.
    Prose(&'static [&'static str]),
    /// A form that changes something.
    Action(ActionSpec),
    /// Links to the pages of the same symbol or sector: what is told and the address, in both of which `{column}` stands for a value.
    Onward(&'static [(&'static str, &'static str)]),
    /// The report of a committee.
    Verdict,
    /// The lists of the reader, with the forms that change lists and screens, here and on other pages.
    OwnLists(&'static [ActionSpec]),
    /// What can be done with the list that the page shows.
    OwnList,
    /// The saved screens of the reader.
    OwnScreens,
    /// Links to the same page as it stood earlier: the parameter, and the column of earlier rows that have its dates.
    Earlier {
        /// The parameter that takes a date.
        parameter: &'static str,
        /// The column with the earlier rows.
        within: &'static str,
    },
    /// Marks the part, and shows nothing: how it stands on the page.
    Stands(Placement),
    /// The beginning of a text, with the way to all of it.
    Gist(GistSpec),
    /// Ratios of the rows, by their codes, each beside its sector; up to twelve of those that there are.
    Beside(&'static [&'static str]),
    /// Figures of the newest period, each with that of a year before.
    Newest(&'static [&'static str]),
    /// Periods beside each other, the newest at the right.
    Periods(PeriodsSpec),
    /// The first rows of a table.
    Top(usize, TableSpec),
    /// Lines of the last sessions in small, each with its last figure.
    Sparks(&'static [&'static str]),
    /// Dated events, as a list.
    Events,
    /// A link for each row, as in [`View::Onward`].
    EachOnward(&'static str, &'static str),
    /// A link to the page that compares the stocks of the rows.
    Compared,
    /// A choice of spans, and a span between two dates.
    Spans(&'static ChoiceSpec),
    /// Links that switch something on or off.
    Switches(&'static [SwitchSpec]),
}

/// How a part stands on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placement {
    /// In the wider column, where there is room for two.
    Wide,
    /// In the column beside it.
    Narrow,
    /// Left out where the key does not reach it, where the server lacks its data, and where it has no rows.
    WhereKnown,
    /// Asked only on a page with this parameter.
    With(&'static str),
    /// Asked only on a page without this parameter.
    Without(&'static str),
}

/// A text of which a page shows the beginning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GistSpec {
    /// The columns with texts, each shown in two lines at most.
    pub columns: &'static [&'static str],
    /// The column with the rows that hold the text, of which the first one counts.
    pub within: Option<&'static str>,
    /// The page with all of it: what is told and the address, as in [`View::Onward`].
    pub more: (&'static str, &'static str),
}

/// Periods beside each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeriodsSpec {
    /// The column that names a period.
    pub heading: &'static str,
    /// The most periods, the newest ones.
    pub most: usize,
    /// The heading of each section, and its figures.
    pub sections: &'static [(&'static str, &'static [&'static str])],
}

/// Something that is on or off.
#[derive(Debug)]
pub(crate) struct SwitchSpec {
    /// The parameter of the page.
    pub name: &'static str,
    /// What it shows.
    pub label: &'static str,
    /// Whether it is on where nothing is said.
    pub is_on: bool,
}

/// A table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableSpec {
    /// The columns to show where the caller chooses none; all of them where none is named.
    pub columns: &'static [&'static str],
    /// The column with the rows, where they stand within an object.
    pub within: Option<&'static str>,
    /// What can be done with it.
    pub tools: TableTools,
    /// Columns whose values lead somewhere: the column and the page, as in [`View::Onward`].
    pub leads: &'static [(&'static str, &'static str)],
    /// The part with the last bars of the stocks in the rows, which are drawn in each; empty for none.
    pub bars: &'static str,
}

/// What a table has beside its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableTools {
    /// Nothing.
    Plain,
    /// The number of rows, a pager, a chooser of columns, files of all rows.
    Whole,
}

impl TableSpec {
    /// A table of these columns, and nothing else.
    pub(crate) const fn of(columns: &'static [&'static str]) -> Self {
        Self { columns, within: None, tools: TableTools::Plain, leads: &[], bars: "" }
    }

    /// With a pager, a chooser of columns and files.
    pub(crate) const fn whole(columns: &'static [&'static str]) -> Self {
        Self { columns, within: None, tools: TableTools::Whole, leads: &[], bars: "" }
    }

    /// Of the rows in a column of an object.
    pub(crate) const fn within(column: &'static str, columns: &'static [&'static str]) -> Self {
        Self { columns, within: Some(column), tools: TableTools::Plain, leads: &[], bars: "" }
    }

    /// With columns that lead somewhere.
    pub(crate) const fn leading(self, leads: &'static [(&'static str, &'static str)]) -> Self {
        Self { leads, ..self }
    }

    /// With a small picture of the last bars in each row, from the part of this id.
    pub(crate) const fn drawn(self, bars: &'static str) -> Self {
        Self { bars, ..self }
    }
}

/// The picture that the operation declares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DrawnSpec {
    /// Where what it shows leads, before the name; empty where nowhere.
    pub leads: &'static str,
    /// The columns of the table behind it.
    pub table: &'static [&'static str],
}

/// A form that changes something.
#[derive(Debug, Clone, Copy)]
pub struct ActionSpec {
    /// The operation.
    pub operation: &'static str,
    /// What the button says.
    pub label: &'static str,
    /// Parameters that are not asked for, each with the column of the first row, or the parameter of the page, that has its value.
    pub known: &'static [&'static str],
    /// Parameters whose control has this value where the page's query has none, whatever the default of the operation is.
    pub preset: &'static [(&'static str, &'static str)],
    /// A column of the first row and the word in it without which the form is not offered.
    pub only: Option<(&'static str, &'static str)>,
    /// Where it leads when it is done, below the market; `{column}` stands for a value of its answer.
    pub then: &'static str,
}

impl PageSpec {
    /// Whether it names a symbol.
    pub fn has_symbol(&self) -> bool {
        self.path.contains(SYMBOL)
    }

    /// Whether there is such a page for a market: one of its parts asks something there.
    pub fn is_in(&self, market: Market) -> bool {
        self.deciding_part(market).is_some()
    }

    /// The place of the part that decides the status of the page in a market: the one that takes its query, otherwise the first.
    pub fn deciding_part(&self, market: Market) -> Option<usize> {
        let takes_query = |part: &PartSpec| part.ask(market).is_some_and(|ask| ask.query == QueryUse::Rest);
        let asks = |part: &PartSpec| part.ask(market).is_some();
        self.parts.iter().position(takes_query).or_else(|| self.parts.iter().position(asks))
    }

    /// Whether a part has a table of all rows that are asked for.
    pub fn has_whole_table(part: &PartSpec) -> bool {
        part.views.iter().any(
            |view| matches!(view, View::Rows(spec) | View::Screen(spec) if spec.tools == TableTools::Whole),
        )
    }

    /// Its path on the server, with the place of a symbol as it is declared.
    pub fn route(&self, market: Market) -> String {
        if self.path.is_empty() { format!("/{market}") } else { format!("/{market}/{}", self.path) }
    }

    /// Its name in the log: of all pages that are alike one.
    pub fn name(&self) -> String {
        if self.path.is_empty() { "pages".to_owned() } else { format!("pages/{}", self.path) }
    }

    /// The forms that change something on this page.
    pub fn actions(&self) -> impl Iterator<Item = &'static ActionSpec> {
        self.parts.iter().flat_map(|part| part.views).flat_map(|view| match view {
            View::Action(action) => std::slice::from_ref(action),
            View::OwnLists(actions) => actions,
            _ => &[],
        })
    }
}

/// The place of a symbol in a path.
pub(crate) const SYMBOL: &str = "{symbol}";

impl PartSpec {
    /// Whether it stands so.
    pub(crate) fn stands(&self, standing: Placement) -> bool {
        self.views.iter().any(|view| matches!(view, View::Stands(own) if *own == standing))
    }

    /// Whether it is asked on a page with the parameters that `is_given` tells of.
    pub(crate) fn is_wanted(&self, is_given: impl Fn(&str) -> bool) -> bool {
        self.views.iter().all(|view| match view {
            View::Stands(Placement::With(name)) => is_given(name),
            View::Stands(Placement::Without(name)) => !is_given(name),
            _ => true,
        })
    }

    /// What it asks in a market.
    pub const fn ask(&self, market: Market) -> Option<&Ask> {
        match market {
            Market::India => self.india.as_ref(),
            Market::Us => self.us.as_ref(),
        }
    }
}

impl Ask {
    /// An operation with arguments of its own.
    pub(crate) const fn of(operation: &'static str, arguments: &'static [(&'static str, Given)]) -> Self {
        Self { operation, arguments, query: QueryUse::Nothing, each: None }
    }

    /// An operation that takes the query of the page beside these arguments.
    pub(crate) const fn open(operation: &'static str, arguments: &'static [(&'static str, Given)]) -> Self {
        Self { operation, arguments, query: QueryUse::Rest, each: None }
    }

    /// An operation that is asked for each symbol of a parameter of the page.
    pub(crate) const fn each(
        operation: &'static str,
        parameter: &'static str,
        arguments: &'static [(&'static str, Given)],
    ) -> Self {
        Self { operation, arguments, query: QueryUse::Nothing, each: Some(parameter) }
    }
}
