//! The institutional investors that are followed.

use crate::raw::declared::plain_row::{FileFacts, PlainCell};
use crate::raw::domain::reason::Reason;
use crate::raw::records::columns::NamedColumns;
use crate::raw::records::placed::RecordPlace;
use crate::raw::records::plain_record::PlainRecord;
use crate::raw::records::record::RawRecord;
use crate::raw::records::table_row::TableRecord;
use crate::raw::reference_data::ReferenceData;
use crate::raw::text::cik;

/// Institutions that are followed where no list says which: as many as the largest by their newest portfolio.
pub(crate) const FOLLOWED: usize = 14;

/// An institutional investor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Investor {
    /// The number under which it files.
    pub(crate) cik: u64,
    /// Its name.
    pub(crate) name: String,
    /// How it invests.
    pub(crate) style: Option<String>,
}

impl PlainRecord<3> for Investor {
    const RECORD: &'static str = "investor";
    const COLUMNS: [&'static str; 3] = ["cik text", "investor text", "style text?"];
    const FILLS: Option<&'static str> = Some(Self::TABLE);

    fn of([cik, name, style]: [PlainCell<'_>; 3], _: &FileFacts) -> Result<Self, Reason> {
        Ok(Self {
            cik: cik.cik().ok_or(Reason::NoFiler)?,
            name: name.words().ok_or(Reason::NoFiler)?,
            style: style.words(),
        })
    }
}

impl RawRecord for Investor {
    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl TableRecord for Investor {
    const TABLE: &'static str = "investors";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::of(rows)
            .made_text("cik", |investor| cik::text(investor.cik))
            .text("investor", |investor| Some(&investor.name))
            .text("style", |investor| investor.style.as_deref())
            .done()
    }
}
