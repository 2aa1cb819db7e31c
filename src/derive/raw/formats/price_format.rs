//! A price format: a label, the markets that have it, and the names of its columns. It needs no code of its own.

use crate::derive::raw::records::price_columns::PriceNames;
use crate::derive::raw::records::raw_format::{FileHead, Layout, RawFormat};
use crate::operation::Market;

/// A format of prices.
pub(super) struct PriceFormat {
    pub(super) label: &'static str,
    pub(super) markets: &'static [Market],
    pub(super) names: PriceNames,
}

impl RawFormat for PriceFormat {
    fn label(&self) -> &'static str {
        self.label
    }

    fn markets(&self) -> &'static [Market] {
        self.markets
    }

    fn recognise(&self, head: &FileHead<'_>) -> Option<Layout> {
        self.names.columns(head.header, head.name()).map(Layout::Prices)
    }
}
