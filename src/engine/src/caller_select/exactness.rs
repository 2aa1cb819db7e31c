//! Rewrites expressions that the engine computes wrongly without an error: arithmetic, casts of fractions to integers, functions with
//! undefined results, frames over dates.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DECIMAL128_MAX_PRECISION, DataType, FieldRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, ScalarValue, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::expr::{AggregateFunction, Cast, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, Operator, WindowFrame, WindowFrameBound, WindowFrameUnits, cast, lit,
};

use super::arithmetic::{Arithmetic, FiniteNumber, NearestInteger};
use super::patterns::to_strftime;
use super::sliding;

/// Functions whose result may be NaN or infinite.
const PARTIAL_FUNCTIONS: [&str; 7] = ["exp", "ln", "log", "log10", "log2", "pow", "power"];
/// Functions whose later arguments are date patterns.
const DATE_PATTERN_FUNCTIONS: [&str; 2] = ["to_char", "to_date"];
/// The most rows or groups that the bound of a frame may count.
const MOST_FRAME_ROWS: u64 = 1 << 32;

#[derive(Debug)]
pub(super) struct Exactness;

impl FunctionRewrite for Exactness {
    fn name(&self) -> &'static str {
        "exactness"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        // An expression of unknown type is refused later by the planner.
        let type_of = |expr: &Expr| expr.get_type(schema).unwrap_or(DataType::Null);
        match expr {
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                let types = (type_of(&left), type_of(&right));
                refuse_time_of_day(&types, &right)?;
                let function = Arithmetic::for_operator(op).filter(|_| are_numbers(&types));
                Ok(match function {
                    Some(function) => Transformed::yes(function.call(vec![*left, *right])),
                    None => Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })),
                })
            }
            Expr::Negative(inner) if type_of(&inner).is_numeric() => {
                let minus = Arithmetic::for_operator(Operator::Minus);
                Ok(match minus {
                    Some(minus) => Transformed::yes(minus.call(vec![lit(0_i64), *inner])),
                    None => Transformed::no(Expr::Negative(inner)),
                })
            }
            Expr::Cast(Cast { expr, field }) => Ok(rewrite_cast(*expr, &field, type_of)),
            Expr::ScalarFunction(function) if DATE_PATTERN_FUNCTIONS.contains(&function.name()) => {
                rewrite_date_patterns(function)
            }
            Expr::AggregateFunction(function) => Ok(Transformed::yes(rewrite_aggregate(function, type_of))),
            Expr::ScalarFunction(function) if PARTIAL_FUNCTIONS.contains(&function.name()) => {
                Ok(Transformed::yes(FiniteNumber::function().call(vec![Expr::ScalarFunction(function)])))
            }
            Expr::WindowFunction(mut window) => {
                let order_type = window.params.order_by.first().map(|sort| type_of(&sort.expr));
                window.params.window_frame = frame_in_days(&window.params.window_frame, order_type.as_ref())?;
                sliding::compute_frames_separately(&mut window, type_of);
                Ok(Transformed::yes(Expr::WindowFunction(window)))
            }
            expr => Ok(Transformed::no(expr)),
        }
    }
}

/// Refuses to add hours to a date, because the engine would drop them.
fn refuse_time_of_day((left, _): &(DataType, DataType), right: &Expr) -> Result<()> {
    const DAY: i64 = 86_400_000_000_000;
    match right.as_literal() {
        Some(ScalarValue::IntervalMonthDayNano(Some(length)))
            if *left == DataType::Date32 && length.nanoseconds % DAY != 0 =>
        {
            plan_err!("a date has no hours; add whole days, such as INTERVAL '1 day'")
        }
        _ => Ok(()),
    }
}

fn are_numbers((left, right): &(DataType, DataType)) -> bool {
    let is_number = |ty: &DataType| ty.is_numeric() || ty.is_null();
    is_number(left) && is_number(right) && !(left.is_null() && right.is_null())
}

