//! Members of an index of the US: a list of symbols and names whose file is named after the index.
//!
//! A sector counts where it is one of GICS or of the listings, in whose words it is put; some lists have industries in that
//! column. Histories of changes are not read: their header has no company's name.

use super::cells::{Header, Record};
use super::fact::{Fact, FactFile, ListColumns};
use super::reason::Reason;
use super::sector_words;

/// What a file name says, and the index it means.
const INDICES: [(&str, &str); 4] =
    [("sp500", "SP500"), ("nasdaq100", "NDX100"), ("ndx100", "NDX100"), ("dow", "DOW30")];

pub(crate) struct UsMembers {
    columns: ListColumns,
}

impl UsMembers {
    pub(crate) fn of(header: &Header, name: &str) -> Option<Self> {
        index_name(name)?;
        let symbol = header.column(&["SYMBOL", "TICKER"]).filter(|column| *column == 0)?;
        let mut columns = ListColumns::new(header, symbol);
        columns.name = Some(header.column(&["NAME", "COMPANY", "SECURITY"])?);
        columns.sector = header.column(&["GICS SECTOR", "GICS_SECTOR", "SECTOR"]);
        columns.industry = header.column(&["GICS SUB-INDUSTRY", "GICS_SUB_INDUSTRY", "INDUSTRY"]);
        columns.cik = header.column(&["CIK"]);
        Some(Self { columns })
    }
}

impl FactFile for UsMembers {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let mut listed = self.columns.listed(record)?;
        listed.sector = listed
            .sector
            .and_then(|sector| sector_words::of_us(&sector, listed.industry.as_deref()).map(str::to_owned));
        Ok(Fact::Member(listed))
    }

    fn fields(&self) -> usize {
        self.columns.fields
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}

/// The index that a file's name says, if it is one that is known.
pub(crate) fn index_name(file: &str) -> Option<&'static str> {
    let file = file.to_lowercase().replace(['-', '_', '&', ' '], "");
    INDICES.iter().find(|(word, _)| file.contains(word)).map(|(_, index)| *index)
}
