//! A filter over the rows of a screen: a tree of conditions.

/// A condition on a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// All conditions hold; without any, every row matches.
    All(Vec<Filter>),
    /// At least one condition holds.
    Any(Vec<Filter>),
    /// Holds if the condition is false and its figures are known.
    Not(Box<Filter>),
    /// A number is within bounds.
    Number {
        /// Name of the field.
        field: String,
        /// Bounds.
        test: Test,
    },
    /// A number compares with a multiple of another figure.
    Against {
        /// Name of the field.
        field: String,
        /// Comparison; its bound is the multiple.
        test: Test,
        /// The other figure.
        than: ComparisonOperand,
    },
    /// A text is one of these.
    Text {
        /// Name of the field.
        field: String,
        /// Allowed texts.
        one_of: Vec<String>,
    },
    /// A flag has this value.
    Flag {
        /// Name of the field.
        field: String,
        /// Required value.
        is: bool,
    },
}

/// Right side of a comparison between figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComparisonOperand {
    /// Another figure of the stock.
    Field(String),
    /// Median of the stocks with the same text in this field, which is `sector` or `industry`.
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
    /// Returns a filter that matches every row.
    pub const fn everything() -> Self {
        Self::All(Vec::new())
    }

    /// Returns true if it matches every row.
    pub fn is_everything(&self) -> bool {
        matches!(self, Self::All(filters) if filters.is_empty())
    }

    /// Builds a condition on a number.
    pub fn number(field: &str, test: Test) -> Self {
        Self::Number { field: field.to_owned(), test }
    }

    /// Combines conditions by `and`; a single one stays itself, duplicates count once.
    pub(super) fn all(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::join_filters(filters, Self::All)
    }

    /// Combines conditions by `or`, likewise.
    pub(super) fn any(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::join_filters(filters, Self::Any)
    }

    fn join_filters(filters: impl IntoIterator<Item = Self>, join: fn(Vec<Self>) -> Self) -> Self {
        let mut retained: Vec<Self> = Vec::new();
        for filter in filters {
            if !retained.contains(&filter) {
                retained.push(filter);
            }
        }
        match (retained.pop(), retained.is_empty()) {
            (Some(only), true) => only,
            (Some(last), false) => {
                retained.push(last);
                join(retained)
            }
            (None, _) => join(retained),
        }
    }

    /// Returns the opposite, in its shortest form. A row that lacks a figure matches neither.
    #[must_use]
    pub(super) fn negate(self) -> Self {
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

    /// Returns the conditions that must all hold.
    pub fn conditions(&self) -> &[Self] {
        match self {
            Self::All(filters) => filters,
            only => std::slice::from_ref(only),
        }
    }

    /// Returns the bound of a condition on a number; `None` for other conditions, and for two bounds.
    pub fn figure(&self) -> Option<f64> {
        let Self::Number { test, .. } = self else { return None };
        match test.numbers().as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Returns the same condition with another bound; `None` for a condition without a [`Self::figure`].
    #[must_use]
    pub fn with_figure(&self, figure: f64) -> Option<Self> {
        let Self::Number { field, test } = self else { return None };
        Some(Self::Number { field: field.clone(), test: test.with_bound(figure)? })
    }

    /// Returns the fields that it reads, each once.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = self.leaves().into_iter().flat_map(Self::reads).collect();
        let mut seen = std::collections::BTreeSet::new();
        fields.retain(|field| seen.insert(*field));
        fields
    }

    /// Returns the leaf conditions, from the left.
    pub(super) fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::All(filters) | Self::Any(filters) => filters.iter().flat_map(Self::leaves).collect(),
            Self::Not(filter) => filter.leaves(),
            leaf => vec![leaf],
        }
    }

    /// Returns the field of a leaf.
    pub(super) fn field(&self) -> Option<&str> {
        match self {
            Self::Number { field, .. }
            | Self::Against { field, .. }
            | Self::Text { field, .. }
            | Self::Flag { field, .. } => Some(field),
            Self::All(_) | Self::Any(_) | Self::Not(_) => None,
        }
    }

    /// Returns all fields that a leaf reads.
    pub(super) fn reads(&self) -> impl Iterator<Item = &str> {
        let other = match self {
            Self::Against { than: ComparisonOperand::Field(other), .. } => Some(other.as_str()),
            Self::Against { than: ComparisonOperand::MedianOf(group), .. } => Some(*group),
            _ => None,
        };
        self.field().into_iter().chain(other)
    }

    /// Returns the medians that it compares with: the field, and the field that groups the stocks.
    pub fn medians(&self) -> Vec<(&str, &'static str)> {
        let leaves = self.leaves().into_iter();
        leaves
            .filter_map(|leaf| match leaf {
                Self::Against { field, than: ComparisonOperand::MedianOf(group), .. } => {
                    Some((field.as_str(), *group))
                }
                _ => None,
            })
            .collect()
    }

    /// Returns the type of value that a leaf needs.
    pub(super) const fn kind_word(&self) -> Option<&'static str> {
        match self {
            Self::Number { .. } | Self::Against { .. } => Some("number"),
            Self::Text { .. } => Some("text"),
            Self::Flag { .. } => Some("flag"),
            Self::All(_) | Self::Any(_) | Self::Not(_) => None,
        }
    }

    /// Returns true if no row matches without this flag.
    pub fn requires(&self, flag: &str) -> bool {
        match self {
            Self::All(filters) => filters.iter().any(|filter| filter.requires(flag)),
            Self::Any(filters) => !filters.is_empty() && filters.iter().all(|filter| filter.requires(flag)),
            Self::Flag { field, is } => *is && field == flag,
            _ => false,
        }
    }

    /// Returns the number of levels; a leaf is one.
    pub(super) fn depth(&self) -> usize {
        1 + match self {
            Self::All(filters) | Self::Any(filters) => filters.iter().map(Self::depth).max().unwrap_or(0),
            Self::Not(filter) => filter.depth(),
            _ => 0,
        }
    }
}

impl ComparisonOperand {
    /// Suffix after a group in the name of its median.
    const MEDIAN: &'static str = "_median";

    /// Parses a name: a field, or `sector_median` or `industry_median`.
    pub fn named(name: &str) -> Self {
        match name.strip_suffix(Self::MEDIAN) {
            Some("sector") => Self::MedianOf("sector"),
            Some("industry") => Self::MedianOf("industry"),
            _ => Self::Field(name.to_owned()),
        }
    }

    /// Returns its name.
    pub fn name(&self) -> String {
        match self {
            Self::Field(name) => name.clone(),
            Self::MedianOf(group) => format!("{group}{}", Self::MEDIAN),
        }
    }
}

impl Test {
    /// Returns true if a number is within the bounds.
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

    /// Returns the distance within which a number counts as equal to a bound: figures have a few decimals, and may differ in the last bits
    /// only.
    pub fn tolerance(bound: f64) -> f64 {
        1e-9 * bound.abs().max(1.0)
    }

    /// Returns the numbers in the bounds.
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

    /// Returns the same comparison with another bound; `None` if it has two.
    const fn with_bound(self, bound: f64) -> Option<Self> {
        match self {
            Self::AtLeast(_) => Some(Self::AtLeast(bound)),
            Self::Above(_) => Some(Self::Above(bound)),
            Self::AtMost(_) => Some(Self::AtMost(bound)),
            Self::Below(_) => Some(Self::Below(bound)),
            Self::Equal(_) => Some(Self::Equal(bound)),
            Self::Between(..) => None,
        }
    }

    /// Returns the opposite bounds, if they are a single comparison.
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
