//! The tools of `/mcp/chat`: few, each of which answers a common question for both markets. A tool is a file under `queries/chat` that
//! names the operations whose answers are its parts; a new one needs no code.
//!
//! All parts of a call are answered from one snapshot, and the call is metered once. Answers are short: column names and values common to
//! all rows are written once, and omitted rows are listed with the argument that gets them. This module has no rules about keys, and no
//! SQL.
//!
//! Reading order: a declaration (`tool_file`, `tool`), the list of tools (`tools`), the arguments (`arguments`, `markets`), the answer of a
//! part (`table`, `built_in_parts`, `not_here`, `report`), the whole answer (`answer`), the call (`calling`, `checks`, `part_answer`), the
//! tools of connectors (`document_id`, `connector`, `document_text`), and rows as files (`export`).

mod tool_file;
mod tool;
mod tools;

mod arguments;
mod markets;

mod built_in_parts;
pub(crate) mod not_here;
mod report;
mod table;

mod answer;
mod calling;
mod checks;
mod part_answer;

mod document_id;
mod connector;
mod document_text;
mod export;

pub use tools::ChatTools;