/// Rewrites a cast so that it rounds where the engine truncates, and yields null for `NaN`.
fn rewrite_cast(expr: Expr, field: &FieldRef, type_of: impl Fn(&Expr) -> DataType) -> Transformed<Expr> {
    let (from, to) = (type_of(&expr), field.data_type());
    let cast_to_field = |expr| Expr::Cast(Cast { expr: Box::new(expr), field: Arc::clone(field) });
    if to.is_integer() && from.is_floating() {
        return Transformed::yes(cast_to_field(
            NearestInteger::function().call(vec![cast(expr, DataType::Float64)]),
        ));
    }
    if to.is_integer() && from.is_decimal() {
        return Transformed::yes(cast_to_field(cast(
            expr,
            DataType::Decimal128(DECIMAL128_MAX_PRECISION, 0),
        )));
    }
    if to.is_floating() && from.is_string() {
        return Transformed::yes(FiniteNumber::function().call(vec![cast_to_field(expr)]));
    }
    Transformed::no(cast_to_field(expr))
}

fn rewrite_date_patterns(mut function: ScalarFunction) -> Result<Transformed<Expr>> {
    for pattern in function.args.iter_mut().skip(1) {
        let Some(text) = pattern.as_literal().and_then(|text| text.try_as_str().flatten()) else {
            return plan_err!(
                "`{}` takes a pattern that is written down, such as 'YYYY-MM-DD'",
                function.name()
            );
        };
        *pattern = lit(to_strftime(text)?);
    }
    Ok(Transformed::yes(Expr::ScalarFunction(function)))
}

/// Casts the argument of an aggregate to a safe type: means of decimals may wrap, and `approx_distinct` does not support fractions.
fn rewrite_aggregate(mut function: AggregateFunction, type_of: impl Fn(&Expr) -> DataType) -> Expr {
    let safe_type = |ty: &DataType| match function.func.name() {
        "avg" if ty.is_decimal() => Some(DataType::Float64),
        "approx_distinct" if ty.is_floating() || ty.is_decimal() => Some(DataType::Utf8View),
        _ => None,
    };
    if let Some(argument) = function.params.args.first()
        && let Some(safe_type) = safe_type(&type_of(argument))
    {
        function.params.args = vec![cast(argument.clone(), safe_type)];
    }
    Expr::AggregateFunction(function)
}

/// Converts a frame's bounds to days if rows are ordered by dates: the engine would take numbers as months.
fn frame_in_days(frame: &WindowFrame, order_type: Option<&DataType>) -> Result<WindowFrame> {
    let bound = |bound: &WindowFrameBound| -> Result<WindowFrameBound> {
        Ok(match bound {
            WindowFrameBound::Preceding(value) => {
                WindowFrameBound::Preceding(bound_in_days(value, frame, order_type)?)
            }
            WindowFrameBound::Following(value) => {
                WindowFrameBound::Following(bound_in_days(value, frame, order_type)?)
            }
            WindowFrameBound::CurrentRow => WindowFrameBound::CurrentRow,
        })
    };
    Ok(WindowFrame::new_bounds(frame.units, bound(&frame.start_bound)?, bound(&frame.end_bound)?))
}

fn bound_in_days(
    value: &ScalarValue,
    frame: &WindowFrame,
    order_type: Option<&DataType>,
) -> Result<ScalarValue> {
    match value {
        ScalarValue::UInt64(Some(count)) if *count > MOST_FRAME_ROWS => {
            plan_err!("a frame of {count} {} is larger than any table: write UNBOUNDED", frame.units)
        }
        ScalarValue::Utf8(Some(count)) if frame.units == WindowFrameUnits::Range => {
            let is_number = !count.contains(|c: char| c.is_whitespace() || c.is_alphabetic());
            match order_type {
                Some(ty) if ty.is_temporal() && is_number && count.parse::<u16>().is_err() => {
                    plan_err!("RANGE {count} over dates: write a whole number of days, or INTERVAL '7 days'")
                }
                Some(ty) if ty.is_temporal() && is_number => Ok(ScalarValue::from(format!("{count} days"))),
                _ => Ok(value.clone()),
            }
        }
        value => Ok(value.clone()),
    }
}
