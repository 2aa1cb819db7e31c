//! Operations and tables: the header grammar, parameters, arguments and the rules of the catalogue. It has no I/O, no async code and no
//! DataFusion, and knows neither SQL execution nor callers.
//!
//! Reading order: the words ([`Market`], [`Tier`], [`Unit`]), the grammar ([`header`]), the declarations ([`Param`], [`Operation`],
//! [`Table`]), all of them together ([`Catalogue`]), and the input of a call ([`Arguments`], [`Presentation`]).

mod answer_format;
mod arguments;
mod catalogue;
mod check_file;
mod chosen_select;
mod column;
mod condition;
mod declared_picture;
mod drawing_choice;
mod embedded;
mod explanation_file;
mod fact_words;
mod header;
mod likeness;
pub mod line_item;
mod market;
mod missing_lines;
mod operation_file;
mod operation_formats;
mod operation_reader;
mod param;
mod param_length;
mod param_pattern;
mod param_line;
mod param_schema;
mod param_value;
pub mod period;
mod placeholders;
mod presentation;
mod sessions_behind;
mod trading_days;
mod staleness;
mod filling;
mod record_file;
mod staged_table;
mod table_file;
mod table_search;
mod tier;
mod toml_text;
mod unit;
mod value;
mod variants;
mod violation;
mod wrap;

pub use answer_format::AnswerFormat;
pub use arguments::Arguments;
pub use catalogue::{Catalogue, CatalogueError};
pub use check_file::{Check, Severity};
pub use column::{Column, ColumnType, Dictionary, DictionaryEntry};
pub use condition::Condition;
pub use declared_picture::DeclaredPicture;
pub use drawing_choice::{DrawingChoice, DrawingSize, DrawingTheme};
pub use embedded::{built_in, declarations_with, embedded_files, is_embedded};
pub use explanation_file::{Explanation, ExplanationKind};
pub use fact_words::{Answer, Effect, ExplorerPage, ShortForm};
pub use filling::Filling;
pub use header::DeclarationError;
pub use likeness::{
    LONGEST_COMPARED, Likeness, bracketed_hint, hint, misspelt, nearest, truncate_for_message,
};
pub use market::Market;
pub use missing_lines::{MissingLine, missing_lines, with_lines};
pub use operation_file::{Operation, Select};
pub use param::{Lookup, Param, ValueLimits};
pub use param_schema::{argument_text, json_number};
pub use placeholders::{placeholders, with_literals};
pub use presentation::{Offer, Presentation, WantedRows};
pub use record_file::RecordDeclaration;
pub use sessions_behind::{close_of, is_session, sessions_behind};
pub use staged_table::{CellKind, CompletionRule, Duplicates, StagedColumn, StagedTable};
pub use staleness::is_stale;
pub use table_file::{PartitionBy, Table, TableOrigin, USER_SUPPLIED};
pub use table_search::{tables_about, tables_near};
pub use tier::{Access, Quota, Tier};
pub use toml_text::{line_of, read_declarations, read_toml, toml_date};
pub use trading_days::TradingDays;
pub use unit::Unit;
pub use value::{ParamType, Value};
pub use violation::Violation;
pub use wrap::{WrapField, WrapSource};
