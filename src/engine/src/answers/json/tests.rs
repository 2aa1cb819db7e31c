//! JSON of rows, cell by cell: rounding, nulls, text that needs escapes, lists and objects.

use super::*;

fn number(value: f64, decimals: u8) -> String {
    let mut out = Vec::new();
    write_number(&mut out, value, Some(decimals));
    String::from_utf8(out).unwrap()
}

/// Expected texts are the decimal expansions of the doubles (Python's `decimal.Decimal(x)`), rounded by hand.
#[test]
fn numbers_are_rounded_by_their_exact_value() {
    assert_eq!(number(1.115, 2), "1.11"); // 1.1149999999999999911
    assert_eq!(number(2.675, 2), "2.67"); // 2.67499999999999982236431605997495353221893310546875
    assert_eq!(number(1.005, 2), "1"); // 1.00499999999999989
    assert_eq!(number(0.125, 2), "0.13"); // exact half, away from zero
    assert_eq!(number(-0.125, 2), "-0.13");
    assert_eq!(number(-1.115, 2), "-1.11");
    assert_eq!(number(1234.5, 2), "1234.5");
    assert_eq!(number(0.05, 2), "0.05");
    assert_eq!(number(-0.001, 2), "0");
    assert_eq!(number(12.0, 0), "12");
    assert_eq!(number(1e300, 2), "1e+300");
    assert_eq!(number(f64::NAN, 2), "null");
    assert_eq!(number(f64::INFINITY, 2), "null");
}

/// A client parses a JSON text to the float that Arrow carries.
#[test]
fn a_rounded_number_is_what_its_text_reads_back_as() {
    let numbers = [1.115, 2.675, -0.125, 0.05, 1234.5, 98_765_432.104_999, -0.001, 1e300, 0.1 + 0.2, 7.0];
    for value in numbers {
        for decimals in [0, 1, 2, 3, 6] {
            let parsed: f64 = number(value, decimals).parse().unwrap();
            let carried = round_decimals(value, Some(decimals)).unwrap();
            assert_eq!(carried.to_bits(), parsed.to_bits(), "{value} with {decimals} decimals");
        }
    }
    assert_eq!(round_decimals(f64::NAN, Some(2)), None);
    assert_eq!(round_decimals(0.1 + 0.2, None), Some(0.1 + 0.2));
}

#[test]
fn texts_are_escaped() {
    let mut out = Vec::new();
    write_text(&mut out, "a\"b\\c\n\u{1}é");
    assert_eq!(String::from_utf8(out).unwrap(), "\"a\\\"b\\\\c\\n\\u0001é\"");
}

#[test]
fn lists_and_rows_nest() {
    use datafusion::arrow::array::{Float64Array, ListArray, StringViewArray, StructArray};
    use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
    use datafusion::arrow::datatypes::{Field, Fields};
    use parquote_catalogue::operation::{ColumnType, Unit};
    use std::sync::Arc;

    let column = |name: &str, ty, unit, fields| ResultColumn {
        name: name.to_owned(),
        ty,
        nullable: true,
        unit,
        words: String::new(),
        fields,
    };
    let list = |ends: Vec<i32>, items: ArrayRef, nulls| -> ArrayRef {
        let field = Arc::new(Field::new_list_field(items.data_type().clone(), true));
        Arc::new(ListArray::new(field, OffsetBuffer::new(ends.into()), items, nulls))
    };
    let texts: ArrayRef = Arc::new(StringViewArray::from(vec![Some("a\"b"), None, Some("c")]));
    let risks = list(vec![0, 2, 2, 3], texts, Some(NullBuffer::from(vec![true, true, false])));
    let fields = Fields::from(vec![
        Field::new("symbol", DataType::Utf8View, true),
        Field::new("stake_pct", DataType::Float64, true),
    ]);
    let members = StructArray::new(
        fields,
        vec![
            Arc::new(StringViewArray::from(vec!["AA", "BB"])),
            Arc::new(Float64Array::from(vec![Some(12.345_678), None])),
        ],
        None,
    );
    let members = list(vec![0, 1, 1, 2], Arc::new(members), None);
    let batch = RecordBatch::try_from_iter([("risks", risks), ("members", members)]).unwrap();
    let rows = JsonRows::new(&[
        column("risks", ColumnType::Texts, Unit::None, Vec::new()),
        column(
            "members",
            ColumnType::Rows,
            Unit::None,
            vec![
                column("symbol", ColumnType::Text, Unit::None, Vec::new()),
                column("stake_pct", ColumnType::Number, Unit::Pct, Vec::new()),
            ],
        ),
    ]);
    let mut out = Vec::new();
    rows.write(&batch, true, &mut out);
    // A slice has the offsets of its own rows.
    rows.write(&batch.slice(2, 1), false, &mut out);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        concat!(
            r#"{"risks":["a\"b",null],"members":[{"symbol":"AA","stake_pct":12.35}]},"#,
            r#"{"risks":[],"members":[]},"#,
            r#"{"risks":null,"members":[{"symbol":"BB","stake_pct":null}]},"#,
            r#"{"risks":null,"members":[{"symbol":"BB","stake_pct":null}]}"#,
        )
    );
}

/// Every planner type that counts as a declared type is written; none silently becomes null.
#[test]
fn no_type_that_a_column_may_have_is_left_out() {
    use datafusion::arrow::array::{Float64Array, Int64Array, StringArray};
    use std::sync::Arc;

    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let ints: ArrayRef = Arc::new(Int64Array::from(vec![Some(7), None]));
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(0.5), None]));
    let column = JsonColumn { key: Box::default(), decimals: None, fields: Vec::new() };
    let text_cases =
        [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View].map(|ty| (ty, &texts, "\"a\""));
    let number_cases =
        [DataType::Float16, DataType::Float32, DataType::Float64].map(|ty| (ty, &numbers, "0.5"));
    let signed = [DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64];
    let unsigned = [DataType::UInt8, DataType::UInt16, DataType::UInt32, DataType::UInt64];
    let int_cases = signed.into_iter().chain(unsigned).map(|ty| (ty, &ints, "7"));
    for (ty, values, written) in text_cases.into_iter().chain(number_cases).chain(int_cases) {
        assert!(arrow_types::column_type(&ty).is_some(), "{ty}");
        let array = cast(values, &ty).unwrap();
        let cells = JsonCells::new(&column, &array);
        for (row, expected) in [written, "null"].into_iter().enumerate() {
            let mut out = Vec::new();
            cells.write(row, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{ty}");
        }
    }
}
