//! Arrow batches as JSON, on the hot path of every answer.
//!
//! Each plan builds the encoder of a column once: its quoted name and its rounding. NaN and Infinity are never written. The other text
//! formats take their values from here, so that all of them round a figure in the same way.

use chrono::Datelike as _;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    DataType, Date32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

use super::result_column::ResultColumn;
use parquote_functions::arrow_types;

/// JSON encoders of an answer's columns.
#[derive(Debug)]
pub struct JsonRows {
    columns: Vec<JsonColumn>,
}

#[derive(Debug)]
struct JsonColumn {
    /// The encoded key with its separators: `,"name":`.
    key: Box<[u8]>,
    decimals: Option<u8>,
    /// Nested columns, if the values are rows.
    fields: Vec<Self>,
}

/// A batch whose columns are downcast once, ready to be written row by row.
pub(crate) struct OpenRows<'a>(Vec<JsonCells<'a>>);

/// A value of a row, for formats with their own quoting.
pub(crate) enum JsonCell<'a> {
    /// Null.
    None,
    Text(&'a str),
    /// A number, a flag, a quoted date, a list or a struct.
    Json(&'a [u8]),
}

/// A column's values, downcast once per batch.
enum JsonValues<'a> {
    Texts(&'a datafusion::arrow::array::StringViewArray),
    Strings(&'a datafusion::arrow::array::StringArray),
    LongStrings(&'a datafusion::arrow::array::LargeStringArray),
    Numbers(&'a datafusion::arrow::array::Float64Array),
    Floats(Vec<f64>),
    Ints(Vec<i64>),
    Int64s(&'a [i64]),
    Flags(&'a datafusion::arrow::array::BooleanArray),
    Dates(&'a [i32]),
    /// The offsets of the lists, and the items of all lists.
    Lists(&'a [i32], Box<JsonCells<'a>>),
    Rows(Vec<JsonCells<'a>>),
    /// Nulls only.
    Nulls,
}

/// A column of a batch, or a column nested in another column.
struct JsonCells<'a> {
    column: &'a JsonColumn,
    array: &'a ArrayRef,
    values: JsonValues<'a>,
}

impl JsonRows {
    /// Builds the encoders of an answer's columns.
    pub fn new(columns: &[ResultColumn]) -> Self {
        Self { columns: columns.iter().map(JsonColumn::new).collect() }
    }

    /// Writes rows as objects separated by commas; `first` is true if no row precedes them.
    pub fn write(&self, batch: &RecordBatch, first: bool, out: &mut Vec<u8>) {
        let rows = self.open(batch);
        for row in 0..batch.num_rows() {
            if row > 0 || !first {
                out.push(b',');
            }
            rows.write_object(row, out);
        }
    }

    /// Downcasts the columns of a batch.
    pub(crate) fn open<'a>(&'a self, batch: &'a RecordBatch) -> OpenRows<'a> {
        OpenRows(JsonCells::open_all(&self.columns, batch.columns()))
    }
}

impl OpenRows<'_> {
    pub(crate) fn write_object(&self, row: usize, out: &mut Vec<u8>) {
        write_row(&self.0, row, out);
    }

    pub(crate) fn write_array(&self, row: usize, out: &mut Vec<u8>) {
        out.push(b'[');
        for (at, cells) in self.0.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            cells.write(row, out);
        }
        out.push(b']');
    }

    /// Passes each value of a row to `visit`: a text unchanged, any other value as JSON.
    pub(crate) fn visit_cells(&self, row: usize, mut visit: impl FnMut(JsonCell<'_>)) {
        let mut json = Vec::new();
        for cells in &self.0 {
            if let Some(text) = cells.text(row) {
                visit(JsonCell::Text(text));
                continue;
            }
            json.clear();
            cells.write(row, &mut json);
            visit(if json == b"null" { JsonCell::None } else { JsonCell::Json(&json) });
        }
    }
}

impl JsonColumn {
    fn new(column: &ResultColumn) -> Self {
        let mut key = vec![b','];
        write_text(&mut key, &column.name);
        key.push(b':');
        Self {
            key: key.into(),
            decimals: column.unit.decimals(),
            fields: column.fields.iter().map(Self::new).collect(),
        }
    }
}

fn write_row(columns: &[JsonCells<'_>], row: usize, out: &mut Vec<u8>) {
    let start = out.len();
    for cells in columns {
        out.extend_from_slice(&cells.column.key);
        cells.write(row, out);
    }
    // The brace replaces the comma before the first name.
    match out.get_mut(start) {
        Some(first) => *first = b'{',
        None => out.push(b'{'),
    }
    out.push(b'}');
}

impl<'a> JsonCells<'a> {
    fn open_all(columns: &'a [JsonColumn], arrays: &'a [ArrayRef]) -> Vec<Self> {
        columns.iter().zip(arrays).map(|(column, array)| Self::new(column, array)).collect()
    }

    fn new(column: &'a JsonColumn, array: &'a ArrayRef) -> Self {
        Self { column, array, values: JsonValues::new(column, array) }
    }

    /// Returns the text of a row; `None` for null and other types.
    fn text(&self, row: usize) -> Option<&str> {
        match &self.values {
            _ if self.array.is_null(row) => None,
            JsonValues::Texts(texts) => Some(texts.value(row)),
            JsonValues::Strings(texts) => Some(texts.value(row)),
            JsonValues::LongStrings(texts) => Some(texts.value(row)),
            _ => None,
        }
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) {
        if self.array.is_null(row) {
            out.extend_from_slice(b"null");
        } else {
            self.values.write(row, self.column.decimals, out);
        }
    }
}

impl<'a> JsonValues<'a> {
    fn new(column: &'a JsonColumn, array: &'a ArrayRef) -> Self {
        macro_rules! ints {
            ($ty:ty) => {
                Self::Ints(array.as_primitive::<$ty>().values().iter().map(|n| i64::from(*n)).collect())
            };
        }
        match array.data_type() {
            DataType::Utf8View => Self::Texts(array.as_string_view()),
            DataType::Utf8 => Self::Strings(array.as_string()),
            DataType::LargeUtf8 => Self::LongStrings(array.as_string()),
            DataType::Float64 => Self::Numbers(array.as_primitive::<Float64Type>()),
            DataType::Float16 | DataType::Float32 => Self::Floats(as_doubles(array)),
            DataType::Int64 => Self::Int64s(array.as_primitive::<Int64Type>().values()),
            DataType::Boolean => Self::Flags(array.as_boolean()),
            DataType::Date32 => Self::Dates(array.as_primitive::<Date32Type>().values()),
            DataType::Int8 => ints!(Int8Type),
            DataType::Int16 => ints!(Int16Type),
            DataType::Int32 => ints!(Int32Type),
            DataType::UInt8 => ints!(UInt8Type),
            DataType::UInt16 => ints!(UInt16Type),
            DataType::UInt32 => ints!(UInt32Type),
            DataType::UInt64 => {
                Self::Ints(array.as_primitive::<UInt64Type>().values().iter().map(|n| *n as i64).collect())
            }
            DataType::List(_) => {
                let lists = array.as_list::<i32>();
                Self::Lists(lists.value_offsets(), Box::new(JsonCells::new(column, lists.values())))
            }
            DataType::Struct(_) => {
                Self::Rows(JsonCells::open_all(&column.fields, array.as_struct().columns()))
            }
            // Result columns are checked when an operation is planned, so that no other type arrives here.
            _ => Self::Nulls,
        }
    }

    fn write(&self, row: usize, decimals: Option<u8>, out: &mut Vec<u8>) {
        match self {
            Self::Texts(texts) => write_text(out, texts.value(row)),
            Self::Strings(texts) => write_text(out, texts.value(row)),
            Self::LongStrings(texts) => write_text(out, texts.value(row)),
            Self::Numbers(numbers) => write_number(out, numbers.value(row), decimals),
            Self::Floats(numbers) => match numbers.get(row) {
                Some(number) => write_number(out, *number, decimals),
                None => out.extend_from_slice(b"null"),
            },
            Self::Ints(numbers) => write_int(out, numbers.get(row).copied()),
            Self::Int64s(numbers) => write_int(out, numbers.get(row).copied()),
            Self::Flags(flags) => out.extend_from_slice(if flags.value(row) { b"true" } else { b"false" }),
            Self::Dates(days) => write_date(out, days.get(row).copied()),
            Self::Lists(ends, items) => write_list(ends.get(row..row + 2), items, out),
            Self::Rows(columns) => write_row(columns, row, out),
            Self::Nulls => out.extend_from_slice(b"null"),
        }
    }
}

/// Widens numbers to `f64`.
fn as_doubles(array: &ArrayRef) -> Vec<f64> {
    let doubles = cast(array, &DataType::Float64).ok();
    doubles.map_or_else(Vec::new, |doubles| doubles.as_primitive::<Float64Type>().values().to_vec())
}

fn write_list(ends: Option<&[i32]>, items: &JsonCells<'_>, out: &mut Vec<u8>) {
    out.push(b'[');
    if let Some([start, end]) = ends {
        for item in *start..*end {
            if item > *start {
                out.push(b',');
            }
            items.write(item as usize, out);
        }
    }
    out.push(b']');
}

fn write_int(out: &mut Vec<u8>, number: Option<i64>) {
    match number {
        Some(number) => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
}

fn write_date(out: &mut Vec<u8>, days: Option<i32>) {
    use std::io::Write as _;
    let Some(date) = days.and_then(arrow_types::date) else {
        out.extend_from_slice(b"null");
        return;
    };
    let Ok(year @ 0..10_000) = u32::try_from(date.year()) else {
        let _ = write!(out, "\"{date}\"");
        return;
    };
    let digits = |number: u32| [b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8];
    let [century, year_of_century, month, day] = [year / 100, year, date.month(), date.day()].map(digits);
    let text = [
        [b'"', century[0]],
        [century[1], year_of_century[0]],
        [year_of_century[1], b'-'],
        month,
        [b'-', day[0]],
        [day[1], b'"'],
    ];
    out.extend_from_slice(text.as_flattened());
}

/// The bound below which a scaled number is exact as an integer.
const EXACT_INTEGER_BOUND: f64 = 9.0e15;

/// Writes a number with at most `decimals` decimals, halves away from zero, without trailing zeros.
pub(crate) fn write_number(out: &mut Vec<u8>, number: f64, decimals: Option<u8>) {
    if !number.is_finite() {
        out.extend_from_slice(b"null");
        return;
    }
    let power = decimals.map(|decimals| 10_i64.pow(u32::from(decimals)));
    match power {
        Some(power) if number.abs() * (power as f64) < EXACT_INTEGER_BOUND => {
            write_scaled(out, round_scaled(number, power as f64), power);
        }
        _ => write_shortest(out, number),
    }
}

/// Returns the float nearest to the decimal text that [`write_number`] writes; `None` if it writes `null`.
pub(crate) fn round_decimals(number: f64, decimals: Option<u8>) -> Option<f64> {
    if !number.is_finite() {
        return None;
    }
    let power = decimals.map(|decimals| 10_i64.pow(u32::from(decimals)) as f64);
    Some(match power {
        // Both operands are exact, so that the quotient is the float that the text is parsed to.
        Some(power) if number.abs() * power < EXACT_INTEGER_BOUND => {
            round_scaled(number, power) as f64 / power
        }
        _ => number,
    })
}

fn write_shortest(out: &mut Vec<u8>, number: f64) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number);
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

/// Rounds `number * power` to an integer, halves away from zero, by the exact product.
///
/// The float product may be a half although the exact product is not, by less than the precision of a float; the sign of the remainder,
/// from a fused multiply-add, shows on which side the exact product is.
#[expect(clippy::float_cmp, reason = "a half is a float as it is, and nothing near it is meant")]
fn round_scaled(number: f64, power: f64) -> i64 {
    let product = number * power;
    let integer = product.trunc();
    if (product - integer).abs() == 0.5 {
        let remainder = number.mul_add(power, -product);
        if remainder != 0.0 && remainder.is_sign_negative() != product.is_sign_negative() {
            return integer as i64;
        }
    }
    product.round() as i64
}

fn write_scaled(out: &mut Vec<u8>, scaled: i64, power: i64) {
    /// Digits of the largest integer, and a sign, a point and a zero before it.
    const LONGEST_NUMBER: usize = 24;
    let mut text = [0; LONGEST_NUMBER];
    let mut length = 0;
    let mut free_bytes = text.iter_mut().rev();
    let mut put = |byte| {
        if let Some(free_byte) = free_bytes.next() {
            *free_byte = byte;
            length += 1;
        }
    };
    let power_of_ten = power.unsigned_abs();
    let (mut whole, mut rest) = (scaled.unsigned_abs() / power_of_ten, scaled.unsigned_abs() % power_of_ten);
    if rest > 0 {
        let mut remaining_power = power_of_ten;
        while rest.is_multiple_of(10) {
            (rest, remaining_power) = (rest / 10, remaining_power / 10);
        }
        while remaining_power > 1 {
            put(b'0' + (rest % 10) as u8);
            (rest, remaining_power) = (rest / 10, remaining_power / 10);
        }
        put(b'.');
    }
    loop {
        put(b'0' + (whole % 10) as u8);
        whole /= 10;
        if whole == 0 {
            break;
        }
    }
    if scaled < 0 {
        put(b'-');
    }
    out.extend_from_slice(text.get(LONGEST_NUMBER - length..).unwrap_or_default());
}

/// Writes a JSON string.
pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        out.extend_from_slice(text.as_bytes());
    } else {
        for byte in text.bytes() {
            match byte {
                b'"' => out.extend_from_slice(b"\\\""),
                b'\\' => out.extend_from_slice(b"\\\\"),
                b'\n' => out.extend_from_slice(b"\\n"),
                b'\r' => out.extend_from_slice(b"\\r"),
                b'\t' => out.extend_from_slice(b"\\t"),
                0..0x20 => {
                    out.extend_from_slice(b"\\u00");
                    out.extend([byte >> 4, byte & 15].iter().filter_map(|half| HEX.get(usize::from(*half))));
                }
                _ => out.push(byte),
            }
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests;
