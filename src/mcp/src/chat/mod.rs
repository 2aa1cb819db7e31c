//! The tools of `/mcp/chat`: few, each answers a question that people ask, of both markets. A tool is a file under `queries/chat` that
//! names the operations whose answers are its parts; a new one needs no code.
//!
//! All parts of a call are answered from one snapshot, and the call is metered once. Answers are short: columns once, what is the same in
//! all rows once, and what is left out with the argument that gets it. This module has no rules about keys, and no SQL.
//!
//! Reading order: a declaration (`tool_file`, `tool`), all of them as they are listed (`tools`), what a caller asks (`asked`, `markets`),
//! the answer of a part (`table`, `own_parts`), the whole answer (`answer`), the call that makes it (`calling`), and rows as
//! files (`export`).

mod tool_file;
mod tool;
mod tools;

mod asked;
mod markets;

mod own_parts;
mod table;

mod answer;
mod calling;
mod export;

pub use tools::ChatTools;
