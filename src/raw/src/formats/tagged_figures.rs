//! Figures under the tags of a taxonomy: rows of the SEC's data sets, and documents that are converted to their columns.
//!
//! Some figures yield no row and are only counted: those whose tag maps to no line, those of a part of the company (a segment, a
//! subsidiary), and those whose span is neither a day nor one to four quarters.

use chrono::{Datelike, Days, Months, NaiveDate};

use crate::domain::note::FigureNote;
use crate::domain::reason::Reason;
use crate::records::raw_format::{Format, Layout};
use crate::statements::record::{StatementFile, StatementRecord, TaggedFigure};
use crate::statements::row::{Basis, CompanyRef, PeriodSpan};
use crate::statements::units::WrittenUnit;
use parquote_encodings::documents::statement_columns::{
    FIGURE_OF_COMPANY_FACTS, FIGURE_OF_DATA_SET, FIGURE_OF_RESULTS, FIGURE_OF_WORKBOOK,
};
use parquote_encodings::documents::statement_tags::COVER;
use parquote_encodings::documents::statement_tags::{TAGS, Tag};
use parquote_encodings::text::cells::{self, CellRecord, HeaderLine};
use parquote_encodings::text::file_head::FileHead;
use parquote_encodings::text::{accession, cik, dates};

/// Figures of the SEC's financial-statement data sets.
pub(super) static DATA_SET_FIGURES: Format = Format {
    recognise: |head| layout(head, FIGURE_OF_DATA_SET, None),
    ..Format::new("SEC data sets, figures")
};

/// The SEC's company facts.
pub(super) static COMPANY_FACTS: Format = Format {
    recognise: |head| layout(head, FIGURE_OF_COMPANY_FACTS, None),
    ..Format::new("SEC company facts")
};

/// Results in XBRL as Indian exchanges publish them, with their filing date in the name of the file.
pub(super) static RESULTS: Format = Format {
    recognise: |head| layout(head, FIGURE_OF_RESULTS, dates::filed_by_name(head.name())),
    ..Format::new("results in XBRL")
};

/// Workbooks with a sheet of statements.
pub(super) static WORKBOOKS: Format =
    Format { recognise: |head| layout(head, FIGURE_OF_WORKBOOK, None), ..Format::new("statement workbooks") };

/// Returns the layout of a file; `figures` is the name of its column of figures, which distinguishes the formats.
fn layout(head: &FileHead<'_>, figures: &str, date_in_name: Option<NaiveDate>) -> Option<Layout> {
    Layout::statements(TaggedFile::from_header(head.header, figures, date_in_name))
}

/// A file of figures under tags.
pub(crate) struct TaggedFile {
    company: [Option<usize>; 3],
    accession: Option<usize>,
    filed: Option<usize>,
    /// The filing date, if the file's name states it.
    date_in_name: Option<NaiveDate>,
    version: usize,
    tag: usize,
    end: usize,
    quarters: usize,
    basis: Option<usize>,
    unit: usize,
    parts: [Option<usize>; 2],
    value: usize,
}

impl TaggedFile {
    /// Locates the columns; `value` is the name of the column of figures, which differs by the kind of file.
    pub(crate) fn from_header(
        header: &HeaderLine,
        value: &str,
        date_in_name: Option<NaiveDate>,
    ) -> Option<Self> {
        let column = |name| header.column(&[name]);
        Some(Self {
            company: [column("SYMBOL"), column("CIK"), column("COMPANY")],
            accession: column("ADSH"),
            filed: column("FILED"),
            date_in_name,
            version: column("VERSION")?,
            tag: column("TAG")?,
            end: column("DDATE")?,
            quarters: column("QTRS")?,
            basis: column("BASIS"),
            unit: column("UOM")?,
            parts: [column("SEGMENTS"), column("COREG")],
            value: column(value)?,
        })
    }

    fn company_ref(&self, record: &CellRecord) -> Option<CompanyRef> {
        let [symbol, cik, company] = self.company.map(|column| column.and_then(|column| record.text(column)));
        let of_symbol = symbol.map(|symbol| CompanyRef::Symbol(symbol.to_uppercase()));
        let of_cik = || cik::number(cik?.as_bytes()).map(CompanyRef::Cik);
        of_symbol.or_else(of_cik).or_else(|| company.map(|name| CompanyRef::Name(name.to_owned())))
    }

