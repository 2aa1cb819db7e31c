//! Statements in the long layout: a figure per row, with columns in any order and case.
//!
//! `symbol, period_end, period_type, basis, statement, line, value, unit, currency, filed_at, source`; all from `basis` on but `line` and
//! `value` may be missing. A file may name companies by `cik` or `company` (their name) instead of `symbol`, and have figures since the
//! start of the year under `half_yearly` and `nine_months`, from which quarters are derived.

use crate::domain::reason::Reason;
use crate::records::raw_format::{Format, Layout};
use crate::statements::record::{StatedLine, StatementFile, StatementRecord};
use crate::statements::row::{Basis, CompanyRef, PeriodSpan};
use crate::statements::units::{self, WrittenUnit};
use parquote_catalogue::operation::line_item::{LineItem, Statement};
use parquote_encodings::text::cells::{self, CellRecord, HeaderLine};
use parquote_encodings::text::dates;

pub(crate) struct StatementLineFile {
    symbol: Option<usize>,
    cik: Option<usize>,
    company: Option<usize>,
    period_end: usize,
    period_type: usize,
    line: usize,
    value: usize,
    basis: Option<usize>,
    statement: Option<usize>,
    unit: Option<usize>,
    currency: Option<usize>,
    filed_at: Option<usize>,
    source: Option<usize>,
}

impl StatementLineFile {
    pub(crate) fn from_header(header: &HeaderLine) -> Option<Self> {
        let file = Self {
            symbol: header.column(&["SYMBOL"]),
            cik: header.column(&["CIK"]),
            company: header.column(&["COMPANY"]),
            period_end: header.column(&["PERIOD_END"])?,
            period_type: header.column(&["PERIOD_TYPE"])?,
            line: header.column(&["LINE"])?,
            value: header.column(&["VALUE"])?,
            basis: header.column(&["BASIS"]),
            statement: header.column(&["STATEMENT"]),
            unit: header.column(&["UNIT"]),
            currency: header.column(&["CURRENCY"]),
            filed_at: header.column(&["FILED_AT"]),
            source: header.column(&["SOURCE"]),
        };
        let names_company = file.symbol.or(file.cik).or(file.company);
        names_company.map(|_| file)
    }

    fn company_ref(&self, record: &CellRecord) -> Result<CompanyRef, Reason> {
        if let Some(symbol) = text(record, self.symbol) {
            return Ok(CompanyRef::Symbol(symbol.to_uppercase()));
        }
        if let Some(cik) = text(record, self.cik) {
            return parquote_encodings::text::cik::number(cik.as_bytes())
                .map(CompanyRef::Cik)
                .ok_or(Reason::NoSymbol);
        }
        text(record, self.company).map(|name| CompanyRef::Name(name.to_owned())).ok_or(Reason::NoSymbol)
    }

    /// Returns the line, which has to be one of the row's statement.
    fn line(&self, record: &CellRecord) -> Result<LineItem, Reason> {
        let line = record.text(self.line).and_then(LineItem::from_word).ok_or(Reason::UnknownLine)?;
        match text(record, self.statement) {
            Some(word) if Statement::from_word(word) != Some(line.statement()) => Err(Reason::UnknownLine),
            _ => Ok(line),
        }
    }
}

impl StatementFile for StatementLineFile {
    fn record(&self, record: &CellRecord) -> Result<StatementRecord, Reason> {
        let company = self.company_ref(record)?;
        let line = self.line(record)?;
        let unit =
            WrittenUnit::parse(text(record, self.unit).unwrap_or_default()).ok_or(Reason::UnknownUnit)?;
        let currency = match text(record, self.currency) {
            Some(word) => Some(units::currency(word).ok_or(Reason::UnknownUnit)?),
            None => unit.currency,
        };
        // A file with a currency column may leave the unit of money out.
        let is_plain = currency.is_some() && text(record, self.unit).is_none();
        if !(unit.suits(line.measure()) || is_plain) {
            return Err(Reason::UnknownUnit);
        }
        let scale = if line.measure() == parquote_catalogue::operation::line_item::Measure::PerShare {
            1.0
        } else {
            unit.scale
        };
        let date = |column| dates::in_cell(record.cell(column)).ok_or(Reason::BadDate);
        let filed_at =
            self.filed_at.filter(|column| !is_blank(record.cell(*column))).map(date).transpose()?;
        let period_end = date(self.period_end)?;
        if filed_at.is_some_and(|filed_at| filed_at < period_end) {
            return Err(Reason::BadDate);
        }
        let value = cells::money(record.cell(self.value)).ok_or(Reason::BadNumber)?;
        Ok(StatementRecord::Line(StatedLine {
            company,
            period_end,
            span: record
                .text(self.period_type)
                .and_then(PeriodSpan::from_word)
                .ok_or(Reason::UnknownPeriod)?,
            basis: Basis::from_word(text(record, self.basis).unwrap_or_default())
                .ok_or(Reason::UnknownBasis)?,
            line,
            value: value * scale,
            currency,
            filed_at,
            source: text(record, self.source).map(str::to_owned),
        }))
    }

    fn symbol_column(&self) -> usize {
        self.line
    }
}

/// Figures of statements, one per row.
pub(super) static STATEMENT_LINES: Format = Format {
    recognise: |head| Layout::statements(StatementLineFile::from_header(head.header)),
    ..Format::new("statement lines")
};

fn text(record: &CellRecord, column: Option<usize>) -> Option<&str> {
    column.and_then(|column| record.text(column))
}

fn is_blank(cell: &[u8]) -> bool {
    cell.is_empty() || cell.eq_ignore_ascii_case(b"null")
}
