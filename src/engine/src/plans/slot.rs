//! Late-bound values: a reused physical plan reads its arguments from slots when it executes.
//!
//! A slot belongs to one plan instance, and one request at a time uses an instance, so that no two requests share a slot.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// A cell for one late-bound value.
#[derive(Debug)]
pub(crate) struct Slot {
    name: String,
    ty: DataType,
    is_nullable: bool,
    cell: std::sync::Mutex<ScalarValue>,
}

impl Slot {
    pub(crate) fn new(name: &str, ty: DataType, is_nullable: bool) -> Arc<Self> {
        let cell = std::sync::Mutex::new(ScalarValue::Null);
        Arc::new(Self { name: format!("slot_{name}"), ty, is_nullable, cell })
    }

    /// Sets the value of the slot; `None` sets a null of its type.
    pub(crate) fn set(&self, value: Option<ScalarValue>) {
        let null = || ScalarValue::try_new_null(&self.ty).unwrap_or(ScalarValue::Null);
        let value = value.unwrap_or_else(null);
        *self.cell.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = value;
    }

    fn get(&self) -> ScalarValue {
        self.cell.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Returns an expression that reads the slot.
    pub(crate) fn expr(self: &Arc<Self>) -> Expr {
        let signature = Signature::exact(Vec::new(), Volatility::Volatile);
        ScalarUDF::from(ReadSlot { slot: Arc::clone(self), signature }).call(Vec::new())
    }
}

/// A zero-argument function that reads a slot. It is volatile, so that its value is not folded into the plan.
#[derive(Debug)]
struct ReadSlot {
    slot: Arc<Slot>,
    signature: Signature,
}

impl PartialEq for ReadSlot {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.slot, &other.slot)
    }
}

impl Eq for ReadSlot {}

impl Hash for ReadSlot {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.slot.name.hash(state);
    }
}

impl ScalarUDFImpl for ReadSlot {
    fn name(&self) -> &str {
        &self.slot.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(self.slot.ty.clone())
    }

    fn return_field_from_args(&self, _arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(&self.slot.name, self.slot.ty.clone(), self.slot.is_nullable)))
    }

    fn invoke_with_args(&self, _arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(ColumnarValue::Scalar(self.slot.get()))
    }
}
