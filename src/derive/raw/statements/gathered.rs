//! All figures of statements that files have, as they come in: companies and sources by number.
//!
//! What is one and the same figure, and which symbol a company has, is decided in [`super::settle`].

use std::collections::HashMap;

use super::super::files::Source;
use super::super::symbol_history::Symbols;
use super::super::us_listings;
use super::row::{ReadLine, StatementRow, Who};
use crate::operation::Market;

/// Figures, and the companies and sources that they name by number.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) rows: Vec<StatementRow>,
    pub(crate) companies: Vec<Who>,
    pub(crate) sources: Vec<String>,
    company_numbers: HashMap<Who, u32>,
    source_numbers: HashMap<String, u32>,
}

impl Gathered {
    /// Whether no file has a figure.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a figure; a source that a file does not name is the kind of file.
    pub(crate) fn add(&mut self, line: ReadLine, at: u32, file: &Source, market: Market) {
        let currency = line.currency.unwrap_or(match market {
            Market::India => *b"INR",
            Market::Us => *b"USD",
        });
        let source = line.source.unwrap_or_else(|| file.format.words().to_owned());
        let source = number_of(source, &mut self.sources, &mut self.source_numbers);
        let who = match line.who {
            Who::Symbol(symbol) if market == Market::Us => Who::Symbol(us_listings::symbol_of(&symbol)),
            who => who,
        };
        self.rows.push(StatementRow {
            company: number_of(who, &mut self.companies, &mut self.company_numbers),
            period_end: line.period_end,
            span: line.span,
            basis: line.basis,
            line: line.line,
            value: line.value,
            currency,
            is_difference: false,
            filed_at: line.filed_at,
            source,
            file: file.rank,
            at,
        });
    }

    /// Puts the symbols that companies have now in the place of those that their rows say.
    pub(crate) fn follow(&mut self, symbols: &Symbols) {
        let Self { rows, companies, company_numbers, .. } = self;
        for row in rows {
            let Some(Who::Symbol(symbol)) = companies.get(row.company as usize) else { continue };
            if let Some(now) = symbols.now(symbol, row.filed_at.unwrap_or(row.period_end)) {
                row.company = number_of(Who::Symbol(now.to_owned()), companies, company_numbers);
            }
        }
    }
}

/// The number of a thing, which gets the next one when it is new.
fn number_of<T: Clone + Eq + std::hash::Hash>(
    thing: T,
    things: &mut Vec<T>,
    numbers: &mut HashMap<T, u32>,
) -> u32 {
    if let Some(number) = numbers.get(&thing) {
        return *number;
    }
    let number = things.len() as u32;
    things.push(thing.clone());
    numbers.insert(thing, number);
    number
}
