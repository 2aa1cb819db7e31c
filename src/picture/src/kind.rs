//! Kinds of pictures, and the columns that each is drawn from.
//!
//! This table is the only place that says which columns a kind needs: the parser of declarations, its messages and the manual use it. The
//! drawing code of each kind is in `kinds/`.

use std::fmt;

/// Type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// Calendar dates.
    Date,
    /// Whole numbers or floats.
    Number,
    /// Texts.
    Text,
    /// True or false.
    Bool,
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Date => "date",
            Self::Number => "number",
            Self::Text => "text",
            Self::Bool => "bool",
        })
    }
}

/// Meaning of a column in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// Word before the `=` in a declaration.
    pub name: &'static str,
    /// Types that its columns may have.
    pub types: &'static [ValueType],
    /// Minimum number of columns; 0 if optional.
    pub least: usize,
    /// Maximum number of columns.
    pub most: usize,
    /// Meaning, for the manual.
    pub words: &'static str,
}

/// A kind of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PictureKind {
    /// Price bars, with volume and the RS line below.
    Candles,
    /// Present and past position of sectors relative to the benchmark.
    Rotation,
    /// Share of stocks that take part in the market's moves.
    Breadth,
    /// Stocks as areas by size, coloured by their change.
    HeatMap,
    /// Figures by period.
    Bars,
    /// One horizontal bar per row, in row order: a leaderboard.
    Ranking,
    /// Several lines, each relative to its first value.
    Compare,
    /// One small line without text.
    Sparkline,
}

use ValueType::{Bool, Date, Number, Text};

const MARK: &[ValueType] = &[Bool, Number, Text];

const fn one(name: &'static str, types: &'static [ValueType], words: &'static str) -> Role {
    Role { name, types, least: 1, most: 1, words }
}

const fn optional(name: &'static str, types: &'static [ValueType], words: &'static str) -> Role {
    Role { name, types, least: 0, most: 1, words }
}

const CANDLES: &[Role] = &[
    one("date", &[Date], "Session of the bar."),
    one("open", &[Number], "First price."),
    one("high", &[Number], "Highest price."),
    one("low", &[Number], "Lowest price."),
    one("close", &[Number], "Last price."),
    optional("volume", &[Number], "Shares traded: a pane of its own."),
    optional("rs", &[Number], "The RS line: close over benchmark, in a pane of its own."),
    optional("rs_high", &[Bool], "Whether the RS line made a new high before the price did: a dot on it."),
    Role { name: "average", types: &[Number], least: 0, most: 4, words: "Lines over the prices." },
    Role {
        name: "level",
        types: &[Number],
        least: 0,
        most: 4,
        words: "Prices to look at: a level line over the bars that have it, such as a 52-week high, named at its beginning.",
    },
    optional(
        "split",
        MARK,
        "A mark S where it is true, a text or a number other than 0; a text is what the mark says.",
    ),
    optional("dividend", MARK, "A mark D, likewise."),
    optional("results", MARK, "A mark R, likewise."),
    optional(
        "rating",
        &[Number],
        "A rating of the bar's day: not drawn, read under the crosshair of a page.",
    ),
];
const ROTATION: &[Role] = &[
    one("x", &[Number], "Relative strength, around 100."),
    one("y", &[Number], "Its momentum, around 100."),
    one("of", &[Text], "The sector."),
    optional("tail", &[Number, Date], "How long ago, 0 being now, or the date: earlier rows are the tail."),
];
const BREADTH: &[Role] = &[
    one("date", &[Date], "Session."),
    Role {
        name: "above",
        types: &[Number],
        least: 1,
        most: 5,
        words: "Shares of stocks above an average, in percent.",
    },
    optional("advances", &[Number], "Stocks that rose; with `declines`, a pane of advances less declines."),
    optional("declines", &[Number], "Stocks that fell."),
    optional("mcclellan", &[Number], "McClellan oscillator, in a pane of its own."),
];
const HEAT_MAP: &[Role] = &[
    one("of", &[Text], "The stock."),
    one("size", &[Number], "What its area stands for; a row without one is left out."),
    one("change", &[Number], "What its colour stands for, in percent."),
    optional("group", &[Text], "Sector: its stocks lie together."),
];
const BARS: &[Role] = &[
    one("period", &[Text, Date], "Label of the period."),
    Role { name: "value", types: &[Number], least: 1, most: 2, words: "The figures: a bar each." },
    optional("end", &[Date], "End of the period: orders the periods; left out, they stay as they come."),
];
const RANKING: &[Role] =
    &[one("of", &[Text], "The row's name."), one("value", &[Number], "Its figure: the length of the bar.")];
const COMPARE: &[Role] = &[
    one("date", &[Date], "Session."),
    one("value", &[Number], "Price or level; drawn as the change since the first of its line."),
    one("of", &[Text], "Which line."),
];
const SPARKLINE: &[Role] = &[
    one("value", &[Number], "The figures."),
    optional("date", &[Date], "Their order; left out, they stay as they come."),
];

impl PictureKind {
    /// All kinds, in the order of the manual.
    pub const ALL: [Self; 8] = [
        Self::Candles,
        Self::Rotation,
        Self::Breadth,
        Self::HeatMap,
        Self::Bars,
        Self::Ranking,
        Self::Compare,
        Self::Sparkline,
    ];

    /// Returns its word in declarations.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Candles => "candles",
            Self::Rotation => "rotation",
            Self::Breadth => "breadth",
            Self::HeatMap => "heat_map",
            Self::Bars => "bars",
            Self::Ranking => "ranking",
            Self::Compare => "compare",
            Self::Sparkline => "sparkline",
        }
    }

    /// Returns the roles it is drawn from.
    pub const fn roles(self) -> &'static [Role] {
        match self {
            Self::Candles => CANDLES,
            Self::Rotation => ROTATION,
            Self::Breadth => BREADTH,
            Self::HeatMap => HEAT_MAP,
            Self::Bars => BARS,
            Self::Ranking => RANKING,
            Self::Compare => COMPARE,
            Self::Sparkline => SPARKLINE,
        }
    }

    /// Returns the maximum number of rows; more are refused, as they would cost time and show nothing more. Lines and bars of fewer rows
    /// are thinned to what the width can show.
    pub const fn most_rows(self) -> usize {
        match self {
            Self::Candles | Self::Breadth | Self::HeatMap | Self::Sparkline => 6_000,
            Self::Rotation => 2_000,
            Self::Bars | Self::Ranking => 400,
            Self::Compare => 16_000,
        }
    }
}
