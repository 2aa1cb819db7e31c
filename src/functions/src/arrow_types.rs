//! Conversion between declared columns and Arrow types.

use std::sync::Arc;

use chrono::{NaiveDateTime, NaiveTime, Offset, TimeZone};
use datafusion::arrow::array::timezone::Tz;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, RecordBatch, TimestampMicrosecondArray, new_null_array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit, TimestampMicrosecondType};
use datafusion::arrow::temporal_conversions::as_datetime_with_timezone;
use datafusion::common::ScalarValue;
use datafusion::error::{DataFusionError, Result};

use parquote_catalogue::operation::{Column, ColumnType, Market, ParamType, Table, Value};

/// Returns the Arrow type of a declared column. Text is a view: comparing and taking rows then copies 16 bytes, not the text.
pub fn arrow_type(ty: ColumnType) -> DataType {
    match ty {
        ColumnType::Text => DataType::Utf8View,
        ColumnType::Int => DataType::Int64,
        ColumnType::Number => DataType::Float64,
        ColumnType::Bool => DataType::Boolean,
        ColumnType::Date => DataType::Date32,
        ColumnType::Texts => DataType::new_list(DataType::Utf8View, true),
        // Only answers have nested rows, and their types are the planner's.
        ColumnType::Row | ColumnType::Rows => DataType::Null,
    }
}

