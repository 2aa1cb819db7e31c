//! The formats that are known: a file for each, and their one list.
//!
//! A new format is a file here and a line in the list. Nothing else names a format.

use crate::derive::raw::records::raw_format::{FileHead, Layout, ListedFormat, RawFormat};

// Prices.
mod price_format;
mod bhav_full;
mod udiff;
mod bhav_old;
mod us_prices;
mod massive_days;

// What says which securities there are.
mod listed;
mod equity_list;
mod index_list;
mod market_cap;
mod etf_list;
mod symbol_changes;
mod us_listings;
mod symbol_directory;
mod us_members;
mod industry;

// What says what happened.
mod actions;
pub(crate) mod price_bands;
mod index_bar;
mod index_day;
mod index_closes;
pub(crate) mod deals;
pub(crate) mod insider_trades;
pub(crate) mod shareholding;
pub(crate) mod events;

// What is filed with the SEC, and who files.
pub(crate) mod filings;
pub(crate) mod insider_forms;
pub(crate) mod insider_tables;
pub(crate) mod positions;
pub(crate) mod position_pages;
pub(crate) mod followed_reports;
mod position_lines;
pub(crate) mod investors;
mod cusips;
mod ciks;

// Statements in every layout.
mod statement_lines;
mod data_set_filings;
mod tagged_figures;
mod results_extract;

// Tables that users supply.
pub(crate) mod user_supplied;

/// All formats. Where two would recognise a file, the earlier does; of price formats, the earlier wins where two hold the same
/// symbol and day.
pub(crate) static FORMATS: &[&dyn RawFormat] = &[
    &bhav_full::BHAV_FULL,
    &udiff::UDIFF,
    &bhav_old::BHAV_OLD,
    &us_prices::US_PRICES,
    &massive_days::MASSIVE_DAYS,
    &equity_list::LISTED_COMPANIES,
    &index_list::INDEX_MEMBERS,
    &market_cap::ISSUE_SIZES,
    &etf_list::FUND_LIST,
    &etf_list::FUND_DAY,
    &symbol_changes::SYMBOL_CHANGES,
    &price_bands::PRICE_BANDS,
    &index_day::INDEX_PRICES,
    &index_closes::INDEX_CLOSES,
    &deals::DEALS,
    &insider_trades::INSIDER_DISCLOSURES,
    &shareholding::SHAREHOLDING,
    &events::EVENTS,
    &us_listings::US_LISTED,
    &symbol_directory::SYMBOL_DIRECTORIES,
    &us_members::US_INDEX_MEMBERS,
    &filings::FILINGS,
    &insider_forms::INSIDER_FORMS,
    &insider_tables::INSIDER_TABLES,
    &positions::POSITIONS,
    &position_pages::POSITION_PAGES,
    &position_lines::POSITION_LINES,
    &investors::INVESTORS,
    &cusips::CUSIPS,
    &ciks::CIKS,
    &statement_lines::STATEMENT_LINES,
    &data_set_filings::DATA_SET_FILINGS,
    &tagged_figures::DATA_SET_FIGURES,
    &tagged_figures::COMPANY_FACTS,
    &tagged_figures::RESULTS,
    &tagged_figures::WORKBOOKS,
    &results_extract::RESULTS_EXTRACTS,
    &actions::ACTIONS,
    &industry::OWN_SECTORS,
];

/// The format of a file, if it is one that its market reads, and its layout.
pub(crate) fn recognise(head: &FileHead<'_>) -> Option<(ListedFormat, Layout)> {
    let of_market = FORMATS.iter().enumerate().filter(|(_, format)| format.markets().contains(&head.market));
    let mut recognised = of_market.filter_map(|(place, format)| {
        Some((ListedFormat { place, format: *format }, format.recognise(head)?))
    });
    recognised.next()
}
