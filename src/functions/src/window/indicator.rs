//! An indicator: a name, its documentation, and a kernel over the slices of one partition, made into a window function.
//!
//! It has the parts that every indicator shares (check and coercion of arguments, documentation, evaluator) and no formula. Between this
//! module and a kernel a missing figure is NaN: sums, products and quotients propagate it, so that a null in a window gives null without a
//! branch.
//!
//! Invariant: no NaN and no infinity is returned; both become null.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Date32Array, Float64Array, Int64Array};
use datafusion::arrow::buffer::{BooleanBuffer, NullBuffer};
use datafusion::arrow::datatypes::{DataType, Date32Type, Field, FieldRef, Float64Type};
use datafusion::common::{Result, ScalarValue, internal_datafusion_err, plan_datafusion_err, plan_err};
use datafusion::logical_expr::function::{ExpressionArgs, PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::{
    DocSection, Documentation, PartitionEvaluator, Signature, Volatility, WindowUDF, WindowUDFImpl,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Literal;

use super::pattern::{Pattern, PatternBars, pattern_rows, row_type};

/// Section of the functions in generated documentation.
const SECTION: DocSection = DocSection {
    include: true,
    label: "Indicator Functions",
    description: Some(
        "Figures over the bars of a symbol or over the symbols of a session; the window frame is ignored.",
    ),
};

#[derive(Debug, Clone, Copy)]
pub(super) struct Indicator {
    pub(super) name: &'static str,
    /// Describes the result, when it is null, and the source of the formula.
    pub(super) description: &'static str,
    /// Name and description of each argument, in the order of the kernel.
    pub(super) arguments: &'static [(&'static str, &'static str)],
    /// The intended window, as written after `OVER`.
    pub(super) over: &'static str,
    pub(super) kernel: Kernel,
}

/// Returns a class for each row, from figures and the known classes of earlier rows.
type Classes = fn(&[f64], &[f64]) -> Vec<Option<i64>>;

/// The formula of an indicator; the variants differ by arguments and result. NaN is a missing figure, in arguments and results.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kernel {
    /// `f(x, n)`: figures over the last `n` rows, in the order of the window; `n` is a positive literal.
    Lookback(fn(&[f64], usize) -> Vec<f64>),
    /// `f(x, n, known)`: figures that are computed from the figure of the row before, in the order of the window; `n` is a positive
    /// literal, and the optional `known` has the figure of earlier rows.
    Recursion(fn(&[f64], usize, &[f64]) -> Vec<f64>),
    /// `f(x)`: the percentile of each figure in the partition.
    Percentile(fn(&[f64]) -> Vec<f64>),
    /// `f(score, is_member)`: the rank of each score among the scores of the members; a null flag is not a member.
    RankAmongMembers(fn(&[f64], &[bool]) -> Vec<Option<i64>>),
    /// `f(x, is_member)`: the percentile of each figure among the figures of the members; a null flag is not a member.
    PercentileAmongMembers(fn(&[f64], &[bool]) -> Vec<f64>),
    /// `f(x, known)`: a class for each row, in the order of the window; the optional `known` gives the class at earlier rows.
    Class(Classes),
    /// `f(day)`: a day for each row, in the order of the window.
    Days(fn(&[Option<i32>]) -> Vec<Option<i32>>),
    /// `f(x, number, n)`: figures over the last `n` weeks or days, by each row's week or day number, in the order of the window; `n` is a
    /// positive literal.
    ByNumber(fn(&[f64], &[f64], usize) -> Vec<f64>),
    /// `f(high, low, volume, wanted)`: a pattern at each wanted row, in the order of the window.
    Pattern(fn(&PatternBars<'_>) -> Vec<Option<Pattern>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    /// Any number; evaluated as f64.
    Figure,
    /// A boolean.
    Flag,
    /// A date.
    Day,
    /// A positive integer literal, read during planning.
    Length,
    /// Any number: the figures of earlier rows. Optional, and always the last argument.
    Known,
}

impl Kernel {
    fn kinds(self) -> &'static [ArgumentKind] {
        match self {
            Self::Lookback(_) => &[ArgumentKind::Figure, ArgumentKind::Length],
            Self::Recursion(_) => &[ArgumentKind::Figure, ArgumentKind::Length, ArgumentKind::Known],
            Self::Percentile(_) => &[ArgumentKind::Figure],
            Self::RankAmongMembers(_) | Self::PercentileAmongMembers(_) => {
                &[ArgumentKind::Figure, ArgumentKind::Flag]
            }
            Self::Class(_) => &[ArgumentKind::Figure, ArgumentKind::Known],
            Self::Days(_) => &[ArgumentKind::Day],
            Self::ByNumber(_) => &[ArgumentKind::Figure, ArgumentKind::Figure, ArgumentKind::Length],
            Self::Pattern(_) => {
                &[ArgumentKind::Figure, ArgumentKind::Figure, ArgumentKind::Figure, ArgumentKind::Flag]
            }
        }
    }

    fn output_type(self) -> DataType {
        match self {
            Self::Lookback(_)
            | Self::Recursion(_)
            | Self::Percentile(_)
            | Self::ByNumber(_)
            | Self::PercentileAmongMembers(_) => DataType::Float64,
            Self::RankAmongMembers(_) | Self::Class(_) => DataType::Int64,
            Self::Days(_) => DataType::Date32,
            Self::Pattern(_) => row_type(),
        }
    }
}

impl Indicator {
    /// Converts to the function that the engine registers.
    pub(super) fn into_udf(self) -> Arc<WindowUDF> {
        let documentation = self.documentation();
        let signature = Signature::user_defined(Volatility::Immutable);
        Arc::new(WindowUDF::new_from_impl(IndicatorFunction { indicator: self, signature, documentation }))
    }

    /// Returns the syntax, such as `sma(x, n)`.
    fn syntax(&self) -> String {
        let names: Vec<&str> = self.arguments.iter().map(|(name, _)| *name).collect();
        format!("{}({})", self.name, names.join(", "))
    }

    fn documentation(&self) -> Documentation {
        let syntax = self.syntax();
        let example = format!("```sql\nSELECT {syntax} OVER ({})\n```", self.over);
        let builder = Documentation::builder(SECTION, self.description, syntax).with_sql_example(example);
        self.arguments
            .iter()
            .fold(builder, |builder, (name, description)| builder.with_argument(*name, *description))
            .build()
    }
}

/// An [`Indicator`] with the values that the engine borrows from it.
#[derive(Debug)]
struct IndicatorFunction {
    indicator: Indicator,
    signature: Signature,
    documentation: Documentation,
}

/// The name is the identity: each indicator has a unique name.
impl PartialEq for IndicatorFunction {
    fn eq(&self, other: &Self) -> bool {
        self.indicator.name == other.indicator.name
    }
}

impl Eq for IndicatorFunction {}

impl Hash for IndicatorFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.indicator.name.hash(state);
    }
}

