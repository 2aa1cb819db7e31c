//! Checks of a call's arguments against the snapshot that will answer it: fields, dates, spellings, symbols. It runs nothing.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::hints::Hints;
use super::pictures;
use super::renamed::SymbolRenames;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{
    AnswerFormat, Arguments, Lookup, Market, Operation, Param, Presentation, Tier, Value,
    truncate_for_message,
};
use parquote_engine::{FREE_SYMBOLS, PreparedCall, PreparedOperation, Snapshot, Spelling};

/// Longest list of values that an error contains completely.
const MOST_LISTED_VALUES: usize = 60;

/// A call whose arguments have the right types, but are not checked against a snapshot.
pub(super) struct UncheckedCall<'a> {
    pub snapshot: &'a Snapshot,
    /// The snapshot that is served now; a call on a past day may name its symbols.
    pub served: &'a Snapshot,
    pub hints: Hints<'a>,
    pub operation: Arc<PreparedOperation>,
    pub arguments: Arguments,
    pub presentation: Presentation,
}

impl UncheckedCall<'_> {
    /// Checks the call; the error is the first violation. Returns the call admitted at this moment, with its arguments spelt as in the
    /// snapshot's tables, and the former symbols.
    pub(super) fn check(
        mut self,
        tier: Tier,
        now: DateTime<Utc>,
    ) -> Result<(PreparedCall, SymbolRenames), ClientError> {
        let operation = Arc::clone(self.operation.operation());
        let renamed = self.rename_symbols(&operation);
        pictures::refuse_unbuilt(self.presentation.format())?;
        self.check_fields()?;
        self.check_part(&operation)?;
        self.check_dates(&operation)?;
        self.check_free_symbol(&operation, tier)?;
        self.correct_spellings(&operation)?;
        self.check_symbols(&operation)?;
        let is_picture = self.presentation.format().is_picture();
        let call = PreparedCall::new(self.operation, self.arguments, self.presentation, now);
        if is_picture && !call.has_picture() {
            return Err(pictures::no_picture_error(&operation));
        }
        Ok((call, renamed))
    }

    /// Builds the call only for its entity tag in another set; an error for a symbol that a free key may not request. Values are spelt as
    /// in this snapshot if it has them, else as written: a caller that has the tag was answered before.
    pub(super) fn without_lookup(
        mut self,
        tier: Tier,
        now: DateTime<Utc>,
    ) -> Result<PreparedCall, ClientError> {
        let operation = Arc::clone(self.operation.operation());
        let _ = self.rename_symbols(&operation);
        self.check_free_symbol(&operation, tier)?;
        let _ = self.correct_spellings(&operation);
        Ok(PreparedCall::new(self.operation, self.arguments, self.presentation, now))
    }

    fn market(&self) -> Market {
        self.operation.market()
    }

    /// Replaces former and later symbols by the symbols of the snapshot, and removes the duplicates that result in a list.
    fn rename_symbols(&mut self, operation: &Operation) -> SymbolRenames {
        let mut renamed = SymbolRenames::default();
        let (snapshots, market) = ([self.snapshot, self.served], self.market());
        for (position, param) in operation.params.iter().enumerate() {
            let value = self.arguments.values().get(position).and_then(Option::as_ref);
            let replaced = match value {
                Some(Value::Text(requested)) if param.is_symbol() => {
                    Value::Text(renamed.symbol_in(snapshots, market, requested))
                }
                Some(Value::List(requested)) if param.is_symbols() => {
                    let mut seen = HashSet::new();
                    let current =
                        requested.iter().map(|requested| renamed.symbol_in(snapshots, market, requested));
                    Value::List(current.filter(|symbol| seen.insert(symbol.clone())).collect())
                }
                _ => continue,
            };
            self.arguments.spell(position, replaced);
        }
        renamed
    }

    /// Refuses unknown fields, and lists the known ones.
    fn check_fields(&self) -> Result<(), ClientError> {
        if self.presentation.fields().is_empty() {
            return Ok(());
        }
        let columns = self.operation.columns_for(&self.arguments);
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        self.presentation.check(&names).map_err(|message| ClientError::new(ErrorKind::BadRequest, message))
    }

    /// Refuses CSV of an object if no list of it is named, and the name of a list in other formats.
    fn check_part(&self, operation: &Operation) -> Result<(), ClientError> {
        let is_named = self.arguments.get(operation, Operation::PART).is_some();
        if operation.has_workbook && is_named != (self.presentation.format() == AnswerFormat::Csv) {
            let message = "`part` names the list that `format=csv` writes; give both or neither";
            return Err(ClientError::new(ErrorKind::BadRequest, message));
        }
        Ok(())
    }

    /// Refuses a date outside the data, with its range; `from` and `to` are refused only if they are in the wrong order.
    fn check_dates(&self, operation: &Operation) -> Result<(), ClientError> {
        let refuse = |message| Err(ClientError::new(ErrorKind::BadRequest, message));
        let date = |name: &str| match self.arguments.get(operation, name) {
            Some(Value::Date(date)) => Some(*date),
            _ => None,
        };
        if let (Some(from), Some(to)) = (date("from"), date("to"))
            && from > to
        {
            return refuse(format!("`from`: {from} is after `to`, {to}"));
        }
        let (Some(first), Some(last)) =
            (self.snapshot.first_session(self.market()), self.snapshot.as_of(self.market()))
        else {
            return Ok(());
        };
        for (param, date) in self.arguments.dates(operation) {
            let is_bound = matches!(param.name.as_str(), "from" | "to");
            if !is_bound && !(first..=last).contains(&date) {
                return refuse(format!(
                    "`{}`: {date} is outside the data; allowed is {first} to {last}",
                    param.name
                ));
            }
        }
        Ok(())
    }

    /// Limits a free key to the symbols of its list. If the snapshot lacks the list, every symbol is refused: a missing table must not
    /// widen access.
    fn check_free_symbol(&self, operation: &Operation, tier: Tier) -> Result<(), ClientError> {
        let (true, Tier::Free, Some(symbol)) =
            (operation.free_symbols, tier, self.arguments.symbol(operation))
        else {
            return Ok(());
        };
        match self.snapshot.spelling(self.market(), FREE_SYMBOLS, symbol) {
            Spelling::Known(spelling) if spelling == symbol => Ok(()),
            Spelling::Unchecked => {
                let tables = vec![format!("{}.{FREE_SYMBOLS}", self.market())];
                Err(self.snapshot.missing_tables_error(self.market(), tables).into())
            }
            Spelling::Known(_) | Spelling::Unknown => {
                let message = format!(
                    "`{}` is not among the symbols of a {} key, which are {}; other symbols need the tier {} or higher",
                    truncate_for_message(symbol),
                    Tier::Free,
                    self.snapshot.values(self.market(), FREE_SYMBOLS).join(", "),
                    Tier::PremiumWeb
                );
                Err(ClientError::new(ErrorKind::Forbidden, message))
            }
        }
    }

    /// Spells values as in their tables; unknown ones are refused, with the known ones.
    fn correct_spellings(&mut self, operation: &Operation) -> Result<(), ClientError> {
        for (position, param) in operation.params.iter().enumerate() {
            let (Some(lookup), Some(requested)) = (&param.lookup, self.arguments.get(operation, &param.name))
            else {
                continue;
            };
            let spelt = match requested {
                Value::Text(text) => Value::Text(self.spelling_in_table(operation, param, lookup, text)?),
                Value::List(items) => {
                    let items =
                        items.iter().map(|item| self.spelling_in_table(operation, param, lookup, item));
                    Value::List(items.collect::<Result<_, _>>()?)
                }
                _ => continue,
            };
            self.arguments.spell(position, spelt);
        }
        Ok(())
    }

    /// Returns a value as the table of its parameter spells it.
    fn spelling_in_table(
        &self,
        operation: &Operation,
        param: &Param,
        lookup: &Lookup,
        requested: &str,
    ) -> Result<String, ClientError> {
        match self.snapshot.spelling(self.market(), &lookup.table, requested) {
            Spelling::Unchecked => Ok(requested.to_owned()),
            Spelling::Known(spelling) => Ok(spelling),
            Spelling::Unknown => {
                // A list of sectors or codes is complete, a list of all stocks is not.
                let (known, count) =
                    self.snapshot.values_with_prefix(self.market(), &lookup.table, "", MOST_LISTED_VALUES);
                let (introduction, named) = if (1..=MOST_LISTED_VALUES).contains(&count) {
                    ("known are", known)
                } else {
                    ("near it are", self.snapshot.nearest(self.market(), &lookup.table, requested))
                };
                let hint = if named.is_empty() {
                    String::new()
                } else {
                    format!("; {introduction} {}", named.join(", "))
                };
                let other =
                    self.hints.other_param_hint(operation, self.snapshot, self.market(), param, requested);
                let other = other.unwrap_or_default();
                let kind = if lookup.names_item { ErrorKind::NotFound } else { ErrorKind::BadRequest };
                let message = format!(
                    "`{}`: there is no `{}` in this market{other}{hint}",
                    param.name,
                    truncate_for_message(requested)
                );
                Err(ClientError::new(kind, message))
            }
        }
    }

    /// Refuses symbols that the market does not have, with the nearest ones.
    fn check_symbols(&self, operation: &Operation) -> Result<(), ClientError> {
        let one = self.arguments.symbol(operation).into_iter();
        let several = self.arguments.symbols(operation).unwrap_or_default();
        one.chain(several.iter().map(String::as_str))
            .try_for_each(|symbol| self.check_symbol(operation, symbol))
    }

    fn check_symbol(&self, operation: &Operation, symbol: &str) -> Result<(), ClientError> {
        if self.snapshot.has_symbol(self.market(), symbol) != Some(false) {
            return Ok(());
        }
        let others = Market::ALL.into_iter().filter(|market| *market != self.market());
        let other = others.into_iter().find(|market| self.snapshot.has_symbol(*market, symbol) == Some(true));
        let hint = if let Some(other) = other {
            self.hints.other_market_hint(operation, other)
        } else {
            let near = self.snapshot.likely_symbols(self.market(), symbol);
            let near =
                if near.is_empty() { String::new() } else { format!("; near it are {}", near.join(", ")) };
            near + &self.hints.search(self.market())
        };
        let message = format!("`{}` is not a symbol of this market{hint}", truncate_for_message(symbol));
        Err(ClientError::new(ErrorKind::NotFound, message))
    }
}
