//! A piece of a file of statements in the parse cache. The rank of the file is not stored, as it depends on the other files.

use chrono::NaiveDate;
use datafusion::arrow::array::{Array, ArrowPrimitiveType, PrimitiveArray, RecordBatch};
use datafusion::arrow::datatypes::{
    Date32Type, Float64Type, Int8Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::arrow::error::ArrowError;

use crate::accounts::ending::FileEnding;
use crate::accounts::row_accounts::Counts;
use crate::domain::reason::Reason;
use crate::figure_counts::UnusedFigures;
use crate::parse_cache::piece_batch::{PieceAccount, PieceBatch, PieceValues};
use crate::statements::gathered_statements::{
    FilingFacts, FilingKey, GatheredStatements, InternedValues, TaggedRow,
};
use crate::statements::piece::StatementPiece;
use crate::statements::row::{Basis, CompanyRef, PeriodSpan, StatementRow};
use parquote_catalogue::operation::line_item::LineItem;
use parquote_functions::arrow_types::{date, days};

const SPANS: [PeriodSpan; 5] =
    [PeriodSpan::Day, PeriodSpan::Year, PeriodSpan::Quarter, PeriodSpan::Half, PeriodSpan::NineMonths];
const BASES: [Basis; 2] = [Basis::Consolidated, Basis::Standalone];

/// Returns true if the piece is the same for any later date: no row is refused by its date, and the file has no read fault.
pub(crate) fn is_lasting(piece: &StatementPiece) -> bool {
    let date_reasons = [Reason::AfterAsOf, Reason::StillToCome];
    let is_refused_by_date =
        date_reasons.iter().any(|reason| piece.refused.counts().contains_key(reason.label()));
    !is_refused_by_date && !matches!(piece.ending, FileEnding::Fault(_))
}

pub(crate) fn batch(piece: &StatementPiece) -> Result<RecordBatch, ArrowError> {
    let StatementPiece { statements, counts, refused, ending, newest } = piece;
    let account = PieceAccount { read: counts.read, refused: refused.clone(), ending: ending.clone() };
    let batch = PieceBatch::default()
        .account(&account)
        .values::<UInt64Type>("rows", std::iter::once(counts.rows))
        .optional::<Date32Type>("newest", std::iter::once(newest.map(days)));
    let batch = with_notes(batch, &counts.noted);
    let batch = with_companies(batch, &statements.companies.all)
        .texts("sources", statements.sources.all.iter().map(String::as_str));
    let batch = with_lines(batch, &statements.rows);
    with_tagged(with_filings(batch, statements), &statements.tagged).batch()
}

/// Reads the piece in a batch; `None` if it has rows after `as_of`, as parsing would refuse them. `file` is the rank of its file.
pub(crate) fn piece_of_batch(
    batch: &RecordBatch,
    file: u32,
    as_of: Option<NaiveDate>,
) -> Option<StatementPiece> {
    let values = PieceValues(batch);
    let newest = optional_value(&values.values::<Date32Type>("newest")?, 0).and_then(date);
    if as_of.is_some_and(|as_of| newest.is_some_and(|newest| newest > as_of)) {
        return None;
    }
    let PieceAccount { read, refused, ending } = values.account()?;
    let sources = values.texts("sources")?.iter().flatten().map(str::to_owned).collect();
    let (filings, filing_facts) = filings(values, file)?;
    let statements = GatheredStatements {
        rows: lines(values, file)?,
        tagged: read_tagged(values, file)?,
        companies: InternedValues::from_values(companies(values)?),
        sources: InternedValues::from_values(sources),
        filings: InternedValues::from_values(filings),
        filing_facts,
    };
    let counts = Counts { rows: values.one::<UInt64Type>("rows")?, read, noted: read_notes(values)? };
    Some(StatementPiece { statements, counts, refused, ending, newest })
}

fn with_notes(batch: PieceBatch, noted: &UnusedFigures) -> PieceBatch {
    batch
        .values::<UInt64Type>("noted", [noted.own_tags, noted.of_parts, noted.other_spans].into_iter())
        .texts("unmapped_tag", noted.unmapped.keys().map(String::as_str))
        .values::<UInt64Type>("unmapped_rows", noted.unmapped.values().copied())
}

fn read_notes(values: PieceValues<'_>) -> Option<UnusedFigures> {
    let counts = values.values::<UInt64Type>("noted")?;
    let [own_tags, of_parts, other_spans] = **counts.values() else { return None };
    let (tags, rows) = (values.texts("unmapped_tag")?, values.values::<UInt64Type>("unmapped_rows")?);
    let unmapped = tags.iter().flatten().map(str::to_owned).zip(rows.values().iter().copied()).collect();
    Some(UnusedFigures { unmapped, own_tags, of_parts, other_spans })
}

fn with_companies(batch: PieceBatch, companies: &[CompanyRef]) -> PieceBatch {
    let parts = |who: &CompanyRef| match who {
        CompanyRef::Symbol(_) => (0, None),
        CompanyRef::Cik(cik) => (1, Some(*cik)),
        CompanyRef::Name(_) => (2, None),
    };
    batch
        .values::<UInt8Type>("company_kind", companies.iter().map(|who| parts(who).0))
        .optional::<UInt64Type>("company_cik", companies.iter().map(|who| parts(who).1))
        .texts("company", companies.iter().map(company_text))
}

/// Returns a company as its file writes it; empty for a CIK.
fn company_text(who: &CompanyRef) -> &str {
    match who {
        CompanyRef::Symbol(text) | CompanyRef::Name(text) => text,
        CompanyRef::Cik(_) => "",
    }
}

fn companies(values: PieceValues<'_>) -> Option<Vec<CompanyRef>> {
    let (kinds, ciks) =
        (values.values::<UInt8Type>("company_kind")?, values.values::<UInt64Type>("company_cik")?);
    let names = values.texts("company")?;
    let company = |((kind, cik), name): ((&u8, Option<u64>), Option<&str>)| match kind {
        0 => name.map(|name| CompanyRef::Symbol(name.to_owned())),
        1 => cik.map(CompanyRef::Cik),
        _ => name.map(|name| CompanyRef::Name(name.to_owned())),
    };
    kinds.values().iter().zip(ciks.iter()).zip(names.iter()).map(company).collect()
}

fn with_lines(batch: PieceBatch, rows: &[StatementRow]) -> PieceBatch {
    batch
        .values::<UInt32Type>("line_company", rows.iter().map(|row| row.company))
        .values::<Date32Type>("line_end", rows.iter().map(|row| days(row.period_end)))
        .values::<UInt8Type>("line_span", rows.iter().map(|row| row.span as u8))
        .values::<UInt8Type>("line_basis", rows.iter().map(|row| row.basis as u8))
        .values::<UInt8Type>("line", rows.iter().map(|row| row.line.index()))
        .values::<Float64Type>("line_value", rows.iter().map(|row| row.value))
        .values::<UInt32Type>("line_currency", rows.iter().map(|row| currency_code(row.currency)))
        .optional::<Date32Type>("line_filed", rows.iter().map(|row| row.filed_at.map(days)))
        .values::<UInt32Type>("line_source", rows.iter().map(|row| row.source))
        .values::<UInt32Type>("line_at", rows.iter().map(|row| row.file_line))
}

fn lines(values: PieceValues<'_>, file: u32) -> Option<Vec<StatementRow>> {
    let (company, end) =
        (values.values::<UInt32Type>("line_company")?, values.values::<Date32Type>("line_end")?);
    let (spans, bases) =
        (values.values::<UInt8Type>("line_span")?, values.values::<UInt8Type>("line_basis")?);
    let (line, value) = (values.values::<UInt8Type>("line")?, values.values::<Float64Type>("line_value")?);
    let (currency, filed_at) =
        (values.values::<UInt32Type>("line_currency")?, values.values::<Date32Type>("line_filed")?);
    let (source, file_line) =
        (values.values::<UInt32Type>("line_source")?, values.values::<UInt32Type>("line_at")?);
    let row = |position: usize| {
        Some(StatementRow {
            company: optional_value(&company, position)?,
            period_end: date(optional_value(&end, position)?)?,
            span: span(optional_value(&spans, position)?)?,
            basis: basis(optional_value(&bases, position)?)?,
            line: LineItem::from_index(optional_value(&line, position)?)?,
            value: optional_value(&value, position)?,
            currency: currency_of_code(optional_value(&currency, position)?),
            filed_at: optional_value(&filed_at, position).and_then(date),
            source: optional_value(&source, position)?,
            file,
            file_line: optional_value(&file_line, position)?,
            rank: StatementRow::STATED,
        })
    };
    (0..company.len()).map(row).collect()
}

fn with_filings(batch: PieceBatch, statements: &GatheredStatements) -> PieceBatch {
    let facts = || statements.filing_facts.iter();
    let accession = |key: &FilingKey| match key {
        FilingKey::Accession(number) => Some(*number),
        FilingKey::File(_) => None,
    };
    batch
        .optional::<UInt64Type>("filing", statements.filings.all.iter().map(accession))
        .optional::<UInt32Type>("filing_company", facts().map(|facts| facts.company))
        .optional::<Date32Type>("filing_on", facts().map(|facts| facts.filed_on.map(days)))
        .optional::<Int8Type>("filing_has_years", facts().map(|facts| facts.has_years.map(i8::from)))
        .values::<UInt8Type>("filing_is_foreign", facts().map(|facts| u8::from(facts.is_foreign)))
        .optional::<UInt16Type>("filing_sic", facts().map(|facts| facts.sic))
        .values::<UInt32Type>("filing_source", facts().map(|facts| facts.source))
        .values::<UInt8Type>("filing_is_of_list", facts().map(|facts| u8::from(facts.is_in_list)))
}

fn filings(values: PieceValues<'_>, file: u32) -> Option<(Vec<FilingKey>, Vec<FilingFacts>)> {
    let (keys, company) =
        (values.values::<UInt64Type>("filing")?, values.values::<UInt32Type>("filing_company")?);
    let (filed_on, has_years) =
        (values.values::<Date32Type>("filing_on")?, values.values::<Int8Type>("filing_has_years")?);
    let (sic, source) =
        (values.values::<UInt16Type>("filing_sic")?, values.values::<UInt32Type>("filing_source")?);
    let (is_foreign, is_in_list) =
        (values.values::<UInt8Type>("filing_is_foreign")?, values.values::<UInt8Type>("filing_is_of_list")?);
    let filing = |position: usize| {
        let key = optional_value(&keys, position).map_or(FilingKey::File(file), FilingKey::Accession);
        let facts = FilingFacts {
            company: optional_value(&company, position),
            filed_on: optional_value(&filed_on, position).and_then(date),
            has_years: optional_value(&has_years, position).map(|has| has > 0),
            is_foreign: optional_value(&is_foreign, position)? > 0,
            sic: optional_value(&sic, position),
            source: optional_value(&source, position)?,
            is_in_list: optional_value(&is_in_list, position)? > 0,
        };
        Some((key, facts))
    };
    let filings: Option<Vec<_>> = (0..keys.len()).map(filing).collect();
    Some(filings?.into_iter().unzip())
}

fn with_tagged(batch: PieceBatch, rows: &[TaggedRow]) -> PieceBatch {
    batch
        .values::<UInt32Type>("tagged_filing", rows.iter().map(|row| row.filing))
        .values::<Date32Type>("tagged_end", rows.iter().map(|row| days(row.end)))
        .values::<Float64Type>("tagged_value", rows.iter().map(|row| row.value))
        .values::<UInt32Type>("tagged_at", rows.iter().map(|row| row.file_line))
        .values::<UInt16Type>("tag", rows.iter().map(|row| row.tag))
        .values::<UInt8Type>("tagged_span", rows.iter().map(|row| row.span as u8))
        .values::<UInt8Type>("tagged_basis", rows.iter().map(|row| row.basis as u8))
        .optional::<UInt32Type>("tagged_currency", rows.iter().map(|row| row.currency.map(currency_code)))
}

fn read_tagged(values: PieceValues<'_>, file: u32) -> Option<Vec<TaggedRow>> {
    let (filing, end) =
        (values.values::<UInt32Type>("tagged_filing")?, values.values::<Date32Type>("tagged_end")?);
    let (value, file_line) =
        (values.values::<Float64Type>("tagged_value")?, values.values::<UInt32Type>("tagged_at")?);
    let (tag, spans) = (values.values::<UInt16Type>("tag")?, values.values::<UInt8Type>("tagged_span")?);
    let (bases, currency) =
        (values.values::<UInt8Type>("tagged_basis")?, values.values::<UInt32Type>("tagged_currency")?);
    let row = |position: usize| {
        Some(TaggedRow {
            filing: optional_value(&filing, position)?,
            end: date(optional_value(&end, position)?)?,
            value: optional_value(&value, position)?,
            file,
            file_line: optional_value(&file_line, position)?,
            tag: optional_value(&tag, position)?,
            span: span(optional_value(&spans, position)?)?,
            basis: basis(optional_value(&bases, position)?)?,
            currency: optional_value(&currency, position).map(currency_of_code),
        })
    };
    (0..filing.len()).map(row).collect()
}

/// Returns the value at a position, if there is one.
fn optional_value<T: ArrowPrimitiveType>(values: &PrimitiveArray<T>, position: usize) -> Option<T::Native> {
    values.values().get(position).copied().filter(|_| values.is_valid(position))
}

fn span(number: u8) -> Option<PeriodSpan> {
    SPANS.get(usize::from(number)).copied()
}

fn basis(number: u8) -> Option<Basis> {
    BASES.get(usize::from(number)).copied()
}

fn currency_code([a, b, c]: [u8; 3]) -> u32 {
    u32::from_le_bytes([a, b, c, 0])
}

fn currency_of_code(code: u32) -> [u8; 3] {
    let [a, b, c, _] = code.to_le_bytes();
    [a, b, c]
}