impl WindowUDFImpl for IndicatorFunction {
    fn name(&self) -> &str {
        self.indicator.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }

    fn field(&self, field_args: WindowUDFFieldArgs) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(field_args.name(), self.indicator.kernel.output_type(), true)))
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        let kinds = self.indicator.kernel.kinds();
        let required = kinds.iter().filter(|kind| **kind != ArgumentKind::Known).count();
        if !(required..=kinds.len()).contains(&arg_types.len()) {
            return plan_err!(
                "{} takes {} arguments, not {}",
                self.indicator.syntax(),
                kinds.len(),
                arg_types.len()
            );
        }
        kinds
            .iter()
            .zip(arg_types)
            .zip(self.indicator.arguments)
            .map(|((kind, ty), (name, _))| {
                kind.coerce(ty).ok_or_else(|| {
                    plan_datafusion_err!(
                        "{}: {name} must be {}, not {ty}",
                        self.indicator.syntax(),
                        kind.label()
                    )
                })
            })
            .collect()
    }

    /// Leaves out `n`: it is read from the literal during planning, and evaluating it would fill an array for each partition.
    fn expressions(&self, expr_args: ExpressionArgs) -> Vec<Arc<dyn PhysicalExpr>> {
        let kinds = self.indicator.kernel.kinds();
        let arguments = expr_args.input_exprs().iter().zip(kinds);
        arguments
            .filter(|(_, kind)| **kind != ArgumentKind::Length)
            .map(|(expr, _)| Arc::clone(expr))
            .collect()
    }

    /// Runs also during planning, so that an invalid `n` is refused before anything runs.
    fn partition_evaluator(&self, args: PartitionEvaluatorArgs) -> Result<Box<dyn PartitionEvaluator>> {
        let Indicator { name, kernel, .. } = self.indicator;
        if args.ignore_nulls() {
            return plan_err!("{name} does not take IGNORE NULLS: a null in its window gives null");
        }
        let kinds = kernel.kinds();
        let length = args.input_exprs().iter().zip(kinds).find(|(_, kind)| **kind == ArgumentKind::Length);
        let n = match length {
            None => 1,
            Some((expr, _)) => positive_literal(expr.as_ref()).ok_or_else(|| {
                plan_datafusion_err!("{}: n must be a positive integer literal", self.indicator.syntax())
            })?,
        };
        Ok(Box::new(WholePartition { name, kernel, n }))
    }
}

impl ArgumentKind {
    /// Returns the type that an argument of type `ty` is cast to, or `None` if it is not accepted.
    fn coerce(self, ty: &DataType) -> Option<DataType> {
        match (self, ty) {
            (Self::Figure | Self::Known, ty) if ty.is_numeric() => Some(DataType::Float64),
            (Self::Figure | Self::Known, DataType::Null) => Some(DataType::Float64),
            (Self::Flag, DataType::Boolean | DataType::Null) => Some(DataType::Boolean),
            (Self::Day, DataType::Date32 | DataType::Null) => Some(DataType::Date32),
            (Self::Length, ty) if ty.is_integer() => Some(DataType::Int64),
            _ => None,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Figure | Self::Known => "a number",
            Self::Flag => "a boolean",
            Self::Day => "a date",
            Self::Length => "a positive integer literal",
        }
    }
}

