//! Workbooks in a build without the feature: they are recognised and refused.

use std::io::{self, Read};

use parquote_catalogue::features::missing_feature;

use crate::documents::put_rows::DocumentRows;
use crate::documents::statement_columns::{FIGURE_OF_WORKBOOK, columns};
use crate::unpack_bounds::refusal;

pub(super) const COLUMNS: [&str; 12] = columns(FIGURE_OF_WORKBOOK);

fn missing_feature_error() -> io::Error {
    refusal(missing_feature("a workbook", "xlsx"))
}

pub(super) fn has_sheet(_: &[u8]) -> io::Result<bool> {
    Err(missing_feature_error())
}

pub(super) fn rows(_: &mut dyn Read, _: &mut DocumentRows<'_>) -> io::Result<()> {
    Err(missing_feature_error())
}
