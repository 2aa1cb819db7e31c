//! Daily prices of securities, from any exchange or vendor. If two files have the same symbol and day, the format that is listed earlier
//! wins.

use crate::declared::plain_row::DeclaredFile;
use crate::records::plain_record::RecordType;
use crate::records::price_columns::{PRICE_COLUMNS, PriceColumns};
use crate::records::raw_format::Layout;

/// Rows that are bars.
pub(super) struct Prices;

impl RecordType for Prices {
    fn word(&self) -> &'static str {
        "prices"
    }

    fn columns(&self) -> &'static [&'static str] {
        &PRICE_COLUMNS
    }

    fn layout(&self, file: DeclaredFile) -> Option<Layout> {
        PriceColumns::from_declared(file).map(Layout::Prices)
    }
}
