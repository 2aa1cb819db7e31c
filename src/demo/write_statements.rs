//! The statements of both markets, in the long layout: a row a line, one file for each year in which periods end.
//!
//! Quarters show income in India, with a balance sheet at half-years; in the US all three statements. Only the main board
//! files. Figures come from the `World` alone.

use std::collections::BTreeSet;

use chrono::Datelike;

use super::company::Board;
use super::output::Output;
use super::statements::lines::{self, Line};
use super::statements::{Period, Statements};
use super::world::{Listing, World};
use super::{DemoError, Step};
use crate::operation::Market;

const HEADER: &[u8] =
    b"symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source\n";

/// Writes `statements/statement_lines_YYYY.csv`.
pub(crate) fn write(world: &World, output: &mut Output, step: &mut Step<'_>) -> Result<(), DemoError> {
    let main_board = || world.listings.iter().filter(|listing| listing.company.board == Board::Main);
    let years: BTreeSet<i32> = main_board().flat_map(|listing| ends(&listing.statements)).collect();
    let (mut done, all) = (0, years.len() as u64);
    for year in years {
        let mut text = HEADER.to_vec();
        for listing in main_board() {
            Company { market: world.market, listing, text: &mut text }.year(year);
        }
        output.file(&format!("statements/statement_lines_{year}.csv"), &text)?;
        done += 1;
        step.report("statements", done, all);
    }
    Ok(())
}

fn ends(statements: &Statements) -> impl Iterator<Item = i32> {
    statements.years.iter().chain(statements.filed_quarters()).map(|period| period.end.year())
}

/// One company's rows.
struct Company<'a> {
    market: Market,
    listing: &'a Listing,
    text: &'a mut Vec<u8>,
}

impl Company<'_> {
    /// The periods that end in a calendar year: quarters, then fiscal years; first and second versions.
    fn year(&mut self, year: i32) {
        let statements = &self.listing.statements;
        let quarters = statements.filed_quarters().iter().filter(|quarter| !quarter.is_missing);
        let count = statements.years.len();
        let years = statements.years.iter().enumerate();
        // A parent's own results go back as far as quarters do.
        let own = |place: usize| place + 4 >= count;
        for (period, shows_parent) in
            quarters.map(|it| (it, true)).chain(years.map(|(place, it)| (it, own(place))))
        {
            if period.end.year() != year {
                continue;
            }
            let basis = if statements.is_group { "consolidated" } else { "standalone" };
            self.rows(period, basis, &self.shown(period));
            if let Some(part) = statements.parent_part.filter(|_| shows_parent) {
                let parent = statements.parent(period, part);
                self.rows(&parent, "standalone", &lines::income(self.market, statements.kind, &parent));
            }
            let again = statements.restated.filter(|again| again.fiscal_year == period.fiscal_year);
            if let Some(again) = again {
                let second = statements.restated(period, &again);
                self.rows(&second, basis, &self.shown(&second));
            }
        }
    }

    /// The lines that a filing of this kind shows.
    fn shown(&self, period: &Period) -> Vec<Line> {
        let kind = self.listing.statements.kind;
        let lines = lines::all(self.market, kind, period);
        if self.market == Market::Us || period.quarter.is_none() {
            return lines;
        }
        let has_balance = period.quarter == Some(2);
        let is_shown =
            |line: &Line| line.statement == "income" || (has_balance && line.statement == "balance");
        lines.into_iter().filter(is_shown).collect()
    }

    fn rows(&mut self, period: &Period, basis: &str, lines: &[Line]) {
        let currency = match self.market {
            Market::India => "INR",
            Market::Us => "USD",
        };
        let period_type = if period.quarter.is_some() { "quarterly" } else { "annual" };
        let start = format!("{},{},{period_type},{basis},", self.listing.company.symbol, period.end);
        let end = format!(",{currency},{},demo\n", period.filed);
        for Line { statement, line, value } in lines {
            let text =
                [&start, *statement, ",", line, ",", &value.text(), ",", value.unit(self.market), &end];
            text.iter().for_each(|part| self.text.extend_from_slice(part.as_bytes()));
        }
    }
}
