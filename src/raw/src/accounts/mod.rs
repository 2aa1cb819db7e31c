//! Row accounting: used and refused rows, duplicates, and files that cannot be read whole.

pub(crate) mod refused;
pub(crate) mod ending;
mod read_faults;
mod files_without_rows;
pub(crate) mod row_accounts;
