//! Converts files that are one document to rows, so that the readers of rows can process them.

// Rows, lines, and JSON and XML in memory.
mod put_rows;
mod separated_lines;
mod json;
mod xml;

// The text file around the documents of an EDGAR submission.
mod submission_text;

// Statements: company facts, data sets, results, workbooks.
pub mod statement_tags;
pub mod statement_columns;
mod company_facts;
mod data_set;
#[cfg(feature = "xlsx")]
mod data_sheet;
#[cfg(not(feature = "xlsx"))]
#[path = "no_data_sheet.rs"]
mod data_sheet;
mod results;

// Filings, holdings and lists.
mod edgar_index;
mod form13f;
mod fund_holdings;
mod ownership;
mod shareholding;
mod submissions;
mod symbol_directory;
mod tickers;

// Running text: press releases, transcripts, announcements.
mod paragraphs;
mod html_text;
mod pdf;
mod stated_facts;
mod filed_text;

// Recognition of a file's document kind.
pub(crate) mod document;
