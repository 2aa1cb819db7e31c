//! What became of every row: kept, refused, found twice; and of every file that cannot be read whole.

pub(crate) mod refused;
pub(crate) mod ending;
mod read_faults;
mod gave_nothing;
pub(crate) mod ledger;
