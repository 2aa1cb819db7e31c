//! The followed institutional investors.

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::records::columns::NamedColumns;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::records::table_row::TableRecord;
use crate::reference_data::ReferenceData;
use parquote_encodings::text::cik;

/// Number of institutions that are followed without a list: the largest by their newest portfolio.
pub(crate) const FOLLOWED: usize = 14;

/// An institutional investor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Investor {
    /// Its CIK.
    pub(crate) cik: u64,
    /// Its name.
    pub(crate) name: String,
    /// Its investment style.
    pub(crate) style: Option<String>,
}

impl PlainRecord<3> for Investor {
    const RECORD: &'static str = "investor";
    const COLUMNS: [&'static str; 3] = ["cik text", "investor text", "style text?"];
    const FILLS: Option<&'static str> = Some(Self::TABLE);

    fn from_cells([cik, name, style]: [PlainCell<'_>; 3], _: &FileFacts) -> Result<Self, Reason> {
        Ok(Self {
            cik: cik.cik().ok_or(Reason::NoFiler)?,
            name: name.words().ok_or(Reason::NoFiler)?,
            style: style.words(),
        })
    }
}

impl RawRecord for Investor {
    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl TableRecord for Investor {
    const TABLE: &'static str = "investors";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::for_rows(rows)
            .made_text("cik", |investor| cik::text(investor.cik))
            .text("investor", |investor| Some(&investor.name))
            .text("style", |investor| investor.style.as_deref())
            .done()
    }
}
