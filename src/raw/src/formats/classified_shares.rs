//! An exchange's classification of the company behind an ISIN, whatever symbol the company has there.

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::formats::listed::is_of_a_share;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;
use crate::sectors::facts::Classification;
use crate::sectors::words;

/// The classification of the company that issued a share.
pub(super) struct ClassifiedShare {
    isin: String,
    of_issuer: Classification,
}

impl PlainRecord<3> for ClassifiedShare {
    const RECORD: &'static str = "classified share";
    const COLUMNS: [&'static str; 3] = ["isin text", "sector text", "industry text?"];

    fn from_cells([isin, sector, industry]: [PlainCell<'_>; 3], file: &FileFacts) -> Result<Self, Reason> {
        let isin = isin.text().filter(|isin| is_of_a_share(isin)).ok_or(Reason::IsinNotIne)?.to_owned();
        // NSE writes the names of sectors without commas.
        let in_words = |word: &str| words::of_market(file.market, &word.replace(',', ""), None);
        let of_issuer =
            Classification { sector: sector.text().and_then(in_words), industry: industry.owned() };
        Ok(Self { isin, of_issuer })
    }
}

impl RawRecord for ClassifiedShare {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        None
    }

    fn keep(self: Box<Self>, _: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.sectors.add_share(&self.isin, self.of_issuer);
    }
}
