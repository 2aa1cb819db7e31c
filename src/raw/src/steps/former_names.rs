//! The former symbols and names of companies, as rows of their table.

use std::collections::{BTreeMap, HashSet};

use chrono::NaiveDate;

use crate::domain::company::Company;
use crate::domain::former_name::FormerName;
use crate::records::columns::NamedColumns;
use crate::records::table_row::TableRecord;
use crate::symbols::SymbolChanges;

/// Returns the former symbols and names of companies up to the last session, each once, with the latest day on which it was replaced.
pub(crate) fn former_names(
    names: Vec<FormerName>,
    symbols: &SymbolChanges,
    companies: &[Company],
    last: NaiveDate,
) -> Vec<FormerName> {
    let of_symbols = symbols.changes.values().flatten().filter_map(|change| {
        let symbol = symbols.current(&change.old, change.date.pred_opt()?)?.to_owned();
        Some(FormerName { symbol, name: change.old.clone(), until: change.date })
    });
    let has_bars: HashSet<&str> = companies.iter().map(|company| company.symbol.as_str()).collect();
    let mut by_name: BTreeMap<(String, String), NaiveDate> = BTreeMap::new();
    for FormerName { symbol, name, until } in names.into_iter().chain(of_symbols) {
        if until <= last && !name.is_empty() && name != symbol && has_bars.contains(symbol.as_str()) {
            let replaced_on = by_name.entry((symbol, name)).or_insert(until);
            *replaced_on = until.max(*replaced_on);
        }
    }
    by_name.into_iter().map(|((symbol, name), until)| FormerName { symbol, name, until }).collect()
}

impl TableRecord for FormerName {
    const TABLE: &'static str = "former_names";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::for_rows(rows)
            .text("symbol", |former| Some(&former.symbol))
            .text("former_name", |former| Some(&former.name))
            .date("until", |former| Some(former.until))
            .finish()
    }
}
