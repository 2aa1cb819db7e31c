//! Operations and tables: the header grammar, params, arguments and the rules of the catalogue. Pure: no I/O, no async, no DataFusion. SQL
//! execution and callers are unknown here.
//!
//! Reading order: the words ([`Market`], [`Tier`], [`Unit`]), the grammar ([`header`]), the declarations ([`Param`], [`Operation`],
//! [`Table`]) and the whole ([`Catalogue`]); last, the input of a call ([`Arguments`], [`Presentation`]).

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
mod header;
mod likeness;
pub mod line_item;
mod market;
mod missing_lines;
mod operation_file;
mod operation_formats;
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
mod staged_table;
mod table_file;
mod tier;
mod toml_text;
mod unit;
mod value;
mod variants;
mod violation;
mod wrap;

pub use arguments::Arguments;
pub use catalogue::{Catalogue, CatalogueError};
pub use check_file::{Check, Severity};
pub use column::{Column, ColumnType, Dictionary, DictionaryEntry};
pub use condition::Condition;
pub use declared_picture::DeclaredPicture;
pub use drawing_choice::{DrawingChoice, DrawingSize, DrawingTheme};
pub use embedded::{declarations_with, embedded_files, is_embedded};
pub use explanation_file::{Explanation, ExplanationKind};
pub use filling::Filling;
pub use header::DeclarationError;
pub use likeness::{LONGEST_COMPARED, Likeness, misspelt, nearest, shown};
pub use market::Market;
pub use missing_lines::{MissingLine, missing_lines, with_lines};
pub use operation_file::{Answer, Effect, Operation, Select};
pub use param::{Lookup, Param, ValueLimits};
pub use param_schema::{argument_text, json_number};
pub use placeholders::{placeholders, with_literals};
pub use presentation::{AnswerFormat, Offer, Presentation};
pub use sessions_behind::{close_of, is_session, sessions_behind};
pub use staged_table::{CellKind, CompletionRule, Duplicates, StagedColumn, StagedTable};
pub use staleness::is_stale;
pub use table_file::{PartitionBy, Table, TableOrigin, USER_SUPPLIED};
pub use tier::{Access, Quota, Tier};
pub use toml_text::{line_of, read_toml, toml_date};
pub use trading_days::TradingDays;
pub use unit::Unit;
pub use value::{ParamType, Value};
pub use violation::Violation;
pub use wrap::{WrapField, WrapSource};
