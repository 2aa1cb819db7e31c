//! `ind_*list`: the members of an index of NSE, most with their industry.
//!
//! The index is in the file's name, the date in its path. The list's `Industry` is our `sector`; those of lists before 2022 are
//! put into the words of today.

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::formats::listed::ListedMember;
use crate::derive::raw::records::listed::ListColumns;
use crate::derive::raw::records::raw_format::{Dating, Format, INDIA, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::sectors::words;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use std::sync::Arc;

pub(crate) struct IndexList {
    columns: ListColumns,
    index: Arc<str>,
}

impl IndexList {
    pub(crate) fn of(header: &HeaderLine, name: &str) -> Option<Self> {
        let mut columns = ListColumns::new(header.column(&["SYMBOL"])?);
        columns.name = Some(header.column(&["COMPANY NAME"])?);
        columns.isin = Some(header.column(&["ISIN CODE"])?);
        columns.sector = header.column(&["INDUSTRY"]);
        Some(Self { columns, index: index_name(name).into() })
    }
}

impl RecordFile for IndexList {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let mut listed = self.columns.listed(record)?;
        listed.sector = listed.sector.and_then(words::of_india);
        Ok(Box::new(ListedMember { index: Arc::clone(&self.index), listed }))
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}

/// The index of a file of members: `ind_nifty500list.csv` is `NIFTY500`, `ind_nifty50list_202604.csv` is `NIFTY50`.
///
/// What follows `list` (a name, a date) is no part of it, nor are `ind`, separators and, where there is no `list`, a date.
pub(crate) fn index_name(file: &str) -> String {
    let stem = file.split('.').next().unwrap_or(file).to_uppercase();
    let stem = stem.strip_prefix("IND_").unwrap_or(&stem);
    let named = match stem.find("LIST") {
        Some(end) if end > 0 => stem.get(..end).unwrap_or(stem),
        _ => stem.trim_end_matches(|c: char| "_- ".contains(c)),
    };
    let words = named
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| crate::derive::raw::text::dates::in_name(word).is_none());
    words.collect()
}

/// Members of an index of NSE.
pub(super) static INDEX_MEMBERS: Format = Format {
    recognise: |head| Layout::records(IndexList::of(head.header, head.name())),
    dating: Dating::Path,
    ..Format::new("index members", INDIA)
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_the_stem_without_list_and_what_follows() {
        for (file, index) in [
            ("ind_niftymicrocap250_list.csv", "NIFTYMICROCAP250"),
            ("ind_nifty500list.csv", "NIFTY500"),
            ("ind_niftytotalmarket_list_xyz_202608.csv", "NIFTYTOTALMARKET"),
            ("nifty750list.csv", "NIFTY750"),
            ("ind_niftyfinancialservices25_50list.csv", "NIFTYFINANCIALSERVICES2550"),
            ("NIFTY50_20260815.csv", "NIFTY50"),
        ] {
            assert_eq!(index_name(file), index);
        }
    }
}
