//! The id of a document that connectors of ChatGPT search and fetch: a market (`us`), a company (`us:TICKER`), or the texts of a company on
//! a day (`us:TICKER:2026-07-30`).

use std::fmt;

use chrono::NaiveDate;
use percent_encoding::utf8_percent_encode;

use super::super::refused;
use super::arguments::ChatArguments;
use super::tool::{ChatTool, MARKET};
use super::tool_file::ConnectorTool;
use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::{Market, truncate_for_message};
use parquote_engine::Snapshot;
use parquote_picture::sheet::RESERVED;

const ID: &str = "id";
/// Parameters that an id sets.
const SYMBOLS: &str = "symbols";
const DAY: &str = "day";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DocumentId {
    pub market: Market,
    pub symbol: Option<String>,
    /// Day of the texts; `None` for a market or a company.
    pub day: Option<NaiveDate>,
}

impl DocumentId {
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.trim().splitn(3, ':').map(str::trim);
        let market = parts.next()?.to_lowercase().parse().ok()?;
        let symbol = parts.next().filter(|symbol| !symbol.is_empty()).map(str::to_uppercase);
        let day = parts.next().map(str::parse).transpose().ok()?;
        (symbol.is_some() || day.is_none()).then_some(Self { market, symbol, day })
    }

    /// Returns the path of the explorer's page that shows the document.
    pub(super) fn page(&self) -> String {
        let Some(symbol) = &self.symbol else { return format!("/{}", self.market) };
        let calls = if self.day.is_some() { "/calls" } else { "" };
        format!("/{}/company/{}{calls}", self.market, utf8_percent_encode(symbol, RESERVED))
    }

    pub(super) fn title(&self, snapshot: &Snapshot) -> String {
        let market = if self.market == Market::India { "India" } else { "US" };
        let Some(symbol) = &self.symbol else { return format!("Market: {market}") };
        let company = snapshot.companies(self.market, symbol, 1).into_iter().next();
        let name = company.filter(|company| company.symbol == *symbol).and_then(|company| company.name);
        let day = self.day.map_or_else(String::new, |day| format!(", texts of {day}"));
        format!("{} ({symbol}, {market}){day}", name.unwrap_or_else(|| symbol.clone()))
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.market.word())?;
        self.symbol.iter().try_for_each(|symbol| write!(f, ":{symbol}"))?;
        self.day.iter().try_for_each(|day| write!(f, ":{day}"))
    }
}

/// Returns the arguments of a call. In a fetch, the id is converted to the arguments that it means; an error if it is not the id of a
/// document.
pub(super) fn with_document(tool: &ChatTool, arguments: ChatArguments) -> Result<ChatArguments, ClientError> {
    if tool.file.connector != Some(ConnectorTool::Fetch) {
        return Ok(arguments);
    }
    let document = document_of(&arguments)?;
    let arguments = arguments.with(MARKET, document.market.word());
    let arguments =
        document.symbol.iter().fold(arguments, |arguments, symbol| arguments.with(SYMBOLS, symbol.as_str()));
    Ok(document.day.iter().fold(arguments, |arguments, day| arguments.with(DAY, day.to_string())))
}

/// Returns the document of a fetch; an error if the id is not that of a document.
pub(super) fn document_of(arguments: &ChatArguments) -> Result<DocumentId, ClientError> {
    let text = arguments.value(ID).unwrap_or_default();
    DocumentId::read(text).ok_or_else(|| {
        let message = format!(
            "`{ID}`: `{}` is not the id of a document; take one from the results of search",
            truncate_for_message(text)
        );
        refused::invalid_argument(ID, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_market_a_company_or_a_day() {
        for (text, page) in [
            ("us", "/us"),
            ("india:M&M", "/india/company/M%26M"),
            ("india:M&M:2026-07-30", "/india/company/M%26M/calls"),
        ] {
            let document = DocumentId::read(text).unwrap();
            assert_eq!((document.to_string(), document.page()), (text.to_owned(), page.to_owned()));
        }
        assert_eq!(DocumentId::read(" US:abc ").unwrap().to_string(), "us:ABC");
        for text in ["", "moon", "POZOHIELEC", "us:ABC:yesterday"] {
            assert_eq!(DocumentId::read(text), None, "{text}");
        }
    }
}
