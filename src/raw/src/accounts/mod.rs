//! Row accounting: used and refused rows, duplicates, and files that cannot be read whole.

pub(crate) mod refused;
pub(crate) mod ending;
mod read_faults;
mod gave_nothing;
pub(crate) mod row_accounts;
