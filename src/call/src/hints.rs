//! Hints in refusals, in the names of the caller's protocol: paths over REST, tool names for tools. Nothing is refused here.

use parquote_catalogue::operation::{Catalogue, Market, Operation, Param, truncate_for_message};
use parquote_engine::{Snapshot, Spelling};

/// Operation that a hint prefers if several operations take a value.
const SCREENER: &str = "screener";

/// Naming of operations in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperationNaming {
    /// By path, such as `/screener`.
    Rest,
    /// By tool name, such as `screen_stocks`.
    Tools,
}

/// Builds hints that name operations of a catalogue.
#[derive(Clone, Copy)]
pub(super) struct Hints<'a> {
    pub naming: OperationNaming,
    pub catalogue: &'a Catalogue,
}

impl Hints<'_> {
    /// Returns the name of an operation for the caller; `None` if it has none.
    fn name_of(&self, operation: &Operation) -> Option<String> {
        match self.naming {
            OperationNaming::Rest => Some(format!("`/{}`", operation.name)),
            OperationNaming::Tools => operation.tool.as_ref().map(|tool| format!("`{tool}`")),
        }
    }

    /// Returns a hint at the search for a symbol by company name.
    pub(super) fn search(&self, market: Market) -> String {
        let mut of_market = self.catalogue.operations().iter().filter(|operation| operation.market == market);
        let search = of_market.find_map(|operation| Some((operation, operation.search.as_ref()?)));
        let named = search.and_then(|(operation, text)| Some((self.name_of(operation)?, text)));
        named.map_or_else(String::new, |(name, text)| format!("; find it by its name with {name}, `{text}`"))
    }

    /// Returns a hint at the same call for the market that has a symbol.
    pub(super) fn other_market_hint(&self, operation: &Operation, market: Market) -> String {
        let label = match market {
            Market::India => "an Indian",
            Market::Us => "a US",
        };
        let call = if operation.chooses_market() {
            Some(format!("with `market={market}`"))
        } else {
            self.twin_of(operation)
        };
        let call = call.map_or_else(String::new, |call| format!(": call {call}"));
        format!(", but {label} ticker{call}")
    }

    fn twin_of(&self, operation: &Operation) -> Option<String> {
        let name = match operation.name.strip_prefix("us/") {
            Some(name) => name.to_owned(),
            None => format!("us/{}", operation.name),
        };
        let twin = self.catalogue.operation(&name)?;
        let drawn = || twin.has_picture().then(|| format!("`get_chart` with the operation `{name}`"));
        self.name_of(twin).or_else(drawn)
    }

    /// Returns a hint at another parameter that takes the value, such as an industry that is passed as a sector.
    pub(super) fn other_param_hint(
        &self,
        operation: &Operation,
        snapshot: &Snapshot,
        market: Market,
        param: &Param,
        requested: &str,
    ) -> Option<String> {
        let takes = |other: &&Param| {
            let lookup =
                other.lookup.as_ref().filter(|lookup| lookup.column != "symbol" && !lookup.names_item);
            let is_known =
                |table: &str| matches!(snapshot.spelling(market, table, requested), Spelling::Known(_));
            other.name != param.name && lookup.is_some_and(|lookup| is_known(&lookup.table))
        };
        let hint = |other: &Param, target: &str| {
            format!(
                "; `{}` is one of `{}`: give it as `{}`{target}",
                truncate_for_message(requested),
                other.name,
                other.name
            )
        };
        if let Some(other) = operation.params.iter().find(takes) {
            return Some(hint(other, ""));
        }
        let others = self.catalogue.operations().iter().filter(|other| other.serves(market));
        let mut found: Vec<(&Operation, &Param)> =
            others.filter_map(|other| Some((&**other, other.params.iter().find(takes)?))).collect();
        found.sort_by_key(|(other, _)| other.name != SCREENER);
        found
            .into_iter()
            .find_map(|(other, param)| Some(hint(param, &format!(" to {}", self.name_of(other)?))))
    }
}
