//! Terms of the possible sources of an answer: an operation's tables are traced to the raw files that fill them and to their owners. This
//! follows from declarations and is computed once; it does not depend on the files that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::Service;
use parquote_catalogue::operation::{Catalogue, Filling, Market, Operation};
use parquote_engine::{Coverage, EngineError};
use parquote_fetch::{PassOnPermission, SourceCatalogue};

/// Terms of the data of one owner.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnerTerms {
    /// Name of the owner.
    pub name: String,
    /// Page of the terms, or the origin of the files if no terms are known.
    pub page: String,
    /// Permission to pass the data on to others.
    pub pass_on: PassOnPermission,
}

/// Terms of the data that one operation reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationTerms {
    /// Terms by the name of the owner.
    pub owners: Vec<OwnerTerms>,
    /// The same terms in one line of ASCII; empty if there are none.
    pub header_line: Arc<str>,
}

/// Terms of the data that each operation reads and each source table contains.
#[derive(Debug, Clone, Default)]
pub struct SourceTerms {
    operations: BTreeMap<String, OperationTerms>,
    tables: BTreeMap<(Market, String), BTreeSet<OwnerTerms>>,
}

impl SourceTerms {
    /// Traces all operations to the owners of their data.
    ///
    /// # Errors
    /// SQL that does not parse.
    pub fn from_catalogue(catalogue: &Catalogue, sources: &SourceCatalogue) -> Result<Self, EngineError> {
        let mut tables = BTreeMap::new();
        let mut owners: BTreeMap<&str, BTreeSet<OwnerTerms>> = BTreeMap::new();
        for market in Market::ALL {
            let coverage = Coverage::new(catalogue, market);
            for table in catalogue.tables_in(market).filter(|table| !table.filled_by.is_empty()) {
                let files = table.filled_by.iter().filter(|files| files.is_in(market));
                let terms = files.flat_map(|files| owners_of(files, sources)).collect();
                tables.insert((market, table.name.clone()), terms);
            }
            for operation in catalogue.operations().iter().filter(|operation| operation.serves(market)) {
                let needs = coverage.needs(operation)?;
                let read_tables = needs.needed.into_iter().chain(needs.useful);
                let terms = read_tables.filter_map(|table| tables.get(&(market, table))).flatten().cloned();
                owners.entry(&operation.name).or_default().extend(terms);
            }
        }
        let named = |(name, owners): (&str, BTreeSet<OwnerTerms>)| {
            let owners: Vec<OwnerTerms> = owners.into_iter().collect();
            let line = owners.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            (name.to_owned(), OperationTerms { owners, header_line: line.into() })
        };
        Ok(Self { operations: owners.into_iter().map(named).collect(), tables })
    }

    /// Returns the terms of the data that an operation reads; `None` if none of its tables is filled by official files.
    pub fn terms_of_operation(&self, operation: &str) -> Option<&OperationTerms> {
        self.operations.get(operation).filter(|terms| !terms.owners.is_empty())
    }

    /// Returns the owners whose data in a market's tables may not be passed on with this lag in days, each with the tables.
    pub fn forbidden<'a>(
        &self,
        market: Market,
        tables: impl IntoIterator<Item = &'a str>,
        days: Option<u16>,
    ) -> BTreeMap<&OwnerTerms, Vec<&'a str>> {
        let mut forbidden: BTreeMap<&OwnerTerms, Vec<&str>> = BTreeMap::new();
        for table in tables {
            let owners = self.tables.get(&(market, table.to_owned())).into_iter().flatten();
            for owner in owners.filter(|owner| !owner.pass_on.allows(days)) {
                forbidden.entry(owner).or_default().push(table);
            }
        }
        forbidden
    }
}

impl Service {
    /// Returns the service with the terms of its sources.
    #[must_use]
    pub fn with_source_terms(self, terms: Arc<SourceTerms>) -> Self {
        Self { terms, ..self }
    }

    /// Returns the terms of the possible sources of an operation.
    pub fn terms_of_sources(&self, operation: &Operation) -> Option<&OperationTerms> {
        self.terms.terms_of_operation(&operation.name)
    }
}

/// Returns the owners of raw files: of the sources that fetch them, and of the page from which a person downloads them.
fn owners_of(files: &Filling, sources: &SourceCatalogue) -> Vec<OwnerTerms> {
    let fetched = files.sources.iter().filter_map(|name| {
        let source = sources.source(name).ok()?;
        let group = sources.group_of(source)?;
        let pass_on = source.pass_on.unwrap_or(group.pass_on);
        Some(OwnerTerms { name: group.who.clone(), page: group.terms.clone(), pass_on })
    });
    let by_hand = files.page.as_ref().map(|page| match sources.group_of_page(page) {
        Some(group) => {
            OwnerTerms { name: group.who.clone(), page: group.terms.clone(), pass_on: group.pass_on }
        }
        None => OwnerTerms {
            name: host_of(page).to_owned(),
            page: page.clone(),
            pass_on: PassOnPermission::Unknown,
        },
    });
    fetched.chain(by_hand).collect()
}

fn host_of(page: &str) -> &str {
    page.trim_start_matches("https://").split('/').next().unwrap_or_default()
}

impl fmt::Display for OwnerTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ascii = |text: &str| text.replace(|c: char| !(' '..='~').contains(&c), "?");
        write!(f, "{} <{}>; pass-on=\"{}\"", ascii(&self.name), ascii(&self.page), self.pass_on)
    }
}
