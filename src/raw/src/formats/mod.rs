//! The list of all formats, declared or in code.
//!
//! A plain format is a file of `queries/raw` and needs no line here: formats that the list does not name are tried last. A format that
//! needs code is a file here and a line in the list. Nothing else names a format.

use std::sync::LazyLock;

use crate::declared::format::DeclaredFormat;
use crate::formats::declared_records::DeclaredRecords;
use crate::records::raw_format::{Layout, ListedFormat, RawFormat};
use crate::user_tables::file::UserTables;
use parquote_catalogue::operation::DeclarationError;
use parquote_encodings::rows::RowEncoding;
use parquote_encodings::text::file_head::FileHead;

// Lists of securities.
mod listed;

// Events and index prices.
mod index_bar;
pub(crate) mod events;

// SEC filings.
pub(crate) mod filings;
pub(crate) mod insider_forms;
pub(crate) mod insider_tables;
pub(crate) mod positions;
pub(crate) mod investors;
pub(crate) mod fund_holdings;
pub(crate) mod followed_reports;

// All records, and the formats that declare them.
mod records;
mod declared_records;
mod symbol_changes;

// Statements in every layout.
mod statement_lines;
mod data_set_filings;
mod tagged_figures;

// Tables that users supply.
pub(crate) mod user_supplied;

/// A format, by where it is defined.
enum FormatDefinition {
    /// The path of a declaration below `queries/raw`, without its extension.
    Declared(&'static str),
    /// A format in Rust.
    Coded(&'static dyn RawFormat),
}

use FormatDefinition::{Coded, Declared};

/// All formats of the program. Of two formats that recognise a file, the earlier is used. Of two price files with the same symbol and day,
/// the file of the earlier format is used.
static LIST: &[FormatDefinition] = &[
    Declared("india/full_bhavcopy"),
    Declared("india/udiff_bhavcopy"),
    Declared("india/old_bhavcopy"),
    Declared("us/prices"),
    Declared("us/massive_days"),
    Declared("india/listed_companies"),
    Declared("india/index_members"),
    Declared("india/issue_sizes"),
    Declared("india/funds"),
    Declared("india/funds_of_a_day"),
    Coded(&symbol_changes::SYMBOL_CHANGES),
    Declared("india/name_changes"),
    Declared("india/price_bands"),
    Declared("india/index_prices"),
    Declared("india/index_closes"),
    Declared("india/deals"),
    Declared("india/insider_disclosures"),
    Declared("india/shareholding"),
    Declared("india/corporate_events"),
    Declared("us/listings"),
    Declared("us/symbol_directories"),
    Declared("us/index_members"),
    Declared("us/filings"),
    Declared("us/filing_indexes"),
    Declared("us/insider_forms"),
    Declared("us/insider_transactions"),
    Declared("us/insider_owners"),
    Declared("us/insider_submissions"),
    Declared("us/positions"),
    Declared("us/position_covers"),
    Declared("us/position_cover_pages"),
    Declared("us/position_totals"),
    Declared("us/position_lines"),
    Declared("us/investors"),
    Declared("us/fund_holdings"),
    Declared("us/cusips"),
    Declared("us/ciks"),
    Coded(&statement_lines::STATEMENT_LINES),
    Coded(&data_set_filings::DATA_SET_FILINGS),
    Coded(&tagged_figures::DATA_SET_FIGURES),
    Coded(&tagged_figures::COMPANY_FACTS),
    Coded(&tagged_figures::RESULTS),
    Coded(&tagged_figures::WORKBOOKS),
    Declared("results_extract"),
    Declared("corporate_actions"),
    Declared("own_sectors"),
    Declared("india/classified_shares"),
];

/// All formats in the order of the list, then those that it does not name.
static FORMATS: LazyLock<Result<Vec<&'static dyn RawFormat>, DeclarationError>> = LazyLock::new(build_list);

fn build_list() -> Result<Vec<&'static dyn RawFormat>, DeclarationError> {
    let mut declared = Vec::new();
    for format in DeclaredFormat::embedded()? {
        // The list is built once, so that the leak is bounded.
        let format = DeclaredRecords::from_format(format)?;
        declared.extend(format.map(|format| &*Box::leak(Box::new(format))));
    }
    let mut formats: Vec<&'static dyn RawFormat> = Vec::new();
    for listed in LIST {
        match listed {
            Coded(format) => formats.push(*format),
            Declared(name) => {
                let found = declared.iter().position(|format| format.name() == *name);
                formats.extend(found.map(|at| declared.remove(at) as &dyn RawFormat));
            }
        }
    }
    formats.extend(declared.into_iter().map(|format| format as &dyn RawFormat));
    Ok(formats)
}

/// Returns all formats.
///
/// # Errors
/// A built-in declaration has a mistake.
pub(crate) fn all() -> Result<&'static [&'static dyn RawFormat], DeclarationError> {
    FORMATS.as_deref().map_err(Clone::clone)
}

