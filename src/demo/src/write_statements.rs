//! Writes the statements of both markets, in the long layout: one row per line item, one file for each year of period ends.
//!
//! Quarters have income in India, with a balance sheet at half-years, and all three statements in the US. Only companies of the main board
//! file. Figures come only from the `World`.

use std::collections::BTreeSet;

use chrono::{Datelike, NaiveDate};

use super::output::OutputFolder;
use super::share_split::ShareSplit;
use super::statements::lines::{self, ReportedLine};
use super::statements::{CompanyStatements, Period, Stock};
use super::world::{Listing, World};
use super::{DemoError, MarketProgress};
use parquote_catalogue::operation::Market;

const HEADER: &[u8] =
    b"symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source\n";

/// Writes `statements/statement_lines_YYYY.csv`.
pub(crate) fn write(
    world: &World,
    output: &mut OutputFolder,
    step: &mut MarketProgress<'_>,
) -> Result<(), DemoError> {
    let years: BTreeSet<i32> =
        world.main_board().flat_map(|listing| end_years(&listing.statements)).collect();
    let (mut done, all) = (0, years.len() as u64);
    for year in years {
        let mut text = HEADER.to_vec();
        for listing in world.main_board() {
            StatementWriter { world, listing, text: &mut text }.write_year(year);
        }
        output.file(&format!("statements/statement_lines_{year}.csv"), &text)?;
        done += 1;
        step.report("statements", done, all);
    }
    Ok(())
}

fn end_years(statements: &CompanyStatements) -> impl Iterator<Item = i32> {
    statements.years.iter().chain(statements.filed_quarters()).map(|period| period.end.year())
}

/// Writer of one company's rows.
struct StatementWriter<'a> {
    world: &'a World,
    listing: &'a Listing,
    text: &'a mut Vec<u8>,
}

impl StatementWriter<'_> {
    /// Writes the periods that end in a calendar year: quarters, then fiscal years; first and second versions.
    fn write_year(&mut self, year: i32) {
        let statements = &self.listing.statements;
        let quarters = statements.filed_quarters().iter().filter(|quarter| !quarter.is_missing);
        let count = statements.years.len();
        let years = statements.years.iter().enumerate();
        // Standalone results go back as far as quarters.
        let has_parent_results = |index: usize| index + 4 >= count;
        for (original, shows_parent) in
            quarters.map(|it| (it, true)).chain(years.map(|(index, it)| (it, has_parent_results(index))))
        {
            if original.end.year() != year {
                continue;
            }
            let period = &self.on_basis_of_filing(original, original.filed);
            let basis = if statements.is_group { "consolidated" } else { "standalone" };
            self.write_rows(period, basis, &self.reported_lines(period));
            if let Some(part) = statements.parent_part.filter(|_| shows_parent) {
                let parent = statements.parent(period, part);
                self.write_rows(
                    &parent,
                    "standalone",
                    &lines::income_lines(self.world.market, statements.kind, &parent),
                );
            }
            let restated = statements.restated.filter(|year| year.fiscal_year == period.fiscal_year);
            if let Some(restated) = restated {
                let second =
                    self.on_basis_of_filing(&statements.restate(original, &restated), restated.filed);
                self.write_rows(&second, basis, &self.reported_lines(&second));
            }
        }
    }

    /// Returns a period with per-share figures adjusted for splits and bonuses up to the filing date, as in filings. Shares outstanding
    /// remain those of the period's end.
    fn on_basis_of_filing(&self, period: &Period, filed: NaiveDate) -> Period {
        let ex_date = |action: &&ShareSplit| self.world.calendar.date(action.session);
        let actions = self.listing.history.actions.iter();
        let since = actions.filter(|action| period.end < ex_date(action) && ex_date(action) <= filed);
        let factor: f64 = since.map(ShareSplit::factor).product();
        let shares = |count: u64| (count as f64 / factor).round() as u64;
        let stock = Stock {
            weighted: shares(period.stock.weighted),
            diluted: shares(period.stock.diluted),
            dividend_per_share: period.stock.dividend_per_share * factor,
            ..period.stock
        };
        Period { stock, ..period.clone() }
    }

    /// Returns the lines that a filing of this kind shows.
    fn reported_lines(&self, period: &Period) -> Vec<ReportedLine> {
        let kind = self.listing.statements.kind;
        let lines = lines::all_lines(self.world.market, kind, period);
        if self.world.market == Market::Us || period.quarter.is_none() {
            return lines;
        }
        let has_balance = period.quarter == Some(2);
        let is_shown =
            |line: &ReportedLine| line.statement == "income" || (has_balance && line.statement == "balance");
        lines.into_iter().filter(is_shown).collect()
    }

    fn write_rows(&mut self, period: &Period, basis: &str, lines: &[ReportedLine]) {
        let currency = match self.world.market {
            Market::India => "INR",
            Market::Us => "USD",
        };
        let period_type = if period.quarter.is_some() { "quarterly" } else { "annual" };
        let start = format!("{},{},{period_type},{basis},", self.listing.company.symbol, period.end);
        let end = format!(",{currency},{},invented\n", period.filed);
        for ReportedLine { statement, name, value } in lines {
            let text =
                [&start, *statement, ",", name, ",", &value.text(), ",", value.unit(self.world.market), &end];
            for part in text {
                self.text.extend_from_slice(part.as_bytes());
            }
        }
    }
}
