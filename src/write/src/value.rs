//! The number that the text of a claim states, in the unit of its column.

use parquote_catalogue::operation::{ColumnType, Market};
use parquote_evidence::{MoneyUnit, PassageEvidence};

use crate::claim::Claim;
use crate::job::WriteJob;
use crate::prompt::{NumberReading, WriteColumn};

/// Returns the number that a claim states, in the unit of its column; `None` if its text is not exactly one such number.
pub(crate) fn value(job: &WriteJob<'_>, column: &WriteColumn, claim: &Claim) -> Option<f64> {
    /// Rupees in a crore, and dollars in a million.
    const UNITS: [(Market, MoneyUnit, f64); 2] =
        [(Market::India, MoneyUnit::Rupee, 1e7), (Market::Us, MoneyUnit::Dollar, 1e6)];
    let declared = job.declared_column(&claim.column)?;
    let value = match column.read? {
        NumberReading::Months => PassageEvidence::months(&claim.text)?,
        NumberReading::Percent => PassageEvidence::percent(&claim.text)?,
        NumberReading::Count => PassageEvidence::count(&claim.text, column.unit.as_deref()?)?,
        NumberReading::Money => {
            let (amount, currency) = PassageEvidence::amount(&claim.text)?;
            let (_, _, unit) = UNITS
                .iter()
                .find(|(market, money, _)| *market == job.market && Some(money) == currency.as_ref())?;
            amount / unit
        }
    };
    let is_whole = declared.ty != ColumnType::Int || value.fract() == 0.0;
    (value >= 0.0 && is_whole).then_some(value)
}
