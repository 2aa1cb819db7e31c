//! Companies that an exchange lists.
//!
//! Lists of other instruments (trusts, close-ended funds) have the same header as those of companies. Their rows are refused one by one: by
//! their series, or by an ISIN that is not one of an Indian share. Sectors are mapped to those of the market.

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::records::listed::{ListedCompany, is_common_series, listed_symbol};
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::reference_data::ReferenceData;
use crate::sectors::words;
use parquote_catalogue::operation::Market;

/// Returns true if an ISIN is one of shares: of a company (`INE`, or `IN9` for partly paid and differential ones), not of a fund, and not
/// of the kinds of security that trusts (`23`, `25`) issue under a company's ISIN.
pub(super) fn is_of_a_share(isin: &str) -> bool {
    let of_company = isin.starts_with("INE") || isin.starts_with("IN9");
    of_company && !matches!(isin.get(7..9), Some("23" | "25"))
}

impl PlainRecord<10> for ListedCompany {
    const RECORD: &'static str = "listed company";
    const COLUMNS: [&'static str; 10] = [
        "symbol text",
        "name text?",
        "sector text?",
        "industry text?",
        "isin text?",
        "exchange text?",
        "series text?",
        "since date?",
        "market_cap number?",
        "price number?",
    ];

    fn from_cells(cells: [PlainCell<'_>; 10], file: &FileFacts) -> Result<Self, Reason> {
        let [symbol, name, sector, industry, isin, exchange, series, since, market_cap, price] = cells;
        let symbol = listed_symbol(symbol)?;
        if series.is_there() && !series.text().is_some_and(is_common_series) {
            return Err(Reason::NotCommonSeries);
        }
        let has_isin = isin.is_there() && file.market == Market::India;
        if has_isin && !isin.text().is_some_and(is_of_a_share) {
            return Err(Reason::IsinNotIne);
        }
        let in_words = |word: &str| {
            words::of_market(file.market, word, industry.text()).unwrap_or_else(|| word.to_owned())
        };
        let money = |cell: PlainCell<'_>| match cell.bytes() {
            b"" => Ok(None),
            _ => Ok(Some(cell.money().ok_or(Reason::BadNumber)?).filter(|money| *money > 0.0)),
        };
        Ok(Self {
            symbol,
            name: name.owned(),
            sector: sector.text().map(in_words),
            industry: industry.owned(),
            isin: isin.owned(),
            // Without the column, the exchange is taken from the file's name.
            exchange: exchange.owned().or_else(|| file.owned_word()),
            since: if since.is_there() { Some(since.date().ok_or(Reason::BadDate)?) } else { None },
            market_cap: money(market_cap)?,
            price: money(price)?,
            series: series.owned(),
            cik: None,
        })
    }
}

impl RawRecord for ListedCompany {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.add_listed(*self, at.path);
    }
}
