//! Converts figures under tags to lines: filing by filing, period by period, by the rules of
//! [`parquote_encodings::documents::statement_tags`].
//!
//! The figures of one line of one period all come from one filing, in the currency of most of the filing's figures: a translation for the
//! reader's convenience is another currency, whose figures are left out. If a filing states a figure twice, the first is used.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;

use crate::statements::debt;
use crate::statements::gathered_statements::{FilingFacts, TaggedRow};
use crate::statements::row::{PeriodSpan, StatementRow};
use crate::statements::units::Currency;
use parquote_catalogue::operation::line_item::{LineItem, Statement};
use parquote_encodings::documents::statement_tags::{TAGS, Tag};

/// Returns the lines made of the figures of known companies, and the number of figures in another currency than their filing's.
/// `filing_facts` is indexed by the number of the filing; `currency` is the market's.
pub(crate) fn make_lines(
    mut tagged: Vec<TaggedRow>,
    filing_facts: &[FilingFacts],
    currency: Currency,
) -> (Vec<StatementRow>, u64) {
    tagged.sort_unstable_by_key(|row| (row.filing, row.file, row.file_line));
    let mut currencies: HashMap<u32, Currency> = HashMap::new();
    for of_filing in tagged.chunk_by_mut(|a, b| a.filing == b.filing) {
        date_covers(of_filing);
        let Some(first) = of_filing.first() else { continue };
        currencies.insert(first.filing, currency_of_filing(of_filing, currency));
    }
    let all = tagged.len();
    tagged.retain(|row| row.currency.is_none_or(|stated| currencies.get(&row.filing) == Some(&stated)));
    let of_other_currencies = (all - tagged.len()) as u64;
    let period = |row: &TaggedRow| (row.filing, row.basis, row.end, row.span);
    tagged.sort_by_key(period);
    let mut figures: Vec<Option<f64>> = vec![None; TAGS.count()];
    // Figures of the last day are sorted before those of periods; a balance that a form repeats among figures of a period adds nothing.
    let mut of_day: (_, Vec<LineItem>) = (None, Vec::new());
    let mut rows = Vec::new();
    for of_period in tagged.chunk_by(|a, b| period(a) == period(b)) {
        let Some(first) = of_period.first() else { continue };
        let Some(facts) = filing_facts.get(first.filing as usize) else { continue };
        let Some(company) = facts.company else { continue };
        let day = Some((first.filing, first.basis, first.end));
        if of_day.0 != day {
            of_day = (day, Vec::new());
        }
        figures.fill(None);
        for row in of_period {
            if let Some(figure) = figures.get_mut(usize::from(row.tag)) {
                figure.get_or_insert(row.value);
            }
        }
        let currency = of_period.iter().find_map(|row| row.currency).unwrap_or(currency);
        let value = |tag: Tag| figures.get(usize::from(tag)).copied().flatten();
        let mut lines: Vec<_> = TAGS.lines(value).collect();
        debt::complete(&mut lines);
        for (line, value, rank) in lines {
            let is_of_day = line.statement() == Statement::Balance;
            if (first.span == PeriodSpan::Day && !is_of_day) || (is_of_day && of_day.1.contains(&line)) {
                continue;
            }
            if is_of_day {
                of_day.1.push(line);
            }
            rows.push(StatementRow {
                company,
                period_end: first.end,
                // Forms have some figures of the last day among those of the period.
                span: if is_of_day { PeriodSpan::Day } else { first.span },
                basis: first.basis,
                line,
                value,
                currency,
                filed_at: facts.filed_on,
                source: facts.source,
                file: first.file,
                file_line: 0,
                rank,
            });
        }
    }
    (rows, of_other_currencies)
}

/// Returns the currency of a filing: that of most of its figures, `home` in a tie.
fn currency_of_filing(of_filing: &[TaggedRow], home: Currency) -> Currency {
    let mut counts: BTreeMap<Currency, usize> = BTreeMap::new();
    for currency in of_filing.iter().filter_map(|row| row.currency) {
        *counts.entry(currency).or_default() += 1;
    }
    let most = |(currency, count): &(Currency, usize)| (*count, *currency == home);
    counts.into_iter().max_by_key(most).map_or(home, |(currency, _)| currency)
}

/// Replaces the date of the filing's cover with the end of its last period.
fn date_covers(of_filing: &mut [TaggedRow]) {
    let is_of_cover = |row: &TaggedRow| TAGS.is_of_cover(row.tag);
    let last = |is_counted: &dyn Fn(&TaggedRow) -> bool| -> Option<NaiveDate> {
        of_filing.iter().filter(|row| !is_of_cover(row) && is_counted(row)).map(|row| row.end).max()
    };
    let Some(end) = last(&|row| row.span != PeriodSpan::Day).or_else(|| last(&|_| true)) else { return };
    of_filing.iter_mut().filter(|row| TAGS.is_of_cover(row.tag)).for_each(|row| row.end = end);
}
