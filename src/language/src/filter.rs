//! A filter over the rows of a screen: a tree of conditions.

/// A condition on a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// Every one holds; without any, every row is kept.
    All(Vec<Filter>),
    /// One of them holds, or several.
    Any(Vec<Filter>),
    /// It does not hold, and what it reads is known.
    Not(Box<Filter>),
    /// A number is within bounds.
    Number {
        /// The field.
        field: String,
        /// The bounds.
        test: Test,
    },
    /// A number stands so to a multiple of another figure.
    Against {
        /// The field.
        field: String,
        /// The comparison; its bound is the multiple.
        test: Test,
        /// The other figure.
        than: Than,
    },
    /// A text is one of these.
    Text {
        /// The field.
        field: String,
        /// The texts.
        one_of: Vec<String>,
    },
    /// A flag is so.
    Flag {
        /// The field.
        field: String,
        /// What it must be.
        is: bool,
    },
}

/// What a number is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Than {
    /// Another figure of the stock.
    Field(String),
    /// The median of the stocks with the same text in this field, which is `sector` or `industry`.
    MedianOf(&'static str),
}

/// Bounds of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Test {
    /// `>=`
    AtLeast(f64),
    /// `>`
    Above(f64),
    /// `<=`
    AtMost(f64),
    /// `<`
    Below(f64),
    /// `=`
    Equal(f64),
    /// From the first to the second, both included.
    Between(f64, f64),
}

impl Filter {
    /// A filter that keeps every row.
    pub const fn everything() -> Self {
        Self::All(Vec::new())
    }

    /// Whether it keeps every row.
    pub fn is_everything(&self) -> bool {
        matches!(self, Self::All(filters) if filters.is_empty())
    }

    /// A condition on a number.
    pub fn number(field: &str, test: Test) -> Self {
        Self::Number { field: field.to_owned(), test }
    }

    /// All of these; a single one is itself, and duplicates are kept once.
    pub(super) fn all(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(filters, Self::All)
    }

    /// Any of these, likewise.
    pub(super) fn any(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(filters, Self::Any)
    }

    fn joined(filters: impl IntoIterator<Item = Self>, join: fn(Vec<Self>) -> Self) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        for filter in filters {
            if !kept.contains(&filter) {
                kept.push(filter);
            }
        }
        match (kept.pop(), kept.is_empty()) {
            (Some(only), true) => only,
            (Some(last), false) => {
                kept.push(last);
                join(kept)
            }
            (None, _) => join(kept),
        }
    }

    /// The opposite, in its shortest form. A row that lacks a figure meets neither.
    #[must_use]
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Not(filter) => *filter,
            Self::Flag { field, is } => Self::Flag { field, is: !is },
            Self::Number { field, test } => match test.opposite() {
                Some(test) => Self::Number { field, test },
                None => Self::Not(Box::new(Self::Number { field, test })),
            },
            Self::Against { field, test, than } => match test.opposite() {
                Some(test) => Self::Against { field, test, than },
                None => Self::Not(Box::new(Self::Against { field, test, than })),
            },
            filter => Self::Not(Box::new(filter)),
        }
    }

    /// The conditions that must all hold.
    pub fn conditions(&self) -> &[Self] {
        match self {
            Self::All(filters) => filters,
            only => std::slice::from_ref(only),
        }
    }

    /// The fields that it reads, each once.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = self.leaves().into_iter().flat_map(Self::reads).collect();
        let mut seen = std::collections::BTreeSet::new();
        fields.retain(|field| seen.insert(*field));
        fields
    }

    /// The conditions at the leaves, from the left.
    pub(super) fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::All(filters) | Self::Any(filters) => filters.iter().flat_map(Self::leaves).collect(),
            Self::Not(filter) => filter.leaves(),
            leaf => vec![leaf],
        }
    }

    /// The field that a leaf reads.
    pub(super) fn field(&self) -> Option<&str> {
        match self {
            Self::Number { field, .. }
            | Self::Against { field, .. }
            | Self::Text { field, .. }
            | Self::Flag { field, .. } => Some(field),
            Self::All(_) | Self::Any(_) | Self::Not(_) => None,
        }
    }

    /// The fields that a leaf reads.
    pub(super) fn reads(&self) -> impl Iterator<Item = &str> {
        let other = match self {
            Self::Against { than: Than::Field(other), .. } => Some(other.as_str()),
            Self::Against { than: Than::MedianOf(group), .. } => Some(*group),
            _ => None,
        };
        self.field().into_iter().chain(other)
    }

    /// The medians that it compares with: the field, and that whose texts group the stocks.
    pub fn medians(&self) -> Vec<(&str, &'static str)> {
        let leaves = self.leaves().into_iter();
        leaves
            .filter_map(|leaf| match leaf {
                Self::Against { field, than: Than::MedianOf(group), .. } => Some((field.as_str(), *group)),
                _ => None,
            })
            .collect()
    }

    /// As what a leaf asks for its field.
    pub(super) const fn kind_word(&self) -> Option<&'static str> {
        match self {
            Self::Number { .. } | Self::Against { .. } => Some("number"),
            Self::Text { .. } => Some("text"),
            Self::Flag { .. } => Some("flag"),
            Self::All(_) | Self::Any(_) | Self::Not(_) => None,
        }
    }

    /// Whether no row is kept without this flag.
    pub fn requires(&self, flag: &str) -> bool {
        match self {
            Self::All(filters) => filters.iter().any(|filter| filter.requires(flag)),
            Self::Any(filters) => !filters.is_empty() && filters.iter().all(|filter| filter.requires(flag)),
            Self::Flag { field, is } => *is && field == flag,
            _ => false,
        }
    }

    /// How many levels it has; a leaf is one.
    pub(super) fn depth(&self) -> usize {
        1 + match self {
            Self::All(filters) | Self::Any(filters) => filters.iter().map(Self::depth).max().unwrap_or(0),
            Self::Not(filter) => filter.depth(),
            _ => 0,
        }
    }
}

