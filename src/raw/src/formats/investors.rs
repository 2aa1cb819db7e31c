//! The followed institutional investors.

use serde::Deserialize;

use crate::records::columns::NamedColumns;
use crate::records::table_row::TableRecord;
use parquote_encodings::text::cik;

/// Number of institutions that are followed without a list: the largest by their newest portfolio.
pub(crate) const DEFAULT_INSTITUTIONS: usize = 14;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Investor {
    pub(crate) cik: u64,
    pub(crate) name: String,
    /// Its investment style.
    pub(crate) style: Option<String>,
}

impl TableRecord for Investor {
    const TABLE: &'static str = "investors";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::for_rows(rows)
            .computed_text("cik", |investor| cik::text(investor.cik))
            .text("investor", |investor| Some(&investor.name))
            .text("style", |investor| investor.style.as_deref())
            .finish()
    }
}
