//! One cleaned market: the result of reading raw files.

use std::collections::BTreeMap;

use crate::domain::action::Action;
use crate::domain::bar::{StockSpan, SymbolBars};
use crate::domain::company::Company;
use crate::domain::jump::Jump;
use crate::domain::member::Member;
use crate::domain::missing_sessions::MissingSessions;
use crate::domain::session::Session;
use crate::records::tables::RecordTables;
use crate::report::Report;
use crate::spool::SpooledValue;
use crate::statements::settle::Statements;
use crate::user_tables::cell::UserRow;
use parquote_catalogue::operation::Market;

/// One cleaned market: sessions, bars by symbol, and other tables.
#[derive(Debug)]
pub struct RawMarket {
    /// The market.
    pub market: Market,
    /// Sessions, ascending; the position of a session is its number.
    pub sessions: Vec<Session>,
    /// The sessions that the files lack between those that they have.
    pub missing: Vec<MissingSessions>,
    /// Common stocks, by symbol.
    pub stocks: Vec<StockSpan>,
    /// The bars of each of `stocks`.
    pub bars: Vec<SpooledValue<SymbolBars>>,
    /// Indices, and index funds that serve as a benchmark.
    pub indices: Vec<SymbolBars>,
    /// One company for each of `stocks`, in their order; without any price file, one for each company that files.
    pub companies: Vec<Company>,
    /// Members, ascending by index, date of the list and symbol.
    pub members: Vec<Member>,
    /// Actions, ascending by symbol and ex-date.
    pub actions: Vec<Action>,
    /// Moves that no action explains, each of which starts a price segment: by symbol and date, indices last.
    pub jumps: Vec<Jump>,
    /// Statements, ascending by symbol, statement and period; `None` if no file has any.
    pub statements: Option<Statements>,
    /// The tables whose rows are the records of a format, in the order of their key.
    pub tables: RecordTables,
    /// User-supplied rows by table, in the order of the table.
    pub user_rows: BTreeMap<String, Vec<UserRow>>,
    /// Accounts of all rows, and exceptions to rules.
    pub report: Report,
}

impl RawMarket {
    /// Returns the stocks with their bars, and the report. Everything else is freed: it has been written as tables, and would occupy memory
    /// during derivation.
    pub fn into_bars(self) -> (Vec<(StockSpan, SpooledValue<SymbolBars>)>, Report) {
        (self.stocks.into_iter().zip(self.bars).collect(), self.report)
    }
}
