//! The words of the grammar itself: comparisons, joints, levels, orders, and words without a meaning of their own.

use super::fillers::FILLERS;

/// The role of a word in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// Ten percent to either side.
    Around,
    /// A range begins.
    Between,
    /// A range begins, or nothing.
    From,
    /// A range goes on, or nothing.
    To,
    /// A range goes on.
    Dash,
    /// No farther than.
    Within,
    /// After a number: or above it.
    OrMore,
    /// After a number: or below it.
    OrLess,
    /// Both hold.
    And,
    /// One holds.
    Or,
    /// As `And`, weaker.
    Comma,
    /// What follows does not hold.
    Not,
    /// At least what `high` means for the field.
    High,
    /// At most what `low` means for the field.
    Low,
    /// Beyond the field's threshold on its good side.
    Good,
    /// Beyond the field's threshold on its bad side.
    Poor,
    /// Above 0.
    Positive,
    /// Below 0.
    Negative,
    /// 0.
    Zero,
    /// At least 10.
    TwoDigits,
    /// An order follows.
    SortBy,
    /// An order may follow.
    By,
    /// The smallest first.
    Ascending,
    /// The largest first.
    Descending,
    /// `largest first`: says that the word before it was an order.
    First,
    /// A number of rows may follow.
    Request,
    /// Stocks, companies: a number before it counts rows.
    Noun,
    /// A price rose.
    Up,
    /// A price fell.
    Down,
    /// Over one session.
    Today,
    /// Over five sessions.
    Week,
    /// Over 21 sessions.
    Month,
    /// Over 63 sessions.
    Quarter,
    /// Over 126 sessions.
    HalfYear,
    /// Over 252 sessions, or a financial year.
    Year,
    /// Over three financial years.
    ThreeYears,
    /// Over five financial years.
    FiveYears,
    /// Nothing by itself.
    Filler,
}

/// Whether a word compares with one number.
pub(super) const fn is_comparison(word: Word) -> bool {
    matches!(
        word,
        Word::Above | Word::AtLeast | Word::Below | Word::AtMost | Word::Equal | Word::Unequal | Word::Around
    )
}

/// Whether a word names a level of a figure without a number.
pub(super) const fn is_level(word: Word) -> bool {
    matches!(
        word,
        Word::High
            | Word::Low
            | Word::Good
            | Word::Poor
            | Word::Positive
            | Word::Negative
            | Word::Zero
            | Word::TwoDigits
    )
}

use Word::{
    Above, And, Around, Ascending, AtLeast, AtMost, Below, Between, By, Comma, Dash, Descending, Down, Equal,
    Filler, First, FiveYears, From, Good, HalfYear, High, Low, Month, Negative, Not, Noun, Or, OrLess,
    OrMore, Poor, Positive, Quarter, Request, SortBy, ThreeYears, To, Today, TwoDigits, Unequal, Up, Week,
    Within, Year, Zero,
};

