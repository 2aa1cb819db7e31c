//! Parses an English sentence into a filter over the fields of a market's screen, and writes the filter back as words.
//!
//! Pure: no I/O, no SQL, no language model. A grammar of common screening phrases reads the sentence; a language model can fill
//! in the same filter through [`schema`] and [`from_model`]. A filter from either source is checked against the fields of the
//! snapshot before it is applied to a row. Only numbers and known names of a sentence ever get into it.
//!
//! # How a sentence is read
//! - `or` joins the two conditions beside it and binds tighter than `and` and commas. Where a second sector or industry
//!   follows a complete condition or has an adjective before it, it begins an alternative: `banks with ROE above 12 or
//!   software with ROE above 25`, `smallcap pharma or midcap chemicals`.
//! - Sectors and industries in a row are alternatives whatever stands between them, as a stock has only one of each; so are
//!   indices in a row, and exchanges. `Nifty 50 banks` are of two kinds, and both hold.
//! - Growth is over the span that stands beside it, and over one year without one: `sales growth over 5 years above 10`.
//! - A figure with a number and no comparison is a limit on its good side: `20% ROE` is at least 20, `15 PE` at most 15.
//! - `not`, `without` and `excluding` negate the condition or the row of places behind them, and nothing farther:
//!   `excluding banks with ROE above 15` keeps no bank and asks for the ROE.
//! - `crossed above` holds where the comparison holds now and did not at the stock's bar before.
//! - `top 5 in each sector` keeps the first of each sector among the stocks that meet everything else.
//! - A stock without a figure meets no condition on it, and does not meet the negation either.
//!
//! Reading order: the words ([`Vocabulary`]), the figures that a snapshot has ([`Fields`]), the filter ([`Filter`]), what a sentence becomes ([`Screen`]), then how it is
//! read: characters to tokens, tokens to pieces, pieces to conditions, conditions to the filter ([`Grammar`]).

// The words and what they mean: data of `queries/language`.
mod field;
mod word;
mod vocabulary;
mod vocabulary_file;
mod fields;

// The filter: its form, its rules, its words, and rows that meet it.
mod filter;
mod criteria;
mod check;
mod wording;
mod contradictions;
mod screen;

// The grammar.
mod lexer;
mod lexicon;
mod pieces;
mod spans;
mod quantities;
mod conditions;
mod reader;
mod bounds;
mod phrases;
mod moves;
mod compared_figures;
mod crossings;
mod asked_order;
mod sorting;
mod assembly;
mod grammar;

// What a language model fills in.
mod model_form;

pub use check::{CheckError, check};
pub use conditions::stated_by;
pub use field::{BETWEEN_NAMES, Better, Field, FieldKind, FieldUnit, Reads, TextValues};
pub use fields::{Fields, SnapshotWords};
pub use filter::{Filter, Test, Than};
pub use grammar::Grammar;
pub use model_form::{ModelFormError, from_model, schema};
pub use screen::{Direction, QueryError, Screen, Sort, UnreadWords};
pub use vocabulary::Vocabulary;
pub use wording::words;
