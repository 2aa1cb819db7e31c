//! Parses an English sentence into a filter over the fields of a market's screen, and writes the filter back as words.
//!
//! Pure: no I/O, no SQL, no language model. A grammar of common screening phrases reads the sentence; a language model can fill in the same
//! filter through [`schema`] and [`from_model`]. A filter from either source is checked against the fields of the snapshot before it is
//! applied to a row. Of a sentence, only numbers and names of fields, sectors, industries, exchanges and indices get into it.
//!
//! # How a sentence is read
//! - `or` joins the two conditions next to it and binds tighter than `and` and commas. After `or`, a second sector or industry begins an
//!   alternative if a complete condition or an adjective is before it: `banks with ROE above 12 or software with ROE above 25`, `smallcap
//!   pharma or midcap chemicals`.
//! - Sectors and industries in a row are alternatives with any joint between them, as a stock has only one of each. So are indices in a
//!   row, and exchanges. `Nifty 50 banks` has an index and an industry, and a stock must meet both.
//! - Growth is over the span next to it, and over one year if there is none: `sales growth over 5 years above 10`.
//! - A figure with a number and no comparison is a limit on its good side: `20% ROE` is at least 20, `15 PE` at most 15.
//! - `not`, `without` and `excluding` negate only the next condition, or the next sectors, industries, exchanges or indices in a row:
//!   `excluding banks with ROE above 15` excludes all banks and requires the ROE.
//! - `crossed above` holds if the comparison is true at the stock's last bar and was not at the bar before.
//! - `top 5 in each sector` selects the first 5 of each sector among the stocks that meet all other conditions.
//! - A stock that lacks a figure meets neither a condition on the figure nor its negation.
//!
//! Modules in reading order: the words ([`Vocabulary`]), the figures of a snapshot ([`Fields`]), the filter ([`Filter`]), the result
//! ([`Screen`]), then the parser: characters to tokens, tokens to pieces, pieces to conditions, conditions to the filter ([`Grammar`]).

// Words and their meanings: data of `queries/language`.
mod field;
mod word;
mod vocabulary;
mod written_vocabulary;
mod vocabulary_file;
mod fields;

// The filter: its type, its checks and its text.
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
mod changes;
mod compared_figures;
mod crossings;
mod requested_order;
mod sorting;
mod assembly;
mod grammar;

// Formulas over figures.
mod formula;

// The JSON form in which a language model returns a screen.
mod model_form;

pub use check::{CheckError, check};
pub use conditions::phrase_condition;
pub use field::{BETWEEN_NAMES, Field, FieldKind, FieldUnit, FlagSource, GoodSide, TextValues};
pub use fields::{Fields, SnapshotWords};
pub use filter::{ComparisonOperand, Filter, Test};
pub use formula::{Formula, FormulaError};
pub use grammar::Grammar;
pub use model_form::{ModelFormError, from_model, schema};
pub use screen::{Direction, QueryError, Screen, Sort, UnreadWords};
pub use vocabulary::Vocabulary;
pub use wording::filter_words;