/// Returns the labels of a market's formats.
pub fn labels(market: parquote_catalogue::operation::Market) -> Vec<&'static str> {
    let formats = all().unwrap_or_default().iter().filter(|format| format.is_for(market));
    formats.map(|format| format.label()).collect()
}

/// Recognises the format of a file among those of its market, and returns it with the layout.
pub(crate) fn recognise(
    head: &FileHead<'_>,
    encoding: RowEncoding,
    tables: &UserTables,
) -> Option<(ListedFormat, Layout)> {
    // With a mistake in a declaration, no file is opened.
    let formats = all().unwrap_or_default();
    let of_market = formats.iter().enumerate().filter(|(_, format)| format.is_for(head.market));
    let mut recognised = of_market.filter_map(|(position, format)| {
        let layout = match format.table_declaration() {
            Some(file) => tables.open_declared(head, encoding, Some(file)).map(Layout::UserTable),
            None => format.recognise(head),
        };
        Some((ListedFormat { position, format: *format }, layout?))
    });
    recognised.next()
}

/// Returns the columns that a file of no format lacks to be of the most similar one, in words.
pub(crate) fn most_similar(head: &FileHead<'_>) -> Option<String> {
    let of_market = all().unwrap_or_default().iter().filter(|format| format.is_for(head.market));
    let similar = of_market.filter_map(|format| format.similarity(head.header));
    similar.max_by_key(|(similarity, _)| *similarity).map(|(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared::plain_row::{DeclaredFile, FileFacts, PlainColumn};
    use crate::records::record_type::RecordFile;
    use parquote_catalogue::operation::{Market, RecordDeclaration, embedded_files};

    #[test]
    fn declarations_have_no_mistake_and_the_list_names_files_that_are_there() {
        let formats = all().map_err(|mistake| mistake.to_string()).unwrap();
        let files: Vec<String> = DeclaredFormat::embedded().unwrap().into_iter().map(|it| it.file).collect();
        for listed in LIST {
            if let Declared(name) = listed {
                assert!(files.contains(&format!("raw/{name}.toml")), "{name} is not declared");
            }
        }
        assert!(formats.len() >= LIST.len());
    }

    #[test]
    fn a_record_that_is_not_known_is_told() {
        let text = "label = 'x'\nrecord = 'price'\n[columns]\nsymbol = 'A'";
        let format = DeclaredFormat::parse("raw/x.toml", text).unwrap();
        let mistake = DeclaredRecords::from_format(format).map(drop).unwrap_err().to_string();
        assert!(
            mistake.starts_with("raw/x.toml:2: there is no record `price`; there are prices, listed company"),
            "{mistake}"
        );
    }

    #[test]
    fn every_record_is_declared_and_its_select_can_be_planned() {
        let declared =
            embedded_files().iter().filter(|(path, _)| path.starts_with(RecordDeclaration::FOLDER));
        assert_eq!(declared.count(), records::all().len());
        for record in records::all() {
            for market in Market::ALL {
                let facts = FileFacts { market, word: None, date: None };
                let read = record.declaration().unwrap().staging.columns.len();
                let columns = vec![PlainColumn::at(None); read];
                let file = DeclaredFile { fields: 0, columns, facts, restates: false };
                let read = RecordFile::new(record, file).records(&[]).map(drop);
                assert_eq!(read, Ok(()));
            }
        }
    }
}
