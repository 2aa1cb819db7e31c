//! A filter over the rows of a screen: a tree of conditions.

/// A condition on a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// All conditions hold; without any, every row matches.
    All(Vec<Filter>),
    /// At least one condition holds.
    Any(Vec<Filter>),
    /// The condition is false, and the row has all its figures.
    Not(Box<Filter>),
    /// A number satisfies a test.
    Number {
        /// Name of the field.
        field: String,
        /// Test that the number must satisfy.
        test: Test,
    },
    /// A number compares with a multiple of another figure.
    Against {
        /// Name of the field.
        field: String,
        /// Comparison; its bound is the factor by which the other figure is multiplied.
        test: Test,
        /// The other figure.
        than: ComparisonOperand,
    },
    /// A text is one of a list.
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

/// A test of a number against one or two bounds, in the field's unit.
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

    /// Combines conditions by `or`; a single one stays itself, duplicates count once.
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

    /// Returns the opposite condition, in its shortest form. A row that lacks a figure matches neither this condition nor its opposite.
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

    /// Returns the bound of a condition on a number; `None` for another condition and for a range.
    pub fn figure(&self) -> Option<f64> {
        let Self::Number { test, .. } = self else { return None };
        match test.numbers().as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Returns the same condition with another bound; `None` if [`Self::figure`] is `None`.
    #[must_use]
    pub fn with_figure(&self, figure: f64) -> Option<Self> {
        let Self::Number { field, test } = self else { return None };
        Some(Self::Number { field: field.clone(), test: test.with_bound(figure)? })
    }

    /// Returns the names of the fields that it reads, each once.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = self.leaves().into_iter().flat_map(Self::leaf_fields).collect();
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

    /// Returns the name of the field of a leaf; `None` for `All`, `Any` and `Not`.
    pub(super) fn field(&self) -> Option<&str> {
        match self {
            Self::Number { field, .. }
            | Self::Against { field, .. }
            | Self::Text { field, .. }
            | Self::Flag { field, .. } => Some(field),
            Self::All(_) | Self::Any(_) | Self::Not(_) => None,
        }
    }

    /// Returns the names of the one or two fields that a leaf reads.
    pub(super) fn leaf_fields(&self) -> impl Iterator<Item = &str> {
        let other = match self {
            Self::Against { than: ComparisonOperand::Field(other), .. } => Some(other.as_str()),
            Self::Against { than: ComparisonOperand::MedianOf(group), .. } => Some(*group),
            _ => None,
        };
        self.field().into_iter().chain(other)
    }

    /// Returns the medians that it compares with, each as (field, field that groups the stocks).
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

    /// Returns the type of field that a leaf needs: `number`, `text` or `flag`; `None` for `All`, `Any` and `Not`.
    pub(super) const fn kind_word(&self) -> Option<&'static str> {
        match self {
            Self::Number { .. } | Self::Against { .. } => Some("number"),
            Self::Text { .. } => Some("text"),
            Self::Flag { .. } => Some("flag"),
            Self::All(_) | Self::Any(_) | Self::Not(_) => None,
        }
    }

    /// Returns true if every row that matches has this flag set.
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

    /// Parses a name: `sector_median`, `industry_median`, or the name of a field.
    pub fn from_name(name: &str) -> Self {
        match name.strip_suffix(Self::MEDIAN) {
            Some("sector") => Self::MedianOf("sector"),
            Some("industry") => Self::MedianOf("industry"),
            _ => Self::Field(name.to_owned()),
        }
    }

    /// Returns the name that [`Self::from_name`] parses.
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

    /// Returns the largest difference at which a number counts as equal to a bound. It only absorbs the error of floating-point arithmetic.
    pub fn tolerance(bound: f64) -> f64 {
        1e-9 * bound.abs().max(1.0)
    }

    /// Returns the bound, or the two bounds of a range.
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

    /// Returns the same comparison with another bound; `None` for a range.
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

    /// Returns the opposite comparison; `None` for `Equal` and a range, whose opposite is not one comparison.
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