impl Than {
    /// What follows the name of a group in the name of its median.
    const MEDIAN: &'static str = "_median";

    /// What this name means: that of a field, or `sector_median` or `industry_median`.
    pub fn named(name: &str) -> Self {
        match name.strip_suffix(Self::MEDIAN) {
            Some("sector") => Self::MedianOf("sector"),
            Some("industry") => Self::MedianOf("industry"),
            _ => Self::Field(name.to_owned()),
        }
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Self::Field(name) => name.clone(),
            Self::MedianOf(group) => format!("{group}{}", Self::MEDIAN),
        }
    }
}

impl Test {
    /// Whether a number is within the bounds.
    pub fn holds(self, number: f64) -> bool {
        match self {
            Self::AtLeast(bound) => number >= bound,
            Self::Above(bound) => number > bound,
            Self::AtMost(bound) => number <= bound,
            Self::Below(bound) => number < bound,
            Self::Equal(bound) => (number - bound).abs() <= Self::tolerance(bound),
            Self::Between(low, high) => (low..=high).contains(&number),
        }
    }

    /// How far a number that equals a bound may be from it: figures are written with a few decimals, and one that equals the bound but
    /// for the last bits is equal.
    pub fn tolerance(bound: f64) -> f64 {
        1e-9 * bound.abs().max(1.0)
    }

    /// The numbers that it names.
    pub(super) fn numbers(self) -> Vec<f64> {
        match self {
            Self::AtLeast(bound)
            | Self::Above(bound)
            | Self::AtMost(bound)
            | Self::Below(bound)
            | Self::Equal(bound) => {
                vec![bound]
            }
            Self::Between(low, high) => vec![low, high],
        }
    }

    /// The bounds that hold where these do not, if they are one comparison.
    const fn opposite(self) -> Option<Self> {
        match self {
            Self::AtLeast(bound) => Some(Self::Below(bound)),
            Self::Above(bound) => Some(Self::AtMost(bound)),
            Self::AtMost(bound) => Some(Self::Above(bound)),
            Self::Below(bound) => Some(Self::AtLeast(bound)),
            Self::Equal(_) | Self::Between(..) => None,
        }
    }
}
