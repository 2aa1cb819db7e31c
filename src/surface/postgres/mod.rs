//! A door for clients of Postgres: `psql`, BI tools and database libraries connect with an API key as their password and ask the tables by
//! SELECT. It reads and changes nothing.
//!
//! A SELECT of tables is a call of the operation `query`, under the same rules as everywhere; this room has none of its own but bounds on
//! messages and connections. Whatever else a client asks - its catalogue, settings, transactions - is answered here so that it gets on.
//!
//! Reading order: `door` (what connections share), `listener`, `places` (bounds), `wire` (messages), `login` (who calls), `session` (one connection), `statement` (what a text is),
//! `answer` (how it is answered), `prepared`, `copied`, `kind` (types), `failure`, and `catalogue`.

mod door;
mod listener;
mod places;
mod wire;
mod login;
mod session;

mod statement;
mod answer;
mod prepared;
mod copied;
mod kind;
mod failure;

mod catalogue;

pub use door::{PostgresDoor, Times};
pub use places::ClientBounds;