/// The words with their phrases.
pub(super) const WORDS: &[(Word, &[&str])] = &[
    (
        Above,
        &[
            ">",
            "above",
            "over",
            "more than",
            "greater than",
            "higher than",
            "bigger than",
            "larger than",
            "exceeding",
            "exceed",
            "exceeds",
            "better than",
            "north of",
            "stronger than",
            "in excess of",
            "upwards of",
        ],
    ),
    (
        AtLeast,
        &[
            ">=",
            "at least",
            "at or above",
            "at or over",
            "equal to or above",
            "atleast",
            "minimum",
            "min",
            "minimum of",
            "min of",
            "a minimum of",
            "no less than",
            "not less than",
            "not below",
            "not under",
            "no lower than",
            "greater than or equal to",
            "more than or equal to",
            "above or equal to",
            "greater or equal to",
        ],
    ),
    (
        Below,
        &[
            "<",
            "below",
            "under",
            "less than",
            "lower than",
            "fewer than",
            "smaller than",
            "beneath",
            "cheaper than",
            "south of",
            "weaker than",
        ],
    ),
    (
        AtMost,
        &[
            "<=",
            "at most",
            "at or below",
            "at or under",
            "equal to or below",
            "atmost",
            "maximum",
            "max",
            "maximum of",
            "max of",
            "a maximum of",
            "up to",
            "upto",
            "no more than",
            "not more than",
            "not above",
            "not over",
            "no higher than",
            "not exceeding",
            "less than or equal to",
            "lower than or equal to",
            "below or equal to",
            "less or equal to",
        ],
    ),
    (Equal, &["=", "equal to", "equals", "exactly", "equal"]),
    (Unequal, &["!=", "not equal to"]),
    (Around, &["~", "around", "about", "approximately", "approx", "roughly", "nearly", "close to", "circa"]),
    (Between, &["between", "in the range of", "ranging from", "in the range"]),
    (From, &["from"]),
    (To, &["to", "through", "till", "until"]),
    (Dash, &["-"]),
    (Within, &["within"]),
    (
        OrMore,
        &[
            "or more",
            "or above",
            "or higher",
            "or greater",
            "or better",
            "or over",
            "or up",
            "and above",
            "and up",
            "and more",
            "and over",
            "and higher",
            "plus",
            "+",
            "upwards",
            "or larger",
            "or bigger",
        ],
    ),
    (
        OrLess,
        &[
            "or less",
            "or below",
            "or lower",
            "or under",
            "or fewer",
            "or smaller",
            "and below",
            "and under",
            "and less",
            "or cheaper",
        ],
    ),
    (And, &["and", "but", "also", "as well as", "along with", "together with"]),
    (Or, &["or", "|", "and or"]),
    (Comma, &[",", ";"]),
    (
        Not,
        &[
            "not",
            "no",
            "without",
            "excluding",
            "except",
            "exclude",
            "other than",
            "non",
            "avoid",
            "avoiding",
            "ex",
            "nothing",
            "never",
            "apart from",
            "minus",
            "isn",
            "aren",
            "don",
            "doesn",
            "except for",
            "leaving out",
            "leave out",
            "outside",
            "neither",
            "nor",
            "none",
        ],
    ),
    (High, &["high", "higher", "big", "heavy", "large", "very high", "elevated"]),
    (Low, &["low", "lower", "small", "little", "minimal", "tiny", "thin", "very low", "modest"]),
    (
        Good,
        &[
            "good",
            "strong",
            "great",
            "healthy",
            "solid",
            "robust",
            "excellent",
            "superior",
            "attractive",
            "impressive",
            "decent",
        ],
    ),
    (Poor, &["poor", "weak", "bad", "unattractive", "worse"]),
    (Positive, &["positive"]),
    (Negative, &["negative"]),
    (Zero, &["zero", "nil"]),
    (TwoDigits, &["double digit", "double digits"]),
    (
        SortBy,
        &[
            "sort by",
            "sorted by",
            "sort",
            "sorted",
            "order by",
            "ordered by",
            "rank by",
            "ranked by",
            "arranged by",
            "arrange by",
            "sorted on",
            "sort on",
            "ranked on",
            "ranked",
        ],
    ),
    (By, &["by"]),
    (
        Ascending,
        &[
            "ascending",
            "asc",
            "low to high",
            "lowest first",
            "lowest to highest",
            "smallest first",
            "increasing order",
        ],
    ),
    (
        Descending,
        &["descending", "desc", "high to low", "highest first", "highest to lowest", "decreasing order"],
    ),
    (First, &["first", "on top"]),
    (
        Request,
        &[
            "give me", "show me", "show", "list", "find", "find me", "get", "get me", "limit", "limit to",
            "only", "display", "return", "just",
        ],
    ),
    (
        Noun,
        &[
            "stock",
            "company",
            "share",
            "name",
            "equity",
            "business",
            "result",
            "scrip",
            "counter",
            "pick",
            "idea",
            "player",
            "maker",
            "issue",
            "ticker",
            "firm",
            "candidate",
        ],
    ),
    (Up, &["up", "gained", "rose", "gaining", "risen", "rising", "rallied", "jumped"]),
    (Down, &["down", "fell", "fallen", "off", "lost", "dropped", "declined", "falling"]),
    (Today, &["today", "in the day", "on the day", "this session", "last session"]),
    (Week, &["(this|last|past|in|over|over last|in last|over past|1|in 1|over 1) week", "5 days"]),
    (Month, &["(this|last|past|in|over|over last|in last|over past|1|in 1|over 1) month"]),
    (Quarter, &["(in|over|last|past|in last|over last|) 3 month", "(in|over|over last|in last) quarter"]),
    (HalfYear, &["(in|over|last|past|in last|over last|) 6 month", "in half year"]),
    (
        Year,
        &[
            "(in|over|in 1|over 1|past|last|over last|in last|over past|1|for 1|for last) year",
            "(in|over|last|past|in last|over last|) 12 month",
        ],
    ),
    (
        ThreeYears,
        &[
            "(over|in|for|last|past|during|over last|over past|in last|in past|for last|for past|) 3 (year|yr|yrs|y)",
        ],
    ),
    (
        FiveYears,
        &[
            "(over|in|for|last|past|during|over last|over past|in last|in past|for last|for past|) 5 (year|yr|yrs|y)",
        ],
    ),
    (Filler, FILLERS),
];