/// Returns the value of a positive integer literal; `None` for any other expression.
fn positive_literal(expr: &dyn PhysicalExpr) -> Option<usize> {
    let ScalarValue::Int64(Some(n)) = expr.downcast_ref::<Literal>()?.value() else { return None };
    usize::try_from(*n).ok().filter(|n| *n > 0)
}

/// Evaluates a kernel over whole partitions, without state between them.
#[derive(Debug)]
struct WholePartition {
    name: &'static str,
    kernel: Kernel,
    /// The literal argument `n`; 1 for a kernel without it.
    n: usize,
}

impl PartitionEvaluator for WholePartition {
    fn evaluate_all(&mut self, values: &[ArrayRef], _num_rows: usize) -> Result<ArrayRef> {
        let mismatch = || {
            internal_datafusion_err!("{} was called with other arguments than it was planned with", self.name)
        };
        let figures = |index: usize| values.get(index).and_then(figures).ok_or_else(mismatch);
        // Null counts as false.
        let flags = |index: usize| {
            values
                .get(index)
                .and_then(|array| array.as_boolean_opt())
                .map(|array| array.iter().map(|flag| flag == Some(true)).collect::<Vec<bool>>())
                .ok_or_else(mismatch)
        };
        let known = |index: usize| {
            let is_known = values.get(index).is_some_and(|array| array.null_count() < array.len());
            if is_known { figures(index) } else { Ok(Cow::Borrowed(&[][..])) }
        };
        match self.kernel {
            Kernel::Recursion(kernel) => Ok(nulls_for_nan(kernel(&figures(0)?, self.n, &known(1)?))),
            Kernel::Lookback(kernel) => Ok(nulls_for_nan(kernel(&figures(0)?, self.n))),
            Kernel::Percentile(kernel) => Ok(nulls_for_nan(kernel(&figures(0)?))),
            Kernel::RankAmongMembers(kernel) => {
                Ok(Arc::new(Int64Array::from(kernel(&figures(0)?, &flags(1)?))))
            }
            Kernel::PercentileAmongMembers(kernel) => Ok(nulls_for_nan(kernel(&figures(0)?, &flags(1)?))),
            Kernel::Class(kernel) => Ok(Arc::new(Int64Array::from(kernel(&figures(0)?, &known(1)?)))),
            Kernel::Days(kernel) => {
                let days = values.first().and_then(|array| array.as_primitive_opt::<Date32Type>());
                let days: Vec<Option<i32>> = days.ok_or_else(mismatch)?.iter().collect();
                Ok(Arc::new(Date32Array::from(kernel(&days))))
            }
            Kernel::ByNumber(kernel) => Ok(nulls_for_nan(kernel(&figures(0)?, &figures(1)?, self.n))),
            Kernel::Pattern(kernel) => {
                let (high, low, volume) = (figures(0)?, figures(1)?, figures(2)?);
                let wanted = flags(3)?;
                pattern_rows(&kernel(&PatternBars {
                    high: &high,
                    low: &low,
                    volume: &volume,
                    wanted: &wanted,
                }))
            }
        }
    }
}

/// Returns the array's values with NaN for null; borrowed if there are no nulls.
fn figures(array: &ArrayRef) -> Option<Cow<'_, [f64]>> {
    let array = array.as_primitive_opt::<Float64Type>()?;
    let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Some(Cow::Borrowed(array.values()));
    };
    let present = array.values().iter().zip(nulls);
    Some(Cow::Owned(present.map(|(figure, is_there)| if is_there { *figure } else { f64::NAN }).collect()))
}

/// Returns an array of a kernel's figures, null for NaN and infinities.
fn nulls_for_nan(figures: Vec<f64>) -> ArrayRef {
    if figures.iter().fold(true, |all, figure| all & figure.is_finite()) {
        return Arc::new(Float64Array::new(figures.into(), None));
    }
    let present = BooleanBuffer::collect_bool(figures.len(), |row| {
        figures.get(row).is_some_and(|figure| figure.is_finite())
    });
    Arc::new(Float64Array::new(figures.into(), Some(NullBuffer::new(present))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_figure_is_nan_inside_and_null_outside() {
        let array: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.5), None, Some(f64::INFINITY)]));
        let inside = figures(&array).unwrap();
        assert!(inside[0].total_cmp(&1.5).is_eq() && inside[1].is_nan());
        let outside = nulls_for_nan(inside.into_owned());
        assert_eq!(outside.as_primitive::<Float64Type>(), &Float64Array::from(vec![Some(1.5), None, None]));
    }

    #[test]
    fn every_indicator_documents_each_argument_its_kernel_takes() {
        for function in super::super::indicators() {
            let documentation = function.documentation().unwrap();
            let arguments = documentation.arguments.as_ref().unwrap();
            assert!(documentation.syntax_example.starts_with(function.name()));
            assert!(!documentation.description.is_empty());
            assert_eq!(documentation.syntax_example.matches(',').count() + 1, arguments.len());
            assert!(function.coerce_types(&vec![DataType::Null; 9]).is_err(), "{}", function.name());
        }
    }
}
