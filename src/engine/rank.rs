//! The first rows by sort keys, without sorting the rest.
//!
//! A key's value becomes a number that never falls where the value rises; rows are compared by these numbers, and by the
//! values themselves only where the numbers are equal. Rows with equal keys keep the order in which they came.

use std::cmp::Ordering;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, DynComparator, make_comparator};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Float64Type, Int32Type, Int64Type, UInt64Type,
};
use datafusion::error::Result;

/// A sort key: its values and how a candidate finds its own.
pub(super) struct Key<'a> {
    pub values: ArrayRef,
    pub options: SortOptions,
    /// The place in `values` of each candidate; `None` where they stand in the candidates' order.
    pub places: Option<&'a [u32]>,
}

impl Key<'_> {
    fn place(&self, candidate: u32) -> usize {
        match self.places {
            None => candidate as usize,
            Some(places) => places.get(candidate as usize).map_or(0, |place| *place as usize),
        }
    }
}

/// A candidate and the numbers of its first two keys.
#[derive(Clone, Copy)]
struct Ranked {
    first: u64,
    second: u64,
    candidate: u32,
}

/// The first `fetch` of `count` candidates, in order.
pub(super) fn rank(keys: &[Key<'_>], count: usize, fetch: usize) -> Result<Vec<u32>> {
    if fetch == 0 {
        return Ok(Vec::new());
    }
    let order = Order::of(keys)?;
    let mut best: Vec<Ranked> = Vec::with_capacity(count.min(fetch.saturating_mul(2)));
    let mut bound: Option<Ranked> = None;
    for candidate in 0..count as u32 {
        let first = order.first.number(candidate);
        if bound.is_some_and(|bound| first > bound.first) {
            continue;
        }
        let second = if order.first.exact { order.second.number(candidate) } else { 0 };
        if bound.is_some_and(|bound| (first, second) > (bound.first, bound.second)) {
            continue;
        }
        best.push(Ranked { first, second, candidate });
        if best.len() == fetch.saturating_mul(2) {
            bound = order.cut(&mut best, fetch);
        }
    }
    order.cut(&mut best, fetch);
    best.sort_unstable_by(|a, b| order.compare(a, b));
    Ok(best.into_iter().map(|ranked| ranked.candidate).collect())
}

/// The order of candidates.
struct Order<'a> {
    keys: &'a [Key<'a>],
    comparators: Vec<DynComparator>,
    first: Numbers<'a>,
    second: Numbers<'a>,
}

impl<'a> Order<'a> {
    fn of(keys: &'a [Key<'a>]) -> Result<Self> {
        let comparator = |key: &Key<'_>| make_comparator(&key.values, &key.values, key.options);
        Ok(Self {
            comparators: keys.iter().map(comparator).collect::<Result<_, _>>()?,
            first: Numbers::of(keys.first()),
            second: Numbers::of(keys.get(1)),
            keys,
        })
    }

    fn compare(&self, a: &Ranked, b: &Ranked) -> Ordering {
        (a.first, a.second).cmp(&(b.first, b.second)).then_with(|| {
            self.keys
                .iter()
                .zip(&self.comparators)
                .map(|(key, compare)| compare(key.place(a.candidate), key.place(b.candidate)))
                .find(|order| order.is_ne())
                .unwrap_or_else(|| a.candidate.cmp(&b.candidate))
        })
    }

    /// Leaves the first `fetch`; the last of them is returned.
    fn cut(&self, best: &mut Vec<Ranked>, fetch: usize) -> Option<Ranked> {
        if best.len() <= fetch {
            return None;
        }
        let (_, last, _) = best.select_nth_unstable_by(fetch - 1, |a, b| self.compare(a, b));
        let last = *last;
        best.truncate(fetch);
        Some(last)
    }
}

/// A key's values as numbers that follow its order.
struct Numbers<'a> {
    key: Option<&'a Key<'a>>,
    values: Values<'a>,
    has_nulls: bool,
    null: u64,
    flip: u64,
    /// Whether equal numbers mean equal values.
    exact: bool,
}

enum Values<'a> {
    Floats(&'a [f64]),
    Longs(&'a [i64]),
    Unsigned(&'a [u64]),
    Ints(&'a [i32]),
    Views(&'a [u128], &'a datafusion::arrow::array::StringViewArray),
    /// All numbers are the same, so that only the values tell.
    Unknown,
}

impl<'a> Numbers<'a> {
    fn of(key: Option<&'a Key<'a>>) -> Self {
        let values = key.map_or(Values::Unknown, |key| Values::of(&key.values));
        let options = key.map(|key| key.options).unwrap_or_default();
        let has_nulls = key.is_some_and(|key| key.values.null_count() > 0);
        // A null's number may also be a value's: of the widest types then, the number alone does not tell.
        let exact = match values {
            Values::Ints(_) => true,
            Values::Floats(_) | Values::Longs(_) | Values::Unsigned(_) => !has_nulls,
            Values::Views(..) | Values::Unknown => false,
        };
        Self {
            key,
            values,
            has_nulls,
            null: if options.nulls_first { 0 } else { u64::MAX },
            flip: if options.descending { u64::MAX } else { 0 },
            exact,
        }
    }

    #[inline]
    fn number(&self, candidate: u32) -> u64 {
        let Some(key) = self.key else { return 0 };
        let place = key.place(candidate);
        if self.has_nulls && key.values.is_null(place) {
            return self.null;
        }
        self.values.number(place) ^ self.flip
    }
}

impl<'a> Values<'a> {
    fn of(array: &'a ArrayRef) -> Self {
        fn values<T: ArrowPrimitiveType>(array: &ArrayRef) -> &[T::Native] {
            array.as_primitive::<T>().values()
        }
        match array.data_type() {
            DataType::Float64 => Self::Floats(values::<Float64Type>(array)),
            DataType::Int64 => Self::Longs(values::<Int64Type>(array)),
            DataType::UInt64 => Self::Unsigned(values::<UInt64Type>(array)),
            DataType::Int32 => Self::Ints(values::<Int32Type>(array)),
            DataType::Date32 => Self::Ints(values::<Date32Type>(array)),
            DataType::Utf8View => Self::Views(array.as_string_view().views(), array.as_string_view()),
            _ => Self::Unknown,
        }
    }

    #[inline]
    fn number(&self, place: usize) -> u64 {
        const SIGN: u64 = 1 << 63;
        match self {
            Self::Floats(values) => {
                // IEEE 754's total order, as the engine sorts floats.
                let bits = values.get(place).map_or(0, |value| value.to_bits());
                if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
            }
            Self::Longs(values) => values.get(place).map_or(0, |value| *value as u64 ^ SIGN),
            Self::Unsigned(values) => values.get(place).copied().unwrap_or_default(),
            // Above every null's number of 0 and below that of MAX.
            Self::Ints(values) => values.get(place).map_or(0, |value| (i64::from(*value) as u64) ^ SIGN),
            Self::Views(views, texts) => view_number(views.get(place).copied(), || texts.value(place)),
            Self::Unknown => 0,
        }
    }
}

/// The first eight bytes of a text, the first one the highest.
fn view_number<'t>(view: Option<u128>, text: impl Fn() -> &'t str) -> u64 {
    const INLINE: u32 = 12;
    match view {
        None => 0,
        // A short text lies in its view, behind its length, followed by zeros.
        Some(view) if view as u32 <= INLINE => ((view >> 32) as u64).swap_bytes(),
        Some(_) => {
            let bytes = text().bytes().take(8);
            bytes.fold(0, |number, byte| number << 8 | u64::from(byte))
        }
    }
}