    fn find_tag(&self, record: &CellRecord) -> Option<Tag> {
        TAGS.number(record.text(self.version)?, record.text(self.tag)?)
    }

    fn is_on_cover(&self, record: &CellRecord) -> bool {
        record.text(self.version).is_some_and(|version| version.starts_with(COVER))
    }

    fn span(&self, record: &CellRecord) -> Option<PeriodSpan> {
        Some(match record.cell(self.quarters) {
            b"0" => PeriodSpan::Day,
            b"1" => PeriodSpan::Quarter,
            b"2" => PeriodSpan::Half,
            b"3" => PeriodSpan::NineMonths,
            b"4" => PeriodSpan::Year,
            _ => return None,
        })
    }
}

impl StatementFile for TaggedFile {
    fn record(&self, record: &CellRecord) -> Result<StatementRecord, Reason> {
        let date = |column: usize| dates::in_cell(record.cell(column)).ok_or(Reason::BadDate);
        let written = self.filed.filter(|column| !record.cell(*column).is_empty());
        let text = |column: Option<usize>| column.and_then(|column| record.text(column)).unwrap_or_default();
        let unit = record.text(self.unit).unwrap_or_default();
        let unit = match unit {
            // A ratio, or a count.
            "pure" => WrittenUnit::parse(""),
            unit => WrittenUnit::parse(unit),
        };
        let unit = unit.ok_or(Reason::UnknownUnit)?;
        let value = cells::number(record.cell(self.value)).ok_or(Reason::BadNumber)?;
        Ok(StatementRecord::Tagged(TaggedFigure {
            accession: self.accession.and_then(|column| accession::digits(record.cell(column))),
            company: self.company_ref(record),
            filed_on: written.map(date).transpose()?.or(self.date_in_name),
            tag: self.find_tag(record).ok_or(Reason::UnknownLine)?,
            // The date of a cover is not the end of a period.
            end: if self.is_on_cover(record) { date(self.end)? } else { month_end(date(self.end)?) },
            span: self.span(record).ok_or(Reason::UnknownPeriod)?,
            basis: Basis::from_word(text(self.basis)).ok_or(Reason::UnknownBasis)?,
            currency: unit.currency,
            value: value * unit.scale,
        }))
    }

    fn note(&self, record: &CellRecord) -> Option<FigureNote> {
        let [segment, company] =
            self.parts.map(|column| column.map_or(&b""[..], |column| record.cell(column)));
        // A cover has the shares of each class, which are summed.
        let is_class = self.is_on_cover(record) && segment.starts_with(b"ClassOfStock=");
        if !company.is_empty() || !(segment.is_empty() || is_class) {
            return Some(FigureNote::PartFigure);
        }
        if self.find_tag(record).is_none() {
            let tag = record.text(self.tag).unwrap_or_default();
            // A filer-defined tag has the accession number of its filing in place of the taxonomy.
            let is_defined_by_filer = record
                .text(self.version)
                .is_some_and(|version| accession::digits(version.as_bytes()).is_some());
            return Some(if is_defined_by_filer {
                FigureNote::FilerTag
            } else {
                FigureNote::UnmappedTag(tag.to_owned())
            });
        }
        // An empty figure of a data set is one that the filer reports as nil.
        (self.span(record).is_none() || record.cell(self.value).is_empty()).then_some(FigureNote::OtherSpan)
    }

    fn symbol_column(&self) -> usize {
        self.tag
    }
}

/// Returns the nearest month end: companies with years of whole weeks end theirs up to a fortnight away from it. The SEC's data sets round
/// alike.
pub(crate) fn month_end(date: NaiveDate) -> NaiveDate {
    let first = date.with_day(1).unwrap_or(date);
    let next = if date.day() <= 15 { Some(first) } else { first.checked_add_months(Months::new(1)) };
    next.and_then(|next| next.checked_sub_days(Days::new(1))).unwrap_or(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_of_the_nearest_month() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        for (date, end) in [
            ("2024-09-28", "2024-09-30"),
            ("2024-02-03", "2024-01-31"),
            ("2024-01-28", "2024-01-31"),
            ("2024-02-29", "2024-02-29"),
            ("2024-12-31", "2024-12-31"),
            ("2025-01-01", "2024-12-31"),
        ] {
            assert_eq!(month_end(day(date)), day(end), "{date}");
        }
    }
}
