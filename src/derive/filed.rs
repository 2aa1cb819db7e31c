//! What is filed with the SEC, as Arrow batches of the declared columns: filings, insiders' transactions, positions.
//!
//! Numbers within a day make the keys of transactions that may be equal; they follow the order of the submissions.

use datafusion::arrow::array::ArrayRef;

use super::announced::{dates, figures, sequence, texts, whole_numbers};
use super::raw::{Filing, InsiderForm, Investor, Position};

pub(super) fn filings(of: &[Filing]) -> Vec<ArrayRef> {
    let ciks = ciks(of, |filing| filing.cik);
    vec![
        texts(of, |filing| Some(&filing.symbol)),
        texts(&ciks, |cik| Some(cik)),
        texts(of, |filing| Some(&filing.form)),
        dates(of, |filing| Some(filing.filed_on)),
        texts(of, |filing| filing.accepted_at.as_deref()),
        dates(of, |filing| filing.report_date),
        texts(of, |filing| Some(&filing.title)),
        texts(of, |filing| filing.items.as_deref()),
        texts(of, |filing| Some(&filing.accession)),
        texts(of, |filing| filing.url.as_deref()),
        texts(of, |filing| filing.source.words()),
    ]
}

/// The columns of `insider_trades` that the US has.
pub(super) fn insider_forms(of: &[InsiderForm]) -> Vec<ArrayRef> {
    vec![
        texts(of, |form| Some(&form.symbol)),
        dates(of, |form| Some(form.filed_on)),
        sequence(of, |form| (&form.symbol, form.filed_on)),
        texts(of, |form| form.issuer.as_deref()),
        dates(of, |form| Some(form.traded_on)),
        dates(of, |form| Some(form.traded_on)),
        texts(of, |form| form.person.as_deref()),
        texts(of, |form| form.category.as_deref()),
        texts(of, |form| form.title.as_deref()),
        texts(of, |form| form.security.as_deref()),
        texts(of, |form| Some(form.side().word())),
        texts(of, |form| Some(form.transaction())),
        texts(of, |form| Some(&form.code)),
        whole_numbers(of, |form| Some(form.shares)),
        figures(of, |form| form.price),
        figures(of, |form| form.price.map(|price| price * form.shares)),
        whole_numbers(of, |form| form.held_before),
        whole_numbers(of, |form| form.held_after),
        texts(of, |form| form.is_indirect.map(|is_indirect| if is_indirect { "indirect" } else { "direct" })),
        texts(of, |form| form.footnotes.as_deref()),
        texts(of, |form| form.form.as_deref()),
        texts(of, |form| form.accession.as_deref()),
        texts(of, |form| form.source.words()),
    ]
}

pub(super) fn investors(of: &[Investor]) -> Vec<ArrayRef> {
    let ciks = ciks(of, |investor| investor.cik);
    vec![
        texts(&ciks, |cik| Some(cik)),
        texts(of, |investor| Some(&investor.name)),
        texts(of, |investor| investor.style.as_deref()),
    ]
}

pub(super) fn positions(of: &[Position]) -> Vec<ArrayRef> {
    let ciks = ciks(of, |position| position.cik);
    vec![
        texts(&ciks, |cik| Some(cik)),
        dates(of, |position| Some(position.report_date)),
        dates(of, |position| Some(position.filed_on)),
        texts(of, |position| Some(&position.cusip)),
        texts(of, |position| Some(position.option.unwrap_or("none"))),
        texts(of, |position| position.symbol.as_deref()),
        texts(of, |position| Some(&position.issuer)),
        texts(of, |position| position.class.as_deref()),
        whole_numbers(of, |position| position.shares),
        figures(of, |position| Some(position.value)),
        texts(of, |position| position.source.words()),
    ]
}

/// Numbers of filers in their ten digits.
fn ciks<T>(of: &[T], cik: impl Fn(&T) -> u64) -> Vec<String> {
    of.iter().map(|row| format!("{:010}", cik(row))).collect()
}
