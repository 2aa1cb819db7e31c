//! Members of an index of the US: a list of symbols and names whose file is named after the index.
//!
//! A sector counts where it is one of GICS or of the listings, in whose words it is put; some lists have industries in that
//! column. Histories of changes are not read: their header has no company's name.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::formats::listed::ListedMember;
use crate::derive::raw::records::listed::ListColumns;
use crate::derive::raw::records::raw_format::{Dating, Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::sectors::words;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use std::sync::Arc;

/// What a file name says, and the index it means.
const INDICES: [(&str, &str); 4] =
    [("sp500", "SP500"), ("nasdaq100", "NDX100"), ("ndx100", "NDX100"), ("dow", "DOW30")];

pub(crate) struct UsMembers {
    columns: ListColumns,
    index: Arc<str>,
}

impl UsMembers {
    pub(crate) fn of(header: &HeaderLine, name: &str) -> Option<Self> {
        let index = index_name(name)?.into();
        let symbol = header.column(&["SYMBOL", "TICKER"]).filter(|column| *column == 0)?;
        let mut columns = ListColumns::new(symbol);
        columns.name = Some(header.column(&["NAME", "COMPANY", "SECURITY"])?);
        columns.sector = header.column(&["GICS SECTOR", "GICS_SECTOR", "SECTOR"]);
        columns.industry = header.column(&["GICS SUB-INDUSTRY", "GICS_SUB_INDUSTRY", "INDUSTRY"]);
        columns.cik = header.column(&["CIK"]);
        Some(Self { columns, index })
    }
}

impl RecordFile for UsMembers {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let mut listed = self.columns.listed(record)?;
        listed.sector = listed
            .sector
            .and_then(|sector| words::of_us(&sector, listed.industry.as_deref()).map(str::to_owned));
        Ok(Box::new(ListedMember { index: Arc::clone(&self.index), listed }))
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}

/// The index that a file's name says, if it is one that is known.
fn index_name(file: &str) -> Option<&'static str> {
    let file = file.to_lowercase().replace(['-', '_', '&', ' '], "");
    INDICES.iter().find(|(word, _)| file.contains(word)).map(|(_, index)| *index)
}

/// Members of an index of the US.
pub(super) static US_INDEX_MEMBERS: Format = Format {
    recognise: |head| Layout::records(UsMembers::of(head.header, head.name())),
    dating: Dating::Path,
    ..Format::new("index members", US)
};
