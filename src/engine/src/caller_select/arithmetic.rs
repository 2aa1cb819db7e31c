//! Arithmetic without silent errors: integers do not wrap, and undefined results (a division by zero, the logarithm of zero) are null, so
//! that they are neither compared nor sorted as numbers.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Datum};
use datafusion::arrow::compute::kernels::{cmp, numeric};
use datafusion::arrow::compute::nullif;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::arrow::error::ArrowError;
use datafusion::common::ScalarValue;
use datafusion::common::plan_datafusion_err;
use datafusion::error::Result;
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    ColumnarValue, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr_common::datum::apply;

/// The function of `+`, `-`, `*`, `/` or `%` on two numbers.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Arithmetic {
    op: Operator,
    signature: Signature,
}

impl Arithmetic {
    /// Returns the function of an arithmetic operator; `None` for other operators.
    pub(super) fn for_operator(op: Operator) -> Option<ScalarUDF> {
        use Operator::{Divide, Minus, Modulo, Multiply, Plus};
        let is_arithmetic = matches!(op, Plus | Minus | Multiply | Divide | Modulo);
        let signature = Signature::user_defined(Volatility::Immutable);
        is_arithmetic.then(|| ScalarUDF::from(Self { op, signature }))
    }

    /// Returns the type that an operand is cast to: results of integers need the full width, and a quotient of decimals all its digits.
    fn operand_type(&self, ty: &DataType) -> DataType {
        match ty {
            ty if ty.is_integer() => DataType::Int64,
            ty if ty.is_floating() || ty.is_decimal() && self.op == Operator::Divide => DataType::Float64,
            ty => ty.clone(),
        }
    }

    fn kernel(&self, left: &dyn Datum, right: &dyn Datum) -> Result<ArrayRef, ArrowError> {
        match self.op {
            Operator::Plus => numeric::add(left, right),
            Operator::Minus => numeric::sub(left, right),
            Operator::Multiply => numeric::mul(left, right),
            Operator::Divide => numeric::div(left, right),
            _ => numeric::rem(left, right),
        }
    }
}

impl ScalarUDFImpl for Arithmetic {
    fn name(&self) -> &'static str {
        match self.op {
            Operator::Plus => "plus",
            Operator::Minus => "minus",
            Operator::Multiply => "times",
            Operator::Divide => "divided_by",
            _ => "modulo",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arguments: &[DataType]) -> Result<Vec<DataType>> {
        let [left, right] = arguments else { return Err(plan_datafusion_err!("two numbers are computed")) };
        let (left, right) = (self.operand_type(left), self.operand_type(right));
        let (left, right) = BinaryTypeCoercer::new(&left, &self.op, &right).get_input_types()?;
        Ok(vec![left, right])
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        let [left, right] = arguments else { return Err(plan_datafusion_err!("two numbers are computed")) };
        BinaryTypeCoercer::new(left, &self.op, right).get_result_type()
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = &*arguments.args else {
            return Err(plan_datafusion_err!("two numbers are computed"));
        };
        let is_division = matches!(self.op, Operator::Divide | Operator::Modulo);
        let right = if is_division { &map_values(right, without_zeros)? } else { right };
        map_values(&apply(left, right, |left, right| self.kernel(left, right))?, |values| {
            Ok(replace_non_finite(values))
        })
    }
}

/// A function that returns its argument, or null if that is undefined, such as the logarithm of zero or the text `NaN` as a number.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct FiniteNumber(Signature);

impl FiniteNumber {
    pub(super) fn function() -> ScalarUDF {
        ScalarUDF::from(Self(Signature::any(1, Volatility::Immutable)))
    }
}

impl ScalarUDFImpl for FiniteNumber {
    fn name(&self) -> &'static str {
        "finite"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        Ok(arguments.first().cloned().unwrap_or(DataType::Null))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let value = arguments.args.first().ok_or_else(|| plan_datafusion_err!("one number is expected"))?;
        map_values(value, |values| Ok(replace_non_finite(values)))
    }
}

/// A function that rounds to the nearest integer, halves to even, as PostgreSQL casts; the engine truncates.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct NearestInteger(Signature);

impl NearestInteger {
    pub(super) fn function() -> ScalarUDF {
        ScalarUDF::from(Self(Signature::exact(vec![DataType::Float64], Volatility::Immutable)))
    }
}

impl ScalarUDFImpl for NearestInteger {
    fn name(&self) -> &'static str {
        "nearest"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let value = arguments.args.first().ok_or_else(|| plan_datafusion_err!("one number is rounded"))?;
        map_values(value, |values| {
            let values = values.as_primitive::<Float64Type>();
            Ok(Arc::new(values.unary::<_, Float64Type>(f64::round_ties_even)))
        })
    }
}

/// Maps a scalar or an array.
fn map_values(value: &ColumnarValue, map: impl Fn(&ArrayRef) -> Result<ArrayRef>) -> Result<ColumnarValue> {
    Ok(match value {
        ColumnarValue::Array(values) => ColumnarValue::Array(map(values)?),
        ColumnarValue::Scalar(value) => {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&map(&value.to_array()?)?, 0)?)
        }
    })
}

fn without_zeros(values: &ArrayRef) -> Result<ArrayRef> {
    if let Some(numbers) = values.as_primitive_opt::<Float64Type>() {
        // This includes negative zero.
        return Ok(Arc::new(numbers.unary_opt::<_, Float64Type>(|number| (number != 0.0).then_some(number))));
    }
    let zero = ScalarValue::new_zero(values.data_type())?.to_scalar()?;
    Ok(nullif(values, &cmp::eq(values, &zero)?)?)
}

/// Replaces non-finite numbers by null and negative zero by zero: the engine compares the two zeros as different.
fn replace_non_finite(values: &ArrayRef) -> ArrayRef {
    let must_change = |number: &f64| !number.is_finite() || (*number == 0.0 && number.is_sign_negative());
    match values.as_primitive_opt::<Float64Type>() {
        Some(numbers) if numbers.values().iter().any(must_change) => {
            Arc::new(numbers.unary_opt::<_, Float64Type>(|number| number.is_finite().then_some(number + 0.0)))
        }
        _ => Arc::clone(values),
    }
}
