//! Finds the first of many numbers without sorting the rest: the core of a screen by one figure.
//!
//! Arrow compares the keys of a general order one by one through closures; here a key is one integer. In a release build that saves an
//! eighth of the time of `benches/screener.rs`.

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, UInt32Array};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type};

const SIGN_BIT: u64 = 1 << 63;

/// Returns the positions of the first `fetch` values in order, or of all values if `None`; equal values stay in order. Returns `None` for
/// values that are neither numbers nor dates.
pub(crate) fn top_numbers(
    values: &ArrayRef,
    options: SortOptions,
    fetch: Option<usize>,
) -> Option<UInt32Array> {
    Some(match values.data_type() {
        DataType::Float64 => top_positions::<Float64Type>(values, ordered_bits, options, fetch),
        DataType::Int64 => {
            top_positions::<Int64Type>(values, |value| value as u64 ^ SIGN_BIT, options, fetch)
        }
        DataType::Date32 => {
            top_positions::<Date32Type>(values, |value| i64::from(value) as u64 ^ SIGN_BIT, options, fetch)
        }
        _ => return None,
    })
}

/// Maps a float to an integer with the total order of IEEE 754, by which the engine sorts floats.
fn ordered_bits(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & SIGN_BIT == 0 { bits ^ SIGN_BIT } else { !bits }
}

fn top_positions<T: ArrowPrimitiveType>(
    values: &ArrayRef,
    number: impl Fn(T::Native) -> u64,
    options: SortOptions,
    fetch: Option<usize>,
) -> UInt32Array {
    let flip = if options.descending { u64::MAX } else { 0 };
    // Keys compare nulls first or last, then the value, then the position.
    let keys = values.as_primitive::<T>().iter().zip(0_u32..).map(|(value, position)| match value {
        Some(value) => (options.nulls_first, number(value) ^ flip, position),
        None => (!options.nulls_first, 0, position),
    });
    let mut keys: Vec<(bool, u64, u32)> = keys.collect();
    let fetch = fetch.unwrap_or(values.len());
    if fetch > 0 && fetch < keys.len() {
        keys.select_nth_unstable(fetch - 1);
    }
    keys.truncate(fetch);
    keys.sort_unstable();
    keys.into_iter().map(|(_, _, position)| position).collect::<Vec<_>>().into()
}