/// Returns the declared type that corresponds to an Arrow type of the planner; `None` if there is none.
pub fn column_type(ty: &DataType) -> Option<ColumnType> {
    match ty {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(ColumnType::Text),
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64 => Some(ColumnType::Int),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Some(ColumnType::Number),
        DataType::Boolean => Some(ColumnType::Bool),
        DataType::Date32 => Some(ColumnType::Date),
        DataType::Struct(_) => Some(ColumnType::Row),
        DataType::List(item) => match column_type(item.data_type())? {
            ColumnType::Text => Some(ColumnType::Texts),
            ColumnType::Row => Some(ColumnType::Rows),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the schema of a table in a market.
pub fn table_schema(table: &Table, market: Market) -> SchemaRef {
    let field = |column: &Column| Field::new(&column.name, arrow_type(column.ty), column.nullable);
    Arc::new(Schema::new(table.columns_in(market).map(field).collect::<Vec<_>>()))
}

/// Returns the schema in which a table is written: lists of texts have plain strings, because many readers do not support lists of views.
pub fn written_schema(table: &Table, market: Market) -> SchemaRef {
    let schema = table_schema(table, market);
    let written_field = |field: &Arc<Field>| match field.data_type() {
        DataType::List(_) => field.as_ref().clone().with_data_type(DataType::new_list(DataType::Utf8, true)),
        _ => field.as_ref().clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(written_field).collect::<Vec<_>>()))
}

/// Returns the Arrow type in which a parameter is bound.
pub fn param_type(ty: ParamType) -> DataType {
    match ty {
        ParamType::Text | ParamType::Period => DataType::Utf8View,
        ParamType::Int => DataType::Int64,
        ParamType::Number => DataType::Float64,
        ParamType::Bool => DataType::Boolean,
        ParamType::Date => DataType::Date32,
        ParamType::List => DataType::new_list(DataType::Utf8View, true),
    }
}

/// Converts the value of an argument to a DataFusion scalar.
pub fn scalar(value: &Value) -> ScalarValue {
    match value {
        Value::Text(text) => ScalarValue::Utf8View(Some(text.clone())),
        Value::Int(number) => ScalarValue::Int64(Some(*number)),
        Value::Number(number) => ScalarValue::Float64(Some(*number)),
        Value::Bool(flag) => ScalarValue::Boolean(Some(*flag)),
        Value::Date(date) => ScalarValue::Date32(Some(days(*date))),
        Value::List(items) => {
            let items: Vec<ScalarValue> =
                items.iter().map(|item| ScalarValue::Utf8View(Some(item.clone()))).collect();
            ScalarValue::List(ScalarValue::new_list_nullable(&items, &DataType::Utf8View))
        }
    }
}

/// Returns days since 1970-01-01, as Arrow stores dates.
pub fn days(date: chrono::NaiveDate) -> i32 {
    date.signed_duration_since(chrono::NaiveDate::default()).num_days() as i32
}

/// Returns the date of a number of days since 1970-01-01; `None` outside the range of `chrono`.
pub fn date(days: i32) -> Option<chrono::NaiveDate> {
    chrono::NaiveDate::default().checked_add_signed(chrono::TimeDelta::days(i64::from(days)))
}

/// Returns the time zone in which the instants of a column are read as dates, usually the zone of the column. Parquet files with seconds
/// lose their zone and have UTC. So, for instants in UTC that are not all midnights, the result is the zone of the first market in which
/// all are midnights, if there is one.
pub fn time_zone_of(instants: &TimestampMicrosecondArray, zone: Tz) -> Tz {
    let all_midnights = |zone: &Tz| {
        let at = |instant| as_datetime_with_timezone::<TimestampMicrosecondType>(instant, *zone);
        instants.iter().flatten().all(|instant| at(instant).is_some_and(|at| at.time() == NaiveTime::MIN))
    };
    if zone.offset_from_utc_datetime(&NaiveDateTime::default()).fix().local_minus_utc() != 0
        || all_midnights(&zone)
    {
        return zone;
    }
    let mut markets = Market::ALL.into_iter().filter_map(|market| market.time_zone().name().parse().ok());
    markets.find(all_midnights).unwrap_or(zone)
}

/// Casts a column to its declared type. The date of an instant is its date in the time zone of the column; an instant other than midnight
/// is an error.
pub fn cast_to_declared(column: &ArrayRef, name: &str, ty: &DataType) -> Result<ArrayRef> {
    let (DataType::Timestamp(_, Some(zone)), DataType::Date32) = (column.data_type(), ty) else {
        return Ok(cast(column, ty)?);
    };
    let refusal = |what: String| {
        let message = format!(
            "the column `{name}` is {} where date is declared, and {what}; write dates, or midnights of the zone",
            column.data_type()
        );
        DataFusionError::External(message.into())
    };
    let tz: Tz = zone.parse().map_err(|_| refusal(format!("`{zone}` is not a time zone")))?;
    let instants = cast(column, &DataType::Timestamp(TimeUnit::Microsecond, Some(Arc::clone(zone))))?;
    let instants = instants.as_primitive::<TimestampMicrosecondType>();
    let tz = time_zone_of(instants, tz);
    let day = |instant: Option<i64>| -> Result<Option<i32>> {
        let Some(instant) = instant else { return Ok(None) };
        let at = as_datetime_with_timezone::<TimestampMicrosecondType>(instant, tz)
            .ok_or_else(|| refusal(format!("{instant} is out of range")))?
            .naive_local();
        if at.time() != NaiveTime::MIN {
            return Err(refusal(format!("holds {at}, which is not midnight")));
        }
        Ok(Some(days(at.date())))
    };
    Ok(Arc::new(instants.iter().map(day).collect::<Result<Date32Array>>()?))
}

/// Returns the declared columns of a batch, in the order and types of the schema. A column that the batch lacks is null.
pub fn declared_columns(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let column = |name: &str, ty| -> Result<ArrayRef> {
        match batch.column_by_name(name) {
            None => Ok(new_null_array(ty, batch.num_rows())),
            Some(column) if column.data_type() == ty => Ok(Arc::clone(column)),
            Some(column) => cast_to_declared(column, name, ty),
        }
    };
    let columns = schema.fields().iter().map(|field| column(field.name(), field.data_type()));
    Ok(RecordBatch::try_new(Arc::clone(schema), columns.collect::<Result<_>>()?)?)
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{TimestampMillisecondArray, TimestampSecondArray};

    use super::*;

    #[test]
    fn a_date_is_that_of_the_zone_of_its_column() {
        // 27 October 2026 is day 20,753. Its midnight in Kolkata is 18:30 of the day before in London.
        let midnight = (20_753 * 24 * 60 - 330) * 60;
        let instants_in = |instants: Vec<Option<i64>>, zone: &str| -> ArrayRef {
            Arc::new(TimestampSecondArray::from(instants).with_timezone(zone))
        };
        let column = instants_in(vec![Some(midnight), None], "Asia/Kolkata");
        let dates = cast_to_declared(&column, "filed_on", &DataType::Date32).unwrap();
        assert_eq!(dates.as_ref(), &Date32Array::from(vec![Some(20_753), None]));
        let offset =
            cast_to_declared(&instants_in(vec![Some(midnight)], "+05:30"), "filed_on", &DataType::Date32)
                .unwrap();
        assert_eq!(offset.as_ref(), &Date32Array::from(vec![20_753]));
        // Midnights of Kolkata, and of New York in summer and in winter, in a file that lost its zone.
        let new_york = [20_753 * 86_400 + 4 * 3_600, 20_760 * 86_400 + 5 * 3_600];
        for (instants, days) in
            [(vec![Some(midnight)], vec![20_753]), (new_york.map(Some).to_vec(), vec![20_753, 20_760])]
        {
            let dates =
                cast_to_declared(&instants_in(instants, "UTC"), "filed_on", &DataType::Date32).unwrap();
            assert_eq!(dates.as_ref(), &Date32Array::from(days));
        }
        let mixed = instants_in(vec![Some(midnight), Some(new_york[0])], "UTC");
        let error = cast_to_declared(&mixed, "filed_on", &DataType::Date32).unwrap_err();
        let words = error.to_string();
        for part in ["`filed_on`", "Timestamp(", "UTC", "2026-10-26 18:30:00", "not midnight"] {
            assert!(words.contains(part), "{words}");
        }
        // Without a zone, the local time of the file is used.
        let local: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![20_753 * 86_400_000]));
        let local = cast_to_declared(&local, "filed_on", &DataType::Date32).unwrap();
        assert_eq!(local.as_ref(), &Date32Array::from(vec![20_753]));
    }
}
